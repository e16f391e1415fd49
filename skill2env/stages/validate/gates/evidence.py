"""How gates show a trial: what was run, what came of it, and which checks failed."""

from __future__ import annotations

from skill2env.models.trial import Trial

_OUTPUT = 600
_GLIMPSE = 200
"""Characters of the end of what a step printed that ended well: the fault may still have begun there."""
_FAILED = 12


def describe(trial: Trial) -> str:
    """Return a trial's verdict, its failed checks, and how each step ended, as text."""
    verdict = trial.verdict
    lines = [
        f"{trial.role} {trial.agent} ({trial.perturbation}): {verdict.status}, reward {verdict.reward:g}"
    ]
    lines += [f"  reason: {verdict.reason}"] if verdict.reason else []
    failed = [result for result in verdict.checks if not result.passed]
    told: dict[str, list[str]] = {}
    for result in failed:
        told.setdefault(result.message, []).append(f"{result.kind} {result.name}")
    lines += [f"  {', '.join(names)} failed: {message}" for message, names in list(told.items())[:_FAILED]]
    for number, step in enumerate(trial.steps, 1):
        matters = step.exit_code != 0 or number == len(trial.steps)
        tail = step.output[-(_OUTPUT if matters else _GLIMPSE) :].rstrip()
        if matters or tail:
            why = step.why or step.command.splitlines()[0]
            lines.append(f"  step {number} exit code {step.exit_code}: {why}")
            lines += [f"    | {line}" for line in tail.splitlines()]
    return "\n".join(lines)
