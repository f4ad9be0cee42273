"""What can be seen of heat and coolant, ordered and checked; and the thermal part as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from mission import rules
from mission.channel import LIFE, POWER, Channel, uniform
from mission.world import coolant, radiator
from mission.world.coolant import LOOPS
from mission.world.field_work import error, spend
from mission.world.spec import CheckSpec, CommandSpec, Numbers, Parameter, Part, Refusal, Truth, choice, number
from mission.world.storm import knot
from mission.world.thermal import Thermal
from mission.world.thermal_section import ThermalSection
from mission.world.units import HOUR, KW, MINUTE, ZERO_C

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

NOMINAL_W = 3.5e3
"""What a loop carries on a healthy day: half of 12 kW less what the shell loses."""
GAUGE_L, GAUGE_C, GAUGE_KPA = 0.01, 0.05, 0.3
"""Errors of what is read at a loop by hand: sight glass, thermometer, differential gauge."""


def _block(base: Base) -> Thermal:
    return base.part("thermal")


def _supply(name: str, base: Base, t: float) -> float:
    return _block(base).supply_and_return(name, t)[0]


def _return(name: str, base: Base, t: float) -> float:
    return _block(base).supply_and_return(name, t)[1]


def _current(name: str, base: Base, t: float) -> float:
    return coolant.PUMP_A * _block(base).loops[name].at(t).duty


def _speed(name: str, base: Base, t: float) -> float:
    return coolant.PUMP_RPM if _block(base).loops[name].at(t).pump == "ok" else 0.0


def _flow(name: str, base: Base, t: float) -> float:
    return coolant.FLOW * HOUR if _block(base).loops[name].at(t).flowing else 0.0


def _level(name: str, base: Base, t: float) -> float:
    block = _block(base)
    return coolant.level(block.loops[name].at(t), sum(block.supply_and_return(name, t)) / 2.0, t)


def _pressure(name: str, base: Base, t: float) -> float:
    block = _block(base)
    mean = sum(block.supply_and_return(name, t)) / 2.0
    return coolant.pressure(block.loops[name].at(t), block.section.accumulator_l, mean, t)


def _line(name: str, base: Base, t: float) -> float:
    return _block(base).line(name, t)(t)


def _radiator(base: Base, t: float) -> float:
    block = _block(base)
    return radiator.temperature(block.section, block.exposure.around(t), block.cooling(t)) - ZERO_C


def _zone_temperature(zone: int, base: Base, t: float) -> float:
    return _block(base).temperature(zone, t) - ZERO_C


def _loop_channels(name: str) -> tuple[Channel, ...]:
    groups = (f"loop_{name}", "coolant", "thermal", POWER)
    rows = (
        ("supply_temperature", "degC", "coolant supplied", 60.0, 0.05, 0.1, 0.1),
        ("return_temperature", "degC", "coolant coming back", 60.0, 0.05, 0.1, 0.1),
        ("flow", "kg/h", "coolant flow", 60.0, 2.0, 4.0, 1.0),
        ("pump_current", "A", "current of the pump", 10.0, 0.01, 0.02, 0.01),
        ("pump_speed", "rpm", "speed of the pump", 10.0, 10.0, 0.0, 10.0),
        ("accumulator_level", "L", "coolant in the accumulator, not corrected for temperature", 60.0, 0.02, 0.05, 0.01),
        ("pressure", "kPa", "pressure of the accumulator", 60.0, 0.5, 1.0, 0.1),
        ("line_temperature", "degC", "external line", 60.0, 0.2, 0.5, 0.1),
    )
    signed = ("supply_temperature", "return_temperature", "line_temperature")
    return tuple(
        Channel(
            name=f"loop_{name}.{what}", unit=unit, description=f"{text}, loop {name.upper()}", period_s=period,
            groups=(*groups, LIFE) if what in ("accumulator_level", "pressure") else groups,
            noise=noise, bias=bias, resolution=step, low=-200.0 if what in signed else 0.0,
        )
        for what, unit, text, period, noise, bias, step in rows
    )  # fmt: skip


_OTHER = (
    ("thermal.coldplate_temperature", "degC", "cold plate of the avionics", ("avionics",), 0.1, 0.2, 0.1),
    ("thermal.radiator_temperature", "degC", "radiator surface", ("radiator",), 0.2, 0.5, 0.1),
    ("thermal.heat_load", "kW", "heat that the loops take out of core and lab", ("coolant",), 0.05, 0.1, 0.01),
    (
        "thermal.heat_input",
        "kW",
        "heat that loads and people give to core and lab, the heat FR-11 speaks of; what the "
        "hull loses and the loops do not take warms them",
        ("coolant",),
        0.05,
        0.1,
        0.01,
    ),
    (
        "thermal.radiator_bound",
        "kW",
        "heat that the radiator can shed under the sky of this quarter sol",
        ("radiator",),
        0.05,
        0.1,
        0.1,
    ),
)
_TRUTHS: dict[str, Truth] = {
    **{
        f"loop_{name}.{what}": partial(truth, name)
        for name in LOOPS
        for what, truth in (
            ("supply_temperature", _supply),
            ("return_temperature", _return),
            ("flow", _flow),
            ("accumulator_level", _level),
            ("pressure", _pressure),
            ("line_temperature", _line),
        )
    },
    **{f"loop_{name}.pump_current": partial(_current, name) for name in LOOPS},
    **{f"loop_{name}.pump_speed": partial(_speed, name) for name in LOOPS},
    "thermal.coldplate_temperature": lambda base, t: _block(base).plate.temperature(t),
    "thermal.radiator_temperature": _radiator,
    "thermal.heat_load": lambda base, t: _block(base).cooling(t) / KW,
    "thermal.heat_input": lambda base, t: sum(_block(base).segment(t).gains) / KW,
    "thermal.radiator_bound": lambda base, t: _block(base).exposure.bound(knot(t)) / KW,
    "core.temperature": partial(_zone_temperature, 0),
    "lab.temperature": partial(_zone_temperature, 1),
}
_CHANNELS = (
    *(channel for name in LOOPS for channel in _loop_channels(name)),
    *(
        Channel(
            name=name, unit=unit, description=text, groups=(*groups, "thermal", POWER), period_s=60.0, noise=noise,
            bias=bias, resolution=step,
        )
        for name, unit, text, groups, noise, bias, step in _OTHER
    ),
)  # fmt: skip


def _restart(base: Base, p: Mapping[str, Any]) -> str:
    return f"pump {p['loop']} is being restarted"


def _restarted(base: Base, p: Mapping[str, Any]) -> str:
    """The first restart of a fault is safe; each one more can burn the pump out, drawn by what it is."""
    name = p["loop"]
    loop = _block(base).loops[name].last
    if loop.pump == "ok":
        return f"pump {name} runs"
    attempt = loop.attempts + 1
    burn_out = rules.number("FR-11", "burn_out") / 100.0
    burnt = attempt > 1 and uniform(base.scenario.id, "pump burns out", name, loop.total, attempt) < burn_out
    dead = burnt or loop.pump == "dead"
    starts = loop.restartable and not dead and coolant.content(loop, base.now()) > 0.0
    pump = "ok" if starts else "dead" if dead else "tripped"
    _block(base).change_loop(name, pump=pump, attempts=0 if starts else attempt, total=loop.total + 1)
    base.log(base.now(), "coolant", loop=name, event="restart", attempt=attempt, runs=starts, burnt=burnt)
    return f"pump {name} {'runs' if starts else 'does not turn'}"


def _swap(base: Base, p: Mapping[str, Any]) -> str:
    return f"the cold plate is being moved to loop {p['to']}"


def _swapped(base: Base, p: Mapping[str, Any]) -> str:
    block, t = _block(base), base.now()
    block.plate.change(t, flowing=block.loops[p["to"]].last.flowing, loop=p["to"])
    base.changed("thermal")
    return f"the cold plate is on loop {p['to']}"


def _isolate(base: Base, p: Mapping[str, Any]) -> str:
    block = _block(base)
    if not block.loops[p["loop"]].last.isolated:
        block.change_loop(p["loop"], isolated=True)
        base.part("toxics").coolant_isolated(p["loop"])
    return f"the cabin segment of loop {p['loop']} is valved off; the loop stands"


def _bypass(base: Base, p: Mapping[str, Any]) -> str:
    _block(base).change_loop(p["loop"], valve="bypassed")
    return f"the control valve of loop {p['loop']} is bypassed; the loop carries half"


def _heater(base: Base, p: Mapping[str, Any]) -> str:
    _block(base).change_loop(p["loop"], heater=p["on"])
    return f"the heater of loop {p['loop']} is {'on' if p['on'] else 'off'}"


def _top_up(base: Base, p: Mapping[str, Any]) -> str:
    return f"loop {p['loop']} is being topped up"


def _topped_up(base: Base, p: Mapping[str, Any]) -> str:
    block, name = _block(base), p["loop"]
    litres = min(p["litres"], block.store)
    block.store -= litres
    now = coolant.content(block.loops[name].last, base.now())
    block.topped_up[name] = base.now()
    block.change_loop(name, content=now + litres)
    return f"{litres:g} L added to loop {name}; {block.store:g} L in store"


def _may_top_up(base: Base, p: Mapping[str, object]) -> Refusal | None:
    block, name, hours = _block(base), str(p["loop"]), rules.number("FR-11", "between")
    if block.store <= 0.0:
        return Refusal("no coolant is left in store")
    if any(task.command == "top_up" for task in base.tasks):
        return Refusal("a loop is being topped up already")
    last = block.topped_up.get(name)
    if last is None or base.now() - last >= hours * HOUR:
        return None
    return Refusal(f"loop {name} was topped up within {hours:g} h", "FR-11")


def _may_restart(base: Base, p: Mapping[str, object]) -> Refusal | None:
    busy = any(task.command == "restart_pump" and task.parameters == p for task in base.tasks)
    return Refusal(f"pump {p['loop']} is being restarted already") if busy else None


_LOOP = choice("loop", "coolant loop", *LOOPS)
_COMMANDS = (
    CommandSpec(
        name="restart_pump",
        description=f"Restart a coolant pump. FR-11: each restart of a fault after the first burns it out with "
        f"{rules.get('FR-11').numbers['burn_out']}.",
        parameters=(_LOOP,),
        duration_s=5 * MINUTE,
        power_w=100.0,
        gates="Refused while it is being restarted already.",
    ),
    CommandSpec(
        name="swap_loads",
        description="Move the avionics' cold plate to a coolant loop. The cabin's coolers are on both.",
        parameters=(choice("to", "coolant loop", *LOOPS),),
        duration_s=10 * MINUTE,
    ),
    CommandSpec(
        name="isolate_segment",
        description="Valve off the cabin segment of a coolant loop, for good: nothing leaves or enters it, and it "
        "carries no heat.",
        parameters=(_LOOP,),
    ),
    CommandSpec(
        name="bypass_fcv",
        description="Bypass a loop's flow control valve: its supply comes back to 4 C, the loop carries half.",
        parameters=(_LOOP,),
    ),
    CommandSpec(
        name="loop_heater",
        description=f"Heater of a coolant loop and its external line, {coolant.HEATER_W:g} W.",
        parameters=(_LOOP, Parameter(name="on", kind="flag", description="true to heat")),
    ),
    CommandSpec(
        name="top_up",
        description="Add coolant from the store to a loop.",
        parameters=(_LOOP, number("litres", "litres", 0.0, rules.number("FR-11", "top_up"))),
        duration_s=30 * MINUTE,
        gates=f"FR-11: {rules.get('FR-11').numbers['top_up']} at most in {rules.get('FR-11').numbers['between']}.",
    ),
)


def _pump_dp(world: World, name: str, duration: float) -> Numbers:
    spend(world, "pump_dp", 20.0, duration)
    loop = _block(world.base).loops[name].last
    measured = {
        "pressure_rise": coolant.PUMP_DP * loop.rise + error(world, "pump_dp", "rise", GAUGE_KPA),
        "current": max(0.0, coolant.PUMP_A * loop.duty + error(world, "pump_dp", "current", 0.01)),
    }
    nominal = {"pressure_rise": coolant.PUMP_DP, "current": coolant.PUMP_A}
    return Numbers(measured, nominal, {"pressure_rise": "kPa", "current": "A"})


def _loop_compare(world: World, choice: str, duration: float) -> Numbers:
    spend(world, "loop_compare", 20.0, duration)
    base, t = world.base, world.now
    measured: dict[str, float] = {}
    for name in LOOPS:
        for what, truth, size in (
            ("supply", _supply, GAUGE_C),
            ("return", _return, GAUGE_C),
            ("level", _level, GAUGE_L),
        ):
            measured[f"{name}_{what}"] = truth(name, base, t) + error(world, "loop_compare", f"{name} {what}", size)
        measured[f"{name}_pressure"] = _pressure(name, base, t) + error(world, "loop_compare", f"{name} kPa", GAUGE_KPA)
    level, back = _block(base).section.accumulator_l, coolant.SUPPLY + NOMINAL_W / coolant.FLOW_W_K
    nominal = {"supply": coolant.SUPPLY, "return": back, "level": level, "pressure": coolant.GAS_KPA}
    units = {"supply": "degC", "return": "degC", "level": "L", "pressure": "kPa"}
    return Numbers(
        measured,
        {key: nominal[key[2:]] for key in measured},
        {key: units[key[2:]] for key in measured},
    )


def _level_trend(world: World, name: str, duration: float) -> Numbers:
    """The sight glass read twice, and what the loop's mean temperature explains of the difference."""
    base, start = world.base, world.now
    spend(world, "level_trend", 20.0, duration)
    means = [sum(_block(base).supply_and_return(name, t)) / 2.0 for t in (start, world.now)]
    change = _level(name, base, world.now) - _level(name, base, start)
    change += 1.4 * error(world, "level_trend", name, GAUGE_L)
    thermal = coolant.EXPANSION * coolant.LITRES * (means[1] - means[0])
    per_hour = HOUR / duration
    measured = {
        "level_rate": change * per_hour,
        "thermal_rate": thermal * per_hour,
        "corrected_rate": (change - thermal) * per_hour,
    }
    return Numbers(measured, dict.fromkeys(measured, 0.0), dict.fromkeys(measured, "L/h"))


_CHECKS = (
    CheckSpec(
        "pump_dp", "Pressure rise and current of a coolant pump, at the pump.",
        "loop", LOOPS, dict.fromkeys(LOOPS, 2.0), 20.0, _pump_dp,
    ),
    CheckSpec(
        "loop_compare", "Both coolant loops side by side, read at the loops: temperatures, level, pressure.",
        None, (), {"": 5.0}, 20.0, _loop_compare,
    ),
    CheckSpec(
        "level_trend", "Change of a loop's accumulator over 30 min by its sight glass, with and without the thermal "
        "term.", "loop", LOOPS, dict.fromkeys(LOOPS, 30.0), 20.0, _level_trend,
    ),
)  # fmt: skip


def _make(section: ThermalSection, base: Base) -> Thermal:
    return Thermal(section, base)


PART = Part(
    name="thermal",
    section=ThermalSection,
    make=_make,
    channels=_CHANNELS,
    truths=_TRUTHS,
    commands=_COMMANDS,
    begin={
        "restart_pump": _restart,
        "swap_loads": _swap,
        "isolate_segment": _isolate,
        "bypass_fcv": _bypass,
        "loop_heater": _heater,
        "top_up": _top_up,
    },
    done={"restart_pump": _restarted, "swap_loads": _swapped, "top_up": _topped_up},
    gates={"top_up": _may_top_up, "restart_pump": _may_restart},
    checks=_CHECKS,
)
