"""The dust forecast: one a sol, with errors that grow with its lead, a lag, and false alarms."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mission.channel import gauss, uniform
from mission.world.storm import Outside
from mission.world.weather import SOL

ERRORS = {1: 0.15, 2: 0.3, 4: 0.6}
"""Standard deviation of the optical depth by lead in sols (design study 2.6)."""
STORM_TAU = 2.0
ROUNDING = 1e-9
"""Sols: a time that is a whole number of sols, but for rounding, counts as one."""
FALSE_HEIGHT = (1.0, 3.0)
"""Optical depth that a false alarm adds after 2 and 4 sols; half as much after one."""


@dataclass(frozen=True)
class Forecast:
    """What was said at `issued` s: optical depth by lead in sols, and the chance in percent of more than 2 within 4."""

    issued: float
    tau: dict[int, float]
    storm_percent: float


def forecast(outside: Outside, t: float, lag_sols: float, false_alarm: float) -> Forecast:
    """The newest forecast at `t`.

    It knows the storms that began `lag_sols` before its issue; `false_alarm` is the chance of one that does not exist.
    """
    issue = math.floor(t / SOL + ROUNDING)
    issued, seed = issue * SOL, outside.season.seed
    known, phantom = outside.known(issued - lag_sols * SOL), 0.0
    if uniform(seed, "forecast", "false alarm", issue) < false_alarm:
        low, high = FALSE_HEIGHT
        phantom = low + (high - low) * uniform(seed, "forecast", "height", issue)
    tau: dict[int, float] = {}
    for lead, error in ERRORS.items():
        true = known.tau(issued + lead * SOL) + phantom * (0.5 if lead == 1 else 1.0)
        tau[lead] = max(0.1, true + error * gauss(seed, "forecast", lead, issue))
    chance = max(_above(STORM_TAU, tau[lead], error) for lead, error in ERRORS.items())
    return Forecast(issued, tau, 100.0 * chance)


def _above(level: float, mean: float, deviation: float) -> float:
    """Chance that a normal number is above `level`."""
    return 0.5 * math.erfc((level - mean) / (deviation * math.sqrt(2.0)))
