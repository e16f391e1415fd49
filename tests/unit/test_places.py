"""Refusals that come of what stands in blueprint.yaml, or in the request, name its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from unit.draft.pieces import BASE, SKILL, checked, corpus_in

from skill2env.checking import lines_of
from skill2env.models.blueprint import Blueprint
from skill2env.models.outcome import Finding, Rejected, Severity
from skill2env.models.task import WorldRun
from skill2env.places import placed
from skill2env.sandbox.images import DOCKERFILES
from skill2env.stages.making.directory import Unfit, check_toolchain, task_tree
from skill2env.stages.making.worlds import Made, Order

TEXT = (BASE / "blueprint" / "blueprint.yaml").read_text()


def _place(code: str, message: str) -> tuple[str, int]:
    finding = Finding(code=code, severity=Severity.ERROR, message=message)
    (found,) = placed(Rejected(rule=code, message=message, findings=(finding,)), TEXT).findings
    assert found.message == message
    return found.file, found.line


@pytest.mark.parametrize(
    ("code", "message", "line"),
    [
        ("toolchain", "There is no toolchain 'cobol': use one of shell.", 7),
        ("rubric_holds", "the reference does not satisfy counts; mend the predicate, which says-so", 25),
        ("rubric_holds", "the reference does not satisfy counts, keeps-the-export; mend it", 20),
        ("rubric_holds", "the pattern is too slow", 14),
        ("headroom", "agent_sec is 5, where the reference used 4.0; give it at least 3 times that", 12),
        ("headroom", "what the reference uses was not measured", 12),
    ],
)
def test_the_key_that_is_meant_is_named_by_its_line(code: str, message: str, line: int) -> None:
    assert _place(code, message) == ("blueprint.yaml", line)


def test_limits_of_several_lines_are_told_apart() -> None:
    text = TEXT.replace(
        "limits: {agent_sec: 20, verifier_sec: 20, memory_mb: 256, cpus: 1}",
        "limits:\n  agent_sec: 20\n  verifier_sec: 20\n  memory_mb: 256\n  cpus: 1",
    )
    finding = Finding(
        code="headroom",
        severity=Severity.ERROR,
        message="memory_mb is 256, where the reference used 255.0; x",
    )
    (found,) = placed(Rejected(rule="headroom", message="m", findings=(finding,)), text).findings
    assert found.line == 15


def test_other_gates_keep_their_findings() -> None:
    assert _place("stated", "the tests demand what is not said") == ("", 0)


@pytest.fixture
def blueprint(tmp_path: Path) -> Blueprint:
    found: Any = checked(corpus_in(tmp_path))[-1].record
    assert isinstance(found, Blueprint)
    return found


def _order(blueprint: Blueprint) -> Order:
    return Order(blueprint, "easy", 1, (("easy", 1),))


def test_an_unknown_toolchain_names_no_path_of_the_installation(blueprint: Blueprint) -> None:
    spec = blueprint.spec.model_copy(update={"toolchain": "cobol"})
    with pytest.raises(Unfit) as caught:
        check_toolchain(_order(blueprint.model_copy(update={"spec": spec})))
    assert str(DOCKERFILES.parent) not in str(caught.value)
    assert str(caught.value).endswith("or add dockerfiles/cobol.Dockerfile.")


def test_check_tells_the_line_of_an_unknown_toolchain(tmp_path: Path) -> None:
    corpus = corpus_in(tmp_path)
    file = corpus / "blueprints" / SKILL / "takings" / "blueprint.yaml"
    file.write_text(TEXT.replace("toolchain: shell", "toolchain: cobol"))
    tasks = [item for item in checked(corpus, execute=True) if item.stage == "build"]
    assert len(tasks) == 3
    assert all(
        "  blueprint.yaml:7: There is no toolchain 'cobol'" in "\n".join(lines_of(item)) for item in tasks
    )


@pytest.mark.parametrize(
    ("instruction", "line"),
    [
        ("One.\n\nThere are {{ knobs.voyded }} of them.\n", 3),
        ("One.\n{% for n in range(2) %}\nTwo.\n{{ knobs.voyded }}\n{% endfor %}\n", 4),
        ("One.\n{{ 1 / 0 }}\n", 2),
        ("One.\n\n{{ level | louder }}\n", 3),
    ],
)
def test_a_request_that_cannot_be_rendered_names_its_line_and_the_knobs(
    blueprint: Blueprint, instruction: str, line: int
) -> None:
    order = _order(blueprint.model_copy(update={"instruction": instruction}))
    with pytest.raises(Unfit) as caught:
        task_tree(order, Made({}, {}, {}, WorldRun(tree_sha256="", truth_sha256=""), 0), "t")
    (finding,) = caught.value.findings
    assert (finding.file, finding.line) == ("instruction.md", line)
    assert finding.message.endswith("; it sees knobs (voided), facts and level only")
