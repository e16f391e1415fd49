"""The cleaned tickets: what had to go is gone, what had to stay is there, byte for byte."""

import hashlib
import re

import pytest

TOKEN = re.compile(rb"\[(?:EMAIL|CARD|IBAN|NAME-\d+)\]")


@pytest.fixture
def cleaned(workspace, read_bytes, truth):
    return {name: read_bytes(workspace / "redacted" / name) for name in truth["expected"]}


@pytest.mark.check(weight=2, group="privacy")
def test_no_planted_value_is_left(cleaned, truth):
    left = [(name, kind) for name, values in truth["secrets"].items() for kind, value in values
            if re.search(rb"(?<![0-9A-Za-z])" + re.escape(bytes.fromhex(value)) + rb"(?![0-9A-Za-z])", cleaned[name])]
    assert not left


@pytest.mark.check(group="privacy")
def test_each_value_has_its_own_token_in_its_place(cleaned, truth):
    assert {name: [t.decode() for t in TOKEN.findall(data)] for name, data in cleaned.items()} == truth["tokens"]


@pytest.mark.check(weight=2, group="fidelity")
def test_everything_else_is_the_same_bytes(cleaned, truth):
    assert {name: hashlib.sha256(data).hexdigest() for name, data in cleaned.items()} == truth["expected"]


@pytest.mark.check(group="fidelity")
def test_exactly_the_tickets_are_there(output, truth):
    folder = output("/workspace/redacted")
    assert folder.is_dir()
    assert sorted(path.name for path in folder.iterdir()) == sorted(truth["expected"])


@pytest.mark.check(group="counts")
def test_counts_add_up(workspace, read_json, truth):
    report = read_json(workspace / "redaction.json")
    for kind, number in truth["counts"].items():
        assert type(report[kind]) is int and report[kind] == number, kind


@pytest.mark.guard
def test_originals_are_untouched(workspace, truth, digest):
    for name, expected in truth["tickets"].items():
        assert digest(workspace / "tickets" / name) == expected, name
