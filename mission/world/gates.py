"""What the base itself refuses, from the numbers of the flight rules."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mission import rules
from mission.world import hands
from mission.world.atmosphere import AIRLOCK, CORE, LAB, ZONES
from mission.world.base import OUTSIDE, Base
from mission.world.gases import GASES
from mission.world.oxygen_orders import worked_on
from mission.world.parts import PARTS
from mission.world.spec import Gate, Refusal
from mission.world.units import DAY, HOUR, MINUTE, MMHG

HATCH_OF = {LAB: "core-lab", AIRLOCK: "core-airlock"}
CO2_CUES = ("handheld_co2", "bed_balance", "fan_check")
SCRAM_CUES = ("convertor_list", "string_compare", "ocv_rest", "second_dosimeter")
VENT_CUES = ("handheld_co2", "gauge_crosscheck", "hatch_dwell", "pn2_trend")


def seen_since(base: Base, checks: tuple[str, ...], age: float, place: str | None = None) -> list[str]:
    """The different checks of a kind that were completed within `age` s; if a place is given, there or everywhere."""
    recent = [e for e in base.evidence if base.now() - e.t <= age and e.check in checks]
    return sorted({e.check for e in recent if place is None or e.place in (place, "")})


def _cues(base: Base, kinds: tuple[str, ...], act: str, place: str | None = None) -> Refusal | None:
    """FR-22: enough independent cues for an irreversible act; at a place if one is given, or of the whole base."""
    needed, age = rules.number("FR-22", "cues"), rules.number("FR-22", "age")
    cues = seen_since(base, kinds, age * MINUTE, place)
    if len(cues) >= needed:
        return None
    have = ", ".join(cues) or "none"
    return Refusal(
        f"{act} needs {needed:g} different checks of {', '.join(kinds)} within {age:g} min; on record: {have}", "FR-22"
    )


def _repairing(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    unit = str(parameters["unit"])
    return Refusal(f"unit {unit} is being repaired") if base.bed(unit).repairing else None


def _fan_repair(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    under_way = any(task.command == "repair_fan" for task in base.tasks)
    return Refusal("the fan is being repaired already") if under_way else None


def _passage(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    return None if base.hatch_open("core-lab") else Refusal("the core-lab hatch is closed")


def _move(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    people = str(parameters["people"]).split(",")
    sheltered = base.part("radiation").kept(people)
    if sheltered:
        return Refusal(f"{', '.join(sheltered)} in the shelter: leave_shelter first")
    away = [person for person in people if base.people[person].zone == OUTSIDE]
    return Refusal(f"{', '.join(away)} outside the base") if away else _passage(base, parameters)


def _close_hatch(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    zone = LAB if parameters["hatch"] == "core-lab" else AIRLOCK
    inside = [person for person, state in base.people.items() if state.zone == zone and not state.suited]
    if not inside:
        return None
    return Refusal(f"{', '.join(inside)} would be shut in on the far side; move them first", "FR-22")


def locked(base: Base, hatch: str) -> float | None:
    """mmHg across a hatch if that is more than anybody can pull it open against (FR-07), or None."""
    across = abs(base.across(hatch)) / MMHG
    return across if across > rules.number("FR-07", "lock") else None


def _vented(base: Base, hatch: str) -> Refusal | None:
    """The valve of a zone that is being vented stands open until it is done: what joins it then is lost too."""
    behind = next(ZONES[zone] for zone, name in HATCH_OF.items() if name == hatch)
    venting = any(task.command == "vent_zone" and task.parameters["zone"] == behind for task in base.tasks)
    return Refusal(f"the {behind} is being vented") if venting else None


def _open_hatch(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    hatch = str(parameters["hatch"])
    if refusal := _vented(base, hatch):
        return refusal
    across = None if base.hatch_open(hatch) else locked(base, hatch)
    if across is None:
        return None
    return Refusal(f"{across:.1f} mmHg hold the {hatch} hatch shut: equalize_hatch first", "FR-07")


def _equalize(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    hatch = str(parameters["hatch"])
    if base.hatch_open(hatch):
        return Refusal(f"the {hatch} hatch is open")
    if refusal := _vented(base, hatch):
        return refusal
    busy = any(task.command == "equalize_hatch" and task.parameters == parameters for task in base.tasks)
    return Refusal(f"the valve of the {hatch} hatch is open already") if busy else None


def lowest_pio2(base: Base) -> float:
    """The lowest inspired oxygen where people are, mmHg; infinite if nobody is in the base."""
    air, t = base.air, base.now()
    return min((air.pio2(zone, t) for zone in range(len(ZONES)) if air.config.crew[zone]), default=math.inf)


def _makeup(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    if parameters["mode"] == "inhibited" and base.air.config.makeup != "auto":
        # It would come back to auto by itself, and so without the trend; or its half hour would never end.
        return Refusal(f"make-up is {base.air.config.makeup}: only automatic make-up is inhibited", "FR-06")
    if parameters["mode"] != "auto" or base.air.config.makeup != "off":
        return None
    hours = rules.number("FR-04", "trend")
    if seen_since(base, ("pn2_trend",), hours * HOUR) or lowest_pio2(base) < rules.number("FR-04", "absolute"):
        return None
    return Refusal(f"make-up goes from off to auto only after a pn2_trend check within {hours:g} h", "FR-04")


def within_reach(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    """Whoever searches a zone is in it, and behind a closed hatch nobody is but in a suit."""
    zone = ZONES.index(str(parameters["zone"]))
    if zone == CORE or base.hatch_open(HATCH_OF[zone]):
        return None
    if any(state.suited and state.zone == zone for state in base.people.values()):
        return None
    return Refusal(f"the {HATCH_OF[zone]} hatch is closed: nobody can get there")


def _lioh(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    if len(base.cans_opened) >= base.scenario.design.lioh_cans:
        return Refusal("no LiOH can is left")
    if any(base.monitor.emergency(zone, base.now()) for zone in range(len(ZONES)) if base.air.config.crew[zone]):
        return None
    minutes, zone = rules.number("FR-02", "cross_check"), str(parameters["zone"])
    if not seen_since(base, ("handheld_co2",), minutes * MINUTE, zone):
        return Refusal(f"LiOH needs a handheld_co2 check of the {zone} within {minutes:g} min", "FR-02")
    if len(base.cans_opened) + 1 > rules.number("FR-22", "cans"):
        return _cues(base, CO2_CUES, f"more than {rules.number('FR-22', 'cans'):g} LiOH cans")
    return None


def _oga(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    if float(str(parameters["kg_per_day"])) > 0.0:
        refusal = worked_on(base)
        if refusal or base.part("oxygen").tripped:
            return refusal or Refusal("the generator has tripped")
    raised = float(str(parameters["kg_per_day"])) / DAY > base.air.config.oga
    pressure = base.air.pressure(CORE, base.now())
    share = 100.0 * base.air.partial_pressure("o2", CORE, base.now()) / pressure if pressure > 0.0 else 0.0
    limit = rules.number("FR-05", "caution")
    if not raised or share <= limit:
        return None
    return Refusal(f"O2 is {share:.1f} % of the air, above {limit:g} %: no higher rate", "FR-05")


def _vent(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    name = str(parameters["zone"])
    zone = ZONES.index(name)
    if any(state.zone == zone for state in base.people.values()):
        return Refusal(f"there are people in the {name}", "FR-22")
    hatch = HATCH_OF[zone]
    if base.hatch_open(hatch) or any(
        t.command == "equalize_hatch" and t.parameters["hatch"] == hatch for t in base.tasks
    ):
        return Refusal(f"the {hatch} hatch is open")
    air = sum(base.air.tracks[gas].mass(zone, base.now()) for gas in GASES)
    if air <= rules.number("FR-22", "vent"):
        return None
    return _cues(base, VENT_CUES, f"venting {air:.1f} kg of air", name)


def _scram(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    if base.part("fission").scrammed is not None:
        return None
    return _cues(base, SCRAM_CUES, "a scram")


_OWN: Mapping[str, Gate] = {
    "start_bed": _repairing,
    "repair_bed": _repairing,
    "repair_fan": _fan_repair,
    "deploy_portable_fan": _passage,
    "move_crew": _move,
    "close_hatch": _close_hatch,
    "open_hatch": _open_hatch,
    "equalize_hatch": _equalize,
    "set_makeup": _makeup,
    "patch_leak": within_reach,
    "open_lioh": _lioh,
    "set_oga": _oga,
    "vent_zone": _vent,
    "scram_reactor": _scram,
}


def _in_turn(gates: Sequence[Gate]) -> Gate:
    """All of these gates as one: the first to refuse refuses."""

    def gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
        return next((refusal for asked in gates if (refusal := asked(base, parameters)) is not None), None)

    return gate


def _gathered() -> dict[str, Gate]:
    """One gate a command, of the base's own and every part's; whether somebody can do it is asked last."""
    sources = (_OWN, *(part.gates for part in PARTS), {command: hands.gate(command) for command in hands.WORK})
    names = dict.fromkeys(name for source in sources for name in source)
    return {name: _in_turn([source[name] for source in sources if name in source]) for name in names}


GATES: Mapping[str, Gate] = _gathered()
