"""The radiation part of the base as people meet it: its channels, the shelter's commands and gates, the dosimeter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mission import rules
from mission.channel import LIFE, WEATHER, Channel, gauss
from mission.world import dose
from mission.world.radiation import CORE, FAN_W, Radiation, RadiationSection
from mission.world.spec import CheckSpec, CommandSpec, Numbers, Parameter, Part, Refusal, Truth
from mission.world.units import HOUR, MINUTE

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

MICRO = 1000.0
"""uGy in one mGy."""
FAN_SPEED = 1800.0
"""rpm of the shelter's fan."""
DOSIMETER_NOISE = 0.03
"""Relative: ten minutes of counts."""
DOSIMETER_W = 10.0
TASK_MIN = rules.number("FR-21", "task")
BETWEEN_H = rules.number("FR-21", "between")


def _radiation(base: Base) -> Radiation:
    return base.part("radiation")


def _named(parameters: Mapping[str, Any]) -> list[str]:
    return str(parameters["people"]).split(",")


def _enter_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    away = [person for person in _named(parameters) if base.people[person].zone != CORE]
    return Refusal(f"{', '.join(away)} not in the core, where the shelter is") if away else None


def _inside(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    absent = [person for person in _named(parameters) if person not in _radiation(base).sheltered]
    return Refusal(f"{', '.join(absent)} not in the shelter") if absent else None


def _waived(base: Base) -> bool:
    """Air that FR-03 says to leave."""
    return _radiation(base).ppco2(base.now()) >= rules.number("FR-03", "leave")


def _leave_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    refusal = _inside(base, parameters)
    if refusal or _waived(base) or _radiation(base).quiet_for(base.now()):
        return refusal
    quiet, wait = (rules.number("FR-21", name) for name in ("quiet", "wait"))
    return Refusal(f"the dose rate was {quiet:g} times the background or more within the last {wait:g} h", "FR-21")


def _task_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    refusal = _inside(base, parameters)
    if refusal:
        return refusal
    if len(_named(parameters)) > 1:
        return Refusal("one person at a time", "FR-21")
    last = _radiation(base).sorties[-1:]
    if last and base.now() - last[0] < BETWEEN_H * HOUR:
        return Refusal(f"one task outside the shelter in {BETWEEN_H:g} h", "FR-21")
    return None


def _repair_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    busy = any(task.command == "repair_shelter_fan" for task in base.tasks)
    return Refusal("the shelter's fan is being repaired already") if busy else None


def _enter(base: Base, parameters: Mapping[str, Any]) -> str:
    return f"{parameters['people']} on the way to the shelter"


def _entered(base: Base, parameters: Mapping[str, Any]) -> str:
    people = [person for person in _named(parameters) if base.people[person].zone == CORE]
    _radiation(base).put(people, inside=True)
    return f"{','.join(people) or 'nobody'} in the shelter"


def _leave(base: Base, parameters: Mapping[str, Any]) -> str:
    _radiation(base).put(_named(parameters), inside=False)
    return f"{parameters['people']} out of the shelter"


def _task(base: Base, parameters: Mapping[str, Any]) -> str:
    _radiation(base).sorties.append(base.now())
    _radiation(base).put(_named(parameters), inside=False)
    return f"{parameters['people']} out of the shelter, back in {TASK_MIN:g} min"


def _fan(base: Base, parameters: Mapping[str, Any]) -> str:
    radiation = _radiation(base)
    radiation.set_fan(on=parameters["on"])
    if parameters["on"] and not radiation.fan:
        return "commanded; the shelter's fan does not turn"
    return f"the shelter's fan is {'on' if radiation.fan else 'off'}"


def _repair(base: Base, parameters: Mapping[str, Any]) -> str:
    return "the shelter's fan is being repaired"


def _repaired(base: Base, parameters: Mapping[str, Any]) -> str:
    radiation = _radiation(base)
    radiation.fan_failed = False
    radiation.set_fan(on=True)
    return "the shelter's fan runs"


def _dosimeter(world: World, choice: str, duration: float) -> Numbers:
    base = world.base
    before = sum(event.received(world.now) for event in _radiation(base).events)
    base.set_extra_load("check_second_dosimeter", DOSIMETER_W)
    world.advance(world.now + duration)
    base.set_extra_load("check_second_dosimeter", 0.0)
    after = sum(event.received(world.now) for event in _radiation(base).events)
    mean = dose.BACKGROUND + (after - before) / duration * HOUR
    mean *= 1.0 + DOSIMETER_NOISE * gauss(world.seed, "check", "second_dosimeter", world.now)
    return Numbers({"rate": MICRO * mean}, {"rate": MICRO * dose.BACKGROUND}, {"rate": "uGy/h"})


def _highest_dose(base: Base, t: float) -> float:
    return max(_radiation(base).total(person, t)[0] for person in base.people)


_TRUTHS: dict[str, Truth] = {
    "radiation.rate": lambda base, t: MICRO * _radiation(base).rate(t),
    "radiation.alert": lambda base, t: float(_radiation(base).alert_active(t)),
    "radiation.highest_dose": _highest_dose,
    "shelter.people": lambda base, t: float(_radiation(base).occupants(t)),
    "shelter.ppco2": lambda base, t: _radiation(base).ppco2(t),
    "shelter.fan_speed": lambda base, t: FAN_SPEED * _radiation(base).fan_at(t),
}
_SKY, _ROOM = ("radiation", WEATHER), ("shelter", "core", "radiation", LIFE, WEATHER)
_CHANNELS = (
    Channel(
        name="radiation.rate", unit="uGy/h", description="dose rate outside, by the base's radiation detector",
        groups=_SKY, period_s=300.0, noise=0.4, bias=0.3, resolution=0.1, low=0.0, dropout=0.01,
    ),
    Channel(
        name="radiation.alert", unit="1", description="1 while a proton alert from Earth stands",
        groups=_SKY, period_s=60.0, resolution=1.0, low=0.0, high=1.0,
    ),
    Channel(
        name="radiation.highest_dose", unit="mGy", description="highest personal dose of the crew since the start",
        groups=(*_SKY, "crew", LIFE), period_s=600.0, noise=0.01, resolution=0.01, low=0.0,
    ),
    Channel(
        name="shelter.people", unit="count", description="people in the radiation shelter",
        groups=(*_ROOM, "crew"), period_s=60.0, resolution=1.0, low=0.0,
    ),
    Channel(
        name="shelter.ppco2", unit="mmHg", description="partial pressure of carbon dioxide in the shelter",
        groups=_ROOM, period_s=120.0, noise=0.05, bias=0.3, resolution=0.01, low=0.0,
    ),
    Channel(
        name="shelter.fan_speed", unit="rpm", description="speed of the shelter's fan",
        groups=(*_ROOM, "ventilation"), period_s=10.0, noise=5.0, resolution=10.0, low=0.0,
    ),
)  # fmt: skip
_PEOPLE = Parameter(name="people", kind="people", description="ids separated by commas, or all")
_ONE = Parameter(name="people", kind="people", description="the id of one person")
_ON = Parameter(name="on", kind="flag", description="true to run, false to stop")
PART = Part(
    name="radiation",
    section=RadiationSection,
    make=Radiation,
    channels=_CHANNELS,
    truths=_TRUTHS,
    commands=(
        CommandSpec(
            name="enter_shelter",
            description=f"People go from the core into the shelter; its fan draws {FAN_W:g} W while they are there.",
            parameters=(_PEOPLE,),
            duration_s=5 * MINUTE,
            gates="Refused for people who are not in the core.",
        ),
        CommandSpec(
            name="leave_shelter",
            description="People leave the shelter for the core.",
            parameters=(_PEOPLE,),
            gates=(
                f"FR-21: refused until the dose rate has been below {rules.number('FR-21', 'quiet'):g} times the "
                f"background for {rules.number('FR-21', 'wait'):g} h, unless CO2 in the shelter is at "
                f"{rules.number('FR-03', 'leave'):g} mmHg (FR-03)."
            ),
        ),
        CommandSpec(
            name="shelter_task",
            description=f"One person leaves the shelter for a task of {TASK_MIN:g} min and comes back.",
            parameters=(_ONE,),
            duration_s=TASK_MIN * MINUTE,
            gates=f"FR-21: one person at a time, once in {BETWEEN_H:g} h.",
        ),
        CommandSpec(
            name="set_shelter_fan",
            description="Run or stop the shelter's fan, 60 m3/h with the core.",
            parameters=(_ON,),
        ),
        CommandSpec(
            name="repair_shelter_fan",
            description="Repair the shelter's fan; it runs when done.",
            duration_s=30 * MINUTE,
            power_w=50.0,
            gates="Refused while it is being repaired already.",
        ),
    ),
    begin={
        "enter_shelter": _enter, "leave_shelter": _leave, "shelter_task": _task, "set_shelter_fan": _fan,
        "repair_shelter_fan": _repair,
    },
    done={"enter_shelter": _entered, "shelter_task": _entered, "repair_shelter_fan": _repaired},
    gates={
        "enter_shelter": _enter_gate, "leave_shelter": _leave_gate, "shelter_task": _task_gate,
        "repair_shelter_fan": _repair_gate,
    },
    checks=(
        CheckSpec(
            "second_dosimeter", "Dose rate outside, ten minutes of a second detector with its own electronics.",
            None, (), {"": 10.0}, DOSIMETER_W, _dosimeter,
        ),
    ),
)  # fmt: skip
