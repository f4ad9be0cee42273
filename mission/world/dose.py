"""Dose from galactic cosmic rays and solar particle events, in closed form. Times in s, rates in mGy/h, doses in mGy.

Galactic dose at the surface: Hassler 2014, 0.64 mSv and 0.21 to 0.23 mGy a day. A solar event of total dose D has the
rate D/(td - tr) (exp(-t/td) - exp(-t/tr)), rising with tr and decaying with td (design study 2.8).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mission.world.exponential import ExpSum, exp_sum, extremes
from mission.world.units import DAY, HOUR

GCR_MGY_DAY = 0.22
GCR_MSV_DAY = 0.64
PROTON_WEIGHT = 1.5
"""mSv, and gray equivalents, for one mGy of protons: NCRP report 132's factor for blood-forming organs."""
BACKGROUND = GCR_MGY_DAY / (DAY / HOUR)
"""mGy/h outside"""


@dataclass(frozen=True)
class Event:
    """One solar particle event from `t0` on."""

    t0: float
    dose: float
    rise: float
    decay: float

    def received(self, t: float) -> float:
        """mGy outside by `t`."""
        age = max(0.0, t - self.t0)
        slow, fast = self.decay * -math.expm1(-age / self.decay), self.rise * -math.expm1(-age / self.rise)
        return self.dose * (slow - fast) / (self.decay - self.rise)

    def rate(self, t: float) -> float:
        """mGy/h outside at `t`."""
        age = t - self.t0
        if age <= 0.0:
            return 0.0
        return self._scale * (math.exp(-age / self.decay) - math.exp(-age / self.rise))

    @property
    def peak(self) -> float:
        """When the rate is highest, s after `t0`."""
        return self.rise * self.decay / (self.decay - self.rise) * math.log(self.decay / self.rise)

    def terms(self, t: float) -> list[tuple[float, float]]:
        """(rate, slope) terms of the curve of mGy/h over time after `t`, which is not before `t0`."""
        age = t - self.t0
        slow, fast = math.exp(-age / self.decay) / self.decay, math.exp(-age / self.rise) / self.rise
        return [(1.0 / self.decay, -self._scale * slow), (1.0 / self.rise, self._scale * fast)]

    @property
    def _scale(self) -> float:
        return self.dose * HOUR / (self.decay - self.rise)


def rate(events: Sequence[Event], t: float) -> float:
    """mGy/h outside at `t`, background included."""
    return BACKGROUND + sum(event.rate(t) for event in events)


def curve(events: Sequence[Event], t: float) -> ExpSum:
    """mGy/h outside over time after `t`, until another event starts."""
    begun = [event for event in events if event.t0 <= t]
    return exp_sum(rate(begun, t), [term for event in begun for term in event.terms(t)])


def highest(events: Sequence[Event], start: float, end: float) -> float:
    """The highest rate outside in [start, end], mGy/h: found exactly, between the starts of events."""
    cuts = [start, *sorted(event.t0 for event in events if start < event.t0 < end), end]
    return max(extremes(curve(events, a), b - a)[1] for a, b in pairwise(cuts))
