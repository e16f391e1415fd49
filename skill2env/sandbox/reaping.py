"""Removes what killed runs have left on the engine: their containers, images and networks, and nobody else's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import docker

from skill2env.sandbox.container import call
from skill2env.sandbox.failures import FAILURES
from skill2env.sandbox.ownership import LABEL, RUN_LABEL, abandoned

_OURS = {"label": [LABEL, RUN_LABEL]}


def reap(api: docker.APIClient) -> None:
    """Remove everything with our labels whose run is dead; what resists is left to the next run.

    Raises:
        EngineError: the engine does not say what there is.
    """

    def remove_container(found: str) -> None:
        api.remove_container(found, force=True, v=True)

    def remove_image(found: str) -> None:
        api.remove_image(found, force=True)

    # Containers first: an image or a network that one of them uses can't be removed.
    _each(call(api.containers, all=True, filters=_OURS), remove_container)
    _each(call(api.images, filters=_OURS), remove_image)
    _each(call(api.networks, filters=_OURS), api.remove_network)


def _each(found: list[dict[str, object]], remove: Callable[[str], None]) -> None:
    for one in found:
        labels = one.get("Labels")
        if isinstance(labels, dict) and abandoned(labels):
            with contextlib.suppress(*FAILURES):
                remove(str(one["Id"]))
