"""What publish writes for hand-made outcomes, value by value."""

from __future__ import annotations

import io
import json
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from unit.publish.made import TRUTH, World, context, outcomes, tree, write

from skill2env.errors import UsageError, WorkspaceError
from skill2env.models.columns import columns
from skill2env.models.rows import CONFIGS, SPLITS
from skill2env.models.task_row import TaskRow
from skill2env.models.tree import tree_id, unpack
from skill2env.params import Params, RolloutParams
from skill2env.stages.context import Context
from skill2env.stages.publish import publish
from skill2env.stages.publish.inputs import Fate
from skill2env.stages.publish.messages import assistant_sha256, closing
from skill2env.stages.publish.skills import why_none
from skill2env.stages.validate.gates import GATES
from skill2env.store.dataset import fingerprint, read_back, rows
from skill2env.store.folders import write_folder
from skill2env.store.results import ResultStore
from skill2env.store.shards import Row

ONE = "alpha--break-in--easy-s1"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = context(tmp_path_factory.mktemp("workspace"))
    publish(made)
    return made.workspace.dataset


def one(dataset: Path, config: str, **where: str) -> dict[str, Any]:
    (row,) = rows(dataset, config, where)
    return row


def refuse(stages: dict[str, list[Row]], root: Path) -> str:
    workspace = write(root, stages)
    with pytest.raises(WorkspaceError) as caught:
        publish(Context(workspace, Params(), ResultStore(workspace.results)))
    assert not workspace.dataset.exists()
    return str(caught.value)


def test_rows_are_sorted_by_their_keys_and_whole(dataset: Path) -> None:
    counts = {"tasks": 16, "sft": 32, "trajectories": 48, "skills": 5, "rejected": 6}
    for config, count in counts.items():
        found = list(rows(dataset, config))
        key = next(iter(CONFIGS[config].model_fields))
        assert len(found) == count
        assert found == sorted(found, key=lambda row: (SPLITS.index(row["split"]), row[key]))
        assert set(found[0]) == {"split", *CONFIGS[config].model_fields}


def test_tasks_are_sorted_whatever_the_order_of_the_shards(tmp_path: Path) -> None:
    made = context(tmp_path, World(skills=("beta", "alpha"), barren=(), seeds=(2, 1)))
    publish(made)
    found = [row["task_id"] for row in rows(made.workspace.dataset, "tasks")]
    assert len(found) == 8 and found == sorted(found)


def test_a_skill_never_crosses_a_split(dataset: Path) -> None:
    splits: dict[str, set[str]] = {}
    for config, key in (
        ("tasks", "skill"),
        ("sft", "skill"),
        ("trajectories", "skill"),
        ("skills", "skill_id"),
    ):
        for row in rows(dataset, config):
            splits.setdefault(row[key], set()).add(row["split"])
    assert {len(found) for found in splits.values()} == {1}
    assert set.union(*splits.values()) == set(SPLITS)
    known = (row for row in rows(dataset, "rejected") if row["skill"] in splits)
    assert all(splits[row["skill"]] == {row["split"]} for row in known)


def test_a_task_can_be_written_back(dataset: Path, tmp_path: Path) -> None:
    row = one(dataset, "tasks", task_id=ONE)
    assert tree_id(unpack(row["files"])) == row["content_id"] == tree_id(tree(ONE))
    assert read_back(dataset, ONE) == tree(ONE)
    write_folder(read_back(dataset, ONE), tmp_path / "task")
    assert (tmp_path / "task/environment/world/var/log/app.log").read_bytes() == bytes(range(256))
    assert (tmp_path / "task/solution/solve.sh").stat().st_mode & 0o777 == 0o755


def test_a_task_says_what_it_is(dataset: Path) -> None:
    row = one(dataset, "tasks", task_id=ONE)
    assert json.loads(row["truth"]) == TRUTH
    assert json.loads(row["knobs"]) == {"lines": 10}
    assert row["solution"] == "#!/bin/bash\nls\n"
    assert row["dockerfile"] == "FROM debian\nCOPY world/ /\n"
    assert json.loads(row["mistake_scripts"]) == [
        {
            "name": "too-fast",
            "text": "#> Guess.\necho 31\n",
            "slip": "offsets ignored",
            "fails_at": ["easy", "hard"],
        }
    ]
    assert json.loads(row["alternative_scripts"]) == [{"name": "other-way", "text": "#> Otherwise.\nawk 1\n"}]
    assert [criterion["evidence"] for criterion in json.loads(row["rubric"])] == [
        {"used": "ls"},
        {"judge": "Is doubt stated?"},
    ]
    assert (row["oracle_runs"], row["mistakes_caught"], row["leaks"], row["checks"], row["guards"]) == (
        3,
        1,
        0,
        2,
        1,
    )
    assert json.loads(row["gate_figures"])["gate_of_tomorrow"] == {"novelties": 7}
    assert json.loads(row["gate_measures"])["builds"] == {"image_mb": 91.5, "image_build_sec": 0.4}
    assert (row["difficulty"], row["cost_usd"], row["tokens"], row["author_date"]) == (
        None,
        0.0,
        0,
        "2026-01-02",
    )
    assert (row["skill_origin"], row["licence"], row["validate_sec"]) == ("the corpus", "Apache-2.0", 9.0)


def test_every_gate_has_a_column() -> None:
    wanted = {f"gate_{gate.NAME}" for gate in GATES}
    assert wanted == {
        name for name, field in TaskRow.model_fields.items() if field.annotation == (bool | None)
    }


def test_every_column_has_a_meaning() -> None:
    for model in CONFIGS.values():
        assert [column.name for column in columns(model) if not column.meaning.endswith((".", "..."))] == []


def test_a_conversation_has_only_what_templates_know(dataset: Path) -> None:
    row = one(dataset, "sft", trajectory_id=f"{ONE}/reference/reference")
    known = {
        "system": {"role", "content"},
        "user": {"role", "content"},
        "assistant": {"role", "content", "tool_calls"},
        "tool": {"role", "content", "tool_call_id", "name"},
    }
    messages = row["messages"]
    assert [message["role"] for message in messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]
    assert all(set(message) <= known[message["role"]] for message in messages)
    assert messages[1]["content"] == f"Please look into {ONE}.\n"
    call = {
        "id": "call00001",
        "type": "function",
        "function": {"name": "bash", "arguments": {"command": "ls"}},
    }
    assert messages[2] == {"role": "assistant", "content": "Look first.", "tool_calls": [call]}
    assert messages[5]["content"] == "pid 1.0\n[exit code 1]"
    assert messages[6] == {
        "role": "assistant",
        "content": "Done. The result is in /workspace/incident.json.",
    }
    assert [tool["function"]["name"] for tool in row["tools"]] == ["bash"]
    assert (row["source"], row["reward"], row["rubric_satisfied"], row["rubric_violated"]) == (
        "scripted",
        1.0,
        1,
        0,
    )


def test_what_the_reference_changes_is_called_the_result(dataset: Path) -> None:
    row = one(dataset, "sft", trajectory_id=f"{ONE}/reference/reference")
    assert row["messages"][-1]["content"] == "Done. The result is in /workspace/incident.json."


def test_conversations_differ_by_what_the_assistant_does() -> None:
    told = {"role": "user", "content": "a"}
    said = {"role": "assistant", "content": "b"}
    assert assistant_sha256([told, said]) == assistant_sha256([{**told, "content": "other"}, said])
    assert assistant_sha256([told, said]) != assistant_sha256([told, {**said, "content": "other"}])


def test_the_last_words_are_true() -> None:
    assert closing(()) == "Done. Everything that you asked for is in place."
    assert closing(("/a",)) == "Done. The result is in /a."
    assert closing(("/a", "/b", "/c")) == "Done. The result is in /a, /b and /c."


def test_outputs_are_cut_as_params_say(tmp_path: Path) -> None:
    made = context(tmp_path, params=Params(rollout=RolloutParams(output_chars=200)))
    publish(made)
    row = one(made.workspace.dataset, "sft", trajectory_id=f"{ONE}/alternative/other-way")
    assert len(row["messages"][3]["content"]) < 260
    assert "characters left out" in row["messages"][3]["content"]


def test_only_passing_solutions_are_to_be_trained_on(tmp_path: Path) -> None:
    made = context(tmp_path, World(mistake_reward=1.0))
    publish(made)
    assert {row["role"] for row in rows(made.workspace.dataset, "sft")} == {"reference", "alternative"}
    assert {row["reward"] for row in rows(made.workspace.dataset, "sft")} == {1.0}


def test_failing_trials_are_trajectories(dataset: Path) -> None:
    row = one(dataset, "trajectories", trajectory_id=f"{ONE}/mistake/too-fast")
    assert (row["status"], row["reward"], row["partial_reward"], row["slip"]) == (
        "fail",
        0.0,
        0.3333,
        "offsets ignored",
    )
    assert [check["passed"] for check in row["checks"]] == [False, True, True]
    assert (row["checks_passed"], json.loads(row["check_messages"])) == (1, {"test_client": "no"})
    assert (row["commands"], row["exit_codes"]) == (["echo 31"], [0])
    document = json.loads(row["trajectory"])
    assert (document["schema_version"], document["trajectory_id"]) == ("ATIF-v1.8", row["trajectory_id"])
    assert row["rubric"][1] == {
        "criterion_id": "doubts",
        "kind": "best_practice",
        "weight": 1.0,
        "satisfied": None,
        "by": "nobody",
        "judge_yes": 0,
        "judge_no": 0,
        "judge_void": 0,
        "quotes": [],
    }


def test_no_verdict_is_no_reward_of_nothing(tmp_path: Path) -> None:
    stages = outcomes(World(skills=("alpha",), levels=("easy",), seeds=(1,)))
    row = stages["rollout"][0]
    spoilt = row.outcome.replace('"status":"fail","reward":0.0', '"status":"no_verdict","reward":0.0')
    assert spoilt != row.outcome
    stages["rollout"][0] = replace(row, outcome=spoilt)
    workspace = write(tmp_path, stages)
    figures = publish(Context(workspace, Params(), ResultStore(workspace.results)))
    found = one(workspace.dataset, "trajectories", status="no_verdict")
    assert (found["reward"], found["partial_reward"]) == (None, None)
    assert (figures["no_verdict_trajectories"], figures["failing_trajectories"], figures["reward_mean"]) == (
        1,
        0,
        1.0,
    )


def test_an_agents_fault_is_a_reward_of_nothing_and_never_trained_on(tmp_path: Path) -> None:
    """An agent that could turn a failure into a row without a reward would have it left out of every mean."""
    stages = outcomes(World(skills=("alpha",), levels=("easy",), seeds=(1,)))
    row = stages["rollout"][0]
    passing = '"status":"pass","reward":1.0'
    assert passing in row.outcome
    stages["rollout"][0] = replace(
        row, outcome=row.outcome.replace(passing, '"status":"agent_fault","reward":0.0', 1)
    )
    workspace = write(tmp_path, stages)
    publish(Context(workspace, Params(), ResultStore(workspace.results)))
    found = one(workspace.dataset, "trajectories", status="agent_fault")
    assert found["reward"] == 0.0
    trained = {conversation["trajectory_id"] for conversation in rows(workspace.dataset, "sft")}
    assert trained
    assert found["trajectory_id"] not in trained


def test_skills_say_what_they_gave_or_why_nothing(dataset: Path) -> None:
    alpha, empty = one(dataset, "skills", skill_id="alpha"), one(dataset, "skills", skill_id="empty")
    assert (
        alpha["tasks_accepted"],
        alpha["tasks_rejected"],
        alpha["blueprints"],
        alpha["blueprints_rejected"],
    ) == (4, 2, 1, 1)
    assert (alpha["why_none"], alpha["warnings"], alpha["files"]) == ("", 1, 1)
    assert (empty["why_none"], empty["tasks_accepted"]) == ("no blueprint was written for it", 0)


def test_a_skill_without_tasks_names_the_rules(tmp_path: Path) -> None:
    stages = outcomes(World(skills=("alpha", "beta"), levels=("easy",), seeds=(1,)))
    stages["draft"] = [row for row in stages["draft"] if row.item_id != "alpha--break-in"]
    for stage in ("build", "validate", "rollout"):
        stages[stage] = [row for row in stages[stage] if row.kind != "errored" and "beta" in row.item_id]
    workspace = write(tmp_path, stages)
    publish(Context(workspace, Params(), ResultStore(workspace.results)))
    assert (
        one(workspace.dataset, "skills", skill_id="alpha")["why_none"]
        == "every blueprint was rejected, by schema (1)"
    )


@pytest.mark.parametrize(
    ("fate", "why"),
    [
        (Fate(blueprints=1, built=4, accepted=1), ""),
        (Fate(blueprints=1, built=4), "its tasks were not validated"),
        (Fate(blueprints=1), "no level of its blueprints is built"),
        (Fate(blueprints=1, errored=1), "the infrastructure failed; it is tried again on the next run"),
        (Fate(), "no blueprint was written for it"),
    ],
)
def test_why_a_skill_gave_nothing(fate: Fate, why: str) -> None:
    assert why_none(fate) == why


def test_refused_items_of_every_stage_are_rows(dataset: Path) -> None:
    found = {(row["stage"], row["item_id"], row["skill"], row["rule"]) for row in rows(dataset, "rejected")}
    assert found == {
        ("parse", "broken", "broken", "no-skill-file"),
        ("draft", "alpha--lame--name", "alpha", "schema"),
        ("draft", "stranger--x", "", "no-skill"),
        ("build", "alpha--crooked--easy-s1", "alpha", "world"),
        ("validate", "alpha--loose--easy-s1", "alpha", "mistakes_fail"),
        ("rollout", "alpha--slow--easy-s1", "alpha", "slow-pattern"),
    }
    row = one(dataset, "rejected", item_id="broken")
    assert (row["codes"], row["message"], row["evidence"]) == (["no-skill-file"], "Mend it.", "seen in 3 s")


def test_errored_items_are_counted_and_no_rejections(tmp_path: Path) -> None:
    made = context(tmp_path)
    figures = publish(made)
    assert figures["errored"] == {"parse": 0, "draft": 0, "build": 1, "validate": 0, "rollout": 0}
    assert all("unlucky" not in row["item_id"] for row in rows(made.workspace.dataset, "rejected"))
    assert figures == made.workspace.read_metrics("publish")
    assert (figures["accepted_tasks"], figures["passing_trajectories"], figures["failing_trajectories"]) == (
        16,
        32,
        16,
    )
    assert (figures["skills"], figures["skills_with_tasks"], figures["reward_mean"]) == (5, 4, 0.6667)


def test_a_task_whose_rollout_failed_is_still_a_task(tmp_path: Path) -> None:
    stages = outcomes(World())
    stages["rollout"] = [row for row in stages["rollout"] if row.item_id != ONE]
    workspace = write(tmp_path, stages)
    publish(Context(workspace, Params(), ResultStore(workspace.results)))
    assert one(workspace.dataset, "tasks", task_id=ONE)["checks"] is None
    assert list(rows(workspace.dataset, "trajectories", {"task_id": ONE})) == []


def test_seconds_do_not_change_the_fingerprint_and_rewards_do(tmp_path: Path) -> None:
    prints = []
    for number, world in enumerate((World(), World(slower=3.5), World(mistake_reward=0.5))):
        made = context(tmp_path / str(number), world)
        prints.append(publish(made)["fingerprint"])
        assert fingerprint(made.workspace.dataset) == prints[-1]
    assert prints[0] == prints[1] != prints[2]


def test_seconds_do_not_change_the_figures(tmp_path: Path) -> None:
    assert publish(context(tmp_path / "a")) == publish(context(tmp_path / "b", World(slower=2)))


def test_near_copies_never_cross_a_split(tmp_path: Path) -> None:
    names = ("alpha", "beta", "gamma", "delta")
    made = context(tmp_path, World(skills=names, barren=tuple(name.upper() for name in names)))
    publish(made)
    found = {row["skill_id"]: row for row in rows(made.workspace.dataset, "skills")}
    assert {row["split"] for row in found.values()} == set(SPLITS)
    for name in names:
        assert found[name]["split"] == found[name.upper()]["split"]
        assert found[name]["cluster"] == found[name.upper()]["cluster"] == name.upper()


def test_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        made = context(tmp_path / name)
        publish(made)
        files = sorted(path for path in made.workspace.dataset.rglob("*") if path.is_file())
        found.append({path.relative_to(made.workspace.dataset): path.read_bytes() for path in files})
    assert found[0] == found[1]
    assert len(found[0]) == 15


def test_damaged_files_of_a_task_are_found(tmp_path: Path) -> None:
    stages = outcomes(World())
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz"):
        pass
    stages["build"][0] = replace(stages["build"][0], blob=buffer.getvalue())
    assert refuse(stages, tmp_path / "other") == (
        f"build, validate and rollout know different states of {ONE}; run `dvc repro`"
    )
    stages["build"][0] = replace(stages["build"][0], blob=b"no tar")
    assert f"the files of {ONE} are damaged" in refuse(stages, tmp_path / "none")


def test_shards_that_do_not_belong_together_are_found(tmp_path: Path) -> None:
    stages = outcomes(World())
    stages["build"] = stages["build"][1:]
    assert f"build have no accepted {ONE}" in refuse(stages, tmp_path)


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    stages = outcomes(World())
    del stages["rollout"]
    assert "rollout/outcomes.parquet: is not there; run `skill2env rollout` first" in refuse(stages, tmp_path)


def test_what_is_not_there_is_said(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no task 'x'"):
        read_back(dataset, "x")
    with pytest.raises(UsageError, match="no config 'nope'; it has tasks, sft"):
        list(rows(dataset, "nope"))
    with pytest.raises(UsageError, match="holds no dataset; run `dvc repro`"):
        list(rows(tmp_path, "tasks"))
