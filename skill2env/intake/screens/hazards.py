"""What a skill's text would make a model or a shell do: orders against its reader, and dangerous commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Hazard(NamedTuple):
    """One kind of danger, and how it is written."""

    code: str
    message: str
    hints: tuple[str, ...]
    """Without one of these, in lower case, the pattern can't match; this saves most of the time."""
    pattern: re.Pattern[str]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in patterns), re.IGNORECASE)


_SHELL = r"(?:sudo (?:-\w{1,9} ){0,5})?(?:/(?:usr/)?bin/)?(?:ba|z|da|k|fi)?sh\b"
_RUNNER = rf"(?:{_SHELL}|(?:sudo )?(?:python[23]?|node|perl|ruby|php|pwsh|powershell|iex)\b)"
_FETCH = r"(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|fetch)\b"
_PASSED_ON = r"(?:sudo )?(?:tee|cat|tac|sed|tr|head|tail|gunzip|zcat|gzip|xz|bunzip2|envsubst|dos2unix)\b"
"""Programs between a download and what executes it, which hand it on."""
_FLAGS = r"(?:\s{1,9}-[\w-]{0,20})"
_SECRET_FILES = (
    r"(?:~|\$HOME|\$\{HOME\}|/root|/home/[\w.-]+|/Users/[\w.-]+)/\.(?:ssh/(?:id_\w+|\*)|aws/credentials|netrc|git-credentials|"
    r"docker/config\.json|kube/config|npmrc|pypirc|gnupg|config/gh/hosts\.yml|azure/\w+)|/etc/shadow\b"
)

HAZARDS = (
    Hazard(
        "prompt-injection",
        "The text gives orders against its reader's own instructions; read the skill before you use it.",
        (
            "ignore",
            "disregard",
            "forget",
            "override",
            "about this",
            "about these",
            "that you",
            "this instruction",
            "these instruction",
            "without telling",
            "without informing",
            "without notifying",
            "you are now",
            "system prompt",
            "hidden instructions",
            "<|",
            "inst]",
            "im_start>",
            "endoftext>",
            "<system",
            "忽略",
            "忘记",
            "忘記",
            "忘掉",
            "无视",
            "無視",
            "告诉用户",
            "告訴用戶",
            "告知用户",
            "告知用戶",
            "忘れ",
        ),
        _any(
            r"\b(?:ignore|disregard|forget|override)\b.{0,10}\b(?:all|any|previous|prior|above|earlier|your)\b.{0,30}"
            r"\b(?:instructions?|prompts?|rules|guidelines|directions)\b",
            r"\b(?:do not|don't|never)\b.{0,15}\b(?:tell|inform|mention|reveal|show|alert|notify)\b.{0,25}\b(?:the )?user\b"
            r".{0,40}\b(?:about (?:this|these)|that you|this instruction|these instructions)",
            r"\bwithout (?:telling|informing|notifying) the user\b",
            r"\byou are now (?:in )?(?:dan|developer mode|jailbroken|unrestricted)\b",
            r"\b(?:reveal|print|output|repeat|send)\b.{0,20}\b(?:your|the) (?:system prompt|hidden instructions)\b",
            r"<\|?(?:im_start|system|endoftext)\|?>|\[/?INST\]",
            r"(?:忽略|忘[记記掉]|[无無][视視]).{0,8}(?:之前|以上|上面|上述|前面|此前|先前|所有).{0,8}(?:指令|指示|说明|說明|規則|规则)",
            r"(?:不要|不得|不能|不可|[请請]?勿|切勿|[别別])(?:告[诉訴]|告知)用[户戶]",
            r"(?:以前|これまで|上記)の(?:すべての)?(?:指示|命令)を(?:無視|忘れ)",
        ),
    ),
    Hazard(
        "pipe-to-shell",
        "What is downloaded is executed unseen; download it, check it against a known hash, then run it.",
        ("curl", "wget", "iwr", "irm", "invoke-", "fetch"),
        _any(
            rf"{_FETCH}[^|\n]{{0,300}}(?:\|\s{{0,20}}{_PASSED_ON}[^|\n]{{0,100}}){{0,3}}\|\s{{0,20}}{_RUNNER}",
            rf"{_RUNNER}\s{{1,20}}(?:-c\s{{1,20}})?[\"']?(?:<\(|\$\(|`)\s{{0,20}}{_FETCH}",
            rf"\b(?:eval|source|iex)\s{{0,20}}[\"']?\(?(?:\$\(|<\(|`)?\s{{0,20}}{_FETCH}",
        ),
    ),
    Hazard(
        "encoded-payload",
        "Code is decoded and executed; write it so that it can be read.",
        ("base64", "xxd", "decode", "atob", "fromhex", "decompress", "buffer.from", "powershell"),
        _any(
            rf"base64\s{{1,20}}(?:-d|-D|--decode)\b[^\n]{{0,200}}\|\s{{0,20}}{_RUNNER}",
            rf"xxd\s{{1,20}}-r\b[^\n]{{0,200}}\|\s{{0,20}}{_RUNNER}",
            r"\b(?:eval|exec)\s{0,20}\(\s{0,20}(?:base64\.)?(?:b64decode|atob|codecs\.decode|bytes\.fromhex|zlib\.decompress|Buffer\.from)",
            r"\beval\s{1,20}[\"']?\$\(\s{0,20}(?:echo|printf)[^)\n]{0,300}base64",
            r"powershell(?:\.exe)?\s[^\n]{0,80}-e(?:nc|ncodedcommand)?\s{1,20}[A-Za-z0-9+/=]{20}",
        ),
    ),
    Hazard(
        "credential-read",
        "A command reads keys, tokens or passwords of its user; take it away or say why it must.",
        (
            "/.ssh",
            "/.aws",
            "/.netrc",
            "/.git-cred",
            "/.docker",
            "/.kube",
            "/.npmrc",
            "/.pypirc",
            "/.gnupg",
            "/.config/gh",
            "/.azure",
            "/etc/shadow",
            "security find",
            "env |",
            "env|",
            "set |",
            "set|",
            "$(",
        ),
        _any(
            rf"\b(?:cat|less|more|head|tail|cp|scp|curl|tar|zip|base64|xxd|grep|source|open|read)\b[^\n]{{0,120}}(?:{_SECRET_FILES})",
            rf"(?:open|read_text|readFileSync|Path)\s{{0,20}}\([^\n]{{0,60}}(?:{_SECRET_FILES})",
            r"\bsecurity find-(?:generic|internet)-password\b",
            r"\b(?:env|printenv|set) ?\|\s{0,20}(?:curl|nc|base64)\b",
            r"curl\b[^\n]{0,200}\$\(\s{0,20}(?:cat|env|printenv)\b",
        ),
    ),
    Hazard(
        "reverse-shell",
        "A command gives somebody else a shell; take it away.",
        ("/dev/tcp", "/dev/udp", "nc ", "ncat", "netcat", "socket"),
        _any(
            r"/dev/(?:tcp|udp)/[\w.$<{-]+/",
            r"\b(?:nc|ncat|netcat)\b[^\n]{0,80}\s-(?:e|c)\s{0,20}(?:/bin/)?(?:ba)?sh",
            r"socket\.socket\([^\n]{0,200}(?:dup2|subprocess|pty\.spawn)",
        ),
    ),
    Hazard(
        "destructive-command",
        "A command wipes a disk or a home folder; narrow it.",
        ("rm ", "mkfs", "of=/dev", ":()"),
        _any(
            rf"\brm(?={_FLAGS}{{0,5}}\s{{1,9}}-(?:-recursive|\w{{0,5}}r))(?={_FLAGS}{{0,5}}\s{{1,9}}-(?:-force|\w{{0,5}}f))"
            rf"{_FLAGS}{{1,7}}\s{{1,20}}[\"']?(?:/|~|\$HOME|\$\{{HOME\}})/?\*?[\"']?(?:\s|$|[;&|`])",
            r"\bmkfs(?:\.\w{1,9})?\s{1,9}(?:-\w{1,9}\s{1,9}){0,5}/dev/",
            r"\bdd\b[^\n]{0,100}\bof=/dev/(?:sd|nvme|hd|disk)",
            r":\(\)\s{0,20}\{\s{0,20}:\s{0,20}\|\s{0,20}:\s{0,20}&\s{0,20}\}\s{0,20};",
        ),
    ),
)
"""To look for another kind: a row here, one of `KINDS` in `intake/codes.py`, and one in docs/import.md."""

_HIDDEN = re.compile("[\u200b\u2060\u2062-\u2064\u202a-\u202e\u2066-\u2069\U000e0020-\U000e007f]")
"""Zero-width and direction characters and tags; joiners and selectors, which scripts and emoji need, are not among them."""


def hazards(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line, from 1, the code and a sentence for each danger in a text; continued lines are read as one."""
    joined = text.replace("\\\n", "  ")
    lowered = joined.lower()
    for hazard in HAZARDS:
        if not any(hint in lowered for hint in hazard.hints):
            continue
        for line, _ in _placed(hazard.pattern, joined, text):
            yield line, hazard.code, hazard.message
    for line, char in _placed(_HIDDEN, text, text):
        yield line, "hidden-text", f"The line holds U+{ord(char):04X}, which no reader sees; take it away."


def _placed(pattern: re.Pattern[str], searched: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the line of `text`, from 1, and the words of each match; lines are counted on from match to match."""
    line, at = 1, 0
    for match in pattern.finditer(searched):
        line += text.count("\n", at, match.start())
        at = match.start()
        yield line, match[0]
