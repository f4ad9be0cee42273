"""Heat from one change to the next: modes, gains and courses by zone, the account, and the marks of the air."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from mission.world import cabin_heat
from mission.world.cabin_heat import Hull, Outside, Response
from mission.world.units import ZERO_C
from mission.world.wave import Wave, constant

Mode = Literal["held", "saturated", "off"]
WARMED = 2
"""The first zones, core and lab, are warmed and cooled."""
STEP = 0.25
"""K between what the air block is told."""
MARKS_C = (18.0, 27.0, 32.2, 35.0)
"""C: bounds of NASA-STD-3001, 90 F, and 95 F, where flight rule A17-102A declares loss of control."""
MARKS = tuple(mark + ZERO_C for mark in MARKS_C)
OUTSIDE_LOADS = ("isru", "rover_charge", "pumps")
"""Loads whose heat the air does not get: ISRU and rovers stand outside, the pumps warm the coolant."""
AIR_HEAT = 0.83 * 1005.0
"""J/(m3 K) of air at 70.3 kPa and 295 K."""


@dataclass(frozen=True)
class Ledger:
    """J since the start."""

    gained: float = 0.0
    cooled: float = 0.0
    lost: float = 0.0
    given: float = 0.0
    """What temperatures that were set from outside brought in; negative for a colder one."""


class Drive(NamedTuple):
    """What moves the zones' heat: W into the air of each, W that each one's cooler gives at most."""

    gains: tuple[float, ...]
    caps: tuple[float, ...]
    exchange: float
    """W/K that the fans carry between the zones."""


@dataclass(frozen=True)
class Segment:
    """Everything from `t0` on, by zone; W and K. Its curves may have begun before."""

    t0: float
    modes: tuple[Mode, ...]
    drive: Drive
    response: Response
    bare: tuple[Wave, ...]
    """What would have to be taken out to hold each zone if nothing in it gave off heat."""
    cooling: tuple[Wave, ...]
    given: float = 0.0
    """J that temperatures set from outside brought in at `t0`."""

    @property
    def gains(self) -> tuple[float, ...]:
        return self.drive.gains

    @property
    def caps(self) -> tuple[float, ...]:
        return self.drive.caps


def begin(
    t: float,
    hulls: Sequence[Hull],
    outside: Outside,
    drive: Drive,
    modes: tuple[Mode, ...],
    air: tuple[float, ...],
    shell: tuple[float, ...],
) -> Segment:
    """How it goes on from `air` and `shell` K at `t`; a zone that cannot be held is not."""
    gains, caps, exchange = drive
    while True:
        taken = {"saturated": 1.0, "off": 0.0}
        net = [
            None if mode == "held" else gain - taken[mode] * cap
            for mode, gain, cap in zip(modes, gains, caps, strict=True)
        ]
        response = cabin_heat.respond(t, hulls, exchange, outside, net, air, shell)
        bare = tuple(cabin_heat.demand(t, zone, hulls, exchange, response) for zone in range(len(hulls)))
        possible = _possible(t, modes, drive, bare)
        if possible == modes:
            cooling = tuple(
                need.raised(gain) if mode == "held" else constant(t, cap if mode == "saturated" else 0.0)
                for mode, need, gain, cap in zip(modes, bare, gains, caps, strict=True)
            )
            return Segment(t, modes, drive, response, bare, cooling)
        modes = possible


def go_on(last: Segment, t: float, drive: Drive) -> Segment | None:
    """The same temperatures with other heat from inside: while every zone is held its cooling takes the difference.

    None if a zone is not held, or is so no longer.
    """
    held = all(mode == "held" for mode in last.modes)
    if not held or drive.exchange != last.drive.exchange or _possible(t, last.modes, drive, last.bare) != last.modes:
        return None
    cooling = tuple(need.raised(gain) for need, gain in zip(last.bare, drive.gains, strict=True))
    return Segment(t, last.modes, drive, last.response, last.bare, cooling)


def _possible(t: float, modes: tuple[Mode, ...], drive: Drive, bare: tuple[Wave, ...]) -> tuple[Mode, ...]:
    return tuple(
        [
            fitting(mode, need(t) + gain, cap)
            for mode, need, gain, cap in zip(modes, bare, drive.gains, drive.caps, strict=True)
        ]
    )


def passed(segment: Segment, before: Ledger, hulls: Sequence[Hull], outside: Outside, t: float) -> Ledger:
    """The account at `t` of a segment that began with `before`; `outside` is that of its start."""
    start = segment.t0
    sink = Wave(start, constant(start, outside.mean).decay, outside.swing)
    lost = sum(
        hull.outer * (wave.between(start, t) - sink.integral(t))
        for hull, wave in zip(hulls, segment.response.shell, strict=True)
    )
    cooled = sum(wave.between(start, t) for wave in segment.cooling)
    gained = before.gained + sum(segment.gains) * (t - start)
    return Ledger(gained, before.cooled + cooled, before.lost + lost, before.given)


def band(kelvin: float) -> int:
    """How many marks it is at or above."""
    return sum(kelvin >= mark for mark in MARKS)


def fitting(mode: Mode, need: float, cap: float) -> Mode:
    """A temperature is held only while its demand can be met."""
    if mode != "held":
        return mode
    return "saturated" if need > cap else "off" if need < 0.0 else "held"
