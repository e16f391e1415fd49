"""What --fix mends is mended once and for all, says the same as before, and loses no word."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pieces import LINES, TEXTS
from typer.testing import CliRunner

from skill2env import linting
from skill2env.cli import app
from skill2env.errors import ExitCode, UsageError, WorkspaceError
from skill2env.linting import Linted, find_skills, lint, lint_all
from skill2env.models.outcome import Accepted, Finding
from skill2env.models.skill import Skill
from skill2env.stages.parse import mended, read_skill
from skill2env.stages.parse.codes import KINDS

HEAD = "---\nname: probe\ndescription: Rotates logs.\n---\n\n# Rotation\n\nLook first.\n"
WORD = re.compile(r"[a-z]{2,}", re.IGNORECASE)
ESCAPE = re.compile(r"\\u[0-9A-Fa-f]{4}|\\[a-z]")
OF_THE_TEXT = list(KINDS)[list(KINDS).index("body-empty") :]
"""What was moved below the frontmatter is text, and may have faults of its own there."""
SYNTAX = {"yaml", "ud"}
"""What belongs to a wrapper that was taken away, or to an escape that was read."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A skill's folder with nothing in it."""
    return tmp_path_factory.mktemp("probe")


def answer(data: bytes, place: Path, skill_id: str = "probe") -> tuple[Skill | None, tuple[Finding, ...]]:
    (place / "SKILL.md").write_bytes(data)
    found = read_skill(place, skill_id)
    if isinstance(found, Accepted):
        return found.record, found.record.findings
    return None, found.findings


def check(data: bytes, place: Path) -> None:
    once = mended(data, "probe")
    assert mended(once, "probe") == once
    before, old = answer(data, place)
    after, new = answer(once, place)
    codes = Counter(f.code for f in new if f.code not in OF_THE_TEXT)
    assert not codes - Counter(f.code for f in old)
    if before is None or after is None:
        assert (before is None) == (after is None)
        return
    same = ("name", "licence", "compatibility", "metadata", "allowed_tools", "extras")
    assert {key: getattr(after, key) for key in same} == {key: getattr(before, key) for key in same}
    lost = Counter(WORD.findall(ESCAPE.sub(" ", before.text))) - Counter(
        WORD.findall(ESCAPE.sub(" ", after.text))
    )
    assert set(lost) <= SYNTAX, lost


@settings(deadline=None, max_examples=100)
@given(text=TEXTS)
def test_any_pieces(text: str, place: Path) -> None:
    check(text.encode(), place)


@settings(deadline=None, max_examples=100)
@given(text=LINES)
def test_any_frontmatter(text: str, place: Path) -> None:
    check(f"---\n{text}\n---\nA body with words.\n".encode(), place)


@settings(deadline=None, max_examples=80)
@given(text=LINES)
def test_any_body(text: str, place: Path) -> None:
    check(f"---\nname: probe\ndescription: d\n---\n{text}".encode(), place)


@settings(deadline=None, max_examples=80)
@given(data=st.binary(max_size=300))
def test_any_bytes(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    once = mended(data, "probe")
    assert mended(once, "probe") == once


MENDED: dict[str, tuple[bytes, str]] = {
    "byte-order-mark": (b"\xef\xbb\xbf" + HEAD.encode(), HEAD),
    "utf16": (HEAD.encode("utf-16"), HEAD),
    "not-utf8": ((HEAD + "Caf\u00e9.\n").encode("cp1252"), HEAD + "Caf\u00e9.\n"),
    "nul-byte": (HEAD.replace("Look", "Lo\0ok").encode(), HEAD),
    "control-character": (HEAD.replace("Look", "\x1bLook").encode(), HEAD),
    "crlf": (HEAD.replace("\n", "\r\n").encode(), HEAD),
    "mixed-line-endings": (HEAD.replace("\n", "\r\n", 2).encode(), HEAD),
    "blank-before-frontmatter": (b"\n\n" + HEAD.encode(), HEAD),
    "comment-before-frontmatter": (
        b"<!-- mine -->\n" + HEAD.encode(),
        HEAD.replace("# Rot", "<!-- mine -->\n\n\n\n\n\n# Rot"),
    ),
    "text-before-frontmatter": (
        b"Hello there.\n" + HEAD.encode(),
        HEAD.replace("# Rot", "Hello there.\n\n\n\n\n\n# Rot"),
    ),
    "fence-not-exact": (HEAD.replace("---\n\n", "---- \n\n").encode(), HEAD),
    "fence-wrong-character": (HEAD.replace("---\n", "***\n").encode(), HEAD),
    "fence-glued": (HEAD.replace("---\n\n#", "---#").encode(), HEAD),
    "frontmatter-unclosed": (HEAD.replace("---\n\n#", "\n#").encode(), HEAD),
    "frontmatter-unopened": (HEAD.removeprefix("---\n").encode(), HEAD),
    "frontmatter-in-code": (f"```markdown\n{HEAD}```\n".encode(), HEAD + "\n"),
    "frontmatter-doubled": (
        HEAD.replace("---\n\n", "---\n---\nname: probe\nlicense: MIT\n---\n\n").encode(),
        HEAD.replace("---\n\n", "license: MIT\n---\n\n"),
    ),
    "frontmatter-xml": (
        b"<skill>\n<name>probe</name>\n<description>Rotates logs.</description>\n</skill>\n",
        "---\nname: probe\ndescription: Rotates logs.\n---\n\n"
        "<skill>\n<name>probe</name>\n<description>Rotates logs.</description>\n</skill>\n",
    ),
    "yaml-syntax": (
        HEAD.replace("Rotates logs.", "Use for: logs.").encode(),
        HEAD.replace("Rotates logs.", "'Use for: logs.'"),
    ),
    "yaml-tag": (
        HEAD.replace("Rot", "!x Rot", 1).encode(),
        HEAD.replace("Rotates logs.", "'!x Rotates logs.'"),
    ),
    "quoted-value": (
        HEAD.replace("Rotates logs.", "@daily rotation.").encode(),
        HEAD.replace("Rotates logs.", "'@daily rotation.'"),
    ),
    "value-kept-as-text": (
        HEAD.replace("---\n\n", 'metadata: {"a":"b":["c"]}\n---\n\n').encode(),
        HEAD.replace("---\n\n", 'metadata: \'{"a":"b":["c"]}\'\n---\n\n'),
    ),
    "stray-text": (
        HEAD.replace("name:", "Hello\nname:").replace("Rot", "@Rot", 1).encode(),
        HEAD.replace("Rotates logs.", "'@Rotates logs.'").replace("# Rot", "Hello\n\n\n\n\n\n\n# Rot"),
    ),
    "key-spelling": (HEAD.replace("description", "Description").encode(), HEAD),
    "reads-as-other-type": (
        HEAD.replace("Rotates logs.", "1.10  # really").encode(),
        HEAD.replace("Rotates logs.", "'1.10'  # really"),
    ),
    "name-missing": (HEAD.replace("name: probe\n", "").encode(), HEAD),
    "name-shape": (
        HEAD.replace("probe", "Probe").encode(),
        HEAD.replace("probe", "probe  # was: Probe"),
    ),
    "description-not-text": (HEAD.replace("Rotates logs.", "[Rotates logs.]").encode(), HEAD),
    "description-html-entity": (
        HEAD.replace("Rotates logs.", "Rotates &quot;logs&quot;.").encode(),
        HEAD.replace("Rotates logs.", 'Rotates "logs".'),
    ),
    "licence-not-text": (
        HEAD.replace("---\n\n", "license: [MIT]\n---\n\n").encode(),
        HEAD.replace("---\n\n", "license: MIT\n---\n\n"),
    ),
    "compatibility-not-text": (
        HEAD.replace("---\n\n", "compatibility:\n  node: 18\n# end\n---\n\n").encode(),
        HEAD.replace("---\n\n", "compatibility: 'node: 18'\n# end\n---\n\n"),
    ),
    "allowed-tools-form": (
        HEAD.replace("---\n\n", "allowed-tools: Read, Bash(git add:*)\n---\n\n").encode(),
        HEAD.replace("---\n\n", "allowed-tools: Read Bash(git add:*)\n---\n\n"),
    ),
    "code-fence-unclosed": (f"{HEAD}\n```python\nx = 1\n".encode(), f"{HEAD}\n```python\nx = 1\n```\n"),
    "code-fence-indented": (
        f"{HEAD}\n1. Do:\n   ```bash\nls\n```\n".encode(),
        f"{HEAD}\n1. Do:\n```bash\nls\n```\n",
    ),
    "info-string-is-code": (
        f"{HEAD}\n```SETTINGS_OF_THE_TOOL = {{\n'a': 1}}\n```\n".encode(),
        f"{HEAD}\n```\nSETTINGS_OF_THE_TOOL = {{\n'a': 1}}\n```\n",
    ),
}


@pytest.mark.parametrize("code", MENDED)
def test_each_fix(code: str, tmp_path: Path) -> None:
    data, wanted = MENDED[code]
    folder = tmp_path / "probe"
    folder.mkdir()
    _, found = answer(data, folder)
    assert code in {finding.code for finding in found}
    assert mended(data, "probe").decode() == wanted
    before = lint(folder)
    assert code in {finding.code for finding in before.mendable}
    after = lint(folder, fix=True)
    assert after.passes
    assert code not in {finding.code for finding in after.findings}
    assert code in {finding.code for finding in after.fixed}
    assert (folder / "SKILL.md").read_text() == wanted


def test_every_fix_that_is_named_has_its_case() -> None:
    named = {code for code, kind in KINDS.items() if kind.fix}
    assert named - {"skill-file-case", "name-not-directory"} == set(MENDED)


@pytest.mark.parametrize(
    "text",
    [
        HEAD.replace("Rotates", "&a Rotates"),
        HEAD.replace("Rotates logs.", "!!str 1"),
        HEAD.replace("probe", "other"),
        HEAD.replace("---\n\n", "---\n---\nname: other\n---\n\n"),
        HEAD.replace("---\n\n", "license:\n- a # b\n- c\n---\n\n"),
        f"{HEAD}\n```bash\nls\n## Not code\n",
        "---\n```name: x<name>q</name>\n---\nA body with words.\n",
        f"{HEAD}\n````Here the translator has left a remark\uff09\n",
    ],
)
def test_what_a_person_must_decide_is_left(text: str) -> None:
    assert mended(text.encode(), "probe").decode() == text


def test_what_is_lost_in_decoding_is_not_written() -> None:
    data = HEAD.encode() + "一二三四五六".encode() + b"\xff\n"
    assert mended(data, "probe") == data


def test_the_file_is_renamed_and_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "probe"
    folder.mkdir()
    (folder / "skill.md").write_text(HEAD)
    (folder / "skill.md").chmod(0o640)
    assert lint(folder, fix=True).passes
    assert [path.name for path in folder.iterdir()] == ["SKILL.md"]
    assert (folder / "SKILL.md").stat().st_mode & 0o777 == 0o640


def test_skills_are_found_below_a_folder_and_links_are_not_followed(tmp_path: Path) -> None:
    for name in ("a/one", "b/c/two"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "Skill.md").write_text(HEAD)
    (tmp_path / "loop").symlink_to(tmp_path)
    assert [folder.name for folder in find_skills(tmp_path)] == ["one", "two"]
    assert find_skills(tmp_path / "a/one/Skill.md") == [tmp_path / "a/one"]
    with pytest.raises(UsageError, match="holds no SKILL.md"):
        (tmp_path / "empty").mkdir()
        find_skills(tmp_path / "empty")


def test_the_command_fails_until_the_file_is_mended(tmp_path: Path) -> None:
    folder = tmp_path / "probe"
    folder.mkdir()
    (folder / "SKILL.md").write_text(HEAD.replace("Rotates logs.", "Use for: logs.\nversion: 1"))
    runner = CliRunner()
    assert runner.invoke(app, ["lint", str(folder)]).exit_code == ExitCode.FOUND
    fixed = runner.invoke(app, ["lint", str(folder), "--fix", "--json"])
    assert fixed.exit_code == ExitCode.OK
    told = json.loads(fixed.stdout)[0]
    assert {finding["code"] for finding in told["fixed"]} == {"yaml-syntax", "quoted-value"}
    assert [(f["code"], f["line"], f["fixable"]) for f in told["findings"]] == [("unknown-key", 4, False)]
    assert runner.invoke(app, ["lint", str(folder)]).exit_code == ExitCode.OK
    assert runner.invoke(app, ["lint", str(folder), "--strict"]).exit_code == ExitCode.FOUND


def test_many_skills_are_read_by_several_processes_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        folder = tmp_path / "all" / f"s{number}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(HEAD.replace("Rotates logs.", f"Use {number} times: logs."))
    alone = list(lint_all(tmp_path / "all"))
    assert [linted.folder.name for linted in alone] == sorted(f"s{number}" for number in range(20))
    monkeypatch.setattr(linting, "MIN_ITEMS", 2)
    assert list(lint_all(tmp_path / "all")) == alone
    assert all(linted.fixed and linted.passes for linted in lint_all(tmp_path / "all", fix=True))
    assert not any(linted.mendable for linted in lint_all(tmp_path / "all"))


def test_what_a_process_can_not_write_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        (tmp_path / f"s{number}").mkdir()
        (tmp_path / f"s{number}" / "SKILL.md").write_text(HEAD.replace("Rotates logs.", "Use: logs."))
    monkeypatch.setattr(linting, "MIN_ITEMS", 2)
    monkeypatch.setattr(linting, "lint", _refused)
    with pytest.raises(WorkspaceError, match="s0: can't be written by") as told:
        list(lint_all(tmp_path, fix=True))
    assert f" {os.getpid()}" not in str(told.value)


def _refused(folder: Path, fix: bool) -> Linted:
    raise WorkspaceError(f"{folder.name}: can't be written by {os.getpid()}")


def test_mending_goes_on_until_nothing_is_left_to_mend() -> None:
    """Found by `make fuzz`: fences that are closed in one round show others that are not."""
    text = (
        b"---\nname: probe\ndescription: d\n---\n```SETTINGS = {\n\n## Cut\n```bash\n\n## Count\n```bash\n\n## More\n"
        b"```SETTINGS = {\n\n## Cut\n```bash\n\n## Last"
    )
    once = mended(text, "probe")
    assert once != text
    assert mended(once, "probe") == once


def test_a_translated_key_without_a_value_is_no_crash() -> None:
    """Found by `make fuzz`: what is left of a value of control characters is empty."""
    text = "---\n**名称：** probe\n**描述：** \x01\n---\nSome words.\n".encode()
    assert b"name: probe" in mended(text, "probe")


CHAIN = '1. **Cut**\n   ```bash\ncut -c1 a\n\n```RULES = { "keep": 7 }\n\n## Count\n\n'
"""A fence that, once it is closed, leaves the next one open."""


@pytest.mark.parametrize(("count", "mends"), [(20, True), (700, False)])
def test_a_long_row_of_fences_is_mended_whole_or_not_at_all(count: int, mends: bool) -> None:
    """Found by `make fuzz`: a bound on rounds left such texts half mended, and mending them again went on."""
    text = (HEAD + CHAIN * count).encode()
    once = mended(text, "probe")
    assert once.count(b"\n   ```bash") == (0 if mends else count)
    assert (once.count(b"\n```\nRULES = ") == count) is mends
    assert mended(once, "probe") == once


def test_more_faults_than_are_told_are_mended() -> None:
    """Only so many findings of a kind are told."""
    text = HEAD + '```RULES = { "keep": 7 }\n```\n' * 150
    once = mended(text.encode(), "probe").decode()
    assert once.count('```\nRULES = { "keep": 7 }\n```\n') == 150


def test_a_step_that_shows_another_what_to_mend_is_followed_by_it() -> None:
    """Found by `make fuzz`: only with a name above it is the second block seen to be one."""
    once = mended(b"---\ne:\n---\n---\nm: \ndescription:p\n---\n---\nname:n\n---", "probe")
    assert mended(once, "probe") == once
