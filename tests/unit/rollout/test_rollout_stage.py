"""The rollout stage with scripted models and local processes: conditions, what is kept, and what a failure costs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from unit.publish import made
from unit.trial.scripted_model import ScriptedModel, says

from skill2env.errors import ModelError, WorkspaceError
from skill2env.llm.client import Model
from skill2env.models.chat import Ask, Completion
from skill2env.models.rollout import Rollout
from skill2env.models.skill import BundledFile
from skill2env.models.tree import Tree
from skill2env.models.trial import Status, Trial, Verdict
from skill2env.params import Params
from skill2env.sandbox.fake import FakeEngine
from skill2env.stages import rollout
from skill2env.stages.context import Context, Item
from skill2env.store.results import ResultStore
from skill2env.store.shards import Row, ShardWriter
from skill2env.trial.trials import TaskTrials

TEXT = "---\nname: alpha\n---\nSort first.\n"
WORLD = made.World(skills=("alpha",), levels=("easy",), seeds=(1,), barren=(), refused=False, errored=False)


class Judging:
    def verdict(self, outputs: Tree, fail_fast: bool = False) -> tuple[Verdict, float]:
        passed = "workspace/incident.json" in outputs
        status = Status.PASS if passed else Status.FAIL
        return Verdict(status=status, reward=float(passed), partial_reward=float(passed)), 0.0


class Images:
    def __init__(self, task: Any, *_: object) -> None:
        self.tree = made.tree(task.task_id)

    def task_image(self) -> str:
        return "image"

    def judge(self) -> str:
        return "judge"

    def close(self) -> None:
        pass


class Local(Context):
    """A context whose engine runs local processes, and whose models are scripted."""

    models: dict[str, Model] = {}

    def engine(self) -> Any:
        return FakeEngine()

    def model(self, purpose: str) -> Model:
        return self.models[purpose]


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(rollout, "TaskImages", Images)
    monkeypatch.setattr(TaskTrials, "judge", property(lambda _: Judging()))
    folder = tmp_path / "skills_corpus" / "skills" / "alpha"
    (folder / "scripts").mkdir(parents=True)
    tree = {"SKILL.md": TEXT.encode(), "scripts/run.sh": b"echo hi\n"}
    files = []
    for path, data in tree.items():
        (folder / path).write_bytes(data)
        mode = 0o100755 if path.endswith(".sh") else 0o100644
        files.append(
            BundledFile(path=path, size=len(data), mode=mode, sha256=hashlib.sha256(data).hexdigest())
        )
    skill = made.skill("alpha").model_copy(update={"text": TEXT, "files": tuple(files)})
    workspace = made.write(tmp_path, {**made.outcomes(WORLD), "parse": [made.accepted("alpha", skill)]})
    store = ResultStore(workspace.results)

    @contextmanager
    def opened(
        *answers: Any, judge: ScriptedModel | None = None, **params: Any
    ) -> Iterator[tuple[Local, ScriptedModel]]:
        model = ScriptedModel(*answers)
        with Local(workspace, Params.model_validate({"rollout": params}), store) as context:
            context.models = {"rollout": model, "rollout-judge": judge or model}
            yield context, model

    yield opened
    store.close()


def applied(context: Context) -> list[Trial]:
    (item,) = rollout.items(context)
    return [one.trial for one in record(context, item).trajectories]


def record(context: Context, item: Item) -> Rollout:
    return rollout.apply(item, context).outcome.record  # type: ignore[union-attr, no-any-return]


def models_of(trials: list[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial.model is not None]


LOOK = says("", "cat ../root/.claude/skills/alpha/SKILL.md")


def test_without_models_nothing_is_asked_and_the_settings_are_empty(local: Any) -> None:
    with local(says("never")) as (context, model):
        assert [trial.role for trial in applied(context)] == ["reference", "alternative", "mistake"]
        (item,) = rollout.items(context)
        assert rollout.settings(context, item) == {}
        assert model.asked == []


def test_every_condition_is_attempted_and_gives_what_it_says(local: Any) -> None:
    answers = (LOOK, says("Done."), says("Done."))
    with local(*answers * 6, models=["e/m"], conditions=["bare", "mounted", "prompt"], attempts=2) as (
        context,
        model,
    ):
        trials = models_of(applied(context))
    named = [(t.agent, t.model and t.model.condition, t.model and t.model.attempt) for t in trials]
    assert named == [("e/m", c, n) for c in ("bare", "mounted", "prompt") for n in (1, 2)]
    assert [trial.steps[0].output == TEXT for trial in trials] == [False, False, True, True, False, False]
    assert ["Sort first." in ask.messages[0].text for ask in model.asked[::3]] == [False] * 4 + [True] * 2
    assert [ask.sample for ask in model.asked[::3]] == [0, 1] * 3


def test_finished_attempts_are_kept_when_a_later_one_fails(local: Any) -> None:
    attempt = (says("", "echo 1 > incident.json"), says("Done."), says("Done."))
    with (
        local(
            *attempt, ModelError("the endpoint is down"), models=["e/m"], conditions=["bare"], attempts=2
        ) as (
            context,
            _,
        ),
        pytest.raises(ModelError),
    ):
        applied(context)
    with local(*attempt, models=["e/m"], conditions=["bare"], attempts=2) as (context, model):
        trials = models_of(applied(context))
        assert [trial.verdict.reward for trial in trials] == [1, 1]
        assert len(model.asked) == 3
    with local(ModelError("nothing is asked"), models=["e/m"], conditions=["bare"], attempts=2) as (
        context,
        model,
    ):
        assert models_of(applied(context)) == trials
        assert model.asked == []


def test_what_matters_is_in_the_settings_and_nothing_else(local: Any) -> None:
    def told(**params: Any) -> Any:
        with local(**params) as (context, _):
            (item,) = rollout.items(context)
            return rollout.settings(context, item)

    assert told(judge_repeats=5, attempts=9, max_turns=3) == {}
    assert "skill" not in told(models=["e/m"], conditions=["bare"])
    assert told(models=["e/m"])["skill"] == "tree-of-alpha"
    assert told(models=["e/m"], attempts=9) != told(models=["e/m"], attempts=8)
    assert told(judge_model="e/j") != told(judge_model="e/j", judge_repeats=1)


@pytest.mark.parametrize("change", ["other bytes", None])
def test_a_corpus_that_has_changed_is_no_skill_to_give(
    local: Any, tmp_path: Path, change: str | None
) -> None:
    path = tmp_path / "skills_corpus/skills/alpha/scripts/run.sh"
    path.write_text(change) if change else path.unlink()
    with local(says("Done."), models=["e/m"]) as (context, model):
        with pytest.raises(WorkspaceError, match=r"run\.sh.*run `dvc repro`"):
            applied(context)
        assert model.asked == []


def test_a_judge_answers_the_questions_of_every_trajectory(local: Any) -> None:
    def answer(ask: Ask) -> Completion:
        assert ask.model == "e/j"
        return says('{"answer": "no", "quote": "[step 1]"}')

    judge = ScriptedModel(answer)
    with local(judge=judge, judge_model="e/j", judge_repeats=1) as (context, _):
        (item,) = rollout.items(context)
        rubrics = [one.rubric for one in record(context, item).trajectories]
    assert [[(r.satisfied, r.by) for r in rubric] for rubric in rubrics] == [
        [(True, "predicate"), (False, "judge")],
        [(False, "predicate"), (False, "judge")],
        [(False, "predicate"), (False, "judge")],
    ]
    assert len(judge.asked) == 6


def test_imported_trials_join_and_make_another_input(local: Any) -> None:
    task = made.task("alpha", "easy", 1, WORLD)
    with local() as (context, _):
        (before,) = rollout.items(context)
        trial = made.trial(task, made.scripts()[0], WORLD)
        part = {"model": "m", "condition": "external", "attempt": 1, "finish": "unknown", "source": "an-id"}
        outside = Trial.model_validate({**trial.model_dump(), "role": "external", "model": part})
        with ShardWriter(context.workspace.shard("imported")) as shard:
            shard.add(Row("an-id", task.content_id, "accepted", outside.model_dump_json(), None))
        (after,) = rollout.items(context)
        assert before.input_id != after.input_id
        assert [one.trial.role for one in record(context, after).trajectories][-1] == "external"
