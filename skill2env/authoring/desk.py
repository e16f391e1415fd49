"""The desk at which a model writes a blueprint: its files, the order that keeps the truth first, and what is frozen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from skill2env.models.base import content_id
from skill2env.models.chat import Spent
from skill2env.models.lines import split_lines
from skill2env.models.making import Reopening
from skill2env.models.tree import Tree, text_file
from skill2env.stages.draft import located

MAX_FILES = 80
MAX_FILE_CHARS = 200_000
MAX_REOPENED = 2
_FACTS = ("blueprint.yaml", "world.py", "world/")
_TESTS = ("tests/test_outputs.py",)
_REQUEST = ("instruction.md",)
_ANSWERS = ("solutions/", "mistakes/")
_SHOWN_LINES = 400


class Refused(Exception):
    """The desk does not do what was asked; the message says why, and what to do instead."""


@dataclass(frozen=True)
class Seen:
    """What the bench saw."""

    good: bool
    """Nothing is to be mended."""
    text: str
    """The evidence, for the author."""
    rule: str = "given_up"
    """Rule by which the blueprint is rejected, where nothing better comes after this."""
    spent: Spent = field(default_factory=Spent)
    """What models have cost that were asked for it."""


class Bench(Protocol):
    """Where what lies on the desk is tried."""

    def run_world(self, files: Tree) -> Seen:
        """Make the world at every level; raises EngineError where the infrastructure failed."""

    def world_file(self, level: str, path: str) -> str:
        """Return a file of the world as it was made last."""

    def probe(self, files: Tree) -> Seen:
        """Look at all that can be judged before there is a solution."""

    def check(self, files: Tree, level: str, gates: tuple[str, ...]) -> Seen:
        """Take one level through the named gates, or through all."""

    def submit(self, files: Tree) -> Seen:
        """Take the whole blueprint through everything; raises EngineError, ModelError where the infrastructure failed."""


@dataclass
class Desk:
    """The files of one blueprint while it is written.

    Whatever is asked for, nothing outside of these files is read or written, and a frozen file is never changed.
    """

    bench: Bench
    skill: dict[str, str]
    """Text of each readable file of the skill by its path."""
    rounds: int
    """Times that the whole blueprint may be handed in."""
    files: Tree = field(default_factory=dict)
    frozen: bool = False
    reopened: list[Reopening] = field(default_factory=list)
    accepted: bool = False
    """The blueprint went through everything."""
    submissions: int = 0
    last: Seen = Seen(False, "")
    """What the last submission came to."""
    spent: Spent = field(default_factory=Spent)
    """What models have cost that the bench has asked."""
    given_up: str = ""
    """Why the author gave up; empty while it has not."""
    _world_run: str = ""

    def read_skill(self, path: str = "SKILL.md", first: int = 1, last: int = _SHOWN_LINES) -> str:
        """Return numbered lines of a file of the skill."""
        if path not in self.skill:
            raise Refused(f"the skill has no readable file {path!r}; it has {', '.join(sorted(self.skill))}")
        return _numbered(self.skill[path], first, last)

    def list_files(self) -> str:
        """Return the files that were written, with their sizes."""
        listed = [f"{path} ({len(node.data)} bytes)" for path, node in sorted(self.files.items())]
        return "\n".join(listed) or "nothing was written yet"

    def read_file(self, path: str, first: int = 1, last: int = _SHOWN_LINES) -> str:
        """Return numbered lines of a file that was written."""
        return _numbered(self._text(path), first, last)

    def write_file(self, path: str, text: str) -> str:
        """Write a whole file of the blueprint."""
        self._may_write(path)
        if len(text) > MAX_FILE_CHARS:
            raise Refused(
                f"{path} has {len(text)} characters, and {MAX_FILE_CHARS} are allowed; write a smaller one"
            )
        if path not in self.files and len(self.files) >= MAX_FILES:
            raise Refused(f"there are {MAX_FILES} files already; do with fewer")
        self.files[path] = text_file(text)
        return f"{path} is written: {len(split_lines(text))} lines"

    def replace(self, path: str, old: str, new: str) -> str:
        """Replace a passage that stands exactly once in a file."""
        text = self._text(path)
        count = text.count(old)
        if not old or count != 1:
            raise Refused(
                f"`old` stands {count} times in {path}; give a passage that stands there exactly once"
            )
        return self.write_file(path, text.replace(old, new))

    def delete_file(self, path: str) -> str:
        """Remove a file that was written."""
        self._text(path)
        self._may_write(path)
        del self.files[path]
        return f"{path} is removed"

    def run_world(self) -> str:
        """Make the world at every level, and return truth and files of each."""
        missing = [path for path in _FACTS[:2] if path not in self.files]
        if missing:
            raise Refused(f"there is no {' and no '.join(missing)}; write it first")
        seen = self.bench.run_world(self.files)
        self._world_run = self._world_id() if seen.good else ""
        return seen.text

    def read_world_file(self, level: str, path: str, first: int = 1, last: int = _SHOWN_LINES) -> str:
        """Return numbered lines of a file of the world as it was made last."""
        return _numbered(self.bench.world_file(level, path), first, last)

    def freeze(self) -> str:
        """Look at the verifier, and freeze it if nothing is to be mended."""
        if self.frozen:
            raise Refused("the verifier is frozen already; write solutions/ and mistakes/")
        missing = [path for path in (*_FACTS[:2], *_TESTS, *_REQUEST) if path not in self.files]
        if missing:
            raise Refused(f"the verifier is not whole: there is no {', no '.join(missing)}")
        self._needs_world()
        seen = self.bench.probe(self.files)
        if not seen.good:
            return f"not frozen; mend this first:\n{seen.text}"
        self.frozen = True
        return f"frozen: from now on write only solutions/ and mistakes/\n{seen.text}".rstrip()

    def reopen(self, file: str, quote: str, error: str) -> str:
        """Open the frozen verifier again, for a stated factual error in it."""
        if not self.frozen:
            raise Refused("nothing is frozen; write")
        if len(self.reopened) >= MAX_REOPENED:
            raise Refused(
                f"it was reopened {MAX_REOPENED} times, and no more is allowed; mend the solutions, or give up"
            )
        if file.startswith(_ANSWERS) or quote.strip() not in self._text(file) or len(quote.strip()) < 8:
            raise Refused(
                "quote, word for word, the passage of a frozen file that is wrong (8 characters at least)"
            )
        if len(error.strip()) < 40:
            raise Refused(
                "say in a sentence which fact, file of the world or line of the request the passage contradicts"
            )
        self.reopened.append(Reopening(file=file, quote=quote.strip(), error=error.strip()))
        self.frozen = False
        return "reopened, and counted; mend it, run_world, and freeze again"

    def check(self, level: str, gates: tuple[str, ...] = ()) -> str:
        """Take one level through chosen gates, or all, and return their evidence."""
        self._needs_frozen()
        return self.bench.check(self.files, level, gates).text

    def submit(self) -> str:
        """Hand the blueprint in: everything decides."""
        self._needs_frozen()
        if self.submissions >= self.rounds:
            raise Refused(f"it was handed in {self.rounds} times, and no more is allowed")
        self.submissions += 1
        seen = self.bench.submit(self.files)
        self.accepted, self.last = seen.good, seen
        self.spent += seen.spent
        return seen.text

    def give_up(self, reason: str) -> str:
        """End without a blueprint."""
        if len(reason.strip()) < 10:
            raise Refused("say in a sentence why it can't be made into a sound task")
        self.given_up = reason.strip()
        return "given up"

    def _text(self, path: str) -> str:
        if path not in self.files:
            raise Refused(f"there is no {path!r}; there are {', '.join(sorted(self.files)) or 'no files'}")
        return self.files[path].data.decode("utf-8")

    def _may_write(self, path: str) -> None:
        """Refuse a path that the format does not know, that is frozen, or whose turn has not come."""
        parts = path.split("/")
        known = path in (*_FACTS, *_TESTS, *_REQUEST) or path.startswith(("world/", *_ANSWERS))
        if not known or any(part in ("", ".", "..") for part in parts) or not path.isprintable():
            raise Refused(
                f"{path!r} is no file of a blueprint; write blueprint.yaml, world.py, world/..., tests/test_outputs.py, "
                "instruction.md, solutions/....sh or mistakes/....sh"
            )
        answers = path.startswith(_ANSWERS)
        if answers and not self.frozen:
            raise Refused(
                "the verifier is not frozen; solutions and mistakes are written afterwards, so that they can't shape it"
            )
        if not answers and self.frozen:
            raise Refused(f"{path} is frozen; mend the solutions, or reopen it for a factual error")
        if path in (*_TESTS, *_REQUEST):
            self._needs_world()
        if path in _REQUEST and _TESTS[0] not in self.files:
            raise Refused("write tests/test_outputs.py first: the request says what the tests demand")

    def _needs_world(self) -> None:
        if self._world_run != self._world_id():
            raise Refused("the world as it is written now was not made without a fault; run_world first")

    def _needs_frozen(self) -> None:
        if not self.frozen:
            raise Refused("freeze the verifier first")

    def _world_id(self) -> str:
        """Return a content id of what the world is made from; the rubric is not part of it."""
        parts = {
            path: node.data.decode("utf-8")
            for path, node in self.files.items()
            if path == "world.py" or path.startswith("world/")
        }
        return content_id([parts, repr(self._knobs())])

    def _knobs(self) -> object:
        """Return what of blueprint.yaml shapes the world; the whole text where it is no YAML."""
        node = self.files.get("blueprint.yaml")
        text = node.data.decode("utf-8") if node else ""
        value, _, faults = located.load(text, "blueprint.yaml")
        if faults or not isinstance(value, dict):
            return text
        return {key: value.get(key) for key in ("knobs", "seeds", "toolchain", "packages")}


def _numbered(text: str, first: int, last: int) -> str:
    lines = split_lines(text)
    first, last = max(first, 1), min(last, first + _SHOWN_LINES - 1, len(lines))
    shown = "\n".join(f"{number:>4} {lines[number - 1]}" for number in range(first, last + 1))
    rest = len(lines) - last
    return (shown or "no such lines") + (f"\n({rest} more lines)" if rest > 0 else "")
