"""Heat from one change to the next: modes, gains and courses by zone, the account, and the marks of the air."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mission.world.cabin_heat import Response
from mission.world.units import ZERO_C
from mission.world.wave import Wave

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


@dataclass(frozen=True)
class Segment:
    """Everything from `t0` on, by zone; W and K."""

    t0: float
    modes: tuple[Mode, ...]
    gains: tuple[float, ...]
    caps: tuple[float, ...]
    response: Response
    cooling: tuple[Wave, ...]
    ledger: Ledger


def band(kelvin: float) -> int:
    """How many marks it is at or above."""
    return sum(kelvin >= mark for mark in MARKS)


def fitting(mode: Mode, need: float, cap: float) -> Mode:
    """A temperature is held only while its demand can be met."""
    if mode != "held":
        return mode
    return "saturated" if need > cap else "off" if need < 0.0 else "held"
