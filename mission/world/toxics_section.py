"""The toxics section of a scenario."""

from __future__ import annotations

from pydantic import Field

from mission.world.record import Built, Positive


class ToxicsSection(Built):
    filter_m3_h: Positive = 60.0
    """Clean air of one portable filter unit, ours."""
    filter_w: float = Field(default=100.0, ge=0)
    hepa_m3_h: float = Field(default=273.0, ge=0)
    """Particle filters in front of the core's coil: all the air that passes it."""
    smoke_settling_per_h: float = Field(default=0.1, ge=0)
    """Ours: fine particles hardly settle."""
    dust_settling_per_h: float = Field(default=2.0, ge=0)
    """Ours: particles of 10 um fall 2 m in the hour at 0.38 g and more on surfaces."""
    masks_per_person: int = Field(default=2, ge=0, le=100)
    """Portable breathing apparatus, 7 min of oxygen each (ISS); the number is ours."""
