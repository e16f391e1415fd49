"""Images, really built by the engine."""

from __future__ import annotations

import io
import subprocess
import tarfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import docker
import pytest

from skill2env.errors import EngineError
from skill2env.sandbox.doctor import diagnose
from skill2env.sandbox.images import (
    BuildFailed,
    build_image,
    ensure_base,
    ensure_toolchain,
    ensure_verifier,
    image_id,
    pins,
    toolchains,
)

pytestmark = pytest.mark.docker
TAG = "skill2env-test-images:latest"
TOOLS = {
    "shell": "bash git jq gawk sqlite3 openssl rg shellcheck zstd xmllint python3 bc patch make curl locale",
    "python": "python pytest pip3",
    "data": "mlr",
    "docs": "pandoc pdftotext",
}
MODULES = {
    "shell": "sqlite3, json, zoneinfo",
    "python": "pytest, yaml, dateutil, jinja2, lxml, bs4, markdown, tomli_w, jsonschema, requests",
    "data": "pandas, numpy, openpyxl",
    "docs": "docx, odf, openpyxl, pypdf",
}


Run = Callable[..., str]


@pytest.fixture
def box() -> Iterator[Callable[[str], Run]]:
    """Starts a container of an image without network, and gives what runs commands in it."""
    started: list[str] = []

    def docker_cli(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False)

    def start(image: str) -> Run:
        options = ("--network=none", "--log-driver=none", "--security-opt=no-new-privileges")
        container = docker_cli("run", "-d", *options, image, "sleep", "120").stdout.strip()
        started.append(container)

        def run(command: str, user: str = "root") -> str:
            done = docker_cli("exec", f"--user={user}", container, "bash", "-c", command)
            assert done.returncode == 0, f"{command!r} gave {done.returncode}: {done.stdout}{done.stderr}"
            return done.stdout

        return run

    yield start
    docker_cli("rm", "-f", *started)


@pytest.fixture
def tag(engine: docker.DockerClient) -> Iterator[str]:
    yield TAG
    if image_id(engine, TAG):
        engine.images.remove(TAG, force=True)


def context(folder: Path, dockerfile: str) -> Path:
    (folder / "Dockerfile").write_text(f"FROM {pins().base}\n{dockerfile}")
    return folder


def test_what_is_there_is_not_built_again(engine: docker.DockerClient) -> None:
    said: list[str] = []
    first = [ensure_base(engine, said.append), ensure_toolchain(engine, "shell", said.append)]
    said.clear()
    assert [ensure_base(engine, said.append), ensure_toolchain(engine, "shell", said.append)] == first
    assert said == []


@pytest.mark.parametrize("name", toolchains())
def test_a_toolchain_has_its_tools(engine: docker.DockerClient, box: Callable[[str], Run], name: str) -> None:
    image = ensure_toolchain(engine, name, print)
    run = box(image)
    needed = f"{TOOLS['shell']} {TOOLS[name]}"
    assert run(f"for tool in {needed}; do command -v $tool >/dev/null || echo $tool; done") == ""
    assert run(f"python3 -c 'import {MODULES[name]}; print(1)'") == "1\n"
    assert run("pwd; locale -a | grep -c -E '^(en_US|de_DE).utf8$'") == "/workspace\n2\n"
    assert run("TZ=Asia/Kathmandu date -d @0 +%H:%M; LC_ALL=de_DE.UTF-8 locale decimal_point") == "05:30\n,\n"
    assert run("ls -A /workspace /var/lib/apt/lists") == "/var/lib/apt/lists:\n\n/workspace:\n"
    assert engine.images.get(image).labels["skill2env"] == "toolchain"
    assert engine.images.get(image).attrs["Config"]["StopSignal"] == "SIGKILL"


@pytest.mark.parametrize("name", toolchains())
def test_a_verifier_judges_with_its_own_interpreter(
    engine: docker.DockerClient, box: Callable[[str], Run], name: str
) -> None:
    image = ensure_verifier(engine, name, print)
    run = box(image)
    python = "/opt/verifier/bin/python -P -s -B"
    assert run(f"{python} -m pytest --version").startswith("pytest 7.2.1")
    assert run(f"{python} -c 'import yaml, pytest; print(pytest.__file__)'").startswith("/opt/verifier/lib/")
    assert run(f"{python} -c 'import sys; print([p for p in sys.path if \"dist-packages\" in p])'") == "[]\n"
    assert run(f"python3 -c 'import {MODULES[name]}; print(1)'", user="sandbox") == "1\n"
    assert run("readlink /workspace; ls -A /outputs /outputs/workspace; pwd") == (
        "/outputs/workspace\n/outputs:\nworkspace\n\n/outputs/workspace:\n/\n"
    )


def test_the_verifiers_unprivileged_user_can_change_nothing_of_it(
    engine: docker.DockerClient, box: Callable[[str], Run]
) -> None:
    image = ensure_verifier(engine, "shell", print)
    run = box(image)
    assert run("id -u; id -g; id -G", user="sandbox") == "2000\n2000\n2000\n"
    assert run("find /opt/verifier ! -type l \\( ! -user root -o ! -group root -o -perm /022 \\)") == ""
    assert run("find / -xdev -type f -perm /6000") == ""
    writable = run("find / -xdev -writable ! -type l ! -type c 2>/dev/null || true", user="sandbox").split()
    assert {path for path in writable if not path.startswith(("/proc", "/sys", "/dev"))} <= {
        "/tmp",
        "/var/tmp",
        "/run/lock",
        "/var/lock",
    }


def test_a_folder_is_built_with_its_labels_modes_and_bytes_only(
    engine: docker.DockerClient, box: Callable[[str], Run], tag: str, tmp_path: Path
) -> None:
    context(tmp_path, "COPY world/ /\n")
    script = tmp_path / "world" / "srv" / "ünïcode.sh"
    script.parent.mkdir(parents=True)
    # A text that no earlier build has seen, so that its layer does not come from the engine's cache.
    script.write_text(f"echo hello  # {uuid.uuid4()}\n")
    script.chmod(0o750)
    built = build_image(engine, tmp_path, tag, {"skill2env": "test"})
    assert image_id(engine, tag) == built
    assert engine.images.get(tag).labels["skill2env"] == "test"
    assert (
        box(tag)("stat -c '%n %a %U %Y' /srv/*; sh /srv/*.sh")
        == f"/srv/ünïcode.sh 750 root {pins().epoch}\nhello\n"
    )
    script.touch()
    assert build_image(engine, tmp_path, tag, {"skill2env": "test"}) == built


def test_a_tar_is_built_as_it_comes(engine: docker.DockerClient, box: Callable[[str], Run], tag: str) -> None:
    text = f"FROM {pins().base}\nENV FROM_TAR=yes\n".encode()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo("Dockerfile")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    buffer.seek(0)
    build_image(engine, buffer, tag, {})
    assert box(tag)("echo $FROM_TAR") == "yes\n"


def test_a_failing_step_is_named_with_its_output(
    engine: docker.DockerClient, tag: str, tmp_path: Path
) -> None:
    context(tmp_path, "ENV A=1\nRUN echo there is no such thing >&2; exit 7\n")
    with pytest.raises(BuildFailed) as caught:
        build_image(engine, tmp_path, tag, {})
    assert "Step 3/3 : RUN echo" in str(caught.value)
    assert "returned a non-zero code: 7" in str(caught.value)
    assert str(caught.value).endswith("there is no such thing")
    assert image_id(engine, tag) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [("FORM nothing\n", "unknown instruction: FORM"), ("COPY none /\n", "none"), ("RUN [\n", "missing ]")],
)
def test_a_faulty_dockerfile_is_a_failed_build_not_an_engine_error(
    engine: docker.DockerClient, tag: str, tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(BuildFailed) as caught:
        build_image(engine, context(tmp_path, text), tag, {})
    assert says in str(caught.value)


def test_a_build_can_be_cut_off_the_network(engine: docker.DockerClient, tag: str, tmp_path: Path) -> None:
    context(tmp_path, "RUN grep -q : /proc/net/route || test $(wc -l < /proc/net/route) -le 1\n")
    build_image(engine, tmp_path, tag, {}, network="none")
    assert image_id(engine, tag)


def test_a_build_that_takes_too_long_is_given_up(
    engine: docker.DockerClient, tag: str, tmp_path: Path
) -> None:
    context(tmp_path, "RUN for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 1; done\n")
    with pytest.raises(EngineError, match="was not built in time; it was at: Step 2/2"):
        build_image(engine, tmp_path, tag, {}, timeout_sec=2)
    assert image_id(engine, tag) is None


def test_the_doctor_finds_all_of_it(engine: docker.DockerClient) -> None:
    found = {finding.name: finding for finding in diagnose()}
    images = [
        "base image",
        *(f"{kind} {name}" for kind in ("toolchain", "verifier") for name in toolchains()),
    ]
    assert [name for name in ("engine", *images) if not found[name].ok] == []
    assert found["base image"].detail.startswith(pins().base)
