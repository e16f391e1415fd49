"""Sources that want to harm: nothing of them is executed, followed, or written outside; limits hold."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from unit.intake.repositories import MIT, commit, git, repository, skill, write

from skill2env.errors import UsageError
from skill2env.intake.find import find
from skill2env.intake.sources import archives, opened, source
from skill2env.intake.sources.git import _Git
from skill2env.intake.sources.source import Unreadable


def test_a_hostile_repository_runs_nothing(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    top = repository(
        tmp_path / "bad", {"a/SKILL.md": skill("a"), ".gitattributes": "* filter=evil diff=evil\n"}
    )
    hooks = write(
        top / ".git" / "hooks",
        dict.fromkeys(("post-checkout", "post-upload-pack"), f"#!/bin/sh\ntouch {marker}\n"),
    )
    for hook in hooks.iterdir():
        hook.chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "filter.evil.smudge", "uploadpack.packObjectsHook",
                "core.askPass", "credential.helper", "core.gitProxy", "diff.evil.textconv", "alias.ls-tree"):  # fmt: skip
        git(
            top, "config", key, f"!touch {marker}" if key.startswith(("alias", "cred")) else f"touch {marker}"
        )
    git(top, "config", "core.hooksPath", str(hooks))
    with opened(str(top)) as place:
        assert [found.path for found in find(place)] == ["a"]
        assert place.read("a/SKILL.md").decode() == skill("a")
        assert place.commit == git(top, "-c", "core.fsmonitor=", "rev-parse", "HEAD")
    assert not marker.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root can give files away.")
def test_a_repository_of_another_user_is_read(tmp_path: Path) -> None:
    top = repository(tmp_path / "theirs", {"a/SKILL.md": skill("a")})
    git(tmp_path, "clone", "-q", "--bare", str(top), "bare.git")
    for path in (top, *top.rglob("*"), tmp_path / "bare.git"):
        os.chown(path, 12345, 12345)
    for where in (top, tmp_path / "bare.git"):
        with opened(str(where)) as place:
            assert [found.path for found in find(place)] == ["a"]


def test_submodules_are_not_fetched_and_tell(tmp_path: Path) -> None:
    top = repository(tmp_path / "top", {"a/SKILL.md": skill("a")})
    git(top, "update-index", "--add", "--cacheinfo", f"160000,{git(top, 'rev-parse', 'HEAD')},a/module")
    git(top, "commit", "-q", "-m", "Module")
    with opened(str(top)) as place:
        assert [item.code for item in find(place)[0].findings.all()] == ["special-entry"]


def test_a_revision_and_a_bare_repository(tmp_path: Path) -> None:
    top = repository(tmp_path / "top", {"a/SKILL.md": skill("a")})
    first = git(top, "rev-parse", "HEAD")
    git(top, "tag", "v1")
    (top / "a" / "SKILL.md").write_text(skill("changed"))
    second = commit(top)
    (top / "a" / "SKILL.md").write_text("not committed")
    git(tmp_path, "clone", "-q", "--bare", str(top), "bare.git")
    for where in (top, tmp_path / "bare.git"):
        for revision, expected in (("", second), ("v1", first), (first, first), ("main", second)):
            with opened(str(where), revision) as place:
                assert place.commit == expected
    told = "git fetch failed .*; correct address and revision, or clone it yourself"
    with pytest.raises(UsageError, match=told), opened(str(top), "no-such-branch"):
        pass


@pytest.mark.parametrize(
    "where",
    [
        "ext::sh -c 'touch {marker}'",
        "http://localhost/x",
        "ssh://localhost/x",
        "git@localhost:x",
        "git://localhost/x",
        "file:///etc",
        "https:///x",
        "--upload-pack=touch {marker}",
    ],
)
def test_other_addresses_are_refused(where: str, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    with pytest.raises(UsageError, match="only https|is no https URL"), opened(where.format(marker=marker)):
        pass
    assert not marker.exists()


@pytest.mark.parametrize(
    "revision", ["v1.0.0+build", "@scope/pkg@1.0", "feature/数据", "_x", "fix#1", "refs/tags/_x"]
)
def test_a_revision_may_have_any_name_that_git_allows(revision: str, tmp_path: Path) -> None:
    top = repository(tmp_path / "top", {"a/SKILL.md": skill("a")})
    git(top, "tag", revision.removeprefix("refs/tags/"))
    with opened(str(top), revision) as place:
        assert [found.path for found in find(place)] == ["a"]


@pytest.mark.parametrize(
    "revision",
    [
        "--upload-pack=x", "-x", "+main", "/a", ".a", "a/.b", "a..b", "a//b", "a/", "a.", "a.lock", "a.lock/b",
        "@", "@{0}", "a@{0}", "main:path", "a b", "a\u00a0b", "a\tb", "a\n", "a\x7f", "a\u202eb", "a~1", "a^", "^a",
        "a?", "a*", "[a", "a\\b", "a" * 201,
    ],
)  # fmt: skip
def test_odd_revisions_are_refused(revision: str, tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="no plain branch"),
        opened(str(repository(tmp_path / "r", {"a": "x"})), revision),
    ):
        pass


def test_a_listing_that_is_cut_short_is_none(tmp_path: Path) -> None:
    top = repository(tmp_path / "top", {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
    made = git(top, "rev-parse", "HEAD:b").strip()
    with (tmp_path / "errors").open("w+b") as errors:
        there = _Git(tmp_path, errors, "file", str(top))
        (top / ".git").rename(there.place)
        (Path(there.place) / "objects" / made[:2] / made[2:]).unlink()
        listed = there.listed("HEAD")
        assert next(listed)[0] == "a/SKILL.md"
        with pytest.raises(UsageError, match="git ls-tree failed"):
            list(listed)


def test_the_address_in_the_record_has_no_password() -> None:
    from skill2env.intake.sources.git import _address

    assert _address("https://me:secret@host.example/a/b.git/")[2] == "https://host.example/a/b"


def tar(*entries: tuple[tarfile.TarInfo, bytes], packed: bool = False) -> bytes:
    made = io.BytesIO()
    with tarfile.open(
        fileobj=made, mode="w", format=tarfile.GNU_FORMAT if packed else tarfile.PAX_FORMAT
    ) as archive:
        for info, data in entries:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return gzip.compress(made.getvalue()) if packed else made.getvalue()


def info(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", mode: int = 0o644) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.mode = kind, target, mode
    return made


@pytest.mark.parametrize("packed", [False, True])
def test_a_tar_with_everything_odd(packed: bool, tmp_path: Path) -> None:
    long = "deep/" * 30 + "long.txt"
    text = skill("a").encode()
    place = tmp_path / "skills.tgz"
    place.write_bytes(
        tar(
            (info("top/a/SKILL.md"), text),
            (info("top/a/run.sh", mode=0o4755), b"x"),
            (info("top/a/linked.md", tarfile.SYMTYPE, "../shared.md"), b""),
            (info("top/a/" + long, tarfile.SYMTYPE, "../" * 31 + "shared.md"), b""),
            (info("top/a/out.md", tarfile.SYMTYPE, "/etc/passwd"), b""),
            (info("top/a/hard", tarfile.LNKTYPE, "top/a/SKILL.md"), b""),
            (info("top/a/pipe", tarfile.FIFOTYPE), b""),
            (info("top/shared.md"), b"shared"),
            (info("top/a/etc/passwd"), b"the source's own"),
            (info("top/../../escape.txt"), b"x"),
            (info("top/a/SKILL.md"), b"another"),
            packed=packed,
        )
    )
    with opened(str(place)) as found:
        skills = find(found)
        assert [one.path for one in skills] == ["a"]
        assert found.read("a/SKILL.md") == text and found.entries["a/run.sh"].executable
        assert skills[0].files["linked.md"] == skills[0].files[long] == "shared.md"
        told = [(item.code, item.file) for item in skills[0].findings.all() if item.severity == "error"]
        assert told == [
            ("special-entry", "hard"),
            ("link-out-of-source", "out.md"),
            ("special-entry", "pipe"),
        ]
        assert [item.code for item in found.findings.all()] == ["entry-path", "entry-twice"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["skills.tgz"]


def test_a_zip_with_everything_odd(tmp_path: Path) -> None:
    place = tmp_path / "skills.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("LICENSE", MIT)
        packed.writestr("a/Skill.md", skill("a"))
        link = zipfile.ZipInfo("a/link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "../LICENSE")
        run = zipfile.ZipInfo("a/run.sh")
        run.external_attr = (stat.S_IFREG | 0o755) << 16
        packed.writestr(run, "echo")
        packed.writestr("../escape.txt", "x")
        packed.writestr("/absolute.txt", "x")
        packed.writestr(".git/hooks/post-checkout", "x")
    data = bytearray(place.read_bytes())
    at = data.index(b"echo")
    data[at] = data[at] ^ 1
    place.write_bytes(data)
    with opened(str(place)) as found:
        (one,) = find(found)
        assert one.files == {"Skill.md": "a/Skill.md", "link": "LICENSE", "run.sh": "a/run.sh"}
        assert found.entries["a/run.sh"].executable and not found.entries["a/Skill.md"].executable
        assert [item.code for item in found.findings.all()] == ["entry-path"] * 3
        with pytest.raises(Unreadable, match="damaged"):
            found.read("a/run.sh")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["skills.zip"]


def test_a_zip_whose_paths_begin_with_a_dot_or_have_backslashes(tmp_path: Path) -> None:
    place = tmp_path / "skills.zip"
    with zipfile.ZipFile(place, "w") as packed:
        packed.writestr("./a/SKILL.md", skill("a"))
        packed.writestr("b\\SKILL.md", skill("b"))
    with opened(str(place)) as found:
        assert [one.path for one in find(found)] == ["a"]
        assert found.read("a/SKILL.md").decode() == skill("a")
        told = [(item.code, item.message) for item in found.findings.all()]
    assert told == [
        ("entry-path", r"The path 'b\\SKILL.md' has backslashes; pack the archive anew with slashes.")
    ]


def test_bombs_meet_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_READ_BYTES", 1 << 20)
    place = tmp_path / "bomb.tar.gz"
    place.write_bytes(tar((info("a/SKILL.md"), b"\0" * (2 << 20)), packed=True))
    with pytest.raises(UsageError, match="holds more than"), opened(str(place)):
        pass
    monkeypatch.setattr(archives, "MAX_DIRECTORY_BYTES", 1000)
    many = tmp_path / "many.zip"
    with zipfile.ZipFile(many, "w") as packed:
        for number in range(100):
            packed.writestr(f"{number}", "")
    with pytest.raises(UsageError, match="bytes of names"), opened(str(many)):
        pass
    monkeypatch.setattr(source, "MAX_ENTRIES", 10)
    with (
        pytest.raises(UsageError, match="more than 10 files"),
        opened(str(write(tmp_path / "f", {str(n): "" for n in range(11)}))),
    ):
        pass


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04junk", b"\x1f\x8bjunk", b"junk" * 200, b"PK\x05\x06" + b"\0" * 10]
)
def test_damaged_archives_are_one_sentence(data: bytes, tmp_path: Path) -> None:
    place = tmp_path / "x.zip"
    place.write_bytes(data)
    with pytest.raises(UsageError, match=r"is no sound zip"), opened(str(place)):
        pass


def test_a_folder_with_a_pipe_and_a_link_to_a_device(tmp_path: Path) -> None:
    top = write(tmp_path / "top", {"a/SKILL.md": skill("a"), "a/zero": "-> /dev/zero"})
    os.mkfifo(top / "a" / "pipe")
    with opened(str(top)) as place:
        told = [(item.code, item.file) for item in find(place)[0].findings.all()]
    assert told == [("special-entry", "pipe"), ("link-out-of-source", "zero")]


def test_links_among_links_end(tmp_path: Path) -> None:
    tangle = {f"t/l{number}": "-> ." for number in range(30)}
    top = write(tmp_path / "top", {"a/SKILL.md": skill("a"), "a/in": "-> ../t", **tangle})
    with opened(str(top)) as place:
        (one,) = find(place)
    assert "link-out-of-source" in {item.code for item in one.findings.all()}


def test_skills_of_every_layout_are_found(tmp_path: Path) -> None:
    paths = [
        "SKILL.md",
        "one/skill.md",
        "one/two/SKILL.MD",
        "plugins/p/skills/x/Skill.md",
        ".claude/skills/y/SKILL.md",
    ]
    files = {path: skill(path) for path in paths} | {
        "one/two/three/notes.md": "x",
        "readme/skill.md.txt": "x",
        "free.txt": "x",
    }
    with opened(str(write(tmp_path / "top", files))) as place:
        found = {one.path: sorted(one.files) for one in find(place)}
        assert [one.path for one in find(place, "plugins")] == ["plugins/p/skills/x"]
    assert found == {
        "": ["SKILL.md", "free.txt", "readme/skill.md.txt"],
        ".claude/skills/y": ["SKILL.md"],
        "one": ["skill.md"],
        "one/two": ["SKILL.MD", "three/notes.md"],
        "plugins/p/skills/x": ["Skill.md"],
    }
