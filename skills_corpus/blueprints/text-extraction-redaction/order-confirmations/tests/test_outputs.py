"""Confirmed orders, one by one, with the mail that proves each."""

import pytest


@pytest.fixture
def orders(workspace, read_jsonl):
    rows = read_jsonl(workspace / "orders.jsonl")
    assert rows and all(isinstance(row, dict) for row in rows)
    return rows


def column(orders, truth, name):
    return {row["po"]: row[name] for row in orders}, {po: order[name] for po, order in truth["orders"].items()}


@pytest.mark.check(weight=2, group="orders")
def test_exactly_the_confirmed_orders_are_listed_once(orders, truth):
    assert sorted(str(row["po"]) for row in orders) == sorted(truth["orders"])


@pytest.mark.check(weight=2, group="figures")
def test_amounts_are_those_the_supplier_confirmed(orders, truth):
    found, expected = column(orders, truth, "amount")
    assert found == expected


@pytest.mark.check(group="figures")
def test_currencies(orders, truth):
    found, expected = column(orders, truth, "currency")
    assert found == expected


@pytest.mark.check(weight=2, group="figures")
def test_delivery_dates_are_read_as_the_supplier_writes_them(orders, truth):
    found, expected = column(orders, truth, "delivery")
    assert found == expected


@pytest.mark.check(group="evidence")
@pytest.mark.parametrize("name", ["message_id", "supplier"])
def test_each_order_names_its_mail_and_supplier(orders, truth, name):
    found, expected = column(orders, truth, name)
    assert found == expected


@pytest.mark.guard
def test_mails_are_untouched(output, truth, digest):
    for path, expected in truth["mail"].items():
        assert digest(output(path)) == expected, path
