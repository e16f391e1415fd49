"""What became of a change: its funnel, the evidence of each refusal, what advice is covered, and where to look."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill2env.changes import Changes, Selection
from skill2env.checking import Checked, Target, lines_of
from skill2env.coverage import Coverage, coverage
from skill2env.escaped import annotation, fenced, markdown
from skill2env.models.base import printable, some
from skill2env.models.blueprint import Blueprint
from skill2env.models.outcome import Finding, Rejected, Severity
from skill2env.models.skill import Skill
from skill2env.stages.parse import of_record

LOOK_AT = {
    "tests_lint": "tests/test_outputs.py",
    "stated": "tests/test_outputs.py",
    "deterministic": "world.py",
    "builds": "blueprint.yaml",
    "no_leak": "world.py",
    "nop_fails": "tests/test_outputs.py",
    "oracle_passes": "solutions/reference.sh",
    "alternatives_pass": "solutions/{name}.sh",
    "mistakes_fail": "mistakes/{name}.sh",
    "shortcuts_fail": "tests/test_outputs.py",
    "hardcode_fails": "world.py",
    "ablations_fail": "solutions/reference.sh",
    "mutants_fail": "tests/test_outputs.py",
    "rubric_holds": "blueprint.yaml",
    "attacks_fail": "tests/test_outputs.py",
    "offline": "solutions/reference.sh",
    "headroom": "blueprint.yaml",
}
"""Where an author begins to look when a gate refuses a task; `{name}` is the first script of that folder that is named."""
_AT_LINE = re.compile(
    r"^(?:\w+: )?((?:tests/|solutions/|mistakes/)?[\w.-]+\.(?:py|sh|yaml|md)):(\d{1,6}): (.+)$"
)
_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning"}
_PAGE_BYTES = 900_000
"""A job summary of GitHub may have 1 MiB."""
_LISTED = 50
_OF_EVIDENCE = 20


@dataclass(frozen=True)
class Verdict:
    """What became of a change."""

    changes: Changes
    selection: Selection
    checked: tuple[Checked, ...]
    drafts: tuple[Checked, ...] = ()
    """All blueprints of the touched skills as they were read, touched or not."""
    unfinished: str = ""
    """Why the run ended before everything was checked; empty where it did not."""

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        """Of each touched skill that was read, what its blueprints exercise, touched or not."""
        skills = {item.item_id: item.record for item in self.checked if isinstance(item.record, Skill)}
        wanted = [target for target in self.selection.targets if not target.sampled]
        return tuple(self._covered(skills[target.skill_id]) for target in wanted if target.skill_id in skills)

    def _covered(self, skill: Skill) -> Coverage:
        own = [item for item in self.drafts if item.item_id.startswith(f"{skill.skill_id}--")]
        blueprints = [item.record for item in own if isinstance(item.record, Blueprint)]
        return coverage(skill, blueprints, [item.item_id for item in own if item.kind != "accepted"])

    def funnel(self) -> list[dict[str, Any]]:
        """Return, of each stage that got items, how many and what became of them."""
        rows = []
        for stage in dict.fromkeys(item.stage for item in self.checked):
            items = [item for item in self.checked if item.stage == stage]
            kinds = Counter(item.kind for item in items)
            rules = Counter(item.refusal.rule for item in items if isinstance(item.refusal, Rejected))
            counts = {kind: kinds[kind] for kind in ("accepted", "rejected", "errored")}
            rows.append(
                {"stage": stage, "inputs": len(items), **counts, "rules": dict(sorted(rules.items()))}
            )
        return rows

    def as_json(self) -> dict[str, Any]:
        """Return it JSON-able."""
        selection = self.selection
        return {
            "base": self.changes.base,
            "commit": self.changes.commit,
            "files": [{"path": printable(change.path), "how": change.how} for change in self.changes.files],
            "unfinished": self.unfinished,
            "judging": list(selection.judging),
            "gone": [printable(name) for name in selection.gone],
            "orphaned": [printable(path) for path in selection.orphaned],
            "referenced": [printable(name) for name in selection.referenced],
            "stray": [printable(path) for path in selection.stray],
            "unchecked": [printable(name) for name in selection.unchecked],
            "sampled": sum(len(target.sampled) for target in selection.targets),
            "funnel": self.funnel(),
            "items": [item.as_json() for item in self.checked],
            "coverage": [covered.as_json() for covered in self.coverages],
        }

    def scope(self) -> list[str]:
        """Return sentences on what was touched, what was therefore checked, and what was not."""
        selection = self.selection
        whole = [target for target in selection.targets if not target.sampled]
        count = len(self.changes.files)
        lines = [f"{count} files differ from {self.changes.base} (since {self.changes.commit[:12]})."]
        if self.unfinished:
            lines.append(f"The run ended before everything that follows was checked: {self.unfinished}.")
        if not (selection.targets or selection.gone or selection.referenced):
            lines.append("No skill and no blueprint is touched, so there is nothing to check.")
        elif whole:
            lines.append(f"Checked for the change: {', '.join(_named(target) for target in whole)}.")
        if selection.gone:
            lines.append(f"Taken away, and not checked: {', '.join(selection.gone)}.")
        if selection.orphaned:
            files = ", ".join(selection.orphaned)
            lines.append(
                f"Still on record, though the files were taken away: {files}. Take the record away too, unless the skill is "
                "kept by reference from now on."
            )
        if selection.referenced:
            names = ", ".join(selection.referenced)
            lines.append(f"On record without their files, so there is nothing to check: {names}.")
        if selection.stray:
            lines.append(
                f"In the corpus, but of no skill and no blueprint: {some(selection.stray, _LISTED)}."
            )
        if selection.judging:
            lines.append(self._judged())
        return lines

    def _judged(self) -> str:
        """Return a sentence that says that the judges themselves have changed, and what that means."""
        named = some(self.selection.judging, 5)
        sampled = sum(len(target.sampled) for target in self.selection.targets)
        parts = []
        if sampled:
            parts.append(
                f"of the rest of the corpus a sample was checked, one task of each of {sampled} skills"
            )
        if self.selection.unchecked:
            parts.append(f"not checked: {some(self.selection.unchecked, _LISTED)}")
        told = f"{'; '.join(parts)} (--everything checks all)" if parts else "the whole corpus was checked"
        return f"What judges has changed itself ({named}), so all of these verdicts are the changed code's; {told}."

    def page(self) -> list[str]:
        """Return it as the lines of a Markdown page, which is short enough for a job summary."""
        lines = ["## Skills and tasks of this change", ""]
        lines += [f"- {markdown(sentence)}" for sentence in self.scope()]
        if self.checked:
            lines += [
                "",
                "| Stage | Inputs | Accepted | Rejected | Errored | Rules |",
                "|---|---|---|---|---|---|",
            ]
        for row in self.funnel():
            rules = ", ".join(f"{markdown(rule)} {count}" for rule, count in row["rules"].items())
            counts = " | ".join(str(row[kind]) for kind in ("inputs", "accepted", "rejected", "errored"))
            lines.append(f"| {row['stage']} | {counts} | {rules} |")
        lines += self._refusals(_PAGE_BYTES // 2)
        for covered in self.coverages:
            told = ["", f"### Advice of {markdown(covered.skill_id)}", "", *covered.lines()]
            fits = _bytes([*lines, *told]) < _PAGE_BYTES
            lines += (
                told
                if fits
                else ["", f"`skill2env report` shows the advice of {markdown(covered.skill_id)}."]
            )
        return lines

    def _refusals(self, room: int) -> list[str]:
        """Return the sections of what was not accepted, as many as there is room for, in bytes."""
        refused = [item for item in self.checked if item.kind != "accepted"]
        lines: list[str] = []
        for number, item in enumerate(refused):
            told = [
                "",
                f"### {item.kind.capitalize()}: {markdown(item.item_id)}",
                "",
                *fenced("\n".join(lines_of(item))),
            ]
            room -= _bytes(told)
            if room < 0:
                return [
                    *lines,
                    "",
                    f"{len(refused) - number} more were not accepted; `skill2env check` shows them.",
                ]
            lines += told
        return lines

    def annotations(self) -> list[str]:
        """Return a workflow command for each thing to look at, errors first, each once."""
        told: dict[tuple[str, str, int, str], list[str]] = {}
        for item in self.checked:
            for level, file, line, message in self._spots(item):
                told.setdefault((level, file, line, message), []).append(item.item_id)
        ordered = sorted(told.items(), key=lambda spot: spot[0][0])
        return [
            annotation(level, message, file, line, f"{items[0]}{_others(items)}")
            for (level, file, line, message), items in ordered
        ]

    def _spots(self, item: Checked) -> Iterator[tuple[str, str, int, str]]:
        """Yield level, file, line and message of all that is to be said of an item."""
        folder = self._folder(item)
        if item.refusal is not None and item.refusal.kind == "errored":
            yield "error", "", 0, item.refusal.message
            return
        if item.stage == "validate" and isinstance(item.refusal, Rejected):
            yield from self._gate_spots(item.refusal, folder)
            return
        for finding in item.findings:
            if finding.severity in _SEVERITIES:
                file = self._file(item, finding, folder)
                yield _SEVERITIES[finding.severity], file, finding.line, f"{finding.message} [{finding.code}]"

    def _gate_spots(self, refusal: Rejected, folder: Path) -> Iterator[tuple[str, str, int, str]]:
        placed: dict[str, list[tuple[str, int, str]]] = {}
        for line in refusal.evidence.splitlines():
            found = _AT_LINE.match(line)
            if found and len(placed) < _OF_EVIDENCE and (folder / found[1]).is_file():
                gate = line.split(": ")[0]
                placed.setdefault(gate, []).append((found[1], int(found[2]), found[3]))
        spots = [spot for found in placed.values() for spot in found][:_OF_EVIDENCE]
        for finding in refusal.findings:
            stated = _AT_LINE.match(finding.message)
            if stated and any(spot[2] in finding.message for spot in spots):
                continue
            yield (
                "error",
                self._relative(folder / (finding.file or _look_at(finding, folder))),
                finding.line,
                f"{finding.message} [{finding.code}]",
            )
        for file, number, message in spots:
            yield "error", self._relative(folder / file), number, message

    def _file(self, item: Checked, finding: Finding, folder: Path) -> str:
        if item.stage == "parse" and of_record(finding):
            return self._relative(folder.parent.parent / finding.file)
        default = "SKILL.md" if item.stage == "parse" else "blueprint.yaml"
        return self._relative(folder / (finding.file or default))

    def _folder(self, item: Checked) -> Path:
        """Return the folder of the skill or blueprint that an item was made from."""
        for target in self.selection.targets:
            skill_id = printable(target.skill_id)
            if item.stage == "parse" and item.item_id == skill_id:
                return target.corpus / "skills" / target.skill_id
            if item.item_id.startswith(f"{skill_id}--"):
                name = item.item_id.removeprefix(f"{skill_id}--").split("--")[0]
                for folder in (target.corpus / "blueprints" / target.skill_id).iterdir():
                    if printable(folder.name) == name:
                        return folder
        return self.changes.top

    def _relative(self, path: Path) -> str:
        top = self.changes.top.resolve()
        return printable((path.relative_to(top) if path.is_relative_to(top) else path).as_posix())


def _bytes(lines: list[str]) -> int:
    return sum(len(line.encode("utf-8")) + 1 for line in lines)


def _named(target: Target) -> str:
    if target.blueprints is None:
        return f"{target.skill_id} with all of its blueprints"
    return ", ".join(f"{target.skill_id}--{name}" for name in sorted(target.blueprints))


def _look_at(finding: Finding, folder: Path) -> str:
    """Return the file, relative to a blueprint's folder, in which an author begins to look."""
    place = LOOK_AT.get(finding.code, "blueprint.yaml")
    if "{name}" not in place:
        return place
    words = re.findall(r"[a-z0-9-]+", finding.message)
    named = [place.format(name=word) for word in words if (folder / place.format(name=word)).is_file()]
    return named[0] if named else "blueprint.yaml"


def _others(items: list[str]) -> str:
    return f" and {len(items) - 1} more" if len(items) > 1 else ""
