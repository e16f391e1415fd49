"""No text or bytes make the stage raise, hang or stay silent."""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pieces import LINES, TEXTS

from skill2env.models.outcome import Accepted, Rejected
from skill2env.models.skill import Skill
from skill2env.stages.parse import read_skill


def answer(data: bytes) -> Accepted[Skill] | Rejected:
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "SKILL.md").write_bytes(data)
        return read_skill(Path(place), "probe")


def check(data: bytes) -> None:
    found = answer(data)
    if isinstance(found, Rejected):
        assert found.findings
        assert found.message
        return
    skill = found.record
    assert skill.name
    assert skill.description
    assert Skill.model_validate_json(skill.model_dump_json()) == skill
    for section in skill.sections:
        assert 1 <= section.start_line <= section.end_line <= skill.text_lines
    for block in skill.code_blocks:
        assert 1 <= block.start_line <= block.end_line <= skill.text_lines
    for command in skill.commands:
        block = skill.code_blocks[command.block]
        assert block.start_line <= command.line <= command.end_line <= block.end_line + 1
    lines = [item.line for item in skill.statements] + [item.line for item in skill.links]
    lines += [item.line for item in skill.steps] + [item.line for item in skill.checklist]
    assert all(1 <= line <= skill.text_lines for line in lines)


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    check(data)


@settings(deadline=None, max_examples=400)
@given(TEXTS)
def test_any_pieces(text: str) -> None:
    check(text.encode())


@settings(deadline=None, max_examples=400)
@given(LINES)
def test_any_frontmatter(text: str) -> None:
    check(("---\n" + text + "\n---\nA body with words.\n").encode())


@settings(deadline=None, max_examples=200)
@given(LINES)
def test_any_body(text: str) -> None:
    check(("---\nname: probe\ndescription: d\n---\n" + text).encode())


HEAD = "---\nname: probe\ndescription: d\n---\n\n"
BOMBS = {
    "brackets": HEAD + "[" * 490_000,
    "bracket paragraphs": HEAD + ("[" * 7000 + "\n\n") * 60,
    "quotes": HEAD + (">" * 200 + "a\n") * 2000,
    "lists": HEAD + ("- " * 20 + "a\n") * 10_000,
    "fences": HEAD + "```\n" * 100_000,
    "continuations": HEAD + "```bash\n" + "echo a \\\n" * 50_000,
    "here-documents": HEAD + "```bash\n" + "cat <<EOF\n" * 45_000,
    "loops": HEAD + "```bash\n" + "for x in y; do\n" * 30_000,
    "definitions": HEAD + '[a]: "\n' * 60_000,
    "keys and headings": "---\nname: x\n" + "# h\n\n" * 90_000,
    "comments": "<!--" * 120_000,
    "rules": "---\n" * 120_000,
    "backticks": HEAD + "".join("`" * i + " " for i in range(900)),
    "line feeds": "\n" * 490_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_end(name: str) -> None:
    start = time.process_time()
    answer(BOMBS[name].encode())
    assert time.process_time() - start < 20


FRONT = {
    "brackets": "a: " + "[" * 15_000,
    "braces in quotes": 'a: "' + "{" * 15_000,
    "sequences on a line": "a:\n" + "- " * 7_000,
    "questions": "? " * 7_000,
    "levels": "".join(f"{' ' * n}a:\n" for n in range(170)),
    "aliases": "a: &a [x]\n"
    + "".join(f"{k}: &{k} [{', '.join(['*' + j] * 9)}]\n" for j, k in zip("abcdefg", "bcdefgh", strict=True)),
    "anchors": "".join(f"k{n}: &a{n} v\n" for n in range(1_100)),
    "tags": "".join(f"k{n}: !t{n} v\n" for n in range(1_100)),
    "keys": "".join(f"k{n}: v\n" for n in range(1_700)),
    "broken keys": "".join(f"k{n}: a: b\n" for n in range(1_200)),
    "one key": "k: v\n" * 3_200,
    "one broken key": "k: a: b\n" * 2_000,
    "open quotes": "".join(f'k{n}: "\n' for n in range(1_500)),
    "escapes": 'a: "' + "\\U0010ffff" * 1_500,
    "folded": "a: >\n" + "\n" * 16_000,
    "comments": "#\n" * 8_000,
    "megabytes": "a: b\n" * 30_000,
}
MAX_CPU_SEC = 10
MAX_MEMORY_BYTES = 100_000_000


@pytest.mark.parametrize("name", FRONT)
def test_hostile_yaml_is_answered_within_time_and_memory(name: str) -> None:
    data = f"---\nname: probe\ndescription: d\n{FRONT[name]}\n---\nA body.\n".encode()
    start = time.process_time()
    tracemalloc.start()
    found = answer(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.process_time() - start < MAX_CPU_SEC
    assert peak < MAX_MEMORY_BYTES
    findings = found.record.findings if isinstance(found, Accepted) else found.findings
    assert len(findings) < 200
    assert not isinstance(found, Accepted) or len(found.record.model_dump_json()) < 40 * len(data) + 20_000
