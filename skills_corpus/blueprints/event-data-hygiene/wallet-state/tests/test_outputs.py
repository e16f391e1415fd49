"""Final wallets, row by row, and the reconciliation of the feed."""

import pytest


@pytest.fixture
def wallets(workspace, read_jsonl):
    rows = read_jsonl(workspace / "wallets.jsonl")
    assert rows and all(isinstance(row, dict) for row in rows)
    return rows


@pytest.fixture
def report(workspace, read_json):
    return read_json(workspace / "report.json")


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


@pytest.mark.check(weight=2, group="wallets")
def test_exactly_the_open_wallets_are_listed_once(wallets, truth):
    assert sorted(row["wallet"] for row in wallets) == sorted(truth["wallets"])


@pytest.mark.check(group="wallets")
def test_each_wallet_has_its_last_owner_and_currency(wallets, truth):
    found = {row["wallet"]: (row["owner"], row["currency"]) for row in wallets}
    assert found == {wallet: (fact["owner"], fact["currency"]) for wallet, fact in truth["wallets"].items()}


@pytest.mark.check(weight=2, group="balances")
def test_each_wallet_has_its_last_balance(wallets, truth):
    assert all(whole(row["balance_minor"]) for row in wallets)
    assert {row["wallet"]: row["balance_minor"] for row in wallets} == {w: f["balance_minor"] for w, f in truth["wallets"].items()}


@pytest.mark.check(group="balances")
def test_each_wallet_names_its_last_revision(wallets, truth):
    assert all(whole(row["revision"]) for row in wallets)
    assert {row["wallet"]: row["revision"] for row in wallets} == {w: f["revision"] for w, f in truth["wallets"].items()}


@pytest.mark.check(weight=2, group="totals")
def test_totals_are_exact_texts(report, truth):
    assert report["totals"] == truth["totals"]


@pytest.mark.check(group="reconciliation")
@pytest.mark.parametrize("name", ["deliveries", "events", "repeats", "refused", "closed"])
def test_counts_reconcile(report, truth, name):
    assert whole(report[name]) and report[name] == truth["counts"][name]


@pytest.mark.guard
def test_the_feed_is_untouched(output, truth, digest):
    for path, expected in truth["feed"].items():
        assert digest(output(path)) == expected, path
