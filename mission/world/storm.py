"""The outside as a function of time: dust, wind, sight, pressure and air temperature, in clear season and in storms.

Profiles and ranges are those of the design study 2.6, fitted there to Spirit 2009, Jezero 2022 and the global storm of
2018 at Opportunity and Gale. What is drawn is keyed by the scenario's own weather seed and the bin of time it is for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from mission.channel import gauss, uniform
from mission.world import solar, weather
from mission.world.units import HOUR
from mission.world.weather import SOL, Sky

KNOTS = 4
"""Of clear-season noise in a sol."""
KNOT = SOL / KNOTS
"""s between them."""
MEMORY = 3.0
"""Sols over which that noise forgets (design study 2.6)."""
SIGHT = 3.912 * 11.6
"""km of sight at an optical depth of 1: Koschmieder's law over a dust scale height of 11.6 km."""
HAZE = 0.2
"""By how much the morning's haze is thicker and the evening's thinner."""
GUST = 2.5 * math.sqrt(4.0 / math.pi - 1.0)
"""Gusts over the mean: 2.5 standard deviations of a Weibull law with shape 2."""
GUST_CAP = 35.0
"""m/s"""
DEVIL_CHANCE = 0.1
"""Of a dust devil over the mast in an hour between 10 h and 15 h."""
DEVIL_CORES = (20.0, 45.0)
"""m/s"""
WORST_TAU, WORST_COOLING, WORST_RANGE = 8.0, 4.0, 50.0 / 70.0
"""At this optical depth the day's mean is 4 K lower and its range down from 70 to 20 K (Gale 2018)."""
ACTIVE = 0.05
"""Share of its height below which a storm no longer counts as one."""


def knot(t: float) -> int:
    """The knot that `t` is in; one that begins at `t` counts, whatever the rounding of the quotient."""
    index = math.floor(t / KNOT)
    return index + 1 if (index + 1) * KNOT <= t else index - 1 if index * KNOT > t else index


@dataclass(frozen=True)
class Storm:
    """One storm that began at `onset` s. Times are sols after it; `rate` is the logistic's, a sol."""

    onset: float
    kind: Literal["regional", "global"]
    height: float
    rate: float
    middle: float
    peak: float
    decay: float
    wind: float
    """What it makes of the wind at its height."""
    range_km: float = 1500.0
    """How far away its front is at the onset."""

    def activity(self, t: float) -> float:
        """0 before, near 1 at its height. It starts from nothing, so that nothing jumps."""
        sols = (t - self.onset) / SOL
        if sols <= 0.0:
            return 0.0
        first = _logistic(-self.rate * self.middle)
        grown = (_logistic(self.rate * (sols - self.middle)) - first) / (1.0 - first)
        return grown * (math.exp(-(sols - self.peak) / self.decay) if sols > self.peak else 1.0)

    def tau(self, t: float) -> float:
        """Optical depth that it adds."""
        return self.height * self.activity(t)

    def tide(self, t: float) -> float:
        """What it adds to the pressure tide, in tides: the first sign, up by one within a sol of the onset."""
        sols = (t - self.onset) / SOL
        if sols <= 0.0:
            return 0.0
        return min(1.0, sols) * (math.exp(-(sols - self.peak) / self.decay) if sols > self.peak else 1.0)

    def distance(self, t: float) -> float:
        """km to its front: it arrives, in a straight line, when the dust here has grown half way."""
        return max(0.0, self.range_km * (1.0 - (t - self.onset) / SOL / self.middle))

    def fallout(self, t: float) -> float:
        """Sols' worth of extra dust on the array by `t`, in proportion to the dust that comes down after the peak."""
        sols = (t - self.onset) / SOL - self.peak
        return self.decay * -math.expm1(-sols / self.decay) if sols > 0.0 else 0.0


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


@dataclass(frozen=True)
class Season:
    """How the clear season is drawn. `noise` is the standard deviation of its optical depth; `seed` keys the draws."""

    tau: float
    table: bool
    """Optical depth by the season as seen from Viking 1, in place of `tau`."""
    noise: float
    wind: float
    gusty: bool
    """Wind drawn by the hour from a Weibull law with shape 2 and mean `wind`."""
    seed: int
    _knots: list[float] = field(default_factory=list[float], repr=False)

    def noise_at(self, t: float) -> float:
        """First-order autoregressive noise on the knots, straight between them."""
        if self.noise == 0.0:
            return 0.0
        knot = math.floor(t / KNOT)
        share = t / KNOT - knot
        return self.noise * ((1.0 - share) * self._knot(knot) + share * self._knot(knot + 1))

    def _knot(self, index: int) -> float:
        kept = math.exp(-KNOT / SOL / MEMORY)
        while len(self._knots) <= index:
            new = gauss(self.seed, "weather", "tau", len(self._knots))
            self._knots.append(kept * self._knots[-1] + math.sqrt(1.0 - kept * kept) * new if self._knots else new)
        return self._knots[index]

    def mean_wind(self, t: float) -> float:
        """m/s, without storms."""
        if not self.gusty:
            return self.wind
        draw = uniform(self.seed, "weather", "wind", math.floor(t / HOUR))
        return self.wind / math.gamma(1.5) * math.sqrt(-math.log(draw))


def season_tau(ls: float) -> float:
    """Optical depth at Viking 1 by season, 5 degrees of Ls apart and straight between (TM-102299, fig. 3)."""
    rows = solar.rows_of("vl1_tau.csv")
    step = rows[1][0] - rows[0][0]
    index = min(int(ls / step), len(rows) - 2)
    share = ls / step - index
    return rows[index][1] * (1.0 - share) + rows[index + 1][1] * share


@dataclass(frozen=True)
class Outside:
    """All of the weather that is known of at one time: the clear season and the storms that have begun."""

    sky: Sky
    season: Season
    storms: tuple[Storm, ...] = ()

    def clear_tau(self, t: float) -> float:
        """Optical depth without storms; never below 0.1."""
        base = season_tau(weather.solar_longitude(self.sky.ls, t)) if self.season.table else self.season.tau
        return max(0.1, base + self.season.noise_at(t)) if self.season.table or self.season.noise else base

    def tau(self, t: float) -> float:
        """Optical depth of dust."""
        return self.clear_tau(t) + sum(storm.tau(t) for storm in self.storms)

    def tau_rate(self, t: float) -> float:
        """Change of optical depth over the last sol, a sol."""
        start = max(0.0, t - SOL)
        return (self.tau(t) - self.tau(start)) / (t - start) * SOL if t > start else 0.0

    def activity(self, t: float) -> float:
        """How much of a storm there is, 0 to 1."""
        return max((storm.activity(t) for storm in self.storms), default=0.0)

    def wind(self, t: float) -> float:
        """m/s, the hour's mean."""
        scale = max((1.0 + (storm.wind - 1.0) * storm.activity(t) for storm in self.storms), default=1.0)
        return self.season.mean_wind(t) * max(1.0, scale)

    def gust(self, t: float) -> float:
        """m/s, the strongest of the hour; a dust devil's core where one passes."""
        gust = min(GUST_CAP, self.wind(t) * (1.0 + GUST))
        if not self.season.gusty or not 10.0 <= weather.local_time(self.sky, t) < 15.0:
            return gust
        hour = math.floor(t / HOUR)
        if uniform(self.season.seed, "weather", "devil", hour) >= DEVIL_CHANCE:
            return gust
        low, high = DEVIL_CORES
        return max(gust, low + (high - low) * uniform(self.season.seed, "weather", "core", hour))

    def extinction(self, t: float) -> float:
        """1/km along the ground: dust mixed over its scale height, thickest at 6 h and thinnest at 18 h."""
        swing = 1.0 + HAZE * math.cos(2.0 * math.pi * (weather.local_time(self.sky, t) - 6.0) / 24.0)
        return self.tau(t) / 11.6 * swing

    def visibility(self, t: float) -> float:
        """km (Koschmieder)."""
        return 3.912 / self.extinction(t)

    def pressure(self, t: float) -> float:
        """Pa: its daily tide doubles in a storm."""
        mean = weather.season_mean(self.sky, t)
        tides = 1.0 + max((storm.tide(t) for storm in self.storms), default=0.0)
        return mean + tides * (weather.site_pressure(self.sky, t) - mean)

    def day(self, t: float) -> tuple[float, float]:
        """Mean and half range in K of the day's air temperature: dust evens the day out and cools it a little."""
        added = sum(storm.tau(t) for storm in self.storms)
        share = min(1.0, added / (WORST_TAU - min(self.clear_tau(t), WORST_TAU / 2.0))) if added else 0.0
        return self.sky.air_mean - WORST_COOLING * share, self.sky.air_range / 2.0 * (1.0 - WORST_RANGE * share)

    def temperature(self, t: float) -> float:
        """C"""
        mean, half = self.day(t)
        return mean + weather.daily_swing(self.sky, t) * half

    def front(self, t: float, reach: float) -> float:
        """km to the nearest front of a storm that is still active, `reach` if there is none within it."""
        near = [storm.distance(t) for storm in self.storms if storm.tide(t) > ACTIVE]
        return min([reach, *near])

    def known(self, t: float) -> Outside:
        """What could be known at `t`: the storms that had begun by then."""
        return Outside(self.sky, self.season, tuple(storm for storm in self.storms if storm.onset <= t))
