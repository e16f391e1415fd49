"""Scripted attempts at the reward without the work, one script each; they fit any task.

A script finds in its environment `WORK` (the folder in which it starts), `OUTPUTS` (all declared outputs), `REPORT` (the
output that holds data), `TOOL` (the output that is a program) and `SOLVE` (a script that does the whole work, for attacks
that spoil only a part of it). Its first line says what it does. Marks may follow, one a line: `# waits` (it ends only with
the deadline, or costs the verifier as long as one), `# races` (it succeeds by luck, so one try proves little), `# json` (it
changes a report that is JSON, and means nothing where the report is something else).
"""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath

from skill2env.models.base import content_id
from skill2env.models.blueprint import Step
from skill2env.models.tree import Node, Tree

WORK = "/workspace"
SOLVE = "/var/solve.sh"
CONTROLS = "controls"
MARKS = frozenset({"waits", "races", "json"})
_HEADER = re.compile(r"# \S.*\n(?:# [a-z]+\n)*")
_PROGRAMS = (".py", ".sh")


@dataclass(frozen=True)
class Attack:
    """One script."""

    name: str
    """`<family>/<script>`; the family is the folder."""
    text: str
    """Bash."""
    marks: frozenset[str]
    """Of `waits`, `races`, `json`."""

    @property
    def family(self) -> str:
        """What it goes for: harness, masking, collection, delivered or data; `controls` are no attacks."""
        return self.name.partition("/")[0]

    @property
    def title(self) -> str:
        """What it does, in a sentence."""
        return self.text.partition("\n")[0].removeprefix("# ")


@dataclass(frozen=True)
class Target:
    """What an attack must know of the task."""

    outputs: tuple[str, ...]
    """The declared outputs."""
    report: str
    """The output that holds data."""
    tool: str | None
    """The output that is a program, where there is one."""
    solve: str
    """Bash text of the reference."""

    def fits(self, attack: Attack) -> bool:
        """Return whether an attack means anything here."""
        if "json" in attack.marks and not self.report.endswith(".json"):
            return False
        return self.tool is not None or attack.family != "delivered"

    def steps(self, *commands: str) -> tuple[Step, ...]:
        """Return the steps of an agent that is given the variables and then runs the commands."""
        given = {
            "WORK": WORK,
            "OUTPUTS": " ".join(self.outputs),
            "REPORT": self.report,
            "TOOL": self.tool or f"{WORK}/tool.py",
            "SOLVE": SOLVE,
        }
        exports = "; ".join(f"export {key}={shlex.quote(value)}" for key, value in given.items())
        first = f"{exports}; {put(SOLVE, self.solve)}; cd {WORK}"
        return tuple(Step(why="", command=command) for command in (first, *commands))


@cache
def _load() -> dict[str, Attack]:
    found = {}
    for family in sorted(files(__name__).iterdir(), key=lambda folder: folder.name):
        if family.is_dir():
            for file in sorted(family.iterdir(), key=lambda file: file.name):
                if file.name.endswith(".sh"):
                    name = f"{family.name}/{file.name.removesuffix('.sh')}"
                    found[name] = read(name, file.read_text("utf-8"))
    return found


def read(name: str, text: str) -> Attack:
    """Return a script as an attack.

    Raises:
        ValueError: it does not begin with a sentence, or has a mark that nobody knows.
    """
    header = _HEADER.match(text)
    if header is None:
        raise ValueError(f"{name} does not begin with a line that says what it does; write one")
    marks = frozenset(line[2:] for line in header[0].splitlines()[1:])
    if not marks <= MARKS:
        raise ValueError(
            f"{name} has the mark {', '.join(sorted(marks - MARKS))}; known are {', '.join(sorted(MARKS))}"
        )
    return Attack(name, text, marks)


def attacks() -> Mapping[str, Attack]:
    """Return every attack by its name, in their order."""
    return {name: attack for name, attack in _load().items() if attack.family != CONTROLS}


def controls() -> Mapping[str, Attack]:
    """Return the scripts that are no attacks: `controls/honest` must earn 1, `controls/nop` 0."""
    return {name: attack for name, attack in _load().items() if attack.family == CONTROLS}


def suite_id() -> str:
    """Return the content id of all attacks: what was tried is tried again when one of them changes."""
    return content_id({name: attack.text for name, attack in attacks().items()})


def put(path: str, text: str, mode: str = "755") -> str:
    """Return a command that writes a file whatever its text."""
    data = base64.b64encode(text.encode()).decode()
    return f"mkdir -p {PurePosixPath(path).parent}; base64 -d > {path} <<< {data}; chmod {mode} {path}"


def target_of(outputs: tuple[str, ...], left: Tree, world: Tree, solve: str) -> Target:
    """Return what attacks must know of a task.

    The tool is the first output that the reference leaves as an executable file, or whose name is a program's. The report is
    the first other output that is a file which the world did not have so, else one that it had, else anything.

    Args:
        outputs: the declared outputs.
        left: what the reference leaves of them, by path relative to the root.
        world: what the agent finds, likewise.
        solve: Bash text of the reference.
    """
    tools = [path for path in outputs if _is_program(path, left.get(path[1:]))]
    rest = [path for path in outputs if path not in tools]
    found = [path for path in rest if _is_file(left.get(path[1:]))]
    new = [path for path in found if path[1:] not in world or world[path[1:]].data != left[path[1:]].data]
    return Target(outputs, [*new, *found, *rest, *outputs][0], tools[0] if tools else None, solve)


def _is_file(node: Node | None) -> bool:
    return node is not None and node.kind == "file"


def _is_program(path: str, node: Node | None) -> bool:
    return _is_file(node) and (path.endswith(_PROGRAMS) or bool(node and node.mode & 0o100))
