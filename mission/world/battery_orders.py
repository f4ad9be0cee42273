"""The battery part: its channels, commands and checks, and the load postures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mission import rules
from mission.channel import POWER, Channel, gauss
from mission.world.battery import Battery, BatterySection, open_circuit, soc_of
from mission.world.power import DEFERRABLE, LOADS
from mission.world.spec import CheckSpec, CommandSpec, Numbers, Parameter, Part, Refusal, choice
from mission.world.units import KW

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

POSTURES: dict[str, tuple[str, ...]] = {
    "full": (),
    "storm": DEFERRABLE[:3],
    "reduced": DEFERRABLE[:4],
    "survival": DEFERRABLE[:7],
}
"""What is off in each: the steps of FR-18 in order, steps 1 to 3, 4 and 6."""
ALWAYS_ON = ("bed_a", "oga", "imv", "condenser", "pumps", "avionics", "heaters")
OCV_NOISE, OCV_WATTS = 0.05, 10.0
"""V; W of the meter."""


def posture_load(posture: str) -> float:
    """kW of a posture with one CO2 bed and the oxygen generator for six people."""
    kept = [name for name in DEFERRABLE if name not in POSTURES[posture]]
    return sum(LOADS[name] for name in (*ALWAYS_ON, *kept)) / KW


def _battery(base: Base) -> Battery:
    return base.part("battery")


def _temperature(base: Base, t: float) -> float:
    return _battery(base).temperature(t)


def _inhibit_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    cold, now = rules.number("FR-19", "cold"), _battery(base).temperature(base.now())
    if parameters["on"] or now >= cold:
        return None
    return Refusal(f"the cells are at {now:.1f} degC, below {cold:g}: charging stays inhibited", "FR-19")


def _inhibit(base: Base, p: Mapping[str, Any]) -> str:
    _battery(base).inhibit(on=p["on"])
    return "charging is inhibited" if p["on"] else "the battery may be charged"


def _heater(base: Base, p: Mapping[str, Any]) -> str:
    _battery(base).set_heater(p["heater"])
    return "the heaters are off" if p["heater"] == "off" else f"heater {p['heater']} is on"


def _posture(base: Base, p: Mapping[str, Any]) -> str:
    base.shed[:] = POSTURES[p["posture"]]
    base.sync_power()
    return f"{p['posture']} posture: off are {', '.join(POSTURES[p['posture']]) or 'none'}"


def _deep_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    battery, now, floor = _battery(base), base.now(), rules.number("FR-19", "floor")
    if not parameters["on"] or battery.deep_until is None:
        return None
    if battery.deep(now):
        return Refusal("the battery may be emptied below its floor already")
    if 100.0 * battery.shown(now) > floor:
        return None
    return Refusal(f"that time is used up: charge the battery above {floor:g} % first", "FR-19")


def _deep(base: Base, p: Mapping[str, Any]) -> str:
    _battery(base).deepen(on=p["on"])
    hours = rules.number("FR-19", "deep")
    return f"the battery may be emptied below its floor for {hours:g} h" if p["on"] else "the battery's floor holds"


def _rest(world: World, choice: str, duration: float) -> Numbers:
    """A string keeps the charge that it had when it was taken off the bus, and so does its voltage."""
    base, battery, start = world.base, _battery(world.base), world.now
    soc, shown = base.power.soc(start), battery.shown(start)
    battery.rest(on=True)
    base.set_extra_load("check_ocv_rest", OCV_WATTS)
    world.advance(start + duration)
    base.set_extra_load("check_ocv_rest", 0.0)
    battery.rest(on=False)
    volts = open_circuit(soc) + OCV_NOISE * gauss(world.seed, "check", "ocv_rest", world.now)
    return Numbers(
        {"voltage": volts, "soc": 100.0 * soc_of(volts)},
        {"voltage": open_circuit(shown), "soc": 100.0 * shown},
        {"voltage": "V", "soc": "%"},
    )


def _channel(name: str, unit: str, description: str, noise: float, bias: float, resolution: float) -> Channel:
    return Channel(
        name=f"battery.{name}", unit=unit, description=description, groups=("power", "battery", POWER), period_s=60.0,
        noise=noise, bias=bias, resolution=resolution,
    )  # fmt: skip


PART = Part(
    name="battery",
    section=BatterySection,
    make=Battery,
    channels=(
        _channel("voltage", "V", "battery voltage under its current; 24 V empty to 32 V full at rest", 0.05, 0.1, 0.01),
        _channel("voltage_soc", "%", "state of charge as the voltage says, corrected for the current", 1.0, 2.0, 0.1),
        _channel("temperature", "degC", "cell temperature", 0.1, 0.3, 0.1),
        _channel("temperature_2", "degC", "cell temperature by the second thermistor", 0.1, 0.3, 0.1),
        _channel("heater_power", "W", "power that the cell heaters draw", 1.0, 0.0, 1.0),
    ),
    truths={
        "battery.voltage": lambda base, t: _battery(base).volts(t),
        "battery.voltage_soc": lambda base, t: 100.0 * base.power.soc(t),
        "battery.temperature": _temperature,
        "battery.temperature_2": _temperature,
        "battery.heater_power": lambda base, t: _battery(base).heater_power(t),
    },
    commands=(
        CommandSpec(
            name="battery_heater",
            description="Which of the battery's two 150 W heaters works to hold its setpoint; its power is part of the "
            "load heaters.",
            parameters=(choice("heater", "heater", "A", "B", "off"),),
        ),
        CommandSpec(
            name="charge_inhibit",
            description="Let nothing into the battery; what is left over is curtailed.",
            parameters=(Parameter(name="on", kind="flag", description="true to inhibit, false to allow"),),
            gates=f"FR-19: not lifted while the cells are below {rules.get('FR-19').numbers['cold']}.",
        ),
        CommandSpec(
            name="deep_discharge",
            description=f"Let the battery be emptied below its floor, down to its trip, for "
            f"{rules.get('FR-19').numbers['deep']}; false ends it.",
            parameters=(Parameter(name="on", kind="flag", description="true to allow it, false to end it"),),
            gates=f"FR-19: not a second time while the gauge is at {rules.get('FR-19').numbers['floor']} or less.",
        ),
        CommandSpec(
            name="set_posture",
            description="Switch the deferrable loads to a posture, the steps of FR-18 in order: "
            + "; ".join(
                f"{name} ({posture_load(name):.1f} kW with one bed): {', '.join(off) or 'nothing'} off"
                for name, off in POSTURES.items()
            )
            + ".",
            parameters=(choice("posture", "posture", *POSTURES),),
        ),
    ),
    begin={
        "battery_heater": _heater,
        "charge_inhibit": _inhibit,
        "deep_discharge": _deep,
        "set_posture": _posture,
    },
    gates={"charge_inhibit": _inhibit_gate, "deep_discharge": _deep_gate},
    checks=(
        CheckSpec(
            "ocv_rest", "Voltage of one of the battery's two strings after a rest off the bus, and the state of charge "
            "it means at the start of the rest (FR-19); the other string carries the loads meanwhile.",
            None, (), {"": rules.number("FR-19", "rest")}, OCV_WATTS, _rest,
        ),
    ),
)  # fmt: skip
