"""The rewritten history is the old one without the key, the old objects are gone, and the report maps ids."""

import pytest

REPO = "/workspace/portal"


@pytest.fixture(scope="module")
def delivered(output, repo):
    return repo(output(REPO))


@pytest.fixture(scope="module")
def git(delivered):
    return delivered.git


@pytest.fixture(scope="module")
def refs(git):
    return dict(reversed(line.split(" ", 1)) for line in git("for-each-ref", "--format=%(objectname) %(refname)").splitlines())


@pytest.fixture
def report(workspace, read_json):
    return read_json(workspace / "report.json")


@pytest.mark.check(weight=2, group="history")
def test_branches_lead_to_the_same_history_without_the_key(refs, truth):
    assert {name: oid for name, oid in refs.items() if name.startswith("refs/heads/")} == truth["branches"]


@pytest.mark.check(group="history")
def test_tags_follow(refs, truth):
    assert {name: oid for name, oid in refs.items() if name.startswith("refs/tags/")} == truth["tags"]


@pytest.mark.check(group="history")
def test_no_ref_leads_to_a_file_with_the_key(git, refs, truth):
    assert set(truth["branches"]) <= set(refs)
    reachable = {line.split()[0] for line in git("rev-list", "--objects", "--all").splitlines()}
    assert not reachable & set(truth["bad_blobs"])


@pytest.mark.check(weight=3, group="store")
def test_nothing_that_git_keeps_holds_the_key(git, output, read_bytes, truth):
    folder = output(REPO) / ".git"
    plain = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.relative_to(folder).parts[0] != "objects"]
    text = git("cat-file", "--batch-all-objects", "--batch") + b"\n".join(read_bytes(path) for path in plain).decode("utf-8", "replace")
    assert set(truth["commits"].values()) <= set(git("rev-list", "--all").split())
    assert not [key for key in truth["keys"] if key in text]


@pytest.mark.check(weight=2, group="report")
def test_report_maps_every_rewritten_commit(report, truth):
    assert report["commits"] == truth["commits"]


@pytest.mark.check(group="report")
def test_report_names_the_burnt_keys(report, truth):
    assert report["rotate"] == truth["rotate"]


@pytest.mark.guard
def test_remote_tracking_refs_stay(refs, truth):
    assert {name: oid for name, oid in refs.items() if name.startswith("refs/remotes/")} == truth["remotes"]


@pytest.mark.guard
def test_working_folder_stays(output, digest, delivered, truth):
    assert {path: digest(output(path)) for path in truth["kept"]} == truth["kept"]
    assert delivered.head == "main"
