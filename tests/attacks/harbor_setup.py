"""Sets Harbor up in `.harbor/`, beside the project's own environment: what it needs is newer than what the project needs.

Harbor comes from the package index, into a virtual environment with Python 3.12 or newer. The engine's `compose` and `buildx`
plugins, where the machine has none, come from packages of a newer Debian, fetched by apt from the machine's own mirror into
`.harbor/` and unpacked there; nothing outside of the folder changes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".harbor"
HARBOR = FOLDER / "env" / "bin" / "harbor"
STAMP = FOLDER / "env" / "harbor-version"
PLUGINS = FOLDER / "docker" / "cli-plugins"
VERSION = "0.26.0"
PYTHON = (3, 12)
SUITE = "trixie"
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
PACKAGES = ("docker-compose", "docker-buildx")
_IS_NEW = f"import sys; sys.exit(sys.version_info[:2] < {PYTHON})"


class Missing(Exception):
    """Something is not here and can't be fetched; the message says what to do."""


def environment() -> dict[str, str]:
    """Return the variables with which Harbor runs: its own plugins, no telemetry, no look-up of model prices."""
    own = {"HARBOR_TELEMETRY": "0", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    if PLUGINS.exists():
        own["DOCKER_CONFIG"] = str(PLUGINS.parent)
    return {**os.environ, **own}


def set_up() -> None:
    """Make everything that is missing.

    Raises:
        Missing: it can't be made here.
    """
    if not STAMP.exists() or STAMP.read_text() != VERSION:
        FOLDER.mkdir(exist_ok=True)
        python = _python()
        print(f"making {FOLDER}/env with {python}", file=sys.stderr)
        _run(python, "-m", "venv", "--clear", FOLDER / "env")
        pip = (FOLDER / "env" / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check")
        _run(*pip, "install", f"harbor=={VERSION}")
        STAMP.write_text(VERSION)
    if not _has_plugins():
        print(f"fetching {' and '.join(PACKAGES)} of Debian {SUITE}", file=sys.stderr)
        _fetch_plugins()
    if not _has_plugins():
        raise Missing(
            "docker has no compose and buildx plugins, also not with Debian's; install them and run make harbor again"
        )


def _python() -> str:
    """Return the first interpreter that is new enough."""
    for python in _candidates():
        if subprocess.run((python, "-c", _IS_NEW), capture_output=True, check=False).returncode == 0:
            return python
    wanted = ".".join(map(str, PYTHON))
    raise Missing(
        f"Harbor needs Python {wanted} or newer, and none is here: install it (uv python install {wanted}, pyenv install "
        f"{wanted}, or the system's python{wanted} with its venv module) and run make harbor again"
    )


def _candidates() -> Iterator[str]:
    yield from filter(None, (shutil.which(f"python3.{minor}") for minor in (12, 13, 14)))
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from map(str, sorted(versions.glob("3.1[2-9]*/bin/python3")))
    if uv := shutil.which("uv"):
        found = subprocess.run(
            (uv, "python", "find", f">={PYTHON[0]}.{PYTHON[1]}"), capture_output=True, text=True, check=False
        )
        yield from found.stdout.split("\n")[:1] if found.returncode == 0 else ()


def _has_plugins() -> bool:
    return all(
        subprocess.run(
            ("docker", name, "version"), env=environment(), capture_output=True, check=False
        ).returncode
        == 0
        for name in ("compose", "buildx")
    )


def _fetch_plugins() -> None:
    """Fetch the packages with apt, its lists and cache in our own folder, and take the plugins out of them."""
    apt = FOLDER / "apt"
    shutil.rmtree(apt, ignore_errors=True)
    for name in ("lists/partial", "cache/archives/partial"):
        (apt / name).mkdir(parents=True)
    keys = f"[signed-by={KEYS}] " if KEYS.exists() else ""
    (apt / "sources.list").write_text(f"deb {keys}{_mirror()} {SUITE} main\n")
    options = {
        "Dir::Etc::SourceList": apt / "sources.list",
        "Dir::Etc::SourceParts": "-",
        "Dir::State::Lists": apt / "lists",
        "Dir::Cache": apt / "cache",
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
    }
    given = [f"-o{key}={value}" for key, value in options.items()]
    _run("apt-get", *given, "-q", "update", cwd=apt)
    _run("apt-get", *given, "-q", "download", *PACKAGES, cwd=apt)
    PLUGINS.mkdir(parents=True, exist_ok=True)
    for package in apt.glob("*.deb"):
        _run("dpkg-deb", "-x", package, apt / "unpacked")
    for plugin in (apt / "unpacked").glob("usr/lib*/docker/cli-plugins/*"):
        shutil.copy(plugin, PLUGINS / plugin.name)
    shutil.rmtree(apt)


def _mirror() -> str:
    """Return the Debian mirror from which the machine installs."""
    places = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    there = (place for place in places if place.suffix in (".list", ".sources") and place.exists())
    text = "\n".join(place.read_text() for place in there)
    if found := re.search(r"^(?:deb (?:\[[^]]*\] )?|URIs: *)(\S+/debian/?)(?: |$)", text, re.MULTILINE):
        return found[1]
    raise Missing(
        "docker has no compose and buildx plugins, and apt has no Debian mirror to fetch them from; install them and run make harbor again"
    )


def _run(*command: str | Path, cwd: Path | None = None) -> None:
    done = subprocess.run(tuple(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        told = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise Missing(
            f"{Path(str(command[0])).name} failed: {' / '.join(told)}; mend that and run make harbor again"
        )


if __name__ == "__main__":
    try:
        set_up()
    except Missing as missing:
        sys.exit(f"error: {missing}")
