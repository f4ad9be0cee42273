"""Sunlight on the ground: Appelbaum and Flood's geometry with the published net-flux tables.

Sources: Appelbaum and Flood, NASA TM-102299 (1989); Appelbaum, Landis and Sherman, NASA TM-103623 (1991), table III as
updated in 1991, for albedos 0.1 and 0.4. Beyond the tables, at optical depths above 6, ln f is carried on with its last
slope (-0.233 a unit with the sun overhead): an extrapolation, no published value.
"""

from __future__ import annotations

import csv
import math
from bisect import bisect_right
from functools import cache
from importlib import resources

from mission.world.weather import ECCENTRICITY, OBLIQUITY, SOL, SOLAR_PERIHELION

MEAN_BEAM = 590.0
"""W/m2 at the mean distance (TM-102299)."""
ALBEDOS = (0.1, 0.4)
TABLE_END = 6.0
STEP = 5.0
"""Degrees between the tables' zenith angles, 0 to 85."""
MISPRINT = (2.1, 55.0, 0.398)
"""The albedo-0.1 table prints .339 at tau 2.1 and 55 degrees; its neighbours imply this value."""

Table = tuple[tuple[float, ...], tuple[tuple[float, ...], ...]]
"""Optical depths, and f by depth and zenith angle."""


@cache
def net_flux_table(albedo: float) -> Table:
    """The table for one of ALBEDOS, its misprint repaired."""
    rows = rows_of(f"net_flux_albedo_{round(10 * albedo):02d}.csv")
    taus, table = [row[0] for row in rows], [list(row[1:]) for row in rows]
    if albedo == ALBEDOS[0]:
        tau, zenith, value = MISPRINT
        table[taus.index(tau)][round(zenith / STEP)] = value
    return tuple(taus), tuple(map(tuple, table))


@cache
def rows_of(name: str) -> tuple[tuple[float, ...], ...]:
    """The numbers of a table among the package's data, without its heading."""
    text = resources.files("mission.world").joinpath("data", name).read_text(encoding="utf-8")
    return tuple(tuple(map(float, row)) for row in list(csv.reader(text.splitlines()))[1:])


def _between(table: Table, zenith: float, tau: float) -> float:
    """f inside a table, bilinear; depths below 0.1 and angles beyond 85 degrees take the value at the edge."""
    taus, values = table
    row = min(max(bisect_right(taus, tau) - 1, 0), len(taus) - 2)
    up = min(max((tau - taus[row]) / (taus[row + 1] - taus[row]), 0.0), 1.0)
    low, high = values[row], values[row + 1]
    column = min(int(zenith / STEP), len(low) - 2)
    right = min(zenith / STEP - column, 1.0)
    near = low[column] + (low[column + 1] - low[column]) * right
    far = high[column] + (high[column + 1] - high[column]) * right
    return near + (far - near) * up


def _normalised(table: Table, zenith: float, tau: float) -> float:
    if tau <= TABLE_END:
        return _between(table, zenith, tau)
    five, six = _between(table, zenith, TABLE_END - 1.0), _between(table, zenith, TABLE_END)
    return six * math.exp((tau - TABLE_END) * math.log(six / five))


def extrapolated(tau: float) -> bool:
    """Whether a depth is beyond the published tables."""
    return tau > TABLE_END


def storm_albedo(tau: float) -> float:
    """Albedo of dusty ground: min(0.18 tau, 0.4) (TM-103623); the tables start at 0.1."""
    return min(max(0.18 * tau, ALBEDOS[0]), ALBEDOS[1])


def net_flux(zenith: float, tau: float) -> float:
    """f of the albedo-0.1 table at a zenith angle in degrees."""
    return _normalised(net_flux_table(ALBEDOS[0]), zenith, tau)


def global_share(zenith: float, tau: float, albedo: float | None = None) -> float:
    """f / (1 - albedo): what reaches a level surface of what would without air; albedo by the storm rule if None."""
    ground = storm_albedo(tau) if albedo is None else min(max(albedo, ALBEDOS[0]), ALBEDOS[1])
    share = (ground - ALBEDOS[0]) / (ALBEDOS[1] - ALBEDOS[0])
    result = 0.0
    for weight, table_albedo in ((1.0 - share, ALBEDOS[0]), (share, ALBEDOS[1])):
        if weight > 0.0:
            result += weight * _normalised(net_flux_table(table_albedo), zenith, tau) / (1.0 - table_albedo)
    return result


def beam_share(zenith: float, tau: float) -> float:
    """Share of the direct beam in the light on a level surface."""
    cosine = math.cos(math.radians(zenith))
    return math.exp(-tau / cosine) / global_share(zenith, tau, ALBEDOS[0]) if cosine > 0.0 else 0.0


def beam_above(ls: float) -> float:
    """W/m2 of sunlight above the atmosphere (TM-102299, eq. 4)."""
    orbit = 1.0 + ECCENTRICITY * math.cos(math.radians(ls - SOLAR_PERIHELION))
    return MEAN_BEAM * orbit**2 / (1.0 - ECCENTRICITY**2) ** 2


def declination(ls: float) -> float:
    """Radians."""
    return math.asin(math.sin(math.radians(OBLIQUITY)) * math.sin(math.radians(ls)))


def zenith_cosine(latitude: float, ls: float, ltst: float) -> float:
    """Cosine of the sun's zenith angle; negative at night."""
    phi, delta, hour = math.radians(latitude), declination(ls), math.radians(15.0 * (ltst - 12.0))
    return math.sin(phi) * math.sin(delta) + math.cos(phi) * math.cos(delta) * math.cos(hour)


def irradiance(cosine: float, ls: float, tau: float, albedo: float | None = None) -> float:
    """W/m2 on a level surface."""
    if cosine <= 0.0:
        return 0.0
    zenith = math.degrees(math.acos(min(1.0, cosine)))
    return beam_above(ls) * cosine * global_share(zenith, tau, albedo)


def daily_insolation(latitude: float, ls: float, tau: float, albedo: float | None = None, steps: int = 288) -> float:
    """Wh/m2 that a level surface gets in a sol at constant Ls and optical depth."""
    hours = (24.0 * (step + 0.5) / steps for step in range(steps))
    mean = sum(irradiance(zenith_cosine(latitude, ls, hour), ls, tau, albedo) for hour in hours) / steps
    return mean * SOL / 3600.0


def rover_correction(tau: float) -> float:
    """What the MER rovers measured over the tables' ratio, exp(-0.08 (tau - 0.6)): an empirical fit, +/-35 %."""
    return math.exp(-0.08 * (tau - 0.6))
