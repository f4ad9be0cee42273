"""What the outside is like for people and rovers in it, whichever part of the base knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mission.world.base import Base


def _truth(base: Base, channel: str, t: float) -> float:
    from mission.world.telemetry import TRUTHS  # It is made of the parts: it can only be asked once they are there.

    return TRUTHS[channel](base, t)


def dust(base: Base, t: float) -> float:
    """Optical depth."""
    return _truth(base, "site.tau", t)


def wind(base: Base, t: float) -> float:
    """m/s"""
    return _truth(base, "site.wind", t)


def daylight(base: Base, t: float) -> float:
    """Hours until sunset; 0 at night."""
    return _truth(base, "site.daylight_left", t)


def dark(base: Base, t: float) -> bool:
    """The sun is down."""
    return daylight(base, t) <= 0.0


def growth(base: Base, t: float) -> float:
    """Rise of the optical depth over the last sol, a sol."""
    return base.part("weather").outside.tau_rate(t)


def particle_alert(base: Base, t: float) -> bool:
    """A solar particle alert is active, as far as the base has a part that knows."""
    radiation = base.parts.get("radiation")
    return radiation is not None and bool(base.part("radiation").alert_active(t))
