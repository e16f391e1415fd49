"""The verbs: parse, draft, build, validate, rollout, publish. None imports another."""

ITEM_STAGES = ("parse", "draft", "build", "validate", "rollout")
"""Names of the stages that answer item by item, in the order in which data flows; their modules are in `pipeline.STAGES`."""
