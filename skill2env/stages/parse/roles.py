"""Says what each code block is for, from its language, its text, and the words around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from skill2env.models.skill import CodeBlock, Role, Section
from skill2env.stages.parse.guess import DRAWN, SAMPLE_CHARS, guess_language
from skill2env.stages.parse.words import words

ANTI = re.compile(
    r"❌|🚫|✗|⛔|\b(?:bad|wrong|incorrect|avoid|anti-?patterns?|don['’]t|do not|never|not recommended|broken|vulnerable"
    r"|insecure|unsafe|fails?|naive)\b|错误|反例|不要|避免|禁止|悪い|避け|ダメ",
    re.I,
)
FORBIDS = re.compile(r"avoid|don['’]t|do not|never|fails?|不要|避免|禁止|避け", re.I)
"""Of these the words that a sentence about the good way may hold too; they count only where it begins with them."""
FORBIDS_WITHIN = 12
"""Characters."""
GOOD = re.compile(
    r"✅|✓|✔|\b(?:good|correct|right|recommended|do this|instead|better|fix(?:ed)?|safe|secure|proper|after|solution"
    r"|preferred|use)\b|正确|推荐|良い|推奨",
    re.I,
)
OUTPUT = re.compile(
    r"\b(?:outputs?|prints?|returns?|response|results?|produces?|expected|you(?:'ll| will| should) see|shows?|displays?"
    r"|looks like|error(?: message)?s?:|log|reports?|stdout|sample data)\b|输出|结果|返回|响应|出力|結果|レスポンス",
    re.I,
)
FORM = re.compile(
    r"\b(?:templates?|format|skeleton|structure|boilerplate|prompts?|fill in|placeholder|message|reply|example entry"
    r"|checklist|syntax|schema|usage)\b|模板|格式|テンプレート|書式|フォーマット",
    re.I,
)
NAMES_FILE = re.compile(
    r"[\w*/.{}<>-]*\w\.(?:[A-Za-z]\w{0,9})\b|\b(?:Dockerfile|Makefile|Jenkinsfile|\.env|\.gitignore)\b"
)
FIRST_COMMENT = re.compile(r"^\s*(?://|#|--|<!--|/\*|;)+\s*(.{0,120})")
PATH_COMMENT = re.compile(r"^[\w./@{}\[\]<>()-]+\.\w{1,10}\b|^(?:Dockerfile|Makefile|\.env)\b")
WEAK_FORM = re.compile(r"\b(?:structure|skeleton|syntax|schema|usage|checklist)\b", re.I)
"""Words of `FORM` that also stand above drawings and notes; without a blank they make no form."""
OPENING = re.compile(r"\A\s*(?:<\?php|#!.*)\n+")
"""What has to stand before a file's first comment."""
PROMPTED = re.compile(r"^[\w.()/~@:\[\] -]{1,40}[>$%] +[a-z./]", re.MULTILINE)
"""A command typed at the prompt of a program of its own: `sqlite> select`, `msf6 > use`."""
ITEM = re.compile(r"(?m)^\s*(?:\d{1,2}[.)]|[-*•→])\s+\S+(?:\s+\S+){2}")
"""A list item of at least three words."""
SMALL_BLANK = re.compile(r"\[[a-z][a-zA-Z_ ./|,-]{2,60}\](?![(\[:])")
CALL = re.compile(r"\A\s*[A-Za-z_][\w.]*\s*\n")
"""A name alone on the first line, with arguments below it: how some skills write the call of a tool."""
SPEAKER = re.compile(
    r"(?m)^\s*\W{0,4}(?:user|human|you|assistant|agent|claude|bot|ai|q|a|用户|助手|ユーザー|アシスタント)\W{0,3}[:：]\s",
    re.I,
)
CALLS = re.compile(r"(?m)^\s*[A-Za-z_][\w.]*\(.*\)?;?\s*$")
BOX = re.compile(r"(?m)^\s*(?:[-*]\s*)?\[ ?\]\s+\S")
SUMMARY = re.compile(
    r"quick reference|cheat ?sheet|at a glance|クイックリファレンス|早見|速查|快速参考", re.I
)
"""Titles of overviews, which nobody types or fills in."""
BEFORE_AFTER = re.compile(r"(?m)^\s*#\s*before\b[\s\S]*^\s*#\s*after\b", re.I)
COMMENT = ("#", "//", "--", "<!--", "/*", "*")
ARROW = re.compile(r"(?m)^\s*(?:\||[vV]|↓|\^)\s*$")
ASKED = re.compile(r"\b(?:examples?|usage|prompts?|invo(?:ke|cation)|ask|say)\b|用法|示例|使用例", re.I)
BLANK = re.compile(
    r"\[[A-Z][^\[\]\n()]{1,60}\](?!\()|<[a-zA-Z][\w -]{1,40}>|\{\{?[A-Za-z_][\w .-]{0,40}\}?\}"
    r"|\bYYYY\b|\bX{2,}\b|\b[XY]/\d|_{4,}|\bTODO\b|\bTBD\b|…|\.\.\."
)
NAMES_TEMPLATE = re.compile(r"\btemplate\b", re.I)
TROUBLE = re.compile(r"\berror|troubleshoot|故障|エラー", re.I)
FEW_ROWS = 3
SURE = 0.6
"""Below it a block that looks like configuration is read as text."""
SLASHED = re.compile(r"\s*/[A-Za-z][\w:-]+(?:\s|$)")
"""A command of an agent program."""
SHELL = frozenset(("bash", "powershell", "batch", "cmd", "bat"))
CODE = words(
    "python javascript typescript go rust java kotlin csharp r ruby php sql swift c cpp c++ scala dart lua perl julia "
    "elixir vue svelte html css scss graphql cypher solidity apex haskell clojure groovy matlab objectivec promql spl kql "
    "soql latex tex awk jq vb fsharp razor astro http mql5 openscad zig nim ocaml erlang sparql bicep rego cel"
)
CONFIG = words(
    "yaml toml ini dockerfile xml make cmake env dotenv properties gitignore nginx terraform proto prisma json apache "
    "editorconfig bazel csproj msbuild plist systemd"
)
DATA = frozenset(("json", "markdown", "csv", "diff"))
PROSE = ("text", "markdown")
FIGURES = frozenset(("mermaid", "dot", "graphviz", "plantuml", "math", "ascii", "tree", "regex"))


@dataclass(frozen=True)
class _Around:
    """What stands around a block: the line above it, its section's title, and its own first comment."""

    lead: str
    title: str
    comment: str
    titles: str
    """Titles of all sections that hold it."""


def understand_blocks(
    blocks: list[CodeBlock], lines: list[str], sections: list[Section]
) -> Iterator[CodeBlock]:
    """Yield the blocks with guessed language, confidence and role; `lines` are those of the text."""
    for block in blocks:
        guess, confidence = guess_language(block.language, block.text)
        around = _around(block, lines, sections)
        known = block.model_copy(update={"guess": guess, "confidence": confidence})
        yield known.model_copy(update={"role": _role(known, guess, around)})


def _around(block: CodeBlock, lines: list[str], sections: list[Section]) -> _Around:
    lead = ""
    for index in range(block.start_line - 2, max(block.start_line - 6, -1), -1):
        text = lines[index].strip() if index < len(lines) else ""
        if text:
            lead = "" if text[:3] in ("```", "~~~") else text[-300:]
            break
    titles: list[str] = []
    index = block.section
    while index >= 0 and len(titles) < 6:
        titles.append(sections[index].title)
        index = sections[index].parent
    first = OPENING.sub("", block.text[:SAMPLE_CHARS]).lstrip("\n").split("\n", 1)[0]
    comment = FIRST_COMMENT.match(first)
    return _Around(lead, titles[0] if titles else "", comment[1] if comment else "", " / ".join(titles))


def _role(block: CodeBlock, guess: str, around: _Around) -> Role:
    if _anti(block, around):
        return "anti"
    text = block.text[:SAMPLE_CHARS]
    if guess in FIGURES:
        return "figure"
    if SUMMARY.search(around.title) and not block.language:
        return "figure"
    if guess in SHELL:
        said = [line for line in text.split("\n") if line.strip()]
        return "figure" if said and all(line.lstrip().startswith("#") for line in said) else "run"
    if (
        guess in CODE
        and "TODO" in text
        and all(line.lstrip().startswith(COMMENT) for line in text.strip().split("\n"))
    ):
        return "template"
    if guess in CODE or (block.confidence == 1.0 and guess not in CONFIG and guess not in DATA):
        return "file" if _of_file(around, text) else "run"
    return _role_of_data(_Shown(block, guess, text, around))


def _anti(block: CodeBlock, around: _Around) -> bool:
    """Return whether a block shows only what not to do; the nearest words count first."""
    text = block.text[:SAMPLE_CHARS]
    for near in (around.comment, around.lead, around.title):
        bad, good = ANTI.search(near), GOOD.search(near)
        if bad and near is not around.title and len(near) > 160:
            bad = None
        if bad and FORBIDS.fullmatch(bad[0]) and bad.start() >= FORBIDS_WITHIN:
            bad = None
        if good and (not bad or good.start() < bad.start()):
            return False
        if bad:
            marked = near is around.title or bad.start() < 40
            return marked and not re.search(
                r"(?m)^\s*(?://|#|<!--|--)\s*(?:✅|good\b|correct\b|right\b|after\b|better\b)", text, re.I
            )
    return False


def _of_file(around: _Around, text: str) -> bool:
    """Return whether source code is shown as the content of a file that is named."""
    if PATH_COMMENT.match(around.comment):
        return True
    lead = around.lead.rstrip(":*` ")
    named = NAMES_FILE.search(around.lead[-120:])
    short = len(lead) <= 80 and around.lead.rstrip().endswith((":", "`", "**", "：", ")"))
    return bool(
        named and short and re.search(r"`[^`]*\.\w{1,6}`|\*\*[^*]*\.\w{1,6}|^#+ .*\.\w{1,6}", around.lead)
    )


class _Shown:
    """A block that is neither commands nor source code, and what its rules ask about it."""

    def __init__(self, block: CodeBlock, guess: str, text: str, around: _Around) -> None:
        self.guess, self.text, self.around = guess, text, around
        self.tagged, self.sure = bool(block.language), block.confidence >= SURE
        self.near = f"{around.lead} {around.title}"
        self.rows = text.count("\n") + 1

    def count(self, pattern: re.Pattern[str]) -> int:
        return len(pattern.findall(self.text))

    @cached_property
    def blanks(self) -> int:
        """Places to fill in."""
        return self.count(BLANK) + (0 if self.guess in CONFIG else self.count(SMALL_BLANK))

    @cached_property
    def listed(self) -> bool:
        return self.count(ITEM) >= max(2, self.rows / 3)

    @cached_property
    def formed(self) -> bool:
        """Whether the words around it speak of a form; weak ones only where there is something to fill in."""
        return bool(FORM.search(self.near)) and bool(self.blanks or FORM.search(WEAK_FORM.sub("", self.near)))


_Rules = tuple[tuple[Role, Callable[[_Shown], object]], ...]
"""The role of the first rule that holds is the block's."""
_BY_SHAPE: _Rules = (
    ("figure", lambda it: it.guess in ("text", "yaml") and it.count(DRAWN) >= max(3, it.rows / 2)),
    ("figure", lambda it: it.guess in PROSE and it.count(ARROW) >= 2),
    ("output", lambda it: not it.tagged and it.count(SPEAKER) >= 2),
    ("template", lambda it: it.guess in PROSE and it.count(BOX) >= max(2, it.rows / 2)),
    ("run", lambda it: it.guess == "text" and it.count(CALLS) > it.rows / 2),
    ("run", lambda it: it.guess == "yaml" and not it.tagged and CALL.match(it.text)),
    ("figure", lambda it: it.guess == "yaml" and not it.tagged and it.listed),
)
_OF_JSON: _Rules = (
    ("output", lambda it: OUTPUT.search(it.near) and not NAMES_FILE.search(it.around.lead)),
    ("template", lambda it: NAMES_TEMPLATE.search(it.near)),
    ("file", lambda it: True),
)
_OF_CONFIG: _Rules = (
    ("run", lambda it: BEFORE_AFTER.search(it.text)),
    ("output", lambda it: OUTPUT.search(it.around.lead) and not FORM.search(it.around.lead)),
    ("template", lambda it: it.guess == "yaml" and it.blanks >= 3 and FORM.search(it.near)),
    ("file", lambda it: True),
)
_OF_MARKDOWN: _Rules = (
    ("template", lambda it: it.blanks or it.formed or not OUTPUT.search(it.near)),
    ("output", lambda it: True),
)
_OF_TEXT: _Rules = (
    ("run", lambda it: SLASHED.match(it.text) or PROMPTED.match(it.text)),
    ("template", lambda it: it.blanks >= 2 or (it.blanks and it.formed)),
    ("run", lambda it: not it.tagged and it.rows <= FEW_ROWS and ASKED.search(it.near)),
    ("output", lambda it: OUTPUT.search(it.around.lead)),
    ("output", lambda it: OUTPUT.search(it.around.title) and not it.listed),
    ("output", lambda it: not it.tagged and it.rows <= FEW_ROWS and TROUBLE.search(it.around.titles)),
    ("template", lambda it: it.formed),
    ("figure", lambda it: True),
)


def _role_of_data(shown: _Shown) -> Role:
    if shown.guess == "json":
        rules = _OF_JSON
    elif shown.guess in CONFIG and shown.sure:
        rules = _OF_CONFIG
    else:
        rules = _OF_MARKDOWN if shown.guess == "markdown" else _OF_TEXT
    return next(role for role, holds in (*_BY_SHAPE, *rules) if holds(shown))
