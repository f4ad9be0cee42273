"""Hostile tool calls: any tool with near-valid arguments, and with any JSON at all, by either door."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from hypothesis import strategies as st

from fuzz.outcome import FaultError, guard, legal, refused
from fuzz.table import SCENARIOS, Door, table
from fuzz.values import from_schema, junk, mutated, words
from mission import rules, sensors
from mission.tools import TOOLS
from mission.world.checks import CHECKS


class Call(NamedTuple):
    scenario: str
    door: Door
    tool: str
    arguments: Any


BOMBS = (
    "9**9**9", "9**9**9**9", "2**1e308", "10**-10**10", "1e400", "9" * 390, "9" * 5000, "(" * 199 + "1" + ")" * 199,
    "-" * 399 + "1", "1" + "+1" * 199, "exp(exp(exp(9)))", "max(" * 60 + "1, 1" + ")" * 60, "abs(*[1])",
    "1 if 1 else 2",
    "__import__('os').system('id')", "().__class__", "[i for i in range(9**9)]", "'a' * 10**10", "1j", "0x7f", "1_0",
    "lambda: 1", "f'{1}'", "x := 1", "0/0", "ln(0)", "(-8)**(1/3)", "1 if", "", " ", "\x00", "1\x00", "\ud800", "１+１",
    "1//2", "7 % 3", "~1", "True", "None", "...", "1;2", "#", "\\", "sqrt(-1)", "log10(1, 2)", "max()", "max(1)", "a",
)  # fmt: skip
_ATOMS = (
    "1",
    "2.5",
    "1e9",
    "1e-9",
    "-",
    "+",
    "*",
    "/",
    "**",
    "(",
    ")",
    ",",
    "ln",
    "exp",
    "max",
    "sqrt",
    " ",
    "9",
    ".",
    "e",
)
expressions = st.sampled_from(BOMBS) | st.lists(st.sampled_from(_ATOMS), max_size=14).map("".join) | words
_names = st.sampled_from([*sensors.CATALOGUE])
_queries = st.sampled_from(sorted({group for channel in sensors.CATALOGUE.values() for group in channel.groups}))
_NEAR: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "list_channels": {"query": _queries | _names | words},
    "read_telemetry": {
        "channels": st.lists(_names | words, max_size=26),
        "history_hours": st.sampled_from((0, 0.5, 6, 24, 25, -1, 1e308, "6", None, 1e-9)) | st.floats(0, 24),
    },
    "read_reports": {"source": st.sampled_from(("crew", "orbital", "maintenance")) | words},
    "look_up_rules": {"topic": st.sampled_from([rule.id for rule in rules.RULES]) | words},
    "list_checks": {},
    "run_check": {
        "check": st.sampled_from([*CHECKS]) | words,
        "target": st.sampled_from(sorted({choice for spec in CHECKS.values() for choice in spec.choices})) | words,
    },
    "calculate": {"expression": expressions},
    "list_commands": {},
    "submit_plan": {"plan": junk},
}


@st.composite
def _arguments(draw: st.DrawFn, tool: str) -> Any:
    match draw(st.integers(0, 9)):
        case 0:
            return draw(st.dictionaries(words, junk, max_size=3))
        case 1 | 2:
            return draw(from_schema(table().schemas[tool]))
        case 3 | 4:
            return draw(mutated(st.fixed_dictionaries(_NEAR[tool]), 2))
        case _:
            return draw(st.fixed_dictionaries(_NEAR[tool]))


@st.composite
def calls(draw: st.DrawFn) -> Call:
    tool = draw(st.sampled_from([*TOOLS]))
    door: Door = draw(st.sampled_from(("mcp", "mcp", "sdk")))
    arguments = draw(_arguments(tool))
    if door == "sdk" and draw(st.integers(0, 5)) == 0:
        text = json.dumps(arguments)
        arguments = draw(words | st.just(text[: draw(st.integers(0, len(text)))]) | st.just(f"{text}{text}"))
    return Call(draw(st.sampled_from(SCENARIOS)), door, tool, arguments)


def drive(call: Call) -> str:
    """Make the call. Only a check that was made may change the world."""
    if call.door == "mcp" and not isinstance(call.arguments, dict):
        return "refused: no arguments that a client can send"
    with guard():
        world = table().reset(call.scenario)
        before, at = world.digest(), world.now
        answered, text = table().call(call.tool, call.arguments, call.door)
        if not answered:
            told = refused(text, repr(call.arguments))
        changed = world.digest() != before or world.now != at
    if changed and not (answered and call.tool == "run_check"):
        raise FaultError("it changed the world")
    if not answered:
        return f"{call.tool} {told}"
    legal(json.loads(text))
    return f"{call.tool} accepted"
