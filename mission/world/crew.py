"""What people do to the air: rates by activity, and the daily schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mission.world.units import DAY, HOUR, MINUTE

Activity = Literal["sleep", "nominal", "exercise", "recovery", "away", "lost"]


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
    "away": Rates(0.0, 0.0, 0.0, 0.0),
    "lost": Rates(0.0, 0.0, 0.0, 0.0),
}
"""BVAD (NASA/TP-2015-218570) table 3.22 for 82 kg. Vapour of exercise (46 to 128e-4 kg/min) and of the hour after
it (84 to 20e-4) are the means of their ranges, and heat of exercise (143 to 173 W) too."""
LETHAL_PPO2 = 4000.0
"""Pa: nobody lives on below it, so nobody breathes; ours, far under every limit of the rules."""
MASK_O2 = 0.0175 / MINUTE
"""kg/s of oxygen that a mask gives, breathed in or not: 20 L/min of it at 70.3 kPa and 310 K, light work on an open
circuit; ours. What its wearer does not use goes into the cabin."""
REFERENCE_MASS = 82.0
EXERCISE = 30 * MINUTE
RECOVERY = 60 * MINUTE


def body_scale(mass: float) -> float:
    """Factor on all rates for a body of `mass` kg: Kleiber's 3/4 power of mass, 1 at 82 kg."""
    return (mass / REFERENCE_MASS) ** 0.75


Metabolism = Literal["bvad15", "bvad22"]
SIZES = (50.0, 82.0, 100.0)
"""kg: the bodies that BVAD22 (NTRS 20210024855) gives rates for."""
ASLEEP, AWAKE = (0.30e-3, 0.44e-3, 0.51e-3), (0.48e-3, 0.69e-3, 0.81e-3)
"""kg of CO2 a minute by size, BVAD22 table 3-26."""
DAY_CO2 = (0.74, 1.08, 1.31)
"""kg by size in a day of 8 h of sleep and half an hour of exercise, BVAD22 table 3-27."""
O2_MASS = 31.998 / 44.0095
"""kg of O2 for one of CO2 at a respiratory quotient of 1."""
QUOTIENT, EXERCISE_QUOTIENT = 0.86, 0.95
"""BVAD22 table 3-31: of the day and of exercise."""


def person_rates(mass: float, metabolism: Metabolism) -> Mapping[Activity, Rates]:
    """One person's rates by activity: BVAD15 by the 3/4 power of mass, or BVAD22 by the three sizes it lists.

    BVAD22 gives no rate of exercise: its half hour has what the day's total leaves for it. Between the sizes rates are
    linear in mass, beyond them they follow the 3/4 power. Vapour and heat are BVAD15's for both.
    """
    scale = body_scale(mass)
    scaled: dict[Activity, Rates] = {
        name: Rates(scale * r.o2, scale * r.co2, scale * r.h2o, scale * r.heat) for name, r in RATES.items()
    }
    if metabolism == "bvad15":
        return scaled
    asleep, awake = _by_size(mass, ASLEEP) / MINUTE, _by_size(mass, AWAKE) / MINUTE
    rest = asleep * 8.0 * HOUR + awake * (DAY - 8.0 * HOUR - EXERCISE)
    exercise = (_by_size(mass, DAY_CO2) - rest) / EXERCISE
    co2: dict[Activity, float] = {"sleep": asleep, "nominal": awake, "exercise": exercise, "recovery": awake}
    for name, rate in co2.items():
        quotient = EXERCISE_QUOTIENT if name == "exercise" else QUOTIENT
        scaled[name] = Rates(rate * O2_MASS / quotient, rate, scaled[name].h2o, scaled[name].heat)
    return scaled


def _by_size(mass: float, values: Sequence[float]) -> float:
    for index, size in enumerate(SIZES):
        if mass <= size and index == 0:
            return values[0] * (mass / size) ** 0.75
        if mass <= size:
            share = (mass - SIZES[index - 1]) / (size - SIZES[index - 1])
            return values[index - 1] + share * (values[index] - values[index - 1])
    return values[-1] * (mass / SIZES[-1]) ** 0.75


@dataclass(frozen=True, order=True)
class Change:
    """One change of a person's activity, at `t` s of the day; it happens only to one who does a thing in `since`."""

    t: float
    to: Activity
    since: tuple[Activity, ...]


def day_plan(sleep_start: float, sleep_length: float, exercise_starts: tuple[float, ...]) -> list[Change]:
    """The changes of one person's day, in order; times in s after the day's start."""
    awake: tuple[Activity, ...] = ("nominal", "exercise", "recovery")
    plan: list[Change] = []
    if sleep_length:
        plan = [Change(sleep_start, "sleep", awake), Change(sleep_start + sleep_length, "nominal", ("sleep",))]
    for start in exercise_starts:
        plan.append(Change(start, "exercise", ("nominal", "recovery")))
        plan.append(Change(start + EXERCISE, "recovery", ("exercise",)))
        plan.append(Change(start + EXERCISE + RECOVERY, "nominal", ("recovery",)))
    return sorted(plan)
