"""What the checks of several parts have in common: time and power spent, and the error of a hand instrument."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mission.channel import gauss

if TYPE_CHECKING:
    from mission.world.engine import World


def spend(world: World, check: str, watts: float, duration: float) -> None:
    """Let a check's time pass with its load on the bus."""
    world.base.set_extra_load(f"check_{check}", watts)
    world.advance(world.now + duration)
    world.base.set_extra_load(f"check_{check}", 0.0)


def error(world: World, check: str, what: str, size: float) -> float:
    """One draw of a check's error, keyed by the check and its time."""
    return size * gauss(world.seed, "check", check, what, world.now)
