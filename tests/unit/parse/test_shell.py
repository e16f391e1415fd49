"""Commands of shell blocks."""

from __future__ import annotations

import pytest

from skill2env.models.skill import CodeBlock
from skill2env.stages.parse.shell import shell_commands


def commands(text: str, language: str = "bash") -> list[tuple[str, int, int]]:
    block = CodeBlock(
        language=language,
        info=language,
        text=text,
        start_line=10,
        end_line=99,
        kind="fenced",
        closed=True,
        section=-1,
    )
    return [(item.text, item.line, item.end_line) for item in shell_commands([block])]


def only(text: str) -> str:
    ((command, _, _),) = commands(text)
    return command


def test_one_command_a_line_without_comments() -> None:
    found = commands("# note\nls -l  # all\n\necho '# kept' \"#too\" a#b\n")
    assert found == [("ls -l", 12, 12), ("echo '# kept' \"#too\" a#b", 14, 14)]


def test_prompts_are_stripped_and_output_is_left_out() -> None:
    text = "$ ls\nSKILL.md\nroot@box:~# id\nuid=0\n(venv) me@box:~/x$ pwd\n/x\n"
    assert [item[0] for item in commands(text, "console")] == ["ls", "id", "pwd"]


def test_block_without_language_counts_only_with_prompts() -> None:
    assert commands("ls\n", "") == []
    assert [item[0] for item in commands("$ ls\n", "")] == ["ls"]
    assert commands("$ ls\n", "python") == []


def test_continuations_are_joined() -> None:
    assert commands("tar -c \\\n  -f x.tar \\\n  y\nls\n") == [("tar -c -f x.tar y", 11, 13), ("ls", 14, 14)]
    assert only("cat a |\n  sort &&\n  true\n") == "cat a | sort && true"
    assert only("$ tar \\\n> -c x\nout\n") == "tar -c x"


def test_comment_between_continued_lines() -> None:
    assert only("cat a |\n  # sort first\n  sort\n") == "cat a | sort"


def test_a_remark_behind_a_backslash_ends_no_command() -> None:
    text = "cut -d: \\\n  -f 1 \\   # names\n  -s /etc/passwd   # all\n"
    assert commands(text) == [("cut -d: -f 1 -s /etc/passwd", 11, 13)]


def test_an_option_is_no_program() -> None:
    block = CodeBlock(
        language="bash",
        info="",
        text="-o out.txt\n",
        start_line=1,
        end_line=3,
        kind="fenced",
        closed=True,
        section=-1,
    )
    assert [(item.text, item.programs) for item in shell_commands([block])] == [("-o out.txt", ())]


def test_here_document_is_one_command() -> None:
    text = "cat > x <<'EOF'\n# kept\n$HOME\nEOF\nls\n"
    assert commands(text) == [("cat > x <<'EOF'\n# kept\n$HOME\nEOF", 11, 14), ("ls", 15, 15)]
    assert [item[0] for item in commands("grep x <<< EOF\nls\n")] == ["grep x <<< EOF", "ls"]


def test_quotes_go_over_lines() -> None:
    assert only("git commit -m 'one\ntwo # kept'\n") == "git commit -m 'one\ntwo # kept'"


@pytest.mark.parametrize(
    "text",
    [
        "for x in *; do\n  echo $x\ndone",
        "if a; then\n  b\nelse\n  c\nfi",
        "while read x; do\n  if a; then b; fi\ndone < y",
        "go() {\n  true\n}",
        "case $x in\n  a) true ;;\nesac",
        "(\n  cd x\n  ls\n)",
    ],
)
def test_compound_command_is_one(text: str) -> None:
    assert [item[0] for item in commands(text + "\nls\n")] == [text, "ls"]


def test_one_line_compound_does_not_swallow_the_next() -> None:
    assert [item[0] for item in commands("for x in *; do echo $x; done\nls\n")] == [
        "for x in *; do echo $x; done",
        "ls",
    ]


def test_unclosed_quote_does_not_swallow_the_block() -> None:
    assert [item[0] for item in commands("echo don't\nls\npwd\n")] == ["echo don't", "ls", "pwd"]


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("ls -l", "ls"),
        ("sudo -E apt-get install x", "apt-get"),
        ("TZ=UTC LC_ALL='C.UTF-8' date", "date"),
        ("env A=1 python3 x.py", "python3"),
        ("./scripts/go.sh", "./scripts/go.sh"),
        ("X=1", ""),
    ],
)
def test_program(text: str, program: str) -> None:
    block = CodeBlock(
        language="sh", info="sh", text=text, start_line=1, end_line=3, kind="fenced", closed=True, section=-1
    )
    assert shell_commands([block])[0].program == program


@pytest.mark.parametrize(
    ("text", "placeholder"),
    [
        ("cp <source> x", True),
        ("export K=YOUR_KEY", True),
        ("tool ...", True),
        ("cat path/to/file", True),
        ("sort < in > out", False),
        ("ls ../x", False),
        ("go test ./...", False),
    ],
)
def test_placeholder(text: str, placeholder: bool) -> None:
    block = CodeBlock(
        language="sh", info="sh", text=text, start_line=1, end_line=3, kind="fenced", closed=True, section=-1
    )
    assert shell_commands([block])[0].placeholder is placeholder


def test_variables_come_in_the_order_of_the_text() -> None:
    """The grammar's captures come in any order, another one each time."""
    names = [f"V{number}" for number in range(40)]
    block = CodeBlock(
        language="bash",
        info="bash",
        text="curl " + " ".join(f'-d "${name}"' for name in names) + "\n",
        start_line=1,
        end_line=3,
        kind="fenced",
        closed=True,
        section=-1,
        guess="bash",
        confidence=1.0,
    )
    for _ in range(20):
        (command,) = shell_commands([block])
        assert list(command.reads) == names
