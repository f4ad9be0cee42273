"""Constants and unit conversions; inside the world everything is kg, s, m3, Pa, K, W, J."""

from __future__ import annotations

import math

GAS_CONSTANT = 8.314462618
"""J/(mol K), CODATA 2018."""
MINUTE = 60.0
HOUR = 3600.0
DAY = 86400.0
KPA = 1000.0
MMHG = 133.322368
KWH = 3.6e6
KW = 1000.0
ZERO_C = 273.15

CLOCK_STEP = 2.0**-20
"""Seconds. Times are multiples of this power of two, so that sums and differences of times are exact in binary
floating point and no time depends on the path that led to it."""


def at_or_after(t: float) -> float:
    """The first time of the clock at or after `t` seconds: a crossing has happened at the time it is given."""
    return t if t == math.inf else math.ceil(t / CLOCK_STEP) * CLOCK_STEP


def nearest(t: float) -> float:
    """The time of the clock nearest to `t` seconds."""
    return round(t / CLOCK_STEP) * CLOCK_STEP
