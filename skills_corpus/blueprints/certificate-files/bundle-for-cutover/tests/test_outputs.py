"""Each bundle is what a TLS server sends: the right certificate first, then the path to the trusted root, and nothing else."""

import base64
import binascii
import hashlib
import re

import pytest

BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----\r?\n(.*?)-----END \1-----", re.S)


@pytest.fixture
def bundles(workspace, read_text):
    """Fingerprints of the certificates of each delivered file, in their order."""
    found = {}
    for path in sorted((workspace / "bundles").glob("*.pem")):
        blocks = BLOCK.findall(read_text(path))
        assert {kind for kind, _ in blocks} <= {"CERTIFICATE"}, f"{path.name} holds more than certificates"
        try:
            found[path.stem] = [hashlib.sha256(base64.b64decode("".join(body.split()), validate=True)).hexdigest() for _, body in blocks]
        except binascii.Error:
            pytest.fail(f"{path.name} holds a damaged block")
    return found


@pytest.fixture
def summary(workspace, read_json):
    return read_json(workspace / "summary.json")


@pytest.mark.check(weight=3, group="leaf")
def test_every_site_has_the_certificate_that_may_be_used(bundles, truth):
    assert {site: chain[:1] for site, chain in bundles.items()} == {site: chain[:1] for site, chain in truth["chains"].items()}


@pytest.mark.check(weight=3, group="chain")
def test_chains_lead_to_the_trusted_root_in_order(bundles, truth):
    assert bundles == truth["chains"]


@pytest.mark.check(group="chain")
def test_only_certificates_are_in_the_files(workspace, read_text, truth):
    for site, chain in truth["chains"].items():
        text = read_text(workspace / "bundles" / f"{site}.pem")
        assert text.count("-----BEGIN ") == text.count("-----BEGIN CERTIFICATE-----") == text.count("-----END CERTIFICATE-----") == len(chain)


@pytest.mark.check(group="summary")
def test_summary_names_the_chosen_certificates(summary, truth):
    stated = {site: [entry["leaf"].replace(":", "").lower(), entry["not_after"]] for site, entry in summary["bundles"].items()}
    assert stated == {site: [chain[0], truth["not_after"][site]] for site, chain in truth["chains"].items()}


@pytest.mark.check(group="summary")
def test_sites_without_a_usable_certificate(summary, truth):
    assert summary["unserved"] == truth["unserved"]


@pytest.mark.guard
def test_the_inbox_is_untouched(output, digest, truth):
    assert {path.name: digest(path) for path in output("/var/spool/pki/inbox").iterdir()} == truth["inbox"]
