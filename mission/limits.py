"""Levels that a flight is watched against: objectives, the rules' numbers, and where they were passed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from mission import dust, rules
from mission.world import oxygen
from mission.world.cold_plate import WARM
from mission.world.engine import Scenario, World
from mission.world.radiation import QUIET
from mission.world.thermal_segment import MARKS_C

Event = Mapping[str, Any]
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
    ("site.tau", "FR-17", ("tau", "dim", "dark")),
    ("site.wind", "FR-12", ("wind",)),
    ("suit_?.co2", "FR-13", ("co2", "purge")),
    ("suit_?.battery", "FR-13", ("battery",)),
    ("eva.elapsed", "FR-13", ("plan", "hard")),
    ("eva.distance", "FR-14", ("limit",)),
    ("rover_?.distance", "FR-15", ("radius",)),
    ("rover_?.soc", "FR-15", ("back",)),
    ("rover_?.position_error", "FR-16", ("error",)),
    ("rover_?.cabin_co2", "FR-03", ("emergency", "leave")),
    ("loop_?.supply_temperature", "FR-11", ("cold",)),
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
    """A mark that a course went through at `t` s, by the world's own log or, for dust, by the sky."""

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
    return found + [Limit(curve, level, f"{name} {level:.3g}") for level, name in _HARDWARE.get(curve, ())]


def _ruled(curve: str, rule: str, name: str) -> Limit:
    level = rules.number(rule, name)
    return Limit(curve, level, f"{rule} {name} {level:g}")


_HARDWARE: Mapping[str, tuple[tuple[float, str], ...]] = {
    "thermal.coldplate_temperature": ((WARM, "cold plate warm"),),
    "oga.h2": ((oxygen.FLAMMABLE, "flammable"),),
    "oga.h2_shown": ((oxygen.TRIP, "trips"),),
    "radiation.rate": ((QUIET * 1000.0, "FR-21 quiet"),),
    **{f"{zone}.temperature": tuple((mark, "air mark") for mark in MARKS_C) for zone in ("core", "lab")},
}


def passings(world: World) -> list[Passing]:
    """Where a course went through a mark."""
    events = (event for event in world.base.events if event["t"] <= world.now)
    dusty = [Passing(one.t, "site.tau", one.rising, "FR-17") for one in dust.depths(world)]
    found = (_PASSED[event["kind"]](event) for event in events if event["kind"] in _PASSED)
    return [*dusty, *(passing for passing in found if passing is not None)]


def _crossing(event: Event) -> Passing | None:
    if event["quantity"] == "shelter_ppco2":
        return Passing(event["t"], "shelter.ppco2", True, event["rule"])
    return Passing(event["t"], f"{event['zone']}.{event['quantity']}", event["direction"] == "rising", event["rule"])


def _battery(event: Event) -> Passing | None:
    marks = (rules.number("FR-19", name) for name in ("first", "second", "floor", "trip"))
    if all(abs(event["soc_percent"] - mark) > 1e-6 for mark in marks):
        return None
    return Passing(event["t"], "battery.soc", event["direction"] == "rising", "FR-19")


def _toxic(event: Event) -> Passing | None:
    """An alarm by a detector; one by another cue passes no mark."""
    if event["event"] not in ("alarm", "clear") or event.get("why", "detector") != "detector":
        return None
    return Passing(event["t"], f"{event['zone']}.{event['substance']}", event["event"] == "alarm", event["rule"])


def _thermal(event: Event) -> Passing | None:
    if "zone" in event:
        return Passing(event["t"], f"{event['zone']}.temperature", event["rising"], "")
    return Passing(event["t"], "thermal.coldplate_temperature", True, "warm")


def _radiation(event: Event) -> Passing | None:
    """A passing of the quiet level; alerts come and end without one."""
    if "direction" not in event:
        return None
    return Passing(event["t"], "radiation.rate", event["direction"] == "rising", event["rule"])


def _suit(event: Event) -> Passing | None:
    course, what = f"suit_{event['suit']}", event["what"]
    if "level_mmhg" in event:
        return Passing(event["t"], f"{course}.co2", True, event["rule"])
    if what in ("o2", "turn_back"):
        return Passing(event["t"], f"{course}.o2", False, f"{event['rule']} {what.replace('_', ' ')}")
    return None


def _rover(event: Event) -> Passing | None:
    if event["what"] != "cabin CO2":
        return None
    return Passing(event["t"], f"rover_{event['rover']}.cabin_co2", True, "")


def _trip(event: Event) -> Passing | None:
    return Passing(event["t"], "oga.h2_shown", True, "trip")


_PASSED: Mapping[str, Callable[[Event], Passing | None]] = {
    "crossing": _crossing, "battery": _battery, "toxic": _toxic, "thermal": _thermal, "radiation": _radiation,
    "suit": _suit, "rover": _rover, "trip": _trip,
}  # fmt: skip
