from __future__ import annotations

import random
from typing import Any

import pytest

from evals.checks import evaluate, material_of, validate
from evals.errors import UserError

LAB = "args.zone == 'lab'"


@pytest.fixture
def result(make_case: Any, make_episode: Any, trace: Any) -> Any:
    """The result of one check on the trace that the test has written."""

    def of(**check: Any) -> Any:
        case = make_case(check)
        return evaluate(case.expect.checks[0], material_of(make_episode("done", trace), case))

    return of


def test_called_passes_on_a_call_that_matches(result: Any, trace: Any) -> None:
    trace.call("handheld_co2", {"zone": "core"}, {}).call("handheld_co2", {"zone": "lab"}, {})
    found = result(check="called", tool="handheld_co2", where=LAB)
    assert (found.verdict, found.data) == ("pass", {"count": 1, "seqs": [2]})


def test_called_fails_without_one(result: Any, trace: Any) -> None:
    trace.call("handheld_co2", {"zone": "core"}, {})
    found = result(check="called", tool="handheld_co2", where=LAB)
    assert found.verdict == "fail"
    assert found.reason == "handheld_co2 was called 0 times with `where` true, expected at least 1"


def test_called_has_an_upper_bound(result: Any, trace: Any) -> None:
    trace.call("bed_balance", {}, {}).call("bed_balance", {}, {})
    found = result(check="called", tool="bed_balance", at_most=1)
    assert (found.verdict, found.reason) == ("fail", "bed_balance was called 2 times, expected at most 1")


def test_called_counts_calls_of_the_named_role_only(result: Any, trace: Any) -> None:
    trace.call("calculate", {}, {}, role="power")
    found = result(check="called", tool="calculate", role="life-support")
    assert found.reason == "calculate was called 0 times by life-support, expected at least 1"


def test_called_sees_results_and_errors(result: Any, trace: Any) -> None:
    trace.call("read", {}, {"error": "no such channel"}, error=True).call("read", {}, {"value": 3})
    assert result(check="called", tool="read", where="!error && result.value == 3").data["count"] == 1
    assert result(check="called", tool="read", where="error").data["count"] == 1


def test_a_call_without_an_answer_does_not_match(result: Any, trace: Any) -> None:
    trace.call("command", "not json", None)
    found = result(check="called", tool="command", where=LAB)
    assert found.verdict == "fail"
    assert found.reason == (
        "command was called 0 times with `where` true, expected at least 1 (no answer for 1 calls: "
        "no such overload: the operation is not defined for the given operand types)"
    )


def test_a_call_that_never_returned_is_a_call_with_an_error(result: Any, trace: Any) -> None:
    trace.add("tool_call", "life-support", {"tool": "read", "call_id": "c", "arguments": {}})
    assert result(check="called", tool="read", where="error && result == null").verdict == "pass"


def test_a_consultation_is_a_call_of_its_tool_by_the_asking_role(result: Any, trace: Any) -> None:
    trace.consult("ask_power", "power", "How much is left?", {"status": "nominal"})
    found = result(check="called", tool="ask_power", role="director", where="result.status == 'nominal'")
    assert found.verdict == "pass"


def test_results_are_paired_with_their_calls_when_they_come_back_crossed(result: Any, trace: Any) -> None:
    for name in ("a", "b"):
        trace.add("tool_call", "life-support", {"tool": "read", "call_id": name, "arguments": {"n": name}})
    for name in ("b", "a"):
        trace.add("tool_result", "life-support", {"tool": "read", "call_id": name, "output": name, "error": False})
    assert result(check="called", tool="read", where="args.n == result", at_least=2).verdict == "pass"


def test_a_call_id_used_again_in_a_later_run_keeps_its_own_result(result: Any, trace: Any) -> None:
    for number in (1, 2):
        data = {"tool": "read", "call_id": "same"}
        trace.add("tool_call", "life-support", data | {"arguments": number})
        trace.add("tool_result", "life-support", data | {"output": number, "error": False})
    assert result(check="called", tool="read", where="args == result", at_least=2).verdict == "pass"


def test_forbidden_passes_where_nothing_matches(result: Any, trace: Any) -> None:
    trace.call("command", {"name": "start_bed"}, {})
    assert result(check="forbidden", tool="command", where="args.name == 'vent_zone'").verdict == "pass"
    assert result(check="forbidden", tool="submit_plan").verdict == "pass"


def test_forbidden_fails_on_the_first_match(result: Any, trace: Any) -> None:
    trace.call("command", {"name": "vent_zone"}, {}).call("command", {"name": "vent_zone"}, {})
    found = result(check="forbidden", tool="command", where="args.name == 'vent_zone'")
    assert (found.verdict, found.reason) == ("fail", "command was called by life-support (event 0) and 1 times more")


def test_forbidden_is_ungraded_where_it_cannot_tell(result: Any, trace: Any) -> None:
    trace.call("command", {"nme": "vent_zone"}, {})
    found = result(check="forbidden", tool="command", where="args.name == 'vent_zone'")
    assert (found.verdict, found.reason) == ("ungraded", "cannot tell of command (event 0): there is no key 'name'")


def test_forbidden_fails_on_a_sure_match_beside_an_unsure_one(result: Any, trace: Any) -> None:
    trace.call("command", {}, {}).call("command", {"name": "vent_zone"}, {})
    found = result(check="forbidden", tool="command", where="args.name == 'vent_zone'")
    assert (found.verdict, found.data) == ("fail", {"seqs": [2]})


FIRST_THEN = {"check": "order", "first": {"tool": "fan_check"}, "then": {"tool": "submit", "where": "args.ok"}}


def test_order_passes_in_order(result: Any, trace: Any) -> None:
    trace.call("fan_check", {}, {}).call("submit", {"ok": True}, {})
    assert result(**FIRST_THEN).verdict == "pass"


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ([("submit", {"ok": True}), ("fan_check", {})], "submit (event 0) was called before fan_check (event 2)"),
        ([("submit", {"ok": True})], "fan_check was never called as `first` asks"),
        ([("fan_check", {})], "submit was never called as `then` asks"),
        ([("fan_check", {}), ("submit", {"ok": False})], "submit was never called as `then` asks"),
        (
            [("fan_check", {}), ("submit", {})],
            "submit was never called as `then` asks (no answer for 1 calls: there is no key 'ok')",
        ),
    ],
)  # fmt: skip
def test_order_fails_with_its_reason(result: Any, trace: Any, calls: list[Any], reason: str) -> None:
    for tool, args in calls:
        trace.call(tool, args, {})
    found = result(**FIRST_THEN)
    assert (found.verdict, found.reason) == ("fail", reason)


def test_order_is_ungraded_if_an_early_call_may_have_been_the_second(result: Any, trace: Any) -> None:
    trace.call("submit", {}, {}).call("fan_check", {}, {}).call("submit", {"ok": True}, {})
    found = result(**FIRST_THEN)
    assert (found.verdict, found.reason) == ("ungraded", "cannot tell of submit (event 0): there is no key 'ok'")


def test_the_order_of_calls_matters_to_order_alone(make_case: Any, make_episode: Any, trace: Any) -> None:
    checks = [
        {"check": "called", "tool": "read", "where": "args.n > 1", "at_least": 2},
        {"check": "forbidden", "tool": "read", "where": "args.n > 3"},
        {"check": "budget"},
    ]
    case = make_case(*checks)
    for n in range(4):
        trace.call("read", {"n": n}, {"n": n})
    pairs = [trace.events[i : i + 2] for i in range(0, 8, 2)]
    for seed in range(20):
        random.Random(seed).shuffle(pairs)
        trace.events = [event for pair in pairs for event in pair]
        material = material_of(make_episode("x", trace), case)
        assert [evaluate(check, material).verdict for check in case.expect.checks] == ["pass", "pass", "pass"]


@pytest.mark.parametrize(
    ("check", "line"),
    [
        (
            {"check": "called", "tool": "x", "at_least": 2, "at_most": 1},
            "leak-01: check called: at_most is 1, below at_least, which is 2. "
            "For no call at all, use the check `forbidden`.",
        ),
        (
            {"check": "order", "first": {"tool": "x"}, "then": {"tool": "y", "where": "arg.x"}},
            "leak-01: check order: unknown name 'arg'. Known here: args, error, result, role.",
        ),
    ],
)
def test_a_check_that_can_never_work_is_an_error_when_loaded(make_case: Any, check: Any, line: str) -> None:
    with pytest.raises(UserError) as error:
        validate(make_case(check))
    assert str(error.value) == line
