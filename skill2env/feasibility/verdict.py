"""The verdict: each measure adds to the score of each reason against practice, and together they have to beat even odds."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable

from skill2env.feasibility.measures import measure
from skill2env.feasibility.weights import Term, load_weights
from skill2env.models.feasibility import Evidence, Feasibility, Verdict
from skill2env.models.skill import Skill

REASONS: dict[Verdict, str] = {
    "practicable": "The work can be done on files and with packages, without network, account or screen.",
    "needs_stand_in": "The work is done against a service that a task would have to bring along.",
    "external_account": "The work needs an account, a key or the resources of a hosted product.",
    "gui_or_hardware": "The work needs a screen, a device, a GPU or another operating system.",
    "agent_host": "The work needs other agents, a person, or tools of one agent program.",
    "prose_only": "The skill advises, and names nothing that a program could check.",
    "stub": "The skill says too little to practise anything.",
    "harmful": "The skill teaches attacks on others.",
}
EDITS: dict[Verdict, tuple[str, ...]] = {
    "practicable": (),
    "needs_stand_in": (
        "Bundle a script that starts the service on the loopback address with known data, and let the steps use it.",
        "Or move what works on exported files into steps of its own.",
    ),
    "external_account": (
        "Split off the part that works on local files, such as building or checking requests and reading saved answers.",
        "Bundle recorded answers, and name an environment variable for the address so that a local copy can stand in.",
    ),
    "gui_or_hardware": (
        "Add a way that runs on a Linux command line, with small data and without a screen or GPU.",
        "Split off what can be checked in files: project files, configuration, exported data.",
    ),
    "agent_host": (
        "Say what one agent with a shell does, and what files result.",
        "Put answers that a person would give into files.",
    ),
    "prose_only": (
        "Add an example with input files and the exact output that is right.",
        "Name the commands or formats with which the result can be checked.",
    ),
    "stub": ("Write the steps, commands and files of the work into SKILL.md itself.",),
    "harmful": ("Turn it to defence: detecting or preventing what it describes, on recorded data.",),
}
LANGUAGE_TOOLCHAINS = {
    "python": "python",
    "javascript": "node",
    "typescript": "node",
    "vue": "node",
    "svelte": "node",
    "css": "node",
    "html": "node",
    "go": "go",
    "rust": "rust",
    "java": "java",
    "kotlin": "java",
    "csharp": "dotnet",
    "r": "r",
    "ruby": "ruby",
    "php": "php",
}
"""`shell`, `python`, `data` and `docs` are in `dockerfiles/`; the others would have to be added."""
ECOSYSTEM_TOOLCHAINS = {
    "pip": "python",
    "npm": "node",
    "cargo": "rust",
    "go": "go",
    "gem": "ruby",
    "composer": "php",
    "nuget": "dotnet",
    "cran": "r",
}
DATA_PACKAGES = frozenset(
    ("pandas", "numpy", "scipy", "polars", "pyarrow", "matplotlib", "sklearn", "scikit-learn")
)
DOCUMENT_PROGRAMS = frozenset(
    ("pandoc", "pdftotext", "libreoffice", "soffice", "pdflatex", "xelatex", "qpdf")
)
MAX_PACKAGES = 40
MAX_EVIDENCE = 20
MIN_POINTS = 0.05
SHOWN = 5
EVEN = 0.5
"""The weights are learned with as much weight on the practicable labels as on all others together."""
HARMFUL_POINTS = 5.0
"""Of the wordings about attacks; there are too few such skills to learn from."""
MAX_SCORE = 50.0
GROUPS = {
    "sizes": "size",
    "title": "words-of-title",
    "headings": "words-of-headings",
    "text": "words-of-text",
}
"""Name in the evidence of each kind of measure that is no signal."""


def judge(skill: Skill) -> Feasibility:
    """Return whether a skill can be practised in an offline container; a pure function of what was parsed."""
    weights, measures = load_weights(), measure(skill)
    terms = list(weights.terms(measures))
    totals = [sum(added) for added in zip(weights.base, *(term.added for term in terms), strict=True)]
    shares = _shares(dict(zip(weights.verdicts, totals, strict=True)))
    against = max(weights.verdicts, key=lambda verdict: shares[verdict])
    verdict: Verdict = "practicable" if shares["practicable"] >= EVEN else against
    found = _evidence(terms, measures.signals, against, weights.verdicts.index(against))
    attacks = [item for item in measures.signals if item.toward == "harmful"]
    if sum(item.points for item in attacks) >= HARMFUL_POINTS:
        verdict, found = "harmful", [*attacks, *found]
    stand_ins = _stand_ins(skill) if verdict == "needs_stand_in" else ()
    reason = REASONS[verdict]
    if stand_ins:
        reason = f"{reason.rstrip('.')}: {', '.join(stand_ins)}."
    return Feasibility(
        verdict=verdict,
        reason=reason,
        stand_ins=stand_ins,
        shares=tuple((name, round(share, 3)) for name, share in shares.items()),
        evidence=tuple(sorted(found, key=lambda item: (item.toward != verdict, -item.points))[:MAX_EVIDENCE]),
        toolchain=_toolchain(skill),
        packages=_packages(skill),
        edits=EDITS[verdict],
    )


def _shares(scores: dict[Verdict, float]) -> dict[Verdict, float]:
    """Return how likely each verdict is; the score of `practicable` is 0, since the others' are against it."""
    powers: dict[Verdict, float] = {"practicable": 1.0}
    powers |= {name: math.exp(min(score, MAX_SCORE)) for name, score in scores.items()}
    return {name: power / sum(powers.values()) for name, power in powers.items()}


def _evidence(
    terms: Iterable[Term], signals: tuple[Evidence, ...], against: Verdict, column: int
) -> list[Evidence]:
    """Return what speaks for the strongest reason against practice, and what for practice, with its points.

    Signals stand alone; sizes, and the words of one place, are taken together.
    """
    seen = {item.signal: item for item in signals}
    groups: dict[tuple[str, Verdict], list[Term]] = defaultdict(list)
    for term in terms:
        toward: Verdict = against if term.added[column] > 0 else "practicable"
        name = term.name if term.kind == "signals" else GROUPS[term.kind]
        groups[name, toward].append(term)
    found = []
    for (name, toward), some in groups.items():
        some.sort(key=lambda term: -abs(term.added[column]))
        points = round(abs(sum(term.added[column] for term in some)), 2)
        signal = seen.get(name)
        lines = (
            signal.lines if signal else tuple(dict.fromkeys(term.line for term in some[:SHOWN] if term.line))
        )
        told = signal.seen if signal else tuple(term.name for term in some[:SHOWN])
        if points >= MIN_POINTS:
            found.append(Evidence(signal=name, toward=toward, points=points, lines=lines, seen=told))
    return found


def _stand_ins(skill: Skill) -> tuple[str, ...]:
    local = [need for need in skill.needs if need.kind == "service" and need.detail == "local"]
    names = [need.name for need in sorted(local, key=lambda need: -need.count)]
    return tuple(dict.fromkeys(names))[:3] or ("an HTTP server with recorded answers",)


def _packages(skill: Skill) -> tuple[str, ...]:
    named = (f"{need.detail}:{need.name}" for need in skill.needs if need.kind == "package")
    return tuple(sorted(set(named)))[:MAX_PACKAGES]


def _toolchain(skill: Skill) -> str:
    counts: Counter[str] = Counter()
    for block in skill.code_blocks:
        if block.role in ("run", "file") and block.guess in LANGUAGE_TOOLCHAINS:
            counts[LANGUAGE_TOOLCHAINS[block.guess]] += 1
    names = set()
    for need in skill.needs:
        if need.kind == "package":
            names.add(need.name.lower())
            counts[ECOSYSTEM_TOOLCHAINS.get(need.detail, "")] += 1
        elif need.kind == "program":
            names.add(need.name)
    del counts[""]
    best = max(sorted(counts), key=lambda name: counts[name], default="shell")
    if best == "python" and names & DATA_PACKAGES:
        return "data"
    return "docs" if best in ("shell", "python") and names & DOCUMENT_PROGRAMS else best
