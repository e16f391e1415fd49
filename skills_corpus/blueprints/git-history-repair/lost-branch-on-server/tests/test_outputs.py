"""The branch leads to the lost commits and to nothing given up, its files are right, and the report names ids."""

import pytest

REPO = "/srv/git/billing.git"


@pytest.fixture(scope="module")
def git(output, repo):
    return repo(output(REPO)).git


@pytest.fixture(scope="module")
def refs(git):
    return dict(reversed(line.split(" ", 1)) for line in git("for-each-ref", "--format=%(objectname) %(refname)").splitlines())


@pytest.fixture(scope="module")
def on_branch(git, refs, truth):
    """Ids of all commits that the branch leads to."""
    assert truth["branch"] in refs, "the branch does not exist"
    return set(git("rev-list", refs[truth["branch"]]).split())


@pytest.fixture
def report(workspace, read_json):
    return read_json(workspace / "recovery.json")


@pytest.mark.check(weight=2, group="branch")
def test_every_lost_commit_is_on_the_branch_under_its_old_id(on_branch, truth):
    assert set(truth["recovered"]) <= on_branch


@pytest.mark.check(weight=2, group="branch")
def test_nothing_given_up_came_along(on_branch, refs, truth):
    assert truth["lost_tip"] in on_branch
    assert not on_branch & set(truth["left_alone"])
    if truth["exact"]:
        assert refs[truth["branch"]] == truth["lost_tip"]


@pytest.mark.check(weight=2, group="files")
def test_files_on_the_branch(git, refs, on_branch, truth):
    found = {}
    for line in git("ls-tree", "-r", refs[truth["branch"]]).splitlines():
        meta, path = line.split("\t", 1)
        found[path] = meta.split()[2]
    assert found == truth["files"]


@pytest.mark.check(group="report")
def test_report_names_the_tip(report, truth):
    assert report["lost_tip"] == truth["lost_tip"]


@pytest.mark.check(group="report")
def test_report_lists_what_came_back_oldest_first(report, truth):
    assert report["recovered"] == truth["recovered"]


@pytest.mark.check(group="report")
def test_report_lists_what_was_left_alone(report, truth):
    assert report["left_alone"] == truth["left_alone"]


@pytest.mark.guard
def test_no_other_ref_changed_or_appeared(refs, truth):
    assert {name: oid for name, oid in refs.items() if name != truth["branch"]} == truth["other_refs"]


@pytest.mark.guard
def test_published_commits_are_still_there(git, truth):
    assert set(truth["published"]) <= set(git("rev-list", "--all").split())
