"""Worlds for the tests of the mission."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mission.world.engine import Scenario, World, load_scenario

SCENARIOS = Path(__file__).parents[2] / "cases" / "scenarios"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "enforces(rule, *names): the experiment on enforced numbers of a flight rule")
    config.addinivalue_line("markers", "promises(rule, *names): the experiment on what a flight rule's numbers say")
    config.addinivalue_line("markers", "conflict(rule, rule): the experiment on two flight rules that pull apart")


@pytest.fixture
def scenario() -> Callable[..., Scenario]:
    """A shipped scenario by name, with top-level fields replaced."""

    def load(name: str, **changes: Any) -> Scenario:
        return Scenario.model_validate(load_scenario(SCENARIOS / f"{name}.yaml").model_dump() | changes)

    return load


@pytest.fixture
def fly(scenario: Callable[..., Scenario]) -> Callable[..., World]:
    """A world of a shipped scenario, at some hour."""

    def start(name: str, hours: float = 0.0, seed: int = 7, **changes: Any) -> World:
        world = World(scenario(name, **changes), seed)
        world.advance(hours * 3600.0)
        return world

    return start


@pytest.fixture(scope="session")
def cards() -> dict[str, Any]:
    """The crew's role cards."""
    from mission.cards import load_cards

    return load_cards((SCENARIOS.parents[1] / "agents").glob("*.md"))


@dataclass
class Staged:
    """A crew on the SDK's scripted models, one for each role."""

    crew: Any
    models: dict[str, Any]

    def run(self, role: str, text: str = "Go.") -> Any:
        """Run one agent with the settings of every trial."""
        import asyncio

        from agents import Runner

        from evals.harness.sdk import run_config

        return asyncio.run(Runner.run(self.crew.agents[role], text, max_turns=16, run_config=run_config()))

    def told(self, role: str) -> list[Any]:
        """The tool outputs that the role's latest request carries, as JSON."""
        items = self.models[role].last_call.input
        return [json.loads(item["output"]) for item in items if item.get("type") == "function_call_output"]


@pytest.fixture
def stage(cards: dict[str, Any]) -> Callable[..., Staged]:
    """Puts a crew on scripts: each role's steps are an output, or a list of (tool, arguments)."""
    from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

    from mission.crew import Seat, build_crew

    def items(role: str, number: int, step: Any) -> Any:
        if not isinstance(step, list):
            if callable(step):
                return ModelStep.respond(step)
            return [assistant_message(step if isinstance(step, str) else json.dumps(step))]
        return [
            function_call(tool, arguments, call_id=f"{role}-{number}-{index}")
            for index, (tool, arguments) in enumerate(step)
        ]

    def build(
        world: World,
        scripts: dict[str, list[Any]],
        effort: str | None = None,
        limits: dict[str, dict[str, float]] | None = None,
    ) -> Staged:
        models = {
            role: ScriptedModel([items(role, number, step) for number, step in enumerate(scripts.get(role, []))])
            for role in cards
        }
        limited = {
            role: card.model_copy(update={"limits": card.limits.model_copy(update=(limits or {}).get(role, {}))})
            for role, card in cards.items()
        }
        return Staged(build_crew(world, limited, {role: Seat(model, effort) for role, model in models.items()}), models)

    return build


@pytest.fixture
def report() -> Callable[..., dict[str, Any]]:
    """A specialist's report, with fields replaced."""

    def make(**fields: Any) -> dict[str, Any]:
        base = {"status": "warning", "findings": [], "forecasts": [], "gaps": [], "recommendation": "Start bed B."}
        return base | fields

    return make


@pytest.fixture
def plan() -> Callable[..., dict[str, Any]]:
    """A plan of (start, command, parameters) and (after, quantity, comparison, value, unit)."""

    def make(*steps: tuple[Any, ...], expected: tuple[tuple[Any, ...], ...] = (), **fields: Any) -> dict[str, Any]:
        base = {
            "headline": "A plan",
            "steps": [
                {
                    "command": command,
                    "parameters": [{"name": name, "value": value} for name, value in parameters.items()],
                    "start_min": start,
                    "abort_if": abort[0] if abort else None,
                }
                for start, command, parameters, *abort in steps
            ],
            "rationale": "Because.",
            "evidence": [],
            "expected": [
                {
                    "quantity": quantity,
                    "comparison": comparison,
                    "value": value,
                    "unit": unit,
                    "after_min": after,
                    "evidence": [],
                }
                for after, quantity, comparison, value, unit in expected
            ],
            "uncertainties": [],
            "approval_covers": "This.",
        }
        return base | fields

    return make
