"""Checks 1 to 3: what a person's day does to the air, and to the heat of the base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from mission.published.check import Check, Figure, near
from mission.published.flights import crew, flown
from mission.world.engine import World
from mission.world.gases import Gas
from mission.world.thermal import Thermal
from mission.world.units import HOUR

SIZES = (50.0, 82.0, 100.0)


def _taken(world: World, gas: Gas) -> float:
    """kg that the people have given to the air so far."""
    return world.base.air.tracks[gas].ledger(world.now)["crew"]


def _day(**changes: Any) -> World:
    """One person of 82 kg in a day of 8 h of sleep and half an hour of exercise."""
    return flown(24.0, **({"crew": crew(1, exercise_h=(4.0,))} | changes))


def _gases() -> Mapping[str, float]:
    world = _day()
    return {"O2 used": -_taken(world, "o2"), "CO2 given off": _taken(world, "co2")}


def _gained(world: World, t: float) -> float:
    """J of heat into the air of core and lab by `t`."""
    return cast("Thermal", world.base.part("thermal")).ledger(t).gained


def _heat() -> Mapping[str, float]:
    """What a second person adds to the base's heat: asleep from 16 h on, awake before."""
    one, two = _day(), _day(crew=crew(2, exercise_h=(4.0,)))

    def watts(start: float, end: float) -> float:
        a, b = start * HOUR, end * HOUR
        added = [_gained(two, t) - _gained(one, t) for t in (a, b)]
        return (added[1] - added[0]) / (b - a)

    water = _taken(one, "h2o")
    return {"water": water, "heat asleep": watts(17, 23), "heat awake": watts(7, 15), "heat, mean": watts(0, 24)}


def _by_size() -> Mapping[str, float]:
    days = {mass: flown(24.0, metabolism="bvad22", crew=crew(1, mass_kg=mass, exercise_h=(4.0,))) for mass in SIZES}
    co2 = {f"CO2, {mass:g} kg": _taken(world, "co2") for mass, world in days.items()}
    return co2 | {"O2, 82 kg": -_taken(days[82.0], "o2")}


CHECKS = (
    Check(
        key="1",
        name="A crew member's day",
        group="consistency",
        source="BVAD, NASA/TP-2015-218570, table 3.22 and its day totals",
        figures=(
            Figure("O2 used", "kg/d", near(0.818, rel=0.01)),
            Figure("CO2 given off", "kg/d", near(1.04, rel=0.01)),
        ),
        measure=_gases,
        how="82 kg, 8 h of sleep, 15.5 h awake, half an hour of exercise, flown for 24 h; from the air's ledger.",
    ),
    Check(
        key="2",
        name="Water and heat of the same day",
        group="consistency",
        source="BVAD, NASA/TP-2015-218570, table 3.22",
        figures=(
            Figure("water", "kg/d", near(1.9, rel=0.05)),
            Figure("heat asleep", "W", near(62.0, rel=0.05)),
            Figure("heat awake", "W", near(91.0, rel=0.05)),
            Figure("heat, mean", "W", near(86.9, rel=0.05)),
        ),
        measure=_heat,
        how="Water from the air's ledger; heat is what a second person adds to the thermal block's. The hour after "
        "exercise gives off more vapour and is awake otherwise.",
    ),
    Check(
        key="3",
        name="CO2 of a day by body size",
        group="consistency",
        source="BVAD Rev 2, NTRS 20210024855, tables 3-26, 3-27 and 3-31",
        figures=(
            *(
                Figure(f"CO2, {mass:g} kg", "kg/d", near(co2, rel=0.03))
                for mass, co2 in zip(SIZES, (0.74, 1.08, 1.31), strict=True)
            ),
            Figure("O2, 82 kg", "kg/d", near(0.895, rel=0.03)),
        ),
        measure=_by_size,
        how="With `metabolism: bvad22`. The CO2 sets the rate of exercise; the oxygen comes out of the quotients.",
    ),
)
