"""Every exception of the project, and the exit code that the command line gives for it."""

from __future__ import annotations

import errno
from enum import IntEnum
from typing import Any


class ExitCode(IntEnum):
    """Exit codes of every command; documented in docs/cli.md."""

    OK = 0
    """All was done, and nothing that was asked about failed."""
    FOUND = 1
    """The command worked and found faults: a rejected item, a failing gate, something missing."""
    USAGE = 2
    """The command line, `params.yaml` or a named path is wrong."""
    BUG = 3
    """An unexpected error of skill2env itself; a traceback follows."""
    ENGINE = 4
    """No Docker Engine answers, or it went away."""
    TOO_MANY_ERRORS = 5
    """Items errored, and the parameters do not allow to go on without them; run again, what was answered is kept."""
    WORKSPACE = 6
    """The workspace can't be used: it can't be written, the disk is full, or a file of `data/` is missing or damaged."""
    MODEL = 7
    """A language model's endpoint failed or refused, or its answers can't be used; run again, what was answered is kept."""
    BUDGET = 8
    """A budget of money, tokens or seconds for language models is spent; what was answered is kept. Raise it and run again."""
    UNRECORDED = 9
    """Only records may be replayed, and a request to a language model is in none."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C; what was finished is kept."""


_REMEDIES = {
    errno.EROFS: "make it a place that can be written",
    errno.EACCES: "make it yours to write",
    errno.EPERM: "make it yours to write",
    errno.EEXIST: "move away what stands in its place",
    errno.EISDIR: "move away what stands in its place",
    errno.ENOTDIR: "move away what stands in its place",
    errno.ENOENT: "make its folder",
}


def remedy(error: BaseException) -> str:
    """Return what helps where a file can't be written for this error of the system; room, where it says nothing else."""
    return _REMEDIES.get(getattr(error, "errno", None) or 0, "free space")


class Skill2EnvError(Exception):
    """Base of every error that the project raises on purpose; the message is one clear sentence."""

    exit_code = ExitCode.BUG


class UsageError(Skill2EnvError):
    """What the user named or configured is not there or not valid."""

    exit_code = ExitCode.USAGE


class EngineError(Skill2EnvError):
    """The Docker Engine failed a request; the item is recorded as errored and retried on the next run."""

    exit_code = ExitCode.ENGINE


class EngineDown(EngineError):
    """No Docker Engine answers at all; the run ends."""

    def __init__(self, what: str, mend: str = "") -> None:
        """Keep what is wrong and, where it is known apart from that, how to mend it."""
        super().__init__(f"{what}: {mend}." if mend else what)
        self.what, self.mend = what, mend


class TooManyErrors(Skill2EnvError):
    """The run ended because items met infrastructure errors."""

    exit_code = ExitCode.TOO_MANY_ERRORS


class WorkspaceError(Skill2EnvError):
    """`data/` can't be read or written."""

    exit_code = ExitCode.WORKSPACE


class ModelError(Skill2EnvError):
    """A language model's endpoint failed or refused one request; the item is recorded as errored and retried on the next run."""

    exit_code = ExitCode.MODEL


class EndpointUnusable(ModelError):
    """An endpoint would refuse every request, as its key, quota or the model's name is wrong; the run ends."""


class BadAnswer(ModelError):
    """A model's answers don't satisfy the schema that they were asked for, also not when it was told so."""

    def __init__(self, message: str, completions: tuple[Any, ...]) -> None:
        """Make the error; `completions` are the `skill2env.models.chat.Completion` that were made, in their order."""
        super().__init__(message)
        self.completions = completions


class BudgetSpent(Skill2EnvError):
    """A budget for language models is spent; no further request is made under it."""

    exit_code = ExitCode.BUDGET


class MissingRecord(Skill2EnvError):
    """Only records may be replayed, and this request is in none."""

    exit_code = ExitCode.UNRECORDED
