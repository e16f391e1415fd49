"""The parse stage as the driver runs it."""

from __future__ import annotations

from collections.abc import Iterator

from skill2env.models.skill import Skill
from skill2env.stages.context import Context, Done, Item
from skill2env.stages.parse.stage import SkillSource, discover, provenance_path, read_skill


def items(context: Context) -> Iterator[Item]:
    """Yield every folder of the corpus's skills.

    Raises:
        UsageError: the corpus has none.
    """
    for source in discover(context.workspace.root / context.params.corpus):
        yield Item(source.skill_id, source.record_id(), source)


def settings(context: Context, item: Item) -> None:
    """Nothing but the files decides."""


def apply(item: Item, context: Context) -> Done:
    """Read one skill."""
    source: SkillSource = item.value
    corpus = context.workspace.root / context.params.corpus
    provenance = provenance_path(corpus, source.skill_id)
    return Done(read_skill(corpus / source.path, source.skill_id, provenance))


def record() -> type[Skill]:
    """Return the type of an accepted record."""
    return Skill
