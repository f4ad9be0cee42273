"""Money: prices are data, unknown is never zero, and the limit holds whatever happens."""

from __future__ import annotations

import runpy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.budget import NANO, SpendingLimitError, SpendLedger, estimate, live_roles
from evals.candidate import parse_model
from evals.errors import UserError
from evals.grade import JudgeConfig
from evals.prices import Prices, is_paid, load_prices
from evals.store import Store
from evals.workspace import Workspace

ROOT = Path(__file__).parents[2]
fakes: Any = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("fake_run.py"))))
ROLES = ["boss", "clerk"]


class Book:
    """A spend book in memory."""

    def __init__(self) -> None:
        self.rows: list[list[int | None]] = []

    def add_spend(self, what: str, worst: int) -> int:
        self.rows.append([worst, None])
        return len(self.rows) - 1

    def settle_spend(self, reservation: int, actual: int) -> None:
        self.rows[reservation][1] = actual

    def total_spend(self) -> int:
        return sum(worst if actual is None else actual for worst, actual in self.rows)


@pytest.fixture
def prices() -> Prices:
    return load_prices(Workspace(ROOT, ROOT, "none:none"))


def usage(given: int, cached: int, output: int) -> dict[str, int]:
    return {"requests": 1, "input_tokens": given, "cached_tokens": cached, "output_tokens": output}


@pytest.mark.parametrize(
    ("model", "tokens", "usd"),
    [
        ("openai/gpt-6-sol@medium", (1_000_000, 0, 0), 2.0),
        ("openai/gpt-6-sol", (1_000_000, 1_000_000, 0), 0.2),
        ("openai/gpt-6-sol", (0, 0, 1_000_000), 10.0),
        ("openai/gpt-6-astra@high", (1_000_000, 500_000, 100_000), 10.5),
        ("openai/gpt-6-luna", (1, 1, 0), 1e-8),
    ],
)
def test_a_call_costs_what_the_price_list_says(prices, model, tokens, usd):
    assert prices.cost(model, usage(*tokens)) == pytest.approx(usd, rel=1e-12)
    assert prices.function(parse_model(model))(*tokens) == pytest.approx(usd, rel=1e-12)


@pytest.mark.parametrize("missing", ["input_tokens", "cached_tokens", "output_tokens"])
def test_unknown_usage_has_unknown_cost(prices, missing):
    tokens = usage(10, 0, 10)
    del tokens[missing]
    assert prices.cost("openai/gpt-6-sol", tokens) is None


def test_an_unlisted_model_has_unknown_cost_and_cannot_be_planned(prices):
    assert prices.cost("openai/gpt-9", usage(1, 0, 1)) is None
    with pytest.raises(UserError) as told:
        prices.of("openai/gpt-9@low")
    assert str(told.value) == "prices.yaml: no price for openai/gpt-9. Add its input, cached and output prices."


def test_more_cached_than_input_tokens_cannot_be_priced(prices):
    assert prices.cost("openai/gpt-6-sol", usage(10, 11, 0)) is None


def test_no_request_costs_nothing_even_without_a_price(prices):
    assert prices.cost("openai/gpt-9", {"requests": 0}) == 0.0


@pytest.mark.parametrize("model", ["pilot/expert", "scripted/reference", "replay/run", "stand-in/patterns"])
def test_what_calls_no_provider_is_known_to_cost_nothing(prices, model):
    assert prices.cost(model, {}) == 0.0
    assert not is_paid(model)


def test_the_estimate_is_every_turn_at_the_worst_call(prices):
    plan = fakes.make_plan(
        trials=2,
        candidates=[
            {"id": "luna", "model": "openai/gpt-6-luna"},
            {"id": "mixed", "model": "openai/gpt-6-luna", "roles": {"clerk": "openai/gpt-6-sol@high"}},
            {"id": "pilot", "model": "pilot/expert"},
        ],
    )
    cases = [fakes.make_case("a-1"), fakes.make_case("a-2")]
    cost = estimate(plan, cases, ROLES, prices, fakes.JUDGE)
    assert cost.episodes == 12
    assert cost.calls == 2 * 2 * 2 * 4
    # 32,000 tokens in and 16,000 out: luna 0.0112 USD, sol 0.224 USD; 4 turns, 2 cases, 2 trials
    assert cost.by_candidate == pytest.approx({"luna": 16 * 0.0112, "mixed": 16 * 0.224, "pilot": 0.0})
    assert cost.usd == pytest.approx(16 * 0.2352)


def test_a_live_judge_is_part_of_the_estimate(prices):
    rubric = [{"id": "R1", "criterion": "Says so."}, {"id": "R2", "criterion": "Says why."}]
    expect = fakes.make_case("a-1").expect.model_dump(exclude_unset=True) | {"rubric": rubric}
    judge = JudgeConfig(model="openai/gpt-6-sol@medium", prompt="p", version=1, stand_in=False)
    cost = estimate(fakes.make_plan(trials=3), [fakes.make_case("a-1", expect=expect)], ROLES, prices, judge)
    assert cost.calls == 2 * 2 * 3
    assert cost.usd == cost.judge_usd == pytest.approx(12 * 0.224)


@pytest.mark.parametrize(
    ("changes", "live"),
    [
        ({}, ["clerk"]),
        ({"scope": "workflow", "role": None}, ["boss", "clerk"]),
        ({"scope": "workflow", "role": None, "setup": {"frozen": {"clerk": {"report": {}}}}}, ["boss"]),
        ({"scope": "handoff", "role": None, "boundary": {"producer": "clerk", "consumer": "boss"}}, ["clerk", "boss"]),
        ({"scope": "tool", "role": None, "call": {"tool": "look", "role": "clerk"}}, []),
    ],
)
def test_only_live_roles_call_models(changes, live):
    assert live_roles(fakes.make_case("a-1", **changes), ROLES) == live


def test_a_call_that_may_pass_the_limit_is_not_made():
    ledger = SpendLedger(1.0, Book())
    first = ledger.reserve(0.6)
    with pytest.raises(SpendingLimitError) as told:
        ledger.reserve(0.5)
    assert str(told.value) == ("the next call may cost 0.5000 USD and 0.4000 USD of the limit of 1.00 USD is left")
    ledger.commit(first, 0.1)
    ledger.reserve(0.5)
    assert ledger.spent_usd() == pytest.approx(0.6)


def test_ten_tenths_fit_into_one_exactly():
    ledger = SpendLedger(1.0, Book())
    for _ in range(10):
        ledger.reserve(0.1)
    with pytest.raises(SpendingLimitError):
        ledger.reserve(1 / NANO)


def test_a_call_of_unknown_cost_keeps_its_reservation():
    ledger = SpendLedger(1.0, Book())
    ledger.commit(ledger.reserve(0.7), None)
    assert ledger.spent_usd() == 0.7


@pytest.mark.parametrize("amount", [-0.1, float("nan"), float("inf")])
def test_what_is_no_amount_is_refused(amount):
    with pytest.raises(ValueError, match="must be a number of USD, zero or more"):
        SpendLedger(1.0, Book()).reserve(amount)


def test_a_reservation_outlives_the_process_that_made_it(tmp_path):
    path = tmp_path / "run.sqlite"
    store = Store.create(path, fakes.make_header(fakes.make_plan()), "text", fakes.frozen())
    SpendLedger(1.0, store).reserve(0.9)
    store._let_go()  # as a killed process would: nothing is folded or settled
    with Store.open(path, write=True) as again, pytest.raises(SpendingLimitError):
        SpendLedger(1.0, again).reserve(0.2)


def test_threads_together_do_not_pass_the_limit(tmp_path):
    with Store.create(tmp_path / "r.sqlite", fakes.make_header(fakes.make_plan()), "", fakes.frozen()) as store:
        ledger = SpendLedger(1.0, store)

        def call(_: int) -> bool:
            try:
                ledger.reserve(0.03)
            except SpendingLimitError:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            made = sum(pool.map(call, range(80)))
    assert made == 33


@settings(max_examples=100, deadline=None)
@given(
    limit=st.integers(0, 1000),
    calls=st.lists(st.tuples(st.integers(0, 300), st.one_of(st.none(), st.floats(0, 1)))),
)
def test_spending_never_exceeds_the_limit_when_calls_cost_at_most_their_worst(limit, calls):
    ledger = SpendLedger(limit / 1000, Book())
    for worst, share in calls:
        try:
            reservation = ledger.reserve(worst / 1000)
        except SpendingLimitError:
            continue
        assert ledger.spent_usd() <= limit / 1000
        ledger.commit(reservation, None if share is None else share * worst / 1000)
        assert ledger.spent_usd() <= limit / 1000
