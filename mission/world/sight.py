"""What the air can come to before a time, bounded all at once, so that most of what is watched need not be asked.

A sum of exponentials lies between its value and what its falling or its rising terms alone make of it: each term is
monotone. The bounds are wide, and what they leave in doubt is looked at exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from mission.world.atmosphere import ZONES, Atmosphere, Config
from mission.world.exponential import ExpSum
from mission.world.gases import GASES, LUNG_VAPOUR, Gas, inspired_o2, pascal_per_kg
from mission.world.units import MMHG

DOUBT = 1e-9
"""Relative distance to a bound within which nothing is ruled out: far above rounding."""
VAPOUR = LUNG_VAPOUR * MMHG

What = Gas | Literal["total"]
Bounds = tuple[float, float]


class Sight(NamedTuple):
    """Bounds on [now, limit], Pa by zone, of every gas and of the total pressure, while nothing changes."""

    now: float
    limit: float
    config: Config
    """What drove the air when it was looked at; the bounds hold while it does."""
    bounds: dict[What, list[Bounds]]

    def covers(self, air: Atmosphere, start: float, end: float) -> bool:
        """Whether the bounds hold on all of [start, end]."""
        return self.now <= start and end <= self.limit and self.config is air.config

    def excludes(self, what: What, zone: int, level: float, *, rising: bool) -> bool:
        """Whether a pressure certainly stays below `level` Pa, or above it if not rising."""
        low, high = self.bounds[what][zone]
        return high < level * (1.0 - DOUBT) if rising else low > level * (1.0 + DOUBT)

    def excludes_pio2(self, zone: int, level: float, *, rising: bool) -> bool:
        """The same for inspired oxygen."""
        low, high = self.pio2(zone)
        return high < level * (1.0 - DOUBT) if rising else low > level * (1.0 + DOUBT)

    def pio2(self, zone: int) -> Bounds:
        """Bounds of inspired oxygen, which grows with both the total pressure and oxygen."""
        (low, high), (total_low, total_high) = self.bounds["o2"][zone], self.bounds["total"][zone]
        return (
            inspired_o2(total_low, low, VAPOUR) if total_low > VAPOUR else 0.0,
            inspired_o2(total_high, high, VAPOUR) if total_high > VAPOUR else 0.0,
        )

    def excludes_share(self, zone: int, share: float, *, rising: bool) -> bool:
        """The same for oxygen's share of the total pressure."""
        (low, high), (total_low, total_high) = self.bounds["o2"][zone], self.bounds["total"][zone]
        if rising:
            return high < share * total_low * (1.0 - DOUBT)
        return low > share * total_high * (1.0 + DOUBT)


def look(air: Atmosphere, now: float, limit: float) -> Sight:
    """Bounds of the air on [now, limit]; `now` is not before the last change."""
    bounds: dict[What, list[Bounds]] = {}
    temperatures, volumes = air.config.temperatures, air.volumes
    for gas in GASES:
        segment = air.tracks[gas].last
        factors = [pascal_per_kg(gas, kelvin, volume) for kelvin, volume in zip(temperatures, volumes, strict=True)]
        bounds[gas] = _bounded(segment.masses, factors, now - segment.t0, limit - segment.t0)
    bounds["total"] = [_total(air, bounds, zone) for zone in range(len(ZONES))]
    return Sight(now, limit, air.config, bounds)


def _total(air: Atmosphere, bounds: dict[What, list[Bounds]], zone: int) -> Bounds:
    low = high = volume = 0.0
    for joined in air.joined(air.config, zone):
        size = air.volumes[joined]
        volume += size
        for gas in GASES:
            least, most = bounds[gas][joined]
            low += size * least
            high += size * most
    return low / volume, high / volume


def _bounded(curves: Sequence[ExpSum], factors: Sequence[float], a: float, b: float) -> list[Bounds]:
    """Bounds of each curve times its factor on [a, b]; zones share their rates."""
    passed: dict[tuple[float, ...], tuple[list[float], list[float]]] = {}
    found: list[Bounds] = []
    for (start, rates, slopes), factor in zip(curves, factors, strict=True):
        known = passed.get(rates)
        if known is None:
            known = passed[rates] = _weights(rates, a, b)
        value, fall, rise = start, 0.0, 0.0
        for slope, before, ahead in zip(slopes, *known):  # noqa: B905 (a hot loop)
            value += slope * before
            change = slope * ahead
            if change < 0.0:
                fall += change
            else:
                rise += change
        found.append((factor * (value + fall), factor * (value + rise)))
    return found


def _weights(rates: tuple[float, ...], a: float, b: float) -> tuple[list[float], list[float]]:
    """What a unit slope of each rate makes until `a`, and from `a` to `b`."""
    before: list[float] = []
    ahead: list[float] = []
    for rate in rates:
        if rate == 0.0:
            before.append(a)
            ahead.append(b - a)
        else:
            left = math.expm1(-rate * a)
            before.append(-left / rate)
            ahead.append(-(1.0 + left) * math.expm1(-rate * (b - a)) / rate)
    return before, ahead
