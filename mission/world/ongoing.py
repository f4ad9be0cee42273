"""Orders that state no duration and take one: what comes after them in a plan waits for their end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mission.world.base import Base

__all__ = ["OPEN_ENDED", "under_way"]


def _outside(base: Base, p: Mapping[str, Any]) -> bool:
    return base.part("eva").excursion is not None


def _driving(base: Base, p: Mapping[str, Any]) -> bool:
    return base.part("rover").plan(("1", "2").index(p["rover"])) is not None


def _diluting(base: Base, p: Mapping[str, Any]) -> bool:
    return base.part("oxygen").dilute_to > 0.0


OPEN_ENDED: Mapping[str, Callable[[Base, Mapping[str, Any]], bool]] = {
    "begin_eva": _outside,
    "recall_eva": _outside,
    "rover_drive": _driving,
    "dispatch_rescue": _driving,
    "dilute_n2": _diluting,
}
"""Whether each goes on: until everybody is inside, the rover stands, no nitrogen flows."""


def under_way(base: Base, command: str, parameters: Mapping[str, Any]) -> bool:
    """Whether what was begun with such an order is not over yet; False for one that ends at its stated time."""
    goes_on = OPEN_ENDED.get(command)
    return goes_on is not None and goes_on(base, parameters)


def prebreathed(base: Base, parameters: Mapping[str, Any]) -> float:
    """When people who have just been put on the mask owe nothing any more, s."""
    t, eva = base.now(), base.part("eva")
    return t + max(eva.owed(person, t) for person in str(parameters["people"]).split(","))
