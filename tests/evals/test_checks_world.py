from __future__ import annotations

from typing import Any

import pytest

from evals.checks import evaluate, material_of, validate
from evals.episode import Resolved, Usage
from evals.errors import UserError

STATE = {"zones": {"lab": {"pressure": 55.0}}, "crew": [{"zone": "core"}, {"zone": "core"}]}
NO_ANSWER = "the condition has no answer for this state"
LOG = [{"t": 0.0, "kind": "command", "name": "close_hatch"}]


@pytest.fixture
def result(make_case: Any, make_episode: Any, trace: Any) -> Any:
    def of(changes: Any, budget: Any = None, **check: Any) -> Any:
        case = make_case(check, **({"budget": budget} if budget else {}))
        return evaluate(case.expect.checks[0], material_of(make_episode("x", trace, **changes), case))

    return of


@pytest.mark.parametrize(
    ("where", "verdict", "reason"),
    [
        ("state.zones.lab.pressure > 50", "pass", ""),
        ("state.crew.all(c, c.zone == 'core') && log.exists(e, e.name == 'close_hatch')", "pass", ""),
        ("state.zones.lab.pressure > 60", "fail", "false of the end state: state.zones.lab.pressure > 60"),
        ("state.zones.attic.pressure > 60", "ungraded", f"{NO_ANSWER}: there is no key 'attic'"),
        ("state.zones", "ungraded", f"{NO_ANSWER}: the condition gives dict, not true or false"),
    ],
)  # fmt: skip
def test_state(result: Any, where: str, verdict: str, reason: str) -> None:
    found = result({"state": STATE, "log": LOG}, check="state", where=where)
    assert (found.verdict, found.reason) == (verdict, reason)


def test_a_state_check_cannot_ask_what_was_said(make_case: Any) -> None:
    with pytest.raises(UserError) as error:
        validate(make_case({"check": "state", "where": "output.status == 'fixed'"}))
    assert str(error.value) == "leak-01: check state: unknown name 'output'. Known here: log, state."


LIMITS = {"turns": 1, "tool_calls": 2, "seconds": 10, "usd": 0.2}


def paid(usd: float | None) -> dict[str, Any]:
    resolved = Resolved(
        case_digest="c",
        candidate_digest="k",
        system="mars",
        harness="sdk",
        models={"life-support": "openai/gpt-6-luna"},
        role_digests={},
        tool_digests={},
    )
    return {"resolved": resolved, "usd": usd}


def test_budget_kept(result: Any, trace: Any) -> None:
    trace.answered().call("read", {}, {}).consult("ask_power", "power", "?", {})
    found = result(paid(0.2), LIMITS, check="budget")
    assert found.verdict == "pass"
    assert found.data == {"turns": 1, "tool_calls": 2, "seconds": 3.0, "usd": 0.2}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"wall_s": 12.5}, "seconds 12.5 of 10, over by 2.5"),
        (paid(0.5), "usd 0.5 of 0.2, over by 0.3"),
        (paid(None) | {"wall_s": 12.5}, "seconds 12.5 of 10, over by 2.5"),
    ],
)
def test_budget_exceeded_says_by_how_much(result: Any, changes: Any, reason: str) -> None:
    found = result(changes, LIMITS, check="budget")
    assert (found.verdict, found.reason) == ("fail", reason)


def test_turns_and_calls_are_counted_over_all_roles(result: Any, trace: Any) -> None:
    trace.answered().answered("power").call("a", {}, {}).call("a", {}, {}, role="power").consult("b", "power", "?", {})
    found = result({}, LIMITS, check="budget")
    assert found.reason == "turns 2 of 1, over by 1; tool_calls 3 of 2, over by 1"


def test_an_unknown_cost_of_a_paid_model_is_not_zero(result: Any) -> None:
    found = result(paid(None), LIMITS, check="budget")
    assert found.verdict == "ungraded"
    assert found.reason == "the cost of openai/gpt-6-luna is unknown, and the budget limits it"


def test_an_unknown_cost_is_no_matter_without_a_limit(result: Any) -> None:
    limits = {name: limit for name, limit in LIMITS.items() if name != "usd"}
    assert result(paid(None), limits, check="budget").verdict == "pass"


def test_a_pilot_costs_nothing(result: Any) -> None:
    assert result({"usd": None}, LIMITS, check="budget").verdict == "pass"


def test_a_paid_model_that_did_not_run_costs_nothing(result: Any) -> None:
    assert result(paid(None) | {"usage": {"power": Usage()}}, LIMITS, check="budget").verdict == "pass"


def test_an_episode_is_graded_by_its_own_case(make_case: Any, make_episode: Any) -> None:
    with pytest.raises(ValueError, match="the episode is one of case 'leak-01', not of 'leak-02'"):
        material_of(make_episode("x"), make_case(id="leak-02"))
