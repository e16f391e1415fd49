"""The verbs: parse, draft, build, validate, rollout, publish. None imports another."""
