"""Local time at the base over a flight: sols, local true solar time, and nights.

Sol 0 is the sol that holds the scenario's start; a sol begins at local midnight.
"""

from __future__ import annotations

import math

from mission.world.weather import SOL, Sky, local_time, sunrise_sunset

__all__ = ["local_hours", "moment", "nights", "sol", "stamp"]

MARS_HOUR = SOL / 24.0
"""s"""


def local_hours(sky: Sky, t: float) -> float:
    """Mars hours of local true solar time since the midnight before the scenario's start, `t` in s since it."""
    even = sky.ltst + t / MARS_HOUR
    return even + (local_time(sky, t) - even + 12.0) % 24.0 - 12.0


def sol(sky: Sky, t: float) -> int:
    """Midnights since the scenario's start."""
    return math.floor(local_hours(sky, t) / 24.0)


def stamp(sky: Sky, t: float) -> str:
    """Sol and local time to the minute: `0 07:58`."""
    minutes = math.floor(local_hours(sky, t) * 60.0 + 1e-6)
    days, rest = divmod(minutes, 24 * 60)
    return f"{days} {rest // 60:02d}:{rest % 60:02d}"


def moment(sky: Sky, hours: float) -> float:
    """Seconds since the scenario's start at which `local_hours` is `hours`; good to a millisecond."""
    t = (hours - sky.ltst) * MARS_HOUR
    for _ in range(4):
        t += (hours - local_hours(sky, t)) * MARS_HOUR
    return t


def nights(sky: Sky, end: float) -> list[tuple[float, float]]:
    """(sunset, sunrise) of each night from the start to `end`, s, cut at both; none in a polar summer."""
    found: list[tuple[float, float]] = []
    for day in range(-1, sol(sky, end) + 1):
        _, sunset = sunrise_sunset(sky, max(0.0, moment(sky, 24.0 * day + 18.0)))
        sunrise, _ = sunrise_sunset(sky, max(0.0, moment(sky, 24.0 * day + 30.0)))
        dusk, dawn = moment(sky, 24.0 * day + sunset), moment(sky, 24.0 * day + 24.0 + sunrise)
        if max(0.0, dusk) < min(end, dawn):
            found.append((max(0.0, dusk), min(end, dawn)))
    return found
