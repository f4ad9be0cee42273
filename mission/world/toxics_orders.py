"""What can be seen of fire and toxic gases, ordered and checked; and the toxics part as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from mission import rules
from mission.channel import LIFE, POWER, Channel, offset
from mission.world.atmosphere import ZONES
from mission.world.field_work import error, spend
from mission.world.spec import (
    CheckSpec,
    CommandSpec,
    Numbers,
    Parameter,
    Part,
    Refusal,
    Truth,
    choice,
)
from mission.world.substances import BUS_LOADS, GASES, MONITORED, PARTICLES
from mission.world.toxics import Toxics
from mission.world.toxics_section import ToxicsSection
from mission.world.units import MINUTE, ZERO_C

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

BUS_V = 120.0
"""V of a zone's bus, as on ISS."""
METER = {"co": 0.5, "hcn": 0.1, "hcl": 0.1}
"""ppm, one standard deviation of the hand-held combustion product meter."""
CHIP = 1.0
SECOND = 2e-4
"""1/m, error of the second detector at each of its two wavelengths."""
RACK_K = 8.0
"""K of a healthy rack above the cabin, ours."""


SMOKE = rules.get("FR-09").numbers["smoke"]


def _block(base: Base) -> Toxics:
    return base.part("toxics")


def _ppm(gas: str, zone: int, base: Base, t: float) -> float:
    return _block(base).ppm(gas, zone, t)


def _extinction(zone: int, base: Base, t: float) -> float:
    return _block(base).extinction(zone, t)


def _smoke_alarm(base: Base, t: float) -> float:
    level = rules.number("FR-09", "smoke")
    return float(any(_extinction(ZONES.index(zone), base, t) >= level for zone in MONITORED))


def _ammonia_alarm(base: Base, t: float) -> float:
    return float(_block(base).ammonia_alarm(t))


def _bus_current(zone: str, base: Base, t: float) -> float:
    loads = base.power.segment(t).loads
    return sum(loads.get(name, 0.0) for name in (*BUS_LOADS[zone], f"fault_{zone}")) / BUS_V


def _rack(zone: int, base: Base, t: float) -> float:
    cabin = base.air.config_at(t).temperatures[zone] - ZERO_C
    return cabin + RACK_K + _block(base).rack_excess(zone, t)


def _zone_channels(zone: str) -> tuple[Channel, ...]:
    groups = (zone, "toxics", LIFE)
    rows = (
        ("co", "ppm", "carbon monoxide", ("fire",), 60.0, 0.5, 1.0, 0.1),
        ("hcn", "ppm", "hydrogen cyanide", ("fire",), 60.0, 0.1, 0.2, 0.1),
        ("hcl", "ppm", "hydrogen chloride", ("fire",), 60.0, 0.1, 0.2, 0.1),
        ("nh3", "ppm", "ammonia", ("coolant",), 60.0, 0.5, 1.0, 0.1),
        ("glycol", "ppm", "ethylene glycol", ("coolant",), 600.0, 0.1, 0.2, 0.1),
        ("smoke", "1/m", f"extinction at the smoke detector, alarm at {SMOKE}", ("fire",), 10.0, 3e-4, 5e-4, 1e-4),
        ("bus_current", "A", "current of the zone's bus", ("fire", "power", POWER), 10.0, 0.05, 0.1, 0.01),
        ("rack_temperature", "degC", "hottest rack", ("fire", "thermal", POWER), 60.0, 0.1, 0.3, 0.1),
    )  # fmt: skip
    return tuple(
        Channel(
            name=f"{zone}.{name}", unit=unit, description=f"{text}, {zone}", groups=(*groups, *more), period_s=period,
            noise=noise, bias=bias, resolution=step, low=-60.0 if unit == "degC" else 0.0,
        )
        for name, unit, text, more, period, noise, bias, step in rows
    )  # fmt: skip


_TRUTHS: dict[str, Truth] = {
    **{f"{zone}.{gas}": partial(_ppm, gas, ZONES.index(zone)) for zone in MONITORED for gas in GASES},
    **{f"{zone}.smoke": partial(_extinction, ZONES.index(zone)) for zone in MONITORED},
    **{f"{zone}.bus_current": partial(_bus_current, zone) for zone in MONITORED},
    "alarm.smoke": _smoke_alarm,
    "alarm.ammonia": _ammonia_alarm,
    **{f"{zone}.rack_temperature": partial(_rack, ZONES.index(zone)) for zone in MONITORED},
}


_ALARMS = tuple(
    Channel(
        name=f"alarm.{what}",
        unit="1",
        description=text,
        groups=("alarm", "toxics", group, LIFE, POWER),
        period_s=10.0,
        resolution=1.0,
        low=0.0,
        high=1.0,
    )
    for what, group, text in (
        ("smoke", "fire", "smoke alarm of FR-09 in core or lab: 1 while it sounds"),
        ("ammonia", "coolant", "ammonia alarm of FR-10: 1 from its cue to the stand-down"),
    )
)


def _don(base: Base, p: Mapping[str, Any]) -> str:
    return f"{p['people']} are donning masks"


def _donned(base: Base, p: Mapping[str, Any]) -> str:
    block, t = _block(base), base.now()
    ready = [person for person in p["people"].split(",") if block.masks.left(person) > 0]
    for person in ready:
        block.masks.don(person, t)
        base.set_mask(person, on=True)
    base.changed("toxics")
    return f"{', '.join(ready) or 'nobody'} masked for {rules.number('FR-09', 'mask'):g} min"


def _doff(base: Base, p: Mapping[str, Any]) -> str:
    for person in p["people"].split(","):
        _block(base).masks.doff(person, base.now())
        base.set_mask(person, on=False)
    base.changed("toxics")
    return f"{p['people']} without masks; an opened mask is not used again"


def _people(p: Mapping[str, object]) -> list[str]:
    return str(p["people"]).split(",")


def _may_don(base: Base, p: Mapping[str, object]) -> Refusal | None:
    people = _people(p)
    away = [person for person in people if base.people[person].zone >= len(ZONES) or base.people[person].suited]
    if away:
        return Refusal(f"{', '.join(away)} outside, or in a suit")
    without = [person for person in people if _block(base).masks.left(person) == 0]
    if without:
        return Refusal(f"no mask is left for {', '.join(without)}")
    donning = {person for task in base.tasks if task.command == "don_masks" for person in _people(task.parameters)}
    masked = [person for person in people if _block(base).masks.masked(person) or person in donning]
    return Refusal(f"{', '.join(masked)} already masked, or putting one on") if masked else None


def _power_off(base: Base, p: Mapping[str, Any]) -> str:
    base.shed += [name for name in BUS_LOADS[p["zone"]] if name not in base.shed]
    base.sync_power()
    return f"the {p['zone']} bus is off: {', '.join(BUS_LOADS[p['zone']])}"


def _extinguish(base: Base, p: Mapping[str, Any]) -> str:
    return f"searching the {p['zone']} with an extinguisher"


def _beyond_reach(base: Base, zone: str) -> bool:
    """Nobody is in the zone, and the hatch between the zones is shut."""
    return not base.air.config.crew[ZONES.index(zone)] and not base.hatch_open("core-lab")


def _extinguished(base: Base, p: Mapping[str, Any]) -> str:
    if _beyond_reach(base, p["zone"]):
        return f"nobody could stay in the {p['zone']}"
    fires = _block(base).put_out(ZONES.index(p["zone"]), flaming=True)
    return f"{fires} fire put out in the {p['zone']}" if fires else f"nothing burns in the {p['zone']}"


def _may_extinguish(base: Base, p: Mapping[str, object]) -> Refusal | None:
    if any(task.command == "extinguish" and task.parameters == p for task in base.tasks):
        return Refusal(f"the {p['zone']} is being searched already")
    return Refusal(f"nobody can get to the {p['zone']}") if _beyond_reach(base, str(p["zone"])) else None


def _filter(on: bool, base: Base, p: Mapping[str, Any]) -> str:
    _block(base).set_filter(ZONES.index(p["zone"]), on=on)
    return f"the filter unit of the {p['zone']} {'runs' if on else 'is off'}"


def _may_move_air(base: Base, p: Mapping[str, object]) -> Refusal | None:
    """FR-09: after a smoke alarm the fan runs again only on a clean measurement."""
    return _unclean(base) if p["on"] else None


def _may_set_up_fan(base: Base, p: Mapping[str, object]) -> Refusal | None:
    """FR-09: the portable fan moves the same air."""
    return _unclean(base)


def _may_open(base: Base, p: Mapping[str, object]) -> Refusal | None:
    """FR-09 and FR-10 at the hatch to the lab: clean of smoke gases, and stood down from ammonia."""
    if p["hatch"] != "core-lab" or base.hatch_open("core-lab"):
        return None
    return _unclean(base) or _not_stood_down(base)


def _unclean(base: Base) -> Refusal | None:
    block, minutes = _block(base), rules.number("FR-09", "fresh")
    limits = {gas: rules.number("FR-09", gas) for gas in METER}
    for zone, alarmed in sorted(block.smoke_alarms.items()):
        since = max(alarmed, base.now() - minutes * MINUTE)
        found = [gases for t, place, gases in block.gas_checks if t >= since and place == ZONES[zone]]
        if not found:
            return Refusal(f"smoke alarm in the {ZONES[zone]}: co_meter there first, within {minutes:g} min", "FR-09")
        high = [f"{gas.upper()} {found[-1][gas]:.1f} ppm" for gas, limit in limits.items() if found[-1][gas] >= limit]
        if high:
            return Refusal(f"the {ZONES[zone]} is not clean: {', '.join(high)}", "FR-09")
    return None


def _not_stood_down(base: Base) -> Refusal | None:
    block = _block(base)
    needed, clear = rules.number("FR-10", "chips"), rules.number("FR-10", "clear")
    apart = rules.number("FR-10", "apart")
    for zone, alarmed in sorted(block.ammonia_alarms.items()):
        chips = [(t, ppm) for t, place, ppm in block.chips if place == ZONES[zone] and t >= alarmed]
        clean: list[float] = []
        for t, ppm in chips:
            clean = [*clean, t] if ppm < clear else []
        if len(clean) >= needed and clean[-1] - clean[0] >= apart * MINUTE:
            continue
        return Refusal(
            f"ammonia alarm in the {ZONES[zone]}: {needed:g} nh3_chip checks there below {clear:g} ppm, {apart:g} min "
            "apart, none above between them",
            "FR-10",
        )
    return None


def _open_hatch(base: Base, p: Mapping[str, Any]) -> str:
    """Opening the lab after an ammonia alarm is the stand-down."""
    if p["hatch"] == "core-lab" and not base.hatch_open("core-lab"):
        _block(base).stand_down()
    base.set_hatch(p["hatch"], opened=True)
    return f"the {p['hatch']} hatch is open"


_ZONE = choice("zone", "zone", *MONITORED)
_PEOPLE = Parameter(name="people", kind="people", description="ids separated by commas, or all")
_COMMANDS = (
    CommandSpec(
        name="don_masks",
        description=f"People put on portable breathing masks, {rules.get('FR-09').numbers['mask']} of oxygen each.",
        parameters=(_PEOPLE,),
        duration_s=MINUTE,
        gates="Refused for somebody who has no mask left, wears one, is putting one on, is outside or in a suit.",
    ),
    CommandSpec(name="doff_masks", description="People take their masks off; they are used up.", parameters=(_PEOPLE,)),
    CommandSpec(
        name="power_off_bus",
        description="Switch a zone's bus off with all its loads: "
        + "; ".join(f"{zone}: {', '.join(loads)}" for zone, loads in BUS_LOADS.items())
        + ". restore_load brings loads back, and the bus with them.",
        parameters=(_ZONE,),
    ),
    CommandSpec(
        name="extinguish",
        description="Search a zone for a fire and put it out.",
        parameters=(_ZONE,),
        duration_s=2 * MINUTE,
        gates="Refused if nobody can get there, or while it is being searched already.",
    ),
    CommandSpec(
        name="start_filter",
        description="Run a zone's portable filter unit: 60 m3/h free of gases, smoke and dust, 100 W.",
        parameters=(_ZONE,),
    ),
    CommandSpec(name="stop_filter", description="Stop a zone's portable filter unit.", parameters=(_ZONE,)),
)


def _co_meter(world: World, zone: str, duration: float) -> Numbers:
    index = ZONES.index(zone)
    spend(world, "co_meter", 5.0, duration)
    block = _block(world.base)
    measured = {
        gas: max(0.0, block.ppm(gas, index, world.now) + error(world, "co_meter", f"{zone} {gas}", noise))
        for gas, noise in METER.items()
    }
    block.gas_checks.append((world.now, zone, measured))
    return Numbers(measured, dict.fromkeys(measured, 0.0), dict.fromkeys(measured, "ppm"))


def _nh3_chip(world: World, zone: str, duration: float) -> Numbers:
    index = ZONES.index(zone)
    spend(world, "nh3_chip", 5.0, duration)
    block = _block(world.base)
    bias = offset(CHIP, world.seed, "nh3_chip", zone)
    value = max(0.0, block.ppm("nh3", index, world.now) + bias + error(world, "nh3_chip", zone, 0.5))
    block.chips.append((world.now, zone, value))
    return Numbers({"nh3": value}, {"nh3": 0.0}, {"nh3": "ppm"})


def _second_detector(world: World, zone: str, duration: float) -> Numbers:
    """Two wavelengths: fine particles dim both, coarse ones the long one alone."""
    index = ZONES.index(zone)
    spend(world, "second_detector", 5.0, duration)
    block = _block(world.base)
    measured = {
        size: max(
            0.0,
            PARTICLES[kind] * block.density(kind, index, world.now) + error(world, "second_detector", size, SECOND),
        )
        for size, kind in (("fine", "smoke"), ("coarse", "dust"))
    }
    return Numbers(measured, dict.fromkeys(measured, 0.0), dict.fromkeys(measured, "1/m"))


_CHECKS = (
    CheckSpec(
        "co_meter", "CO, HCN and HCl of a zone by the hand-held combustion product meter.",
        "zone", MONITORED, dict.fromkeys(MONITORED, 2.0), 5.0, _co_meter,
    ),
    CheckSpec(
        "nh3_chip", "Ammonia of a zone by a colour chip; through the sampling port if its hatch is closed.",
        "zone", MONITORED, dict.fromkeys(MONITORED, 5.0), 5.0, _nh3_chip,
    ),
    CheckSpec(
        "second_detector", "Extinction of a zone by a second detector, fine and coarse particles apart.",
        "zone", MONITORED, dict.fromkeys(MONITORED, 1.0), 5.0, _second_detector,
    ),
)  # fmt: skip


def _make(section: ToxicsSection, base: Base) -> Toxics:
    return Toxics(section, base)


PART = Part(
    name="toxics",
    section=ToxicsSection,
    make=_make,
    channels=(*(channel for zone in MONITORED for channel in _zone_channels(zone)), *_ALARMS),
    truths=_TRUTHS,
    commands=_COMMANDS,
    begin={
        "don_masks": _don,
        "doff_masks": _doff,
        "power_off_bus": _power_off,
        "extinguish": _extinguish,
        "start_filter": partial(_filter, True),
        "stop_filter": partial(_filter, False),
        "open_hatch": _open_hatch,
    },
    done={"don_masks": _donned, "extinguish": _extinguished},
    gates={
        "don_masks": _may_don,
        "extinguish": _may_extinguish,
        "set_imv": _may_move_air,
        "deploy_portable_fan": _may_set_up_fan,
        "open_hatch": _may_open,
    },
    checks=_CHECKS,
)
