"""The command line: one sub-command per stage, and the ones that show, check, export and mend."""

from __future__ import annotations

import sys
import traceback

import typer
from rich.markup import escape

from skill2env.commands import machine, new, stages
from skill2env.commands.bench import bench
from skill2env.commands.brief import brief
from skill2env.commands.check import check
from skill2env.commands.common import err
from skill2env.commands.docs import docs
from skill2env.commands.intake import import_skills
from skill2env.commands.lint import lint
from skill2env.commands.provenance import provenance
from skill2env.commands.records import records
from skill2env.commands.report import report
from skill2env.commands.rollout import import_trials
from skill2env.commands.show import export, show
from skill2env.commands.soak import soak
from skill2env.errors import ExitCode, Skill2EnvError

NAME = "skill2env"

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)


@app.callback()
def about() -> None:
    """Turn agent skills into validated, executable tasks and a dataset with trajectories."""


stages.register(app)
app.command()(lint)
app.add_typer(new.app, name="new")
app.command()(check)
app.command()(report)
app.command()(brief)
app.command()(show)
app.command()(export)
app.command("import")(import_skills)
app.command()(provenance)
app.command()(docs)
app.command()(bench)
app.command()(soak)
app.command()(records)
app.command("import-trials")(import_trials)
app.command()(machine.doctor)
app.command()(machine.setup)


def _told(error: typer.TyperException) -> str:
    """Return what is wrong with a command line and whose help to read; a group that is named alone is told by its help."""
    context: typer.Context | None = getattr(error, "ctx", None)
    if context is not None and str(error) == context.get_help():
        return str(error)
    message = getattr(error, "format_message", error.__str__)().rstrip(".")
    return f"error: {message}; see `{context.command_path if context else NAME} --help`"


def main() -> None:
    """Run the command line; every expected error is one sentence and its own exit code."""
    try:
        code = app(standalone_mode=False, prog_name=NAME)
        sys.exit(code if isinstance(code, int) else ExitCode.OK)
    except typer.TyperException as error:
        err.print(_told(error), markup=False)
        sys.exit(ExitCode.USAGE)
    except Skill2EnvError as error:
        err.print(f"error: {escape(str(error))}")
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        err.print("stopped; what was finished is kept")
        sys.exit(ExitCode.INTERRUPTED)
    except Exception:
        traceback.print_exc()
        sys.exit(ExitCode.BUG)


if __name__ == "__main__":
    main()
