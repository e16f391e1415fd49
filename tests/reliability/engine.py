"""A Docker Engine of our own, on a small disk of its own, which may be stopped, filled and littered; the usual one is only read."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import docker

from skill2env.errors import UsageError
from skill2env.sandbox.engine import connect
from skill2env.sandbox.images import (
    DOCKERFILES,
    ensure_base,
    ensure_toolchain,
    ensure_verifier,
    pins,
    toolchain_tag,
    verifier_tag,
)

DISK_MB = 8000
"""Size of the engine's disk; a file with holes."""
START_SEC = 60
TOOLCHAIN = "shell"
_ROOT = Path(__file__).resolve().parents[2]


def run(*argv: str, **kwargs: object) -> str:
    """Run a program that must succeed, and return what it printed."""
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=600, **kwargs)  # type: ignore[call-overload]
    if done.returncode:
        raise UsageError(f"{' '.join(argv)}: exit code {done.returncode}: {done.stderr.strip()[-500:]}")
    return str(done.stdout)


def _devices() -> set[str]:
    """Return the bridges of the host, which belong to other engines."""
    return {path.parent.name for path in Path("/sys/class/net").glob("*/bridge")}


class Disk:
    """A file system of a fixed size on a file, mounted."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.mount = folder / "disk"
        self._file = folder / "disk.img"
        self.mount.mkdir(parents=True)
        with self._file.open("wb") as file:
            file.truncate(megabytes << 20)
        run("mkfs.ext4", "-q", "-m", "0", "-O", "^has_journal", str(self._file))
        run("mount", "-o", "loop", str(self._file), str(self.mount))
        self._ballast = self.mount / "ballast"

    def free_mb(self) -> int:
        state = os.statvfs(self.mount)
        return int(state.f_bavail * state.f_frsize) >> 20

    def fill(self, leave_mb: int = 0) -> None:
        """Fill the disk until so much is left."""
        size = max(self.free_mb() - leave_mb, 0) << 20
        with contextlib.suppress(OSError), self._ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, size)
        if leave_mb:
            return
        with contextlib.suppress(OSError), (self.mount / "ballast2").open("wb") as file:
            while True:
                file.write(bytes(1 << 12))
                file.flush()

    def empty(self) -> None:
        for name in ("ballast", "ballast2"):
            (self.mount / name).unlink(missing_ok=True)

    def close(self) -> None:
        run("umount", "--lazy", str(self.mount))
        self._file.unlink()


class PrivateEngine:
    """A dockerd in a network namespace without a network, which knows the base and one toolchain, and code whose toolchain is that one's image.

    The engine can't build a toolchain from packages, since it has no network: so the copy of the package that `environment`
    names has Dockerfiles that begin with the images that were loaded.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="s2e-", dir="/tmp"))
        self.disk = Disk(self.folder, DISK_MB)
        self.host = f"unix://{self.folder}/docker.sock"
        self.code = self.folder / "code"
        self._process: subprocess.Popen[bytes] | None = None
        (self.folder / "daemon.json").write_text("{}")

    def __enter__(self) -> PrivateEngine:
        try:
            self.start()
            self._load()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def environment(self) -> dict[str, str]:
        """Return what a run on this engine needs."""
        return {
            **os.environ,
            "DOCKER_HOST": self.host,
            "PYTHONPATH": str(self.code),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def client(self) -> docker.DockerClient:
        return docker.DockerClient(base_url=self.host, timeout=120)

    def start(self) -> None:
        """Start the daemon and wait until it answers."""
        program = shutil.which("dockerd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
        if program is None or os.geteuid() != 0:
            raise UsageError(
                "these scenarios start an engine of their own: run them as root where dockerd is installed"
            )
        # In a network namespace of its own: a dockerd without a bridge deletes the device docker0, whosever it is.
        command = [
            "unshare",
            "--net",
            "--",
            program,
            f"--config-file={self.folder}/daemon.json",
            f"--data-root={self.disk.mount}/data",
            f"--exec-root={self.folder}/exec",
            f"--pidfile={self.folder}/docker.pid",
            f"--host={self.host}",
            "--bridge=none",
            "--iptables=false",
            "--ip-forward=false",
            "--ip-masq=false",
            "--storage-driver=overlay2",
        ]
        devices = _devices()
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        deadline = time.monotonic() + START_SEC
        while time.monotonic() < deadline:
            with contextlib.suppress(Exception):
                client = self.client()
                client.ping()
                client.close()
                break
            time.sleep(0.2)
        if not devices <= _devices():
            self.stop()
            raise UsageError(
                f"the engine of the scenarios took away {devices - _devices()}; it must not see the host's network"
            )
        if time.monotonic() < deadline:
            return
        raise UsageError(
            f"the engine of the scenarios does not start: {(self.folder / 'log').read_text()[-800:]}"
        )

    def stop(self) -> None:
        """Stop the daemon, its containers included, and wait for it."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def close(self) -> None:
        self.disk.empty()
        self.stop()
        self.disk.close()
        for line in Path("/proc/self/mounts").read_text().splitlines():
            place = line.split()[1]
            if place.startswith(f"{self.folder}/"):
                subprocess.run(["umount", "--lazy", place], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _load(self) -> None:
        usual = connect()
        try:
            base = ensure_base(usual, print)
            ensure_toolchain(usual, TOOLCHAIN, print)
            ensure_verifier(usual, TOOLCHAIN, print)
            tags = (toolchain_tag(TOOLCHAIN, base), verifier_tag(TOOLCHAIN, base))
        finally:
            usual.close()
        saved = subprocess.Popen(["docker", "save", pins().base, *tags], stdout=subprocess.PIPE)
        run("docker", "--host", self.host, "load", "-q", stdin=saved.stdout)
        saved.wait()
        self._copy_code(*tags)

    def _copy_code(self, toolchain: str, verifier: str) -> None:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(_ROOT / "skill2env", self.code / "skill2env", ignore=ignored)
        shutil.copytree(DOCKERFILES, self.code / "dockerfiles", ignore=ignored)
        (self.code / "dockerfiles" / f"{TOOLCHAIN}.Dockerfile").write_text(
            f"FROM {toolchain}\nWORKDIR /workspace\n"
        )
        (self.code / "dockerfiles" / "verifier.Dockerfile").write_text(f"FROM {verifier}\nWORKDIR /\n")
