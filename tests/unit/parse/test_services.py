"""Passing lines over that name no service changes nothing of what is found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skill2env.stages.parse.services import CHINESE, HOSTED, LOCAL, lines_naming, services_in

WORDS = st.sampled_from(
    [*HOSTED, *(word for known in LOCAL.values() for word in known.split()), "İstanbul", "飞书", "a"]
)
LINES = st.lists(
    st.lists(
        st.one_of(WORDS, WORDS.map(str.upper), WORDS.map(str.lower), st.text(max_size=4)), max_size=6
    ).map(lambda words: " ".join(words).replace("\n", " ")),
    max_size=6,
)


@given(lines=LINES)
def test_what_is_passed_over_names_nothing(lines: list[str]) -> None:
    naming = lines_naming(lines)
    assert all(not list(services_in(line)) for index, line in enumerate(lines) if index not in naming)


def test_lines_without_a_beginning_are_passed_over() -> None:
    assert lines_naming(["Send it", "to Slack,", "", "then stop, slackly.", "Call SLACK"]) == {1, 3, 4}
    assert lines_naming(["→ send it", "— to Slack", "für Redis", "完成"]) == {1, 2}


def test_a_name_within_a_run_of_chinese_is_not_passed_over() -> None:
    line = f"请用{CHINESE[0]}发送"
    assert lines_naming(["", line]) == {1}
    assert [mention.name for mention in services_in(line)] == [CHINESE[0]]


def test_letters_that_grow_in_lower_case_move_no_line() -> None:
    lines = ["İ" * 40, "plain", "Slack"]
    assert 2 in lines_naming(lines)
