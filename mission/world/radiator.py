"""The radiator: what it sheds at a temperature under the sky there is, and at which temperature it sheds a heat.

    q = eps sigma (Tr^4 - Tsky^4) + h (Tr - Tair) - alpha sun (1 + dust / 0.11)

(design study 1.6 and 2.4). Its bound is taken at the middle of each weather knot, a quarter of a sol, and is constant
between two of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mission.world import solar, weather
from mission.world.storm import KNOT, Outside
from mission.world.thermal_section import ThermalSection
from mission.world.units import ZERO_C

SIGMA = 5.670374419e-8
"""W/(m2 K4), CODATA 2018."""
EMISSIVITY, CONVECTION = 0.9, 1.0
"""The latter in W/(m2 K)."""
HOTTEST = 290.0
"""K: 377 W/m2 under a sky of 180 K and air of 220 K, without sun."""
DUST_DOUBLES = 0.11
"""Share of dust that doubles the absorptance."""
CLEAR_TAU, DUSTY_SKY = 0.5, 210.0
"""Optical depth at which the sky is as cold as the scenario says; K that a thick one tends to (range 150 to 210)."""
DUST_DEPTH = 2.0
"""Visible optical depth for one of the infrared, ours."""

SLACK = 1e-3
"""By which a sol's noon may be brighter than at its ends."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the radiator sees: K of sky and air, W/m2 of sun on a level surface, its share covered by dust."""

    sky: float
    air: float
    sun: float = 0.0
    dust: float = 0.0


def sky_kelvin(clear: float, tau: float) -> float:
    """K of the sky: dust radiates towards the ground, the more the thicker it is (form ours)."""
    share = -math.expm1(-max(0.0, tau - CLEAR_TAU) / DUST_DEPTH)
    return float((clear**4 + max(0.0, DUSTY_SKY**4 - clear**4) * share) ** 0.25)


def surroundings(section: ThermalSection, outside: Outside, clean: float, t: float) -> Surroundings:
    """What it sees at `t`, with a share of it `clean` of dust."""
    tau, ls = outside.tau(t), weather.solar_longitude(outside.sky.ls, t)
    hour, (mean, half) = weather.local_time(outside.sky, t), outside.day(t)
    return Surroundings(
        sky_kelvin(section.sky_k, tau),
        mean + weather.swing(hour) * half + ZERO_C,
        solar.irradiance(solar.zenith_cosine(outside.sky.latitude, ls, hour), ls, tau),
        1.0 - clean,
    )


def at_worst(section: ThermalSection, outside: Outside, clean: float, start: float, end: float) -> Surroundings:
    """Nothing better than what it sees at any time from `start` to `end` s of one sol, under a sky that stays."""
    tau, (mean, half) = outside.tau(start), outside.day(start)
    seasons = [weather.solar_longitude(outside.sky.ls, t) for t in (start, end)]
    noon = max(solar.zenith_cosine(outside.sky.latitude, ls, 12.0) for ls in seasons)
    sun = max(solar.irradiance(min(1.0, noon + SLACK), ls, tau) for ls in seasons)
    return Surroundings(sky_kelvin(section.sky_k, tau), mean + half + ZERO_C, sun * (1.0 + SLACK), 1.0 - clean)


def shed(section: ThermalSection, around: Surroundings, kelvin: float) -> float:
    """W that a radiator at `kelvin` gives off; negative if it takes heat in."""
    radiated = EMISSIVITY * SIGMA * (kelvin**4 - around.sky**4)
    sun = section.absorptance * around.sun * (1.0 + around.dust / DUST_DOUBLES)
    return section.radiator_m2 * (radiated + CONVECTION * (kelvin - around.air) - sun)


def bound(section: ThermalSection, around: Surroundings) -> float:
    """W that it sheds at most."""
    return max(0.0, shed(section, around, HOTTEST))


def temperature(section: ThermalSection, around: Surroundings, heat: float) -> float:
    """K at which it sheds `heat` W, HOTTEST at most: Newton's method, from above, on a balance that bends upwards."""
    kelvin = HOTTEST
    for _ in range(30):
        slope = section.radiator_m2 * (4.0 * EMISSIVITY * SIGMA * kelvin**3 + CONVECTION)
        step = (shed(section, around, kelvin) - heat) / slope
        kelvin -= step
        if abs(step) < 1e-9:
            break
    return min(kelvin, HOTTEST)


def middle(index: int) -> float:
    """s at the middle of a knot."""
    return (index + 0.5) * KNOT
