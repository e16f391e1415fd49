"""Folders of `harbor run` as a hostile agent leaves them: nothing hangs, nothing grows, and one of them costs the others nothing."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from unit.publish import made
from unit.rollout.test_import_trials import ATIF, DIGEST, WORLD, trial

from skill2env.importing import import_jobs
from skill2env.interop import atif_read, jobs
from skill2env.interop.jobs import BadTrial, read_trial
from skill2env.stages.rollout.imported import imported_trials

SECONDS = 20


@pytest.fixture(autouse=True)
def hurry() -> Iterator[None]:
    """A test that hangs fails."""

    def late(*_: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def arguments(value: str) -> str:
    """Return a trajectory whose first call has an argument with this JSON text."""
    return json.dumps(ATIF).replace('"ls\\n"', value)


def refusal(folder: Path) -> str:
    with pytest.raises(BadTrial) as told:
        read_trial(folder)
    return str(told.value)


@pytest.mark.parametrize("name", ["agent/trajectory.json", "result.json", "lock.json"])
def test_pipes_devices_and_links_are_not_read(tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret.json"
    path = trial(tmp_path) / name
    secret.write_bytes(path.read_bytes())
    for number, make in enumerate(
        (os.mkfifo, lambda at: os.symlink("/dev/zero", at), lambda at: os.symlink(secret, at))
    ):
        path.unlink()
        make(path)
        told = refusal(path.parents[name.count("/")])
        assert ("is no regular file" if number == 0 else "symbolic link") in told


def test_a_folder_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    folder = trial(tmp_path / "jobs")
    (folder / "agent").rename(tmp_path / "elsewhere")
    (folder / "agent").symlink_to(tmp_path / "elsewhere")
    assert "trajectory.json can't be read" in refusal(folder)


def test_a_file_that_is_too_big_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MAX_BYTES", 1 << 20)
    folder = trial(tmp_path, atif=" " * ((1 << 20) + 1))
    assert refusal(folder) == "trajectory.json is bigger than 1 MB"


def test_one_result_for_thousands_of_calls_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atif_read, "MAX_SEEN_CHARS", 1 << 20)
    calls = [{"tool_call_id": str(n), "function_name": "f", "arguments": {}} for n in range(2000)]
    step = {"step_id": 1, "source": "agent", "message": "", "tool_calls": calls}
    step["observation"] = {"results": [{"content": "x" * 10_000}]}
    assert "what its calls have seen is more than" in refusal(trial(tmp_path, atif={**ATIF, "steps": [step]}))


@pytest.mark.parametrize(
    "value", ["NaN", "Infinity", "1e999", "[" * 200 + "]" * 200, '{"a":' * 300 + "1" + "}" * 300]
)
def test_arguments_that_nobody_can_write_again_are_refused(tmp_path: Path, value: str) -> None:
    assert "trajectory.json can't be used" in refusal(trial(tmp_path, atif=arguments(value)))


def test_halves_of_characters_are_replaced_wherever_they_stand(tmp_path: Path) -> None:
    half: dict[str, Any] = {"agent_info": {"name": "a\ud800"}, "exception_info": {"exception_type": "\udfff"}}
    workspace = made.write(tmp_path / "workspace", {"build": made.outcomes(WORLD)["build"]})
    folder = tmp_path / "jobs"
    trial(folder, 1, atif=json.dumps(ATIF).replace('"a"', '"\\uD800"'), digest=DIGEST, **half)
    trial(folder, 2, atif=arguments('"\\ud800"'))
    trial(folder, 3, atif=arguments("NaN"))
    done = import_jobs(workspace, folder)
    assert (done.added, len(done.faults)) == (2, 1)
    (trials,) = imported_trials(workspace).values()
    assert [(one.agent, one.steps[0].command) for one in trials] == [("a?", "ls\n"), ("terminus-2", "?")]
