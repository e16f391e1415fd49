"""What somebody can know who has the instruction and the world: texts, words and numbers, in their usual spellings."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from skill2env.models.tree import Tree
from skill2env.stages.validate.decoded import decoded
from skill2env.stages.validate.literals.demand import Demand
from skill2env.stages.validate.testcode.words import words

_COMMON = frozenset(
    words(
        "true false null .git HEAD refs/heads refs/tags refs/remotes refs/heads/ refs/tags/ refs/remotes/ "
        "GET POST PUT PATCH DELETE"
    )
)
"""Names that are not this task's but JSON's, git's and HTTP's."""
_TRIVIAL = frozenset({0.0, 1.0, -1.0, 2.0, 200.0})
_WORDS = {
    word: number
    for number, word in enumerate(
        words(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        )
    )
} | {
    "half": 0.5,
    "quarter": 0.25,
    "once": 1,
    "twice": 2,
    "dozen": 12,
    "twenty": 20,
    "thirty": 30,
    "sixty": 60,
}
_ORDINALS = words("zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
_NUMBER = re.compile(
    r"(?<![\w.])-?\d{1,3}(?:[,  '_]\d{3})+(?:\.\d+)?(?![\d])|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-?\.\d+"
)
_PLAIN_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_MAX_TEXT = 8_000_000
_MANY = 200
_SMALL = 1000
_SEPARATORS = re.compile(r"[\s/.,:;=()\[\]{}<>|\"'`*?!#&%$^~\\+]+")
_ALNUM = re.compile(r"[^\W_]")


@dataclass(frozen=True)
class Known:
    """What an agent can read, and what the truth was computed to be."""

    instruction: str
    world: Tree
    planted: tuple[Any, ...] = ()
    """Truth, public facts and hidden data: their values explain texts and numbers that are computed, but no names."""

    @cached_property
    def text(self) -> str:
        """All of it as one text: the instruction, the names in the world, and its files, decoded."""
        return "\n".join(self._parts)

    @cached_property
    def _parts(self) -> list[str]:
        """The instruction, the names in the world, and the text of each file."""
        names = "\n".join(f"/{path}" for path in self.world)
        files = [_text(data) for path, node in self.world.items() for _, data in decoded(node.data, path)]
        return [self.instruction, names, *files]

    @cached_property
    def folded(self) -> str:
        """The same in lower case."""
        return self.text.lower()

    @cached_property
    def told(self) -> frozenset[float]:
        """The numbers of the text, in digits or words; small ones not of files that are full of numbers."""
        found = set(_numbers("\n".join(self._parts[:1])))
        for part in self._parts[1:]:
            numbers = set(_numbers(part[:_MAX_TEXT]))
            found |= (
                numbers if len(numbers) <= _MANY else {number for number in numbers if abs(number) >= _SMALL}
            )
        return frozenset(found)

    @cached_property
    def values_text(self) -> str:
        """The texts among the planted values."""
        return "\n".join(value for value in self.values if isinstance(value, str))

    @cached_property
    def values(self) -> frozenset[str | float]:
        """Texts and numbers that are values of what was planted."""
        return frozenset(_values(self.planted))


def hidden_values(tree: Tree) -> Iterator[Any]:
    """Yield the data in the JSON files among a task's hidden files."""
    for path, node in tree.items():
        if path.startswith("tests/hidden/") and path.endswith(".json"):
            try:
                yield json.loads(node.data)
            except (ValueError, RecursionError):
                continue


def explained(
    demand: Demand, known: Known, given: Iterable[str] = (), terms: frozenset[str] = frozenset()
) -> bool:
    """Return whether somebody without the tests could know a literal.

    Args:
        demand: the literal.
        known: what can be known.
        given: texts that the tests hand to delivered programs; what comes back out of them is no surprise.
        terms: words of the languages in which outputs are read.
    """
    if demand.number:
        number = float(demand.value)
        return number in _TRIVIAL or _number_known(number, known)
    names = (demand.value, *demand.others)
    return any(_text_explained(replace(demand, value=value), known, given, terms) for value in names)


def _text_explained(demand: Demand, known: Known, given: Iterable[str], terms: frozenset[str]) -> bool:
    value = demand.value
    if _PLAIN_NUMBER.fullmatch(value.strip()) and _number_known(float(value), known):
        return True
    if len(value.strip()) < 2 or not _ALNUM.search(value) or value.strip() in _COMMON:
        return True
    if demand.noun in ("text", "key", "attribute") and any(
        _stands(value, text, demand.fragment) for text in given
    ):
        return True
    if demand.noun in ("text", "attribute") and value in terms:
        return True
    if demand.noun == "text" and _stands(value, known.values_text, demand.fragment):
        return True
    return _named(demand, known)


def _named(demand: Demand, known: Known) -> bool:
    text = known.folded if demand.any_case else known.text
    value = demand.value.strip().lower() if demand.any_case else demand.value.strip()
    if _stands(value, text, demand.fragment):
        return True
    parts = [word for word in _SEPARATORS.split(value) if _ALNUM.search(word)]
    return bool(parts) and parts != [value] and all(_word_known(word, demand, text, known) for word in parts)


def _word_known(word: str, demand: Demand, text: str, known: Known) -> bool:
    if len(word) < 2 or word in _COMMON or _stands(word, text, demand.fragment):
        return True
    return word.isdigit() and float(word) in known.told


def _stands(value: str, text: str, fragment: bool) -> bool:
    """Return whether a text stands somewhere: as a word of its own, or anywhere where it is a part of a longer one."""
    if value not in text:
        return False
    if fragment:
        return True
    before = r"(?<![^\W_])(?<!_)" if _wordlike(value[0]) else ""
    after = r"(?![^\W_])(?!_)" if _wordlike(value[-1]) else ""
    return re.search(f"{before}{re.escape(value)}{after}", text) is not None


def _wordlike(character: str) -> bool:
    return character.isalnum() or character == "_"


def _number_known(number: float, known: Known) -> bool:
    if number in known.told or number in known.values or -number in known.told:
        return True
    percent = number * 100
    return 0 < number < 1 and any(math.isclose(percent, told) for told in known.told)


def _numbers(text: str) -> Iterator[float]:
    for found in _NUMBER.findall(text):
        try:
            yield float(re.sub(r"[,  '_]", "", found))
        except ValueError:
            continue
    found = set(re.findall(r"[a-z]+", text.lower()))
    yield from (number for word, number in _WORDS.items() if word in found)
    yield from (float(number) for number, word in enumerate(_ORDINALS) if word in found)


def _values(data: Any) -> Iterator[str | float]:
    """Yield the texts and numbers of nested data, keys left out."""
    todo = [data]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            todo += item.values()
        elif isinstance(item, (list, tuple)):
            todo += item
        elif isinstance(item, str):
            yield item
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            yield float(item)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace") + "\n" + data.decode("cp1252", "replace")
