"""Scripts are split at their reasons."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skill2env.models.blueprint import Step
from skill2env.trial.script import split_steps


def test_reasons_split_a_script() -> None:
    text = "#!/bin/bash\n# a comment\n#> Look first,\n#> then act.\nls\n\ncat x\n#> Write.\ncat > y <<'E'\n#> no, this splits too\nE\n"
    assert split_steps("#> One.\na\nb\n#> Two.\nc\n") == (
        Step(why="One.", command="a\nb"),
        Step(why="Two.", command="c"),
    )
    assert split_steps(text)[0] == Step(why="Look first, then act.", command="ls\n\ncat x")


def test_commands_before_the_first_reason_are_a_step_without_one() -> None:
    assert split_steps("cd /x\n#> Go.\nls") == (Step(why="", command="cd /x"), Step(why="Go.", command="ls"))


def test_lines_end_where_bash_ends_them() -> None:
    command = "printf 'one\u2028two\x0cthree' > x"
    assert split_steps(f"#> Write.\r\n{command}\r\nls\n") == (Step(why="Write.", command=f"{command}\nls"),)


def test_comments_alone_are_no_step() -> None:
    assert split_steps("# only\n#> reasons\n\n# and comments\n") == ()
    assert split_steps("") == ()
    assert split_steps("# Slip: forgets\n#> Go.\nls\n# after\n") == (Step(why="Go.", command="ls\n# after"),)


@given(st.lists(st.sampled_from(["#> why", "ls", "# note", "", "  x=1", "#>", "#>tight"]), max_size=20))
def test_every_command_is_in_exactly_one_step_and_in_order(lines: list[str]) -> None:
    steps = split_steps("\n".join(lines))
    commands = [line for line in lines if line.strip() and not line.strip().startswith("#")]
    found = [
        line
        for step in steps
        for line in step.command.split("\n")
        if line.strip() and not line.strip().startswith("#")
    ]
    assert found == commands
    assert all(step.command.strip() for step in steps)
