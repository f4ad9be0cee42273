"""A second system, small enough to read at once: it shows that the instrument knows nothing of Mars."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest
from hypothesis import settings
from pydantic import BaseModel

from evals.case import Case
from evals.contract import digest
from evals.episode import Knowledge
from evals.harness.sdk import prepare
from evals.system import Binding, Observation, Role, Team

prepare()
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

from agents import Agent, ModelSettings, RunContextWrapper, function_tool  # noqa: E402
from openai.types.shared import Reasoning  # noqa: E402


class Answer(BaseModel):
    verdict: str
    quantity: str = "temperature"
    value: float = 0.0
    unit: str = "degC"
    evidence: list[str] = []


@dataclass
class Kettle:
    """A kettle: its temperature is what it was set to."""

    temperature: float = 20.0
    time: float = 0.0
    events: list[Any] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    def observe(self) -> Observation:
        state = {"temperature": self.temperature}
        return Observation(state, list(self.events), digest([state, self.events]))

    def knowledge(self) -> Knowledge:
        return Knowledge(retrievable={"gauges": ["temperature"]}, evaluator_only={"truth": self.temperature})


@dataclass
class CoolingKettle(Kettle):
    """A kettle that goes on while one thinks: it loses a degree a minute, till `end`."""

    end: float = float("inf")

    def think(self, seconds: float) -> float:
        passed = min(seconds, self.end - self.time)
        self.time += passed
        self.temperature -= passed / 60
        return passed


class KettleSystem:
    """A boss who asks a reader of gauges; `opened` counts worlds."""

    name = "kettle"

    def __init__(self, world: type[Kettle] = Kettle) -> None:
        self.world = world
        self.opened: list[Kettle] = []

    def roles(self) -> dict[str, Role]:
        def role(name: str, kind: str, tools: list[str], consults: list[str]) -> Role:
            return Role(
                name=name,
                kind=kind,
                tools=tools,
                consults=consults,
                output="Answer",
                turns=6,
                tool_calls=6,
                seconds=10,
                default_model="pilot/none",
                digest=digest(name),
            )

        return {
            "boss": role("boss", "coordinator", ["heat", "ask_reader"], ["reader"]),
            "reader": role("reader", "specialist", ["read_gauge"], []),
        }

    def open(self, setup: dict[str, Any]) -> Kettle:
        world = self.world(**setup)
        self.opened.append(world)
        return world

    def team(self, world: Kettle, bindings: dict[str, Binding]) -> Team:
        @function_tool(failure_error_function=lambda _context, error: json.dumps({"error": str(error)}))
        async def read_gauge(context: RunContextWrapper[Any], name: str) -> str:
            """Read a gauge."""
            if name != "temperature":
                raise ValueError(f"no gauge {name!r}; there is temperature")
            return json.dumps({"evidence_id": f"g@{world.time:g}", "value": world.temperature, "unit": "degC"})

        @function_tool
        async def heat(context: RunContextWrapper[Any], target: float) -> str:
            """Heat the kettle."""
            world.temperature, world.time = target, world.time + 60
            world.events.append({"t": world.time, "heat": target})
            return json.dumps({"done": True})

        def settings(role: str) -> ModelSettings:
            effort = bindings[role].ref.effort
            return ModelSettings(reasoning=Reasoning(effort=effort) if effort else None)

        reader = Agent(
            name="reader",
            instructions="Read gauges.",
            model=bindings["reader"].model,
            model_settings=settings("reader"),
            tools=[read_gauge],
            output_type=Answer,
        )

        async def as_json(result: Any) -> str:
            return result.final_output.model_dump_json()

        ask = reader.as_tool("ask_reader", "Ask the reader.", custom_output_extractor=as_json)
        boss = Agent(
            name="boss",
            instructions="Decide.",
            model=bindings["boss"].model,
            model_settings=settings("boss"),
            tools=[heat, ask],
            output_type=Answer,
        )
        return Team(agents={"boss": boss, "reader": reader}, coordinator="boss", consult_tools={"ask_reader": "reader"})

    def pilot(self, name: str, role: str) -> Any:
        raise KeyError(name)

    def pilots(self) -> list[str]:
        return []


@pytest.fixture
def kettle() -> KettleSystem:
    return KettleSystem()


@pytest.fixture
def cooling() -> KettleSystem:
    """The kettle in a world that can go on while one thinks."""
    return KettleSystem(CoolingKettle)


@pytest.fixture
def kettle_case():
    """Builds a case of the kettle; keyword arguments replace its fields."""

    def build(**fields: Any) -> Case:
        base: dict[str, Any] = {
            "id": "kettle-01",
            "system": "kettle",
            "scope": "agent",
            "role": "reader",
            "task": "How hot is the kettle?",
            "expect": {
                "checks": [{"check": "called", "tool": "read_gauge"}],
                "must_pass": {"reference": "references/kettle-01.yaml"},
                "must_fail": [{"because": "guesses", "on": ["called"], "response": {"verdict": "hot"}}],
            },
            "budget": {"turns": 6, "tool_calls": 6, "seconds": 10},
            "tags": {"mechanism": "plain", "expects": "report", "difficulty": "easy"},
            "provenance": {
                "source": "authored",
                "basis": "test",
                "review": "development",
                "reviewed": date(2026, 1, 1),
            },
        }
        return Case.model_validate(base | fields)

    return build
