"""What work of several parts has in common: time and power spent, the error of a hand instrument, a brush."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mission.channel import gauss

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

BRUSH = 25.0
"""m2 that one person in a suit brushes in an hour, ours: two take six hours over the array, one over the radiator."""


def spend(world: World, check: str, watts: float, duration: float) -> None:
    """Let a check's time pass with its load on the bus."""
    world.base.set_extra_load(f"check_{check}", watts)
    world.advance(world.now + duration)
    world.base.set_extra_load(f"check_{check}", 0.0)


def error(world: World, check: str, what: str, size: float) -> float:
    """One draw of a check's error, keyed by the check and its time."""
    return size * gauss(world.seed, "check", check, what, world.now)


def brush(base: Base, task: str, person_hours: float) -> None:
    """What work at the array or the radiator has done: so much of it is free of most of its dust."""
    part = {"solar_array": "solar", "radiator": "thermal"}.get(task)
    if part is not None and person_hours > 0.0:
        base.part(part).brush(BRUSH * person_hours)
        base.log(base.now(), "brushed", what=task, m2=BRUSH * person_hours)
