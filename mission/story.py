"""What a flown world's log says, in words: one happening an event, with how much it matters.

For evaluators: incidents are named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from mission import dust, rules
from mission.flight import Answer
from mission.world.engine import World

__all__ = ["Happening", "Weight", "happenings"]

Weight = Literal["harm", "alarm", "cause", "act", "note", "routine"]
"""Harm to people or the end of a vehicle; an alarm, a rule's trigger or a loss of hardware; what the scenario does;
what was ordered and found; what else is worth a line; and what happens all the time."""
Event = Mapping[str, Any]
_QUANTITY = {
    "ppco2": "ppCO2", "ppco2_1h_mean": "1 h mean ppCO2", "pio2": "PIO2", "o2_share": "O2 share",
    "shelter_ppco2": "shelter ppCO2",
}  # fmt: skip
_BAD_WHEN_LOW = ("pio2",)
_SUIT = {
    "o2": "oxygen at its redline", "battery": "battery at its redline", "water": "no cooling water left",
    "pressure": "pressure under its limit", "turn_back": "time to turn back",
}  # fmt: skip
_EVA = {
    "egress": "into the airlock", "walk_out": "walk out", "work": "at work", "walk_back": "walk back",
    "ingress": "in the airlock, repressurising", "inside": "inside again",
}  # fmt: skip
_ACTIVITY = {"sleep": "sleep", "nominal": "up", "exercise": "exercise", "recovery": "rest after exercise"}
AT_ONCE = (rules.number("FR-02", "instant"), rules.number("FR-03", "leave"))
"""mmHg of ppCO2 at which a rule asks something at once; its other marks count as a mean, or once they are sustained."""
QUIET_SUIT = rules.number("FR-13", "quiet")
"""mmHg: a helmet at work passes it every time."""


@dataclass(frozen=True)
class Happening:
    """One line of a flight: at `t` s, of what kind, how much it matters, by which rule, and what."""

    t: float
    kind: str
    weight: Weight
    text: str
    rule: str = ""


def happenings(world: World, refused: Sequence[Answer] = ()) -> list[Happening]:
    """All that happened until now, in order; `refused` are checks that could not be made, which no log holds."""
    found: list[Happening] = []
    places = {person.id: person.zone for person in world.scenario.crew}
    events = [event for event in world.base.events if event["t"] <= world.now]
    for event in events:
        if event["kind"] == "crew":
            found.append(_person(world, event, places))
        else:
            found.append(_TOLD.get(event["kind"], _other)(world, event))
    found += [_dust(depth) for depth in dust.depths(world)]
    found += [_refused(answer) for answer in refused if not answer.accepted and answer.step.check is not None]
    return list(_together(sorted(found, key=lambda one: one.t)))


def _dust(depth: dust.Depth) -> Happening:
    if depth.rising:
        return Happening(depth.t, "MARK", "alarm", f"dust rises through an optical depth of {depth.level:g}", "FR-17")
    return Happening(depth.t, "clear", "note", f"dust back through an optical depth of {depth.level:g}", "FR-17")


def _together(found: Iterable[Happening]) -> Iterable[Happening]:
    """People who do the same at the same time share a line."""
    held: list[Happening] = []
    for one in found:
        if held and (one.t != held[0].t or one.kind != "crew"):
            yield from held
            held = []
        if one.kind != "crew":
            yield one
            continue
        person, _, what = one.text.partition(": ")
        for index, other in enumerate(held):
            people, _, same = other.text.partition(": ")
            if same == what and other.weight == one.weight:
                held[index] = replace(other, text=f"{people}, {person}: {what}")
                break
        else:
            held.append(one)
    yield from held


def _person(world: World, event: Event, places: dict[str, str]) -> Happening:
    t, person, zone, activity = event["t"], event["person"], event["zone"], event["activity"]
    before, places[person] = places[person], zone
    if activity == "lost":
        return Happening(t, "LOST", "harm", f"{person} is lost ({place(world, person, zone, t)})")
    if zone != before:
        return Happening(t, "crew", "note", f"{person}: {place(world, person, zone, t)}")
    return Happening(t, "crew", "routine", f"{person}: {_ACTIVITY.get(activity, activity)}, {zone}")


def place(world: World, person: str, zone: str, t: float) -> str:
    """Where somebody is: a zone, aboard a rover, or outside in a suit."""
    if zone != "outside":
        return zone
    rovers = world.base.part("rover")
    aboard = [number for number in (1, 2) if person in rovers.rover(number - 1, t).crew]
    return f"aboard rover {aboard[0]}" if aboard else "outside in a suit"


def _incident(world: World, event: Event) -> Happening:
    nothing: dict[str, Any] = {}
    given = next(
        (
            one.parameters
            for one in world.scenario.incidents
            if one.incident == event["incident"] and abs(one.onset_h * 3600.0 - event["t"]) < 1.0
        ),
        nothing,
    )
    shown = {name: event["parameters"][name] for name in given if name in event["parameters"]} or event["parameters"]
    return Happening(event["t"], "incident", "cause", f"{event['incident']}{_given(shown)}")


def _crossing(world: World, event: Event) -> Happening:
    quantity, rising = event["quantity"], event.get("direction", "rising") == "rising"
    what = f"{event.get('zone', '')} {_QUANTITY.get(quantity, quantity)}".strip()
    unit = event.get("unit", "mmHg")
    empty = "" if event.get("occupied", True) else ", nobody there"
    if rising == (quantity in _BAD_WHEN_LOW):
        return Happening(
            event["t"], "clear", "note", f"{what} back through {event['level']:g} {unit}{empty}", event["rule"]
        )
    text = f"{what} {'rises' if rising else 'falls'} through {event['level']:g} {unit}{empty}"
    only_passed = quantity == "ppco2" and event["level"] not in AT_ONCE
    return Happening(event["t"], "MARK" if only_passed else "TRIGGER", "alarm", text, event["rule"])


def _rule(world: World, event: Event) -> Happening:
    where = f"{event['zone']}: " if "zone" in event else ""
    return Happening(event["t"], "TRIGGER", "alarm", f"{where}{event['why']}", event["rule"])


def _toxic(world: World, event: Event) -> Happening:
    zone, substance, t = event["zone"], str(event.get("substance", "")), event["t"]
    name = substance if substance == "smoke" else substance.upper()
    match event["event"]:
        case "alarm":
            cue = f" ({event['why']})" if "why" in event else ""
            return Happening(t, "ALARM", "alarm", f"{name} in the {zone}{cue}", event["rule"])
        case "clear":
            return Happening(t, "clear", "note", f"{name} in the {zone} back under its alarm", event["rule"])
        case other:
            return Happening(t, "fire", "note", f"{zone}: {other}")


def _battery(world: World, event: Event) -> Happening:
    soc, rising = event["soc_percent"], event["direction"] == "rising"
    names = [name for name in ("first", "second", "floor", "trip") if abs(soc - rules.number("FR-19", name)) < 1e-6]
    text = f"battery {'rises' if rising else 'falls'} through {soc:.3g} %"
    if names and not rising:
        return Happening(event["t"], "TRIGGER", "alarm", f"{text} ({names[0]} mark)", "FR-19")
    return Happening(event["t"], "battery", "note" if soc < 95.0 - 1e-6 else "routine", text)


def _thermal(world: World, event: Event) -> Happening:
    if event.get("event") == "cold plate warm":
        return Happening(event["t"], "ALARM", "alarm", f"cold plate at {event['temperature_c']:.3g} degC and warming")
    mark, rising = event["mark_c"], event["rising"]
    bad = rising == (mark > 20.0)
    text = f"{event['zone']} air {'rises' if rising else 'falls'} through {mark:g} degC"
    return Happening(event["t"], "ALARM" if bad else "clear", "alarm" if bad else "note", text)


def _coolant(world: World, event: Event) -> Happening:
    loop, what, t = event["loop"], event["event"], event["t"]
    if what == "restart":
        said = "it runs" if event["runs"] else "it does not start" + (", the motor burns out" if event["burnt"] else "")
        return Happening(t, "coolant", "note", f"loop {loop}: restart {event['attempt']}, {said}")
    where = f" ({event['where']})" if "where" in event else ""
    return Happening(t, "ALARM", "alarm", f"loop {loop}: {what}{where}")


def _radiation(world: World, event: Event) -> Happening:
    if "alert" in event:
        return _alert(event)
    rising, t, rate = event["direction"] == "rising", event["t"], event["level_mgy_h"] * 1000.0
    if rising:
        return Happening(t, "TRIGGER", "alarm", f"dose rate rises through {rate:.3g} uGy/h", event["rule"])
    return Happening(t, "clear", "note", f"dose rate back through {rate:.3g} uGy/h", event["rule"])


def _alert(event: Event) -> Happening:
    if event["alert"] == "arrives":
        return Happening(event["t"], "ALARM", "alarm", "proton alert comes in", event["rule"])
    return Happening(event["t"], "clear", "note", "proton alert is over", event["rule"])


def _suit(world: World, event: Event) -> Happening:
    what, t, suit = event["what"], event["t"], event["suit"]
    if "rule" not in event:
        return Happening(t, "LOST", "harm", f"suit {suit}: {what}")
    if "level_mmhg" not in event:
        return Happening(t, "TRIGGER", "alarm", f"suit {suit}: {_SUIT.get(what, what)}", event["rule"])
    level = event["level_mmhg"]
    text = f"suit {suit}: helmet CO2 rises through {level:g} mmHg"
    if level <= QUIET_SUIT:
        return Happening(t, "suit", "note", text, event["rule"])
    return Happening(t, "TRIGGER", "alarm", text, event["rule"])


def _eva(world: World, event: Event) -> Happening:
    return Happening(event["t"], "eva", "note", f"{_EVA.get(event['phase'], event['phase'])} ({event['task']})")


def _rover(world: World, event: Event) -> Happening:
    t, name, what = event["t"], f"rover {event['rover']}", event["what"]
    match what:
        case "dead":
            return Happening(t, "LOST", "harm", f"{name}: dead, {event['why']}")
        case "cabin CO2":
            return Happening(t, "ALARM", "alarm", f"{name}: cabin ppCO2 rises through {event['level_mmhg']:g} mmHg")
        case "stopped":
            ruled = event["rule"] is not None
            kind, weight = ("TRIGGER", "alarm") if ruled else ("rover", "note")
            return Happening(t, kind, weight, f"{name} stops: {event['why']}", event["rule"] or "")
        case "fix":
            return Happening(t, "rover", "routine", f"{name}: position fixed")
        case _:
            rest = {key: value for key, value in event.items() if key not in ("t", "kind", "rover", "what")}
            return Happening(t, "rover", "note", f"{name}: {what}{_given(rest) if rest else ''}")


def _command(world: World, event: Event) -> Happening:
    said = f"{event['command']}{_given(event['parameters'])} by {event['by']}: {event['reason']}"
    kind = "command" if event["accepted"] else "REFUSED"
    return Happening(event["t"], kind, "act", said, event.get("rule") or "")


def _completed(world: World, event: Event) -> Happening:
    return Happening(event["t"], "done", "act", f"{event['command']}{_given(event['parameters'])}: {event['result']}")


def _check(world: World, event: Event) -> Happening:
    nominal, units = event.get("nominal", {}), event["units"]
    told = (_number(key, value, nominal.get(key), units.get(key, "")) for key, value in event["measured"].items())
    return Happening(event["t"], "check", "act", f"{event['check']}{_given(event['parameters'])}: {', '.join(told)}")


def _refused(answer: Answer) -> Happening:
    step = answer.step
    return Happening(answer.t_s, "REFUSED", "act", f"{step.check}{_given(step.parameters)}: {answer.reason}")


def _plain(kind: str, weight: Weight, words: Callable[[Event], str]) -> Callable[[World, Event], Happening]:
    return lambda world, event: Happening(event["t"], kind, weight, words(event), event.get("rule") or "")


def _other(world: World, event: Event) -> Happening:
    fields = {key: value for key, value in event.items() if key not in ("t", "kind", "rule")}
    text = ", ".join(f"{name} {_value(value)}" for name, value in fields.items())
    return Happening(event["t"], event["kind"], "note", text, event.get("rule") or "")


def _mode(event: Event) -> str:
    return ", ".join(f"{name} {_value(value)}" for name, value in event.items() if name not in ("t", "kind"))


_TOLD: dict[str, Callable[[World, Event], Happening]] = {
    "incident": _incident,
    "crossing": _crossing,
    "rule": _rule,
    "toxic": _toxic,
    "battery": _battery,
    "thermal": _thermal,
    "coolant": _coolant,
    "radiation": _radiation,
    "suit": _suit,
    "eva": _eva,
    "rover": _rover,
    "command": _command,
    "completed": _completed,
    "check": _check,
    "trip": _plain("ALARM", "alarm", lambda event: f"{event['unit']} trips: {event['why']}"),
    "hydrogen": _plain("ALARM", "alarm", lambda event: f"hydrogen in oxygen at {event['percent']:g} %: {event['why']}"),
    "mask": _plain("ALARM", "alarm", lambda event: f"{event['person']}: mask {event['event']}"),
    "shed": _plain("ALARM", "alarm", lambda event: f"{event['why']}; shed: {', '.join(event['loads'])}"),
    "plating": _plain(
        "ALARM", "alarm",
        lambda event: f"battery charged at {event['temperature_c']:.3g} degC: "
        f"{event['capacity_lost_percent']:g} % of capacity lost for good",
    ),
    "battery_cells": _plain(
        "battery", "note",
        lambda event: f"cells {'fall below' if event['below_zero'] else 'rise above'} 0 degC",
    ),
    "temperature": _plain("setting", "cause", lambda event: f"{event['zone']} air at {event['temperature_c']:g} degC"),
    "valve": _plain(
        "valve", "routine", lambda event: f"{event['gas']} make-up {'opens' if event['open'] else 'shuts'}"
    ),
    "mode": _plain("mode", "routine", _mode),
}  # fmt: skip


def _number(name: str, value: float, nominal: float | None, unit: str) -> str:
    told = f"{name} {value:.6g} {unit}".rstrip()
    return told if nominal is None else f"{told} (nominal {nominal:g})"


def _given(parameters: Mapping[str, Any]) -> str:
    return f"({', '.join(f'{name}={_value(value)}' for name, value in parameters.items())})"


def _value(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case dict():
            return _given(value) if value else "-"  # pyright: ignore[reportUnknownArgumentType]
        case list() | tuple():
            return " ".join(_value(item) for item in value) or "-"  # pyright: ignore[reportUnknownVariableType]
        case _:
            return str(value)
