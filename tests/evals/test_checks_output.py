from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evals.checks import evaluate, material_of, validate
from evals.checks.units import UnitError, convert
from evals.errors import UserError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["quantity", "value", "unit", "evidence", "status", "evidence_id"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
CLAIM = {"check": "claim", "quantity": "hours_left", "unit": "h", "value": 15.6, "rel": 0.1, "grounded": False}


def stated(value: Any, unit: Any = "h", evidence: Any = ("ev-1",), quantity: str = "hours_left") -> dict[str, Any]:
    return {"quantity": quantity, "value": value, "unit": unit, "evidence": list(evidence)}


@pytest.fixture
def result(make_case: Any, make_episode: Any, trace: Any) -> Any:
    """The result of one check on an output and the trace that the test has written."""

    def of(output: Any, changes: Any = None, /, **check: Any) -> Any:
        case = make_case(check, **(changes or {}))
        return evaluate(case.expect.checks[0], material_of(make_episode(output, trace), case))

    return of


# field


@pytest.mark.parametrize(
    ("test", "verdict", "reason"),
    [
        ({"path": "status", "equals": "warning"}, "pass", ""),
        ({"path": "status", "one_of": ["warning", "critical"]}, "pass", ""),
        ({"path": "steps[0].command", "equals": "start_bed"}, "pass", ""),
        ({"path": "steps[-1].args[1]", "equals": 2.0}, "pass", ""),
        ({"path": "steps", "where": "size(value) == 1 && output.ok"}, "pass", ""),
        ({"path": "none", "equals": None}, "pass", ""),
        ({"path": "steps[0]", "equals": {"args": [1, 2], "command": "start_bed"}}, "pass", ""),
        ({"path": "status", "equals": "nominal"}, "fail", 'status is "warning", expected "nominal"'),
        ({"path": "status", "one_of": ["a", "b"]}, "fail", 'status is "warning", expected one of ["a", "b"]'),
        ({"path": "ok", "equals": 1}, "fail", "ok is true, expected 1"),
        ({"path": "steps[1].command", "equals": "x"}, "fail", "the output has no field steps[1].command"),
        ({"path": "status.x", "equals": "x"}, "fail", "the output has no field status.x"),
        ({"path": "status[0]", "equals": "w"}, "fail", "the output has no field status[0]"),
        ({"path": "ok", "where": "!value"}, "fail", "ok is true, for which the condition is false: !value"),
        (
            {"path": "none", "where": "value.x > 1"},
            "fail",
            "none is null, for which the condition has no answer: no such overload: "
            "the operation is not defined for the given operand types",
        ),
    ],
)  # fmt: skip
def test_field(result: Any, test: dict[str, Any], verdict: str, reason: str) -> None:
    output = {"status": "warning", "steps": [{"command": "start_bed", "args": [1, 2]}], "ok": True, "none": None}
    found = result(output, check="field", **test)
    assert (found.verdict, found.reason) == (verdict, reason)


def test_field_of_an_output_that_was_never_given(result: Any) -> None:
    assert result(None, check="field", path="x", equals=1).reason == "life-support gave no final output"
    found = result({"x": 1}, check="field", path="x", equals=1, role="power")
    assert (found.verdict, found.reason) == ("fail", "power gave no final output")


def test_a_path_that_cannot_be_read_is_an_error_when_loaded(make_case: Any) -> None:
    with pytest.raises(UserError) as error:
        validate(make_case({"check": "field", "path": "a..b", "equals": 1}))
    assert (
        str(error.value)
        == "leak-01: check field: path 'a..b' cannot be read. Write it like status or steps[0].command."
    )


def test_a_long_value_is_shown_with_its_length(result: Any) -> None:
    found = result({"x": "a" * 200}, check="field", path="x", equals="b")
    assert found.reason == f'x is "{"a" * 79}... (202 characters), expected "b"'


# claim


@pytest.mark.parametrize(
    ("value", "unit", "verdict", "reason"),
    [
        (15.6, "h", "pass", ""),
        (17.16, "h", "pass", ""),  # exactly at the tolerance
        (1029.6, "min", "pass", ""),
        (0.65, "day", "pass", ""),
        (15.6, "hours", "pass", ""),
        (20, "h", "fail", "hours_left is 20 h, expected 15.6 h within 1.56: off by 4.4"),
        (15.6, "min", "fail", "hours_left is 0.26 h, expected 15.6 h within 1.56: off by 15.34"),
        (15.6, "kPa", "fail", "hours_left is 15.6, but 'kPa' cannot be converted to 'h'"),
        (15.6, "bells", "fail", "hours_left is 15.6, but 'bells' is not a unit"),
        (15.6, None, "fail", "hours_left is 15.6 without a unit"),
        ("15.6", "h", "fail", 'hours_left is "15.6", which is not a finite number'),
        (True, "h", "fail", "hours_left is true, which is not a finite number"),
        (float("nan"), "h", "fail", "hours_left is NaN, which is not a finite number"),
    ],
)
def test_claim(result: Any, value: Any, unit: Any, verdict: str, reason: str) -> None:
    found = result({"forecasts": [stated(value, unit)]}, **CLAIM)
    assert (found.verdict, found.reason) == (verdict, reason)


def test_a_claim_may_stand_anywhere_in_the_output(result: Any) -> None:
    assert result([{"deep": [{"er": stated(15.6)}]}], **CLAIM).verdict == "pass"


def test_a_missing_claim_fails_and_says_what_is_claimed(result: Any) -> None:
    assert result({"status": "nominal"}, **CLAIM).reason == "no claim of hours_left"
    found = result([stated(1, quantity="leak_rate"), stated(1, quantity="hours")], **CLAIM)
    assert (found.verdict, found.reason) == ("fail", 'no claim of hours_left; the output claims ["hours", "leak_rate"]')


def test_two_claims_that_contradict_each_other_fail(result: Any) -> None:
    found = result([stated(15.6), stated(40)], **CLAIM)
    assert (found.verdict, found.data["claims"]) == ("fail", 2)
    assert found.reason == "hours_left is 40 h, expected 15.6 h within 1.56: off by 24.4"


def test_the_wider_tolerance_counts(result: Any) -> None:
    assert result(stated(20), **CLAIM | {"abs": 5}).verdict == "pass"
    assert result(stated(17), **CLAIM | {"abs": 0.1}).verdict == "pass"


def test_a_grounded_claim_cites_what_its_author_received(result: Any, trace: Any) -> None:
    trace.call("read", {}, {"rows": [{"evidence_id": "ev-1", "value": 3}]})
    found = result(stated(15.6), **CLAIM | {"grounded": True})
    assert (found.verdict, found.data) == ("pass", {"claims": 1, "second_hand": []})


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        (["ev-1", "ev-99"], 'the claim of hours_left cites "ev-99", which life-support never received'),
        ([], "the claim of hours_left cites no list of evidence ids"),
        ([1], "the claim of hours_left cites no list of evidence ids"),
    ],
)
def test_a_claim_that_is_not_grounded_fails_by_name(result: Any, trace: Any, evidence: Any, reason: str) -> None:
    trace.call("read", {}, {"evidence_id": "ev-1"})
    found = result(stated(15.6, evidence=evidence), **CLAIM | {"grounded": True})
    assert (found.verdict, found.reason) == ("fail", reason)


def test_evidence_of_another_role_is_not_received(result: Any, trace: Any) -> None:
    trace.call("read", {}, {"evidence_id": "ev-1"}, role="power")
    assert result(stated(15.6), **CLAIM | {"grounded": True}).verdict == "fail"


def test_the_echo_of_an_invented_id_in_an_error_grounds_nothing(result: Any, trace: Any) -> None:
    trace.call("read", {"evidence_id": "ev-1"}, {"error": "no such", "evidence_id": "ev-1"}, error=True)
    assert result(stated(15.6), **CLAIM | {"grounded": True}).verdict == "fail"


def test_the_echo_of_an_invented_id_in_a_receipt_grounds_nothing(result: Any, trace: Any) -> None:
    trace.call("submit", {"evidence": ["ev-1"]}, {"accepted": True, "evidence": ["ev-1"]})
    assert result(stated(15.6), **CLAIM | {"grounded": True}).verdict == "fail"


def test_what_was_read_at_first_hand_stays_so_when_it_is_quoted(result: Any, trace: Any) -> None:
    trace.call("read", {}, {"evidence_id": "ev-1"}).told("life-support", "You said ev-1: explain.")
    assert result(stated(15.6), **CLAIM | {"grounded": True}).data["second_hand"] == []


def test_a_word_of_the_task_is_no_evidence(result: Any) -> None:
    assert result(stated(15.6, evidence=["base"]), **CLAIM | {"grounded": True}).verdict == "fail"


def test_an_id_given_in_the_task_is_received_at_second_hand(result: Any) -> None:
    changes = {"task": "The night shift read 3 kPa, evidence_id: ev-1. Go on."}
    found = result(stated(15.6), changes, **CLAIM | {"grounded": True})
    assert (found.verdict, found.data["second_hand"]) == ("pass", ["ev-1"])


def test_a_report_passes_on_the_ids_that_it_quotes(result: Any, trace: Any) -> None:
    report = {"findings": [{"statement": "low", "evidence": ["ev-1"]}]}
    trace.consult("ask_power", "power", "How low?", report, role="life-support")
    found = result(stated(15.6), **CLAIM | {"grounded": True})
    assert (found.verdict, found.data["second_hand"]) == ("pass", ["ev-1"])


def test_a_question_passes_on_a_known_id_and_makes_none_up(make_case: Any, make_episode: Any, trace: Any) -> None:
    trace.call("read", {}, {"evidence_id": "ev-1"}, role="director")
    trace.consult("ask_power", "power", "Look at ev-1, and at ev-12.", {})
    material = material_of(make_episode("x", trace), make_case())
    assert material.received == {"director": {"ev-1": "first"}, "power": {"ev-1": "second"}}


def test_an_id_with_a_fraction_of_a_second_is_not_the_id_without(make_case: Any, make_episode: Any, trace: Any) -> None:
    for name in ("p@T+06:00:12", "p@T+06:00:12.5"):
        trace.call("read", {}, {"evidence_id": name}, role="director")
    trace.consult("ask_power", "power", "Look at p@T+06:00:12.5.", {})
    trace.consult("ask_risk", "risk", "Look at p@T+06:00:12.", {})
    material = material_of(make_episode("x", trace), make_case())
    assert set(material.received["power"]) == {"p@T+06:00:12.5"}
    assert set(material.received["risk"]) == {"p@T+06:00:12"}


def test_the_claim_of_another_role_is_in_its_own_output(make_case: Any, make_episode: Any, trace: Any) -> None:
    trace.call("read", {}, {"evidence_id": "ev-1"}, role="power")
    case = make_case(CLAIM | {"role": "power", "grounded": True})
    episode = make_episode("x", trace, outputs={"power": stated(15.6)})
    assert evaluate(case.expect.checks[0], material_of(episode, case)).verdict == "pass"


@pytest.mark.parametrize(
    ("changes", "author"),
    [
        ({}, "life-support"),
        ({"scope": "handoff", "role": None, "boundary": {"producer": "power", "consumer": "director"}}, "director"),
        (
            {
                "scope": "handoff",
                "role": None,
                "boundary": {"producer": "power", "consumer": "director"},
                "setup": {"frozen": {"director": {"report": "How low?"}}},
            },
            "power",
        ),
        ({"scope": "tool", "role": None, "call": {"tool": "read", "role": "risk"}}, "risk"),
        ({"scope": "workflow", "role": None}, "coordinator"),
    ],
)
def test_whose_output_a_case_is_about(make_case: Any, make_episode: Any, trace: Any, changes: Any, author: str) -> None:
    trace.answered("power").answered("coordinator")
    assert material_of(make_episode("x", trace), make_case(**changes)).role == author


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"unit": "furlongs per"},
            "leak-01: check claim: 'furlongs per' is not a unit. Write it like h, kg/d or mmHg.",
        ),
        ({"value": 0}, "leak-01: check claim: hours_left has no interval around 0. Give a finite value and `abs`."),
    ],
)
def test_a_claim_that_can_never_be_judged_is_an_error_when_loaded(make_case: Any, changes: Any, line: str) -> None:
    with pytest.raises(UserError) as error:
        validate(make_case(CLAIM | changes))
    assert str(error.value) == line


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    value=st.floats(1e-3, 1e6),
    rel=st.floats(0.001, 0.5),
    inside=st.floats(-0.999, 0.999),
    beyond=st.floats(1.001, 10),
    sign=st.sampled_from([-1, 1]),
    unit=st.sampled_from([("h", 1.0), ("min", 60.0), ("s", 3600.0), ("d", 1 / 24)]),
)
def test_within_tolerance_passes_and_outside_fails_in_any_unit(
    result: Any, value: float, rel: float, inside: float, beyond: float, sign: int, unit: tuple[str, float]
) -> None:
    check = CLAIM | {"value": value, "rel": rel}
    name, factor = unit
    assert result(stated(value * (1 + rel * inside) * factor, name), **check).verdict == "pass"
    assert result(stated(value * (1 + sign * rel * beyond) * factor, name), **check).verdict == "fail"


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(output=JSON)
def test_any_output_gets_a_verdict(result: Any, trace: Any, output: Any) -> None:
    checks = (
        CLAIM | {"quantity": "", "grounded": True},
        {"check": "field", "path": "status[0].value", "equals": 1},
        {"check": "field", "path": "status", "where": "value > 1"},
    )
    for check in checks:
        found = result(output, **check)
        assert found.verdict in ("pass", "fail")
        assert "\n" not in found.reason


# units


@pytest.mark.parametrize(
    ("value", "unit", "to", "expected"),
    [
        (1, "mmHg", "kPa", 0.133322),
        (1, "mm Hg", "kPa", 0.133322),
        (90, "min", "h", 1.5),
        (1, "kg/h", "kg/d", 24),
        (1, "kg h-1", "kg per day", 24),
        (1, "kg·h^-1", "kg/day", 24),
        (50, "%", "fraction", 0.5),
        (20, "°C", "K", 293.15),
        (20, "C", "kelvin", 293.15),
        (1, "sol", "h", 24.65979),
        (1, "kg/sol", "kg/d", 0.973244),
        (1, "m3/h", "L/min", 16.6667),
        (1, "W/m²", "W/m^2", 1),
        (2, "Hours", "min", 120),
        (3, "people", "count", 3),
        (1, "1/h", "1/d", 24),
        (5, "", "1", 5),
        (1, "kWh", "MJ", 3.6),
        (3, "cubits of faith", "cubits of faith", 3),
    ],
)
def test_units_are_read_as_agents_write_them(value: float, unit: str, to: str, expected: float) -> None:
    assert convert(value, unit, to) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    "unit", ["10**10**10", "h**999999999", "kg/", "3 h", "h" * 60, '__import__("os")', "/h", "HH:MM", "NAN", "h\x00"]
)
def test_arithmetic_and_nonsense_are_no_units(unit: str) -> None:
    with pytest.raises(UnitError):
        convert(1, unit, "h")


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=45) | st.text("hkgdm/*^ -1%°", max_size=12))
def test_any_text_converts_or_is_refused(unit: str) -> None:
    try:
        assert isinstance(convert(1, unit, "h"), float | int)
    except UnitError as error:
        assert str(error)
