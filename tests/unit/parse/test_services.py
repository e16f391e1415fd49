"""Passing lines over that name no service changes nothing of what is found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skill2env.stages.parse.services import CHINESE, HOSTED, LOCAL, beginnings_in, services_in

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
    beginnings = beginnings_in("\n".join(lines))
    assert [list(services_in(line, beginnings)) for line in lines] == [
        list(services_in(line)) for line in lines
    ]


def test_beginnings_are_those_of_the_text() -> None:
    assert beginnings_in("Send it to Slack, then stop.") == ("slack",)
    assert list(services_in("Send it to Slack", ())) == []


def test_a_name_within_a_run_of_chinese_is_not_passed_over() -> None:
    line = f"请用{CHINESE[0]}发送"
    assert beginnings_in(line) == ()
    assert [mention.name for mention in services_in(line, ())] == [CHINESE[0]]
