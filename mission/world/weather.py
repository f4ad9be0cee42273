"""Where and when the base is, and the outside in a clear season, as functions of time; storms are in storm.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

SOL = 88775.244
"""s, GISS Mars24 (Allison and McEwen 2000)."""
YEAR = 668.593 * SOL
ECCENTRICITY = 0.093377
PERIHELION = 251.0
"""Ls of perihelion, degrees."""
SOLAR_PERIHELION = 248.0
"""Ls of perihelion in the irradiance formula of TM-102299, as published with its tables."""
OBLIQUITY = 24.936
"""Degrees, Appelbaum and Flood TM-102299."""


@dataclass(frozen=True)
class Sky:
    """Where and when, and the given conditions: degrees, hours, Pa (mean of the year), C, m/s."""

    latitude: float
    ls: float
    ltst: float
    pressure: float
    tide: float
    air_mean: float
    air_range: float

    @cached_property
    def equation(self) -> float:
        """Equation of time at the start, Mars hours."""
        return equation_of_time(self.ls)


def solar_longitude(start: float, t: float) -> float:
    """Ls in degrees, `t` s after it was `start`: Kepler's equation."""
    half = math.sqrt((1.0 - ECCENTRICITY) / (1.0 + ECCENTRICITY))
    eccentric = 2.0 * math.atan(half * math.tan(math.radians(start - PERIHELION) / 2.0))
    mean = eccentric - ECCENTRICITY * math.sin(eccentric) + 2.0 * math.pi * t / YEAR
    true = _true_anomaly(mean)
    return (PERIHELION + math.degrees(true)) % 360.0


def _true_anomaly(mean: float) -> float:
    eccentric = mean + ECCENTRICITY * math.sin(mean)
    for _ in range(8):
        step = (eccentric - ECCENTRICITY * math.sin(eccentric) - mean) / (1.0 - ECCENTRICITY * math.cos(eccentric))
        eccentric -= step
        if abs(step) < 1e-9:
            break
    return 2.0 * math.atan(math.sqrt((1.0 + ECCENTRICITY) / (1.0 - ECCENTRICITY)) * math.tan(eccentric / 2.0))


def equation_of_time(ls: float) -> float:
    """True minus mean solar time, in Mars hours (Allison and McEwen 2000)."""
    angle = math.radians(ls)
    series = 2.861 * math.sin(2 * angle) - 0.071 * math.sin(4 * angle) + 0.002 * math.sin(6 * angle)
    anomaly = math.radians(ls - PERIHELION)
    half = math.sqrt((1.0 - ECCENTRICITY) / (1.0 + ECCENTRICITY))
    eccentric = 2.0 * math.atan2(half * math.sin(anomaly / 2.0), math.cos(anomaly / 2.0))
    mean = eccentric - ECCENTRICITY * math.sin(eccentric)
    centre = math.degrees((anomaly - mean + math.pi) % (2 * math.pi) - math.pi)
    return (series - centre) / 15.0


def local_time(sky: Sky, t: float) -> float:
    """Local true solar time in Mars hours, 0 to 24."""
    drift = equation_of_time(solar_longitude(sky.ls, t)) - sky.equation
    return (sky.ltst + 24.0 * t / SOL + drift) % 24.0


def day_length(latitude: float, ls: float) -> float:
    """Mars hours from sunrise to sunset: 2/15 acos(-tan latitude tan declination); 0 or 24 beyond the polar circle."""
    declination = math.asin(math.sin(math.radians(OBLIQUITY)) * math.sin(math.radians(ls)))
    cosine = -math.tan(math.radians(latitude)) * math.tan(declination)
    return 2.0 / 15.0 * math.degrees(math.acos(min(1.0, max(-1.0, cosine))))


def sunrise_sunset(sky: Sky, t: float) -> tuple[float, float]:
    """Local true solar time of sunrise and sunset on the sol of `t`, Mars hours."""
    half = day_length(sky.latitude, solar_longitude(sky.ls, t)) / 2.0
    return 12.0 - half, 12.0 + half


def daylight_left(sky: Sky, t: float) -> float:
    """Seconds until sunset; 0 at night."""
    sunrise, sunset = sunrise_sunset(sky, t)
    hour = local_time(sky, t)
    return (sunset - hour) * SOL / 24.0 if sunrise <= hour < sunset else 0.0


def swing(hour: float) -> float:
    """-1 at 6 h local true time, when the air is coldest, to 1 at 18 h (design study 2.6)."""
    return -math.cos(2.0 * math.pi * (hour - 6.0) / 24.0)


def daily_swing(sky: Sky, t: float) -> float:
    """The same at a time in s."""
    return swing(local_time(sky, t))


def air_temperature(sky: Sky, t: float) -> float:
    """C: mean - range/2 cos(2 pi (LTST - 6 h)/24 h), coldest at 6 h (design study 2.6)."""
    return sky.air_mean + sky.air_range / 2.0 * daily_swing(sky, t)


def season_pressure(ls: float) -> float:
    """Pressure of the season over its mean of the year, as carbon dioxide freezes out at one pole and the other.

    Two harmonics, fitted by us to the year of Viking 1: 0.87 at Ls 148, 1.13 at 256 (+/-13 %, design study 1.7), and
    0.96 at 97, where it measured 7.65 mbar in its first sols (Science 193, 788).
    """
    angle = math.radians(ls)
    first = 0.0768 * math.cos(angle - math.radians(290.6))
    return 1.0 + first + 0.0713 * math.cos(2.0 * (angle - math.radians(67.4)))


def season_mean(sky: Sky, t: float) -> float:
    """Pa, without the tide."""
    return sky.pressure * season_pressure(solar_longitude(sky.ls, t))


def site_pressure(sky: Sky, t: float) -> float:
    """Pa: the season's mean with its diurnal tide, highest at 6 h."""
    return season_mean(sky, t) * (1.0 - sky.tide * daily_swing(sky, t))
