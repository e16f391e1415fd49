"""A scripted trial as an ATIF v1.8 document (Harbor's Agent Trajectory Interchange Format)."""

from __future__ import annotations

from typing import Any

from skill2env.models.trial import StepRecord, Trial

SCHEMA_VERSION = "ATIF-v1.8"
AGENT = "skill2env-script"
_NOTES = "The actions are those of a script that was really executed; no model was asked."

BASH: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run commands in a bash shell and return what they print; folder and variables persist between calls.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string", "description": "The commands to run."}},
            "required": ["command"],
        },
    },
}
"""The one tool that a scripted agent has, as chat templates and ATIF describe tools."""


def call_id(number: int) -> str:
    """Return the id of the n-th tool call: nine letters and digits, which every chat template accepts."""
    return f"call{number:05d}"


def observed(step: StepRecord, limit: int) -> str:
    """Return what an agent sees of a step: its output, the middle of a long one left out, and a bad end.

    Args:
        step: the step as it was recorded.
        limit: characters of the output that are shown; bytes that were not even recorded count as left out.
    """
    text = step.output
    if len(text) > limit:
        unrecorded = max(0, step.output_bytes - len(text.encode("utf-8", "replace")))
        left_out = len(text) - limit + unrecorded
        tail = limit // 2
        text = f"{text[: limit - tail]}\n[... {left_out} characters left out ...]\n{text[len(text) - tail :]}"
    if step.exit_code is None:
        return _with_line(text, "[the command did not end]")
    return _with_line(text, f"[exit code {step.exit_code}]") if step.exit_code else text


def document(trial: Trial, trajectory_id: str, instruction: str, limit: int) -> dict[str, Any]:
    """Return a trial as an ATIF document: the instruction as the user's step, then a step for each step of the script.

    Args:
        trial: the attempt.
        trajectory_id: name of the document.
        instruction: what the agent was asked.
        limit: characters of each output that are shown.
    """
    steps: list[dict[str, Any]] = [{"step_id": 1, "source": "user", "message": instruction}]
    steps += [_step(number, step, limit) for number, step in enumerate(trial.steps, 1)]
    return {
        "schema_version": SCHEMA_VERSION,
        "session_id": trajectory_id,
        "trajectory_id": trajectory_id,
        "agent": {
            "name": AGENT,
            "version": "1",
            "tool_definitions": [BASH],
            "extra": {"script": trial.agent, "role": trial.role, "source": "scripted"},
        },
        "steps": steps,
        "notes": _NOTES,
        "final_metrics": {
            "total_prompt_tokens": 0,
            "total_completion_tokens": 0,
            "total_cost_usd": 0.0,
            "total_steps": len(steps),
        },
        "extra": {
            "task_id": trial.task_id,
            "task_content_id": trial.task_content_id,
            "perturbation": trial.perturbation,
            "status": str(trial.verdict.status),
        },
    }


def _step(number: int, step: StepRecord, limit: int) -> dict[str, Any]:
    call = call_id(number)
    return {
        "step_id": number + 1,
        "source": "agent",
        "message": step.why,
        "tool_calls": [
            {"tool_call_id": call, "function_name": "bash", "arguments": {"command": step.command}}
        ],
        "observation": {"results": [{"source_call_id": call, "content": observed(step, limit)}]},
        "llm_call_count": 0,
        "extra": {"exit_code": step.exit_code, "seconds": step.seconds, "output_bytes": step.output_bytes},
    }


def _with_line(text: str, line: str) -> str:
    return f"{text}\n{line}" if text and not text.endswith("\n") else f"{text}{line}"
