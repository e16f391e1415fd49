"""Folders of strangers: nothing is followed, and what is unsafe or too large is named."""

from __future__ import annotations

import os
import socket
from hashlib import sha256
from pathlib import Path

import pytest

from skill2env.errors import UsageError
from skill2env.models.base import content_id
from skill2env.models.outcome import Accepted, Rejected
from skill2env.stages.parse import discover, provenance_path, read_skill, tree_hash
from skill2env.stages.parse.tree import MAX_BYTES, MAX_FILES, scan
from skill2env.store.folders import read_regular

TEXT = "---\nname: probe\ndescription: Probes a disk.\n---\n\n# Probe\n\nProbe it.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "probe"
    place.mkdir()
    (place / "SKILL.md").write_text(TEXT, "utf-8")
    return place


def refusal(folder: Path) -> tuple[str, set[str]]:
    answer = read_skill(folder, "probe")
    assert isinstance(answer, Rejected), answer
    return answer.rule, {finding.code for finding in answer.findings} - {"no-provenance"}


def test_content_id_is_over_sorted_paths_and_hashes(folder: Path) -> None:
    (folder / "scripts").mkdir()
    (folder / "scripts" / "go.sh").write_bytes(b"true\n")
    pairs = [
        ["SKILL.md", sha256(TEXT.encode()).hexdigest()],
        ["scripts/go.sh", sha256(b"true\n").hexdigest()],
    ]
    assert tree_hash(folder) == content_id(pairs)


def test_modes_are_those_of_git(folder: Path) -> None:
    (folder / "go.sh").write_bytes(b"true\n")
    (folder / "go.sh").chmod(0o711)
    assert {item.path: item.mode for item in scan(folder).files} == {"SKILL.md": 0o100644, "go.sh": 0o100755}


def test_link_out_of_the_folder_is_not_followed(folder: Path) -> None:
    secret = folder.parent / "secret"
    secret.write_text("s3cret", "utf-8")
    (folder / "notes.md").symlink_to(secret)
    assert refusal(folder) == ("unsafe-tree", {"outward-link"})
    assert sha256(b"s3cret").hexdigest() not in {item.sha256 for item in scan(folder).files}


@pytest.mark.parametrize("target", ["/etc/passwd", "nowhere", "../probe/../..", "loop"])
def test_links_that_lead_out_or_nowhere(folder: Path, target: str) -> None:
    (folder / "loop").symlink_to(target)
    assert refusal(folder) == ("unsafe-tree", {"outward-link"})


def test_link_inside_is_kept_as_a_link(folder: Path) -> None:
    (folder / "README.md").symlink_to("SKILL.md")
    answer = read_skill(folder, "probe")
    assert isinstance(answer, Accepted)
    link = next(item for item in answer.record.files if item.path == "README.md")
    assert (link.mode, link.sha256) == (0o120000, sha256(b"SKILL.md").hexdigest())


def test_skill_file_that_is_a_link_does_not_count(folder: Path) -> None:
    (folder / "SKILL.md").rename(folder / "other.md")
    (folder / "SKILL.md").symlink_to("other.md")
    assert refusal(folder) == ("no-skill-file", {"skill-file-missing", "inward-link"})


def test_folder_that_is_a_link(folder: Path) -> None:
    alias = folder.parent / "alias"
    alias.symlink_to(folder)
    assert refusal(alias)[0] == "unsafe-tree"


def test_pipes_and_sockets_do_not_block(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
    assert refusal(folder) == ("unsafe-tree", {"special-file"})


def test_skill_file_that_is_a_pipe(folder: Path) -> None:
    (folder / "SKILL.md").unlink()
    os.mkfifo(folder / "SKILL.md")
    assert refusal(folder) == ("unsafe-tree", {"special-file", "skill-file-missing"})


def test_setuid_file(folder: Path) -> None:
    (folder / "go").write_bytes(b"true\n")
    (folder / "go").chmod(0o4755)
    assert refusal(folder) == ("unsafe-tree", {"privileged-mode"})


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (b"a\nb", "name-control-character"),
        ("a\u202eb".encode(), "name-control-character"),
        (b"a\xff", "name-not-utf8"),
    ],
)
def test_odd_names(folder: Path, name: bytes, code: str) -> None:
    (folder / os.fsdecode(name)).write_bytes(b"x")
    assert refusal(folder) == ("unsafe-tree", {code})


def test_names_that_differ_in_case_or_unicode_form(folder: Path) -> None:
    for name in ("A/x", "a/x", "\u00e9", "e\u0301"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"x")
    assert refusal(folder) == ("unsafe-tree", {"name-case-collision"})


def test_too_many_files(folder: Path) -> None:
    for index in range(MAX_FILES - 1):
        (folder / f"{index}").touch()
    assert isinstance(read_skill(folder, "probe"), Accepted)
    (folder / "last").touch()
    assert refusal(folder) == ("too-large", {"too-many-files"})


def test_too_many_bytes_are_not_read(folder: Path) -> None:
    with (folder / "sparse").open("wb") as stream:
        stream.truncate(1 << 40)
    assert refusal(folder) == ("too-large", {"too-many-bytes"})
    with (folder / "sparse").open("wb") as stream:
        stream.truncate(MAX_BYTES - len(TEXT))
    assert isinstance(read_skill(folder, "probe"), Accepted)


def test_too_many_levels(folder: Path) -> None:
    deep = folder.joinpath(*"1234567")
    deep.mkdir(parents=True)
    (deep / "file").touch()
    assert isinstance(read_skill(folder, "probe"), Accepted)
    (deep / "8").mkdir()
    assert refusal(folder) == ("too-large", {"too-many-levels"})


def test_skill_file_too_large(folder: Path) -> None:
    (folder / "SKILL.md").write_text(TEXT + "x" * 500_000, "utf-8")
    assert refusal(folder) == ("too-large", {"skill-file-too-large"})


def test_all_faults_are_reported_together(folder: Path) -> None:
    (folder / "out").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    (folder / "SKILL.md").write_text("no frontmatter here, but text enough", "utf-8")
    rule, codes = refusal(folder)
    assert rule == "unsafe-tree"
    assert codes >= {"outward-link", "special-file", "frontmatter-missing", "name-missing"}


def test_missing_folder_is_answered(tmp_path: Path) -> None:
    assert refusal(tmp_path / "absent") == ("unsafe-tree", {"unreadable-file", "skill-file-missing"})


def test_tree_hash_refuses_what_can_be_no_skill(folder: Path) -> None:
    (folder / "out").symlink_to("/etc")
    with pytest.raises(UsageError, match="outward-link"):
        tree_hash(folder)


def test_discover_answers_for_every_folder(tmp_path: Path, folder: Path) -> None:
    corpus = tmp_path / "corpus"
    (corpus / "skills" / "empty").mkdir(parents=True)
    folder.rename(corpus / "skills" / "probe")
    (corpus / "skills" / "README.md").touch()
    (corpus / "skills" / "alias").symlink_to("probe")
    sources = discover(corpus)
    assert [source.skill_id for source in sources] == ["alias", "empty", "probe"]
    assert [source.path for source in sources] == ["skills/alias", "skills/empty", "skills/probe"]
    assert sources[2].tree_sha256 == tree_hash(corpus / "skills" / "probe")
    kinds = [read_skill(corpus / source.path, source.skill_id).kind for source in sources]
    assert kinds == ["rejected", "rejected", "accepted"]


def test_discover_notices_a_changed_provenance_file(tmp_path: Path, folder: Path) -> None:
    corpus = tmp_path / "corpus"
    (corpus / "skills").mkdir(parents=True)
    (corpus / "provenance").mkdir()
    folder.rename(corpus / "skills" / "probe")
    (before,) = discover(corpus)
    (corpus / "provenance" / "probe.yaml").write_text("origin: x\n", "utf-8")
    (after,) = discover(corpus)
    assert before.tree_sha256 == after.tree_sha256
    assert before.record_id() != after.record_id()
    assert before.provenance_sha256 == ""
    assert after.provenance_sha256 == sha256(b"origin: x\n").hexdigest()


def test_discover_without_a_corpus(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder"):
        discover(tmp_path)


def test_folder_whose_provenance_file_could_have_no_name(tmp_path: Path, folder: Path) -> None:
    corpus = tmp_path / "corpus"
    (corpus / "skills").mkdir(parents=True)
    folder.rename(corpus / "skills" / ("a" * 255))
    (source,) = discover(corpus)
    answer = read_skill(corpus / source.path, source.skill_id, provenance_path(corpus, source.skill_id))
    assert isinstance(answer, Accepted)
    assert "no-provenance" in {finding.code for finding in answer.record.findings}


def test_provenance_file_that_is_no_plain_file(tmp_path: Path, folder: Path) -> None:
    place = tmp_path / "probe.yaml"
    place.symlink_to("/etc/passwd")
    answer = read_skill(folder, "probe", place)
    assert isinstance(answer, Rejected)
    assert answer.rule == "provenance-mismatch"


def test_reading_follows_no_link_and_waits_for_no_pipe(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    assert read_regular(tmp_path / "file", 2) == b"ab"
    for name in ("link", "pipe", "."):
        with pytest.raises(OSError, match=r"."):
            read_regular(tmp_path / name, 2)
