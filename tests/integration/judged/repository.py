"""Runs inside a judge: delivered git repositories are read without anything in them being obeyed."""

import os
import subprocess
from pathlib import Path

import pytest

FAILS = pytest.fail.Exception
TRACE = Path("/tmp/obeyed")
ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/tmp",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
}


def git(folder, *arguments):
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], env=ENV, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def delivered(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "file.txt").write_text("one\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    (folder / "file.txt").write_text("two\n")
    git(folder, "commit", "-qam", "second")
    git(folder, "tag", "v1")
    return folder


def test_history_is_read(repo, delivered):
    read = repo(delivered)
    assert read.head == "main"
    assert read.git("log", "--format=%s").split() == ["second", "first"]
    assert read.git("show", "v1:file.txt") == "two\n"
    assert read.git("rev-parse", "HEAD").strip() == git(delivered, "rev-parse", "HEAD")


def test_packed_and_bare_repositories_are_read(repo, delivered, tmp_path):
    git(delivered, "gc", "-q")
    assert repo(delivered).git("log", "--format=%s").split() == ["second", "first"]
    git(tmp_path, "clone", "-q", "--bare", str(delivered), "bare.git")
    assert repo(tmp_path / "bare.git").git("log", "--format=%s").split() == ["second", "first"]


def test_nothing_in_it_is_obeyed(repo, delivered):
    hook = delivered / ".git/hooks/post-index-change"
    for name in ("post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout"):
        hook = delivered / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {TRACE}\n")
        hook.chmod(0o755)
    with (delivered / ".git/config").open("a") as config:
        config.write(f"""
[core]
    fsmonitor = touch {TRACE}
    pager = touch {TRACE}
    sshCommand = touch {TRACE}
    hooksPath = {delivered}/.git/hooks
[diff]
    external = touch {TRACE}
[filter "x"]
    smudge = touch {TRACE}
    clean = touch {TRACE}
[diff "x"]
    textconv = touch {TRACE}
    command = touch {TRACE}
[include]
    path = /tests/truth.json
[alias]
    lg = !touch {TRACE}
""")
    (delivered / ".gitattributes").write_text("* filter=x diff=x\n")
    git_dir = delivered / ".git"
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info/attributes").write_text("* filter=x diff=x\n")
    read = repo(delivered)
    for arguments in (
        ("log", "-p"),
        ("diff", "HEAD~1", "HEAD"),
        ("fsck", "--full"),
        ("show", "HEAD"),
        ("branch", "-a"),
    ):
        read.git(*arguments)
    assert not TRACE.exists()
    with pytest.raises(FAILS):
        read.git("lg")


def test_objects_from_elsewhere_are_not_found(repo, delivered, tmp_path):
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", "--shared", str(delivered), "other")
    with pytest.raises(FAILS):
        repo(other).git("log", "--format=%s")


def test_replaced_objects_are_not_seen(repo, delivered):
    first, second = git(delivered, "rev-parse", "HEAD~1"), git(delivered, "rev-parse", "HEAD")
    git(delivered, "replace", second, first)
    assert git(delivered, "log", "--format=%s") == "first"
    assert repo(delivered).git("log", "--format=%s").split() == ["second", "first"]
    git(delivered, "pack-refs", "--all")
    assert repo(delivered).git("log", "--format=%s").split() == ["second", "first"]


def test_grafts_are_not_seen(repo, delivered):
    (delivered / ".git/info").mkdir(exist_ok=True)
    (delivered / ".git/info/grafts").write_text(git(delivered, "rev-parse", "HEAD") + "\n")
    (delivered / ".git/shallow").write_text(git(delivered, "rev-parse", "HEAD") + "\n")
    assert repo(delivered).git("log", "--format=%s").split() == ["second", "first"]


def test_a_mailmap_changes_no_name(repo, delivered):
    (delivered / ".mailmap").write_text("Someone Else <else@example.com> <a@example.com>\n")
    git(delivered, "add", ".mailmap")
    git(delivered, "commit", "-qm", "third")
    assert "Someone" not in repo(delivered).git("log")


def test_a_delivered_program_cannot_change_what_was_read(repo, delivered, run):
    read = repo(delivered)
    script = f"cd {read.folder}; echo x > config; rm -rf objects; echo x > refs/heads/main; mkdir hooks; chmod -R 777 ."
    assert run(["sh", "-c", script]).code != 0
    assert read.git("log", "--format=%s").split() == ["second", "first"]


def test_git_runs_as_the_other_user(repo, delivered):
    assert repo(delivered).git("-c", "alias.who=!id -u", "who").strip() == "2000"


def test_links_in_it_are_not_followed(repo, delivered):
    (delivered / ".git/refs/heads/stolen").symlink_to("/tests/truth.json")
    (delivered / ".git/objects/aa").mkdir(exist_ok=True)
    (delivered / ".git/objects/aa" / ("b" * 38)).symlink_to("/tests/truth.json")
    read = repo(delivered)
    assert not (read.folder / "refs/heads/stolen").exists()
    assert not (read.folder / "objects/aa").exists()


@pytest.mark.parametrize(
    "head", ["ref: ../../../tests/truth.json", "ref: refs/heads/../../x", "nonsense", "", "ref: refs/tags/v1"]
)
def test_an_odd_head_fails(repo, delivered, head):
    (delivered / ".git/HEAD").write_text(head)
    with pytest.raises(FAILS):
        repo(delivered).git("log")


def test_what_is_no_repository_fails(repo, tmp_path):
    (tmp_path / "file").write_text("gitdir: /tests")
    (tmp_path / ".git").write_text("gitdir: /tests")
    for path in (tmp_path, tmp_path / "file", tmp_path / "absent"):
        with pytest.raises(FAILS, match="no git repository"):
            repo(path)
