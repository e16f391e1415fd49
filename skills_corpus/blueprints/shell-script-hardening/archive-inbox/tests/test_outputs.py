"""The repaired script is run on hidden inboxes; files, records, counts and exit codes are compared with the contract."""

import pytest

SCRIPT = "/workspace/bin/archive-inbox.sh"
WRAPPER = """
script=$0
{ %s
} >&2
bash "$script" "$@" 7>&-
code=$?
find . -type l -printf '%%P\\0' > links.list
chmod -R a+rX .
exit $code
"""


@pytest.fixture(scope="module")
def runs(truth, output, run):
    """Each case is run once: (case, result)."""
    assert output(SCRIPT).is_file(), f"{SCRIPT} is missing"
    done = []
    for case in truth["cases"]:
        done.append((case, run(["bash", "-c", WRAPPER % (case["setup"] or ":"), output(SCRIPT), *case["args"]], files=case["files"])))
    return done


def of(runs, *kinds):
    picked = [(case, result) for case, result in runs if case["kind"] in kinds]
    assert picked
    return picked


def tree(case, result):
    """Return the files afterwards as text, without ledger, lock and our own list of links."""
    skip = {case["ledger"], "links.list"} | {name for name in result.files if name.endswith("/.lock")}
    return {name: data.decode("utf-8", "replace") for name, data in result.files.items() if name not in skip}


def records(case, result):
    text = result.files.get(case["ledger"], b"").decode("utf-8", "replace")
    assert text == "" or text.endswith("\0"), f"{case['name']}: the last record has no end"
    return [record.split(" ", 1) for record in text.split("\0")[:-1]]


@pytest.mark.check(weight=2, group="names")
def test_every_upload_arrives_and_nothing_else_appears(runs):
    for case, result in of(runs, "names"):
        assert tree(case, result) == case["tree"], case["name"]


@pytest.mark.check(group="names")
def test_links_stay_links(runs):
    for case, result in of(runs, "names", "collision"):
        assert sorted(result.files["links.list"].decode().split("\0")[:-1]) == case["links"], case["name"]
        assert result.code == case["code"], case["name"]
        assert len(records(case, result)) == len(case["old_records"]) + len(case["new_records"]), case["name"]


@pytest.mark.check(weight=2, group="collisions")
def test_nothing_is_overwritten(runs):
    for case, result in of(runs, "collision"):
        assert tree(case, result) == case["tree"], case["name"]


@pytest.mark.check(weight=2, group="ledger")
def test_records(runs):
    for case, result in of(runs, "names", "collision", "failure"):
        found, old = records(case, result), case["old_records"]
        assert found[:len(old)] == old, case["name"]
        assert sorted(found[len(old):]) == sorted(case["new_records"]), case["name"]


@pytest.mark.check(group="counts")
def test_last_line_counts(runs):
    for case, result in of(runs, "names", "collision", "failure"):
        assert result.out.splitlines()[-1:] == [case["summary"]], case["name"]


@pytest.mark.check(group="failures")
def test_one_bad_file_does_not_stop_the_others(runs):
    for case, result in of(runs, "failure"):
        assert result.code == case["code"], case["name"]
        assert tree(case, result) == case["tree"], case["name"]
        for name in case["named"]:
            assert name in result.err, case["name"]


@pytest.mark.check(group="failures")
def test_what_can_not_start_touches_nothing(runs):
    for case, result in of(runs, "refusal"):
        assert result.code == case["code"], case["name"]
        assert tree(case, result) == case["tree"], case["name"]


@pytest.mark.guard
def test_ordinary_uploads_are_archived_as_ever(runs):
    for case, result in of(runs, "plain"):
        assert result.code == 0
        assert tree(case, result) == case["tree"]
        assert sorted(records(case, result)) == sorted(case["old_records"] + case["new_records"])
