"""The parts that make up the base, beside its air, people and power."""

from __future__ import annotations

from mission.world import (
    array,
    battery_orders,
    comms,
    eva_orders,
    fission,
    indoor_suits,
    instruments,
    oxygen_orders,
    rover_orders,
    shelter,
    thermal_orders,
    toxics_orders,
    weather_part,
)
from mission.world.spec import Part

PARTS: tuple[Part, ...] = (
    weather_part.PART,
    array.PART,
    fission.PART,
    battery_orders.PART,
    instruments.PART,
    oxygen_orders.PART,
    shelter.PART,
    comms.PART,
    eva_orders.PART,
    rover_orders.PART,
    thermal_orders.PART,
    toxics_orders.PART,
    indoor_suits.PART,
)
"""In the order in which they are made and watched."""
