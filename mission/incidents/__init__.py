"""The incidents that scenarios plant, one module a family; they compose."""

from __future__ import annotations

from difflib import get_close_matches

from mission.incidents import (
    battery_fault,
    bed_degradation,
    coolant_leak,
    depressurisation,
    dust_storm,
    fan_stopped,
    fire,
    fission_derate,
    masked_leak,
    oga_shutdown,
    oxygen_enrichment,
    pump_trip,
    rover_stuck,
    sensor_fault,
    solar_particles,
    suit_fault,
)
from mission.incidents.model import Base, Incident

__all__ = ["INCIDENTS", "Base", "Incident", "find"]

INCIDENTS: tuple[Incident, ...] = (
    bed_degradation.INCIDENT,
    fan_stopped.INCIDENT,
    sensor_fault.INCIDENT,
    masked_leak.INCIDENT,
    depressurisation.INCIDENT,
    oga_shutdown.INCIDENT,
    oxygen_enrichment.INCIDENT,
    fire.INCIDENT,
    coolant_leak.INCIDENT,
    pump_trip.INCIDENT,
    dust_storm.INCIDENT,
    fission_derate.INCIDENT,
    battery_fault.INCIDENT,
    suit_fault.INCIDENT,
    rover_stuck.INCIDENT,
    solar_particles.INCIDENT,
)


def find(name: str) -> Incident:
    """The incident of that name. Raises ValueError with near names."""
    names = [incident.name for incident in INCIDENTS]
    if name in names:
        return INCIDENTS[names.index(name)]
    near = get_close_matches(name, names, n=3, cutoff=0.4) or names
    raise ValueError(f"no incident {name!r}; near: {', '.join(near)}")
