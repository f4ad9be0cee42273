"""I15: a rover digs in far from the base, and does not quite know where it is.

At 18 km with two aboard and 40 kWh: drives draw 60 % more, four fifths of the wheels' way is lost, and the navigation
counts all of it. Quiet, 40 kWh last 50 h; with the cabin fan at 30 % two people tend to 8.0 mmHg. On foot 18 km take
6.7 h, beyond any suit. From the base a rescue takes 2.8 h to get there, and searches 2 pi times the position error.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters


class RoverStuck(Parameters):
    rover: Literal["1", "2"] = "1"
    cause: Literal["soft_ground", "dragging_drive"] = "soft_ground"
    slip: float = Field(0.8, gt=0, lt=1)
    """Share of the wheels' way that is lost."""
    error_m: float = Field(320.0, ge=0, le=5000)
    """Position error beyond the navigation's own account."""
    sun_sensor_out: bool = True
    cabin_fan_share: float = Field(0.3, gt=0, le=1)


DRAG = 0.6
"""Friction of a dragging drive beyond a sound one's: the same 60 % of current that soft ground costs."""


def plant(base: Base, parameters: RoverStuck) -> None:
    rovers = base.part("rover")
    rovers.slow_fan(parameters.rover, parameters.cabin_fan_share)
    rovers.lose_position(parameters.rover, parameters.error_m, blind=parameters.sun_sensor_out)
    rovers.dig_in(parameters.rover, parameters.slip, DRAG if parameters.cause == "dragging_drive" else 0.0)


INCIDENT = Incident(
    id="I15",
    name="rover_stuck",
    title="Rover dug in, its position uncertain",
    parameters=RoverStuck,
    plant=plant,
    truth="the wheels lose 80 % of their way, the position is 320 m off, and the sun sensor is out.",
    shows=(
        "drive current up 60 %, slip 80 %",
        "cabin ppCO2 rises with the fan low",
        "local radio ends at 8.2 km: words only while a relay passes",
        "bearings of landmarks 12 degrees off the wheels' account",
    ),
    confusable_with=("a battery gauge error (I13)", "dust (I11)", "a relay outage", "a dragging drive"),
    discriminating_checks=("odometry_compare", "free_wheel_current"),
    right=(
        "stop; a safe haven for 72 h, 50 h on 40 kWh",
        "a fix by the next relay pass",
        "the other rover goes to the rescue, with tau below 4, 80 % of charge and 30 % left on return",
    ),
    wrong=(
        "walk home: 6.7 h for 18 km against 3 to 4.4 h of oxygen",
        "drive on with the wheels spinning: 8 times the energy for every km",
        "send the rescue in tau 5, or before there is a fix",
    ),
    numbers={
        "current_ratio": 1.6,
        "energy_ratio_per_km": 8.0,
        "haven_hours_on_40_kwh": 50.0,
        "cabin_settles_mmhg": 8.0,
        "bearing_deg": 12.0,
        "walk_hours": 6.7,
        "rescue_hours_out": 2.83,
    },
)
