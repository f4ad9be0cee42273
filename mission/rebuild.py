"""A world that was flown before, rebuilt from what is on record of it: scenario, seed, and the orders in its log.

For evaluators. A world is rebuilt to be judged, so one that is not the recorded one is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mission.world import report
from mission.world.engine import Scenario, World
from mission.world.objective import LONGEST_H
from mission.world.units import HOUR

__all__ = ["given", "rebuild"]

Json = Mapping[str, Any]


def given(log: Sequence[Json]) -> list[dict[str, Any]]:
    """The commands and checks of a log, refused commands too, as `World.commands` has them.

    A check is logged when it is done, and was begun at its `started_s`. Raises KeyError for an entry that lacks
    something.
    """
    orders: list[dict[str, Any]] = []
    for event in log:
        if event["kind"] == "command":
            orders.append(_order(event, event["t"], event["command"]) | {"by": event["by"]})
        elif event["kind"] == "check":
            orders.append(_order(event, event["started_s"], event["check"]))
    return orders


def _order(event: Json, t: float, name: str) -> dict[str, Any]:
    return {"t": t, "kind": event["kind"], "name": name, "parameters": dict(event["parameters"])}


def rebuild(scenario: Scenario, state: Json, log: Sequence[Json], digest: str) -> World:
    """The world whose end state, log and digest these are. Raises ValueError that says why there is none."""
    if report.digest(state, log) != digest:
        raise ValueError("its state and log are not those of its digest: the record was altered")
    try:
        world = World.rebuild(scenario, int(state["seed"]), given(log), _end(state))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"its log cannot be flown in scenario {scenario.id} ({error})") from error
    if world.digest() != digest:
        raise ValueError(
            f"rebuilt from its log it is another world: the scenario {scenario.id} or the simulator has changed since, "
            "or the log was altered"
        )
    return world


def _end(state: Json) -> float:
    until = float(state["t_s"])
    if not 0.0 <= until <= LONGEST_H * HOUR:
        raise ValueError(f"no world ends at {until:g} s")
    return until
