"""Worlds to measure in: the reference base with what a check changes, and a zone of it as a test chamber."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mission.world.engine import CommandResult, Scenario, World
from mission.world.units import HOUR

PSI = 6.894757
"""kPa"""
SEA_LEVEL = 14.7 * PSI
POUND = 0.45359237
INCH = 25.4
"""mm"""
AWAKE = {"start_h": 23.0, "length_h": 0.001}
"""Four seconds of sleep, the least that a scenario takes."""


def crew(core: int, lab: int = 0, **person: Any) -> list[dict[str, Any]]:
    """So many people in each zone, all alike."""
    zones = ["core"] * core + ["lab"] * lab
    return [{"id": f"CM{number}", "zone": zone} | person for number, zone in enumerate(zones, 1)]


def flown(hours: float = 0.0, **changes: Any) -> World:
    """The reference base with six people and top-level fields of its scenario replaced, after some hours."""
    base = {"id": "published", "title": "A published check", "crew": crew(3, 3)}
    world = World(Scenario.model_validate(base | changes), 0)
    world.advance(hours * HOUR)
    return world


def chamber(volume_m3: float, *, people: int = 0, **changes: Any) -> World:
    """The core as a closed chamber at sea level, 70 F, with clean and dry air; one person waits in the lab.

    No make-up, no removal, no oxygen generator; nobody sleeps. `design` and `zones` are joined with the chamber's.
    """
    design = {"core_m3": volume_m3} | changes.pop("design", {})
    air = {"pressure_kpa": SEA_LEVEL, "ppo2_kpa": 21.3, "ppco2_mmhg": 0.0, "humidity_percent": 0.0}
    core = air | {"temperature_c": 21.11} | changes.pop("core", {})
    still: dict[str, Any] = {
        "crew": crew(people, 1),
        "core_lab_open": False,
        "beds": {"A": {"running": False}, "B": {"running": False}},
        "makeup": "off",
        "oga_kg_per_day": 0.0,
        "sleep": AWAKE,
        "design": design,
        "zones": {"core": core},
    }
    return flown(**(still | changes))


def accept(result: CommandResult) -> None:
    """Raises ValueError for an order that was refused."""
    if not result.accepted:
        raise ValueError(f"{result.command} was refused: {result.reason}")


def first(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The time in [low, high] s from which on something holds, by halving; it must hold at `high`."""
    if not holds(high):
        raise ValueError(f"what is looked for does not hold at {high:g} s")
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
