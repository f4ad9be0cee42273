"""What weather and dust do to the hardware of the coolant loops that stands outside: the radiator and the lines."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from mission.world import array, radiator
from mission.world.radiator import Surroundings
from mission.world.storm import KNOT, KNOTS, Outside
from mission.world.storm import knot as knot_at
from mission.world.thermal_section import ThermalSection
from mission.world.units import at_or_after

if TYPE_CHECKING:
    from mission.world.base import Base

UPRIGHT = 0.2
"""How much of the array's dust comes down on the radiator, whose panels stand upright; ours."""


class Exposure:
    """Radiator and lines of one base, under the storms that have begun and the dust that has settled."""

    def __init__(self, section: ThermalSection, base: Base) -> None:
        self.section = section
        self._base = base
        self._bounds: dict[tuple[int, int, int], float] = {}
        """Worked out so far, by knot and by all that can change it."""
        self._days: dict[tuple[int, int, int], float] = {}
        """What is shed at least in a day's knots, likewise."""
        self._brushed: list[tuple[float, float]] = []
        """When the radiator was brushed, and what that brought."""

    @property
    def key(self) -> tuple[int, int]:
        """All that what is to come depends on."""
        return len(self._base.part("weather").outside.storms), len(self._brushed)

    def around(self, t: float) -> Surroundings:
        """What the radiator sees at `t`."""
        return radiator.surroundings(self.section, self._base.part("weather").outside, self.clean(t), t)

    def bound(self, knot: int) -> float:
        """W that the radiator sheds at most in a weather knot, under the storms that had begun by its start."""
        key = (knot, *self.key)
        if key not in self._bounds:
            middle = radiator.middle(knot)
            around = radiator.surroundings(self.section, self._known(knot), self.clean(middle), middle)
            self._bounds[key] = radiator.bound(self.section, around)
        return self._bounds[key]

    def least(self, first: int, last: int) -> float:
        """W that it sheds at least in these knots, found by the day; nothing is known where the sky may change."""
        outside: Outside = self._base.part("weather").outside
        if outside.storms or outside.season.table or outside.season.noise:
            return -math.inf
        return min(self._least_of(day, outside) for day in range(first // KNOTS, last // KNOTS + 1))

    def _least_of(self, day: int, outside: Outside) -> float:
        key = (day, *self.key)
        if key not in self._days:
            start, end = radiator.middle(day * KNOTS), radiator.middle(day * KNOTS + KNOTS - 1)
            clean = min(self.clean(start), self.clean(end))
            self._days[key] = radiator.bound(self.section, radiator.at_worst(self.section, outside, clean, start, end))
        return self._days[key]

    def air(self, knot: int) -> tuple[float, float]:
        """C and K of the day's air around the lines in a knot: mean and half range."""
        return self._known(knot).day(radiator.middle(knot))

    def next_change(self, now: float, limit: float, differs: Callable[[int], bool]) -> float | None:
        """When the first knot after `now` begins that `differs`, if it does so by `limit`."""
        for knot in range(knot_at(now) + 1, knot_at(limit) + 1):
            if differs(knot):
                return max(now, at_or_after(knot * KNOT))
        return None

    def clean(self, t: float) -> float:
        """Share of the radiator without dust: it settles as on the array, but more slowly."""
        gain = math.prod(gain for brushed, gain in self._brushed if brushed <= t)
        kept = self._base.part("solar").light.kept(0.0, t) ** UPRIGHT
        return min(1.0, gain * (1.0 - self.section.radiator_dust) * kept)

    def brush(self, m2: float) -> None:
        """Somebody has taken the dust off so much of the radiator."""
        t = self._base.now()
        clean = self.clean(t)
        self._brushed.append((t, array.brushed(clean, m2 / self.section.radiator_m2) / clean))

    def _known(self, knot: int) -> Outside:
        outside: Outside = self._base.part("weather").outside
        return outside.known(max(0.0, knot * KNOT))
