"""How the rovers and their ground stand at a scenario's start, and what a rover is about."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from mission.world import cabin
from mission.world.cabin import BATTERY, FIX_ERROR, SEATS, Rover
from mission.world.record import Record
from mission.world.terrain import EDGES, Edge, Leg, Node, Place
from mission.world.units import HOUR

Phase = Literal["drive", "out", "search", "transfer", "home"]


class RoverStart(Record):
    at: Node = "base"
    soc_percent: float = Field(default=100.0, ge=0, le=100)
    people: tuple[str, ...] = Field(default=(), max_length=SEATS)
    driving_to: Node | None = None
    error_m: float = Field(default=FIX_ERROR, ge=0, le=100_000)


class RoverSection(Record):
    rovers: tuple[RoverStart, RoverStart] = (RoverStart(), RoverStart())
    ways: tuple[Edge, ...] = Field(default=EDGES, min_length=1)

    @model_validator(mode="after")
    def _joined_up(self) -> Self:
        """Every way, and every place that a rover is at or goes to, can be reached from the base."""
        nodes = {node for way in self.ways for node in (way.a, way.b)}
        asked = {node for rover in self.rovers for node in (rover.at, rover.driving_to) if node is not None}
        reached: set[str] = {"base"}
        while more := {n for w in self.ways for n in (w.a, w.b) if {w.a, w.b} & reached} - reached:
            reached |= more
        lost = sorted((nodes | asked | {"base"}) - (reached & nodes))
        if lost:
            raise ValueError(f"no way joins {', '.join(lost)} to the base")
        return self


@dataclass(frozen=True)
class Plan:
    """What a rover is about: its phase, the legs after the present one, when a phase without legs ends."""

    phase: Phase
    legs: tuple[Leg, ...] = ()
    until: float = math.inf
    target: int = -1
    """The rover that a rescue goes to."""


def begun(start: RoverStart, place: Place) -> Rover:
    """A rover as its section says."""
    docked = start.at == "base" and start.driving_to is None
    return Rover(0.0, place, BATTERY * start.soc_percent / 100.0, start.people, docked, estimate=start.error_m)


def described(rover: Rover, plan: Plan | None, t: float) -> dict[str, Any]:
    """The state of a rover as JSON."""
    place, now = cabin.where(rover, t), cabin.advanced(rover, t)
    return {
        "way": f"{place.edge.a}-{place.edge.b}",
        "along_m": place.along,
        "crew": list(rover.crew),
        "docked": rover.docked,
        "driving": rover.driving,
        "plan": None if plan is None else {"phase": plan.phase, "legs": [asdict(leg) for leg in plan.legs]},
        "soc_percent": cabin.soc(rover, t),
        "slip": rover.slip,
        "position_error_m": cabin.error(rover, t),
        "estimated_error_m": now.estimate,
        "cabin_ppco2_mmhg": cabin.ppco2(rover, t),
        "haven_person_h": now.haven / HOUR,
        "dead": rover.dead,
    }
