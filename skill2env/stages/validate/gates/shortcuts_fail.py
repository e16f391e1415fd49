"""Holds when nothing can be earned without work: with empty outputs, copied inputs, answers by heart, the skill's examples."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath

from skill2env.attacks import target_of
from skill2env.models.blueprint import Step
from skill2env.models.report import GateResult
from skill2env.models.tree import Node, Tree, tree_id
from skill2env.models.trial import Verdict
from skill2env.stages.validate.subject import Subject

NAME = "shortcuts_fail"
VERSION = "2"
_EMPTY = {"empty files": b"", "{}": b"{}\n", "[]": b"[]\n", "null": b"null\n"}


def check(subject: Subject) -> GateResult:
    """Try every shortcut."""
    tried = dict(_tried(subject))
    paid = [name for name, verdict in tried.items() if verdict.reward > 0]
    parts = {name: verdict.partial_reward for name, verdict in tried.items()}
    best = max(parts, key=lambda name: parts[name])
    most = parts[best]
    figures = {
        "shortcuts": len(tried),
        "shortcuts_paid": len(paid),
        "shortcut_partial_reward": round(most, 4),
    }
    if paid:
        message = f"a shortcut earns 1: {paid[0]}; test for what only the work can bring about"
        return GateResult(gate=NAME, passed=False, message=message, figures=figures)
    message = f"{len(tried)} shortcuts earn no reward, and {most:.2f} of the partial reward at best" + (
        f" ({best})" if most else ""
    )
    return GateResult(gate=NAME, passed=True, message=message, figures=figures)


def _tried(subject: Subject) -> Iterator[tuple[str, Verdict]]:
    sets = {name: _filled(subject, data) for name, data in _EMPTY.items()}
    sets["inputs copied to outputs"] = _copied(subject)
    by_heart = _by_heart(subject)
    if by_heart:
        sets["a program that prints the report whatever it is given"] = by_heart
    seen: set[str] = set()
    for name, outputs in sets.items():
        if tree_id(outputs) not in seen:
            seen.add(tree_id(outputs))
            yield name, subject.trials.judged(outputs, fail_fast=False)
    if subject.candidate.examples:
        steps = tuple(Step(why="", command=text) for text in subject.candidate.examples)
        yield "the skill's own examples", subject.trials.shortcut("skill-examples", steps).verdict


def _by_heart(subject: Subject) -> Tree | None:
    """Return the right outputs with a program that always prints what the report holds; None without program or report."""
    right = subject.right
    target = target_of(subject.blueprint.spec.outputs, right, subject.world, "")
    tool, report = (target.tool or "").lstrip("/"), target.report.lstrip("/")
    if not tool or report not in right or right[report].kind != "file" or tool == report:
        return None
    text = right[report].data.decode("utf-8", "replace")
    python = tool.endswith(".py") or b"python" in right[tool].data.split(b"\n")[0]
    program = f"#!/usr/bin/env python3\nimport sys\nsys.stdout.write({text!r})\n"
    if not python:
        program = f"#!/bin/sh\nprintf %s {shlex.quote(text)}\n"
    return {**right, tool: Node("file", program.encode(), right[tool].mode)}


def _made(subject: Subject) -> list[str]:
    """Return the files that the reference makes or changes."""
    world = subject.world
    return [
        path
        for path, node in subject.right.items()
        if node.kind == "file" and (path not in world or world[path].data != node.data)
    ]


def _filled(subject: Subject, data: bytes) -> Tree:
    """Return the right outputs with the same content in every file that the work makes."""
    right = subject.right
    return {**right, **{path: Node("file", data, right[path].mode) for path in _made(subject)}}


def _copied(subject: Subject) -> Tree:
    """Return the right outputs with, in each file that the work makes, the input that is most like it by its name's end."""
    right, world = subject.right, subject.world
    files = sorted(path for path, node in world.items() if node.kind == "file")
    copied = dict(right)
    for path in _made(subject):
        suffix, name = PurePosixPath(path).suffix, PurePosixPath(path).name
        if path in world:
            source = path
        else:
            alike = [other for other in files if PurePosixPath(other).name == name]
            alike += [other for other in files if PurePosixPath(other).suffix == suffix] or files
            source = max(alike[:1] or alike, key=lambda other: len(world[other].data), default="")
        data = world[source].data if source else b""
        copied[path] = Node("file", data, right[path].mode)
    return copied
