"""What people do to the air: rates by activity, and the daily schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mission.world.units import MINUTE

Activity = Literal["sleep", "nominal", "exercise", "recovery", "lost"]


@dataclass(frozen=True)
class Rates:
    """One person's rates in kg/s; `heat` is sensible heat in W."""

    o2: float
    co2: float
    h2o: float
    heat: float


RATES: dict[Activity, Rates] = {
    "sleep": Rates(3.60e-4 / MINUTE, 4.55e-4 / MINUTE, 6.3e-4 / MINUTE, 62.0),
    "nominal": Rates(5.68e-4 / MINUTE, 7.20e-4 / MINUTE, 11.77e-4 / MINUTE, 91.0),
    "exercise": Rates(39.4e-4 / MINUTE, 49.85e-4 / MINUTE, 87.0e-4 / MINUTE, 158.0),
    "recovery": Rates(5.68e-4 / MINUTE, 7.20e-4 / MINUTE, 52.0e-4 / MINUTE, 91.0),
    "lost": Rates(0.0, 0.0, 0.0, 0.0),
}
"""BVAD (NASA/TP-2015-218570) table 3.22 for 82 kg. Vapour of exercise (46 to 128e-4 kg/min) and of the hour after
it (84 to 20e-4) are the means of their ranges, and heat of exercise (143 to 173 W) too."""
LETHAL_PPO2 = 4000.0
"""Pa: nobody lives on below it, so nobody breathes; ours, far under every limit of the rules."""
REFERENCE_MASS = 82.0
EXERCISE = 30 * MINUTE
RECOVERY = 60 * MINUTE


def body_scale(mass: float) -> float:
    """Factor on all rates for a body of `mass` kg: Kleiber's 3/4 power of mass, 1 at 82 kg."""
    return (mass / REFERENCE_MASS) ** 0.75


@dataclass(frozen=True, order=True)
class Change:
    """One change of a person's activity, at `t` s of the day; it happens only to one who does a thing in `since`."""

    t: float
    to: Activity
    since: tuple[Activity, ...]


def day_plan(sleep_start: float, sleep_length: float, exercise_starts: tuple[float, ...]) -> list[Change]:
    """The changes of one person's day, in order; times in s after the day's start."""
    awake: tuple[Activity, ...] = ("nominal", "exercise", "recovery")
    plan = [Change(sleep_start, "sleep", awake), Change((sleep_start + sleep_length), "nominal", ("sleep",))]
    for start in exercise_starts:
        plan.append(Change(start, "exercise", ("nominal", "recovery")))
        plan.append(Change(start + EXERCISE, "recovery", ("exercise",)))
        plan.append(Change(start + EXERCISE + RECOVERY, "nominal", ("recovery",)))
    return sorted(plan)
