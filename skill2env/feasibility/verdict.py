"""The verdict: the signals' points are added up, and the strongest reason against practice has to beat what speaks for it."""

from __future__ import annotations

from collections import Counter

from skill2env.feasibility.signals import signals
from skill2env.models.feasibility import Evidence, Feasibility, Verdict
from skill2env.models.skill import Skill

AGAINST: tuple[Verdict, ...] = (
    "harmful",
    "stub",
    "external_account",
    "needs_stand_in",
    "gui_or_hardware",
    "agent_host",
    "prose_only",
)
"""Of equal points the first wins."""
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


def judge(skill: Skill) -> Feasibility:
    """Return whether a skill can be practised in an offline container; a pure function of what was parsed."""
    found = signals(skill)
    scores: dict[Verdict, float] = dict.fromkeys(("practicable", *AGAINST), 0.0)
    for item in found:
        scores[item.toward] += item.points
    worst = max(AGAINST, key=lambda verdict: scores[verdict])
    verdict: Verdict = worst if scores[worst] > scores["practicable"] else "practicable"
    stand_ins = _stand_ins(skill) if verdict == "needs_stand_in" else ()
    reason = REASONS[verdict]
    if stand_ins:
        reason = f"{reason.rstrip('.')}: {', '.join(stand_ins)}."
    return Feasibility(
        verdict=verdict,
        reason=reason,
        stand_ins=stand_ins,
        scores=tuple((name, round(points, 2)) for name, points in scores.items()),
        evidence=_first(found, verdict),
        toolchain=_toolchain(skill),
        packages=_packages(skill),
        edits=EDITS[verdict],
    )


def _first(found: tuple[Evidence, ...], verdict: Verdict) -> tuple[Evidence, ...]:
    """Return the evidence for the verdict before that for others."""
    return tuple(sorted(found, key=lambda item: item.toward != verdict))[:MAX_EVIDENCE]


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
