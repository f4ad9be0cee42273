"""A power over time that is straight between knots: its integral, crossings and reach in closed form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from mission.world.units import DAY

KNOT = 150.0
"""s between knots: at half of it no event of the reference base moves by half a second."""
PER_DAY = round(DAY / KNOT)


@dataclass(frozen=True, slots=True)
class _Page:
    """One day of knots, and the integral from the day's start to each."""

    power: list[float]
    energy: list[float]
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Curve:
    """W at every `KNOT` from time 0, straight between them; `knots(day)` gives the values of a day, its end included.

    Days are worked out when first asked for; that they are kept changes nothing. Two curves are equal if identical.
    """

    knots: Callable[[int], list[float]]
    _pages: dict[int, _Page] = field(default_factory=dict[int, _Page], repr=False)

    def power(self, t: float) -> float:
        """W at `t`."""
        page, cell, after = self._place(t)
        low, high = page.power[cell], page.power[cell + 1]
        return low + (high - low) * after / KNOT

    def energy(self, a: float, b: float) -> float:
        """J from `a` to `b`."""
        first, last = math.floor(a / DAY), math.floor(b / DAY)
        whole = sum(self._page(day).energy[-1] for day in range(first, last))
        return whole + self._since_midnight(b) - self._since_midnight(a)

    def crossing(self, now: float, level: float, horizon: float) -> float | None:
        """The first time after `now`, up to `horizon`, at which the power goes to the other side of `level` W."""
        side = self._side(now, level, horizon)
        if side == 0.0:
            return None
        start = now
        while start < horizon:
            day = math.floor(start / DAY)
            page, end = self._page(day), min(horizon, (day + 1) * DAY)
            if (page.low if side > 0.0 else page.high) * side < level * side:
                for t, length, low, high in self._cells(start, end):
                    if (high - level) * side < 0.0:
                        return max(t, t + length * (level - low) / (high - low))
            start = end
        return None

    def reach(self, now: float, offset: float, target: float, horizon: float) -> float | None:
        """When the integral from `now` of power + `offset` first gets to `target` J, if it does so by `horizon`.

        The sum of power and offset must keep one sign, that of `target`.
        """
        left = target
        for t, length, low, high in self._cells(now, horizon):
            got = (0.5 * (low + high) + offset) * length
            if abs(got) >= abs(left):
                return t + _solve(low + offset, (high - low) / length, left, length)
            left -= got
        return None

    def _side(self, now: float, level: float, horizon: float) -> float:
        """On which side of the level the power is after `now`: 1, -1, or 0 if it stays on it."""
        if (gap := self.power(now) - level) != 0.0:
            return math.copysign(1.0, gap)
        for _, _, _, high in self._cells(now, horizon):
            if high != level:
                return math.copysign(1.0, high - level)
        return 0.0

    def _cells(self, now: float, horizon: float) -> Iterator[tuple[float, float, float, float]]:
        """(start, length, power at its start, at its end) of the cells from `now` on, the first one cut at `now`."""
        t, index = now, math.floor(now / KNOT)
        low = self.power(now)
        while t < horizon:
            day, cell = divmod(index, PER_DAY)
            high = self._page(day).power[cell + 1]
            end = (index + 1) * KNOT
            yield t, end - t, low, high
            t, low, index = end, high, index + 1

    def _since_midnight(self, t: float) -> float:
        page, cell, after = self._place(t)
        low, high = page.power[cell], page.power[cell + 1]
        return page.energy[cell] + (low + 0.5 * (high - low) * after / KNOT) * after

    def _place(self, t: float) -> tuple[_Page, int, float]:
        day, cell = divmod(math.floor(t / KNOT), PER_DAY)
        return self._page(day), cell, t - (day * PER_DAY + cell) * KNOT

    def _page(self, day: int) -> _Page:
        if day not in self._pages:
            power, energy = self.knots(day), [0.0]
            for low, high in pairwise(power):
                energy.append(energy[-1] + 0.5 * (low + high) * KNOT)
            self._pages[day] = _Page(power, energy, min(power), max(power))
        return self._pages[day]


def _solve(start: float, slope: float, target: float, length: float) -> float:
    """The time in [0, length] at which start t + slope t^2 / 2 = target; the form that loses no digits."""
    root = math.sqrt(max(0.0, start * start + 2.0 * slope * target))
    divisor = start + math.copysign(root, target)
    return min(max(2.0 * target / divisor, 0.0), length) if divisor != 0.0 else length
