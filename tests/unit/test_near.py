"""Near copies: changed a little they are found, changed much they are not, and clusters do not depend on the order."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from skill2env.near import Near, clusters

CORPUS = Path(__file__).resolve().parents[2] / "skills_corpus" / "skills"


def words(seed: int, count: int = 400) -> list[str]:
    draw = random.Random(seed)
    return ["".join(draw.choices("abcdefghij", k=5)) for _ in range(count)]


def changed(text: list[str], share: float) -> list[str]:
    """Return the words with the last share of them replaced by others."""
    kept = round(len(text) * (1 - share))
    return text[:kept] + words(99, len(text) - kept)


@pytest.mark.parametrize(("share", "near"), [(0.0, True), (0.02, True), (0.4, False), (1.0, False)])
def test_how_much_may_differ(share: float, near: bool) -> None:
    texts = [("a", " ".join(words(1))), ("b", " ".join(changed(words(1), share)))]
    assert (clusters(texts, 0.8)["b"] == "a") is near


def test_case_punctuation_and_space_do_not_count() -> None:
    text = words(1)
    assert clusters([("a", " ".join(text)), ("b", ",\n".join(text).upper())], 0.8)["b"] == "a"


def test_scripts_without_spaces_are_compared_by_character() -> None:
    draw = random.Random(1)
    text = "".join(chr(draw.randrange(0x4E00, 0x9000)) for _ in range(300))
    other = "".join(chr(draw.randrange(0x4E00, 0x9000)) for _ in range(300))
    found = clusters([("a", text), ("b", text[:150] + "改" + text[150:]), ("c", other)], 0.8)
    assert found == {"a": "a", "b": "a", "c": "c"}


def test_clusters_do_not_depend_on_the_order() -> None:
    texts = [
        (f"{seed}-{part}", " ".join(changed(words(seed), part / 100)))
        for seed in range(5)
        for part in range(4)
    ]
    expected = {key: f"{key[0]}-0" for key, _ in texts}
    for seed in range(5):
        random.Random(seed).shuffle(texts)
        assert clusters(texts, 0.8) == expected


def test_a_text_between_two_joins_their_clusters() -> None:
    base = words(1)
    ends = changed(base, 0.08)
    starts = words(98, 32) + base[32:]
    near = Near(0.8)
    assert near.add("x", " ".join(ends)) == "x"
    assert near.add("y", " ".join(starts)) == "y"
    assert near.add("between", " ".join(base)) == "x"
    assert near.first("y") == "x"


def test_empty_and_tiny_texts_are_no_error() -> None:
    assert clusters([("a", ""), ("b", "one two"), ("c", "")], 0.8) == {"a": "a", "b": "b", "c": "a"}


def test_the_skills_of_this_corpus_are_like_no_other() -> None:
    texts = [(path.parent.name, path.read_text("utf-8")) for path in CORPUS.glob("*/SKILL.md")]
    assert all(key == cluster for key, cluster in clusters(texts, 0.8).items())
