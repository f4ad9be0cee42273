"""What can be asked of rovers and those in them: commands with the gates of FR-15 and FR-16."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast, get_args

from mission import rules
from mission.world import cabin, terrain
from mission.world.outdoors import dark, dust
from mission.world.rover import ROVERS, Rovers
from mission.world.rover_looks import CHANNELS, CHECKS, HEARD, TRUTHS, rovers, unheard
from mission.world.rover_section import RoverSection
from mission.world.spec import CommandSpec, Parameter, Part, Refusal, choice
from mission.world.terrain import Leg, Node
from mission.world.units import HOUR, KWH, MINUTE

if TYPE_CHECKING:
    from mission.world.base import Base

BOARDING = 15 * MINUTE
SUN_FIX = 10 * MINUTE
_ROVER = choice("rover", "rover", *ROVERS)
_PEOPLE = Parameter(name="people", kind="people", description="ids separated by commas, or all")


def _index(p: Mapping[str, object]) -> int:
    return ROVERS.index(str(p["rover"]))


def _rover(base: Base, p: Mapping[str, object]) -> cabin.Rover:
    return rovers(base).rover(_index(p), base.now())


def _board(base: Base, p: Mapping[str, Any]) -> str:
    return f"{p['people']} on the way into rover {p['rover']}"


def _boarded(base: Base, p: Mapping[str, Any]) -> str:
    names = [n for n in p["people"].split(",") if base.people[n].activity in ("nominal", "recovery")]
    rover = _rover(base, p)
    if not rover.docked or len(rover.crew) + len(names) > cabin.SEATS:
        return "nobody boarded: the rover has left or is full"
    rovers(base).board(_index(p), names)
    return f"{','.join(names) or 'nobody'} in rover {p['rover']}"


def _leave(base: Base, p: Mapping[str, Any]) -> str:
    rovers(base).leave(_index(p))
    return f"rover {p['rover']} is empty; its crew is in the core"


def _drive(base: Base, p: Mapping[str, Any]) -> str:
    legs, t = _legs(base, p), base.now()
    rovers(base).drive(_index(p), p["to"])
    hours = sum(leg.length / cabin.pace(leg, dust(base, t), dark=dark(base, t)) for leg in legs) / HOUR
    return f"rover {p['rover']} drives {terrain.length(legs) / 1000.0:.1f} km to {p['to']}, {hours:.1f} h"


def _stop(base: Base, p: Mapping[str, Any]) -> str:
    rovers(base).stop(_index(p))
    return f"rover {p['rover']} stands"


def _take_fix(base: Base, p: Mapping[str, Any]) -> str:
    return "the driver looks for the sun"


def _fix_taken(base: Base, p: Mapping[str, Any]) -> str:
    return "position fixed" if rovers(base).fix_by_sun(_index(p)) else "no sun to take a fix by"


def _rescue(base: Base, p: Mapping[str, Any]) -> str:
    block, index = rovers(base), _index(p)
    kilometres = block.account(1 - index, base.now()) / 1000.0
    block.rescue(index, 1 - index)
    return f"rover {p['rover']} leaves for rover {ROVERS[1 - index]}, {kilometres:.1f} km away"


def _legs(base: Base, p: Mapping[str, object]) -> list[Leg]:
    """The way that is asked for, as the rover's navigation knows it."""
    block = rovers(base)
    return block.known_legs(_index(p), block.node(cast("Node", p["to"])))


def _boardable(base: Base, p: Mapping[str, object]) -> Refusal | None:
    names, rover = str(p["people"]).split(","), _rover(base, p)
    if not rover.docked:
        return Refusal(f"rover {p['rover']} is not at the base")
    if len(rover.crew) + len(names) > cabin.SEATS:
        return Refusal(f"rover {p['rover']} has {cabin.SEATS} seats")
    for person in names:
        if base.people[person].activity not in ("nominal", "recovery"):
            return Refusal(f"{person} cannot: {base.people[person].activity}")
    sheltered = base.part("radiation").kept(names)
    return Refusal(f"{', '.join(sheltered)} in the shelter: leave_shelter first") if sheltered else None


def _leavable(base: Base, p: Mapping[str, object]) -> Refusal | None:
    rover = _rover(base, p)
    if not rover.docked:
        return Refusal(f"rover {p['rover']} is not at the base")
    return None if rover.crew else Refusal(f"nobody is in rover {p['rover']}")


def _heard(base: Base, p: Mapping[str, object]) -> Refusal | None:
    why = unheard(base, _index(p))
    return Refusal(why) if why else None


def _stoppable(base: Base, p: Mapping[str, object]) -> Refusal | None:
    busy = rovers(base).plan(_index(p)) is not None
    return _heard(base, p) or (None if busy else Refusal(f"rover {p['rover']} stands already"))


def _standing(base: Base, p: Mapping[str, object]) -> Refusal | None:
    if _rover(base, p).docked:
        return Refusal(f"rover {p['rover']} is at the base and knows where it is")
    busy = any(task.command == "take_fix" and task.parameters["rover"] == p["rover"] for task in base.tasks)
    return _heard(base, p) or (Refusal("a fix is being taken") if busy else None)


def _dusty(base: Base, p: Mapping[str, object]) -> Refusal | None:
    """FR-16: nobody drives in thick dust or without knowing where."""
    index, t = _index(p), base.now()
    now, rover = cabin.advanced(_rover(base, p), t), rovers(base).estimate(index, t)
    if dust(base, t) > rules.number("FR-16", "stop"):
        return Refusal(f"tau is {dust(base, t):.1f}, above {rules.number('FR-16', 'stop'):g}", "FR-16")
    if rover >= rules.number("FR-16", "error"):
        return Refusal(f"position error is {rover:.0f} m; {rules.number('FR-16', 'error'):g} is the limit", "FR-16")
    if now.driven >= rules.number("FR-16", "fix") * HOUR:
        return Refusal(f"no fix for {rules.number('FR-16', 'fix'):g} h of driving", "FR-16")
    return None


def _known(base: Base, p: Mapping[str, object]) -> Refusal | None:
    there = any(p["to"] in (way.a, way.b) for way in rovers(base).ways)
    return None if there else Refusal(f"no way leads to {p['to']}")


def _drivable(base: Base, p: Mapping[str, object]) -> Refusal | None:
    refusal = _heard(base, p) or _known(base, p) or _dusty(base, p)
    if refusal is not None:
        return refusal
    block, legs = rovers(base), _legs(base, p)
    if not legs:
        return Refusal(f"rover {p['rover']} is at {p['to']}")
    if any(abs(leg.slope) > terrain.STEEPEST for leg in legs):
        return Refusal(f"the way is steeper than {terrain.STEEPEST:g} degrees")
    back = terrain.route(block.ways, block.node(cast("Node", p["to"])), block.home)
    return _affordable(base, p, legs, back) if back else None


def _affordable(base: Base, p: Mapping[str, object], legs: list[Leg], back: list[Leg]) -> Refusal | None:
    """FR-15: radius, energy out and back, the second rover. The way home is always open."""
    index, t = _index(p), base.now()
    tau, night, away = dust(base, t), dark(base, t), terrain.length(back) / 1000.0
    if away > rules.number("FR-15", "radius"):
        return Refusal(f"{p['to']} is {away:g} km from the base", "FR-15")
    out = cabin.cost(legs, tau, dark=night)
    usable = (1.0 - cabin.FLOOR) * cabin.BATTERY
    if out > rules.number("FR-15", "outbound") / 100.0 * usable:
        return Refusal(f"the way there takes {out / KWH:.1f} kWh", "FR-15")
    left = cabin.soc(_rover(base, p), t) - 100.0 * (out + cabin.cost(back, tau, dark=night)) / cabin.BATTERY
    if left < rules.number("FR-15", "back"):
        return Refusal(f"{left:.0f} % would be left on return", "FR-15")
    return _paired(base, index, t) if away > rules.number("FR-15", "walk_back") else None


def _paired(base: Base, index: int, t: float) -> Refusal | None:
    other = rovers(base).rover(1 - index, t)
    ready = not other.docked or cabin.soc(other, t) >= rules.number("FR-15", "ready")
    if ready and not other.dead:
        return None
    return Refusal(f"rover {ROVERS[1 - index]} is not ready at {rules.number('FR-15', 'ready'):g} %", "FR-15")


def _rescuable(base: Base, p: Mapping[str, object]) -> Refusal | None:
    block, index, t = rovers(base), _index(p), base.now()
    rover, other = block.rover(index, t), block.rover(1 - index, t)
    if not rover.docked or not rover.crew:
        return Refusal(f"rover {p['rover']} is not at the base with a driver")
    if other.docked or not other.crew:
        return Refusal(f"nobody is out with rover {ROVERS[1 - index]}")
    if len(rover.crew) + len(other.crew) > cabin.SEATS:
        return Refusal(f"rover {p['rover']} has {cabin.SEATS} seats")
    return _may_leave(base, index, t)


def _may_leave(base: Base, index: int, t: float) -> Refusal | None:
    """FR-16 for a rescue: dust, charge, a word with the others, and energy for both ways."""
    block, tau, night = rovers(base), dust(base, t), dark(base, t)
    if tau >= rules.number("FR-16", "rescue"):
        return Refusal(f"tau is {tau:.1f}; a rescue leaves below {rules.number('FR-16', 'rescue'):g}", "FR-16")
    charge = cabin.soc(block.rover(index, t), t)
    if charge < rules.number("FR-16", "ready"):
        return Refusal(f"charge is {charge:.0f} %, below {rules.number('FR-16', 'ready'):g}", "FR-16")
    if not base.part("comms").reaches(t, block.distance(1 - index, t) / 1000.0):
        return Refusal(f"no word with rover {ROVERS[1 - index]} now: wait for the next relay pass", "FR-16")
    there = cabin.account(block.rover(1 - index, t), t)
    ways = (block.legs(index, there), terrain.route(block.ways, there, block.home))
    spent = sum(cabin.cost(way, tau, dark=night) for way in ways)
    spent += cabin.search_cost(block.estimate(1 - index, t), tau, dark=night)
    left = charge - 100.0 * spent / cabin.BATTERY
    if left < rules.number("FR-15", "back"):
        return Refusal(f"{left:.0f} % would be left on return", "FR-15")
    return None


def _limit(rule: str, name: str) -> str:
    return str(rules.get(rule).numbers[name])


_AWAY = "Refused without a crew aboard, and beyond local radio (8.2 km with the mast of 10 m) while no relay passes."
COMMANDS = (
    CommandSpec(
        name="board_rover",
        description=f"People into a rover that stands at the base; it seats {cabin.SEATS}.",
        parameters=(_ROVER, _PEOPLE),
        duration_s=BOARDING,
        gates="Refused for a rover that is out or full, and for people asleep, at exercise, sheltered or outside.",
    ),
    CommandSpec(
        name="leave_rover",
        description="Everybody out of a rover at the base; a rover that comes home is left by itself.",
        parameters=(_ROVER,),
        gates="Refused for a rover that is out or empty.",
    ),
    CommandSpec(
        name="rover_drive",
        description=(
            "Drive to a place by the shortest way: 8 km/h on firm ground, less among rocks and in sand, half by night "
            "and in dust."
        ),
        parameters=(_ROVER, choice("to", "where to", *get_args(Node))),
        gates=(
            f"FR-15: at most {_limit('FR-15', 'radius')} from the base, {_limit('FR-15', 'outbound')} of the usable "
            f"energy on the way out, {_limit('FR-15', 'back')} left on return; beyond {_limit('FR-15', 'walk_back')} "
            f"the other rover is out or at {_limit('FR-15', 'ready')}. FR-16: not with tau above "
            f"{_limit('FR-16', 'stop')}, a position error of {_limit('FR-16', 'error')} or no fix for "
            f"{_limit('FR-16', 'fix')} of driving. {_AWAY}"
        ),
    ),
    CommandSpec(name="rover_stop", description="Stop where the rover is.", parameters=(_ROVER,), gates=_AWAY),
    CommandSpec(
        name="take_fix",
        description=f"Fix the position by the sun, if it is found: by day, tau below {cabin.SUN_TAU:g}.",
        parameters=(_ROVER,),
        duration_s=SUN_FIX,
        gates=f"Refused at the base and while a fix is being taken. {_AWAY}",
    ),
    CommandSpec(
        name="dispatch_rescue",
        description=(
            "A rover with a driver leaves the base, follows the way to the other, searches as far around as that one "
            "is off its account, takes its crew aboard in 30 min and brings everybody home. A rover that stands under "
            "a relay for 5 min has a fix, and is not searched for."
        ),
        parameters=(_ROVER,),
        gates=(
            f"FR-16: tau below {_limit('FR-16', 'rescue')}, charge of {_limit('FR-16', 'ready')}, a word with the "
            f"other crew now. FR-15: {_limit('FR-15', 'back')} left on return. Refused with too few seats."
        ),
    ),
)
PART = Part(
    name="rover",
    section=RoverSection,
    make=Rovers,
    channels=CHANNELS,
    truths=TRUTHS,
    heard=HEARD,
    commands=COMMANDS,
    begin={
        "board_rover": _board,
        "leave_rover": _leave,
        "rover_drive": _drive,
        "rover_stop": _stop,
        "take_fix": _take_fix,
        "dispatch_rescue": _rescue,
    },
    done={"board_rover": _boarded, "take_fix": _fix_taken},
    gates={
        "board_rover": _boardable,
        "leave_rover": _leavable,
        "rover_drive": _drivable,
        "rover_stop": _stoppable,
        "take_fix": _standing,
        "dispatch_rescue": _rescuable,
    },
    checks=CHECKS,
)
