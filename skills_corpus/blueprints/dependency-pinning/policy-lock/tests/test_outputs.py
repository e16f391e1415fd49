"""Whether the lock is valid and as new as it can be; many locks may be."""

import re

import pytest


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def key(version):
    numbers, candidate = re.fullmatch(r"(\d+(?:\.\d+)*)(?:rc(\d+))?", version).groups()
    padded = [int(part) for part in numbers.split(".")]
    return padded + [0] * (6 - len(padded)), candidate is None, int(candidate or 0)


def fits(version, spec):
    for clause in filter(None, (c.strip() for c in spec.split(","))):
        sign, bound = re.fullmatch(r"(~=|[<>=!]=|[<>])\s*(.+)", clause).groups()
        this, that = key(version), key(bound)
        if sign == "~=":
            stem = [int(part) for part in bound.split(".")][:-1]
            good = this >= that and this[0][:len(stem)] == stem
        else:
            good = {">=": this >= that, "<=": this <= that, "<": this < that, ">": this > that, "==": this == that, "!=": this != that}[sign]
        if not good:
            return False
    return True


def wanted(lock, truth):
    """All requirements that hold for a lock: those of the project and of every pin, with the extras that were asked for."""
    found, todo, done = [], list(truth["direct"]), set()
    while todo:
        need = todo.pop()
        found.append(need)
        release = truth["index"][need["name"]].get(lock.get(need["name"]))
        for part in ("", need["extra"]):
            if release and (need["name"], part) not in done:
                done.add((need["name"], part))
                todo += release["extras"].get(part, []) if part else release["requires"]
    return found


def faults(lock, truth):
    needs = wanted(lock, truth)
    names = {need["name"] for need in needs}
    bad = [f"{n} is needed and not pinned" for n in names - set(lock)] + [f"{n} is pinned and not needed" for n in set(lock) - names]
    bad += [f"{n} {v}: {flaw}" for n, v in lock.items() for flaw in truth["index"][n][v]["flaws"]]
    return bad + [f"{n['name']}{n['spec']} is not met" for n in needs if n["name"] in lock and not fits(lock[n["name"]], n["spec"])]


@pytest.fixture
def lock(workspace, read_text, truth):
    pins = {}
    for line in read_text(workspace / "requirements.lock").splitlines():
        line = line.split("#")[0].strip()
        if line:
            name, version = re.fullmatch(r"([A-Za-z0-9._-]+)\s*==\s*(\S+)", line).groups()
            assert normal(name) not in pins, f"{name} is pinned twice"
            assert version in truth["index"].get(normal(name), {}), f"{line}: no such release in the index"
            pins[normal(name)] = version
    assert pins, "the lock is empty"
    return pins


@pytest.mark.check(group="closure")
def test_everything_needed_is_pinned_and_nothing_else(lock, truth):
    assert set(lock) == {need["name"] for need in wanted(lock, truth)}


@pytest.mark.check(weight=2, group="requirements")
def test_every_requirement_is_satisfied(lock, truth):
    unmet = [need for need in wanted(lock, truth) if need["name"] not in lock or not fits(lock[need["name"]], need["spec"])]
    assert not unmet


@pytest.mark.check(weight=2, group="policy")
def test_every_pin_obeys_the_policy(lock, truth):
    refused = {name: truth["index"][name][version]["flaws"] for name, version in lock.items()}
    assert not {name: flaws for name, flaws in refused.items() if flaws}


@pytest.mark.check(group="policy")
def test_no_package_is_missing_that_the_service_imports(lock, truth):
    assert {need["name"] for need in truth["direct"]} <= set(lock)


@pytest.mark.check(weight=2, group="newest")
def test_no_pin_can_be_raised_alone(lock, truth):
    assert not faults(lock, truth)
    for name, version in lock.items():
        for newer in truth["index"][name]:
            if key(newer) > key(version):
                assert faults({**lock, name: newer}, truth), f"{name} could be {newer}"


@pytest.mark.guard
def test_inputs_are_untouched(output, truth, digest):
    for path, expected in truth["inputs"].items():
        assert digest(output(path)) == expected, path
