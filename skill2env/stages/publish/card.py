"""The dataset card and docs/dataset.md, both generated from the row models."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import yaml

from skill2env.escaped import markdown
from skill2env.models.base import Record
from skill2env.models.columns import columns
from skill2env.models.rows import CONFIGS, SPLITS

_LICENCES = {
    "0bsd",
    "apache-2.0",
    "bsd-2-clause",
    "bsd-3-clause",
    "cc-by-4.0",
    "cc-by-sa-4.0",
    "cc0-1.0",
    "gpl-3.0",
    "isc",
    "mit",
    "mpl-2.0",
    "unlicense",
}
"""Licences that the Hub knows by the SPDX name in lower case."""
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
_TAGS = ["rl-environment", "harbor", "agent-traces", "agent-skills", "tool-use", "verifiable-rewards", "sft"]

_INTRODUCTION = """\
Tasks for coding agents, made from *Agent Skills* (folders with a `SKILL.md` that teach how to do some kind of work). A task is
a container with something to do in it, an instruction, hidden programmatic tests that give a reward, a behavioural rubric, and
a reference solution that was really executed. Every task passed every gate: doing nothing earns nothing, the reference earns 1
in every run and in other surroundings, every alternative solution earns 1, every plausible mistake earns less, and the answer
is nowhere to be read. What was refused is in the config `rejected`, with the reason.
"""
_SCRIPTED = """\
All trajectories are *scripted*: a script was executed step by step in the task's container, and nothing was written by a
model. `difficulty` is null until models have attempted the tasks, and no model was paid for (`cost_usd` is 0).
"""
_MODELS = """\
Trajectories by who acted (`source`): {counts}. What is `scripted` was executed step by step in the task's container, and
nothing in it was written by a model; the others are a model's doing, with its tokens and its cost.
"""

_LOADING = """\
```python
from datasets import load_dataset

tasks = load_dataset("data/dataset", "tasks", split="train")      # the default config
sft = load_dataset("data/dataset", "sft", split="train")          # ready for trl's SFTTrainer: messages and tools
```

It takes `datasets` 4.7 or newer, which knows the type of `messages` and `tools`. Some attempts reach the result and yet go
against the skill's rubric: `sft.filter(lambda row: not row["rubric_violated"])` leaves them out.

`messages` and `tools` are loaded as they are in a chat: a message has only the keys that its role has, and the arguments of a
tool call are an object, as chat templates want them. Columns of type *JSON text* are read with `json.loads`.
"""

_WRITING_BACK = """\
`files` is the whole task directory, a Harbor task that runs as it is. `skill2env export TASK_ID --to FOLDER` writes it with the
very modes that its content id is made of; without skill2env:

```python
import io, tarfile

task = tasks[0]
tarfile.open(fileobj=io.BytesIO(task["files"])).extractall(task["task_id"], filter="data")
```

Then `harbor run -p FOLDER -a oracle` runs it: `pip install harbor` with Python 3.12 or newer, and Docker with its compose and
buildx plugins. The directory holds tests and solution: keep `tests/` and `solution/` away from an agent, as Harbor does.
"""

_SPLITTING = """\
A skill never crosses a split, nor do near copies of one another: everything made from them is in one split. Groups of near
copies are ranked by a hash of the name of their first skill and cut by count (`publish.validation_share`,
`publish.test_share`), the ones that gave tasks by themselves, so a skill that is added can move another one.
"""

_OVERLAP = """\
How much of each instruction stands word for word in texts of public benchmarks, as the largest share of its 13-word sequences in
one item: `benchmark_overlap`, and the item in `benchmark_item`. Rows of `sft` and `trajectories` name their task in `task_id`.
Compared were {benchmarks}.

{sharing} of {tasks} tasks share a sequence with any item; the largest share is {share:.1%}.
"""
_UNCOMPARED = """\
Overlap with public benchmarks was not measured for this dataset; name texts of benchmarks that you have in `publish.benchmarks`
and publish again, and it is.
"""

_MEASURED = """\
Columns marked *varies* hold seconds, sizes and what containers printed. All other columns are the same in every run over the
same corpus; `fingerprint` in `metrics/publish.json` is a sha256 over exactly those.
"""

_EMPTY = """\
A config without any row holds a single row of nulls, since `load_dataset` refuses to load no rows at all. Here that is: {names}.
"""


def dataset_page() -> str:
    """Return docs/dataset.md."""
    parts = [
        "# The dataset",
        "<!-- Generated from skill2env/models/rows.py and task_row.py by `skill2env docs`; edit the docstrings there. -->",
        "`data/dataset/` is a folder of parquet files with a dataset card, which loads as it is and can be uploaded as it is.",
        "## Loading",
        _LOADING,
        "## Writing a task back",
        _WRITING_BACK,
        "## Splits",
        _SPLITTING,
        "## Columns",
        _MEASURED + _EMPTY.partition(" Here")[0],
        _column_tables("###"),
    ]
    return _page(parts)


def card(
    splits: Mapping[str, Sequence[str]],
    digests: Mapping[str, str],
    figures: Mapping[str, Any],
    licences: Collection[str],
) -> str:
    """Return the README.md of a dataset.

    Args:
        splits: the splits for which each config has a file.
        digests: sha256 over the files of each config. It stands in the header because `load_dataset` caches a local folder
            by its name and header alone, and would go on to load the rows of an earlier dataset.
        figures: the figures of `metrics/publish.json`.
        licences: licences of the tasks.
    """
    header = {
        "pretty_name": "skill2env tasks",
        "license": _licence(licences),
        "language": ["en"],
        "task_categories": ["text-generation"],
        "size_categories": [_size(figures["accepted_tasks"])],
        "tags": _TAGS,
        "configs": [_config(config, splits[config], digests[config]) for config in CONFIGS],
    }
    rows = figures["rows"]
    empty = [f"`{config}`" for config in CONFIGS if not rows[config]]
    parts = [
        f"---\n{yaml.safe_dump(header, sort_keys=False, allow_unicode=True, width=1000)}---",
        "# skill2env tasks",
        _INTRODUCTION,
        _acted(figures["trajectories_by_source"]),
        "## In figures",
        _figures(figures),
        _table(
            ("Config", *SPLITS),
            [(f"`{config}`", *(rows[config].get(s, 0) for s in SPLITS)) for config in CONFIGS],
        ),
        *([_EMPTY.format(names=", ".join(empty))] if empty else []),
        "What became of every item, stage by stage:",
        _funnel(figures["funnel"]),
        "## Loading",
        _LOADING,
        "## Writing a task back",
        _WRITING_BACK,
        "## Splits",
        _SPLITTING,
        "## Overlap with benchmarks",
        _overlap(figures),
        "## Columns",
        _MEASURED,
        _column_tables("###"),
        "## Licence",
        "The column `licence` states for every row the licence of the skill that it was made from, under which the row may be "
        "used.",
    ]
    return _page(parts)


def _config(config: str, splits: Sequence[str], digest: str) -> dict[str, Any]:
    return {
        "config_name": config,
        **({"default": True} if config == next(iter(CONFIGS)) else {}),
        "description": f"{(CONFIGS[config].__doc__ or '').strip()} sha256 {digest[:16]}",
        "data_files": [{"split": split, "path": f"{config}/{split}.parquet"} for split in splits],
    }


def _licence(licences: Collection[str]) -> str | list[str]:
    names = sorted({licence.strip().lower() for licence in licences})
    if not names or not set(names) <= _LICENCES:
        return "other"
    return names[0] if len(names) == 1 else names


def _size(count: int) -> str:
    return next((name for bound, name in _SIZES if count < bound), "100K<n<1M")


def _figures(figures: Mapping[str, Any]) -> str:
    passing, failing = figures["passing_trajectories"], figures["failing_trajectories"]
    lines = [
        f"{figures['accepted_tasks']} tasks from {figures['skills_with_tasks']} of {figures['skills']} skills; "
        f"{passing} passing and {failing} failing trajectories.",
        f"{figures['sft_rows']} conversations in `sft` of {figures['sft_distinct_assistants']} different assistants: the levels "
        "of a blueprint are other worlds and requests for the same scripts (`assistant_sha256` is equal then).",
        *(
            f"Tasks by {kind.replace('_', ' ')}: {_counts(figures[f'tasks_by_{kind}'])}."
            for kind in ("level", "toolchain")
        ),
        f"Archetypes: {_counts(figures['tasks_by_archetype'])}.",
        f"Verifier patterns: {_counts(figures['tasks_by_verifier_pattern'])}.",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _overlap(figures: Mapping[str, Any]) -> str:
    found = figures.get("overlap")
    if not found:
        return _UNCOMPARED
    benchmarks = [
        f"{markdown(one['name'])} ({one['items']} items, content id `{one['sha256'][:16]}`)"
        for one in found["benchmarks"]
    ]
    return _OVERLAP.format(
        benchmarks=", ".join(benchmarks),
        sharing=found["tasks_sharing"],
        tasks=figures["accepted_tasks"],
        share=found["share_max"],
    )


def _acted(sources: Mapping[str, int]) -> str:
    return _SCRIPTED if set(sources) <= {"scripted"} else _MODELS.format(counts=_counts(sources))


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


def _funnel(funnel: Mapping[str, Mapping[str, Any]]) -> str:
    names = ("inputs", "accepted", "rejected", "errored")
    return _table(
        ("Stage", *names), [(stage, *(counts[name] for name in names)) for stage, counts in funnel.items()]
    )


def _column_tables(heading: str) -> str:
    return "\n\n".join(f"{heading} `{config}`\n\n{_columns(model)}" for config, model in CONFIGS.items())


def _columns(model: type[Record]) -> str:
    rows = [
        (f"`{column.name}`", column.type_name, "varies" if column.measured else "", column.meaning)
        for column in columns(model)
    ]
    return f"{(model.__doc__ or '').strip()}\n\n{_table(('Column', 'Type', '', 'Meaning'), rows)}"


def _table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def _page(parts: Sequence[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"
