"""Guessed languages and roles of code blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill2env.models.outcome import Accepted
from skill2env.models.skill import CodeBlock
from skill2env.stages.parse import read_skill
from skill2env.stages.parse.guess import guess_language


def block_of(folder: Path, body: str) -> CodeBlock:
    (folder / "SKILL.md").write_text(f"---\nname: probe\ndescription: d\n---\n\n{body}", "utf-8")
    answer = read_skill(folder, "probe")
    assert isinstance(answer, Accepted)
    return answer.record.code_blocks[0]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('{"a": 1, "b": [2]}', "json"),
        ("git add -A\ngit commit -m x\n", "bash"),
        ("a:\n  b: 1\n  c: 2\n", "yaml"),
        ("def f(x):\n    return x\n", "python"),
        ("const a = 1;\nmodule.exports = a;\n", "javascript"),
        ("SELECT a FROM b WHERE c = 1;", "sql"),
        ("FROM debian\nRUN true\nCOPY a /a\n", "dockerfile"),
        ("src/\n├── a.py\n└── b.py\n", "text"),
        ("GET /v1/users HTTP/1.1\nHost: x\n", "http"),
        ("The cat sat on the mat.\nIt was flat.\n", "text"),
    ],
)
def test_language_is_guessed(text: str, language: str) -> None:
    found, confidence = guess_language("", text)
    assert found == language
    assert 0 < confidence < 1


def test_named_language_is_taken_in_one_spelling() -> None:
    assert guess_language("py", "SELECT 1") == ("python", 1.0)
    assert guess_language("text", '{"a": 1}') == ("json", 0.99)


@pytest.mark.parametrize(
    ("body", "role"),
    [
        ("Run it:\n\n```bash\nls -l\n```\n", "run"),
        ("Save as `a.yaml`:\n\n```yaml\na:\n  b: 1\n```\n", "file"),
        ("```python\n# src/a.py\nx = 1\n```\n", "file"),
        ('It answers with this response:\n\n```json\n{"a": 1}\n```\n', "output"),
        ("Expected output:\n\n```\n3 passed\n```\n", "output"),
        ("## Report template\n\n```markdown\n# [Title]\n\n[Summary]\n```\n", "template"),
        ("Wrong:\n\n```python\nx = eval(y)\n```\n", "anti"),
        ("❌ Bad:\n\n```bash\nrm -rf /tmp/x\n```\n", "anti"),
        ("反例:\n\n```python\nx = eval(y)\n```\n", "anti"),
        ("Use this instead of the wrong one:\n\n```python\nx = int(y)\n```\n", "run"),
        ("The parts:\n\n```\n┌───┐\n│ a │\n└───┘\n```\n", "figure"),
        ("Commit format:\n\n```\n<type>(<scope>): <subject>\n\n<body>\n```\n", "template"),
        ("```\n/experiment test it\nHypothesis: [x]\nMethod: [y]\n```\n", "run"),
        ("```xml\n<a>\n  <b/>\n</a>\n```\n", "file"),
    ],
)
def test_role(body: str, role: str, tmp_path: Path) -> None:
    assert block_of(tmp_path, body).role == role
