"""Counts the signals of a parsed skill: what speaks for which verdict, with lines and points."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from skill2env.feasibility.phrases import PHRASES
from skill2env.models.feasibility import Evidence, Verdict
from skill2env.models.skill import Need, Skill

MAX_LINE_CHARS = 1_000
SHOWN = 5
MAX_TAG_CHARS = 800
OWN = re.compile(
    r"JWT|SESSION|COOKIE|^SECRET_KEY$|^APP_|^(?:DB|POSTGRES|MYSQL|REDIS|MONGO|PG)_?|PAYLOAD_SECRET|WEBHOOK_SECRET"
)
"""Keys that an application makes for itself, or that of a database."""
OFFLINE_NAMES = (
    "python javascript typescript go rust java kotlin csharp r ruby php c cpp c++ scala lua perl julia elixir vue svelte "
    "html css scss haskell clojure latex tex awk jq astro razor make dockerfile terraform graphql sql nginx openscad rego "
    "xml toml zig solidity"
)
OFFLINE_CODE = frozenset(OFFLINE_NAMES.split())
APPLE_OR_PHONE = frozenset(
    ("swift", "dart", "objectivec", "apex", "soql", "powershell", "kql", "spl", "mql5", "xaml")
)
DATA_NAMES = (
    "csv tsv jsonl parquet xlsx docx pptx pdf ipynb vcf bcf bam sam fastq fasta fa bed gff gtf h5ad rds mtx fcs sdf pdb "
    "mol2 shp geojson gpkg tif nc fits stl scad pcap pcapng evtx dd png jpg jpeg svg mp4 wav srt db sqlite npy tex bib log "
    "patch diff csproj"
)
DATA = frozenset(DATA_NAMES.split())
"""File formats that a world can hold ready-made."""


def signals(skill: Skill) -> tuple[Evidence, ...]:
    """Return all signals of a skill, each with the points that it adds to one verdict."""
    found = [*_phrases(skill), *_needs(skill), *_code(skill), *_size(skill)]
    return tuple(sorted((item for item in found if item.points), key=lambda item: -abs(item.points)))


def _phrases(skill: Skill) -> Iterator[Evidence]:
    title = title_of(skill)
    lines = skill.text.split("\n")
    body = [
        (number, line[:MAX_LINE_CHARS])
        for number, line in enumerate(lines, 1)
        if number >= skill.body_line and line.strip() and not line.lstrip().startswith(("```", "~~~"))
    ]
    for signal, toward, _, in_title, in_line, most, pattern in PHRASES:
        first = pattern.search(title)
        hits = [(number, match[0]) for number, line in body if (match := pattern.search(line))]
        points = (in_title if first else 0.0) + min(most, in_line * len(hits))
        seen = ([first[0]] if first else []) + [text for _, text in hits]
        yield _evidence(signal, toward, points, (number for number, _ in hits), seen)


def title_of(skill: Skill) -> str:
    """Return what the frontmatter says that the skill is about: name, description, and tags of any kind."""
    tags = " ".join(value for _, value in (*skill.extras, *skill.metadata))[:MAX_TAG_CHARS]
    return f"{skill.name.replace('-', ' ')} {skill.description} {tags.replace('-', ' ')}"


def _evidence(
    signal: str, toward: Verdict, points: float, lines: Iterable[int], seen: Iterable[str]
) -> Evidence:
    return Evidence(
        signal=signal,
        toward=toward,
        points=round(points, 2),
        lines=tuple(dict.fromkeys(lines))[:SHOWN],
        seen=tuple(dict.fromkeys(seen))[:SHOWN],
    )


def _of(needs: Iterable[Need], signal: str, toward: Verdict, each: float, most: float) -> Evidence:
    needs = sorted(needs, key=lambda need: -need.count)
    return _evidence(
        signal,
        toward,
        min(most, each * len(needs)),
        (need.line for need in needs),
        (need.name for need in needs),
    )


def _needs(skill: Skill) -> Iterator[Evidence]:
    title = f"{title_of(skill)} {' '.join(key for key, _ in skill.extras)}".lower().replace("-", " ")
    services = [need for need in skill.needs if need.kind == "service"]
    hosted = [need for need in services if need.detail == "hosted"]
    local = [need for need in services if need.detail == "local"]
    kinds: tuple[tuple[str, list[Need], Verdict, float], ...] = (
        ("hosted", hosted, "external_account", 3.2),
        ("local", local, "needs_stand_in", 3.0),
    )
    for kind, items, toward, points in kinds:
        named = [need for need in items if need.name.lower() in title]
        yield _of(named, f"{kind}-service-in-title", toward, points, points)
        often = sum(min(need.count, 12) for need in items)
        shown = sorted(items, key=lambda need: -need.count)
        yield _evidence(
            f"{kind}-services",
            toward,
            min(3.0, often * 0.14),
            (need.line for need in shown),
            (need.name for need in shown),
        )
    variables = [
        need
        for need in skill.needs
        if need.kind == "variable" and need.detail == "credential" and not OWN.search(need.name)
    ]
    yield _of(variables, "credentials", "external_account", 0.8, 2.4)
    asked = [
        need
        for need in variables
        if need.line == 1 or need.name.lower().replace("_", " ") in title.replace("_", " ")
    ]
    yield _of(asked, "credentials-wanted", "external_account", 4.0, 4.0)
    hosts = [
        need
        for need in skill.needs
        if need.kind == "host" and need.name.startswith("api.") and "example" not in need.name
    ]
    yield _of(hosts, "api-hosts", "external_account", 0.7, 1.4)
    programs = [need for need in skill.needs if need.kind == "program"]
    speaking = [need for need in programs if need.detail == "hosted"]
    yield _of(speaking, "hosted-programs", "external_account", 1.0, 2.0)
    plain = [need for need in programs if not need.detail]
    yield _of(plain, "programs", "practicable", 0.3, 2.1)
    packages = [need for need in skill.needs if need.kind == "package"]
    yield _of(packages, "packages", "practicable", 0.3, 1.5)
    formats = [need for need in skill.needs if need.kind == "format" and need.name in DATA]
    yield _of(formats, "data-formats", "practicable", 0.4, 1.6)


def _code(skill: Skill) -> Iterator[Evidence]:
    shown = [block for block in skill.code_blocks if block.role in ("run", "file", "anti")]
    offline = [block for block in shown if block.guess in OFFLINE_CODE]
    yield _evidence(
        "code",
        "practicable",
        min(2.7, 0.45 * len(offline)),
        (block.start_line for block in offline),
        (block.guess for block in offline),
    )
    foreign = [block for block in shown if block.guess in APPLE_OR_PHONE]
    languages = Counter(block.guess for block in foreign)
    hosted = languages["apex"] + languages["soql"] + languages["kql"]
    yield _evidence("hosted-language", "external_account", min(2.0, 0.7 * hosted), (), ())
    other = len(foreign) - hosted
    yield _evidence(
        "foreign-language",
        "gui_or_hardware",
        min(3.0, 0.8 * other),
        (block.start_line for block in foreign),
        languages,
    )
    scripts = [
        item.path
        for item in skill.files
        if item.path.startswith(("scripts/", "examples/"))
        and item.path.endswith((".py", ".sh", ".js", ".ts", ".R"))
    ]
    yield _evidence("bundled-scripts", "practicable", min(0.8, 0.4 * len(scripts)), (), scripts)
    if not any(block.role != "figure" for block in skill.code_blocks) and len(skill.commands) == 0:
        yield _evidence("no-code", "prose_only", 1.0, (), ())


def _size(skill: Skill) -> Iterator[Evidence]:
    body = "\n".join(skill.text.split("\n")[skill.body_line - 1 :])
    size = len(body.strip()) * (1 if body.isascii() else 2)
    if size < 400:
        yield _evidence("hardly-any-text", "stub", 3.0, (), ())
    elif size < 900 and not skill.commands:
        yield _evidence("hardly-any-text", "stub", 1.0, (), ())
    missing = [item for item in skill.references if not item.exists]
    if missing and len(missing) == len(skill.references) and size < 3000 and not skill.code_blocks:
        yield _evidence(
            "only-absent-files", "stub", 2.0, (item.line for item in missing), (item.path for item in missing)
        )
