"""Guesses the language of a text from its script and its commonest words."""

from __future__ import annotations

import re
from collections import Counter

SAMPLE_CHARS = 4000
LETTERS = re.compile(r"[^\W\d_]+")
FOREIGN = re.compile(r"[^\x00-\x7f]+")
WORD = re.compile(r"[a-zà-ÿ]+")
CODE = re.compile(r"```.*?```|`[^`\n]*`|https?://\S+", re.DOTALL)
SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]+"), 0.05),
    ("ko", re.compile("[\uac00-\ud7af]+"), 0.1),
    ("zh", re.compile("[\u4e00-\u9fff]+"), 0.1),
    ("ru", re.compile("[\u0400-\u04ff]+"), 0.2),
    ("th", re.compile("[\u0e00-\u0e7f]+"), 0.2),
    ("ar", re.compile("[\u0600-\u06ff]+"), 0.2),
)
"""Script, and the share of the letters from which it decides; Japanese before Chinese, as it uses both."""
COMMON = {
    "en": frozenset(
        ("the", "and", "to", "of", "for", "with", "is", "in", "this", "when", "you", "or", "not")
    ),
    "es": frozenset(
        ("el", "la", "que", "y", "en", "los", "para", "con", "una", "por", "del", "las", "cuando")
    ),
    "pt": frozenset(("o", "que", "e", "em", "os", "para", "com", "uma", "por", "do", "da", "não", "quando")),
    "fr": frozenset(
        ("le", "la", "et", "les", "des", "pour", "avec", "une", "dans", "est", "que", "du", "sur")
    ),
    "de": frozenset(
        ("der", "die", "und", "das", "für", "mit", "ist", "ein", "eine", "zu", "nicht", "von", "auf")
    ),
}
MIN_SHARE = 0.02


def guess_language(text: str) -> str:
    """Return an ISO 639-1 code, or `und` where neither script nor words decide."""
    sample = CODE.sub(" ", text[: SAMPLE_CHARS * 2])[:SAMPLE_CHARS]
    if not LETTERS.search(sample):
        return "und"
    foreign = "".join(FOREIGN.findall(sample))
    for language, script, share in SCRIPTS if foreign else ():
        written = _chars(script, foreign)
        if written and written >= share * _chars(LETTERS, sample):
            return language
    words = Counter(WORD.findall(sample.lower()))
    counts = {language: sum(words[word] for word in common) for language, common in COMMON.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if words and counts[best] >= MIN_SHARE * words.total() else "und"


def _chars(runs: re.Pattern[str], text: str) -> int:
    return sum(map(len, runs.findall(text)))
