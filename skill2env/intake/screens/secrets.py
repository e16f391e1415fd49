"""Keys, tokens and passwords, by the detectors of detect-secrets; nothing is ever verified over a network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from detect_secrets.filters import heuristic
from detect_secrets.plugins import (
    artifactory,
    aws,
    azure_storage_key,
    cloudant,
    discord,
    github_token,
    gitlab_token,
    ibm_cloud_iam,
    ibm_cos_hmac,
    jwt,
    keyword,
    mailchimp,
    npm,
    openai,
    private_key,
    pypi_token,
    sendgrid,
    slack,
    softlayer,
    square_oauth,
    stripe,
    twilio,
)
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString

MIN_ENTROPY = 3.0
"""Bits a character below which a value after `password =` and the like is taken for a word, not a secret."""
MIN_CHARS = 12
_PIECE_CHARS, _OVERLAP_CHARS = 2000, 300
"""Longer lines are looked through in pieces; some detectors take quadratic time."""
_PLACEHOLDER = re.compile(
    r"x{4}|\.{3}|\*{3}|example|sample|placeholder|change.?me|your|replace|redacted|secret|pass|fake|test|dummy|^[ACGTUN]+$|abc|123456|"
    r"<[^>]*>|\{[^}]*\}|\$\w|\$\(|%\w+%|process\.env|os\.environ|getenv",
    re.IGNORECASE,
)
_KEY_TEXT = re.compile(r"[A-Za-z0-9+/=]{40}|(?:\\n)[A-Za-z0-9+/=]{20}")
_KEY_LINES = 8
"""With its heading; an encrypted key begins after two lines about its cipher and an empty one."""
_KEYWORD = re.compile("|".join(keyword.DENYLIST), re.IGNORECASE)
_OPENAI_MARK = "T3BlbkFJ"
"""Part of each key of its old form; without it the detector would only take long."""
_ASSIGNED = {**keyword.QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP, **keyword.CONFIG_DENYLIST_REGEX_TO_GROUP}
"""Assignments with quotes as in programs, and without as in settings and shells."""
_VALUE = r"[\"']?((?!0x)[\w.~+/-]{20,400}={0,2})(?=[\s\"'`,;)\]}\\]|$)"
_HANDED = (
    re.compile(rf"\bBearer\s{{1,4}}{_VALUE}", re.IGNORECASE),
    re.compile(rf"\bauthorization[\"']?\s{{0,4}}[:=]\s{{0,4}}[\"']?token\s{{1,4}}{_VALUE}", re.IGNORECASE),
    re.compile(rf"api-key[\"']?\s{{0,4}}[:=]\s{{0,4}}{_VALUE}", re.IGNORECASE),
    re.compile(rf"token[\"']?\s{{0,4}}(?:=>|:?=|:)\s{{0,4}}{_VALUE}", re.IGNORECASE),
    re.compile(r"\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[\s=]?[\"']?[^\s:\"'`]{1,80}:([^\s\"'`]{8,200})"),
)
"""Other ways to hand a secret over: headers, variables for a token, and the login of curl."""


class _BasicAuth(RegexBasedDetector):
    """The detector of that name, with bounds to its pattern."""

    secret_type = "Basic Auth Credentials"
    denylist = (re.compile(r"://[^{}\s/?#:@]{0,100}:([^{}\s/?#:@]{8,200})@"),)


class _Vendors(RegexBasedDetector):
    """Keys that are newer than detect-secrets."""

    secret_type = "API Key"
    denylist = (
        re.compile(r"\bsk-(?:ant|proj|svcacct|or|lf)-[\w-]{20,200}"),
        re.compile(r"\bsk-[A-Za-z0-9]{32,64}\b"),
        re.compile(r"\bAIza[\w-]{35}\b"),
        re.compile(r"\bhf_[A-Za-z0-9]{30,60}\b"),
        re.compile(r"\bgithub_pat_\w{40,100}\b"),
        re.compile(r"\bgsk_[A-Za-z0-9]{40,64}\b"),
        re.compile(r"\bnpm_[A-Za-z0-9]{36}\b"),
        re.compile(r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
        re.compile(r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b"),
        re.compile(r"\bhv[brs]\.[\w-]{24,300}"),
        re.compile(r"\bAGE-SECRET-KEY-1([A-Z0-9]{58})\b"),
    )


class _Telegram(RegexBasedDetector):
    """The detector of that name, for tokens of bots whatever their numbers."""

    secret_type = "Telegram Bot Token"
    denylist = (re.compile(r"(?<!\d)\d{8,10}:([\w-]{35})(?![\w-])", re.ASCII),)


@cache
def _detectors() -> tuple[tuple[RegexBasedDetector, ...], keyword.KeywordDetector, Base64HighEntropyString]:
    own_form = (
        artifactory.ArtifactoryDetector(),
        aws.AWSKeyDetector(),
        azure_storage_key.AzureStorageKeyDetector(),
        _BasicAuth(),
        cloudant.CloudantDetector(),
        discord.DiscordBotTokenDetector(),
        github_token.GitHubTokenDetector(),
        gitlab_token.GitLabTokenDetector(),
        ibm_cloud_iam.IbmCloudIamDetector(),
        ibm_cos_hmac.IbmCosHmacDetector(),
        jwt.JwtTokenDetector(),
        mailchimp.MailchimpDetector(),
        npm.NpmDetector(),
        openai.OpenAIDetector(),
        private_key.PrivateKeyDetector(),
        pypi_token.PypiTokenDetector(),
        sendgrid.SendGridDetector(),
        slack.SlackDetector(),
        softlayer.SoftlayerDetector(),
        square_oauth.SquareOAuthDetector(),
        stripe.StripeDetector(),
        _Telegram(),
        twilio.TwilioKeyDetector(),
        _Vendors(),
    )
    return own_form, keyword.KeywordDetector(), Base64HighEntropyString()


def secrets(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the line, from 1, and the kind of each secret; the secret itself is never told.

    What follows a telling word counts only in lines where no secret is known by its own form.
    """
    own_form, by_keyword, entropy = _detectors()
    told = set()
    pieces = [(number, piece) for number, line in enumerate(lines, 1) for piece in _pieces(line)]
    whole = "\n".join(piece for _, piece in pieces)
    for detector in own_form:
        slow = isinstance(detector, openai.OpenAIDetector) and _OPENAI_MARK not in whole
        if slow or not any(True for _ in _values(detector, whole)):
            continue
        for number, piece in pieces:
            for value in _values(detector, piece):
                if isinstance(detector, private_key.PrivateKeyDetector):
                    real = _has_key(lines[number - 1 : number - 1 + _KEY_LINES])
                else:
                    real = not _harmless(value)
                if real:
                    told.add(number)
                    yield number, str(detector.secret_type)
    for number, piece in pieces:
        if number in told:
            continue
        handed = (match[1] for pattern in _HANDED for match in pattern.finditer(piece))
        if any(_is_secret(value, entropy) for value in handed):
            yield number, str(by_keyword.secret_type)
        elif _KEYWORD.search(piece) and not heuristic.is_indirect_reference(piece):
            values = by_keyword.analyze_string(piece, denylist_regex_to_group=_ASSIGNED)
            if any(_is_secret(value, entropy) for value in values):
                yield number, str(by_keyword.secret_type)


def _values(detector: RegexBasedDetector, text: str) -> Iterator[str]:
    """Yield what a detector finds, from the pattern's first group on: that is a token's prefix in some, its value in others."""
    if isinstance(detector, jwt.JwtTokenDetector):
        yield from detector.analyze_string(text)
        return
    for pattern in detector.denylist:
        for match in pattern.finditer(text):
            start = match.start(1) if pattern.groups and match[1] is not None else match.start()
            yield text[start : match.end()]


def _pieces(line: str) -> Iterator[str]:
    for start in range(0, max(len(line), 1), _PIECE_CHARS - _OVERLAP_CHARS):
        yield line[start : start + _PIECE_CHARS]


def _has_key(lines: list[str]) -> bool:
    """Return whether a key follows its heading, so that the heading is not merely spoken of."""
    end = next((number for number, line in enumerate(lines, 1) if "-----END " in line), len(lines))
    return any(_KEY_TEXT.search(line) for line in lines[:end])


def _is_secret(value: str, entropy: Base64HighEntropyString) -> bool:
    """Return whether a value after a telling keyword is one: long, mixed and random."""
    mixed = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return (
        len(value) >= MIN_CHARS
        and mixed
        and " " not in value
        and not _harmless(value)
        and not heuristic.is_potential_uuid(value)
        and entropy.calculate_shannon_entropy(value) >= MIN_ENTROPY
    )


def _harmless(value: str) -> bool:
    return bool(
        _PLACEHOLDER.search(value)
        or heuristic.is_templated_secret(value)
        or heuristic.is_prefixed_with_dollar_sign(value)
        or heuristic.is_sequential_string(value)
        or heuristic.is_not_alphanumeric_string(value)
    )
