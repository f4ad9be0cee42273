"""The true value behind every channel, at any time so far."""

from __future__ import annotations

from functools import partial

from mission.world import weather
from mission.world.atmosphere import CORE, ZONES
from mission.world.base import Base
from mission.world.gases import saturation_pressure
from mission.world.parts import PARTS
from mission.world.power import LOADS, oga_power
from mission.world.spec import Truth
from mission.world.units import DAY, HOUR, KPA, KW, KWH, MMHG, ZERO_C

HEATER_DUTY = 60.0
"""Percent, of a healthy unit; one at health 0.5 is a quarter lower, inside the 10 to 40 % of the design study."""
FAN_CURRENT, FAN_SPEED = 2.0, 3000.0
"""A and rpm of the inter-module fan."""


def _pressure(zone: int, base: Base, t: float) -> float:
    return base.air.pressure(zone, t) / KPA


def _ppo2(zone: int, base: Base, t: float) -> float:
    return base.air.partial_pressure("o2", zone, t) / KPA


def _ppco2(zone: int, base: Base, t: float) -> float:
    return base.air.partial_pressure("co2", zone, t) / MMHG


def _humidity(zone: int, base: Base, t: float) -> float:
    saturated = saturation_pressure(base.air.config_at(t).temperatures[zone])
    return 100.0 * base.air.partial_pressure("h2o", zone, t) / saturated


def _temperature(zone: int, base: Base, t: float) -> float:
    return base.air.config_at(t).temperatures[zone] - ZERO_C


def _crew(zone: int, base: Base, t: float) -> float:
    return float(base.air.config_at(t).crew[zone])


def _inlet(unit: int, base: Base, t: float) -> float:
    return _ppco2(CORE, base, t)


def _outlet(unit: int, base: Base, t: float) -> float:
    """The air that a unit gives back: what it removes is missing from what it draws; all of it when it is off."""
    drawn = base.scenario.design.bed_air_m3_h / HOUR * base.air.concentration("co2", CORE, t)
    share = base.air.bed_removal(unit, t) / drawn if drawn > 0.0 else 0.0
    return _ppco2(CORE, base, t) * (1.0 - share)


def _heater(unit: int, base: Base, t: float) -> float:
    bed = base.air.config_at(t).beds[unit]
    return HEATER_DUTY * (0.5 + 0.5 * bed.health) if bed.running else 0.0


def _bed_power(unit: int, base: Base, t: float) -> float:
    return LOADS["bed_a"] / KW if base.air.config_at(t).beds[unit].running else 0.0


def _tank(index: int, base: Base, t: float) -> float:
    return base.air.tank(index, t)


def _makeup_flow(index: int, base: Base, t: float) -> float:
    start = max(0.0, t - HOUR)
    if t == start:
        return 0.0
    return (base.air.tank(index, start) - base.air.tank(index, t)) / (t - start) * HOUR


def _fan(nominal: float, base: Base, t: float) -> float:
    return nominal if base.air.config_at(t).imv else 0.0


def _oga_rate(base: Base, t: float) -> float:
    return base.air.config_at(t).oga * DAY


def _oga_power(base: Base, t: float) -> float:
    return oga_power(_oga_rate(base, t)) / KW


def _cans(base: Base, t: float) -> float:
    return float(base.scenario.design.lioh_cans - sum(opened <= t for opened in base.cans_opened))


def _net(base: Base, t: float) -> float:
    return base.power.segment(t).net(t) / KW


_SINGLE: dict[str, Truth] = {
    "makeup.n2_flow": partial(_makeup_flow, 0),
    "makeup.o2_flow": partial(_makeup_flow, 1),
    "tank.n2": partial(_tank, 0),
    "tank.o2": partial(_tank, 1),
    "imv.current": partial(_fan, FAN_CURRENT),
    "imv.speed": partial(_fan, FAN_SPEED),
    "oga.rate": _oga_rate,
    "oga.power": _oga_power,
    "lioh.cans": _cans,
    "battery.soc": lambda base, t: 100.0 * base.power.soc(t),
    "battery.energy": lambda base, t: base.power.battery(t) / KWH,
    "battery.net": _net,
    "power.fission": lambda base, t: base.power.segment(t).fission / KW,
    "power.load": lambda base, t: base.power.segment(t).load / KW,
    "crew.core": partial(_crew, 0),
    "crew.lab": partial(_crew, 1),
    "site.ltst": lambda base, t: weather.local_time(base.sky, t),
    "site.daylight_left": lambda base, t: weather.daylight_left(base.sky, t) / HOUR,
}
_BY_ZONE = {
    "pressure": _pressure,
    "ppo2": _ppo2,
    "ppco2": _ppco2,
    "humidity": _humidity,
    "temperature": _temperature,
}
_BY_UNIT = {"inlet_ppco2": _inlet, "outlet_ppco2": _outlet, "heater_duty": _heater, "power": _bed_power}
GAUGED: dict[str, Truth] = {
    "battery.soc": lambda base, t: 100.0,
    "battery.energy": lambda base, t: base.power.segment(t).terms.capacity / KWH,
}
"""What the battery's gauge shows, and its full scale."""
SHOWN: dict[str, Truth] = {"oga.h2": lambda base, t: base.part("oxygen").shown(t)}
"""What there is for a sensor to measure where that is not what it is meant to measure: moisture for hydrogen."""
TRUTHS: dict[str, Truth] = {
    **{f"{zone}.{name}": partial(f, index) for index, zone in enumerate(ZONES) for name, f in _BY_ZONE.items()},
    **{f"bed_{unit}.{name}": partial(f, index) for index, unit in enumerate("ab") for name, f in _BY_UNIT.items()},
    **_SINGLE,
    **{name: truth for part in PARTS for name, truth in part.truths.items()},
}

HEARD: dict[str, Truth] = {name: heard for part in PARTS for name, heard in part.heard.items()}
"""Of channels that come by radio: when there was contact last."""


def measurable(base: Base, channel: str, t: float) -> float | None:
    """What there is to measure: the true value, but for a gauge that counts wrong and a sensor that takes another thing
    for what it measures; None where there is nothing.

    The battery's gauge counts charge, so its error is its own; the outlet of a unit that is off has no value.
    """
    if channel in SHOWN:
        return SHOWN[channel](base, t)
    if channel in GAUGED:
        return TRUTHS[channel](base, t) + base.part("battery").gauge_error(t) * GAUGED[channel](base, t)
    if channel.endswith("outlet_ppco2"):
        unit = ("bed_a", "bed_b").index(channel.partition(".")[0])
        if not base.air.config_at(t).beds[unit].running:
            return None
    return TRUTHS[channel](base, t)
