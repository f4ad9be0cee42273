"""What each command does when it begins, and when the work it takes is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mission import rules
from mission.world import hands
from mission.world.atmosphere import ZONES, Can
from mission.world.base import OUTSIDE, Base
from mission.world.gates import GATES, within_reach
from mission.world.parts import PARTS
from mission.world.spec import Act
from mission.world.units import DAY, HOUR, MINUTE


def _start_bed(base: Base, p: Mapping[str, Any]) -> str:
    base.set_bed(p["unit"], running=True)
    return f"unit {p['unit']} runs"


def _stop_bed(base: Base, p: Mapping[str, Any]) -> str:
    base.set_bed(p["unit"], running=False, capped=False, runs_after=False)
    return f"unit {p['unit']} is off"


def _repair_bed(base: Base, p: Mapping[str, Any]) -> str:
    ran = base.bed(p["unit"]).running
    base.set_bed(p["unit"], running=False, capped=False, repairing=True, runs_after=ran)
    return f"unit {p['unit']} is off for repair and {'runs again' if ran else 'stays off'} when done"


def _bed_repaired(base: Base, p: Mapping[str, Any]) -> str:
    runs = base.bed(p["unit"]).runs_after
    base.set_bed(p["unit"], health=1.0, repairing=False, running=runs, runs_after=False)
    return f"unit {p['unit']} is repaired"


def _bed_left(base: Base, p: Mapping[str, Any]) -> str:
    base.set_bed(p["unit"], repairing=False, runs_after=False)
    return f"unit {p['unit']} is as it was, and off"


def _sensor_left(base: Base, p: Mapping[str, Any]) -> str:
    return f"{p['channel']} stays off line"


def _set_imv(base: Base, p: Mapping[str, Any]) -> str:
    if p["on"] and (base.seized or any(task.command == "repair_fan" for task in base.tasks)):
        return "commanded; the fan does not turn"
    base.change(base.now(), imv=p["on"])
    return "the fan runs" if p["on"] else "the fan is off"


def _repair_fan(base: Base, p: Mapping[str, Any]) -> str:
    base.change(base.now(), imv=False)
    return "the fan is off for repair and runs when done"


def _fan_repaired(base: Base, p: Mapping[str, Any]) -> str:
    base.seized = False
    refusal = GATES["set_imv"](base, {"on": True})
    if refusal is not None:
        return f"the fan is repaired and stays off: {refusal.reason}"
    base.change(base.now(), imv=True)
    return "the fan is repaired and runs"


def _deploy_fan(base: Base, p: Mapping[str, Any]) -> str:
    return "being set up"


def _fan_deployed(base: Base, p: Mapping[str, Any]) -> str:
    refusal = GATES["set_imv"](base, {"on": True})
    if refusal is not None:
        return f"the portable fan is set up and stays off: {refusal.reason}"
    base.change(base.now(), portable_fan=True)
    return "the portable fan runs"


def _move_crew(base: Base, p: Mapping[str, Any]) -> str:
    return f"{p['people']} on the way to the {p['to']}"


def _crew_moved(base: Base, p: Mapping[str, Any]) -> str:
    if not base.hatch_open("core-lab"):
        return "the hatch was closed meanwhile: nobody moved"
    moved = [person for person in p["people"].split(",") if base.people[person].zone != OUTSIDE]
    for person in moved:
        base.set_person(person, zone=ZONES.index(p["to"]))
    return f"{','.join(moved) or 'nobody'} in the {p['to']}"


def _close_hatch(base: Base, p: Mapping[str, Any]) -> str:
    base.set_hatch(p["hatch"], opened=False)
    return f"the {p['hatch']} hatch is closed"


def _open_hatch(base: Base, p: Mapping[str, Any]) -> str:
    base.set_hatch(p["hatch"], opened=True)
    return f"the {p['hatch']} hatch is open"


def _equalize(base: Base, p: Mapping[str, Any]) -> str:
    return f"the valve of the {p['hatch']} hatch is open"


def _equalized(base: Base, p: Mapping[str, Any]) -> str:
    if base.hatch_open(p["hatch"]):
        return f"the {p['hatch']} hatch was opened meanwhile"
    base.equalize(p["hatch"])
    return f"one pressure on both sides of the {p['hatch']} hatch"


def _set_makeup(base: Base, p: Mapping[str, Any]) -> str:
    base.set_makeup(p["mode"])
    if p["mode"] != "inhibited":
        return f"make-up is {p['mode']}"
    minutes = rules.number("FR-06", "inhibit")
    base.inhibited_until = base.now() + minutes * MINUTE
    return f"make-up is inhibited; auto again in {minutes:g} min"


def _patch(base: Base, p: Mapping[str, Any]) -> str:
    return f"searching the {p['zone']}"


def _patched(base: Base, p: Mapping[str, Any]) -> str:
    if (refusal := within_reach(base, p)) is not None:
        return f"nobody could stay to search: {refusal.reason}"
    holes = base.remove_openings(ZONES.index(p["zone"]), "hole")
    return f"{len(holes)} hole patched in the {p['zone']}" if holes else f"no hole found in the {p['zone']}"


def _open_lioh(base: Base, p: Mapping[str, Any]) -> str:
    zone, t = ZONES.index(p["zone"]), base.now()
    base.cans_opened.append(t)
    can = Can(zone, base.air.tracks["co2"].dose(t)[zone])
    base.change(t, cans=(*base.air.config.cans, can))
    return f"can {len(base.cans_opened)} of {base.scenario.design.lioh_cans} is open in the {p['zone']}"


def _set_oga(base: Base, p: Mapping[str, Any]) -> str:
    base.change(base.now(), oga=p["kg_per_day"] / DAY)
    return f"the oxygen generator makes {p['kg_per_day']:g} kg/d"


def _suspend_exercise(base: Base, p: Mapping[str, Any]) -> str:
    base.exercise_suspended_until = base.now() + p["hours"] * HOUR
    for person, state in base.people.items():
        if state.activity == "exercise":
            base.set_person(person, activity="nominal")
    return f"no exercise for {p['hours']:g} h"


def _shed(base: Base, p: Mapping[str, Any]) -> str:
    if p["load"] not in base.shed:
        base.shed.append(p["load"])
    base.sync_power()
    return f"{p['load']} is off"


def _restore(base: Base, p: Mapping[str, Any]) -> str:
    if p["load"] in base.shed:
        base.shed.remove(p["load"])
    base.sync_power()
    return f"{p['load']} is on"


def _vent(base: Base, p: Mapping[str, Any]) -> str:
    base.open_vent(ZONES.index(p["zone"]))
    return f"the {p['zone']} is being vented"


def _vented(base: Base, p: Mapping[str, Any]) -> str:
    base.remove_openings(ZONES.index(p["zone"]), "vent")
    return f"the vent of the {p['zone']} is closed"


BEGIN: Mapping[str, Act] = {
    "start_bed": _start_bed,
    "stop_bed": _stop_bed,
    "repair_bed": _repair_bed,
    "set_imv": _set_imv,
    "repair_fan": _repair_fan,
    "deploy_portable_fan": _deploy_fan,
    "move_crew": _move_crew,
    "close_hatch": _close_hatch,
    "open_hatch": _open_hatch,
    "equalize_hatch": _equalize,
    "set_makeup": _set_makeup,
    "patch_leak": _patch,
    "open_lioh": _open_lioh,
    "set_oga": _set_oga,
    "suspend_exercise": _suspend_exercise,
    "shed_load": _shed,
    "restore_load": _restore,
    "vent_zone": _vent,
    **{name: act for part in PARTS for name, act in part.begin.items()},
}
_DONE: Mapping[str, Act] = {
    "equalize_hatch": _equalized,
    "repair_bed": _bed_repaired,
    "repair_fan": _fan_repaired,
    "deploy_portable_fan": _fan_deployed,
    "move_crew": _crew_moved,
    "patch_leak": _patched,
    "vent_zone": _vented,
    **{name: act for part in PARTS for name, act in part.done.items()},
}
_LEFT: Mapping[str, Act] = {"repair_bed": _bed_left, "service_sensor": _sensor_left}
"""What work that was begun leaves behind when nobody is there to end it."""
DONE: Mapping[str, Act] = {
    name: hands.attended(name, act, _LEFT.get(name)) if name in hands.WORK else act for name, act in _DONE.items()
}
