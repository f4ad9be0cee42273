"""The airlock's cycle: pumped down with what is lost of it, and filled again from the core."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from mission.world.air_config import AIRLOCK
from mission.world.units import MINUTE

if TYPE_CHECKING:
    from mission.world.base import Base

EGRESS, INGRESS = 15 * MINUTE, 10 * MINUTE
"""Pump-down with the suit purge (8 min) in it, and repressurising; ours. The suits live on umbilicals meanwhile."""
CYCLE_LOSS = 2.4
"""kg: what is left of 15 m3 when the outer hatch opens (design study 1.4)."""
SUIT_PURGE = 0.295
"""kg of O2 for the purge of one suit: 0.65 lb in 8 min (shuttle flight rules)."""
PUMP = 1000.0
"""W; ours."""


def pump_down(base: Base, t: float) -> None:
    """The pump leaves a rest that is lost: as an opening that passes it in the time of the cycle."""
    mass = sum(track.mass(AIRLOCK, t) for track in base.air.tracks.values())
    lost = min(CYCLE_LOSS, 0.9 * mass)
    flow = -base.scenario.design.airlock_m3 / EGRESS * math.log(1.0 - lost / mass)
    opening = replace(base.air.opening(AIRLOCK, "airlock_cycle", 0.0, t), conductance=flow)
    base.change(t, openings=(*base.air.config.openings, opening))


def shut(base: Base) -> None:
    """The pump stands."""
    base.remove_openings(AIRLOCK, "airlock_cycle")


def repressurise(base: Base) -> None:
    """From the core: bulk flow evens out the lock."""
    if not base.hatch_open("core-airlock"):
        base.set_hatch("core-airlock", opened=True)
        base.set_hatch("core-airlock", opened=False)
