"""What stands out in a world, and what only looks like an answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from skill2env.stages.validate.gates import no_leak

USUAL = "1767225600 0:0"
TRUTH = {"found": [f"order-{n}" for n in range(4100, 4112)], "export": "0" * 64}


def marked(**marks: str) -> list[str]:
    subject: Any = SimpleNamespace(image=SimpleNamespace(marks=marks))
    return list(no_leak._marked(subject))


def test_files_of_one_time_and_owner_do_not_stand_out() -> None:
    assert marked(a=USUAL, b=USUAL) == []
    assert marked() == []


@pytest.mark.parametrize("odd", ["1767225601 0:0", "1767225600 1000:0"])
def test_a_file_of_another_time_or_owner_stands_out(odd: str) -> None:
    (told,) = marked(a=USUAL, b=odd, c=USUAL)
    assert told.startswith("/b stands out")


@pytest.mark.parametrize(
    ("text", "gathered"),
    [
        (" ".join(TRUTH["found"]), True),
        ("An unrelated line of many words.\n\n" + "\n".join(TRUTH["found"]), True),
        (" ".join(TRUTH["found"][:6]), False),
        (" ".join([*TRUTH["found"], *(f"other-{n}" for n in range(30))]), False),
    ],
)
def test_values_are_gathered_where_nearly_all_stand_and_little_else(text: str, gathered: bool) -> None:
    assert no_leak._Truth(TRUTH).gathered_in(text) is gathered
