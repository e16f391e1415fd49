"""When, how many, what and why, and for every claim a line in the logs that shows it."""

import json
from datetime import datetime

import pytest


@pytest.fixture
def report(workspace, read_json):
    return read_json(workspace / "incident.json")


def apart(told, planted):
    """Seconds between two times in UTC."""
    moments = [datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ") for text in (told, planted)]
    return abs((moments[0] - moments[1]).total_seconds())


@pytest.mark.check(weight=2, group="impact")
@pytest.mark.parametrize("moment", ["started_at", "ended_at"])
def test_outage_begins_and_ends(report, truth, moment):
    assert apart(report[moment], truth[moment]) <= 1


@pytest.mark.check(weight=2, group="impact")
def test_failed_checkouts_are_counted_once_each(report, truth, near):
    assert near(report["failed_checkouts"], truth["failed_checkouts"], 0)


@pytest.mark.check(group="impact")
def test_first_failed_request(report, truth):
    assert report["first_request"] == truth["first_request"]


@pytest.mark.check(weight=2, group="cause")
def test_service_and_innermost_exception(report, truth):
    assert (report["root_service"], report["root_exception"]) == (truth["root_service"], truth["root_exception"])


@pytest.mark.check(weight=2, group="cause")
def test_change_that_triggered_it(report, truth):
    assert (report["trigger"]["service"], report["trigger"]["change"]) == (truth["root_service"], truth["change"])


@pytest.mark.check(weight=2, group="cause")
def test_trigger_by_the_gateways_clock(report, truth):
    assert apart(report["trigger"]["at"], truth["change_at"]) <= 2


@pytest.mark.check(group="evidence")
@pytest.mark.parametrize("claim", ["first_failure", "last_failure", "root_exception", "trigger"])
def test_every_claim_cites_a_line_that_shows_it(report, hidden, claim):
    cited = report["evidence"][claim]
    citable = json.loads(hidden("citable.json").read_text(encoding="utf-8"))[claim]
    assert type(cited["line"]) is int
    assert [cited["file"], cited["line"]] in citable


@pytest.mark.guard
def test_logs_are_untouched(output, digest, truth):
    for path, expected in truth["digests"].items():
        assert digest(output(path)) == expected
