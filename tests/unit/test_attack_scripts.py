"""The attacks as a package: every script is readable, marked, and given to the tasks that it fits."""

from __future__ import annotations

import subprocess
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from skill2env.attacks import Target, attacks, controls, put, read, target_of
from skill2env.models.blueprint import LEVELS
from skill2env.models.tree import text_file
from skill2env.stages.validate.gates import attacks_fail
from skill2env.stages.validate.subject import Subject

KINDS = {"harness", "masking", "collection", "delivered", "data"}
PROGRAM, DATA, FOLDER, OLD = "/workspace/tool", "/workspace/new.json", "/etc/app", "/srv/old.csv"


def test_every_kind_is_there() -> None:
    assert {attack.family for attack in attacks().values()} == KINDS
    assert set(controls()) == {"controls/honest", "controls/nop"}
    assert len(attacks()) >= 90


@pytest.mark.parametrize("name", [*attacks(), *controls()])
def test_each_script_is_bash_that_says_what_it_does(name: str) -> None:
    attack = {**attacks(), **controls()}[name]
    assert attack.title.endswith((".", "0.", "1."))
    done = subprocess.run(["bash", "-n"], input=attack.text, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_two_scripts_are_the_same() -> None:
    assert len({attack.text.partition("\n")[2] for attack in attacks().values()}) == len(attacks())


def test_marks_are_read_from_the_head_only() -> None:
    attack = read("data/x", "# Does it.\n# races\n# json\ntrue\n# waits\n")
    assert attack.marks == {"races", "json"}
    assert (attack.family, attack.title) == ("data", "Does it.")


@pytest.mark.parametrize(
    ("text", "says"), [("true\n", "does not begin"), ("# Does it.\n# rces\ntrue\n", "has the mark rces")]
)
def test_a_bad_head_is_an_error(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read("data/x", text)


def test_target_from_what_the_reference_leaves() -> None:
    outputs = (FOLDER, OLD, PROGRAM, DATA)
    left = {
        "etc/app/a.conf": text_file("a"),
        "srv/old.csv": text_file("x"),
        "workspace/tool": text_file("#!", 0o755),
        "workspace/new.json": text_file("{}"),
    }
    world = {"srv/old.csv": text_file("x")}
    target = target_of(outputs, left, world, "true")
    assert (target.report, target.tool) == (DATA, PROGRAM)
    assert target_of((FOLDER, OLD), left, world, "").report == OLD
    changed = {**left, "srv/old.csv": text_file("y")}
    assert target_of((OLD, DATA), left, world, "").report == DATA
    assert target_of((OLD, DATA), changed, world, "").report == OLD
    assert target_of((FOLDER,), left, world, "") == Target((FOLDER,), FOLDER, None, "")


def test_only_attacks_that_mean_something_fit() -> None:
    yes, no = Target((DATA, PROGRAM), DATA, PROGRAM, ""), Target((OLD,), OLD, None, "")
    fitting = {name for name, attack in attacks().items() if no.fits(attack)}
    assert all(yes.fits(attack) for attack in attacks().values())
    assert "data/duplicate-keys" not in fitting
    assert not any(name.startswith("delivered/") for name in fitting)
    assert "data/empty" in fitting


def test_put_writes_any_text(tmp_path: Path) -> None:
    path, text = tmp_path / "a" / "b.sh", 'it\'s "so" $HOME\n\\n\n'
    subprocess.run(["bash", "-c", put(str(path), text)], check=True)
    assert path.read_text() == text


def _subject(blueprint: str, level: str, seed: int) -> Subject:
    task = SimpleNamespace(level=level, seed=seed, blueprint=SimpleNamespace(blueprint_id=blueprint))
    return cast(Subject, SimpleNamespace(task=task))


def test_levels_and_seeds_of_a_blueprint_take_turns() -> None:
    target = Target((DATA, PROGRAM), DATA, PROGRAM, "")
    tried = [
        attack.name
        for seed in (1, 2)
        for level in LEVELS
        for attack in attacks_fail.sample(_subject("a--b", level, seed), target, 2)
    ]
    assert len(tried) == len(set(tried)) == 12
    assert not any("waits" in attacks()[name].marks for name in tried)


def test_over_many_blueprints_every_attack_is_tried() -> None:
    target = Target((DATA, PROGRAM), DATA, PROGRAM, "")
    subjects = [_subject(f"skill--{number}", level, 1) for number in range(100) for level in LEVELS]
    tried = {attack.name for subject in subjects for attack in attacks_fail.sample(subject, target, 2)}
    assert tried == {name for name, attack in attacks().items() if "waits" not in attack.marks}


def test_all_can_be_asked_for_and_none_twice() -> None:
    target = Target((OLD,), OLD, None, "")
    tried = [attack.name for attack in attacks_fail.sample(_subject("a--b", "hard", 3), target, 200)]
    assert len(tried) == len(set(tried)) > 50


def test_scripts_lie_where_a_wheel_takes_them() -> None:
    assert all(files("skill2env.attacks").joinpath(f"{name}.sh").is_file() for name in attacks())
