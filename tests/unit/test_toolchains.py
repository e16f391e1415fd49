"""The Dockerfile texts, read without an engine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skill2env.errors import UsageError
from skill2env.sandbox.bootstrap import machine_sources
from skill2env.sandbox.images import (
    DOCKERFILES,
    pins,
    toolchain_tag,
    toolchain_text,
    toolchains,
    verifier_text,
)

TAIL = 'RUN mkdir -p /workspace\nWORKDIR /workspace\nSTOPSIGNAL SIGKILL\nCMD ["sleep", "infinity"]\n'


def layers(name: str) -> str:
    return toolchain_text(name).removesuffix(TAIL)


def test_the_toolchains_are_those_that_have_a_dockerfile() -> None:
    assert toolchains() == ("shell", "data", "docs", "python")


@pytest.mark.parametrize("name", toolchains())
def test_every_toolchain_starts_from_the_pinned_base_and_ends_alike(name: str) -> None:
    assert toolchain_text(name).startswith(f"FROM {pins().base}\n")
    assert re.fullmatch(r"debian:bookworm-20\d{6}-slim", pins().base)
    assert toolchain_text(name).endswith(TAIL)


@pytest.mark.parametrize(("longer", "shorter"), [("python", "shell"), ("data", "python"), ("docs", "python")])
def test_longer_toolchains_share_the_layers_of_shorter_ones(longer: str, shorter: str) -> None:
    assert layers(longer).startswith(layers(shorter))


@pytest.mark.parametrize("name", toolchains())
def test_texts_have_no_open_mark_no_download_and_no_address(name: str) -> None:
    for text in (toolchain_text(name), verifier_text(name)):
        assert "@" not in text
        assert "://" not in text
        assert not re.search(r"^\s*(ADD|ARG)\b", text, re.M)
        assert "WORKDIR /proc" not in text


@pytest.mark.parametrize("name", toolchains())
def test_a_verifier_is_its_toolchain_with_the_interpreter_copied_in(name: str) -> None:
    text = verifier_text(name)
    stage, rest = text.split(f"\n{toolchain_text(name)}", 1)
    assert stage.startswith(f"FROM {pins().base} AS verifier\n")
    assert rest.startswith("COPY --from=verifier /opt/verifier /opt/verifier\n")
    assert f"python3-pytest='{pins().verifier_apt['python3-pytest']}'" in stage


def test_the_first_stage_is_the_same_for_all_verifiers() -> None:
    stages = {verifier_text(name).split("\nFROM ", 1)[0] for name in toolchains()}
    assert len(stages) == 1


def test_a_tag_depends_on_the_text_and_on_the_base() -> None:
    tags = {toolchain_tag(name, base) for name in toolchains() for base in ("sha256:a", "sha256:b")}
    assert len(tags) == 2 * len(toolchains())
    assert all(re.fullmatch(r"skill2env-[a-z]+:[0-9a-f]{12}", tag) for tag in tags)


@pytest.mark.parametrize("name", ["cobol", "../shell", "verifier", ""])
def test_an_unknown_toolchain_is_named_with_those_that_exist(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        toolchain_text(name)
    assert f"There is no toolchain {name!r}: use one of shell, data, docs, python" in str(caught.value)


@pytest.mark.parametrize("content", ["base: x\n", "base: [\n", "- 1\n"])
def test_broken_pins_are_a_usage_error_that_names_the_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "pins.yaml").write_text(content)
    told = (
        f"{re.escape(str(tmp_path / 'pins.yaml'))} can't be read: (.|\\n)*; take the file of the repository"
    )
    with pytest.raises(UsageError, match=told):
        pins(tmp_path)


def test_pins_are_written_once_only() -> None:
    for path in DOCKERFILES.glob("*.Dockerfile"):
        assert "bookworm" not in path.read_text("utf-8"), path.name


def test_only_debians_own_sources_of_the_release_make_a_base(tmp_path: Path) -> None:
    folder = tmp_path / "sources.list.d"
    folder.mkdir()
    key = "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
    (folder / "debian.sources").write_text(f"Suites: bookworm bookworm-updates\nComponents: main\n{key}")
    (folder / "newer.sources").write_text(f"Suites: trixie\nComponents: main\n{key}")
    (folder / "vendor.sources").write_text("Suites: bookworm \nSigned-By: /usr/share/keyrings/vendor.gpg\n")
    assert machine_sources("bookworm", tmp_path) == (folder / "debian.sources",)
    assert machine_sources("trixie", tmp_path) == (folder / "newer.sources",)
    assert machine_sources("sid", tmp_path) == ()
