"""The parse stage: a skill's folder becomes a `Skill` with findings, or is refused by a named rule."""

from skill2env.stages.parse.mend import mended
from skill2env.stages.parse.provenance import of_record
from skill2env.stages.parse.stage import NAME, VERSION, SkillSource, discover, provenance_path, read_skill
from skill2env.stages.parse.tree import read_skill_file, scan, tree_hash
from skill2env.stages.parse.work import apply, item_of, items, record, settings

__all__ = [
    "NAME",
    "VERSION",
    "SkillSource",
    "apply",
    "discover",
    "item_of",
    "items",
    "mended",
    "of_record",
    "provenance_path",
    "read_skill",
    "read_skill_file",
    "record",
    "scan",
    "settings",
    "tree_hash",
]
