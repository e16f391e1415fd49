"""`skill2env docs`: the pages of docs/ that are made from the code, so that they can't drift from it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel

from skill2env.commands.common import out
from skill2env.errors import ExitCode, UsageError
from skill2env.stages import ITEM_STAGES

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from skill2env.store.workspace import Workspace

README = "../README.md"

Folder = Annotated[Path, typer.Option("--folder", help="The docs folder.")]
Check = Annotated[bool, typer.Option("--check", help="Only say which pages are stale.")]


def docs(folder: Folder = Path("docs"), check: Check = False) -> None:
    """Write the generated pages of docs/."""
    from skill2env.store.workspace import write_text

    stale = []
    main = readme(_kept(folder), folder.parent)
    for name, text in {**pages(folder.parent), README: main}.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                write_text(path, text)
    for name in stale:
        out.print(f"{'stale' if check else 'written'}: {folder / name}", markup=False)
    raise typer.Exit(ExitCode.FOUND if check and stale else ExitCode.OK)


def _kept(folder: Path) -> str:
    """Return the README beside a docs folder, which is ours by the marks between which its tables are written.

    Raises:
        UsageError: there is none, or it has no such marks.
    """
    path = folder.parent / "README.md"
    text = path.read_text(encoding="utf-8") if folder.is_dir() and path.is_file() else ""
    if not all(
        f"<!-- {place} {name} -->" in text for name in ("funnel", "strength") for place in ("begin", "end")
    ):
        raise UsageError(
            f"{folder}: is no docs folder beside a README.md with marks for its tables; run in a clone of the repository, "
            "or name its docs folder with --folder"
        )
    return text


def readme(text: str, workspace: Path) -> str:
    """Return the README with the funnel and the strength as the workspace's metrics have them."""
    from skill2env.store.workspace import Workspace

    rows = [Workspace(workspace).read_metrics(name) for name in ITEM_STAGES]
    lines = ["| Stage | Inputs | Accepted | Rejected | Errored |", "|---|---|---|---|---|"]
    lines += [
        f"| {row['stage']} | {row['inputs']} | {row['accepted']} | {sum(row['rejected'].values())} | {row['errored']} |"
        for row in rows
        if row
    ]
    return _between(_between(text, "funnel", lines), "strength", _summary(Workspace(workspace)))


def _between(text: str, name: str, lines: list[str]) -> str:
    """Return a text with lines in the place of what stands between a pair of marks."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    before, rest = text.split(begin, 1)
    return before + "\n".join([begin, *lines, end]) + rest.split(end, 1)[1]


def _summary(workspace: Workspace) -> list[str]:
    figures, soaked = workspace.read_metrics("strength"), workspace.read_metrics("soak")
    lines = ["| What was tried | How often | Well |", "|---|---|---|"]
    if figures:
        rate = f"{figures['kill_rate_mean']:.1%} a task on average, {figures['kill_rate_min']:.1%} at least"
        for what, tried, well in (
            ("run the reference, also elsewhere, later, as another user", "oracle_runs", "oracle_passes"),
            ("solve it in quite another way", "alternatives", "alternatives_passed"),
            ("make a mistake that the skill warns of", "mistakes", "mistakes_caught"),
            ("leave out a part of the reference", "drops", "drops_failed"),
            (f"change the right outputs, delivered programs apart ({rate})", "mutants", "mutants_killed"),
            ("write the right outputs otherwise", "equivalents", "equivalents_accepted"),
        ):
            lines.append(f"| {what} | {figures[tried]} | {figures[well]} |")
        for what, tried, badly in (
            ("take a shortcut", "shortcuts", "shortcuts_paid"),
            ("attack the verifier", "attacks_tried", "attacks_succeeded"),
        ):
            lines.append(f"| {what} | {figures[tried]} | {figures[tried] - figures[badly]} |")
    if soaked:
        well = soaked["runs"] - soaked["flakes"]
        lines.append(f"| judge the same outputs again (`skill2env soak`) | {soaked['runs']} | {well} |")
    return lines


def pages(workspace: Path) -> dict[str, str]:
    """Return every generated page by its name below docs/."""
    from skill2env.models.blueprint import BlueprintSpec
    from skill2env.stages.publish.card import dataset_page

    schema = json.dumps(BlueprintSpec.model_json_schema(), indent=2, ensure_ascii=False) + "\n"
    return {
        "blueprint.schema.json": schema,
        "parameters.md": _parameters(),
        "cli.md": _cli(),
        "dataset.md": dataset_page(),
        "strength.md": _strength(workspace),
    }


def _strength(workspace: Path) -> str:
    from skill2env.store.workspace import Workspace
    from skill2env.strength import lines_of

    figures = Workspace(workspace).read_metrics("strength")
    soaked = Workspace(workspace).read_metrics("soak")
    lines = [
        "# Strength",
        "",
        "What the verifiers of this project's own corpus are worth: the figures of `skill2env validate --report` and",
        "`skill2env soak`, generated from `metrics/strength.json` and `metrics/soak.json`. What each gate asks is in",
        "[validate.md](validate.md).",
        "",
        *(lines_of(figures) if figures else ["Nothing was validated yet."]),
    ]
    if soaked:
        lines += [
            "",
            f"`skill2env soak` judged outputs of {soaked['tasks']} tasks again: {soaked['flakes']} flakes in {soaked['runs']} "
            f"judgements, which with {soaked['confidence']:.0%} confidence are at most {soaked['flake_rate_at_most']:.3%}. "
            f"{soaked['unsteady']} judgements gave the same reward with other messages.",
        ]
    return "\n".join(lines) + "\n"


def _parameters() -> str:
    from skill2env.params import Params

    lines = [
        "# Parameters",
        "",
        "Generated from `skill2env/params/`. Every key of `params.yaml`, its default, its type with bounds, and its meaning.",
        "",
        "| Parameter | Default | Type | Meaning |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| `{name}` | `{default}` | {kind} | {text} |" for name, default, kind, text in _rows(Params, "")
    ]
    return "\n".join(lines) + "\n"


def _rows(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, str, str, str]]:
    for name, field in model.model_fields.items():
        key = f"{prefix}{field.alias or name}"
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from _rows(annotation, f"{key}.")
        else:
            default = json.dumps(field.default, ensure_ascii=False, default=list)
            yield key, default, _type(model, field, name), (field.description or "").replace("\n", " ")


def _type(model: type[BaseModel], field: FieldInfo, name: str) -> str:
    schema: dict[str, Any] = model.model_json_schema()["properties"][field.alias or name]
    schema |= next((kind for kind in schema.get("anyOf", ()) if kind["type"] != "null"), {})
    bounds = [
        f"{word} {schema[key]:g}"
        for key, word in (("minimum", "at least"), ("maximum", "at most"))
        if key in schema
    ]
    items = schema.get("items", {})
    values = items.get("enum") or ([items["const"]] if "const" in items else [])
    kind = f"list of {', '.join(f'`{value}`' for value in values)}" if values else str(schema.get("type", ""))
    return ", ".join([kind, *bounds])


def _cli() -> str:
    from typer.main import get_command

    from skill2env.cli import app

    lines = ["# Commands and exit codes", "", "Generated from the command line's own help.", ""]
    for name, command in _commands(get_command(app), ""):
        with command.make_context(name, [], resilient_parsing=True) as context:
            usage = " ".join(command.collect_usage_pieces(context))
            lines += [f"## `skill2env {name} {usage}`", "", command.help or "", ""]
            for parameter in command.params:
                if record := parameter.get_help_record(context):
                    lines.append(f"- `{record[0]}`: {record[1]}")
        lines.append("")
    lines += ["## Exit codes", "", "| Code | Name | Means |", "|---|---|---|"]
    lines += [f"| {code.value} | `{code.name}` | {text} |" for code, text in _exit_codes()]
    return "\n".join(lines) + "\n"


def _commands(group: Any, before: str) -> Iterator[tuple[str, Any]]:
    """Yield the name and the command of each command, with those of groups one by one."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _exit_codes() -> Iterator[tuple[ExitCode, str]]:
    """Yield each exit code with the docstring under it."""
    import ast
    import inspect

    from skill2env import errors

    tree = ast.parse(inspect.getsource(errors))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "ExitCode")
    for assigned, docstring in pairwise(body):
        if (
            isinstance(assigned, ast.Assign)
            and isinstance(docstring, ast.Expr)
            and isinstance(docstring.value, ast.Constant)
        ):
            name = assigned.targets[0]
            if isinstance(name, ast.Name):
                yield ExitCode[name.id], str(docstring.value.value)
