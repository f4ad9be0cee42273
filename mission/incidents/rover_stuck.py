"""I15: a rover digs in far from the base, and does not quite know where it is.

At 18 km with two aboard and 40 kWh: drives draw 60 % more, four fifths of the wheels' way is lost, and the navigation
counts all of it: after half an hour it takes itself to be 3.2 km farther on than it is, 126 m off at most. It is also
320 m off its way, which it knows nothing of. Landmarks tell of both, a lifted wheel whether ground or drive is to
blame. A relay gives a fix to a rover that stands under it for five minutes, never to one that drives. Quiet, 40 kWh
last 50 h; with the cabin fan at 30 % two people tend to 8.0 mmHg. On foot 18 km take 6.7 h, beyond any suit. From the
base a rescue takes 2.8 h to get there, and searches 2 pi times what the other is off its way.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters


class RoverStuck(Parameters):
    rover: Literal["1", "2"] = "1"
    cause: Literal["soft_ground", "dragging_drive"] = "soft_ground"
    slip: float = Field(0.8, ge=1e-6, lt=1)
    """Share of the wheels' way that is lost."""
    error_m: float = Field(320.0, ge=0, le=5000)
    """How far it is off its way without the navigation's knowing; what slips along the way comes on top."""
    sun_sensor_out: bool = True
    cabin_fan_share: float = Field(0.3, ge=1e-6, le=1)


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
    truth="the wheels lose 80 % of their way, it is 320 m off that way, and the sun sensor is out.",
    shows=(
        "drive current up 60 %, slip 80 % by the cameras",
        "its distance is the wheels' account: 3.2 km too far after half an hour, 126 m of error claimed",
        "cabin ppCO2 rises with the fan low",
        "local radio ends at 8.2 km: words and readings only while a relay passes",
        "landmarks 12 degrees off the wheels' account at once, more with every turn of the wheels",
    ),
    confusable_with=("a battery gauge error (I13)", "dust (I11)", "a relay outage", "a dragging drive"),
    discriminating_checks=("odometry_compare", "free_wheel_current"),
    right=(
        "stop; a safe haven for 72 h, 50 h on 40 kWh",
        "standing, a fix by the relay within five minutes of a pass",
        "the other rover goes to the rescue, with tau below 4, 80 % of charge and 30 % left on return",
    ),
    wrong=(
        "walk home: 6.7 h for 18 km against 3 to 4.4 h of oxygen",
        "drive on with the wheels spinning: 8 times the energy for every km",
        "send the rescue in tau 5, or to where the wheels' account puts the rover",
        "wait for the next pass with the rescue: 7.6 mmHg in the cabin after 7 h, and a drive by night without fixes",
    ),
    numbers={
        "current_ratio": 1.6,
        "energy_ratio_per_km": 8.0,
        "haven_hours_on_40_kwh": 50.0,
        "cabin_settles_mmhg": 8.0,
        "bearing_deg": 12.0,
        "off_way_m": 320.0,
        "account_ahead_m_in_half_an_hour": 3200.0,
        "claimed_error_m_in_half_an_hour": 126.0,
        "standing_min_for_a_fix": 5.0,
        "hours_to_7_6_mmhg": 7.0,
        "walk_hours": 6.7,
        "rescue_hours_out": 2.83,
    },
)
