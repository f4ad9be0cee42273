"""Worlds for the tests of the mission."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mission.world.engine import Scenario, World, load_scenario

SCENARIOS = Path(__file__).parents[2] / "cases" / "scenarios"


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
