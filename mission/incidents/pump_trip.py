"""I10: the pump of a coolant loop stands, or its flow control valve sticks cold.

Pump: one loop carries 6 kW of the 7.1 kW that hold 22 C with 12 kW of heat, so 1.1 kW stay: 22 to 27 C in 7.4 h,
tending to 40 C, and nothing to be seen in the first hours; with both loops lost it takes 0.98 h (a tenth less here:
the shell lags the air). The cold plate warns after 2.0 h. Valve: the supply falls from 4 C at 3 K/h and freezes the
exchanger after 1.33 h. Numbers for a sink without its daily swing; the swing of 3 K moves 7.4 h by up to one.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters


class PumpTrip(Parameters):
    variant: Literal["pump", "valve"] = "pump"
    loop: Literal["a", "b"] = "a"
    restartable: bool = False
    """Whether the pump runs again when it is restarted."""
    both_loops: bool = Field(default=False)
    """The other loop's pump stands too."""


def plant(base: Base, parameters: PumpTrip) -> None:
    thermal = base.part("thermal")
    if parameters.variant == "valve":
        thermal.change_loop(parameters.loop, valve="stuck")
        return
    for loop in ("a", "b"):
        if parameters.both_loops or loop == parameters.loop:
            thermal.change_loop(loop, pump="tripped", restartable=parameters.restartable, attempts=0)


INCIDENT = Incident(
    id="I10",
    name="pump_trip",
    title="Coolant pump trip, or a flow control valve stuck cold",
    parameters=PumpTrip,
    plant=plant,
    truth="one of two loops of 6 kW carries no heat, or its supply is cooled without control.",
    shows=(
        "pump: speed, current and flow of one loop are zero; the other returns at its warmest, 19 C",
        "pump: the cabin warms by 0.7 K in the first hour and reaches 27 C after 7.4 h; cold plate above 40 C at 2 h",
        "valve: supply of one loop falls at 3 K/h, flow normal; at 0 C the exchanger freezes and the flow ends",
    ),
    confusable_with=(
        "a radiator warmed by dust",
        "more heat in the cabin: people, lamps",
        "a fault of one temperature sensor",
        "a coolant leak that has emptied its accumulator",
    ),
    discriminating_checks=("pump_dp", "loop_compare"),
    right=(
        "pump: one restart, then shed until heat is 9 kW, cold plate to the other loop",
        "valve: bypass it, or heater on, before the supply is below 2 C",
    ),
    wrong=(
        "shed nothing because the cabin is 23 C: the limit comes 7.4 h later, unseen",
        "restart again and again: each restart after the first burns the pump out with 15 %",
        "valve: wait; the exchanger freezes after 1.3 h and the loop is lost",
    ),
    numbers={
        "hours_to_27_c_one_loop": 7.4,
        "hours_to_27_c_no_loop": 0.98,
        "limit_c_one_loop": 40.0,
        "hours_to_warm_cold_plate": 2.0,
        "hours_to_freeze": 1.33,
        "heat_kw": 12.0,
        "heat_kw_one_loop_holds": 10.9,
    },
)
