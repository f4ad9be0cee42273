"""Levels that a flight is watched against: the scenario's objectives, the rules' numbers, and where they were passed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from mission import rules
from mission.world import oxygen
from mission.world.cold_plate import WARM
from mission.world.engine import Scenario, World
from mission.world.radiation import QUIET
from mission.world.thermal import MARKS_C

__all__ = ["Limit", "Passing", "limits", "passings"]

_RULED: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("*.ppco2_1h_mean", "FR-01", ("caution",)),
    ("*.ppco2", "FR-02", ("instant",)),
    ("*.ppco2", "FR-03", ("emergency", "leave")),
    ("*.pio2", "FR-04", ("caution", "warning", "absolute", "critical")),
    ("*.o2_share", "FR-05", ("caution", "fire")),
    ("[cl]*.smoke", "FR-09", ("smoke",)),
    ("*.co", "FR-09", ("co",)),
    ("*.hcn", "FR-09", ("hcn",)),
    ("*.hcl", "FR-09", ("hcl",)),
    ("*.nh3", "FR-10", ("alarm",)),
    ("site.tau", "FR-12", ("tau",)),
    ("site.wind", "FR-12", ("wind",)),
    ("suit_?.co2", "FR-13", ("co2", "purge")),
    ("suit_?.battery", "FR-13", ("battery",)),
    ("eva.elapsed", "FR-13", ("plan", "hard")),
    ("eva.distance", "FR-14", ("limit",)),
    ("rover_?.position_error", "FR-16", ("error",)),
    ("rover_?.cabin_co2", "FR-03", ("emergency", "leave")),
    ("battery.soc", "FR-19", ("first", "second", "floor", "trip")),
    ("battery.temperature*", "FR-19", ("cold",)),
)
"""Courses, and the numbers of rules that they are held to; every number is in its course's unit."""


@dataclass(frozen=True)
class Limit:
    """A level on a course, and whose it is; `objective` if the flight is judged by it."""

    curve: str
    level: float
    name: str
    objective: bool = False


@dataclass(frozen=True)
class Passing:
    """A mark that a course went through at `t` s, by the world's own log."""

    t: float
    curve: str
    rising: bool
    name: str


def limits(curve: str, scenario: Scenario) -> list[Limit]:
    """The levels on a course: objectives first."""
    found = [
        Limit(curve, one.level, f"{one.id} {'≤' if one.upper else '≥'} {one.level:g}", objective=True)
        for one in scenario.objectives
        if one.of == curve and one.kind != "cumulative"
    ]
    for pattern, rule, names in _RULED:
        if fnmatch(curve, pattern):
            found += [_ruled(curve, rule, name) for name in names]
    return found + [Limit(curve, level, name) for level, name in _HARDWARE.get(curve, ())]


def _ruled(curve: str, rule: str, name: str) -> Limit:
    level = rules.number(rule, name)
    return Limit(curve, level, f"{rule} {name} {level:g}")


_HARDWARE: Mapping[str, tuple[tuple[float, str], ...]] = {
    "thermal.coldplate_temperature": ((WARM, "cold plate warm"),),
    "oga.h2": ((oxygen.TRIP, "trips"), (oxygen.FLAMMABLE, "flammable")),
    "radiation.rate": ((QUIET * 1000.0, "FR-21 quiet"),),
    **{f"{zone}.temperature": tuple((mark, "air mark") for mark in MARKS_C) for zone in ("core", "lab")},
}


def passings(world: World) -> list[Passing]:
    """Where a course went through a mark, by the world's own log."""
    events = (event for event in world.base.events if event["t"] <= world.now)
    return [passing for event in events for passing in _passing(event)]


def _passing(event: Mapping[str, Any]) -> Iterator[Passing]:
    t, rule = event["t"], str(event.get("rule") or "")
    match event:
        case {"kind": "crossing", "zone": zone, "quantity": quantity, "direction": direction}:
            yield Passing(t, f"{zone}.{quantity}", direction == "rising", rule)
        case {"kind": "crossing", "quantity": "shelter_ppco2"}:
            yield Passing(t, "shelter.ppco2", True, rule)
        case {"kind": "battery", "soc_percent": soc, "direction": direction}:
            if any(abs(soc - rules.number("FR-19", name)) < 1e-6 for name in ("first", "second", "floor", "trip")):
                yield Passing(t, "battery.soc", direction == "rising", "FR-19")
        case {"kind": "toxic", "event": "alarm" | "clear" as what, "substance": substance, "zone": zone} if (
            "why" not in event or event["why"] == "detector"
        ):
            yield Passing(t, f"{zone}.{substance}", what == "alarm", rule)
        case {"kind": "thermal", "event": "cold plate warm"}:
            yield Passing(t, "thermal.coldplate_temperature", True, "warm")
        case {"kind": "thermal", "zone": zone, "rising": rising}:
            yield Passing(t, f"{zone}.temperature", rising, "")
        case {"kind": "radiation", "direction": direction}:
            yield Passing(t, "radiation.rate", direction == "rising", rule)
        case {"kind": "suit", "suit": suit, "level_mmhg": _}:
            yield Passing(t, f"suit_{suit}.co2", True, rule)
        case {"kind": "suit", "suit": suit, "what": "o2" | "turn_back" as what}:
            yield Passing(t, f"suit_{suit}.o2", False, f"{rule} {what.replace('_', ' ')}")
        case {"kind": "rover", "rover": rover, "what": "cabin CO2", "level_mmhg": _}:
            yield Passing(t, f"rover_{rover}.cabin_co2", True, "")
        case {"kind": "trip", "unit": "oga"}:
            yield Passing(t, "oga.h2", True, "trip")
        case _:
            return
