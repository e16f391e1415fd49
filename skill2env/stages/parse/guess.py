"""Guesses the language of a code block from its text, with a confidence; every pattern looks at a bounded sample."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from skill2env.stages.parse.words import words

SAMPLE_CHARS = 2_000
SAMPLE_LINES = 40
SPELLINGS = {
    **dict.fromkeys(
        words(
            "sh shell zsh ksh ash dash console terminal shell-session shellsession sh-session shellscript shell-script "
            "bash-session fish"
        ),
        "bash",
    ),
    "py": "python",
    "python3": "python",
    "pycon": "python",
    "js": "javascript",
    "mjs": "javascript",
    "jsx": "javascript",
    "node": "javascript",
    "ts": "typescript",
    "tsx": "typescript",
    "yml": "yaml",
    "md": "markdown",
    "mdx": "markdown",
    "jsonc": "json",
    "json5": "json",
    "rs": "rust",
    "golang": "go",
    "rb": "ruby",
    "c#": "csharp",
    "cs": "csharp",
    "kt": "kotlin",
    "docker": "dockerfile",
    "ps1": "powershell",
    "pwsh": "powershell",
    "hcl": "terraform",
    "tf": "terraform",
    "postgresql": "sql",
    "mysql": "sql",
    "htm": "html",
    "svg": "xml",
    "makefile": "make",
    "conf": "ini",
}
VAGUE = frozenset(
    ("", "text", "txt", "plaintext", "plain", "output", "code", "none", "log", "example", "ascii")
)
"""Names that say nothing of the language."""

DRAWN = re.compile("[│├└┌┐┘┬┴┼─▼▲►◄→←↓↑═║╔╗╚╝┃━]")
KEY_VALUE = re.compile(r"^\s*(?:- )?[\w./\"'-]+:(?:\s|$)", re.ASCII)
COMMON_PROGRAMS = (
    "git npm npx pnpm yarn bun bunx node deno python python3 pip pip3 pipx uv uvx poetry conda mamba cargo rustup go make "
    "cmake gcc docker docker-compose podman kubectl helm terraform ansible aws az gcloud gh glab curl wget ssh scp rsync tar "
    "unzip zip cd ls cat cp mv rm mkdir touch chmod chown echo export source sudo apt apt-get brew yum dnf apk systemctl grep "
    "sed awk find sort head tail jq yq psql mysql sqlite3 redis-cli mongosh openssl ffmpeg convert magick pandoc samtools "
    "bcftools bedtools java mvn gradle ./gradlew dotnet nuget composer php ruby gem bundle rails swift xcodebuild flutter "
    "dart expo eas vercel netlify firebase heroku supabase stripe wrangler claude codex openclaw clawhub tmux pytest ruff "
    "mypy eslint prettier jest vitest tsc vite next playwright nmap tshark sqlmap volatility vol yara set pwd which env "
    "kill ps lsof netstat sleep bash sh nohup time test true mise just task nx turbo"
)
PROGRAMS = frozenset(COMMON_PROGRAMS.split())
COMMAND_LINE = re.compile(r"^(?:[$%] )?(?:[A-Z_]+=\S+ )*(?:sudo )?([\w./{}$~-]+)(?:\s+\S|$)")

Test = Callable[[str, list[str]], float]


def guess_language(language: str, text: str) -> tuple[str, float]:
    """Return a language in one spelling and how sure it is, from 0 to 1.

    Args:
        language: what the block's info string says; where it names one, that is taken with confidence 1.
        text: the code.
    """
    named = SPELLINGS.get(language, language)
    if named not in VAGUE:
        return named, 1.0
    sample = text[:SAMPLE_CHARS]
    lines = [line for line in sample.split("\n")[:SAMPLE_LINES] if line.strip()]
    if not lines:
        return "text", 0.0
    best, sure = "text", 0.3
    for name, test in TESTS:
        share = test(sample, lines)
        if share > sure:
            best, sure = name, share
    if best == "text" and any(DRAWN.search(line) for line in lines):
        sure = 0.8
    return best, round(min(sure, 0.99), 2)


def _share(pattern: str, flags: int = 0) -> Test:
    """Return a test that gives the share of lines that a pattern fits."""
    compiled = re.compile(pattern, flags)
    return lambda sample, lines: sum(bool(compiled.match(line)) for line in lines) / len(lines)


def _any(pattern: str, sure: float, flags: int = re.MULTILINE) -> Test:
    """Return a test that is as sure as given where a pattern is found."""
    compiled = re.compile(pattern, flags)
    return lambda sample, lines: sure if compiled.search(sample) else 0.0


def _json(sample: str, lines: list[str]) -> float:
    start = sample.lstrip()[:1]
    if start not in ("{", "["):
        return 0.0
    if len(sample) < SAMPLE_CHARS:
        try:
            json.loads(sample)
        except (ValueError, RecursionError):
            pass
        else:
            return 0.99
    return 0.85 if re.search(r'"[^"\n]{1,60}"\s*:', sample) else 0.0


def _yaml(sample: str, lines: list[str]) -> float:
    if sample.lstrip()[:1] in "{[<":
        return 0.0
    keys = sum(bool(KEY_VALUE.match(line)) or line.lstrip().startswith(("- ", "#")) for line in lines)
    plain = sum(bool(KEY_VALUE.match(line)) for line in lines)
    nested = any(line.rstrip().endswith(":") for line in lines[:-1]) or lines[0].strip() == "---"
    return keys / len(lines) * (0.85 if nested else 0.5) if plain >= 2 else 0.0


def _shell(sample: str, lines: list[str]) -> float:
    if lines[0].startswith("#!") and "sh" in lines[0]:
        return 0.97
    code = [line.strip() for line in lines if not line.lstrip().startswith("#")]
    if not code:
        return 0.0
    known = continued = 0
    for line in code:
        match = COMMAND_LINE.match(line)
        word = match[1] if match else ""
        if continued or word in PROGRAMS or word.startswith(("./", "~/", "$ ")) or line.startswith("$ "):
            known += 1
        continued = line.endswith("\\")
    return known / len(code) * 0.95


def _markdown(sample: str, lines: list[str]) -> float:
    heads = sum(bool(re.match(r"#{1,6} \S", line)) for line in lines)
    marks = sum(bool(re.match(r"\s*(?:[-*] |\d+\. |\|.*\||\*\*)", line)) for line in lines)
    named = any(re.match(r"#{2,6} \S", line) for line in lines)
    return min(0.9, 0.45 + (heads + marks) / len(lines) / 2) if heads and (named or marks) else 0.0


TESTS: tuple[tuple[str, Test], ...] = (
    ("json", _json),
    ("yaml", _yaml),
    ("bash", _shell),
    ("markdown", _markdown),
    ("dockerfile", _any(r"\AFROM \S+.*\n(?:.*\n){0,20}(?:RUN|COPY|CMD|WORKDIR) ", 0.97)),
    (
        "python",
        _any(
            r"^(?:from [\w.]+ import \w|import [\w.]+(?: as \w+)?$|(?:async )?def \w+\(.*:$|class \w+.*:$)",
            0.9,
        ),
    ),
    ("python", _any(r"^print\(|^\s*for \w+ in .{1,80}:$|^\w+ = \w+(?:\.\w+)*\(.*\)$", 0.6)),
    (
        "javascript",
        _any(
            r"^(?:const|let|var) \w+ = |^import .{1,80} from ['\"]|^export (?:default|const|function)|\) => \{$|;\n\}",
            0.88,
        ),
    ),
    (
        "typescript",
        _any(r"^(?:export )?(?:interface|type|enum) \w+|\w\??: (?:string|number|boolean|void)\b", 0.86),
    ),
    (
        "sql",
        _any(
            r"\A\s*(?:--.*\n)*(?:SELECT|INSERT INTO|CREATE TABLE|CREATE INDEX|UPDATE|DELETE FROM|ALTER TABLE|WITH)\b",
            0.93,
            0,
        ),
    ),
    (
        "html",
        _any(
            r"\A\s*<(?:!DOCTYPE|html|div|body|head|script|style|p|span|a|button|form|section)\b", 0.92, re.I
        ),
    ),
    ("xml", _any(r"\A\s*<(?:\?xml|[A-Za-z][\w:.-]*(?:\s[^<>]{0,200})?>(?=[\s\S]*(?:</|/>)))", 0.7, 0)),
    ("http", _any(r"\A\s*(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) [/h]\S*|\AHTTP/\d", 0.93, 0)),
    ("toml", _any(r"^\[[\w.\"-]+\]\n(?:.*\n){0,3}?[\w-]+ = ", 0.85)),
    ("ini", _share(r"^\s*(?:[A-Z_][A-Z0-9_]*=\S*|#|\[\w+\])")),
    ("go", _any(r"^(?:package \w+|func \w*\(|func \(\w+ \*?\w+\) \w+\()", 0.9)),
    ("rust", _any(r"^(?:pub )?(?:fn \w+|struct \w+|impl\b|use \w+::)", 0.9)),
    ("java", _any(r"^(?:public|private) (?:class|static|interface|final) ", 0.88)),
    ("r", _any(r"^library\(\w+\)|^\w[\w.]* <- ", 0.88)),
    ("css", _any(r"^(?:[.#]?[\w-]+|:root|@\w+[^{;\n]*) \{\n\s+[\w-]+:.*;", 0.88)),
    ("powershell", _any(r"^(?:Get|Set|New|Import|Install|Remove)-\w+|^\$\w+ = ", 0.85)),
    ("terraform", _any(r"^(?:resource|variable|module|provider|output) \"[\w-]+\"", 0.95)),
    ("diff", _any(r"^(?:diff --git|@@ -\d)", 0.95)),
    (
        "mermaid",
        _any(r"\A\s*(?:graph|flowchart|sequenceDiagram|classDiagram|erDiagram|stateDiagram)\b", 0.95, 0),
    ),
)
"""The surest test wins; at equal confidence the first."""
