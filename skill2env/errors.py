"""Every exception of the project, and the exit code that the command line gives for it."""

from __future__ import annotations

from enum import IntEnum


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
    """The workspace can't be used: the disk is full, or a file of `data/` is damaged."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C; what was finished is kept."""


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


class TooManyErrors(Skill2EnvError):
    """The run ended because items met infrastructure errors."""

    exit_code = ExitCode.TOO_MANY_ERRORS


class WorkspaceError(Skill2EnvError):
    """`data/` can't be read or written."""

    exit_code = ExitCode.WORKSPACE
