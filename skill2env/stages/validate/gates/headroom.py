"""Holds when the limits leave the reference room to spare, and are not absurdly wide."""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.stages.validate.subject import Subject

NAME = "headroom"
VERSION = "1"
_FLOORS = {"agent_sec": 3600.0, "memory_mb": 1024.0, "pids": 512.0}
"""A limit up to this is never too wide: a thinking agent needs time and tools that the reference does not."""


def check(subject: Subject) -> GateResult:
    """Compare what the reference used with the limits."""
    plain = subject.oracle[0]
    usage = plain.usage
    if usage is None:
        return GateResult(gate=NAME, passed=False, message="what the reference uses was not measured")
    seconds = max(trial.timing.agent for trial in subject.oracle)
    limits, params = subject.blueprint.spec.limits, subject.params
    used = {"agent_sec": seconds, "memory_mb": usage.memory_mb, "pids": float(usage.processes)}
    given = {"agent_sec": limits.agent_sec, "memory_mb": limits.memory_mb, "pids": limits.pids}
    figures = {
        "peak_memory_mb": usage.memory_mb,
        "peak_processes": usage.processes,
        "oracle_disk_mb": usage.disk_mb,
        "slowest_oracle_sec": round(seconds, 3),
    }
    told = []
    for name, amount in used.items():
        limit = given[name]
        used_up = f"{name} is {limit}, where the reference used {amount:.1f}"
        if limit < params.min_headroom * amount:
            told.append(f"{used_up}; give it at least {params.min_headroom:g} times that")
        elif limit > max(_FLOORS[name], params.max_headroom * amount):
            told.append(f"{used_up}; that is far too wide, lower it")
    if told:
        return GateResult(gate=NAME, passed=False, message="; ".join(told), figures=figures)
    message = f"the reference used {seconds:.1f} s, {usage.memory_mb:.0f} MB and {usage.processes} processes at most"
    return GateResult(gate=NAME, passed=True, message=message, figures=figures)
