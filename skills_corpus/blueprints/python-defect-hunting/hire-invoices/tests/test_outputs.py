"""The repaired program invoices hidden bookings; every field is compared with the rules."""

import json

import pytest


@pytest.fixture(scope="module")
def invoices(workspace, run, hidden):
    """A function: invoices that the program prints for a hidden file of bookings."""

    done = {}

    def make(name):
        if name not in done:
            done[name] = run(["python3", "-B", workspace / "invoice.py", "bookings.jsonl"], files={"bookings.jsonl": hidden(f"{name}.jsonl")})
        assert done[name].code == 0, done[name].err[-300:]
        return [json.loads(line) for line in done[name].out.splitlines()]

    return make


@pytest.mark.check(weight=2, group="amounts")
def test_line_amounts_to_the_cent(invoices, truth):
    found = invoices("amounts")
    assert [i["lines"] for i in found] == [i["lines"] for i in truth["amounts"]]


@pytest.mark.check(group="amounts")
def test_totals_of_these_lines(invoices, truth):
    found = invoices("amounts")
    assert [(i["id"], i["net"], i["vat"], i["total"]) for i in found] == [(i["id"], i["net"], i["vat"], i["total"]) for i in truth["amounts"]]


@pytest.mark.check(weight=2, group="rates")
def test_net_vat_and_total_by_rate(invoices, truth):
    found = invoices("rates")
    assert [(i["net"], i["vat"], i["total"]) for i in found] == [(i["net"], i["vat"], i["total"]) for i in truth["rates"]]


@pytest.mark.check(group="rates")
def test_lines_with_fees_and_delivery(invoices, truth):
    found = invoices("rates")
    assert [i["lines"] for i in found] == [i["lines"] for i in truth["rates"]]


@pytest.mark.check(weight=2, group="state")
def test_bookings_have_nothing_to_do_with_each_other(invoices, truth):
    found = invoices("state")
    assert [{key: i[key] for key in want} for i, want in zip(found, truth["state"], strict=True)] == truth["state"]


@pytest.mark.check(group="dates")
def test_days_of_hire(invoices, truth):
    found = invoices("dates")
    assert [[line["days"] for line in i["lines"]] for i in found] == [[line["days"] for line in i["lines"]] for i in truth["dates"]]


@pytest.mark.check(group="dates")
def test_due_dates(invoices, truth):
    assert [i["due"] for i in invoices("dates")] == [i["due"] for i in truth["dates"]]


@pytest.mark.guard
def test_simple_bookings_stay_right(invoices, truth):
    assert invoices("plain") == truth["plain"]


@pytest.mark.guard
def test_samples_are_unchanged(output, digest, truth):
    assert {path: digest(output(path)) for path in truth["kept"]} == truth["kept"]
