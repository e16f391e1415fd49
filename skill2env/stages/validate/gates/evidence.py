"""How gates show a trial: what was run, what came of it, and which checks failed."""

from __future__ import annotations

from skill2env.models.trial import Trial

_OUTPUT = 600
_FAILED = 12


def describe(trial: Trial) -> str:
    """Return a trial's verdict, its failed checks, and the steps that ended badly or last, as text."""
    verdict = trial.verdict
    lines = [
        f"{trial.role} {trial.agent} ({trial.perturbation}): {verdict.status}, reward {verdict.reward:g}"
    ]
    lines += [f"  reason: {verdict.reason}"] if verdict.reason else []
    failed = [result for result in verdict.checks if not result.passed]
    lines += [f"  {result.kind} {result.name} failed: {result.message}" for result in failed[:_FAILED]]
    for number, step in enumerate(trial.steps, 1):
        last = number == len(trial.steps)
        if step.exit_code != 0 or last:
            tail = step.output[-_OUTPUT:].rstrip()
            lines.append(
                f"  step {number} exit code {step.exit_code}: {step.why or step.command.splitlines()[0]}"
            )
            lines += [f"    | {line}" for line in tail.splitlines()]
    return "\n".join(lines)
