"""A blueprint: the source of a family of tasks, as `blueprint.yaml` and the files beside it say it."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from skill2env.models.base import Record
from skill2env.models.fields import AbsolutePath, Line, Slug, SnakeCase, Source
from skill2env.models.making import Making
from skill2env.models.rubric import Criterion

LEVELS: tuple[Level, ...] = ("easy", "medium", "hard")
Level = Literal["easy", "medium", "hard"]


class Persona(Record):
    """Who asks for the work, and how."""

    who: SnakeCase
    """The role of whoever asks."""
    expertise: Literal["novice", "practitioner", "expert"]
    """What they know of the trade."""
    tone: Literal["problem_only", "casual", "formal", "ticket"]
    """How the instruction is written."""


class Packages(Record):
    """Pinned packages that the toolchain lacks."""

    apt: tuple[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.+-]+=[\w.+:~*-]+$")], ...] = ()
    """Debian packages, `name=version`; a `*` may end the version."""
    pip: tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]*==[\w.+!-]+$")], ...] = ()
    """Python packages, `name==version`."""
    npm: tuple[Annotated[str, Field(pattern=r"^(@[\w.-]+/)?[\w.-]+@[\w.+-]+$")], ...] = ()
    """Node packages, `name@version`; needs a toolchain with npm."""


class Limits(Record):
    """What a trial may use."""

    agent_sec: Annotated[int, Field(ge=5, le=7200)]
    """Wall seconds that an agent has."""
    verifier_sec: Annotated[int, Field(ge=1, le=600)]
    """Wall seconds that the verifier has."""
    memory_mb: Annotated[int, Field(ge=64, le=16384)]
    """Memory of the agent's container in MB; there is no swap."""
    cpus: Annotated[float, Field(gt=0, le=16)]
    """Cpus of the agent's container."""
    pids: Annotated[int, Field(ge=16, le=4096)] = 256
    """Processes and threads in the agent's container."""


class Author(Record):
    """Who wrote the blueprint, truthfully."""

    kind: Literal["person", "agent", "model"]
    """A person, a coding agent or a model author."""
    name: Line
    """Who."""
    date: datetime.date
    """When."""


class BlueprintSpec(Record):
    """The content of `blueprint.yaml`."""

    schema_version: Literal["1"]
    """Version of this format."""
    title: Line
    """What the task is, in one line."""
    workflow: Line
    """Which capability of the skill it exercises."""
    archetype: SnakeCase
    """Kind of work; an open vocabulary."""
    verifier_pattern: SnakeCase
    """How it is graded; an open vocabulary."""
    persona: Persona
    """Who asks, and how."""
    toolchain: SnakeCase
    """Image family: a file in dockerfiles/."""
    packages: Packages = Packages()
    """Pinned extras that the toolchain lacks."""
    knobs: Annotated[dict[SnakeCase, dict[Level, Any]], Field(min_length=1)]
    """Difficulty dials: a value for each level."""
    seeds: Annotated[tuple[Annotated[int, Field(ge=0, le=2**31 - 1)], ...], Field(min_length=1)]
    """Seeds; each gives another world with another truth."""
    seed_independent: bool = False
    """True where the right outputs are the same for every seed, as a program is that is graded on hidden inputs."""
    outputs: Annotated[tuple[AbsolutePath, ...], Field(min_length=1)]
    """The only paths that the verifier will see."""
    limits: Limits
    """What a trial may use."""
    skill_refs: Annotated[tuple[Source, ...], Field(min_length=1)]
    """Lines of the skill that the task exercises."""
    rubric: Annotated[tuple[Criterion, ...], Field(min_length=1)]
    """The behavioural criteria, in order."""
    author: Author
    """Who wrote it."""

    @field_validator("knobs")
    @classmethod
    def _same_levels(cls, knobs: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        levels = {name: frozenset(values) for name, values in knobs.items()}
        if len(set(levels.values())) > 1:
            raise ValueError(
                "every knob must name the same levels: "
                + "; ".join(f"{n}: {sorted(v)}" for n, v in levels.items())
            )
        if not all(levels.values()):
            raise ValueError("a knob needs a value for at least one level")
        return knobs

    @field_validator("seeds", "outputs")
    @classmethod
    def _distinct(cls, values: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(set(values)) != len(values):
            raise ValueError("the same value stands twice")
        return values

    @field_validator("rubric")
    @classmethod
    def _distinct_ids(cls, rubric: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
        ids = [criterion.id for criterion in rubric]
        if len(set(ids)) != len(ids):
            raise ValueError("two criteria have the same id")
        return rubric

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels that the knobs name, easiest first."""
        named = next(iter(self.knobs.values()))
        return tuple(level for level in LEVELS if level in named)

    def knob_values(self, level: str) -> dict[str, Any]:
        """Return every knob's value at a level."""
        return {name: values[level] for name, values in self.knobs.items()}  # type: ignore[index]


class Step(Record):
    """One step of a script: why, and the commands."""

    why: str
    """The agent's words, from the `#>` lines."""
    command: str
    """Bash text."""


class Script(Record):
    """A scripted solution or mistake."""

    name: Slug
    """File name without `.sh`."""
    role: Literal["reference", "alternative", "mistake"]
    """What it must earn: 1, 1, or less than 1."""
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    """The steps, run in one shell."""
    slip: str = ""
    """For a mistake: what the careless solver does."""
    fails_at: tuple[Level, ...] = ()
    """For a mistake: the levels at which it must earn less than 1."""
    source: str = ""
    """For a mistake: the lines of the skill that warn of it; empty where the script names none."""


class Blueprint(Record):
    """A whole blueprint, read and found sound; static world files travel as the item's blob."""

    skill_id: str
    """The skill that it belongs to."""
    skill_tree_sha256: str
    """Content id of that skill's folder."""
    name: Slug
    """Name of the blueprint's folder."""
    spec: BlueprintSpec
    """The content of `blueprint.yaml`."""
    instruction: str
    """Jinja2 text of `instruction.md`."""
    world: str
    """Text of `world.py`."""
    world_files_sha256: str = ""
    """Content id of the archive of static world files; empty without any."""
    tests: str
    """Text of `tests/test_outputs.py`."""
    scripts: tuple[Script, ...]
    """The reference, the alternatives and the mistakes."""
    made: Making | None = None
    """How a model came to write it, and what that cost; null where a person or a coding agent did."""

    @property
    def blueprint_id(self) -> str:
        """`<skill>--<blueprint>`."""
        return f"{self.skill_id}--{self.name}"

    @property
    def reference(self) -> Script:
        """The reference solution."""
        return next(script for script in self.scripts if script.role == "reference")
