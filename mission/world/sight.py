"""What the air can come to before a time, bounded all at once, so that most of what is watched need not be asked.

A sum of exponentials lies between its value and what its falling or its rising terms alone make of it: each term is
monotone. The bounds are wide, and what they leave in doubt is looked at exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from mission.world.atmosphere import ZONES, Atmosphere, Config, Triple
from mission.world.exponential import ExpSum
from mission.world.gases import GASES, LUNG_VAPOUR, Gas, inspired_o2, pascal_per_kg
from mission.world.units import MMHG

DOUBT = 1e-9
"""Relative distance to a bound within which nothing is ruled out: far above rounding."""
VAPOUR = LUNG_VAPOUR * MMHG

What = Gas | Literal["total"]
Bounds = tuple[float, float]


class Guard(NamedTuple):
    """One level that was out of reach, of one quantity in one zone."""

    of: Literal["pressure", "pio2", "share"]
    what: What
    zone: int
    level: float
    """With DOUBT taken off: Pa, or of the total pressure."""
    rising: bool


class Sight(NamedTuple):
    """Bounds on [now, limit], Pa by zone, of every gas and of the total pressure, while nothing changes."""

    now: float
    limit: float
    config: Config
    """What drove the air when it was looked at; the bounds hold while it does."""
    bounds: dict[What, list[Bounds]]
    guards: list[Guard]
    """The levels that were asked after and excluded so far."""

    def covers(self, air: Atmosphere, start: float, end: float) -> bool:
        """Whether the bounds hold on all of [start, end]."""
        return self.now <= start and end <= self.limit and self.config is air.config

    def excludes(self, what: What, zone: int, level: float, *, rising: bool) -> bool:
        """Whether a pressure certainly stays below `level` Pa, or above it if not rising."""
        return self._excludes(Guard("pressure", what, zone, _doubted(level, rising), rising))

    def excludes_pio2(self, zone: int, level: float, *, rising: bool) -> bool:
        """The same for inspired oxygen."""
        return self._excludes(Guard("pio2", "o2", zone, _doubted(level, rising), rising))

    def excludes_share(self, zone: int, share: float, *, rising: bool) -> bool:
        """The same for oxygen's share of the total pressure."""
        return self._excludes(Guard("share", "o2", zone, _doubted(share, rising), rising))

    def pio2(self, zone: int) -> Bounds:
        """Bounds of inspired oxygen, which grows with both the total pressure and oxygen."""
        (low, high), (total_low, total_high) = self.bounds["o2"][zone], self.bounds["total"][zone]
        return (
            inspired_o2(total_low, low, VAPOUR) if total_low > VAPOUR else 0.0,
            inspired_o2(total_high, high, VAPOUR) if total_high > VAPOUR else 0.0,
        )

    def _excludes(self, guard: Guard) -> bool:
        if _holds(guard, self.bounds, self.pio2):
            self.guards.append(guard)
            return True
        return False

    def still(self, guards: Sequence[Guard]) -> bool:
        """Whether levels that another sight excluded are out of reach here too."""
        bounds, pio2 = self.bounds, self.pio2
        return all(_holds(guard, bounds, pio2) for guard in guards)


def _doubted(level: float, rising: bool) -> float:
    return level * (1.0 - DOUBT if rising else 1.0 + DOUBT)


def _holds(guard: Guard, bounds: dict[What, list[Bounds]], pio2: Callable[[int], Bounds]) -> bool:
    of, what, zone, level, rising = guard
    low, high = pio2(zone) if of == "pio2" else bounds[what][zone]
    if of == "share":
        total_low, total_high = bounds["total"][zone]
        return high < level * total_low if rising else low > level * total_high
    return high < level if rising else low > level


def look(air: Atmosphere, now: float, limit: float) -> Sight:
    """Bounds of the air on [now, limit]; `now` is not before the last change."""
    bounds: dict[What, list[Bounds]] = {}
    config = air.config
    factors = _factors(config.temperatures, air.volumes)
    for gas in GASES:
        segment = air.tracks[gas].last
        bounds[gas] = _bounded(segment.masses, factors[gas], now - segment.t0, limit - segment.t0)
    by_group: dict[tuple[int, ...], Bounds] = {}
    total: list[Bounds] = []
    for zone in range(len(ZONES)):
        group = air.joined(config, zone)
        if group not in by_group:
            by_group[group] = _total(air, bounds, group)
        total.append(by_group[group])
    bounds["total"] = total
    return Sight(now, limit, config, bounds, [])


@lru_cache(maxsize=256)
def _factors(temperatures: Triple, volumes: Triple) -> dict[Gas, Triple]:
    """Pa for a kg, by gas and zone."""
    found: dict[Gas, Triple] = {}
    for gas in GASES:
        core, lab, airlock = (pascal_per_kg(gas, k, v) for k, v in zip(temperatures, volumes, strict=True))
        found[gas] = core, lab, airlock
    return found


def _total(air: Atmosphere, bounds: dict[What, list[Bounds]], group: tuple[int, ...]) -> Bounds:
    low = high = volume = 0.0
    for zone in group:
        size = air.volumes[zone]
        volume += size
        for gas in GASES:
            least, most = bounds[gas][zone]
            low += size * least
            high += size * most
    return low / volume, high / volume


def _bounded(curves: Sequence[ExpSum], factors: Sequence[float], a: float, b: float) -> list[Bounds]:
    """Bounds of each curve times its factor on [a, b]; zones share their rates."""
    known: tuple[float, ...] | None = None
    before, ahead = list[float](), list[float]()
    found: list[Bounds] = []
    for (start, rates, slopes), factor in zip(curves, factors):  # noqa: B905 (a hot loop)
        if rates is not known and rates != known:
            known = rates
            before, ahead = _weights(rates, a, b)
        value, fall, rise = start, 0.0, 0.0
        if a:
            for slope, passed in zip(slopes, before):  # noqa: B905
                value += slope * passed
        for slope, length in zip(slopes, ahead):  # noqa: B905
            change = slope * length
            if change < 0.0:
                fall += change
            else:
                rise += change
        found.append((factor * (value + fall), factor * (value + rise)))
    return found


def _weights(rates: tuple[float, ...], a: float, b: float) -> tuple[list[float], list[float]]:
    """What a unit slope of each rate makes until `a`, and from `a` to `b`."""
    if a == 0.0:
        return [], [b if rate == 0.0 else -math.expm1(-rate * b) / rate for rate in rates]
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
