"""Totals of the month, the orders that do not balance, and the payments that are no money or nobody's."""

import pytest


@pytest.fixture
def report(workspace, read_json):
    return read_json(workspace / "close.json")


@pytest.mark.check(group="totals")
@pytest.mark.parametrize("figure", ["orders", "billed_cents", "received_cents"])
def test_totals_of_the_month(report, truth, near, figure):
    assert near(report[figure], truth[figure], 0)


@pytest.mark.check(weight=2, group="orders")
def test_unpaid_orders_and_what_they_owe(report, truth):
    assert [[row["order_no"], row["owed_cents"]] for row in report["unpaid"]] == truth["unpaid"]


@pytest.mark.check(weight=2, group="orders")
def test_overpaid_orders_and_the_excess(report, truth):
    assert [[row["order_no"], row["excess_cents"]] for row in report["overpaid"]] == truth["overpaid"]


@pytest.mark.check(weight=2, group="payments")
def test_repeats_of_a_settled_payment(report, truth):
    assert report["repeats"] == truth["repeats"]


@pytest.mark.check(weight=2, group="payments")
def test_payments_that_belong_to_no_order(report, truth):
    assert report["orphans"] == truth["orphans"]


@pytest.mark.guard
def test_database_is_as_it_was(output, digest, truth):
    assert digest(output("/srv/shop/shop.db")) == truth["database"]
