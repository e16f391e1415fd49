"""Whose fault a failed blind attempt is: a model that sees all evidence says so, and must quote what it rests on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, get_args

from pydantic import Field

from skill2env.authoring import knowledge
from skill2env.errors import BadAnswer
from skill2env.llm.client import Model
from skill2env.llm.ledger import spent_on
from skill2env.llm.quoted import quoted, visible
from skill2env.llm.structured import structured
from skill2env.models.base import Record
from skill2env.models.chat import Ask, Completion, Message, Sampling, Spent
from skill2env.models.making import Fault, Look, Quote
from skill2env.models.task import Task
from skill2env.models.tree import Tree
from skill2env.models.trial import Trial, Verdict
from skill2env.trial.opinion import transcript

_ANSWER_TOKENS = 4096
_MIN_QUOTE = 8
"""Characters of a quote, blanks at its ends aside: less is found in any text."""
_TRIES = 2
"""Rulings that are asked for, where the first has quotes that are not there."""
_FILE_CHARS, _OUTPUT_CHARS, _TEXT_CHARS = 6000, 40_000, 60_000
"""Characters shown of one output, of all outputs, and of any other text, the record aside."""
_DEMANDED, _DONE = ("tests", "truth", "messages"), ("record", "outputs")
_NEEDED = {
    "tests_too_narrow": (_DEMANDED, _DONE),
    "instruction_incomplete": (_DEMANDED,),
    "solver_wrong": (("instruction",), (*_DONE, "messages")),
}
"""For each verdict, groups of sources: of each group one must be quoted."""
_VOID = "Your ruling does not count:\n{faults}\nAnswer again with the whole JSON object, its quotes copied from the blocks."
_ENDS = {
    "done": "it said that it was done",
    "refused": "it declined to go on",
    "turns": "its turns were used up",
    "tokens": "its tokens were used up",
    "time": "its time was used up",
}


class Ruling(Record):
    """Whose fault it is that an attempt failed."""

    verdict: Fault
    """Whose fault it is."""
    explanation: Annotated[str, Field(min_length=20, max_length=1500)]
    """Why, and what to change, in two to five sentences."""
    quotes: Annotated[tuple[Quote, ...], Field(min_length=1, max_length=8)]
    """What it rests on."""


def rule(model: Model, name: str, task: Task, tests: str, trial: Trial, outputs: Tree) -> tuple[Look, Spent]:
    """Return whose fault it is that an attempt failed, and what asking has cost.

    Without a valid answer, or with quotes that are not where they are said to be, also when that was told, it is `undecided`.

    Args:
        model: who answers.
        name: its name.
        task: what was attempted.
        tests: the text of the hidden tests.
        trial: the attempt.
        outputs: what it left.

    Raises:
        ModelError: the endpoint failed.
        BudgetSpent, MissingRecord: nothing more may be asked.
    """
    sources = _sources(task, tests, trial, outputs)
    messages = _asked(sources, trial)
    made: list[Completion] = []
    why = ""
    for _ in range(_TRIES):
        ask = Ask(model=name, messages=messages, sampling=Sampling(max_tokens=_ANSWER_TOKENS))
        try:
            ruling, completions = structured(model.complete, ask, Ruling)
        except BadAnswer as error:
            made += error.completions
            why = str(error)
            break
        made += completions
        faults = list(_faults(ruling, sources))
        if not faults:
            return Look(level=task.level, **ruling.model_dump()), _sum(made)
        why = "; ".join(faults)
        told = Message(role="user", text=_VOID.format(faults="\n".join(f"- {fault}" for fault in faults)))
        messages = (*messages, completions[-1].message(), told)
    return Look(level=task.level, verdict="undecided", explanation=f"No ruling that counts: {why}"), _sum(
        made
    )


def said(verdict: Verdict) -> str:
    """Return what the tests said that failed."""
    lines = [f"{check.name}: {check.message or 'failed'}" for check in verdict.checks if not check.passed]
    return "\n".join([*([verdict.reason] if verdict.reason else []), *lines]) or "no message"


def _faults(ruling: Ruling, sources: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with the quotes of a ruling."""
    for quote in ruling.quotes:
        text = quote.text.strip()
        if len(text) < _MIN_QUOTE:
            yield f"the quote {text!r} is shorter than {_MIN_QUOTE} characters"
        elif text not in sources[quote.source]:
            yield f"the quote {text[:80]!r} does not stand in `{quote.source}`"
    there = {quote.source for quote in ruling.quotes}
    for group in _NEEDED[ruling.verdict]:
        if not there & set(group):
            yield f"{ruling.verdict} needs a quote from {' or '.join(f'`{name}`' for name in group)}"


def _sources(task: Task, tests: str, trial: Trial, outputs: Tree) -> dict[str, str]:
    """Return the evidence as it is shown, by its kind."""
    truth = json.dumps(task.truth, ensure_ascii=False, indent=1, sort_keys=True)
    shown = {"instruction": task.instruction, "tests": tests, "truth": truth, "messages": said(trial.verdict)}
    return {
        **{name: visible(_cut(text, _TEXT_CHARS)) for name, text in shown.items()},
        "record": transcript(trial),
        "outputs": visible(_cut("\n".join(_shown(outputs)) or "(none)", _OUTPUT_CHARS)),
    }


def _shown(outputs: Tree) -> Iterator[str]:
    for path, node in sorted(outputs.items()):
        if node.kind != "file":
            continue
        try:
            text = _cut(node.data.decode("utf-8"), _FILE_CHARS)
        except UnicodeDecodeError:
            text = "(no text)"
        yield f"[/{path}, {len(node.data)} bytes]\n{text}"


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def _asked(sources: Mapping[str, str], trial: Trial) -> tuple[Message, ...]:
    order = [name for name in get_args(Quote.model_fields["source"].annotation) if name in sources]
    blocks = [quoted(name, sources[name]) for name in order]
    finish = trial.model.finish if trial.model else "unknown"
    ended = f"How the solver's attempt ended: {_ENDS.get(finish, 'its shell ended')}.\nWhose fault is it that it failed?"
    system = Message(role="system", text=knowledge.prompt("rule"))
    return system, Message(role="user", text="\n\n".join([*blocks, ended]))


def _sum(made: list[Completion]) -> Spent:
    return sum((spent_on(completion) for completion in made), Spent())
