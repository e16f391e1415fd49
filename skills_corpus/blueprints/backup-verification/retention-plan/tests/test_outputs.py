"""The plan keeps what the policy keeps, for its reasons, and can be carried out without ever breaking a chain."""

import pytest


@pytest.fixture
def plan(workspace, read_json):
    return read_json(workspace / "plan.json")


@pytest.mark.check(weight=3, group="keep")
def test_exactly_the_sets_of_the_policy_stay(plan, truth):
    assert sorted(plan["keep"]) == sorted(truth["keep"])


@pytest.mark.check(weight=2, group="keep")
@pytest.mark.parametrize("reason", ["daily", "weekly", "monthly", "hold", "chain_or_unverified"])
def test_reasons(plan, truth, reason):
    names = set(reason.split("_or_"))
    stated = {key: sorted(set(reasons) & names) for key, reasons in plan["keep"].items() if set(reasons) & names}
    assert stated == {key: sorted(set(reasons) & names) for key, reasons in truth["keep"].items() if set(reasons) & names}


@pytest.mark.check(group="keep")
def test_reasons_are_those_of_the_policy_once_each(plan):
    known = {"daily", "weekly", "monthly", "hold", "unverified", "chain"}
    assert all(reasons and set(reasons) <= known and len(reasons) == len(set(reasons)) for reasons in plan["keep"].values())


@pytest.mark.check(weight=2, group="delete")
def test_all_other_sets_go_once(plan, truth):
    assert sorted(plan["delete"]) == truth["delete"]


@pytest.mark.check(group="delete")
def test_freed_bytes(plan, truth, near):
    assert near(plan["freed_bytes"], truth["freed_bytes"], 0)


@pytest.mark.check(weight=2, group="invariants")
def test_what_stays_has_all_that_it_builds_on(plan, truth):
    assert all(truth["parents"][key] in (None, *plan["keep"]) for key in plan["keep"])


@pytest.mark.check(weight=2, group="invariants")
def test_no_step_of_the_deletion_leaves_an_orphan(plan, truth):
    left = set(truth["parents"])
    for key in plan["delete"]:
        left.remove(key)
        assert not any(truth["parents"][other] == key for other in left), key


@pytest.mark.guard
def test_nothing_is_deleted_yet(output, digest, truth):
    assert {path: digest(output(path)) for path in truth["inputs"]} == truth["inputs"]
