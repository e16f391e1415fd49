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
    telegram_token,
    twilio,
)
from detect_secrets.plugins.base import BasePlugin, RegexBasedDetector
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
_KEY_LINES = 4
_KEYWORD = re.compile("|".join(keyword.DENYLIST), re.IGNORECASE)
_ASSIGNED = {**keyword.QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP, **keyword.CONFIG_DENYLIST_REGEX_TO_GROUP}
"""Assignments with quotes as in programs, and without as in settings and shells."""


class _BasicAuth(RegexBasedDetector):
    """The detector of that name, with bounds to its pattern."""

    secret_type = "Basic Auth Credentials"
    denylist = (re.compile(r"://[^{}\s/?#:@]{1,100}:([^{}\s/?#:@]{8,200})@"),)


class _Vendors(RegexBasedDetector):
    """Keys that are newer than detect-secrets."""

    secret_type = "API Key"
    denylist = (
        re.compile(r"\bsk-(?:ant|proj|svcacct|or|lf)-[\w-]{20,200}"),
        re.compile(r"\bsk-[A-Za-z0-9]{32,64}\b"),
        re.compile(r"\bAIza[\w-]{35}\b"),
        re.compile(r"\bhf_[A-Za-z0-9]{30,60}\b"),
        re.compile(r"\bgithub_pat_\w{40,100}\b"),
    )


@cache
def _detectors() -> tuple[tuple[BasePlugin, ...], keyword.KeywordDetector, Base64HighEntropyString]:
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
        telegram_token.TelegramBotTokenDetector(),
        twilio.TwilioKeyDetector(),
        _Vendors(),
    )
    return own_form, keyword.KeywordDetector(), Base64HighEntropyString()


def secrets(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the line, from 1, and the kind of each secret; the secret itself is never told."""
    own_form, by_keyword, entropy = _detectors()
    pieces = [(number, piece) for number, line in enumerate(lines, 1) for piece in _pieces(line)]
    whole = "\n".join(piece for _, piece in pieces)
    for detector in own_form:
        if not any(detector.analyze_string(whole)):
            continue
        for number, piece in pieces:
            for value in detector.analyze_string(piece):
                if isinstance(detector, private_key.PrivateKeyDetector):
                    real = _has_key(lines[number - 1 : number - 1 + _KEY_LINES])
                else:
                    real = not _harmless(value)
                if real:
                    yield number, str(detector.secret_type)
    for number, piece in pieces:
        if _KEYWORD.search(piece):
            values = by_keyword.analyze_string(piece, denylist_regex_to_group=_ASSIGNED)
            if any(_is_secret(value, piece, entropy) for value in values):
                yield number, str(by_keyword.secret_type)


def _pieces(line: str) -> Iterator[str]:
    for start in range(0, max(len(line), 1), _PIECE_CHARS - _OVERLAP_CHARS):
        yield line[start : start + _PIECE_CHARS]


def _has_key(lines: list[str]) -> bool:
    """Return whether a key follows its heading, so that the heading is not merely spoken of."""
    return any(_KEY_TEXT.search(line) for line in lines)


def _is_secret(value: str, line: str, entropy: Base64HighEntropyString) -> bool:
    """Return whether a value after a telling keyword is one: long, mixed, random, and no reference to another place."""
    mixed = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return (
        len(value) >= MIN_CHARS
        and mixed
        and " " not in value
        and not _harmless(value)
        and not heuristic.is_indirect_reference(line)
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
