"""Time on Mars from time on Earth: sols, Ls, equation of time and local solar time.

Allison and McEwen (2000), Planet. Space Sci. 48, 215, with the constants of GISS Mars24 as documented for its worked
examples. Good to 0.01 degrees of Ls for the years 1974 to 2126.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

TT_MINUS_TAI = 32.184
"""s"""
J2000 = 2451545.0
UNIX_EPOCH = 2440587.5
"""Julian dates."""
SOL_DAYS = 1.0274912517
"""Earth days in a sol (Mars24)."""
PERTURBERS = (
    (0.0071, 2.2353, 49.409),
    (0.0057, 2.7543, 168.173),
    (0.0039, 1.1177, 191.837),
    (0.0037, 15.7866, 21.736),
    (0.0021, 2.1354, 15.704),
    (0.0020, 2.4694, 95.528),
    (0.0018, 32.8493, 49.095),
)
"""Amplitude in degrees, period in Julian years, phase in degrees (AM2000, table 5)."""
LEAP_SECONDS = (
    (datetime(1999, 1, 1, tzinfo=UTC), 32.0),
    (datetime(2006, 1, 1, tzinfo=UTC), 33.0),
    (datetime(2009, 1, 1, tzinfo=UTC), 34.0),
    (datetime(2012, 7, 1, tzinfo=UTC), 35.0),
    (datetime(2015, 7, 1, tzinfo=UTC), 36.0),
    (datetime(2017, 1, 1, tzinfo=UTC), 37.0),
)
"""TAI - UTC in s from each date on (IERS Bulletin C)."""


def days_since_j2000(moment: datetime) -> float:
    """Days of terrestrial time since J2000. Raises ValueError before 1999 and for a moment without a time zone."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment.isoformat()} has no time zone; give UTC")
    leaps = [seconds for start, seconds in LEAP_SECONDS if start <= moment]
    if not leaps:
        raise ValueError(f"{moment.isoformat()} is before 1999, where this table of leap seconds starts")
    utc = UNIX_EPOCH + (moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(days=1)
    return utc - J2000 + (leaps[-1] + TT_MINUS_TAI) / 86400.0


def mean_anomaly(days: float) -> float:
    """Degrees."""
    return 19.3871 + 0.52402073 * days


def fictitious_mean_sun(days: float) -> float:
    """Degrees."""
    return 270.3871 + 0.524038496 * days


def centre(days: float) -> float:
    """True minus mean anomaly, degrees, with the pull of the planets."""
    anomaly = math.radians(mean_anomaly(days))
    pull = sum(
        amplitude * math.cos(math.radians(0.985626 * days / period + phase)) for amplitude, period, phase in PERTURBERS
    )
    return (
        (10.691 + 3.0e-7 * days) * math.sin(anomaly)
        + 0.623 * math.sin(2 * anomaly)
        + 0.050 * math.sin(3 * anomaly)
        + 0.005 * math.sin(4 * anomaly)
        + 0.0005 * math.sin(5 * anomaly)
        + pull
    )


def solar_longitude(days: float) -> float:
    """Ls, degrees in [0, 360)."""
    return (fictitious_mean_sun(days) + centre(days)) % 360.0


def equation_of_time(days: float) -> float:
    """True minus mean solar time, degrees; 15 degrees are a Mars hour."""
    ls = math.radians(solar_longitude(days))
    return 2.861 * math.sin(2 * ls) - 0.071 * math.sin(4 * ls) + 0.002 * math.sin(6 * ls) - centre(days)


def sol_date(days: float) -> float:
    """Mars sol date: mean sols since 29 December 1873 at the prime meridian."""
    return (days - 4.5) / SOL_DAYS + 44796.0 - 0.0009626


def coordinated_time(days: float) -> float:
    """Mean solar time at the prime meridian, Mars hours in [0, 24)."""
    return 24.0 * sol_date(days) % 24.0


def local_mean_time(days: float, east_longitude: float) -> float:
    """Local mean solar time at degrees east, Mars hours in [0, 24)."""
    return (coordinated_time(days) + east_longitude / 15.0) % 24.0


def local_true_time(days: float, east_longitude: float) -> float:
    """Local true solar time at degrees east, Mars hours in [0, 24)."""
    return (local_mean_time(days, east_longitude) + equation_of_time(days) / 15.0) % 24.0
