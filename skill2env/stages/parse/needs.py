"""Finds what a skill depends on: programs, packages, services, environment variables, file formats and hosts."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from operator import itemgetter

from skill2env.models.skill import CodeBlock, Command, Need, NeedKind, Pairs
from skill2env.stages.parse.services import HOSTED_PROGRAMS, LOCAL_PROGRAMS, lines_naming, services_in
from skill2env.stages.parse.words import words

MAX_NEEDS = 400
MAX_LINE_CHARS = 2_000
BUILTINS = words(
    "cd echo export set unset source . alias declare local readonly typeset eval exec exit return shift test [ [[ true "
    "false read printf pwd trap type wait umask ulimit command let local pushd popd break continue getopts hash : "
    "shopt mapfile"
)
PROGRAM = re.compile(r"^(?!-)(?:[\w.+-]*[A-Za-z][\w.+-]*|\.{0,2}(?:/[\w.+-]+)+|[\w.-]+(?:/[\w.+-]+)+)$")
INSTALLERS: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = (
    (
        "pip",
        ("pip", "uv", "poetry"),
        re.compile(
            r"\b(?:pip3?|uv pip|pipx|uv tool|python3? -m pip) install\b|\buv add\b|\bpoetry add\b|\buvx\b"
        ),
    ),
    (
        "npm",
        ("npm", "yarn", "bun", "npx"),
        re.compile(r"\b(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|create)\b|\b(?:npx|bunx|pnpm dlx)\b"),
    ),
    ("apt", ("apt",), re.compile(r"\bapt(?:-get)? install\b")),
    ("brew", ("brew",), re.compile(r"\bbrew install\b")),
    ("conda", ("conda", "mamba"), re.compile(r"\b(?:conda|mamba|micromamba) install\b")),
    ("cargo", ("cargo",), re.compile(r"\bcargo (?:install|add)\b")),
    ("go", ("go",), re.compile(r"\bgo (?:install|get)\b")),
    ("gem", ("gem",), re.compile(r"\bgem install\b")),
    ("composer", ("composer",), re.compile(r"\bcomposer require\b")),
    ("nuget", ("dotnet",), re.compile(r"\bdotnet (?:add package|tool install)\b")),
)
"""Where packages come from; the programs, one of which is in each command that installs from there; and the command."""
RUNS_ONE = re.compile(r"^(?:npx|bunx|uvx|pnpm dlx)$|\bcreate$")
"""What takes one package, and hands what follows to it."""
PACKAGE = re.compile(r"^[\"']?(@?[A-Za-z][\w.+/-]*[\w])(?:\[[\w,-]*\])?(?:[@=<>~!^].*)?[\"']?$")
TAKES_VALUE = frozenset(
    ("-c", "-n", "-r", "-p", "-e", "--channel", "--name", "--prefix", "--version", "--index-url", "-y")
)
IMPORTS = {
    "python": re.compile(
        r"^[ \t]*(?:from\s+([A-Za-z_]\w*)[\w.]*\s+import\b|import\s+([A-Za-z_]\w*))", re.MULTILINE
    ),
    "javascript": re.compile(r"(?:from|require\(|import)\s*['\"]((?:@[\w.-]+/)?[\w.-]+)[\w./-]*['\"]"),
    "r": re.compile(r"\b(?:library|require)\(([A-Za-z][\w.]*)\)"),
}
IMPORTS["typescript"] = IMPORTS["vue"] = IMPORTS["svelte"] = IMPORTS["javascript"]
PACKAGED_AS = {
    "Bio": "biopython",
    "Crypto": "pycryptodome",
    "Levenshtein": "levenshtein",
    "MySQLdb": "mysqlclient",
    "OpenSSL": "pyopenssl",
    "PIL": "pillow",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cairo": "pycairo",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "discord": "discord.py",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "faiss": "faiss-cpu",
    "fitz": "pymupdf",
    "git": "gitpython",
    "jwt": "pyjwt",
    "magic": "python-magic",
    "pkg_resources": "setuptools",
    "pptx": "python-pptx",
    "rest_framework": "djangorestframework",
    "ruamel": "ruamel.yaml",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "telegram": "python-telegram-bot",
    "umap": "umap-learn",
    "usb": "pyusb",
    "win32com": "pywin32",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}
"""Packages of Python that are imported by another name than they are installed by."""
ECOSYSTEM = {"python": "pip", "r": "cran"}
NODE_OWN = words(
    "fs path os http https crypto util url stream events child_process buffer assert net zlib readline process test "
    "worker_threads"
)
NAME = re.compile(r"([A-Z](?<!\w[A-Z])[A-Z0-9]*(?:_[A-Z0-9]+)+)\b")
ENVIRONMENT = re.compile(
    r"process\.env|environ|getenv|\.env\b|export |environment variable|环境变量|環境変数", re.IGNORECASE
)
CREDENTIAL = re.compile(
    r"(?:API_?KEYS?|TOKEN|SECRETS?|PASSWORDS?|PASSWD|CREDENTIALS?|PRIVATE_KEY|ACCESS_KEY|CLIENT_ID|_PAT|_DSN|BEARER)"
    r"(?:_(?!(?:PATTERN|REGEX|LIMIT|COUNT|LENGTH|BUDGET|USAGE)\b)\w*|\d*)$"
)
STANDARD = words(
    "HOME PATH PWD USER SHELL TMPDIR LANG TERM EDITOR RANDOM SECONDS HOSTNAME OSTYPE IFS UID NODE_ENV PYTHONPATH LC_ALL "
    "BASH_SOURCE"
)
FORMATS = words(
    "csv tsv json jsonl ndjson yaml yml toml ini xml html css scss md rst txt log sql sqlite db parquet arrow feather h5 hdf5 "
    "npy npz pkl xlsx xls docx pptx pdf epub odt rtf tex bib ipynb png jpg jpeg gif webp svg tiff bmp mp4 mov avi mkv mp3 wav "
    "flac srt vtt zip tar gz bz2 xz 7z pcap pcapng pem crt key p12 jks evtx dd e01 vcf bcf bam sam cram fastq fasta fa fq bed "
    "gff gtf bigwig bw h5ad rds mtx fcs mzml sdf pdb cif mol2 smi shp geojson gpkg tif nc fits stl step obj gltf scad proto "
    "graphql avro plist csproj sln tf hcl rego lock env patch diff eml ics vcard wasm onnx safetensors gguf yar"
)
FORMAT = re.compile(
    r"\.(?<=[\w*}>)-]\.)(?=[a-z0-9])("
    + "|".join(sorted(FORMATS, key=len, reverse=True))
    + r")(?:\.gz)?(?![\w.(])",
    re.IGNORECASE,
)
"""This and `NAME` begin with what a search can skip to, and look back from there, in less than half the time."""
HOST = re.compile(r"https?://(?:[^\s/@\"'`<>]*@)?([A-Za-z0-9][A-Za-z0-9.-]{0,200}[A-Za-z0-9])")


class _Needs:
    """Collects what is needed, each thing once, with the line where it is first named and how often it is."""

    def __init__(self) -> None:
        self.found: dict[tuple[NeedKind, str, str], list[int]] = {}

    def add(self, kind: NeedKind, name: str, detail: str, line: int) -> None:
        self.found.setdefault((kind, name, detail), [line, 0])[1] += 1

    def all(self) -> tuple[Need, ...]:
        return tuple(
            Need(kind=kind, name=name, detail=detail, line=line, count=count)
            for (kind, name, detail), (line, count) in list(self.found.items())[:MAX_NEEDS]
        )


def find_needs(
    description: str,
    lines: list[str],
    blocks: list[CodeBlock],
    commands: tuple[Command, ...],
    variables: tuple[str, ...],
) -> tuple[Need, ...]:
    """Return what the text, its code and its commands depend on, in order of the first mention.

    Args:
        description: what the frontmatter says of the skill; services in it count as named on line 1.
        lines: the lines of the text.
        blocks: its code blocks with their guessed languages.
        commands: its shell commands.
        variables: names of environment variables that the frontmatter asks for.
    """
    needs = _Needs()
    for service, sort in services_in(description):
        needs.add("service", service, sort, 1)
    for name in variables:
        needs.add("variable", name, _sort_of(name), 1)
    _from_commands(commands, needs)
    _from_code(blocks, needs)
    _from_lines(lines, needs)
    return needs.all()


def wanted_variables(pairs: Pairs, description: str) -> tuple[str, ...]:
    """Return the environment variables that frontmatter asks for, in whatever key and form; of a description the keys."""
    names = (
        match[1]
        for key, value in pairs
        if "env" in key.lower() or '"env"' in value
        for match in NAME.finditer(value)
    )
    keys = (match[1] for match in NAME.finditer(description) if CREDENTIAL.search(match[1]))
    return tuple(dict.fromkeys((*names, *keys)))


def _from_commands(commands: tuple[Command, ...], needs: _Needs) -> None:
    own = {name for command in commands for name in command.sets if "export" not in command.programs}
    for command in commands:
        for program in command.programs:
            name = program.rsplit("/", 1)[-1] if program.startswith(("/usr/", "/bin/", "/opt/")) else program
            if name in BUILTINS or not PROGRAM.match(name):
                continue
            sort = "bundled" if "/" in name else ""
            for speaks, table in (("hosted", HOSTED_PROGRAMS), ("local", LOCAL_PROGRAMS)):
                if name in table:
                    sort = speaks
                    needs.add("service", table[name], speaks, command.line)
            needs.add("program", name, sort, command.line)
        for ecosystem, package in _installed(command.text):
            needs.add("package", package, ecosystem, command.line)
        exported = command.sets if "export" in command.programs else ()
        for name in (*command.reads, *exported):
            if (
                name.isupper()
                and len(name) > 2
                and name not in STANDARD
                and (name in exported or name not in own)
            ):
                needs.add("variable", name, _sort_of(name), command.line)


def _sort_of(variable: str) -> str:
    return "credential" if CREDENTIAL.search(variable) else ""


def _installed(text: str) -> Iterator[tuple[str, str]]:
    """Yield the packages that a command installs, with the ecosystem."""
    for ecosystem, programs, pattern in INSTALLERS:
        if not any(map(text.__contains__, programs)):
            continue
        for match in pattern.finditer(text[:MAX_LINE_CHARS]):
            words = re.split(r"[;&|\n]", text[match.end() : match.end() + 600], maxsplit=1)[0].split()
            skip = False
            for word in words[:40]:
                package = PACKAGE.match(word)
                if word.startswith("-") or skip:
                    skip = word in TAKES_VALUE and word not in ("-y", "-e")
                elif package and not word.startswith("."):
                    yield ecosystem, re.sub(r"(?<=\w)@.*$", "", package[1])
                    if RUNS_ONE.search(match[0]):
                        break


def _from_code(blocks: list[CodeBlock], needs: _Needs) -> None:
    for block in blocks:
        pattern = IMPORTS.get(block.guess)
        if pattern is None:
            continue
        first = block.start_line + (block.kind == "fenced")
        for match in pattern.finditer(block.text):
            name = next(group for group in match.groups() if group)
            own = sys.stdlib_module_names if block.guess == "python" else NODE_OWN
            if name not in own and not name.startswith(".") and name not in ("src", "app", "your_module"):
                line = first + block.text.count("\n", 0, match.start())
                name = PACKAGED_AS.get(name, name) if block.guess == "python" else name
                needs.add("package", name, ECOSYSTEM.get(block.guess, "npm"), line)


def _from_lines(lines: list[str], needs: _Needs) -> None:
    """Take what stands in the text; all lines are searched at once, which is faster than one after the other."""
    lines = [line[:MAX_LINE_CHARS] for line in lines]
    text = "\n".join(lines)
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    found: list[tuple[int, int, NeedKind, str, str]] = []
    for match in HOST.finditer(text):
        found.append((bisect_right(starts, match.start()), 0, "host", match[1].lower(), ""))
    for match in NAME.finditer(text):
        number = bisect_right(starts, match.start())
        sort = _sort_of(match[1])
        if sort or (match[1] not in STANDARD and ENVIRONMENT.search(lines[number - 1])):
            found.append((number, 1, "variable", match[1], sort))
    for match in FORMAT.finditer(text):
        found.append((bisect_right(starts, match.start()), 2, "format", match[1].lower(), ""))
    for index in lines_naming(lines):
        found.extend((index + 1, 3, "service", name, sort) for name, sort in services_in(lines[index]))
    for number, _, kind, name, detail in sorted(found, key=itemgetter(0, 1)):
        needs.add(kind, name, detail, number)
