"""The state of the base's instruments: what is wrong with which, since when; calibration, service, and the alarm.

The errors themselves are made in mission/sensors.py. The depressurisation alarm and the pressure rates are worked out
from the last two minutes of pressure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import Field

from mission import rules
from mission.channel import LIFE, Channel, Fault, gauss, offset
from mission.world.gases import LUNG_VAPOUR
from mission.world.lookout import Watch
from mission.world.record import Record
from mission.world.spec import CheckRefusedError, CheckSpec, CommandSpec, Numbers, Part, Refusal, Truth, choice
from mission.world.units import HOUR, MINUTE, MMHG

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

GAS_CHANNELS = tuple(f"{zone}.{gas}" for zone in ("core", "lab", "airlock") for gas in ("ppco2", "ppo2"))
SPAN_GAS = {"ppco2": (3.0, "mmHg"), "ppo2": (19.3, "kPa")}
"""What the calibration gas holds."""
SPAN_NOISE = {"ppco2": 0.02, "ppo2": 0.01}
BIAS = {"ppco2": 0.3, "ppo2": 0.15}
"""Bounds of the analyser's constant offset, as in its channels (design study 1.3)."""
PSI_MIN = 6894.757 * 60.0 / MMHG
"""mmHg/h for one psi a minute."""
RATE_WINDOW = 2 * MINUTE
HABITABLE = ("core", "lab")
LONGEST = 99.0
"""h: reserve times are not stated beyond."""


class MaintenanceEntry(Record):
    """One line of the maintenance log from before the scenario."""

    days_ago: float = Field(ge=0)
    text: str


class InstrumentsSection(Record):
    history: tuple[MaintenanceEntry, ...] = ()


class Instruments:
    """The faults of each channel over time."""

    def __init__(self, section: InstrumentsSection, base: Base) -> None:
        self.section = section
        self._base = base
        self._starts: dict[str, list[float]] = {}
        self._faults: dict[str, list[Fault | None]] = {}

    def fault(self, channel: str, t: float) -> Fault | None:
        """What is wrong with a channel at `t`, or None."""
        at = bisect_right(self._starts.get(channel, []), t) - 1
        return self._faults[channel][at] if at >= 0 else None

    def set(self, channel: str, fault: Fault | None) -> None:
        """From now on this, and nothing else, is wrong with a channel."""
        starts, faults = self._starts.setdefault(channel, []), self._faults.setdefault(channel, [])
        if starts and starts[-1] == self._base.now():
            faults[-1] = fault
            return
        starts.append(self._base.now())
        faults.append(fault)

    def spoil(self, channel: str, **errors: Any) -> None:
        """A new fault: fields of `Fault`, beside `t`."""
        self.set(channel, Fault(self._base.now(), **errors))

    def freeze(self, channel: str, note: str) -> None:
        """It stays where it is and says why."""
        self.spoil(channel, frozen=True, announced=True, note=note)

    def watches(self) -> Sequence[Watch]:
        return ()

    def loads(self) -> Mapping[str, float]:
        return {}

    def state(self, t: float) -> dict[str, Any]:
        now = {channel: self.fault(channel, t) for channel in sorted(self._starts)}
        return {"faults": {channel: asdict(fault) for channel, fault in now.items() if fault is not None}}


def pressure_rate(zone: int, base: Base, t: float) -> float:
    """Change of a zone's pressure over the last two minutes, mmHg/h; 0 before there is anything to compare."""
    start = max(0.0, t - RATE_WINDOW)
    if t == start:
        return 0.0
    return (base.air.pressure(zone, t) - base.air.pressure(zone, start)) / (t - start) * HOUR / MMHG


def reserve_time(zone: int, base: Base, t: float) -> float:
    """Hours until PIO2 is 122 mmHg (FR-04) if pressure goes on falling in a straight line at an unchanged O2 share."""
    return _reserve(zone, base, t, pressure_rate(zone, base, t))


def _reserve(zone: int, base: Base, t: float, rate: float) -> float:
    pressure = base.air.pressure(zone, t) / MMHG
    if pressure <= LUNG_VAPOUR:
        return 0.0
    share = base.air.partial_pressure("o2", zone, t) / MMHG / pressure
    if share <= 0.0:
        return 0.0
    above = pressure - (rules.number("FR-04", "absolute") / share + LUNG_VAPOUR)
    if above <= 0.0:
        return 0.0
    return LONGEST if rate >= 0.0 else min(LONGEST, above / -rate)


def alarm(base: Base, t: float) -> float:
    """1 while FR-08's trigger holds in core or lab, else 0."""
    rates = [pressure_rate(zone, base, t) for zone in range(len(HABITABLE))]
    if min(rates) <= rules.number("FR-08", "rate") * PSI_MIN:
        return 1.0
    least = min(_reserve(zone, base, t, rate) for zone, rate in enumerate(rates))
    return float(least * HOUR < rules.number("FR-08", "reserve") * MINUTE)


def _gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    busy = [task for task in base.tasks if task.command == "service_sensor" and task.parameters == parameters]
    return Refusal(f"{parameters['channel']} is being serviced already") if busy else None


def _service(base: Base, parameters: Mapping[str, Any]) -> str:
    base.part("instruments").spoil(parameters["channel"], dropout=1.0, note="off line for service")
    return f"{parameters['channel']} is off line until it is serviced"


def _serviced(base: Base, parameters: Mapping[str, Any]) -> str:
    base.part("instruments").set(parameters["channel"], None)
    return f"{parameters['channel']} is cleaned, reset and on line"


def _calibrate(world: World, channel: str, duration: float) -> Numbers:
    """The channel is off line meanwhile; its fault shows on the gas as it does on air."""
    base, instruments = world.base, world.base.part("instruments")
    if any(task.command == "service_sensor" and task.parameters["channel"] == channel for task in base.tasks):
        raise CheckRefusedError(f"{channel} is being serviced")
    gas = channel.partition(".")[2]
    span, unit = SPAN_GAS[gas]
    before = instruments.fault(channel, world.now)
    frozen = world.read(channel).value if before is not None and before.frozen else None
    away = Fault(world.now, dropout=1.0, note="off line for calibration")
    instruments.set(channel, away)
    base.set_extra_load("check_calibration_gas", CALIBRATION_W)
    world.advance(world.now + duration)
    base.set_extra_load("check_calibration_gas", 0.0)
    if instruments.fault(channel, world.now) is away:
        instruments.set(channel, before)
    noise = SPAN_NOISE[gas] * gauss(world.seed, "check", "calibration_gas", channel, world.now)
    shown = span + offset(BIAS[gas], world.seed, channel) + noise
    if before is not None:
        shown += before.error(world.now)
    return Numbers({"shown": shown if frozen is None else frozen}, {"shown": span}, {"shown": unit})


CALIBRATION_W = 30.0
_ALARM = ("alarm", LIFE)
_CHANNELS = (
    *(
        Channel(
            name=f"{zone}.pressure_rate", unit="mmHg/h", description="change of total pressure over two minutes",
            groups=(zone, "atmosphere", *_ALARM), period_s=60.0, noise=2.5, resolution=0.1,
        )
        for zone in HABITABLE
    ),
    Channel(
        name="alarm.depress", unit="1", description="depressurisation alarm of FR-08: 1 while it sounds",
        groups=_ALARM, period_s=10.0, resolution=1.0, low=0.0, high=1.0,
    ),
)  # fmt: skip
_TRUTHS: dict[str, Truth] = {
    **{f"{zone}.pressure_rate": partial(pressure_rate, index) for index, zone in enumerate(HABITABLE)},
    "alarm.depress": alarm,
}
PART = Part(
    name="instruments",
    section=InstrumentsSection,
    make=Instruments,
    channels=_CHANNELS,
    truths=_TRUTHS,
    commands=(
        CommandSpec(
            name="service_sensor",
            description="Take a gas sensor off line, clean and reset it; it keeps its calibration.",
            parameters=(choice("channel", "gas channel", *GAS_CHANNELS),),
            duration_s=30 * MINUTE,
            power_w=50.0,
            gates="Refused while the sensor is being serviced already.",
        ),
    ),
    begin={"service_sensor": _service},
    done={"service_sensor": _serviced},
    gates={"service_sensor": _gate},
    checks=(
        CheckSpec(
            "calibration_gas", "What a gas sensor shows of the calibration gas; it is off line meanwhile.",
            "channel", GAS_CHANNELS, dict.fromkeys(GAS_CHANNELS, 20.0), CALIBRATION_W, _calibrate,
        ),
    ),
)  # fmt: skip
