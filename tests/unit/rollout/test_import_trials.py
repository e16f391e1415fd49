"""Trials of `harbor run`: matched, told apart, kept once; what is broken is named and costs nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from unit.publish import made

from skill2env.errors import UsageError
from skill2env.importing import Imported, import_jobs
from skill2env.interop.atif import document
from skill2env.interop.jobs import BadTrial, harbor_digest, read_trial
from skill2env.models.chat import Tokens
from skill2env.models.tree import Node, text_file
from skill2env.models.trial import Status
from skill2env.stages.rollout.imported import SHARD, imported_trials
from skill2env.store.workspace import Workspace

WORLD = made.World(skills=("alpha",), levels=("easy",), seeds=(1, 2))
TASK = made.task("alpha", "easy", 1, WORLD)
DIGEST = harbor_digest(made.tree(TASK.task_id))
ATIF: dict[str, Any] = {
    "schema_version": "ATIF-v1.6",
    "session_id": "s",
    "agent": {"name": "terminus-2", "version": "2.0", "model_name": "some/model"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "Do it."},
        {
            "step_id": 2,
            "source": "agent",
            "message": "Look.",
            "reasoning_content": "hm",
            "tool_calls": [
                {"tool_call_id": "a", "function_name": "bash_command", "arguments": {"keystrokes": "ls\n"}},
                {"tool_call_id": "b", "function_name": "search", "arguments": {"q": "x"}},
            ],
            "observation": {
                "results": [
                    {"source_call_id": "a", "content": "one\n"},
                    {"source_call_id": "b", "content": [{"type": "text", "text": "two"}, {"type": "image"}]},
                ]
            },
            "metrics": {"prompt_tokens": 100, "completion_tokens": 9, "cached_tokens": 50, "cost_usd": 0.5},
        },
        {"step_id": 3, "source": "agent", "message": "Done."},
    ],
}


def result(number: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"00000000-0000-0000-0000-{number:012d}",
        "task_name": f"skill2env/{TASK.task_id}",
        "agent_info": {
            "name": "terminus-2",
            "version": "2.0",
            "model_info": {"name": "model", "provider": "some"},
        },
        "agent_result": {"n_input_tokens": 7, "n_output_tokens": 8, "cost_usd": 0.1},
        "verifier_result": {"rewards": {"reward": 1.0}},
        "exception_info": None,
        "reward_valid": True,
        "novel": [],
        **changes,
    }


def trial(jobs: Path, number: int = 1, atif: Any = ATIF, digest: str = DIGEST, **changes: Any) -> Path:
    folder = jobs / "a-job" / f"trial{number}"
    (folder / "agent").mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps(result(number, **changes)))
    (folder / "lock.json").write_text(json.dumps({"task": {"digest": f"sha256:{digest}"}}))
    if atif is not None:
        (folder / "agent" / "trajectory.json").write_text(atif if isinstance(atif, str) else json.dumps(atif))
    (jobs / "a-job" / "result.json").write_text("{}")
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return made.write(tmp_path / "workspace", {"build": made.outcomes(WORLD)["build"]})


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    return tmp_path / "jobs"


def test_a_trial_is_read_with_what_was_said_done_seen_and_paid(jobs: Path) -> None:
    ran = read_trial(trial(jobs))
    assert ran is not None and ran.trial.model is not None
    steps = [(step.why, step.command, step.output, step.exit_code) for step in ran.trial.steps]
    assert steps == [("Look.", "ls\n", "one\n", None), ("", 'search {"q":"x"}', "two\n[image]", None)]
    part = ran.trial.model
    assert (part.model, part.condition, part.source) == ("some/model", "external", result()["id"])
    assert (part.tokens, part.turns[0].money) == (Tokens(input=100, cached=50, output=9), 0.5)
    assert [m.role for m in part.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert (ran.trial.verdict.status, ran.trial.verdict.reward) == (Status.PASS, 1.0)


def test_without_a_trajectory_the_reward_and_the_cost_count_alone(jobs: Path) -> None:
    ran = read_trial(trial(jobs, atif=None))
    assert ran is not None and ran.trial.model is not None
    assert (ran.trial.steps, ran.trial.model.tokens) == ((), Tokens(input=7, output=8))
    assert ran.trial.model.money == 0.1


RAISED = {
    "exception_type": "AgentTimeoutError",
    "exception_message": "late",
    "policy": {"has_valid_reward": False},
}


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"verifier_result": {"rewards": {"reward": 0.0}}}, Status.FAIL),
        ({"verifier_result": {"rewards": {"reward": 0.5}}}, Status.FAIL),
        ({"verifier_result": None}, Status.NO_VERDICT),
        ({"verifier_result": {"rewards": {}}}, Status.NO_VERDICT),
        ({"verifier_result": {"rewards": {"reward": float("nan")}}}, Status.NO_VERDICT),
        ({"verifier_result": {"rewards": {"reward": 7}}}, Status.NO_VERDICT),
        ({"reward_valid": False, "exception_info": RAISED}, Status.NO_VERDICT),
        ({"reward_valid": None, "exception_info": RAISED}, Status.NO_VERDICT),
        (
            {"reward_valid": None, "exception_info": {**RAISED, "policy": {"has_valid_reward": True}}},
            Status.PASS,
        ),
    ],
)
def test_only_a_valid_reward_counts(jobs: Path, changes: dict[str, Any], status: Status) -> None:
    ran = read_trial(trial(jobs, **changes))
    assert ran is not None
    assert ran.trial.verdict.status is status
    assert ran.trial.verdict.reward == float(status is Status.PASS)


def broken(**changes: Any) -> dict[str, Any]:
    return {**ATIF, **changes}


def step(**changes: Any) -> dict[str, Any]:
    return broken(steps=[{**ATIF["steps"][0], **changes}])


@pytest.mark.parametrize(
    ("atif", "why"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "not as it should be"),
        (broken(schema_version="ATIF-v9"), "schema_version"),
        (broken(steps=[]), "steps"),
        (broken(novel=1), "novel"),
        (step(step_id=2), "count from 1"),
        (step(metrics={"prompt_tokens": 1}), "only an agent's step"),
        (step(source="agent", metrics={"prompt_tokens": -1}), "greater than or equal to 0"),
        (step(source="agent", llm_call_count=0, metrics={"prompt_tokens": 1}), "no metrics"),
        (step(source="agent", observation={"results": [{"source_call_id": "z", "content": "x"}]}), "'z'"),
    ],
)
def test_an_invalid_document_is_a_fault_that_says_why(jobs: Path, atif: Any, why: str) -> None:
    with pytest.raises(BadTrial, match=why):
        read_trial(trial(jobs, atif=atif))


def test_what_this_project_writes_it_can_read(jobs: Path) -> None:
    written = document(made.trial(TASK, made.scripts()[0], WORLD), "x", TASK.instruction, 400)
    ran = read_trial(trial(jobs, atif=written))
    assert ran is not None
    assert [step.command for step in ran.trial.steps] == ["ls", "make it"]


def test_trials_are_matched_kept_once_and_faults_cost_nothing_else(workspace: Workspace, jobs: Path) -> None:
    trial(jobs, 1)
    trial(jobs, 2, verifier_result={"rewards": {"reward": 0}})
    trial(jobs, 3, task_name="skill2env/stranger--x--easy-s1")
    trial(jobs, 4, digest="0" * 64)
    trial(jobs, 5, atif="{")
    (trial(jobs, 6) / "lock.json").unlink()
    trial(jobs, 7, agent_info={"name": "oracle", "version": "1"})
    (trial(jobs, 8) / "result.json").write_text("cut")
    done = import_jobs(workspace, jobs)
    assert (done.added, done.known, done.left_out) == (2, 0, 1)
    told = {path.name: why for path, why in done.faults}
    assert sorted(told) == ["trial3", "trial4", "trial5", "trial6", "trial8"]
    assert "no task stranger--x--easy-s1" in told["trial3"]
    assert "its files have changed" in told["trial4"]
    assert "trajectory.json is no JSON" in told["trial5"]
    assert "lock.json can't be read" in told["trial6"]
    found = imported_trials(workspace)
    assert list(found) == [TASK.content_id]
    assert [(t.task_id, t.verdict.reward, t.model and t.model.attempt) for t in found[TASK.content_id]] == [
        (TASK.task_id, 1.0, 1),
        (TASK.task_id, 0.0, 2),
    ]


def test_what_an_agent_has_delivered_is_never_taken_for_a_trial(workspace: Workspace, jobs: Path) -> None:
    real = trial(jobs, 1, verifier_result={"rewards": {"reward": 0}})
    for place in ("artifacts", "artifacts/workspace", "agent/x"):
        forged = real / place
        forged.mkdir(parents=True)
        (forged / "result.json").write_text(json.dumps(result(66)))
        (forged / "lock.json").write_text((real / "lock.json").read_text())
    for folder in (jobs, jobs / "a-job", real):
        done = import_jobs(workspace, folder)
        assert (done.added + done.known, done.faults) == (1, [])
    assert [t.verdict.reward for t in imported_trials(workspace)[TASK.content_id]] == [0]


def test_imported_twice_changes_nothing(workspace: Workspace, jobs: Path) -> None:
    trial(jobs, 1)
    import_jobs(workspace, jobs)
    before = workspace.shard(SHARD).read_bytes()
    again = import_jobs(workspace, jobs)
    assert (again.added, again.known) == (0, 1)
    assert workspace.shard(SHARD).read_bytes() == before
    trial(jobs, 2)
    assert import_jobs(workspace, jobs) == Imported(added=1, known=1)


def test_a_folder_without_jobs_is_the_users_mistake(workspace: Workspace, jobs: Path) -> None:
    with pytest.raises(UsageError, match="is no folder"):
        import_jobs(workspace, jobs)
    jobs.mkdir()
    with pytest.raises(UsageError, match="no result.json"):
        import_jobs(workspace, jobs)


def test_the_digest_is_that_of_harbor() -> None:
    """The figure was computed by Harbor 0.26 over such a folder, for that it is compared with."""
    files = {path: node for path, node in made.tree("alpha").items() if node.kind == "file"}
    files |= {
        "tests/x.pyc": text_file("x"),
        "environment/world/a~": text_file("x"),
        "notes.txt": text_file("n"),
    }
    assert harbor_digest(files) == "3bb851909696135fed563bbca53ff1ace791cc3c3d788304749e5093ea251abe"
    linked = {
        **files,
        "environment/world/x": Node("link", b"var/log/app.log"),
        "environment/world/y": Node("link", b"no"),
    }
    copied = {**files, "environment/world/x": files["environment/world/var/log/app.log"]}
    assert harbor_digest(linked) == harbor_digest(copied) != harbor_digest(files)
