"""I10: the pump of a coolant loop stands, or its flow control valve sticks cold.

Pump: one loop carries 6 kW of the 7.1 kW that hold 22 C with 12 kW of heat, so 1.1 kW stay and the cabin tends to 40
C. In the shipped scenario, with its nights and the sink's daily swing, it is at 27 C 7.6 h after the trip; from 22 C
without either, 7.4 h. With both loops lost it takes 0.98 h. Valve: the supply falls from 4 C at 3 K/h and freezes the
exchanger. The heat is in `thermal.heat_input`, what is taken away in `thermal.heat_load`. The numbers are in NUMBERS,
and tests fly them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission import rules
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


NUMBERS: dict[str, float] = {
    "hours_to_27_c_one_loop": 7.6,
    "hours_to_27_c_one_loop_steady": 7.4,
    "hours_to_27_c_no_loop": 0.98,
    "limit_c_one_loop": 40.0,
    "warm_c": 27.0,
    "rise_k_first_hour": 0.7,
    "hours_to_warm_cold_plate": 2.0,
    "warm_cold_plate_c": 40.0,
    "warmest_return_c": 19.0,
    "hours_to_freeze": 1.33,
    "supply_fall_k_h": 3.0,
    "loop_kw": 6.0,
    "heat_kw": 12.0,
    "heat_kw_one_loop_holds": 10.9,
}
_N = NUMBERS
_LIMIT, _LOAD, _BURN_OUT, _COLD = (rules.get("FR-11").numbers[name] for name in ("loop", "load", "burn_out", "cold"))
INCIDENT = Incident(
    id="I10",
    name="pump_trip",
    title="Coolant pump trip, or a flow control valve stuck cold",
    parameters=PumpTrip,
    plant=plant,
    truth=f"one of two loops of {_LIMIT} carries no heat, or its supply is cooled without control.",
    shows=(
        f"pump: speed, current and flow of one loop are zero, a quarter of a kilowatt less is drawn; the other returns "
        f"at its warmest, {_N['warmest_return_c']:g} C",
        f"pump: {_N['heat_kw']:g} kW go in and {_N['loop_kw']:g} kW come out; the cabin warms by "
        f"{_N['rise_k_first_hour']:g} K in the first hour and reaches {_N['warm_c']:g} C after "
        f"{_N['hours_to_27_c_one_loop']:g} h; cold plate above {_N['warm_cold_plate_c']:g} C at "
        f"{_N['hours_to_warm_cold_plate']:g} h",
        f"valve: supply of one loop falls at {_N['supply_fall_k_h']:g} K/h, flow normal; at 0 C the exchanger freezes "
        "and the flow ends; the coil is colder and humidity falls",
    ),
    confusable_with=(
        "a radiator that dust or a warm sky binds: both loops flow, and radiator_bound is below what they carry",
        "more heat in the cabin, people or lamps: heat_input is up, both loops flow",
        "a fault of one temperature sensor: the other zone's and both returns disagree",
        "a coolant leak that has emptied its accumulator: the level was falling before",
    ),
    discriminating_checks=("pump_dp", "loop_compare"),
    right=(
        f"pump: one restart, then shed until heat is {_LOAD}, cold plate to the other loop",
        f"valve: bypass it, or heater on, before the supply is below {_COLD}",
    ),
    wrong=(
        f"shed nothing because the cabin is inside its limits: {_N['warm_c']:g} C comes within "
        f"{_N['hours_to_27_c_one_loop']:g} h of the trip",
        f"restart again and again: each restart after the first burns the pump out with {_BURN_OUT}",
        f"valve: wait; the exchanger freezes after {_N['hours_to_freeze']:g} h and the loop is lost",
    ),
    numbers=NUMBERS,
)
