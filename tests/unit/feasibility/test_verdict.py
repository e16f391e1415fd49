"""The feasibility verdict: each kind of skill, in few words of our own, gets the verdict that a person would give."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from skill2env.feasibility import judge
from skill2env.feasibility.phrases import PHRASES
from skill2env.models.feasibility import Feasibility, Verdict
from skill2env.models.outcome import Accepted
from skill2env.models.skill import Skill
from skill2env.stages.parse import read_skill

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "feasibility.md").read_text("utf-8")
CODE = "```python\nimport pandas as pd\nprint(pd.read_csv('a.csv').sum())\n```\n"
SKILLS = {
    "practicable": (
        "Sums columns of CSV files with Python.",
        "# Sum\n\n" + CODE * 3 + "```bash\npython3 sum.py a.csv | sort\n```\n",
    ),
    "needs_stand_in": (
        "Tunes slow queries of a PostgreSQL server.",
        "# Tune\n\n```bash\npsql -h db -c 'EXPLAIN ANALYZE SELECT 1'\n```\n\n"
        + "PostgreSQL keeps statistics.\n\n" * 6,
    ),
    "external_account": (
        "Posts to Slack channels. Needs SLACK_BOT_TOKEN.",
        "# Post\n\nSign up, create an account and copy the API key.\n\n"
        '```bash\nexport SLACK_BOT_TOKEN=xoxb\ncurl https://api.slack.com/x -H "Authorization: Bearer $SLACK_BOT_TOKEN"\n```\n',
    ),
    "gui_or_hardware": (
        "Builds views with SwiftUI for iOS in Xcode.",
        '# Views\n\n```swift\nstruct A: View {}\n```\n\nRun it in the iOS simulator.\n\n```swift\nText("a")\n```\n',
    ),
    "agent_host": (
        "Spawns parallel subagents for a review.",
        "# Review\n\nUse the Task tool.\n\nEach subagent reads one file.\n\nThe orchestrator agent merges what subagents say.\n",
    ),
    "prose_only": (
        "Helps founders with a pitch to investors.",
        "# Pitch\n\n"
        + "Know your customers and your audience before you tell the story to investors.\n\n" * 12,
    ),
    "stub": ("A helper.", "# Helper\n\nThis skill provides automated assistance for helper tasks.\n"),
    "harmful": (
        "Bypasses a firewall's detection and hides a keylogger.",
        "# Hide\n\nPayload obfuscation comes first.\n\nThen open a reverse shell.\n\nExfiltrate credentials at night to evade detection.\n"
        * 3,
    ),
}


def verdict_on(folder: Path, description: str, body: str) -> tuple[Skill, Feasibility]:
    (folder / "SKILL.md").write_text(f"---\nname: probe\ndescription: {description}\n---\n\n{body}", "utf-8")
    answer = read_skill(folder, "probe")
    assert isinstance(answer, Accepted)
    return answer.record, judge(answer.record)


@pytest.mark.parametrize("expected", SKILLS)
def test_each_verdict_is_given(expected: str, tmp_path: Path) -> None:
    skill, found = verdict_on(tmp_path, *SKILLS[expected])
    assert found.verdict == expected, (found.scores, found.evidence)
    assert (found.edits == ()) is (expected == "practicable")
    assert found.evidence[0].toward == expected
    assert all(1 <= line <= skill.text_lines for item in found.evidence for line in item.lines)
    assert judge(skill) == found


def test_what_it_needs_is_told(tmp_path: Path) -> None:
    _, found = verdict_on(tmp_path, *SKILLS["practicable"])
    assert found.toolchain == "data"
    assert found.packages == ("pip:pandas",)
    _, found = verdict_on(tmp_path, *SKILLS["needs_stand_in"])
    assert found.stand_ins[0] == "PostgreSQL"
    assert "PostgreSQL" in found.reason


def test_an_account_is_seen_where_the_work_is_the_same(tmp_path: Path) -> None:
    description, body = SKILLS["practicable"]
    _, found = verdict_on(
        tmp_path, description + " Uploads to Salesforce with SALESFORCE_ACCESS_TOKEN.", body
    )
    assert found.verdict == "external_account"


@pytest.mark.parametrize(
    "folder", sorted((ROOT / "skills_corpus" / "skills").iterdir()), ids=lambda path: path.name
)
def test_skills_of_the_corpus_are_practicable(folder: Path) -> None:
    answer = read_skill(folder, folder.name)
    assert isinstance(answer, Accepted)
    assert judge(answer.record).verdict == "practicable"


def test_page_has_every_verdict_and_signal_with_its_points() -> None:
    assert [name for name in get_args(Verdict) if f"| `{name}` |" not in PAGE] == []
    rows = [
        f"| `{item.signal}` | `{item.toward}` | {item.about} | {item.title:g} / {item.line:g} / {item.most:g} |"
        for item in PHRASES
    ]
    assert [row for row in rows if row not in PAGE] == []
    source = (ROOT / "skill2env" / "feasibility" / "signals.py").read_text("utf-8")
    named = set(re.findall(r'"([a-z]+(?:-[a-z]+)+|code|programs|packages|credentials)", "[a-z_]+"', source))
    assert len(named) > 8
    assert [name for name in sorted(named) if f"| `{name}` |" not in PAGE] == []
