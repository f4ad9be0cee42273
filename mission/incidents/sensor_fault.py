"""I3: a gas sensor or a pressure gauge drifts away or freezes, and calls its readings good.

At +0.15 mmHg/h a ppCO2 sensor reads 5 after 16 h while the air stays at 2.65. The other zone and the units' inlets
follow the air; calibration gas shows the error in 20 min. Frozen, it shows no noise at all and no dip of the night,
in which six asleep bring the air to about 2.0. LiOH spent on a drift burns 3.2 cans a day for nothing.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters

MMHG_PER_KPA = 7.50062


class SensorFault(Parameters):
    channel: Literal[
        "core.ppco2",
        "lab.ppco2",
        "airlock.ppco2",
        "core.ppo2",
        "lab.ppo2",
        "airlock.ppo2",
        "core.pressure",
        "lab.pressure",
    ] = "lab.ppco2"
    mode: Literal["drift", "frozen"] = "drift"
    per_h: float = Field(0.15, ge=-10, le=10)
    """In the channel's unit, for a drift."""


def plant(base: Base, parameters: SensorFault) -> None:
    if parameters.mode == "drift":
        base.part("instruments").spoil(parameters.channel, drift=parameters.per_h)
        if parameters.channel.endswith(".pressure"):
            # The rate is worked out from the same gauge.
            rate = parameters.per_h * MMHG_PER_KPA
            base.part("instruments").spoil(f"{parameters.channel}_rate", offset=rate)
    else:
        base.part("instruments").spoil(parameters.channel, frozen=True)


INCIDENT = Incident(
    id="I3",
    name="sensor_fault",
    title="Gas sensor fault",
    parameters=SensorFault,
    plant=plant,
    truth="one gas sensor or pressure gauge drifts or repeats its last sample; the air is healthy.",
    shows=(
        "drift: the reading goes from 2.65 to 5 mmHg in 16 h",
        "frozen: no noise over ten cycles, and no dip while people sleep",
        "the other zone, the units' inlets, heater duty and oxygen use stay as they were",
    ),
    confusable_with=("bed_degradation", "fan_stopped", "a gauge that falls with a depressurisation"),
    discriminating_checks=("calibration_gas", "handheld_co2", "bed_balance", "gauge_crosscheck"),
    right=(
        "call the sensor suspect and go by the other two and the hand-held meter, each 4 h",
        "calibrate it, and service it after the sleep",
        "no LiOH",
    ),
    wrong=(
        "take a drift as real: LiOH, an evacuated lab",
        "trust a frozen value that looks normal while the air gets worse",
    ),
    numbers={"hours_to_read_5_mmhg": 15.7, "calibration_error_mmhg_after_10_h": 1.5, "night_mmhg": 2.0},
)
