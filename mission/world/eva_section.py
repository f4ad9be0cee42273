"""How suits and an EVA stand at a scenario's start, and the records an EVA is kept in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from mission.world import suit as model
from mission.world.record import Record
from mission.world.suit import Stores

Task = Literal["radiator", "antenna", "solar_array", "reactor", "sampling", "traverse"]
Phase = Literal["egress", "walk_out", "work", "walk_back", "ingress"]
TASKS: dict[Task, tuple[float, float]] = {
    "radiator": (0.1, 1000.0),
    "antenna": (0.1, 850.0),
    "solar_array": (0.3, 1000.0),
    "reactor": (1.2, 1000.0),
    "sampling": (1.5, 1000.0),
    "traverse": (4.0, 1200.0),
}
"""km from the airlock and Btu/h; ours, inside the rates of design study 1.8."""
FROM_REACTOR: dict[Task, float] = {"reactor": 0.0, "sampling": 1.5, "traverse": 3.0}
"""km between the reactor and where a task is done; what is not named is at the base, outside FR-20's zone. Ours."""


class SuitStart(Record):
    """What a suit holds at the start, as shares of full."""

    o2_percent: float = Field(default=100.0, ge=0, le=100)
    scrubber_percent: float = Field(default=100.0, ge=0, le=100)
    battery_percent: float = Field(default=100.0, ge=0, le=100)
    water_percent: float = Field(default=100.0, ge=0, le=100)


class Outside(Record):
    """An EVA that is under way at the start: at its site, with `work_h` hours of work to go."""

    people: tuple[str, ...] = Field(min_length=1, max_length=2)
    task: Task
    work_h: float = Field(ge=1e-6, le=7)
    since_h: float = Field(default=1.0, ge=0, le=7)
    """How long the hatch has been open."""


class EvaSection(Record):
    suits: tuple[SuitStart, SuitStart] = (SuitStart(), SuitStart())
    distance_km: dict[Task, Annotated[float, Field(ge=1e-6, le=50)]] = {}
    """Where a task is done, if not where it usually is."""
    from_reactor_km: dict[Task, float] = {}
    """How far from the reactor a task is done, if not where it usually is."""
    outside: Outside | None = None


@dataclass(frozen=True)
class Breath:
    """Prebreathe of one person from `t0` on: `owed` s still to breathe; `on` the mask or off it."""

    t0: float
    owed: float
    on: bool


@dataclass(frozen=True)
class Excursion:
    """One EVA: (suit, person) of everybody in it, where to, and how far it has come."""

    wearers: tuple[tuple[int, str], ...]
    task: Task
    distance: float
    """m"""
    back_s: float
    """When it is planned to be back at the hatch."""
    hatch_s: float
    """When the outer hatch opened."""
    phase: Phase
    until: float
    slow: bool = False


@dataclass(frozen=True)
class Way:
    """Distance from the airlock over time: m at `t0` and m/s."""

    t0: float
    distance: float
    speed: float


def full_as(start: SuitStart) -> Stores:
    """The stores of a suit that is as full as its section says."""
    return Stores(
        o2=model.O2_FULL * start.o2_percent / 100.0,
        scrubber=model.SCRUBBER * (1.0 - start.scrubber_percent / 100.0),
        battery=model.BATTERY * start.battery_percent / 100.0,
        water=model.WATER_FULL * start.water_percent / 100.0,
    )
