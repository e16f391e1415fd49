"""Makes the base image from a Debian mirror, for machines that reach no image registry."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import docker

from skill2env.errors import EngineError
from skill2env.sandbox.failures import FAILURES
from skill2env.sandbox.machine import Report, apt_install, last_line, may_install

NEEDED = ("mmdebstrap", "debian-archive-keyring")
TIMEOUT_SEC = 600
LEFT_OUT = ("doc", "groff", "info", "linda", "lintian", "locale", "man")
"""Below /usr/share; Debian's slim images leave it out too, and the rule holds for later packages."""
CHANGES = ('CMD ["bash"]', "LABEL skill2env=base")


def bootstrap(client: docker.DockerClient, tag: str, suite: str, epoch: int, report: Report) -> str:
    """Make `tag` with mmdebstrap from this machine's Debian mirror, or else from Debian's default one.

    Two runs against the same state of the mirror give the same bytes, since every file's time is at
    most `epoch` (seconds since 1970) and mmdebstrap sorts.

    Returns:
        The image's id.

    Raises:
        EngineError: mmdebstrap is missing and can't be installed, failed, or the engine refused its result.
    """
    if shutil.which("mmdebstrap") is None:
        if not may_install():
            raise EngineError(
                f"The base image {tag} is not here, no registry answers and mmdebstrap is missing: pull or "
                "load the image, or run as root on Debian or Ubuntu."
            )
        apt_install(NEEDED, report)
    report(f"no registry answers: making {tag} from the Debian mirror with mmdebstrap")
    with tempfile.TemporaryDirectory(prefix="skill2env-base-") as folder:
        archive = Path(folder) / "base.tar"
        complaints = [_mmdebstrap(suite, archive, sources, epoch) for sources in _tries(suite)]
        if not archive.is_file():
            raise EngineError(f"mmdebstrap could not make {tag}: {complaints[-1]} Check the Debian mirror.")
        return _import(client, archive, tag)


def machine_sources(suite: str, apt: Path = Path("/etc/apt")) -> tuple[Path, ...]:
    """The apt source files of this machine that speak of Debian's `suite` and name Debian's own key."""
    deb822 = sorted((apt / "sources.list.d").glob("*.sources"))
    return tuple(
        path
        for path in deb822
        if "debian-archive-keyring" in (text := path.read_text("utf-8", errors="replace"))
        and f" {suite} " in text.replace("\n", " ")
    )


def _tries(suite: str) -> list[tuple[Path, ...]]:
    own = machine_sources(suite)
    return [own, ()] if own else [()]


def _mmdebstrap(suite: str, archive: Path, sources: tuple[Path, ...], epoch: int) -> str:
    if archive.is_file():
        return ""
    partial = archive.with_suffix(".partial.tar")
    options = ["force-unsafe-io", *(f"path-exclude=/usr/share/{name}/*" for name in LEFT_OUT)]
    command = [
        "mmdebstrap",
        "--quiet",
        "--variant=minbase",
        "--include=ca-certificates",
        *(f"--dpkgopt={option}" for option in options),
        '--aptopt=Acquire::Languages "none"',
        '--customize-hook=printf "#!/bin/sh\\nexit 101\\n" > "$1/usr/sbin/policy-rc.d"',
        '--customize-hook=chmod 755 "$1/usr/sbin/policy-rc.d"',
        suite,
        str(partial),
        *map(str, sources),
    ]
    try:
        done = subprocess.run(
            command,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_SEC,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {TIMEOUT_SEC} s."
    if done.returncode == 0:
        partial.rename(archive)
        return ""
    return last_line(done.stderr)


def _import(client: docker.DockerClient, archive: Path, tag: str) -> str:
    repository, _, name = tag.rpartition(":")
    try:
        client.api.import_image_from_file(str(archive), repository, name, changes=list(CHANGES))
        return str(client.images.get(tag).id)
    except FAILURES as error:
        raise EngineError(f"The engine could not import the base image {tag}: {error}") from error
