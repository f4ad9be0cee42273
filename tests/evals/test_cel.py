from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.cel import FUNCTIONS, ConditionError, Facts, compile_condition
from evals.errors import UserError

NAMES = ", ".join(sorted(FUNCTIONS))
ARGS = frozenset({"args", "result"})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


def holds(text: str, **values: Any) -> bool:
    return compile_condition(text, frozenset(values), "here").holds(values)


def test_a_condition_holds_or_not() -> None:
    text = "args.channels.exists(c, c.startsWith('makeup'))"
    assert holds(text, args={"channels": ["core.co2", "makeup.n2_flow"]}) is True
    assert holds(text, args={"channels": ["core.co2"]}) is False


def test_whole_and_real_numbers_compare_as_numbers() -> None:
    assert holds("a > 1 && b == 2.0 && b in [1, 2]", a=1.5, b=2)


def test_true_is_not_one() -> None:
    assert holds("a == 1", a=True) is False


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a >", "case x: 'a >' is no CEL condition: mismatched input '<EOF>' at character 4. Correct the condition."),
        ("arg.x == 1", "case x: unknown name 'arg'. Known here: args, result."),
        ("args.all(c, c > 0) && c > 1 && d", "case x: unknown name 'd'. Known here: args, result."),
        ("args.x == 'no(y)' && abs(args.x) > 1", f"case x: unknown function 'abs'. Known here: {NAMES}."),
    ],
)  # fmt: skip
def test_what_can_never_be_evaluated_is_an_error_when_loaded(text: str, line: str) -> None:
    with pytest.raises(UserError) as error:
        compile_condition(text, ARGS, "case x")
    assert str(error.value) == line


@pytest.mark.parametrize(
    ("text", "args", "reason"),
    [
        ("args.x == 1", {}, "there is no key 'x'"),
        ("args[3] == 1", [1], "index out of bounds: 3"),
        ("args > 1", "x", "no such overload: the operation is not defined for the given operand types"),
        ("args / 0 == 1", 1, "division by zero in CEL expression"),
        ("args", 1, "the condition gives int, not true or false"),
        ("args.matches('(')", "x", "function 'matches' error: '(' not a valid regex:"),
        ("args == ''", "\ud800", "conversion Error: Failed to convert Python object of type str to Value"),
    ],
)
def test_no_answer_is_an_error_with_its_reason(text: str, args: Any, reason: str) -> None:
    with pytest.raises(ConditionError) as error:
        compile_condition(text, ARGS, "x").holds({"args": args, "result": None})
    assert error.value.reason == reason


def test_has_asks_for_a_key_without_an_error() -> None:
    assert holds("has(args.x) && args.x == 1", args={}) is False


def test_values_that_json_has_no_word_for() -> None:
    assert holds("a == a", a=math.nan) is False
    assert holds("a > 1e308", a=math.inf) is True
    assert holds("a == null", a=None) is True
    assert holds("a > 9.0e29", a=10**30) is True


@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_every_function_that_is_let_through_exists(function: str) -> None:
    known = {
        "contains": "'ab'.contains('a')", "startsWith": "'ab'.startsWith('a')", "endsWith": "'ab'.endsWith('b')",
        "matches": "'ab'.matches('a')", "duration": "duration('1h') > duration('1s')", "type": "type(1) == int",
        "timestamp": "timestamp('2030-01-01T00:00:00Z') > timestamp('2029-01-01T00:00:00Z')",
        "string": "string(1) == '1'", "bytes": "bytes('a') == b'a'", "uint": "uint(1) == 1u",
        "size": "size('ab') == 2", "dyn": "dyn(true)", "int": "int(1.5) == 1", "double": "double(1) == 1.0",
    }  # fmt: skip
    text = known.get(function, f"timestamp('2030-01-01T00:00:00Z').{function}() >= 0")
    assert holds(text)


def test_facts_convert_only_what_a_condition_names() -> None:
    facts = Facts({"state": {"x": 1}, "log": object()})
    both = frozenset({"state", "log"})
    assert compile_condition("state.x == 1", both, "x").holds(facts)
    assert compile_condition("state.x != 2", both, "x").holds(facts)
    with pytest.raises(ConditionError):
        compile_condition("size(log) == 0", both, "x").holds(facts)


@settings(max_examples=150, deadline=None)
@given(JSON, JSON)
def test_any_json_gives_an_answer_or_a_condition_error(args: Any, result: Any) -> None:
    for text in (
        "args.x > result",
        "args == result",
        "args.exists(a, a == result)",
        "size(args) > 1",
        "args[0] in result",
    ):
        try:
            assert compile_condition(text, ARGS, "x").holds({"args": args, "result": result}) in (True, False)
        except ConditionError as error:
            assert error.reason
