"""What the fuzzer calls with one input: reader, mender, judge and screens must answer with findings, and agree."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["skill2env.stages.parse", "skill2env.intake.screens"]):
    from skill2env.feasibility import judge
    from skill2env.intake.codes import Findings
    from skill2env.intake.screens import screen
    from skill2env.models.outcome import Rejected
    from skill2env.stages.parse import mended, read_skill

FOLDER = Path(tempfile.mkdtemp())
SHAPES = (b"%s", b"---\n%s\n---\nA body with words.\n", b"---\nname: probe\ndescription: d\n---\n%s")
"""A whole file, its frontmatter, its body."""


def check(data: bytes) -> None:
    """Read, mend, judge and screen one file; raises where the answer is none."""
    lines = data.count(b"\n") + data.count(b"\r") + 1
    screened = Findings()
    screen({"SKILL.md": data}, screened)
    assert all(0 <= finding.line <= lines for finding in screened.all())
    answer = read_skill(FOLDER, "probe", skill_bytes=data)
    if isinstance(answer, Rejected):
        assert answer.rule
        assert answer.message
        return
    skill = answer.record
    assert skill.name
    assert skill.description
    assert all(0 <= finding.line <= skill.text_lines for finding in skill.findings)
    assert judge(skill).reason
    once = mended(data, "probe")
    assert mended(once, "probe") == once, "mending twice differs from mending once"
    again = read_skill(FOLDER, "probe", skill_bytes=once)
    assert not isinstance(again, Rejected)
    assert again.record.name == skill.name


def one_input(data: bytes) -> None:
    """Try an input in one of the places that it can stand in, as its first byte says."""
    check(SHAPES[sum(data[:1]) % len(SHAPES)] % data)


(FOLDER / "SKILL.md").touch()
atheris.Setup(sys.argv, one_input)
atheris.Fuzz()
