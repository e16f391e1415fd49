"""The feasibility verdict: each kind of skill, in few words of our own, gets the verdict that a person would give."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import get_args

import pytest

from skill2env.feasibility import judge
from skill2env.feasibility.measures import measure
from skill2env.feasibility.phrases import PHRASES
from skill2env.feasibility.weights import load_weights
from skill2env.models.feasibility import Feasibility, Verdict
from skill2env.models.outcome import Accepted
from skill2env.models.skill import Skill
from skill2env.stages.parse import read_skill

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "feasibility.md").read_text("utf-8")
CODE = "```python\nimport pandas as pd\nprint(pd.read_csv('a.csv').sum())\n```\n"
STEPS = """# Sum columns

## Read the file

Read every column as text first, then convert the ones that hold numbers; a column with blanks is no number.

{code}
## Check the result

Write one row for each column to `sums.csv`, with two decimals. Never drop a row without saying so.

{code}
```bash
python3 sum.py a.csv > sums.csv
diff sums.csv expected.csv
```

## Pitfalls

- Do not take an empty cell for zero.
- Thousands separators differ between files; look at the first lines before parsing.
- Test with a file that has one row only.

{code}"""
UPLOAD = """
## Upload to Salesforce

Log in to your org, create a connected app, and take the access token from its settings. Your account needs API access.

```bash
export SALESFORCE_ACCESS_TOKEN=...
sf org login web
curl https://api.salesforce.com/jobs -H "Authorization: Bearer $SALESFORCE_ACCESS_TOKEN"
```

The Salesforce API has a quota for each org; Salesforce answers with 403 beyond it.
"""
SKILLS = {
    "practicable": ("Sums columns of CSV files with Python.", STEPS.format(code=CODE)),
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
        "Spawns parallel subagents that review a change, and merges what they say.",
        "# Parallel review\n\nThe orchestrator splits the change and starts one subagent for each part with the Task tool.\n\n"
        "## Spawn\n\nSpawn all subagents in one message, so that they run in parallel. Each agent gets its own prompt:\n\n"
        '```\nTask(subagent_type="reviewer", prompt="Review {file} and report findings")\n```\n\n'
        "## Wait\n\nWait until every subagent has answered. Ask the user before you start a second round of agents.\n\n"
        "## Merge\n\nThe orchestrator agent merges the findings of its subagents, drops what two agents say alike, and hands "
        "the list to the fixing agent. Never let a subagent start agents of its own.\n\n"
        "| Agent | Model | Task |\n|---|---|---|\n| reviewer | small | reads one file |\n| judge | large | merges |\n",
    ),
    "prose_only": (
        "Helps founders with a pitch to investors.",
        "# Pitch\n\n## Story\n\nKnow your audience before you tell the story. Investors hear many pitches; say early why your "
        "customers care and what the market is.\n\n## Questions\n\n- Who are your customers, and what do they pay today?\n"
        "- What do competitors do, and how is your business different?\n- How will the team grow over the next years?\n\n"
        "## Tone\n\nBe honest about risks. Confidence comes from knowing the numbers, not from loud words. Ask mentors for "
        "feedback and practise in front of people who know the market.\n\n## Follow up\n\nThank every investor, answer open "
        "questions within a day, and keep the conversation going with news about customers and growth.\n",
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
    assert found.verdict == expected, (found.shares, found.evidence)
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


def test_an_account_is_seen_where_the_rest_is_the_same(tmp_path: Path) -> None:
    description, body = SKILLS["practicable"]
    longer = f"{description} Uploads them to Salesforce with SALESFORCE_ACCESS_TOKEN."
    _, found = verdict_on(tmp_path, longer, UPLOAD + body + UPLOAD)
    assert found.verdict == "external_account"
    assert "Salesforce" in [name for item in found.evidence for name in item.seen]


def test_evidence_is_the_arithmetic_of_the_verdict(tmp_path: Path) -> None:
    """What speaks for and against, with what a skill starts from, is the score that the shares come from."""
    weights = load_weights()
    for description, body in SKILLS.values():
        skill, found = verdict_on(tmp_path, description, body)
        shares = dict(found.shares)
        assert abs(sum(shares.values()) - 1) < 0.01
        against = max(weights.verdicts, key=lambda verdict: shares[verdict])
        column = weights.verdicts.index(against)
        terms = list(weights.terms(measure(skill)))
        score = weights.base[column] + sum(term.added[column] for term in terms)
        if min(shares["practicable"], shares[against]) > 0.01:
            assert math.log(shares[against] / shares["practicable"]) == pytest.approx(score, abs=0.1)
        for item in found.evidence:
            named = [term for term in terms if term.name == item.signal]
            if named and item.toward != "harmful":
                assert item.points == pytest.approx(abs(named[0].added[column]), abs=0.01)
                assert (item.toward == against) is (named[0].added[column] > 0)


def test_words_in_evidence_stand_in_their_lines(tmp_path: Path) -> None:
    skill, found = verdict_on(tmp_path, *SKILLS["practicable"])
    lines = skill.text.lower().split("\n")
    words = [item for item in found.evidence if item.signal == "words-of-text"]
    assert words
    assert all(any(word in lines[line - 1] for word in item.seen) for item in words for line in item.lines)


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
