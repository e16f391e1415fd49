"""Personal data: addresses, telephone numbers, and paths that tell somebody's name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import phonenumbers

_EMAIL = re.compile(
    r"(?<![\w.+%@-])(?P<who>[A-Za-z0-9][\w.+-]{0,63}(?<!\.))@(?P<where>(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24})(?![\w@-])"
)
_URL_CHARS = 300
"""Before an address, what is looked at for the beginning of a URL."""
_URL_END = re.compile(r"[\s\"'`<>()\[\]{}|,;]")
_BEGINNINGS = "your|my|some|example|company|acme|sample|test|evil|attacker"
_PLACEHOLDERS = f"{_BEGINNINGS}|domain|foo|bar|bad"
_THINGS = (
    "site|org|corp|email|mail|server|host|name|app|business|website|project|team|client|startup|shop|store|"
    "service|api|inc|user|provider"
)
_RESERVED = re.compile(
    r"^[a-z]\.[a-z.]+$|(?:^|\.)(?:example(?:\.[a-z.]+)?|test|invalid|localhost|local|internal|lan)$|"
    rf"(?:^|\.)(?:(?:{_BEGINNINGS})-[a-z-]+|(?:{_PLACEHOLDERS})(?:-?(?:{_PLACEHOLDERS}|{_THINGS})){{0,4}}|site|org|corp|server|host)"
    r"\.(?:[a-z]{2,24}|(?:co|com|org|net|ac|gov|edu)\.[a-z]{2})$",
    re.IGNORECASE,
)
"""Domains that belong to nobody (RFC 2606, RFC 6762), and those that examples are written with, such as your-firm.com.

The whole name must be made of such words: `barclays.com` and `mail.ru` are somebody's.
"""
_FILES = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|js|ts|css|py|md|json|ya?ml|sh|txt|html|service|timer|socket)$",
    re.IGNORECASE,
)
_ROLES_WORDS = (
    "abuse admin alerts api billing bot careers compliance contact conduct dev devops donotreply feedback git hello "
    "help hi hostmaster info jobs legal mail marketing me name news newsletter no-reply noreply notifications office "
    "ops partners postmaster press privacy recipient root sales sec security sender service someone support system "
    "team test user user1 user2 username webmaster you your-email your.email youremail yourname abc xxx foo bar john "
    "jane john.doe jane.doe alice bob first.last firstname.lastname myemail myname myown testuser tester "
)
_ROLES = frozenset(_ROLES_WORDS.split())
"""Local parts of roles and of nobody; they name no person."""
_NOBODYS_PREFIX = re.compile(r"(?:your|my|user|test|no-?reply|example|name)(?:[\W\d_]|$)", re.IGNORECASE)
"""How names of nobody begin; Myriam is somebody."""
_HOME = re.compile(
    r"(?<![\w.$}~-])(?:/home|/Users|[A-Za-z]:\\{1,2}Users)[/\\]{1,2}(?P<who>[A-Za-z0-9][\w.-]*)(?=[/\\\s\"'`)\]:,;]|$)"
)
_NOBODY_WORDS = (
    "user username users you yourname your-name your_name your-username your_username youruser name me myuser myname "
    "someone somebody admin administrator root ubuntu debian centos ec2-user vagrant pi runner runneradmin circleci "
    "jenkins ci build builder node python app agent agents claude codex openclaw clawd dev developer vscode codespace "
    "coder gitpod jovyan sandbox sandboxuser test tester testuser guest default public shared all deploy git www www- "
    "data web site data project projects alice bob john jane johndoe janedoe foo bar xxx x example linuxbrew target "
    "hacker attacker victim service svc worker student container oracle postgres mysql workspace opuser jsmith "
    "suspect "
)
_NOBODY = frozenset(_NOBODY_WORDS.split())
"""Names that stand for anybody, and accounts of programs."""
_NUMBER_HINT = re.compile(r"\+[\d(][\d\s().-]{6,}\d")
_FICTITIOUS = re.compile(r"555-?01\d\d$|(\d)\1{5}|1234567|0123456|7654321|[1-9]?5550\d{3}$|^[+]1555")
"""Numbers set aside for fiction (555-0100 to 555-0199 in North America), and those that nobody takes for one."""


def personal(line: str) -> Iterator[tuple[str, str]]:
    """Yield the code and a sentence for each piece of personal data in a line."""
    if "@" in line:
        for match in _EMAIL.finditer(line):
            if not _in_url(line, match.start()) and not _nobodys(match["who"], match["where"]):
                yield (
                    "email-address",
                    f"An address at {match['where'][:60]} may be a person's; write one at example.org.",
                )
    if "ome" in line or "sers" in line:
        for match in _HOME.finditer(line):
            if match["who"].casefold() not in _NOBODY:
                yield "home-path", "A path names a user; write `~`, `$HOME` or `/home/user`."
    if "+" in line and _NUMBER_HINT.search(line) and _has_number(line):
        yield (
            "phone-number",
            "A telephone number may be somebody's; write one that is set aside for fiction, like +1 202 555 0142.",
        )


def _in_url(line: str, start: int) -> bool:
    """Return whether what begins there is the user, the password or a part of the path of a URL, which `mailto:` is not."""
    before = line[max(0, start - _URL_CHARS) : start]
    if not before.endswith((":", "/")) or before.casefold().endswith("mailto:"):
        return False
    return "://" in _URL_END.split(before)[-1]


def _nobodys(who: str, where: str) -> bool:
    return bool(
        who.casefold() in _ROLES
        or _NOBODYS_PREFIX.match(who)
        or who.endswith("+noreply")
        or "noreply" in where.casefold()
        or _RESERVED.search(where)
        or _FILES.search(where)
    )


@lru_cache(maxsize=1024)
def _has_number(line: str) -> bool:
    """Return whether a line holds a number that could be dialled, by the rules of its country (libphonenumber)."""
    for match in phonenumbers.PhoneNumberMatcher(line[:2000], None, leniency=phonenumbers.Leniency.VALID):
        number = phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164)
        if not _FICTITIOUS.search(number):
            return True
    return False
