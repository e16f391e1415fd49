"""The first report figure by figure, and the program on hidden logs: the same requests must give the same figures in every guise."""

import base64
import json

import pytest

RELATIONS = ["as it comes", "lines in another order", "rotated, overlapping, compressed", "one file given twice",
             "written in other offsets", "requests added that do not count", "one bad request more"]


def plain(figures):
    """The figures without keys that were not asked for; booleans and fractions are no figures."""
    for value in (figures["valid"], figures["bad"], figures["allowed"], figures["left"]):
        assert type(value) is int
    return {key: figures[key] for key in ("valid", "bad", "allowed", "left", "worst_hour")}


@pytest.mark.check(group="report")
@pytest.mark.parametrize("figure", ["valid", "bad", "allowed", "left", "worst_hour"])
def test_report_on_our_own_logs(workspace, read_json, truth, figure):
    report = read_json(workspace / "budget.json")
    assert set(report) == set(truth["report"])
    assert {name: plain(figures)[figure] for name, figures in report.items()} == {name: f[figure] for name, f in truth["report"].items()}


@pytest.mark.check(weight=2, group="program")
@pytest.mark.parametrize("relation", RELATIONS)
def test_same_requests_same_figures(workspace, hidden, read_bytes, run, relation):
    trial = json.loads(hidden("trials.json").read_text(encoding="utf-8"))[relation]
    read_bytes(workspace / "error-budget")
    files = {name: base64.b64decode(data) for name, data in trial["files"].items()}
    done = run([workspace / "error-budget", "slo.yaml", *trial["arguments"]], files={"slo.yaml": trial["slo"], **files})
    assert done.code == 0, done.err[-300:]
    assert {name: plain(figures) for name, figures in json.loads(done.out).items()} == trial["expected"]


@pytest.mark.guard
def test_logs_and_policy_are_untouched(output, digest, truth):
    for path, expected in truth["digests"].items():
        assert digest(output(path)) == expected
