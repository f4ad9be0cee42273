"""I13: the battery's gauge shows more than there is, or its heater has failed and its cells are below 0 C.

Gauge: 15 % out and 0.5 % more a sol up to 15 %; it shows 62 % over a true 47 %, and the voltage says 47 %. Discharged
to 20 % on the gauge it truly holds 5 %, and the bus trips at 24 V: in the shipped scenario after 17.6 h. Cold: without
heater the cells fall from 5 C to 0 C in 7.2 h and to -4 C in 12.2 h from dusk on; the other heater takes 14 h to bring
them from -4 C to 0 C. Each sol with some charging below 0 C costs 3 % of the capacity.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission import rules
from mission.incidents.model import Base, Incident, Parameters


class BatteryFault(Parameters):
    kind: Literal["gauge", "cold"] = "gauge"
    error_percent: float = Field(15.0, ge=0, le=15)
    drift_percent_sol: float = Field(0.5, ge=0, le=5)
    heater: Literal["A", "B"] = "A"
    """The heater that has failed."""
    cells_c: float = Field(-4.0, ge=-20, lt=5)
    """How cold the cells are by the onset."""


def plant(base: Base, parameters: BatteryFault) -> None:
    battery = base.part("battery")
    if parameters.kind == "gauge":
        battery.bias(parameters.error_percent / 100.0, parameters.drift_percent_sol / 100.0)
    else:
        battery.break_heater(parameters.heater)
        battery.chill(parameters.cells_c)


NUMBERS: dict[str, float] = {
    "gauge_percent": 62.0,
    "true_percent": 47.0,
    "true_percent_at_gauge_20": 5.0,
    "hours_to_trip": 17.6,
    "cold_cells_c": -4.0,
    "hours_5_to_0_c": 7.2,
    "hours_5_to_minus_4_c": 12.2,
    "hours_minus_4_to_0_c_with_heater": 14.0,
    "heater_w": 150.0,
    "plating_percent": 3.0,
}
_N = NUMBERS
_RULE = rules.get("FR-19").numbers
INCIDENT = Incident(
    id="I13",
    name="battery_fault",
    title="Battery: gauge error or cold charge",
    parameters=BatteryFault,
    plant=plant,
    truth="the gauge shows more charge than there is; or a heater has failed and the cells are cold.",
    shows=(
        f"gauge: {_N['gauge_percent']:g} % where the voltage says {_N['true_percent']:g} %",
        f"cold: both thermistors at {_N['cold_cells_c']:g} C and the heater's power at zero while the battery charges",
    ),
    confusable_with=(
        "a short among the loads: the ledger of sources and loads does not close",
        "a thermistor that is wrong: the second one disagrees",
        "fission_derate: supply falls, the gauge is right",
    ),
    discriminating_checks=("ocv_rest",),
    right=(
        "go by the lower of gauge and voltage; ocv_rest settles it while the other string carries the loads",
        f"inhibit charging below {_RULE['cold']} and switch to the other heater of {_N['heater_w']:g} W",
        "charge fully at the next clear sol: that sets the gauge right",
    ),
    wrong=(
        f"discharge to {_RULE['floor']} on the gauge: truly {_N['true_percent_at_gauge_20']:g} %, where the bus trips "
        "and takes the coolant pumps with it",
        f"charge at dawn because the sun is back: {_RULE['plating']} of the capacity each sol",
    ),
    numbers=NUMBERS,
)
