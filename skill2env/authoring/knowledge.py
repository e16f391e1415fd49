"""What an author must know, in one place for people, coding agents and models: the guide, the format, gates, toolchains."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from skill2env.models.base import content_id
from skill2env.params import ValidateParams
from skill2env.sandbox.pins import DOCKERFILES

CORPUS = DOCKERFILES.parent / "skills_corpus"
"""The project's own corpus."""
_DOCS = DOCKERFILES.parent / "docs"
_PARAMETER = re.compile(r"`validate\.([a-z_]+)`")
_TOOLCHAIN = re.compile(r"^\| `([a-z_]+)\.Dockerfile` \| (.+) \|$", re.MULTILINE)


@cache
def guide() -> str:
    """Return what makes a good task, the order of work, and what the gates refuse most often."""
    return (files(__package__) / "guide.md").read_text("utf-8")


@cache
def format_text() -> str:
    """Return the description of a blueprint's files, as docs/blueprint.md has it, headings one level down."""
    return _lowered((_DOCS / "blueprint.md").read_text("utf-8"))


@cache
def gates_text() -> str:
    """Return what each gate demands, as docs/validate.md has it, headings one level down."""
    text = _PARAMETER.sub(_with_value, (_DOCS / "validate.md").read_text("utf-8"))
    return _lowered("# The gates\n" + text[text.index("### ") : text.index("## Parameters")]).replace(
        "\n####", "\n###"
    )


@cache
def toolchains() -> str:
    """Return a line for each toolchain: what is in it."""
    text = (DOCKERFILES / "README.md").read_text("utf-8")
    rows = [(name, what) for name, what in _TOOLCHAIN.findall(text) if name != "verifier"]
    versions = text[text.index("- **Versions.** ") :].split("\n- ")[0].split("\n\n")[0]
    return "\n".join([*(f"- `{name}`: {what}" for name, what in rows), versions])


def prompt(name: str, **values: object) -> str:
    """Return one of our prompts, filled in."""
    text = (files(__package__) / "prompts" / f"{name}.md").read_text("utf-8")
    template = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
    return template.from_string(text).render(values)


def knowledge_id() -> str:
    """Return a content id of all that a model author is told, the skill aside."""
    names = ("plan", "write", "rule")
    texts = [(files(__package__) / "prompts" / f"{name}.md").read_text("utf-8") for name in names]
    return content_id([guide(), format_text(), toolchains(), texts])


def _with_value(match: re.Match[str]) -> str:
    """Return the mention of a parameter with the value that it has if nobody sets another."""
    field = ValidateParams.model_fields.get(match[1])
    return f"{match[0]} ({field.default})" if field else match[0]


def _lowered(text: str) -> str:
    """Return Markdown with each heading outside of code one level down."""
    lines, fenced = [], False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        lines.append(f"#{line}" if line.startswith("#") and not fenced else line)
    return "\n".join(lines) + "\n"
