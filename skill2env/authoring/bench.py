"""The bench: what lies on the desk is made, judged and taken through the gates, by the very code that decides in the end."""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from skill2env.authoring.blind import Blind
from skill2env.authoring.desk import Refused, Seen
from skill2env.checking import Checked, check_tasks, lines_of
from skill2env.models.base import content_id
from skill2env.models.blueprint import Author, Blueprint, BlueprintSpec, Level, Script, Step
from skill2env.models.outcome import Accepted, Finding, Rejected, Severity
from skill2env.models.report import GateResult
from skill2env.models.task import Task
from skill2env.models.tree import Tree, below, pack_gz, text_file, tree_id
from skill2env.stages import validate
from skill2env.stages.context import Context
from skill2env.stages.draft.read import YAML, SkillText, read_blueprint, read_spec
from skill2env.stages.making.directory import Unfit
from skill2env.stages.making.task import make_task, orders
from skill2env.stages.making.worlds import Made, Order, WorldFault, make_world
from skill2env.stages.validate.gates import GATES
from skill2env.stages.validate.subject import Candidate

_TRUTH_CHARS = 4000
_EVIDENCE_CHARS = 12_000
_BEFORE = ("tests_lint", "stated", "deterministic", "builds", "no_leak", "nop_fails")
"""Gates that say something before there is a solution."""
_STUB = Script(name="reference", role="reference", steps=(Step(why="", command="true"),))


@dataclass
class GateBench:
    """Tries one blueprint of a skill with the gates, in the workspace of a run."""

    context: Context
    skill: SkillText
    examples: tuple[str, ...]
    """The shell blocks of the skill."""
    name: str
    """Name of the blueprint."""
    author: Author
    """Who writes it; this stands in the blueprint whatever the files say."""
    blind: Blind | None = None
    """Has what all gates accept solved from the request alone; None: nobody does."""
    _made: dict[str, Made] = field(default_factory=dict)

    def run_world(self, files: Tree) -> Seen:
        """Make the world at every level with the first seed."""
        spec, findings = self._spec(files)
        if spec is None or _errors(findings):
            return Seen(False, _told(findings))
        blueprint = self._partial(files, spec)
        self._made.clear()
        parts = []
        for order in _one_seed(blueprint, self.context):
            try:
                made, again = make_world(order, _static(files), self.context)
            except WorldFault as fault:
                return Seen(False, _told(list(fault.findings)))
            if made.run != again.run:
                return Seen(False, f"{order.level}: two executions of world.py gave different results")
            self._made[order.level] = made
            parts.append(_world_told(order.level, made))
        return Seen(True, "\n\n".join(parts))

    def world_file(self, level: str, path: str) -> str:
        """Return a file of the world as it was made last.

        Raises:
            Refused: there is no such file.
        """
        made = self._made.get(level)
        node = made.tree.get(f"world/{path.lstrip('/')}") if made else None
        if node is None or node.kind != "file":
            raise Refused(f"the world of level {level!r} has no file {path!r}; run_world lists them")
        return node.data.decode("utf-8", "replace")

    def probe(self, files: Tree) -> Seen:
        """Take the verifier through the gates that need no solution, at every level."""
        blueprint, findings = self._unsolved(files)
        if blueprint is None:
            return Seen(False, _told(findings))
        failed = []
        for order in _one_seed(blueprint, self.context):
            failed += [(order.level, gate) for gate in self._gates(order, files, _BEFORE) if not gate.passed]
        return Seen(not failed, "\n".join(_gate_told(level, gate) for level, gate in failed))

    def check(self, files: Tree, level: str, gates: tuple[str, ...]) -> Seen:
        """Take one level with the first seed through the named gates, or all."""
        known = [gate.NAME for gate in GATES]
        if unknown := [name for name in gates if name not in known]:
            raise Refused(f"there is no gate {', '.join(unknown)}; there are {', '.join(known)}")
        outcome, _, _ = self.read(files)
        if isinstance(outcome, Rejected):
            return Seen(False, _told(list(outcome.findings)))
        found = [order for order in _one_seed(outcome.record, self.context) if order.level == level]
        if not found:
            raise Refused(
                f"the blueprint has no level {level!r}; it has {', '.join(outcome.record.spec.levels)}"
            )
        results = self._gates(found[0], files, gates or tuple(known))
        told = "\n".join(_gate_told(level, gate) for gate in results)
        return Seen(all(gate.passed for gate in results), told)

    def submit(self, files: Tree) -> Seen:
        """Take the whole blueprint through everything, as the pipeline will, and then through the blind check."""
        checked = list(self.checked(files))
        good = all(item.kind == "accepted" for item in checked)
        told = [line for item in checked if item.kind != "accepted" for line in lines_of(item)]
        if not good:
            return Seen(False, "\n".join(told)[:_EVIDENCE_CHARS])
        looked = self.blind.check(self._tasks(files)) if self.blind else Seen(True, "")
        text = "all accepted" if looked.good else looked.text[:_EVIDENCE_CHARS]
        return dataclasses.replace(looked, text=text)

    def checked(self, files: Tree) -> Iterator[Checked]:
        """Yield what became of the blueprint, where it is refused, and of each of its tasks."""
        outcome, static, input_id = self.read(files)
        if isinstance(outcome, Rejected):
            yield Checked("draft", f"{self.skill.skill_id}--{self.name}", "rejected", None, outcome)
            return
        yield from check_tasks(
            [(input_id, outcome.record, static)], {self.skill.skill_id: self.examples}, self.context
        )

    def read(self, files: Tree) -> tuple[Accepted[Blueprint] | Rejected, bytes | None, str]:
        """Return the blueprint or its faults, the archive of its static world files, and its content id."""
        tree = self.authored(files)
        outcome, static = read_blueprint(tree, self.name, self.skill)
        return outcome, static, content_id([tree_id(tree), self.skill.tree_sha256])

    def authored(self, files: Tree) -> Tree:
        """Return the files with the truth about their author in blueprint.yaml."""
        node = files.get(YAML)
        if node is None:
            return files
        line = f"author: {json.dumps(self.author.model_dump(mode='json'))}\n"
        text = node.data.decode("utf-8")
        return {**files, YAML: text_file(f"{text.rstrip()}\n{line}")}

    def _tasks(self, files: Tree) -> Iterator[tuple[Task, bytes]]:
        """Yield the task of each level with the first seed, of a blueprint that all gates accept."""
        outcome, static, _ = self.read(files)
        assert isinstance(outcome, Accepted), outcome
        for order in _one_seed(outcome.record, self.context):
            yield make_task(order, static, self.context)

    def _spec(self, files: Tree) -> tuple[BlueprintSpec | None, list[Finding]]:
        spec, _, findings = read_spec(self.authored(files)[YAML].data.decode("utf-8"), self.skill)
        return spec, findings

    def _partial(self, files: Tree, spec: BlueprintSpec) -> Blueprint:
        """Return a blueprint without solutions, and without tests and request where there are none yet."""
        static = below(files, "world")
        texts = {path: node.data.decode("utf-8") for path, node in files.items()}
        return Blueprint(
            skill_id=self.skill.skill_id,
            skill_tree_sha256=self.skill.tree_sha256,
            name=self.name,
            spec=spec,
            instruction=texts.get("instruction.md", ""),
            world=texts["world.py"],
            world_files_sha256=tree_id(static) if static else "",
            tests=texts.get("tests/test_outputs.py", ""),
            scripts=(_STUB,),
        )

    def _unsolved(self, files: Tree) -> tuple[Blueprint | None, list[Finding]]:
        """Return the blueprint without its solutions, or all faults but that they are missing."""
        spec, _ = self._spec(files)
        outcome, _, _ = self.read(files)
        found = outcome.findings if isinstance(outcome, Rejected) else ()
        mine = [f for f in found if not f.file.startswith(("solutions", "mistakes"))]
        if spec is None or _errors(mine):
            return None, mine
        return self._partial(files, spec), mine

    def _gates(self, order: Order, files: Tree, names: tuple[str, ...]) -> list[GateResult]:
        """Return what gates say of one task; a task that can't be made fails as one."""
        try:
            task, archive = make_task(order, _static(files), self.context)
        except (WorldFault, Unfit) as fault:
            return [GateResult(gate="build", passed=False, message=_told(list(fault.findings)))]
        candidate = Candidate(task, _static(files), self.examples)
        wanted = tuple(gate for gate in GATES if gate.NAME in names)
        return list(validate.validate(candidate, archive, self.context, wanted).gates)


def model_author(model: str, date: datetime.date) -> Author:
    """Return the author line of a blueprint that a model wrote."""
    return Author(kind="model", name=model, date=date)


def _static(files: Tree) -> bytes | None:
    static = below(files, "world")
    return pack_gz(static) if static else None


def _one_seed(blueprint: Blueprint, context: Context) -> list[Order]:
    levels: dict[Level, Order] = {}
    for order in orders(blueprint, context.params.build):
        levels.setdefault(order.level, order)
    return list(levels.values())


def _errors(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity is Severity.ERROR]


def _told(findings: list[Finding]) -> str:
    return "\n".join(str(finding) for finding in findings)


def _gate_told(level: str, gate: GateResult) -> str:
    """Return what a gate says; figures of gates that hold vary from machine to machine, and are nobody's business here."""
    if gate.passed:
        return f"{level}: {gate.gate} holds"
    return f"{level}: {gate.gate} refuses: {gate.message}\n{gate.evidence}".rstrip()


def _world_told(level: str, made: Made) -> str:
    truth = json.dumps(made.truth, ensure_ascii=False, indent=1)
    cut = f"\n... {len(truth) - _TRUTH_CHARS} characters more" if len(truth) > _TRUTH_CHARS else ""
    listed = [f"/{path} ({len(node.data)} bytes)" for path, node in sorted(below(made.tree, "world").items())]
    hidden = [
        f"hidden {path} ({len(node.data)} bytes)" for path, node in sorted(below(made.tree, "hidden").items())
    ]
    facts = f"\npublic facts: {json.dumps(made.facts, ensure_ascii=False)}" if made.facts else ""
    return f"level {level}: truth\n{truth[:_TRUTH_CHARS]}{cut}{facts}\nfiles\n" + "\n".join(
        [*listed, *hidden][:200]
    )
