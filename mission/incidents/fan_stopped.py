"""I2: the fan between core and lab stops, and people in the lab breathe into a closed pocket.

Three awake in 100 m3 from 2.65 mmHg everywhere: lab 4.0 mmHg after 2.5 h, 7.6 after 9.1 h, 15 after 22.8 h, while the
core, where the bed and its sensor are, falls to 2.1 (2.5 h) and 1.5 (9 h). At rest before the fault the lab stands 0.2
mmHg above the core, so 4.0 comes 0.4 h sooner. A portable fan of 60 m3/h holds the lab within 0.9 mmHg of the core.
More CO2 removal in the core does nothing for the lab; the mean of both sensors (3.05 at 2.5 h) looks fine.
"""

from __future__ import annotations

from mission.incidents.model import Base, Incident, Parameters


class FanStopped(Parameters):
    seized: bool = True
    """The fan does not start again until it is repaired."""
    lab_reading_stale: bool = True
    """The shared sampling line skips the lab, so that its CO2 reading stays where it was."""


def plant(base: Base, parameters: FanStopped) -> None:
    base.stop_fan(seized=parameters.seized)
    if parameters.lab_reading_stale:
        base.freeze_sensor("lab.ppco2", "the shared sampling line skips the lab")


INCIDENT = Incident(
    id="I2",
    name="fan_stopped",
    title="Inter-module fan stopped, local CO2 pocket",
    parameters=FanStopped,
    plant=plant,
    truth="the exchange between core and lab drops from 238 m3/h to none; beds and coil are in the core.",
    shows=(
        "core ppCO2 FALLS: 2.65 to 2.1 mmHg in 2.5 h, 1.5 in 9 h",
        "lab ppCO2 rises 0.54 mmHg/h with three awake; its reading may be stale",
        "lab humidity rises; fan current and speed are zero",
    ),
    confusable_with=("a drifted lab CO2 sensor", "illness", "a fan stopped on purpose by a smoke alarm"),
    discriminating_checks=("fan_check", "handheld_co2"),
    right=(
        "move everybody to the core",
        "restart, repair or bypass the fan with the portable one",
        "no lab work above 4",
    ),
    wrong=("start the second bed: no effect in the lab", "average the two sensors: 3.05 mmHg looks fine"),
    numbers={
        "lab_hours_to_4_mmhg": 2.5,
        "lab_hours_to_7_6_mmhg": 9.1,
        "lab_hours_to_15_mmhg": 22.8,
        "core_mmhg_after_2_5_h": 2.1,
        "core_mmhg_after_9_h": 1.5,
        "portable_fan_lab_over_core_mmhg": 0.9,
    },
)
