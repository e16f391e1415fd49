"""The chosen generation, the tree that comes out of it, and the report about both."""

import hashlib

import pytest


@pytest.fixture
def report(workspace, read_json):
    return read_json(workspace / "restore.json")


@pytest.fixture
def restored(workspace, read_archive):
    members = read_archive(workspace / "restored.tar.gz")
    return {name.removeprefix("./"): hashlib.sha256(data).hexdigest() for name, data in members.items()}


@pytest.mark.check(weight=2, group="choice")
def test_last_restorable_generation_and_its_chain(report, truth):
    assert [report["generation"], report["chain"]] == [truth["generation"], truth["chain"]]


@pytest.mark.check(weight=2, group="choice")
def test_unusable_generations_with_their_reasons(report, truth):
    assert report["unusable"] == truth["unusable"]


@pytest.mark.check(weight=2, group="tree")
def test_exactly_the_files_of_that_state(restored, truth):
    assert sorted(restored) == sorted(truth["files"])


@pytest.mark.check(weight=2, group="tree")
def test_every_file_has_its_content(restored, truth):
    assert restored == truth["files"]


@pytest.mark.check(group="report")
def test_members_that_were_refused(report, truth):
    assert report["refused"] == truth["refused"]


@pytest.mark.check(group="report")
def test_names_that_were_left_out_for_their_case(report, truth):
    assert report["case_dropped"] == truth["case_dropped"]


@pytest.mark.check(group="report")
def test_number_and_size(report, truth, near):
    assert near(report["files"], len(truth["files"]), 0) and near(report["bytes"], truth["bytes"], 0)


@pytest.mark.guard
def test_the_backup_is_untouched(output, digest, truth):
    folder = output("/srv/backup/atlas")
    assert {path.name: digest(path) for path in folder.iterdir()} == truth["backup"]
