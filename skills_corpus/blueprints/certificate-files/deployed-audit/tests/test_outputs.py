"""The findings, no more and no fewer, each with evidence that leads back to a certificate, a name or a file."""

import re

import pytest

GROUPS = {
    "dates": ["expired", "not_yet_valid", "renewal_due"],
    "names": ["name_not_covered"],
    "keys": ["wrong_key"],
    "chains": ["chain_order", "chain_broken", "not_pem"],
}


@pytest.fixture
def report(workspace, read_json):
    return read_json(workspace / "report.json")


def evidence(text):
    plain = text.replace(":", "").lower()
    return plain if re.fullmatch(r"[0-9a-f]{64}", plain) else text


@pytest.fixture
def findings(report):
    return sorted([item["site"], item["problem"], evidence(item["evidence"])] for item in report["findings"])


@pytest.mark.check(weight=2, group="findings")
@pytest.mark.parametrize("group", sorted(GROUPS))
def test_problems_at_the_right_sites(findings, truth, group):
    assert [item[:2] for item in findings if item[1] in GROUPS[group]] == [item[:2] for item in truth["findings"] if item[1] in GROUPS[group]]


@pytest.mark.check(group="findings")
def test_sites_that_are_in_order_have_no_finding(findings, truth):
    assert {item[0] for item in findings} == {item[0] for item in truth["findings"]}


@pytest.mark.check(weight=2, group="evidence")
def test_every_finding_leads_to_its_evidence_and_stands_once(findings, truth):
    assert findings == truth["findings"]


@pytest.mark.check(group="expiry")
def test_end_of_validity_of_every_enabled_site(report, truth):
    assert report["leaf_expiry"] == truth["leaf_expiry"]


@pytest.mark.guard
def test_nothing_is_changed(output, digest, truth):
    assert {path: digest(output(path)) for path in truth["inputs"]} == truth["inputs"]
    for top in ("/etc/pki", "/etc/nginx"):
        delivered = {f"{top}/{path.relative_to(output(top))}" for path in output(top).rglob("*") if path.is_file()}
        assert delivered == {path for path in truth["inputs"] if path.startswith(top + "/")}
