"""The parse stage as the driver runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from skill2env.models.skill import Skill
from skill2env.stages.context import Context, Done, Item
from skill2env.stages.parse.many import MIN_ITEMS, reading_pool
from skill2env.stages.parse.stage import SkillSource, discover, provenance_path, read_skill


def items(context: Context) -> Iterator[Item]:
    """Yield every folder of the corpus's skills; where they are many, all cores read them.

    Raises:
        UsageError: the corpus has none.
    """
    corpus = context.workspace.root / context.params.corpus
    sources = discover(corpus)
    if len(sources) >= MIN_ITEMS:
        context.share(reading_pool())
    for source in sources:
        yield item_of(corpus, source)


def item_of(corpus: Path, source: SkillSource) -> Item:
    """Return a folder of a corpus as an item; what is read does not depend on where the corpus lies."""
    return Item(source.skill_id, source.record_id(), (corpus, source))


def settings(context: Context, item: Item) -> None:
    """Nothing but the files decides."""


def apply(item: Item, context: Context) -> Done:
    """Read one skill."""
    corpus: Path
    source: SkillSource
    corpus, source = item.value
    provenance = provenance_path(corpus, source.skill_id)
    given = (corpus / source.path, source.skill_id, provenance)
    pool = context.processes
    return Done(pool.submit(read_skill, *given).result() if pool else read_skill(*given))


def record() -> type[Skill]:
    """Return the type of an accepted record."""
    return Skill
