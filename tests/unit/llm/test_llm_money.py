"""Budgets, prices and the ledger: what is spent is counted, and a spent budget stops cleanly."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from llm.clients import MODEL, asking, scripted
from llm.server import Reply, Status, in_turn

from skill2env.errors import BudgetSpent, ModelError, UsageError
from skill2env.llm.budget import Budget
from skill2env.llm.prices import money, price_of, table
from skill2env.models.chat import Message, Spent, Tokens, Tool
from skill2env.params import BudgetParams, Price

TEN_CENTS_EACH = {MODEL: Price(input=1000, output=10_000)}
"""100 tokens read and 10 written, as the server's replies have, cost 20 cents together."""


@pytest.mark.parametrize(
    ("bounds", "allowed", "told"),
    [
        ({"money": 0.5}, 3, r"llm\.budget\.money: 0\.6 of 0\.5 US dollars are spent"),
        ({"tokens": 220}, 2, r"llm\.budget\.tokens: 220 of 220 tokens are spent"),
        ({"money": 0}, 0, r"llm\.budget\.money: 0 of 0 US dollars"),
        ({"seconds": 0}, 0, r"llm\.budget\.seconds: 0 of 0 seconds of waiting"),
    ],
)
def test_a_spent_budget_ends_before_the_next_request(
    bounds: dict[str, float], allowed: int, told: str, tmp_path: Path
) -> None:
    with scripted(lambda _: Reply("x"), tmp_path, prices=TEN_CENTS_EACH, budget=bounds) as made:
        for number in range(allowed):
            made.client.complete(asking(f"{number}"))
        with pytest.raises(BudgetSpent, match=told) as caught:
            made.client.complete(asking("one more"))
        assert caught.value.exit_code == 8
        assert (made.server.count, made.store.count("completion")) == (allowed, allowed)
        for number in range(allowed):
            made.client.complete(asking(f"{number}"))
        assert made.server.count == allowed


def test_seconds_are_those_of_waiting(tmp_path: Path) -> None:
    budget = Budget(BudgetParams(seconds=2))
    budget.spend(Spent(seconds=1.5))
    budget.check()
    budget.spend(Spent(seconds=0.5))
    with pytest.raises(BudgetSpent, match="2 of 2 seconds"):
        budget.check()


def test_after_a_higher_budget_the_run_goes_on_where_it_was(tmp_path: Path) -> None:
    def run(tokens: int) -> tuple[int, bool]:
        with scripted(lambda _: Reply("x"), tmp_path, budget={"tokens": tokens}) as made:
            try:
                for number in range(5):
                    made.client.complete(asking(f"{number}"))
            except BudgetSpent:
                return made.server.count, True
            return made.server.count, False

    assert run(330) == (3, True)
    assert run(330) == (2, False)


def test_failures_are_paid_for_too(tmp_path: Path) -> None:
    script = in_turn(Reply(""), Status(400))
    with scripted(script, tmp_path, prices=TEN_CENTS_EACH, budget={"money": 0.1}) as made:
        with pytest.raises(ModelError):
            made.client.complete(asking("x"))
        (row,) = made.client.ledger.rows()
        assert (row.outcome, row.spent.requests, row.spent.completions) == ("failed", 2, 0)
        assert row.spent.money == pytest.approx(0.2)
        with pytest.raises(BudgetSpent):
            made.client.complete(asking("y"))


def test_threads_go_over_by_what_is_under_way_at_most(tmp_path: Path) -> None:
    with (
        scripted(lambda _: Reply("x"), tmp_path, budget={"tokens": 1100}) as made,
        ThreadPoolExecutor(4) as pool,
    ):
        asked = [pool.submit(made.client.complete, asking(f"{number}")) for number in range(40)]
        spent = [future for future in asked if isinstance(future.exception(), BudgetSpent)]
        assert 10 <= made.server.count <= 13 and len(spent) == 40 - made.server.count


def test_a_budget_of_money_needs_a_price(tmp_path: Path) -> None:
    with scripted(lambda _: Reply("x"), tmp_path, budget={"money": 5}) as made:
        for attempt in (made.client.check, lambda model: made.client.complete(asking("x", model=model))):
            with pytest.raises(UsageError, match=f"{MODEL} has no price.*llm.prices"):
                attempt(MODEL)
        assert made.server.count == 0
    free = {MODEL: Price(input=0, output=0)}
    with scripted(lambda _: Reply("x"), tmp_path, budget={"money": 5}, prices=free) as made:
        assert made.client.complete(asking("x")).money == 0


def test_without_a_price_tokens_are_counted_and_money_is_not_known(tmp_path: Path) -> None:
    with scripted(lambda _: Reply("x"), tmp_path) as made:
        assert made.client.complete(asking("x")).money is None
        spent = made.client.ledger.now()
    assert (spent.tokens, spent.money, spent.unpriced) == (Tokens(input=100, output=10), 0.0, 1)


def test_the_ledger_sums_by_purpose_model_and_outcome(tmp_path: Path) -> None:
    script = in_turn(Reply("1"), Reply("2"), Reply("No.", finish="refused"), Status(400))
    with scripted(script, tmp_path, prices=TEN_CENTS_EACH) as made:
        plan, write = made.client.for_purpose("plan"), made.client.for_purpose("write")
        plan.complete(asking("a"))
        write.complete(asking("b"))
        write.complete(asking("c"))
        with pytest.raises(ModelError):
            write.complete(asking("d"))
        write.complete(asking("a"))
        rows = {
            (row.purpose, row.outcome): (row.spent.requests, round(row.spent.money, 2))
            for row in made.client.ledger.rows()
        }
        assert rows == {
            ("plan", "answered"): (1, 0.2),
            ("write", "answered"): (1, 0.2),
            ("write", "failed"): (1, 0.0),
            ("write", "refused"): (1, 0.2),
            ("write", "replayed"): (1, 0.2),
        }
        assert made.client.ledger.now().money == pytest.approx(0.6)
        assert made.client.budget.spent.money == pytest.approx(0.6)


def test_a_purposes_own_budget_ends_a_replay_where_it_ended_the_run(tmp_path: Path) -> None:
    def session(replay_only: bool) -> tuple[int, int]:
        with scripted(lambda _: Reply("x"), tmp_path, replay_only=replay_only) as made:
            purpose = made.client.for_purpose("write", Budget(BudgetParams(tokens=300), "the session"))
            for turn in range(10):
                try:
                    purpose.complete(asking(f"{turn}"))
                except BudgetSpent as error:
                    assert "the session.tokens: 330 of 300" in str(error)
                    return turn, made.server.count
            raise AssertionError("it never ended")

    assert session(replay_only=False) == (3, 3)
    assert session(replay_only=True) == (3, 0)


def test_money_is_by_million_tokens_with_cached_ones_apart() -> None:
    price = Price(input=3, cached=0.3, output=15)
    assert money(Tokens(input=1_000_000, cached=600_000, output=100_000), price) == pytest.approx(
        1.2 + 0.18 + 1.5
    )
    assert money(Tokens(input=1_000_000, cached=600_000), Price(input=3, output=15)) == pytest.approx(3.0)
    assert money(Tokens(input=5), None) is None


PRICE = Price(input=1000, cached=100, cache_written=1250, output=10_000)


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_what_the_endpoint_cached_is_counted_and_has_its_own_price(protocol: str, tmp_path: Path) -> None:
    replies = in_turn(
        Reply("1", tokens=Tokens(input=100, cache_written=90, output=10)),
        Reply("2", tokens=Tokens(input=150, cached=90, cache_written=50, output=10)),
    )
    with scripted(replies, tmp_path, protocol, prices={MODEL: PRICE}) as made:
        first, second = made.client.complete(asking("a")), made.client.complete(asking("b"))
        spent = made.client.ledger.now()
    assert first.tokens == Tokens(input=100, cache_written=90, output=10)
    assert spent.tokens == Tokens(input=250, cached=90, cache_written=140, output=20)
    assert first.money == pytest.approx((10 * 1000 + 90 * 1250 + 10 * 10_000) / 1e6)
    assert second.money == pytest.approx((10 * 1000 + 90 * 100 + 50 * 1250 + 10 * 10_000) / 1e6)
    assert spent.money == pytest.approx((first.money or 0) + (second.money or 0))


def _marked(protocol: str, folder: Path, tools: tuple[Tool, ...], **endpoint: bool) -> tuple[bool, bool]:
    """Return whether the system message and the last message are marked to be cached, as the server gets them."""
    messages = (Message(role="system", text="Long rules."), Message(role="user", text="Go on."))
    with scripted(lambda _: Reply("x"), folder, protocol, endpoint=endpoint) as made:
        made.client.complete(asking("", messages=messages, tools=tools))
        (request,) = made.server.requests
    system = request.body.get("system", "")
    assert ("cache_control" in str(request.body)) == (
        "cache_control" in f"{system}{request.body['messages'][-1]}"
    )
    return "cache_control" in str(system), "cache_control" in str(request.body["messages"][-1])


def test_anthropic_is_asked_to_cache_what_the_next_request_repeats(tmp_path: Path) -> None:
    look = Tool(name="look", description="Look.", parameters={"type": "object"})
    places = (tmp_path / str(number) for number in range(4))
    assert _marked("anthropic", next(places), (look,)) == (True, True)
    assert _marked("anthropic", next(places), ()) == (True, False), "a single question is not asked again"
    assert _marked("anthropic", next(places), (look,), cache=False) == (False, False)
    assert _marked("openai", next(places), (look,)) == (False, False), "it caches by itself"


def test_a_long_request_has_the_price_of_long_ones() -> None:
    price = Price(input=2, output=8, long_from=100, long=Price(input=4, output=10))
    assert money(Tokens(input=100, output=1), price) == pytest.approx(208e-6)
    assert money(Tokens(input=101, output=1), price) == pytest.approx(414e-6)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai/gpt-4.1", "gpt-4.1"),
        ("openai/gpt-4.1-2025-04-14", "gpt-4.1"),
        ("vendor/claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("vendor/claude-sonnet-4-0", "claude-sonnet-4"),
        ("gateway/anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("gateway/openai/gpt-5-mini", "gpt-5-mini"),
    ],
)
def test_the_table_knows_a_model_by_its_vendors_name(model: str, name: str) -> None:
    assert price_of(model, {}) == table()[name]


@pytest.mark.parametrize("model", ["local/my-model", "openai/gpt-4.1-nonsense", "openai/gpt"])
def test_what_the_table_does_not_have_has_no_price(model: str) -> None:
    assert price_of(model, {}) is None


def test_a_given_price_comes_first() -> None:
    given = Price(input=1, output=2)
    assert price_of("openai/gpt-4.1", {"openai/gpt-4.1": given}) is given
    assert price_of("other/gpt-4.1", {"openai/gpt-4.1": given}) == table()["gpt-4.1"]


def test_every_price_of_the_table_is_plausible() -> None:
    assert len(table()) > 40
    for name, price in table().items():
        assert 0 < price.input < price.output <= 1000, name
        assert price.cached is None or price.cached < price.input, name
        assert (price.long is None) == (price.long_from is None), name
