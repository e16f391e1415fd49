"""Plays the plan step by step on the deployed lock; any plan within the rules and the budget will do."""

import itertools

import pytest


def key(version):
    head, _, candidate = version.partition("rc")
    numbers = [int(part) for part in head.split(".")]
    return numbers + [0] * (5 - len(numbers)), not candidate, int(candidate or 0)


def fits(version, spec):
    for clause in spec.split(",") if spec else []:
        sign = clause[:2] if clause[1] == "=" else clause[:1]
        a, b = key(version), key(clause[len(sign):])
        if not {">=": a >= b, "<=": a <= b, "<": a < b, ">": a > b, "==": a == b, "!=": a != b}[sign]:
            return False
    return True


def valid(lock, truth):
    reached, todo = set(), list(truth["direct"])
    while todo:
        name = todo.pop()
        if name in reached:
            continue
        reached.add(name)
        if name not in lock:
            return False
        for other, spec in truth["index"][name][lock[name]]["requires"]:
            if other not in lock or not fits(lock[other], spec):
                return False
            todo.append(other)
    return reached == set(lock)


@pytest.fixture
def plan(workspace, read_json):
    return read_json(workspace / "plan.json")


@pytest.fixture
def steps(plan, truth):
    moves = [step["pins"] for step in plan["steps"]]
    assert moves and all(isinstance(pins, dict) and pins for pins in moves)
    for name, version in itertools.chain.from_iterable(pins.items() for pins in moves):
        assert isinstance(version, str) and version in truth["index"].get(name, {}), f"{name} {version} is not in the index"
    return moves


@pytest.fixture
def states(steps, truth):
    locks = [truth["lock"]]
    for pins in steps:
        locks.append({**locks[-1], **pins})
    return locks


@pytest.mark.check(group="advisories")
def test_the_advisories_that_concern_us_are_listed(plan, truth):
    assert sorted(plan["advisories"]) == sorted(entry["id"] for entry in truth["must"])


@pytest.mark.check(weight=2, group="advisories")
def test_nothing_vulnerable_is_left(states, truth):
    for entry in truth["must"]:
        pin = states[-1][entry["package"]]
        assert not any(key(a) <= key(pin) < key(b) for a, b in entry["ranges"]), (entry["id"], pin)


@pytest.mark.check(weight=2, group="rollout")
def test_every_intermediate_lock_is_valid(states, truth):
    for number, lock in enumerate(states[1:], 1):
        assert valid(lock, truth), f"after step {number}"


@pytest.mark.check(group="rollout")
def test_new_pins_obey_the_runbook(steps, truth):
    for pins in steps:
        for name, version in pins.items():
            assert truth["index"][name][version]["ok"], (name, version)
            assert name not in truth["lock"] or key(version) > key(truth["lock"][name]), f"{name} does not move forward"


@pytest.mark.check(group="economy")
def test_no_more_pins_move_than_the_board_allows(steps, truth):
    moved = [name for pins in steps for name in pins]
    assert len(moved) == len(set(moved)) and len(moved) <= truth["budget"]


@pytest.mark.check(group="economy")
def test_no_step_moves_together_what_could_move_apart(states, steps, truth):
    for before, pins in zip(states, steps):
        for size in range(1, len(pins)):
            for part in itertools.combinations(sorted(pins), size):
                assert not valid({**before, **{name: pins[name] for name in part}}, truth), f"{part} could go first"


@pytest.mark.guard
def test_deployed_files_are_untouched(output, truth, digest):
    for path, expected in truth["files"].items():
        assert digest(output(path)) == expected, path
