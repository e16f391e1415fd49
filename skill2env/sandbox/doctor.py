"""Sets the machine up for skill2env, and says what is there, what is missing and how to mend it."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import groupby
from pathlib import Path

import docker

from skill2env.errors import EngineDown, EngineError
from skill2env.models.base import Record
from skill2env.sandbox.engine import connect, ensure_engine
from skill2env.sandbox.images import (
    ensure_base,
    ensure_toolchain,
    ensure_verifier,
    image_id,
    pins,
    toolchain_tag,
    toolchain_text,
    toolchains,
    verifier_tag,
)
from skill2env.sandbox.machine import Report

ROOT = Path(__file__).resolve().parents[2]
LOCKED = ("requirements.lock", "pyproject.toml")
"""The files that the virtual environment is made from."""
BUILDERS = 2
"""Images built at the same time; unpacking packages is bound by one core each."""
DISK_GB = 5.0
"""Free disk that a first run needs: 3 GB of images, and room for tasks and results."""
MEMORY_GB = 2.0
"""Free memory that four parallel trials and the driver need."""
SET_UP = "run `skill2env setup`"


class Finding(Record):
    """One thing that skill2env needs of the machine."""

    name: str
    """What is needed."""
    ok: bool
    """Whether it is there."""
    detail: str
    """What was found."""
    mend: str = ""
    """What to do about it; empty when it is there."""


def diagnose() -> tuple[Finding, ...]:
    """Look at everything that skill2env needs, without changing anything; in the order in which to mend."""
    own = (_python(sys.version_info[:2]), _virtual_environment(Path(sys.prefix), ROOT))
    try:
        client = connect()
    except EngineDown as error:
        down = Finding(name="engine", ok=False, detail=error.what, mend=error.mend)
        return (*own, down, _disk(ROOT), _memory())
    with closing(client):
        engine, store = _engine(client)
        return (*own, engine, *_images(client), _disk(store), _memory())


def set_up(report: Report) -> None:
    """Make sure that the engine, the base and all toolchain and verifier images are there.

    Raises:
        EngineDown: no engine answers, and none could be started.
        EngineError: an image could not be made.
    """
    with closing(ensure_engine(report)) as client:
        ensure_base(client, report)
        for wave in waves():
            with ThreadPoolExecutor(BUILDERS) as pool:
                # `list` waits for all and raises what one of them raised.
                list(pool.map(lambda make: make(client, report), wave))


def waves() -> tuple[tuple[Callable[[docker.DockerClient, Report], str], ...], ...]:
    """The images to build, in groups that may be built at the same time.

    The text of a longer toolchain begins with that of a shorter one, and a verifier with that of its
    toolchain, so each group finds the layers of the one before it in the engine's cache.
    """
    found: list[tuple[Callable[[docker.DockerClient, Report], str], ...]] = []
    judges: tuple[Callable[[docker.DockerClient, Report], str], ...] = ()
    for _, group in groupby(sorted(toolchains(), key=_steps), key=_steps):
        names = tuple(group)
        found.append((*judges, *(_maker(ensure_toolchain, name) for name in names)))
        judges = tuple(_maker(ensure_verifier, name) for name in names)
    return (*found, judges)


def _maker(
    ensure: Callable[[docker.DockerClient, str, Report], str], name: str
) -> Callable[[docker.DockerClient, Report], str]:
    return lambda client, report: ensure(client, name, report)


def _steps(toolchain: str) -> int:
    return sum(line.startswith("RUN ") for line in toolchain_text(toolchain).splitlines())


def _python(version: tuple[int, ...]) -> Finding:
    fits = (3, 11) <= version < (3, 14)
    mend = "" if fits else "install Python 3.11 and run `make clean doctor`"
    return Finding(name="python", ok=fits, detail=f"Python {'.'.join(map(str, version))}", mend=mend)


def _virtual_environment(prefix: Path, root: Path) -> Finding:
    stamp = prefix / ".lock.sha256"
    lines = stamp.read_text("utf-8").splitlines() if stamp.is_file() else []
    written = dict(line.split()[::-1] for line in lines)
    changed = [name for name in LOCKED if written.get(name) != _sha256(root / name)]
    if not written:
        detail = f"{prefix} was not made by make"
    elif changed:
        detail = f"{' and '.join(changed)} changed since {prefix} was made"
    else:
        detail = str(prefix)
    mend = "run `make doctor`, which makes it anew" if changed else ""
    return Finding(name="virtual environment", ok=not changed, detail=detail, mend=mend)


def _engine(client: docker.DockerClient) -> tuple[Finding, Path]:
    info = client.info()
    version, driver = info.get("ServerVersion", "?"), info.get("Driver", "?")
    detail = f"Docker Engine {version}, {driver}, {info.get('NCPU', '?')} cpus"
    # A remote engine's folder is not here; the workspace's disk is measured then.
    store = Path(str(info.get("DockerRootDir", ROOT)))
    return Finding(name="engine", ok=True, detail=detail), store if store.is_dir() else ROOT


def _images(client: docker.DockerClient) -> tuple[Finding, ...]:
    base_id = _id(client, pins().base)
    base = _image("base image", pins().base, base_id)
    if base_id is None:
        return (base,)
    tags = [(f"toolchain {name}", toolchain_tag(name, base_id)) for name in toolchains()]
    tags += [(f"verifier {name}", verifier_tag(name, base_id)) for name in toolchains()]
    return (base, *(_image(name, tag, _id(client, tag)) for name, tag in tags))


def _image(name: str, tag: str, found: str | None) -> Finding:
    if found is None:
        return Finding(name=name, ok=False, detail=f"{tag} is missing", mend=SET_UP)
    return Finding(name=name, ok=True, detail=f"{tag} ({found.removeprefix('sha256:')[:12]})")


def _id(client: docker.DockerClient, tag: str) -> str | None:
    try:
        return image_id(client, tag)
    except EngineError:
        return None


def _disk(folder: Path) -> Finding:
    free_gb = shutil.disk_usage(folder).free / 1e9
    mend = (
        ""
        if free_gb >= DISK_GB
        else f"free {DISK_GB - free_gb:.1f} GB, for instance with `docker image prune`"
    )
    return Finding(name="disk", ok=not mend, detail=f"{free_gb:.1f} GB free at {folder}", mend=mend)


def _memory(meminfo: Path = Path("/proc/meminfo")) -> Finding:
    if not meminfo.is_file():
        return Finding(name="memory", ok=True, detail="not measured on this system")
    fields = dict(line.split(":", 1) for line in meminfo.read_text("utf-8").splitlines() if ":" in line)
    free_gb = int(fields.get("MemAvailable", "0").split()[0]) * 1024 / 1e9
    mend = "" if free_gb >= MEMORY_GB else "end other programs, or lower driver.workers in params.yaml"
    return Finding(name="memory", ok=not mend, detail=f"{free_gb:.1f} GB available", mend=mend)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
