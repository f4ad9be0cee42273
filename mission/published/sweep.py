"""Every shipped scenario flown: by nobody, and by a plan that tries each of its levers, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal

from mission.flight import act, called, ends
from mission.oracle.space import levers
from mission.system import read_scenarios
from mission.workspace import root
from mission.world.engine import Scenario, World
from mission.world.objective import Step
from mission.world.units import HOUR, MINUTE, nearest

Flyer = Literal["nobody", "levers"]
FLYERS: tuple[Flyer, ...] = ("nobody", "levers")
DAY_LONG = 24 * HOUR
"""Flown at least, and after the crew's call at most: a storm's trial of days adds nothing but time."""
BETWEEN = 20 * MINUTE
"""Between two levers; at most: a short trial has them closer."""


@cache
def scenarios() -> dict[str, Scenario]:
    """All that are shipped, by name."""
    return {scenario.id: scenario for scenario in read_scenarios(root())}


def end(scenario: Scenario) -> float:
    """Until when a scenario is flown here, s."""
    return max(DAY_LONG, min(ends(scenario), called(scenario) + DAY_LONG))


def plan(scenario: Scenario, flyer: Flyer) -> list[tuple[float, Step]]:
    """What is done when; every lever of the scenario's file in its order, or nothing."""
    if flyer == "nobody":
        return []
    steps = levers(scenario)
    apart = min(BETWEEN, (ends(scenario) - called(scenario)) / (len(steps) + 1))
    return [(nearest(called(scenario) + number * apart), step) for number, step in enumerate(steps)]


def _pass_by(world: World) -> None: ...


def fly(
    scenario: Scenario, flyer: Flyer, stops: Sequence[float] = (), visit: Callable[[World], None] = _pass_by
) -> World:
    """A world flown to its end. `visit(world)` is called at every stop that no check has overtaken."""
    world = World(scenario, 0)
    acts: list[tuple[float, Step | None]] = [*plan(scenario, flyer), *((nearest(stop), None) for stop in stops)]
    for t, step in sorted(acts, key=lambda one: (one[0], one[1] is None)):
        if t > world.now:
            world.advance(t)
        if step is not None:
            act(world, step)
        elif t == world.now:
            visit(world)
    world.advance(max(end(scenario), world.now))
    return world
