"""What differs between a skill in the corpus and at its source, and which references of blueprints that touches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from pathlib import Path

import yaml

from skill2env.intake.outcome import Change, Touched
from skill2env.intake.shelf import File
from skill2env.models.fields import is_source, spans
from skill2env.models.lines import split_lines
from skill2env.stages.draft.scripts import header_lines

MAX_LINES = 5000
"""Of longer files it is only told that they changed."""


def files_in(folder: Path) -> dict[str, File]:
    """Return the files of a skill in the corpus by their paths; links, which an import never writes, are left out."""
    return {
        path.relative_to(folder).as_posix(): File(path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def changes(before: Mapping[str, File], after: Mapping[str, File]) -> tuple[Change, ...]:
    """Return the files that differ, by path."""
    return tuple(_changes(before, after))


def _changes(before: Mapping[str, File], after: Mapping[str, File]) -> Iterator[Change]:
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        if old and new and old.data == new.data:
            yield Change(file=path, what="mode")
            continue
        what = "added" if old is None else "removed" if new is None else "changed"
        one, other = _lines(old), _lines(new)
        added = removed = 0
        for tag, first, last, start, end in _opcodes(one, other):
            if tag != "equal":
                removed, added = removed + last - first, added + end - start
        yield Change(file=path, what=what, lines_added=added, lines_removed=removed)


def touched(blueprints: Path, before: Mapping[str, File], after: Mapping[str, File]) -> tuple[Touched, ...]:
    """Return the references of a skill's blueprints whose lines changed or moved.

    Args:
        blueprints: folder with the skill's blueprints, which need not be there.
        before: the files that the references were written for.
        after: the files as they are at the source.
    """
    found = []
    for folder in sorted(file.parent for file in blueprints.glob("*/blueprint.yaml")):
        for reference in _references(folder):
            now = _now(reference, before, after)
            if now != reference:
                name = f"{blueprints.name}/{folder.name}"
                found.append(Touched(blueprint=name, reference=reference, now=now))
    return tuple(found)


def _references(folder: Path) -> list[str]:
    """Return every line reference of a blueprint, its mistakes' included, each once; what can't be read has none."""
    try:
        spec = yaml.safe_load((folder / "blueprint.yaml").read_text(encoding="utf-8"))
        found = [*spec.get("skill_refs", ()), *(one.get("source") for one in spec.get("rubric", ()))]
    except (OSError, ValueError, AttributeError, TypeError, yaml.YAMLError):
        found = []
    for script in sorted(folder.glob("mistakes/*.sh")):
        with suppress(OSError, ValueError):
            _, source = header_lines(script.read_text(encoding="utf-8")).get("Source", (0, ""))
            found.append(source)
    return list(dict.fromkeys(str(one) for one in found if one))


def _now(reference: str, before: Mapping[str, File], after: Mapping[str, File]) -> str:
    """Return where the lines of a reference are now; empty where they were changed."""
    if not is_source(reference):
        return reference
    file, first, last = spans(reference)
    old, new = _lines(before.get(file)), _lines(after.get(file))
    for tag, start, end, there, _ in _opcodes(old, new):
        if tag == "equal" and start < first and last <= end:
            moved = there - start
            end_of_span = f"-{last + moved}" if "-" in reference.removeprefix(file) else ""
            return f"{file}:{first + moved}{end_of_span}"
    return ""


def _lines(file: File | None) -> list[str]:
    return split_lines(file.data.decode("utf-8-sig", "replace")) if file else []


def _opcodes(old: list[str], new: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    if len(old) > MAX_LINES or len(new) > MAX_LINES:
        return [("equal" if old == new else "replace", 0, len(old), 0, len(new))]
    return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
