"""What is reaped: containers, images and networks of dead runs, and nothing of the living or of others."""

from __future__ import annotations

import os
import time
from typing import Any

from docker.errors import APIError

from skill2env.sandbox import ownership
from skill2env.sandbox.reaping import reap


def owned(pid_started: str = "", deadline: float = 0, host: str = "") -> dict[str, str]:
    owner = f"{host or ownership.host()} {os.getpid()} {pid_started or ownership.started(os.getpid())} abc"
    return {"skill2env.role": "x", "skill2env.run": owner, "skill2env.deadline": str(int(deadline))}


THINGS = {
    "dead": owned("1"),
    "living": owned(),
    "expired": owned("1", 1, "other-host"),
    "elsewhere": owned("1", time.time() + 86_400, "other-host"),
    "garbled": {"skill2env.role": "x", "skill2env.run": "?"},
    "nobody": None,
}


class Api:
    """Things of each kind, and what was removed of them."""

    def __init__(self, resisting: str = "") -> None:
        self.removed: list[str] = []
        self._resisting = resisting

    def containers(self, **_: Any) -> list[dict[str, Any]]:
        return [{"Id": f"container-{name}", "Labels": labels} for name, labels in THINGS.items()]

    def images(self, **_: Any) -> list[dict[str, Any]]:
        return [{"Id": f"image-{name}", "Labels": labels} for name, labels in THINGS.items()]

    def networks(self, **_: Any) -> list[dict[str, Any]]:
        return [{"Id": f"network-{name}", "Labels": labels} for name, labels in THINGS.items()]

    def remove_container(self, name: str, **_: Any) -> None:
        if name == self._resisting:
            raise APIError("in use")
        self.removed.append(name)

    remove_image = remove_container
    remove_network = remove_container


def test_only_what_dead_runs_have_left_is_removed_containers_first() -> None:
    api = Api()
    reap(api)  # type: ignore[arg-type]
    assert api.removed == [
        f"{kind}-{whose}" for kind in ("container", "image", "network") for whose in ("dead", "expired")
    ]


def test_one_that_resists_does_not_keep_the_others() -> None:
    api = Api(resisting="image-dead")
    reap(api)  # type: ignore[arg-type]
    assert "image-expired" in api.removed
    assert "network-dead" in api.removed
