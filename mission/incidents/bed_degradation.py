"""I1: a CO2 bed works at part of its rate, because a valve is stuck or its heater is low.

At health 0.5, six people awake and from 2.65 mmHg: 3.0 mmHg after 2.1 h, 4.0 after 10.5 h, tending to 5.3; 7.6 is never
reached. With the second bed on, 61.5 m3/h hold 1.76 mmHg for +0.86 kW. Opening LiOH instead burns 3.2 cans a day of 24;
resetting the unit and waiting for the next half cycles (4.8 h) crosses the limit of 3 mmHg as a 1-h mean.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters


class BedDegradation(Parameters):
    unit: Literal["A", "B"] = "A"
    health: float = Field(0.5, ge=0, lt=1)


def plant(base: Base, parameters: BedDegradation) -> None:
    base.degrade_bed(parameters.unit, parameters.health)


INCIDENT = Incident(
    id="I1",
    name="bed_degradation",
    title="Partial CO2 bed degradation",
    parameters=BedDegradation,
    plant=plant,
    truth="the health of one CO2 unit drops below 1; it passes less air over its sorbent.",
    shows=(
        "ppCO2 rises in all zones together, slower and slower",
        "the unit's outlet ppCO2 is up and its heater duty down by 10 to 40 %",
        "fan and power of the unit look normal",
    ),
    confusable_with=("exercise: +0.17 mmHg for half an hour", "more people in a zone", "fan_stopped", "sensor fault"),
    discriminating_checks=("bed_balance", "handheld_co2"),
    right=("start the other unit within 2 h, +0.86 kW", "repair the unit within 24 h", "no LiOH"),
    wrong=(
        "open LiOH at once: 3.2 cans a day with a healthy spare unit idle",
        "reset the unit and wait 4.8 h: the 1-h mean passes 3 mmHg",
        "blame exercise and cancel it",
    ),
    numbers={
        "hours_to_3_mmhg": 2.1,
        "hours_to_4_mmhg": 10.5,
        "steady_mmhg": 5.29,
        "steady_with_both_beds_mmhg": 1.76,
        "second_bed_kw": 0.86,
    },
)
