"""Parameters of the driver, of import and of each stage."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skill2env.models.base import Record
from skill2env.models.blueprint import Level

Share = Annotated[float, Field(ge=0, le=0.5)]


class DriverParams(Record):
    """How the driver runs every stage."""

    workers: Annotated[int, Field(ge=1, le=256)] = 4
    """Items worked on at the same time; twice the cores is a good value, since much of the time is waiting for the engine."""
    max_errors: Annotated[int, Field(ge=0)] = 20
    """A run ends at once, with exit code 5, when more items than this errored in one stage."""
    go_on_without_errored: bool = False
    """False: a stage in which an item errored ends with exit code 5 when all others are answered, so that the next run tries
    it again. True: the pipeline goes on without such items, and the next run tries them only when the stage runs again."""


class ImportParams(Record):
    """What `skill2env import` takes, and how many of one kind."""

    licences: tuple[str, ...] = (
        "0BSD",
        "AGPL-3.0-only",
        "AGPL-3.0-or-later",
        "Apache-2.0",
        "Artistic-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSL-1.0",
        "CC-BY-3.0",
        "CC-BY-4.0",
        "CC-BY-SA-3.0",
        "CC-BY-SA-4.0",
        "CC0-1.0",
        "EPL-2.0",
        "EUPL-1.2",
        "GPL-2.0-only",
        "GPL-2.0-or-later",
        "GPL-3.0-only",
        "GPL-3.0-or-later",
        "ISC",
        "LGPL-2.1-only",
        "LGPL-2.1-or-later",
        "LGPL-3.0-only",
        "LGPL-3.0-or-later",
        "MIT",
        "MIT-0",
        "MPL-2.0",
        "NCSA",
        "PostgreSQL",
        "Unlicense",
        "UPL-1.0",
        "WTFPL",
        "Zlib",
    )
    """SPDX names of the licences that let all pass on changed copies; skills under others are kept by reference or not at all."""
    similarity: Annotated[float, Field(ge=0.5, le=1)] = 0.8
    """Share of common five-word sequences (Jaccard, by MinHash) from which two skills are near copies: of one cluster, which
    no split of the dataset tears apart."""
    max_per_cluster: Annotated[int, Field(ge=1)] = 1
    """Near copies of each other that a corpus takes in; exact copies count once in any case."""
    max_per_repository: Annotated[int, Field(ge=1)] = 200
    """Skills of one origin that a corpus takes in."""
    max_per_author: Annotated[int, Field(ge=1)] = 200
    """Skills of one author that a corpus takes in: who the frontmatter names, else the owner of the repository."""


class ParseParams(Record):
    """The parse stage has no parameters."""


class AuthorParams(Record):
    """The model author: who writes, about what, and within which bounds."""

    model: str = ""
    """Who plans and writes, as `<endpoint>/<model>`."""
    skills: tuple[str, ...] = ()
    """Names of the skills that it writes for; none means those that no authored blueprint exists for."""
    workflows: Annotated[int, Field(ge=1, le=6)] = 2
    """Blueprints per skill, at most."""
    rounds: Annotated[int, Field(ge=1, le=20)] = 4
    """Times that a blueprint may be handed in before it is given up."""
    turns: Annotated[int, Field(ge=5, le=1000)] = 120
    """Completions per blueprint."""
    tokens: Annotated[int, Field(ge=10_000)] = 3_000_000
    """Tokens read and written per blueprint, those of blind attempts included."""
    blind: bool = True
    """What all gates accept is also solved from its request alone, once at each level, by a model that sees neither skill nor
    tests, within the bounds of `rollout`. Where it fails, a model that sees everything says whose fault it is."""
    blind_model: str = ""
    """Who solves blindly and who says whose fault it is, as `<endpoint>/<model>`; empty: the author's own model, asked anew."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """Sampling temperature; null leaves it to the endpoint."""
    max_tokens: Annotated[int, Field(ge=256)] = 16_384
    """Tokens that one completion may have."""


class DraftParams(Record):
    """Where blueprints come from."""

    authors: Annotated[tuple[Literal["authored", "model"], ...], Field(min_length=1)] = ("authored",)
    """Sources of blueprints, in order. `authored`: the folders in `skills_corpus/blueprints/`. `model`: the model author."""
    author: AuthorParams = AuthorParams()
    """The model author."""


class BuildParams(Record):
    """How blueprints become tasks."""

    levels: Annotated[tuple[Level, ...], Field(min_length=1)] = ("easy", "medium", "hard")
    """Levels that are built, of those that a blueprint has."""
    max_seeds: Annotated[int, Field(ge=1)] = 1
    """At most this many of a blueprint's seeds are built, in their order: 2 makes twice the tasks in twice the time."""
    world_sec: Annotated[int, Field(ge=1, le=3600)] = 60
    """Wall seconds that one execution of `world.py` may take."""
    max_world_mb: Annotated[int, Field(ge=1, le=1024)] = 20
    """Size in MB that a world may have."""


class ValidateParams(Record):
    """How strict the gates are."""

    oracle_runs: Annotated[int, Field(ge=2, le=100)] = 3
    """Executions of the reference; all after the first are perturbed in turn."""
    max_mutants: Annotated[int, Field(ge=1, le=1000)] = 24
    """At most this many mutants of the right outputs are judged per task, besides those that mean the same."""
    min_kill_rate: Annotated[float, Field(ge=0, le=1)] = 0.95
    """Share of the mutants of data that the tests must refuse."""
    min_program_kill_rate: Annotated[float, Field(ge=0, le=1)] = 0.6
    """Share of the mutants of delivered programs that the tests must refuse; which of them mean the same can't be decided."""
    min_headroom: Annotated[float, Field(ge=1)] = 3
    """A limit must be at least this many times what the reference used."""
    max_headroom: Annotated[float, Field(ge=1)] = 200
    """A limit may be at most this many times what the reference used, where it is above the floor of docs/validate.md."""
    max_image_mb: Annotated[int, Field(ge=1)] = 2000
    """Size in MB that a task's image may have."""
    max_build_sec: Annotated[int, Field(ge=1)] = 300
    """Wall seconds that building a task's image may take."""
    attacks_per_task: Annotated[int, Field(ge=0, le=200)] = 2
    """Attacks on the verifier that are tried on each task, other ones on each; 0 tries none."""


class RolloutParams(Record):
    """What a trajectory holds, and which models attempt the tasks."""

    output_chars: Annotated[int, Field(ge=200, le=200_000)] = 8000
    """Characters of a step's output that the agent sees; the middle of a longer one is left out."""
    models: tuple[str, ...] = ()
    """Who attempts the accepted tasks, each as `<endpoint>/<model>`; none needs no endpoint."""
    conditions: Annotated[tuple[Literal["bare", "mounted", "prompt"], ...], Field(min_length=1)] = (
        "bare",
        "mounted",
    )
    """What a model has of the skill. `bare`: nothing. `mounted`: its folder, where agents look for skills. `prompt`: its SKILL.md
    in the system message. The lift of a skill is what `mounted` and `prompt` bring over `bare`."""
    attempts: Annotated[int, Field(ge=1, le=100)] = 4
    """Attempts of each model at each task under each condition."""
    max_turns: Annotated[int, Field(ge=1, le=1000)] = 40
    """Completions that one attempt may have."""
    max_tokens: Annotated[int, Field(ge=1)] = 500_000
    """Tokens, read and written in all turns together, after which an attempt gets no further turn."""
    max_turn_tokens: Annotated[int, Field(ge=1)] = 8192
    """Tokens that one completion may have."""
    max_model_sec: Annotated[int, Field(ge=1, le=86_400)] = 1800
    """Seconds of waiting for the model after which an attempt gets no further turn. The seconds of its commands are counted
    apart, by the task's `agent_sec`."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """How a model's answers are drawn; null leaves it to the endpoint."""
    judge_model: str = ""
    """Who answers the criteria that are questions, as `<endpoint>/<model>`; empty: they stay unanswered."""
    judge_repeats: Annotated[int, Field(ge=1, le=25)] = 3
    """Times that each question is asked; most answers decide."""


class PublishParams(Record):
    """How the dataset is split, and what it is compared with."""

    validation_share: Share = 0.1
    """Share of the skills whose rows go to the validation split."""
    test_share: Share = 0.1
    """Share of the skills whose rows go to the test split."""
    benchmarks: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Texts of public benchmarks that are at hand, which the instructions are compared with: paths of folders or files, relative
    to the workspace or absolute. Read are task directories with an `instruction.md`, `.md` and `.txt` files (one item each), and
    `.jsonl` and `.parquet` files (one item a line or row). None: overlap is not measured."""
