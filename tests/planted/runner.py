"""Plants faults in the tests of good blueprints and measures whether the validation gates find them.

`weak.yaml` lists faults that make tests accept wrong results, `narrow.yaml` faults that make them refuse right ones. A fault
is found when the task with the edited tests is rejected by a gate. It is no finding when a gate says that the entry broke the
task itself: that the reference does not pass, or that doing nothing is paid.

    python tests/planted/runner.py                    all of them, with a control of each kind
    python tests/planted/runner.py key-order          chosen ones, without controls
    python tests/planted/runner.py --root DIR         keep the results in DIR; what they hold is not executed again
"""

from __future__ import annotations

import argparse
import ast
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import yaml
from docker.errors import APIError
from rich.console import Console
from rich.table import Table

from skill2env.checking import Checked, check, locate
from skill2env.errors import ExitCode, Skill2EnvError, UsageError
from skill2env.models.base import Record
from skill2env.models.blueprint import Level
from skill2env.models.outcome import Errored, Rejected
from skill2env.params import Params, load_params
from skill2env.progress import console as progress
from skill2env.stages.context import Context
from skill2env.store.results import ResultStore
from skill2env.store.workspace import Workspace

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORPUS = ROOT / "skills_corpus"
KINDS = ("weak", "narrow")
TESTS = Path("tests", "test_outputs.py")
SPOILT = frozenset({"deterministic", "builds", "nop_fails", "oracle_passes"})
"""Gates that say that the entry broke the task: what they find is no finding."""
SHARE = 0.9
"""Share of a kind's faults that must be found."""


class Edit(Record):
    """One replacement in the tests."""

    old: str
    """Text that occurs exactly once."""
    new: str
    """What stands there afterwards."""


class Entry(Record):
    """One fault."""

    name: str
    """Kebab-case, unique."""
    blueprint: str
    """<skill>/<blueprint>."""
    level: Level
    """The level at which the task is checked."""
    what: str
    """What the author got wrong."""
    edits: tuple[Edit, ...]
    """Applied in their order; none for a control."""


@dataclass(frozen=True)
class Row:
    """What became of one entry."""

    kind: str
    entry: Entry
    gates: tuple[str, ...]
    """All gates that rejected the task."""
    note: str
    """Why it never came to the gates; empty where it did."""

    @property
    def found(self) -> bool:
        """Whether a gate found the fault."""
        return not self.note and bool(self.gates) and not SPOILT & set(self.gates)

    @property
    def accepted(self) -> bool:
        """Whether the task came through all gates."""
        return not self.note and not self.gates

    @property
    def good(self) -> bool:
        """Whether it ended as it should: a fault is found, a control is accepted."""
        return self.found if self.entry.edits else self.accepted


def entries(kind: str) -> tuple[Entry, ...]:
    """Return the faults of a kind, in the order of their file."""
    listed = yaml.safe_load((HERE / f"{kind}.yaml").read_text("utf-8"))
    return tuple(Entry.model_validate(item) for item in listed)


def control(kind: str) -> Entry:
    """Return the blueprint of a kind's first fault, unchanged."""
    what = "Nothing: these tests are as they are in the corpus."
    return entries(kind)[0].model_copy(update={"name": f"control-{kind}", "what": what, "edits": ()})


def edited(entry: Entry) -> str:
    """Return the tests of an entry's blueprint with its fault.

    Raises:
        UsageError: the text of an edit does not occur exactly once, or the result is no Python.
    """
    text = (CORPUS / "blueprints" / entry.blueprint / TESTS).read_text("utf-8")
    for edit in entry.edits:
        times = text.count(edit.old)
        if times != 1:
            raise UsageError(
                f"{entry.name}: {edit.old.strip()!r} occurs {times} times in the tests of {entry.blueprint}; "
                "choose a text that occurs once"
            )
        text = text.replace(edit.old, edit.new)
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise UsageError(
            f"{entry.name}: line {error.lineno} of the edited tests is no Python; mend the edit"
        ) from None
    return text


def lay_out(folder: Path, entry: Entry) -> Path:
    """Copy skill, provenance and blueprint of an entry, plant its fault, and return the blueprint's folder."""
    skill = entry.blueprint.split("/")[0]
    corpus = folder / "skills_corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    shutil.copytree(CORPUS / "skills" / skill, corpus / "skills" / skill)
    (corpus / "provenance").mkdir()
    shutil.copy(CORPUS / "provenance" / f"{skill}.yaml", corpus / "provenance")
    blueprint = corpus / "blueprints" / entry.blueprint
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(CORPUS / "blueprints" / entry.blueprint, blueprint, ignore=ignored)
    (blueprint / TESTS).write_text(edited(entry), "utf-8")
    return blueprint


def row_of(kind: str, entry: Entry, last: Checked) -> Row:
    """Return what the last thing that was said of a task means for its entry."""
    refusal = last.refusal
    if refusal is None:
        return Row(kind, entry, (), "")
    if not isinstance(refusal, Rejected):
        return Row(kind, entry, (), f"errored: {refusal.message}")
    if last.stage != "validate":
        return Row(kind, entry, (), f"{last.stage}: {refusal.rule}")
    return Row(kind, entry, tuple(finding.code for finding in refusal.findings), "")


def one_seed(level: Level) -> Params:
    """Return the project's own parameters, with one level and one seed."""
    params = load_params(ROOT / "params.yaml")
    build = params.build.model_copy(update={"levels": (level,), "max_seeds": 1})
    return params.model_copy(update={"build": build})


def run(kind: str, entry: Entry, root: Path, store: ResultStore) -> Row:
    """Take an entry's task through all gates.

    Raises:
        EngineDown: no engine answers.
        UsageError: the entry does not fit its blueprint.
    """
    began = time.monotonic()
    folder = root / kind / entry.name
    blueprint = lay_out(folder, entry)
    try:
        with Context(Workspace(folder), one_seed(entry.level), store) as context:
            last = list(check([locate(blueprint)], context))[-1]
    except APIError as error:  # one entry that the engine failed must not cost the others their rows
        last = Checked("validate", entry.blueprint, "errored", None, Errored(message=str(error)))
    row = row_of(kind, entry, last)
    progress.print(
        f"{kind} {entry.name}: {outcome(row)} ({time.monotonic() - began:.0f} s)",
        markup=False,
        soft_wrap=True,
    )
    for finding in getattr(last.refusal, "findings", ()):
        progress.print(f"    {finding}", markup=False, soft_wrap=True, style="dim")
    (folder / "evidence.txt").write_text(getattr(last.refusal, "evidence", ""), "utf-8")
    return row


def run_all(chosen: Sequence[tuple[str, Entry]], root: Path) -> Iterator[Row]:
    """Yield the row of each entry; all share one store of results, so that worlds and images are made once."""
    store = ResultStore(Workspace(root).results)
    try:
        for kind, entry in chosen:
            yield run(kind, entry, root, store)
    finally:
        store.close()


def outcome(row: Row) -> str:
    """Return how an entry ended, in one or two words."""
    if row.note:
        return row.note
    if row.accepted:
        return "accepted"
    if SPOILT & set(row.gates):
        return "broke the task"
    return "found" if row.entry.edits else "rejected"


def table(rows: Sequence[Row]) -> Table:
    """Return the rows as a table."""
    made = Table(title="Planted faults", show_lines=True)
    for column in ("kind", "name", "blueprint", "what", "gates", "outcome"):
        made.add_column(column, overflow="fold")
    for row in rows:
        style = "green" if row.good else "red"
        where = f"{row.entry.blueprint} ({row.entry.level})"
        gates = "\n".join(row.gates)
        made.add_row(row.kind, row.entry.name, where, row.entry.what, gates, f"[{style}]{outcome(row)}[/]")
    return made


def summary(rows: Sequence[Row]) -> tuple[str, bool]:
    """Return how many were found, in words, and whether that is enough and every control was accepted."""
    told, enough = [], all(row.good for row in rows if not row.entry.edits)
    for kind in KINDS:
        found = [row.found for row in rows if row.kind == kind and row.entry.edits]
        told.append(f"{kind}: {sum(found)} of {len(found)} found")
        enough = enough and sum(found) >= ceil(SHARE * len(found))
    return ", ".join(told), enough


def chosen_of(names: Sequence[str]) -> list[tuple[str, Entry]]:
    """Return the named entries with their kinds; without names all of them, each kind behind its control.

    Raises:
        UsageError: there is no entry of that name.
    """
    every = [(kind, entry) for kind in KINDS for entry in (control(kind), *entries(kind))]
    unknown = set(names) - {entry.name for _, entry in every}
    if unknown:
        raise UsageError(
            f"there is no fault {', '.join(sorted(unknown))} in {HERE.name}/; name one of its entries"
        )
    return [(kind, entry) for kind, entry in every if not names or entry.name in names]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the faults that the command line names, print what became of them, and return the exit code."""
    parser = argparse.ArgumentParser(
        description="Plant faults in good tests and see whether the gates find them."
    )
    parser.add_argument("names", nargs="*", help="entries to run; all of them without a name")
    parser.add_argument("--root", type=Path, help="folder that keeps the results; a temporary one without it")
    given = parser.parse_args(argv)
    try:
        chosen = chosen_of(given.names)
        with tempfile.TemporaryDirectory(prefix="planted-") as temporary:
            rows = list(run_all(chosen, (given.root or Path(temporary)).resolve()))
    except Skill2EnvError as error:
        progress.print(str(error), markup=False, style="red")
        return error.exit_code
    out = Console(highlight=False)
    out.print(table(rows))
    told, enough = summary(rows)
    out.print(told, soft_wrap=True)
    return ExitCode.OK if enough else ExitCode.FOUND


if __name__ == "__main__":
    sys.exit(main())
