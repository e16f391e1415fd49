"""Skeletons of a skill and of a blueprint: files that work, with a mark wherever their author's judgement is needed."""

from __future__ import annotations

import datetime
from importlib.resources import files
from importlib.resources.abc import Traversable

import yaml
from jinja2 import Environment, StrictUndefined

from skill2env.errors import UsageError
from skill2env.models.fields import SLUG_CHARS, is_slug
from skill2env.models.skill import Skill, Statement
from skill2env.models.tree import Tree, text_file

_SUFFIX = ".j2"
_CRITERIA = 4
_EVIDENCE = (
    r"{before: {first: '\bhead\b', then: 'report\.json'}}",
    "{never_writes: /workspace/entries.csv}",
    r"{used: '\bwc\b'}",
    '{judge: "Does the closing message say which entries were left out, and why?"}',
)
"""What shows in the commands of the skeleton's own reference."""
_UNSAID = "An expert looks at what is there before anything is made of it."


def checked_name(name: str) -> str:
    """Return a name that a skill or a blueprint may have.

    Raises:
        UsageError: it may not.
    """
    if not is_slug(name):
        raise UsageError(
            f"{name!r} is no name for a skill or a blueprint; use lower-case letters, digits and single hyphens, "
            f"at most {SLUG_CHARS} characters"
        )
    return name


def skill_skeleton(name: str) -> Tree:
    """Return the files of a new skill.

    Raises:
        UsageError: the name is none that a skill may have.
    """
    return _rendered("skill", name=checked_name(name), title=name.replace("-", " ").capitalize())


def blueprint_skeleton(skill: Skill, date: datetime.date) -> Tree:
    """Return the files of a new blueprint: a small task that works, whose rubric quotes the skill's own advice."""
    chosen = sorted(_advice(skill), key=lambda statement: statement.line)
    criteria = [_criterion(skill, statement, number) for number, statement in enumerate(chosen)]
    criteria += [_criterion(skill, None, number) for number in range(len(criteria), _CRITERIA)]
    refs = dict.fromkeys(f'"{criterion["source"]}"' for criterion in criteria)
    return _rendered("blueprint", refs=refs, criteria=criteria, date=date, skill_file=skill.skill_file)


def _advice(skill: Skill) -> list[Statement]:
    """Return the statements that a rubric begins with: demands before wishes, one of a line."""
    of_line: dict[int, Statement] = {}
    for statement in sorted(skill.statements, key=lambda statement: statement.strength != "must"):
        of_line.setdefault(statement.line, statement)
    return list(of_line.values())[:_CRITERIA]


def _criterion(skill: Skill, statement: Statement | None, number: int) -> dict[str, str]:
    line = statement.line if statement else min(skill.body_line, skill.text_lines)
    kind = "best_practice"
    if statement and statement.strength == "must":
        kind = "must_avoid" if statement.polarity == "dont" else "must_do"
    return {
        "kind": kind,
        "text": _scalar(statement.text if statement else _UNSAID),
        "source": f"{skill.skill_file}:{line}",
        "evidence": _EVIDENCE[number],
    }


def _scalar(text: str) -> str:
    """Return a text as one quoted YAML scalar of one line, shortened to what a criterion may have."""
    flat = " ".join(text.split())
    short = flat if len(flat) <= 200 else flat[:199] + "…"
    return yaml.safe_dump(short, default_style='"', allow_unicode=True, width=10_000).strip()


def _rendered(kind: str, /, **values: object) -> Tree:
    environment = Environment(
        variable_start_string="«",
        variable_end_string="»",
        block_start_string="«%",
        block_end_string="%»",
        comment_start_string="«#",
        comment_end_string="#»",
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    return {
        path: text_file(environment.from_string(text).render(values))
        for path, text in _templates(files(__package__) / "skeleton" / kind, "")
    }


def _templates(folder: Traversable, below: str) -> list[tuple[str, str]]:
    found = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            found += _templates(entry, f"{below}{entry.name}/")
        elif entry.name.endswith(_SUFFIX):
            found.append((f"{below}{entry.name.removesuffix(_SUFFIX)}", entry.read_text("utf-8")))
    return found
