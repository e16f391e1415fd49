"""What came of every attack on every stand, as a table for people, as JSON, and as a page of the docs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table

from skill2env.attacks import Attack, suite_id

STANDS = ("native", "harbor", "naive")
HEADINGS = {"native": "native", "harbor": "Harbor, separate", "naive": "naive"}
MUST_EARN = 15
"""How many attacks must defeat the naive verifier, or the suite proves nothing about the others."""
NOT_OURS = {("collection/many-levels", "harbor"): "RecursionError"}
"""Where the harness itself fails, before the verifier gets to see anything: Harbor's own copying recurses into folders, and
whatever the task directory says comes too late. The exception must be this one."""
HONEST, NOP = "controls/honest", "controls/nop"


@dataclass(frozen=True)
class Turn:
    """One trial of an attack."""

    reward: float | None
    """What it earned; None where the trial ended without a reward that counts."""
    status: str
    """What the stand says of it."""
    seconds: float
    note: str = ""
    """Why, where the stand says."""


@dataclass
class Row:
    """An attack, and its trials on each stand."""

    attack: Attack
    turns: dict[str, list[Turn]] = field(default_factory=dict)

    def earned(self, stand: str) -> int:
        """Return how many trials earned anything."""
        return sum(bool(turn.reward) for turn in self.turns.get(stand, ()))

    def lost(self, stand: str) -> int:
        """Return how many trials gave no reward, and would be dropped."""
        return sum(turn.reward is None for turn in self.turns.get(stand, ()))

    def not_ours(self, stand: str) -> bool:
        """Return whether trials without a reward are the harness's own and known failure."""
        known = NOT_OURS.get((self.attack.name, stand))
        lost = [turn.note for turn in self.turns.get(stand, ()) if turn.reward is None]
        return known is not None and all(note.startswith(f"{known}:") for note in lost)

    def cell(self, stand: str, seconds: bool = True) -> str:
        """Return what is shown: reward, or shares of several trials; status; mean seconds."""
        turns = self.turns.get(stand)
        if not turns:
            return "-"
        many, lost = len(turns), self.lost(stand)
        first = "no reward" if lost == many else f"{self.earned(stand) / (many - lost):.2g}"
        count = f" of {many}" if many > 1 else ""
        statuses = ", ".join(sorted({turn.status for turn in turns} - {"reward"}))
        text = f"{first}{count}{f' {statuses}' if statuses else ''}"
        return f"{text} {sum(turn.seconds for turn in turns) / many:.1f} s" if seconds else text


def faults(rows: Sequence[Row], stands: Iterable[str]) -> list[str]:
    """Return every way in which the rows are not as they must be, a sentence each."""
    found = []
    for row in rows:
        for stand in stands:
            turns, name = row.turns.get(stand, []), row.attack.name
            if name == HONEST:
                if not turns or row.earned(stand) != len(turns):
                    found.append(f"honest work does not earn 1 ({stand}): {_notes(turns)}")
            elif name == NOP:
                if not turns or row.earned(stand) or row.lost(stand):
                    found.append(f"doing nothing does not earn 0 ({stand}): {_notes(turns)}")
            elif stand != "naive":
                if row.earned(stand):
                    found.append(
                        f"{name} earns the reward ({stand}), {row.earned(stand)} of {len(turns)} times"
                    )
                if row.lost(stand) and not row.not_ours(stand):
                    found.append(f"{name} ends without a reward ({stand}): {_notes(turns)}")
    won = len(defeating(rows))
    if "naive" in stands and won < MUST_EARN:
        found.append(f"only {won} attacks defeat the naive verifier, and {MUST_EARN} must")
    return found


def defeating(rows: Iterable[Row]) -> list[Row]:
    """Return the attacks that earn something from the naive verifier."""
    return [row for row in rows if row.attack.family != "controls" and row.earned("naive")]


def totals(rows: Sequence[Row]) -> list[tuple[str, int, dict[str, str]]]:
    """Return for each family, and for all, how many attacks there are and how many earned anything on each stand."""
    attacks = [row for row in rows if row.attack.family != "controls"]
    families = Counter(row.attack.family for row in attacks)
    lines = []
    for family in (*families, "all"):
        mine = [row for row in attacks if family in (row.attack.family, "all")]
        earned = {}
        for stand in STANDS:
            tried = [row for row in mine if row.turns.get(stand)]
            earned[stand] = (
                f"{sum(bool(row.earned(stand)) for row in tried)} of {len(tried)}" if tried else "-"
            )
        lines.append((family, len(mine), earned))
    return lines


def table(rows: Sequence[Row]) -> Table:
    """Return all rows as a table."""
    made = Table(
        "attack", *(HEADINGS[stand] for stand in STANDS), title="Reward, status and seconds of every attack"
    )
    for row in rows:
        made.add_row(row.attack.name, *(row.cell(stand) for stand in STANDS))
    return made


def summary(rows: Sequence[Row]) -> Table:
    """Return the totals as a table."""
    made = Table(
        "family", "attacks", *(HEADINGS[stand] for stand in STANDS), title="Attacks that earn anything"
    )
    for family, count, earned in totals(rows):
        made.add_row(family, str(count), *(earned[stand] for stand in STANDS))
    return made


def as_json(rows: Iterable[Row]) -> dict[str, Any]:
    """Return all trials JSON-able."""
    trials = [
        {"attack": row.attack.name, "title": row.attack.title, "stand": stand, **vars(turn)}
        for row in rows
        for stand, turns in row.turns.items()
        for turn in turns
    ]
    return {"suite": suite_id(), "trials": trials}


def kept(path: Path, stands: Iterable[str]) -> dict[str, dict[str, list[Turn]]]:
    """Return the trials of some stands in a file by attack and stand; none where the suite was another one."""
    found: dict[str, dict[str, list[Turn]]] = {}
    written = json.loads(path.read_text()) if path.exists() else {}
    if written.get("suite") == suite_id():
        for trial in written["trials"]:
            if trial["stand"] in stands:
                turn = Turn(trial["reward"], trial["status"], trial["seconds"], trial["note"])
                found.setdefault(trial["attack"], {}).setdefault(trial["stand"], []).append(turn)
    return found


def page(rows: Sequence[Row]) -> str:
    """Return the page of the docs; seconds vary and are left out."""
    head = "| {} |".format(" | ".join(("Family", "Attacks", *(HEADINGS[stand] for stand in STANDS))))
    lines = [
        "# Attacks",
        "",
        "Written by `make attacks`: every script of `skill2env/attacks/` against one task of the corpus, on three stands: the",
        "project's own verifier, Harbor's separate mode with the exported directory, and a naive verifier that grades in the",
        "agent's container ([tests/attacks/naive](../tests/attacks/naive)), which the suite must defeat to prove anything. Races",
        "may be run several times; a cell then says how many. A reward of 1 is the attack's success.",
        "",
        "Attacks that earn anything:",
        "",
        head,
        "|---|---|---|---|---|",
        *(
            f"| {family} | {count} | " + " | ".join(earned[s] for s in STANDS) + " |"
            for family, count, earned in totals(rows)
        ),
        "",
        "Where a trial ends without a reward, a trainer may drop it. Natively none does. Under Harbor these do, since it fails at",
        "copying the outputs to its own host before any verifier runs, which no task directory can prevent:",
        "",
        *(f"- `{name}`: `{kind}`" for (name, _), kind in NOT_OURS.items()),
        "",
        "Rewards:",
        "",
        "| Attack | Does | native | Harbor | naive |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        cells = " | ".join(row.cell(stand, seconds=False) for stand in STANDS)
        lines.append(f"| `{row.attack.name}` | {row.attack.title} | {cells} |")
    return "\n".join(lines) + "\n"


def _notes(turns: Sequence[Turn]) -> str:
    return "; ".join(sorted({f"{turn.status} {turn.note}".strip() for turn in turns})) or "it was not tried"
