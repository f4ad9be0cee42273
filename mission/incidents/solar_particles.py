"""I16: a proton alert from Earth, true or false.

True: particles arrive 30 to 90 min after the flare and the rate outside rises in hours. The May 2024 event gave 8.1
mGy in all; the design event gives 250 mGy, 12 mGy/h at its peak. The shelter cuts protons by 4: 8.1 to 2.0, 250 to
63. One alert in four is false. In the shelter six people awake fill 25 m3 by 4.3 mmHg/h when its fan stands: 15 mmHg
after 2.9 h.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters


class SolarParticles(Parameters):
    kind: Literal["event", "false-alert"] = "event"
    dose_mgy: float = Field(8.1, ge=1e-6, le=1000)
    """Outside, over the whole event."""
    warning_min: float = Field(60.0, ge=30, le=90)
    """From the flare to the first particles."""
    rise_h: float = Field(2.0, ge=1, le=3)
    decay_h: float = Field(15.0, ge=10, le=20)
    false_ends_h: float = Field(6.0, ge=1e-6, le=24)
    """After which a false alert is called off."""
    detector_offset: float = Field(0.0, ge=0, le=1000)
    """uGy/h that upset electronics add to the base's own detector, from when particles of a true event would come."""
    shelter_fan_fails: bool = False


def plant(base: Base, parameters: SolarParticles) -> None:
    radiation = base.part("radiation")
    if parameters.kind == "event":
        radiation.flare(parameters.dose_mgy, parameters.warning_min, parameters.rise_h, parameters.decay_h)
    else:
        radiation.false_alert(parameters.false_ends_h)
    if parameters.detector_offset:
        radiation.upset_detector(parameters.warning_min, parameters.detector_offset)
    if parameters.shelter_fan_fails:
        radiation.fail_fan()


INCIDENT = Incident(
    id="I16",
    name="solar_particles",
    title="Solar particle event",
    parameters=SolarParticles,
    plant=plant,
    truth="a solar particle event reaches the base, or an alert that nothing follows.",
    shows=(
        "a proton alert, as old as the light time",
        "true: the detector passes twice the background within an hour of the first particles",
        "false: the detector stays at the background, or jumps without a rise if its electronics are upset",
    ),
    confusable_with=("an upset detector", "a stale message from Earth"),
    discriminating_checks=("second_dosimeter",),
    right=(
        "recall people outside and shelter within 30 min",
        "shelter fan on, its CO2 looked at each 30 min, one task of 10 min in 4 h",
        "leave when the rate has been below twice the background for 2 h",
    ),
    wrong=(
        "24 h in the shelter with its fan off: 15 mmHg of CO2 after 2.9 h",
        "ignore it because the last alert was false",
        "stay outside because 8 mGy is little, while the design event runs at 12 mGy/h",
    ),
    numbers={
        "outside_mgy": 8.1,
        "sheltered_mgy": 2.0,
        "design_sheltered_mgy": 63.0,
        "design_peak_mgy_h": 12.2,
        "false_share": 0.24,
        "shelter_mmhg_h_without_fan": 4.3,
        "shelter_hours_to_15_mmhg_without_fan": 2.9,
    },
)
