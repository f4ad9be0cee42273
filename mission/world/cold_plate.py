"""The avionics' cold plate: 0.8 kW into a mass that a coolant loop cools, or the cabin's air alone. Numbers ours,
chosen so that without flow it warns after 2 h (design study, I10)."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace

from mission.world.units import HOUR

WARM = 40.0
"""C at which it warns."""
FLOWING_C, FLOWING_TAU = 14.0, 0.64 * HOUR
"""Ten degrees above the supply: 0.8 kW over 80 W/K."""
STAGNANT_C, STAGNANT_TAU = 62.0, 2.56 * HOUR
"""Forty degrees above the cabin: 0.8 kW over 20 W/K, with 184 kJ/K."""


@dataclass(frozen=True, slots=True)
class Stretch:
    t0: float
    start: float
    flowing: bool
    loop: str

    def __call__(self, t: float) -> float:
        end, tau = (FLOWING_C, FLOWING_TAU) if self.flowing else (STAGNANT_C, STAGNANT_TAU)
        return end + (self.start - end) * math.exp(-(t - self.t0) / tau)


class ColdPlate:
    def __init__(self) -> None:
        self.warned = False
        self._stretches = [Stretch(0.0, FLOWING_C, True, "a")]

    @property
    def loop(self) -> str:
        return self._stretches[-1].loop

    def temperature(self, t: float) -> float:
        """C"""
        at = bisect_right(self._stretches, t, key=lambda stretch: stretch.t0) - 1
        return self._stretches[max(at, 0)](t)

    def change(self, t: float, *, flowing: bool, loop: str | None = None) -> None:
        last = self._stretches[-1]
        new = replace(last, t0=t, start=last(t), flowing=flowing, loop=loop or last.loop)
        if (new.flowing, new.loop) == (last.flowing, last.loop):
            return
        self.warned = self.warned and not flowing
        if last.t0 == t:
            self._stretches[-1] = new
            return
        self._stretches.append(new)

    def warm_at(self) -> float | None:
        """When it warns, if it goes on as it does."""
        last = self._stretches[-1]
        if last.flowing or last.start >= WARM:
            return None
        return last.t0 + STAGNANT_TAU * math.log((STAGNANT_C - last.start) / (STAGNANT_C - WARM))
