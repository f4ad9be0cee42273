"""The incidents that scenarios plant, one module a family; they compose."""

from __future__ import annotations

from difflib import get_close_matches

from mission.incidents import bed_degradation, fan_stopped, masked_leak
from mission.incidents.model import Base, Incident

__all__ = ["INCIDENTS", "Base", "Incident", "find"]

INCIDENTS: tuple[Incident, ...] = (bed_degradation.INCIDENT, fan_stopped.INCIDENT, masked_leak.INCIDENT)


def find(name: str) -> Incident:
    """The incident of that name. Raises ValueError with near names."""
    names = [incident.name for incident in INCIDENTS]
    if name in names:
        return INCIDENTS[names.index(name)]
    near = get_close_matches(name, names, n=3, cutoff=0.4) or names
    raise ValueError(f"no incident {name!r}; near: {', '.join(near)}")
