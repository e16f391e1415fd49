"""The images of one task: its environment, built from its directory, and the verifier's; each made when it is first needed."""

from __future__ import annotations

import contextlib
import io
import time
from dataclasses import dataclass
from functools import cached_property

from skill2env.errors import EngineError
from skill2env.interop.harbor import verifier_dockerfile
from skill2env.models.base import content_id
from skill2env.models.task import Task
from skill2env.models.tree import below, pack, text_file, unpack
from skill2env.sandbox.building import build_image, engine_errors
from skill2env.sandbox.images import image_id, verifier_text
from skill2env.sandbox.layer import marks_in, writable_layer
from skill2env.stages.context import Context

TASK_REPOSITORY = "skill2env-task"
_LABELS = {"skill2env": "task"}
_IMAGE_SEC = 24 * 3600
"""How long an image of a run of another host is left alone."""


@dataclass(frozen=True)
class Image:
    """A built task image."""

    id: str
    size_mb: float
    """Size in MB, shared layers included."""
    layers: tuple[str, ...]
    """Layer digests, base first."""
    config: str
    """Environment, labels and history as text: what an agent could read out of the image."""
    build_sec: float
    """Wall seconds that building took, cached layers included."""
    marks: dict[str, str] | None = None
    """Time of change and owner of each file of the world's layer by its path; None where that layer can't be read here."""


class TaskImages:
    """Builds the images of a task; `close` removes the environment's again.

    The environment's image is this run's own: another run on the same engine, over the same task, removes its own.
    """

    def __init__(self, task: Task, archive: bytes, context: Context) -> None:
        """Prepare; nothing is built yet."""
        self.tree = unpack(archive)
        """The task directory."""
        self._task = task
        self._context = context

    @cached_property
    def image(self) -> Image:
        """The environment, built without a network unless it has extra packages.

        Raises:
            BuildFailed: a step of the Dockerfile fails.
            EngineError: the infrastructure failed.
        """
        began = time.monotonic()
        spec = self._task.blueprint.spec
        self._context.toolchain(spec.toolchain)
        engine = self._context.engine()
        tag = f"{TASK_REPOSITORY}:{self._task.content_id[:24]}-{engine.run_id[:12]}"
        built = build_image(
            self._context.client(),
            io.BytesIO(pack(below(self.tree, "environment"))),
            tag,
            {**_LABELS, **engine.labels("image", self._task.task_id, _IMAGE_SEC)},
            network=None if any(spec.packages.model_dump().values()) else "none",
            timeout_sec=self._context.params.validate_.max_build_sec,
        )
        with engine_errors(f"look at {tag}"):
            image = self._context.client().images.get(built)
            history = image.history()
        seconds = time.monotonic() - began
        steps = (step.get("CreatedBy", "") for step in history)
        config = "\n".join([*image.attrs["Config"]["Env"], str(image.labels), *steps])
        layers = tuple(image.attrs["RootFS"]["Layers"])
        layer = writable_layer(image.attrs)
        marks = marks_in(layer) if layer else None
        return Image(str(image.id), image.attrs["Size"] / 1e6, layers, config, seconds, marks)

    @cached_property
    def toolchain_layers(self) -> tuple[str, ...]:
        """Layer digests of the toolchain's image, which has never seen the task."""
        toolchain = self._context.toolchain(self._task.blueprint.spec.toolchain)
        with engine_errors(f"look at {toolchain}"):
            image = self._context.client().images.get(toolchain)
        return tuple(image.attrs["RootFS"]["Layers"])

    def task_image(self) -> str:
        """Return the id of the environment's image."""
        return self.image.id

    def judge(self) -> str:
        """Return the id of the verifier's image: the toolchain's, with the blueprint's extra packages."""
        spec = self._task.blueprint.spec
        if not any(spec.packages.model_dump().values()):
            return self._context.verifier(spec.toolchain)
        text = verifier_dockerfile(verifier_text(spec.toolchain), spec.packages)
        tag = f"skill2env-verifier-extra:{content_id(text)[:12]}"
        client = self._context.client()
        with self._context.lock(tag):
            return image_id(client, tag) or build_image(
                client, io.BytesIO(pack({"Dockerfile": text_file(text)})), tag, _LABELS
            )

    def close(self) -> None:
        """Remove the environment's image, if it was built; one that resists is left to the next run's reaping."""
        if "image" in self.__dict__:
            with contextlib.suppress(EngineError), engine_errors("remove an image"):
                self._context.client().images.remove(self.image.id, force=True)
