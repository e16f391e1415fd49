"""Mutants of plain text, line by line, and of settings of the form `name = value`."""

from __future__ import annotations

import random
import re

from skill2env.mutation.mutant import Change, Changes, Operator, short
from skill2env.mutation.values import perturbed

_TIMES = 2
LINES = "lines"
"""The field of plain text whose lines end otherwise, which is the same only where nothing has to be the same bytes."""
_SETTING = re.compile(r"^(\s*[\w.\"'-]+\s*[=:]\s*)(\S.*?)(\s*)$")


def mutate_text(data: bytes, rng: random.Random, ordered: bool) -> Changes:
    """Yield changed lines.

    Raises:
        ValueError: it is no text, or has no line that says anything.
    """
    lines = data.decode().splitlines(keepends=True)
    telling = [index for index, line in enumerate(lines) if line.strip()]
    if not telling or "\0" in data.decode():
        raise ValueError("no text")
    for index in rng.sample(telling, min(len(telling), _TIMES)):
        line = lines[index]
        yield _lines("drop", f"line {index + 1} is gone", [*lines[:index], *lines[index + 1 :]])
        yield _lines("duplicate", f"line {index + 1} stands twice", [*lines[:index], line, *lines[index:]])
        word = rng.choice(line.split())
        new = perturbed(word, rng)
        what = f"line {index + 1}: {short(word)} becomes {short(new)}"
        yield _lines("perturb", what, [*lines[:index], line.replace(word, new, 1), *lines[index + 1 :]])
    end = data.rstrip(b"\n")
    yield Change(
        "same",
        "no newline at the end" if end != data else "a newline at the end",
        end if end != data else data + b"\n",
        LINES,
    )
    first, second = rng.choice(telling), rng.choice(telling)
    if ordered and lines[first] != lines[second]:
        changed = list(lines)
        changed[first], changed[second] = lines[second], lines[first]
        yield _lines("reorder", f"lines {first + 1} and {second + 1} change places", changed)


def is_settings(data: bytes) -> bool:
    """Return whether every line that says something is `name = value`, a comment or a section."""
    try:
        lines = [line for line in data.decode().splitlines() if line.strip() and line.strip()[0] not in "#;["]
    except UnicodeDecodeError:
        return False
    return bool(lines) and all(_SETTING.match(line) and "=" in line for line in lines)


def mutate_settings(data: bytes, rng: random.Random, ordered: bool) -> Changes:
    """Yield changed settings, and one that means the same.

    Raises:
        ValueError: there are no settings in it.
    """
    lines = data.decode().splitlines(keepends=True)
    found = {
        index: match
        for index, line in enumerate(lines)
        if (match := _SETTING.match(line.rstrip("\n"))) and not line.lstrip().startswith(("#", ";"))
    }
    if not found:
        raise ValueError("no settings")
    picked = rng.sample(sorted(found), min(len(found), 2 * _TIMES))
    for index in picked:
        before, value, after = found[index].groups()
        name = before.strip(" =:\t")
        yield _lines("drop", f"the setting {name} is gone", [*lines[:index], *lines[index + 1 :]], name)
        for operator, new in _values(value, rng):
            what = f"{name} becomes {short(new)}"
            yield _lines(
                operator, what, [*lines[:index], f"{before}{new}{after}\n", *lines[index + 1 :]], name
            )
    if len(picked) > 1 and found[picked[0]][2] != found[picked[1]][2]:
        one, two = picked[:2]
        changed = list(lines)
        changed[one] = f"{found[one][1]}{found[two][2]}\n"
        changed[two] = f"{found[two][1]}{found[one][2]}\n"
        yield _lines("swap", f"the values of lines {one + 1} and {two + 1} change places", changed)
    yield Change("same", "an empty line at the end", data + b"\n")


def _values(value: str, rng: random.Random) -> list[tuple[Operator, str]]:
    bare = value.strip("\"'")
    if re.fullmatch(r"-?\d+(\.\d+)?", value):
        return [
            ("zero", "0"),
            ("negate", value.removeprefix("-") if value[0] == "-" else f"-{value}"),
            ("retype", f'"{value}x"'),
        ]
    if value.lower() in ("true", "false", "yes", "no", "on", "off"):
        turned = {"true": "false", "yes": "no", "on": "off"}
        both = turned | {new: old for old, new in turned.items()}
        return [("negate", both[value.lower()])]
    quote = value[0] if value[0] in "\"'" and value[-1] == value[0] else ""
    words = bare.split(" ")
    spot = rng.randrange(len(words))
    other = " ".join([*words[:spot], perturbed(words[spot], rng), *words[spot + 1 :]])
    longer: list[tuple[Operator, str]] = [("perturb", f"{quote}{bare} x{quote}")]
    return [("perturb", f"{quote}{other}{quote}"), *(longer if len(words) > 1 else [])]


def _lines(operator: Operator, what: str, lines: list[str], field: str = "") -> Change:
    return Change(operator, what, "".join(lines).encode(), field)
