"""What a skill depends on, what it warns of, and the bundled files that it names."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill2env.models.outcome import Accepted
from skill2env.models.skill import Skill
from skill2env.stages.parse import read_skill
from skill2env.stages.parse.needs import INSTALLERS

BODY = """# Probe

Read `data.csv` and https://api.example.org/v1 with the key; PostgreSQL and Slack are spoken of.

```bash
sudo apt-get install -y jq libxml2-utils
pip install "pandas>=2" requests[socks]==2.32
npx -y prettier --check .
cat a.json | jq .x > b.json
export REPORT_TOKEN=abc
LOCAL_DIR=/tmp; ls $LOCAL_DIR $OTHER_DIR
aws s3 ls
```

```python
import json
import numpy as np
from sklearn.svm import SVC
```

See `scripts/go.sh` and [the notes](references/notes.md).

## Common pitfalls

- Sort before uniq.
- Never trust the clock.

## 常见错误

- 忘记排序。

## Rest

Warning: disks fill up.
"""


def skill_of(folder: Path, body: str) -> Skill:
    (folder / "SKILL.md").write_text(
        f"---\nname: probe\ndescription: d\nrequires:\n  env: [ASKED_API_KEY]\n---\n\n{body}", "utf-8"
    )
    (folder / "scripts").mkdir(exist_ok=True)
    (folder / "scripts" / "go.sh").write_text("true\n")
    answer = read_skill(folder, "probe")
    assert isinstance(answer, Accepted)
    return answer.record


def test_needs(tmp_path: Path) -> None:
    needs = {(item.kind, item.name, item.detail) for item in skill_of(tmp_path, BODY).needs}
    programs = {name for kind, name, _ in needs if kind == "program"}
    assert programs == {"apt-get", "pip", "npx", "cat", "jq", "ls", "aws"}
    packages = {(name, detail) for kind, name, detail in needs if kind == "package"}
    assert packages >= {
        ("jq", "apt"),
        ("pandas", "pip"),
        ("requests", "pip"),
        ("prettier", "npm"),
        ("numpy", "pip"),
        ("scikit-learn", "pip"),
    }
    assert "json" not in {name for name, _ in packages}
    services = {(name, detail) for kind, name, detail in needs if kind == "service"}
    assert services == {("PostgreSQL", "local"), ("Slack", "hosted"), ("AWS", "hosted")}
    variables = {(name, detail) for kind, name, detail in needs if kind == "variable"}
    assert variables == {("REPORT_TOKEN", "credential"), ("ASKED_API_KEY", "credential"), ("OTHER_DIR", "")}
    assert ("host", "api.example.org", "") in needs
    assert ("format", "csv", "") in needs


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    skill = skill_of(tmp_path, BODY)
    lines = skill.text.split("\n")
    for need in skill.needs:
        if need.kind in ("host", "service", "format") and need.line > 1:
            assert need.name.lower() in lines[need.line - 1].lower()


def test_pitfalls_stand_under_such_headings_or_are_labelled(tmp_path: Path) -> None:
    found = [item.text for item in skill_of(tmp_path, BODY).pitfalls]
    assert found == ["Sort before uniq.", "Never trust the clock.", "忘记排序。", "Warning: disks fill up."]


def test_the_rows_of_a_table_of_pitfalls_are_whole_and_its_head_is_none(tmp_path: Path) -> None:
    table = "## Pitfalls\n\n| Symptom | Cause | Fix |\n|---|---|---|\n| Empty result | wrong key | sort |\n| Twice | | |\n"
    found = [(item.text, item.line) for item in skill_of(tmp_path, table).pitfalls]
    assert found == [("Empty result | wrong key | sort", 12), ("Twice", 13)]


def test_files_are_named_with_the_skills_own_folder_and_wherever_they_lie(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    for name in ("rules/one.md", "forms.md", "README.md"):
        (tmp_path / name).write_text("x\n")
    text = (
        "Use `{baseDir}/scripts/go.sh`, `<skill_dir>/scripts/a.sh`, `${CLAUDE_SKILL_DIR}/scripts/b.sh`.\n"
        "See `rules/one.md` and forms.md, not xforms.mdx or other/forms.md; write README.md.\n"
        "Not ours: `${HOME}/scripts/c.sh`, `/opt/scripts/d.sh`.\n"
    )
    found = {item.path: (item.exists, item.line) for item in skill_of(tmp_path, text).references}
    assert found == {
        "scripts/go.sh": (True, 8),
        "scripts/a.sh": (False, 8),
        "scripts/b.sh": (False, 8),
        "rules/one.md": (True, 9),
        "forms.md": (True, 9),
    }


@pytest.mark.parametrize(
    "name", ["DB_PATH", "MAX_TOKENS", "LOG_PATTERN", "PATCH_PATH", "TOKEN_LIMIT", "TOKENIZER_PATH"]
)
def test_a_word_that_begins_like_a_key_is_none(name: str, tmp_path: Path) -> None:
    found = [
        (item.name, item.detail) for item in skill_of(tmp_path, f"```bash\nexport {name}=x\n```\n").needs
    ]
    assert (name, "") in found


@pytest.mark.parametrize(
    "name",
    ["GH_PAT", "GH_PAT_2", "API_KEY", "API_KEYS", "AWS_SECRET_ACCESS_KEY", "BOT_TOKEN", "X_CREDENTIALS_PATH"],
)
def test_a_key_is_one(name: str, tmp_path: Path) -> None:
    found = [
        (item.name, item.detail) for item in skill_of(tmp_path, f"```bash\nexport {name}=x\n```\n").needs
    ]
    assert (name, "credential") in found


def test_calls_are_no_formats_and_what_is_created_takes_one_package(tmp_path: Path) -> None:
    text = "```js\nconsole.log(1); r.json(); opt.step()\n```\n\n```bash\nnpm create nuxt@latest my-app -- -t ui\npnpm add a-b c-d\n```\n"
    needs = skill_of(tmp_path, text).needs
    assert [item.name for item in needs if item.kind == "format"] == []
    assert [item.name for item in needs if item.kind == "package"] == ["nuxt", "a-b", "c-d"]


def test_references_tell_whether_the_folder_holds_the_file(tmp_path: Path) -> None:
    found = {item.path: item.exists for item in skill_of(tmp_path, BODY).references}
    assert found == {"scripts/go.sh": True, "references/notes.md": False}


def test_hostile_lines_take_little_time(tmp_path: Path) -> None:
    bombs = (
        "a." * 200_000,
        "A_" * 200_000,
        "http://" * 60_000,
        "Microsoft " * 40_000,
        "-" * 400_000,
        "```bash\n" + "a|" * 200_000,
    )
    for bomb in bombs:
        start = time.process_time()
        skill_of(tmp_path, bomb)
        assert time.process_time() - start < 10


@pytest.mark.parametrize(("programs", "pattern"), [installer[1:] for installer in INSTALLERS])
@given(data=st.data())
def test_a_program_is_in_all_that_installs(
    programs: tuple[str, ...], pattern: re.Pattern[str], data: st.DataObject
) -> None:
    command = data.draw(st.from_regex(pattern))
    assert any(program in command for program in programs)
