"""How much of a text is found in others: copies, halves, other orders, other clothes, other scripts."""

from __future__ import annotations

import numpy as np
import pytest

from skill2env.stages.publish import overlap
from skill2env.stages.publish.overlap import WORDS, Overlap, Overlaps, words

TEXT = " ".join(f"word{number} of" for number in range(26))
"""52 words, 40 sequences, all different."""
CHINESE = "请检查服务器的日志文件，找出攻击者的地址，并把结果写入报告。"


def found(text: str, *items: str) -> Overlap:
    overlaps = Overlaps({"other": "nothing to do with it at all", "task": text})
    for number, item in enumerate(items, 1):
        overlaps.look(f"item{number}", item)
    assert overlaps.found()["other"] == Overlap(0.0)
    return overlaps.found()["task"]


def test_a_copy_is_found_whole_and_named() -> None:
    assert found(TEXT, "something else", f"Before it. {TEXT} After it.", "more") == Overlap(1.0, "item2")


def test_of_a_half_half_is_found() -> None:
    half = " ".join(TEXT.split()[:26])
    assert found(TEXT, half) == Overlap(14 / 40, "item1")
    assert found(TEXT, " ".join(TEXT.split()[:32])) == Overlap(0.5, "item1")


def test_the_largest_share_of_one_item_counts_and_not_that_of_all_together() -> None:
    parts = TEXT.split()
    assert found(TEXT, " ".join(parts[:20]), " ".join(parts[20:]), " ".join(parts[:14])) == Overlap(
        20 / 40, "item2"
    )
    assert found(TEXT, TEXT, TEXT) == Overlap(1.0, "item1")


def test_the_same_words_in_another_order_are_not_found() -> None:
    assert found(TEXT, " ".join(reversed(TEXT.split()))) == Overlap(0.0)


def test_twelve_words_in_a_row_are_not_found_and_thirteen_are() -> None:
    parts = TEXT.split()
    assert found(TEXT, " ".join([*parts[: WORDS - 1], "x", *parts[WORDS : 2 * WORDS - 1]])) == Overlap(0.0)
    assert found(TEXT, " ".join(parts[:WORDS])) == Overlap(1 / 40, "item1")


def test_punctuation_letter_case_and_forms_of_letters_do_not_matter() -> None:
    text = "Café: look into /var/log/app.log — who broke in? Write it to out.json, please; thanks!"
    dressed = "CAFE\u0301 look, into *VAR* LOG app (log) who   broke\nin write it to `out` json please thanks"
    assert found(text, dressed) == Overlap(1.0, "item1")


def test_a_repeated_sequence_counts_once() -> None:
    assert found("again " * 40, "again " * WORDS) == Overlap(1.0, "item1")


def test_a_short_text_is_one_sequence_of_all_its_words() -> None:
    assert found("Name the client.", "First: name the client, then stop.") == Overlap(1.0, "item1")
    assert found("Name the client.", "name the", "the client") == Overlap(0.0)


@pytest.mark.parametrize("text", ["", "…!?", TEXT])
def test_without_words_nothing_is_found(text: str) -> None:
    assert found(text, "", "---") == Overlap(0.0)
    assert Overlaps({}).found() == {}


def test_chinese_is_compared_by_characters() -> None:
    assert words("使用git命令，查看 안녕 かな")[:4] == ["使", "用", "git", "命"]
    assert found(CHINESE, f"背景说明。{CHINESE.replace('，', ' ')}谢谢") == Overlap(1.0, "item1")
    count = len(words(CHINESE)) - WORDS + 1
    assert found(CHINESE, CHINESE[: WORDS + 2]) == Overlap(2 / count, "item1")


def test_texts_that_share_sequences_are_found_each() -> None:
    overlaps = Overlaps({"a": TEXT, "b": TEXT, "c": f"{TEXT} and more"})
    overlaps.look("item", TEXT)
    shares = {key: (one.share, one.item) for key, one in overlaps.found().items()}
    assert shares == {"a": (1.0, "item"), "b": (1.0, "item"), "c": (40 / 42, "item")}


def test_it_finds_what_counting_word_by_word_finds() -> None:
    draw = np.random.default_rng(1)
    texts = [" ".join(draw.choice(["a", "b"], 40 + number)) for number in range(30)]
    items = [" ".join(draw.choice(["a", "b", "c"], 4000, p=[0.49, 0.49, 0.02])) for _ in range(4)]
    overlaps = Overlaps({str(number): text for number, text in enumerate(texts)})
    for number, item in enumerate(items):
        overlaps.look(str(number), item)

    def sequences(text: str) -> set[tuple[str, ...]]:
        parts = text.split()
        return {tuple(parts[at : at + overlap.WORDS]) for at in range(len(parts) - overlap.WORDS + 1)}

    wanted = [max(len(sequences(t) & sequences(i)) / len(sequences(t)) for i in items) for t in texts]
    assert [one.share for one in overlaps.found().values()] == pytest.approx(wanted)
    assert 0 < min(wanted) < max(wanted) < 1
