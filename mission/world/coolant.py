"""The two coolant loops: pump, supply, accumulator and external line, each in closed form between changes.

Numbers of the design study 1.6 and 2.4 where it has them: 6 kW and 60 L a loop, 8 L in the accumulator, expansion
4e-4 /K, supply falling at 3 K/h behind a valve stuck cold, freezing at 0 C inside and at -78 C (ammonia) outside, a
stagnant line that follows the outside with 0.5 to 2 h. The rest is ours and says so.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from mission.world.exponential import exp_sum
from mission.world.units import HOUR
from mission.world.wave import OMEGA, Wave

LOOPS = ("a", "b")
Valve = Literal["auto", "stuck", "bypassed"]
Pump = Literal["ok", "tripped", "dead"]
SUPPLY = 4.0
"""C: set point of the loop's supply (low-temperature loop, 4.4 to 9.4 C)."""
SUPPLY_TOP = 9.4
"""C: where the loop's heater stops warming."""
STUCK_RATE = 3.0 / HOUR
"""K/s by which a valve stuck cold cools the supply."""
HEATER_W = 250.0
"""Heater of a loop, ours."""
LOOP_HEAT = 230e3
"""J/K of 60 L of water and glycol at 3.8 kJ/(L K): the stuck valve takes 190 W too much, the heater gives 250 W."""
SETTLE_RATE = 30.0 / HOUR
"""K/s at which a controlled supply comes back to its set point, ours."""
STAGNANT_TAU = 1.0 * HOUR
"""Time constant with which a stopped loop takes the cabin's temperature, ours."""
FLOW = 0.115
"""kg/s through a running loop, ours: with 3.5 kJ/(kg K) 400 W/K, so 6 kW warm it by 15 K."""
FLOW_W_K = 400.0
LITRES = 60.0
EXPANSION = 4e-4
"""1/K of water and glycol."""
REFERENCE = 12.0
"""C: mean loop temperature at which the accumulator's level is its content."""
VESSEL = 12.0
"""L of the accumulator with its gas, ours; the gas stands at 200 kPa over 8 L."""
GAS_KPA = 200.0
PUMP_A, PUMP_RPM, PUMP_DP = 1.6, 11800.0, 60.0
"""A, rpm and kPa of a pump that runs, ours."""
SHUT_OFF_A, SHUT_OFF_DP = 0.5, 1.25
"""Shares of current and pressure rise of a pump that turns against a line that is shut or frozen: a centrifugal pump
at its speed moves nothing then, draws about half, and stands at the top of its curve; the shares are ours."""
LINE_TAU = 1.5 * HOUR
"""Time constant of a stagnant external line: the design study has 0.5 to 2 h."""
LINE_FLOWING = 5.0
"""C of the external line while it flows, ours."""
LINE_HEATED = 60.0
"""K above the outside to which its trace heating brings a stagnant line, ours."""
WATER_FREEZES, AMMONIA_FREEZES = 0.0, -78.0
BYPASS_SHARE = 0.5
"""What a loop with its control valve bypassed still carries, ours."""


@dataclass(frozen=True, slots=True)
class Loop:
    """One loop from `t0` on. Temperatures in C, litres, L/s."""

    t0: float
    content: float
    """Fluid in the accumulator at the reference temperature."""
    supply: float = SUPPLY
    cabin: float = 0.0
    """C of the cabin at `t0`, which a stagnant loop's supply comes up to."""
    line: float = LINE_FLOWING
    pump: Pump = "ok"
    restartable: bool = False
    attempts: int = 0
    """Restarts tried since the fault."""
    total: int = 0
    """Restarts tried since the start."""
    valve: Valve = "auto"
    heater: bool = False
    isolated: bool = False
    frozen: bool = False
    leak: float = 0.0
    ingress: float = 0.0
    """What enters through a breached interface heat exchanger."""
    air: tuple[float, float] = (0.0, 0.0)
    """C and K: mean and half range of the day's air around a line that stands."""

    @property
    def flowing(self) -> bool:
        return self.pump == "ok" and not self.isolated and not self.frozen

    @property
    def duty(self) -> float:
        """Share of its current that the pump draws."""
        return 0.0 if self.pump != "ok" else 1.0 if self.flowing else SHUT_OFF_A

    @property
    def rise(self) -> float:
        """Share of its pressure rise at which the pump stands."""
        return 0.0 if self.pump != "ok" else 1.0 if self.flowing else SHUT_OFF_DP

    def share(self) -> float:
        """Of its full capacity, what it can carry."""
        return (BYPASS_SHARE if self.valve == "bypassed" else 1.0) if self.flowing else 0.0

    def loss(self) -> float:
        """L/s that leave the loop (negative: that enter)."""
        return 0.0 if self.isolated else self.leak - self.ingress


def supply_drift(loop: Loop) -> tuple[float, float]:
    """(rate in K/s, temperature it ends at) of a flowing loop's supply."""
    if loop.valve != "stuck":
        return SETTLE_RATE, SUPPLY
    return (HEATER_W / LOOP_HEAT - STUCK_RATE, SUPPLY_TOP) if loop.heater else (STUCK_RATE, WATER_FREEZES)


def supply(loop: Loop, cabin: float, t: float) -> float:
    """C: a flowing supply runs to its end at a constant rate; a stagnant one loses what it has beside the cabin."""
    if not loop.flowing:
        return cabin + (loop.supply - loop.cabin) * math.exp(-(t - loop.t0) / STAGNANT_TAU)
    rate, end = supply_drift(loop)
    moved = rate * (t - loop.t0)
    return min(loop.supply + moved, end) if loop.supply < end else max(loop.supply - moved, end)


def content(loop: Loop, t: float) -> float:
    return max(0.0, loop.content - loop.loss() * (t - loop.t0))


def level(loop: Loop, mean: float, t: float) -> float:
    """L in the accumulator, with the expansion of a loop at `mean` C."""
    return min(max(0.0, content(loop, t) + EXPANSION * LITRES * (mean - REFERENCE)), VESSEL - 0.5)


def pressure(loop: Loop, start: float, mean: float, t: float) -> float:
    """kPa of the accumulator's gas at constant temperature; it was `GAS_KPA` over `start` L."""
    return GAS_KPA * (VESSEL - start) / (VESSEL - level(loop, mean, t))


def line(loop: Loop, coldest: complex) -> Wave:
    """C of the external line; `coldest` is the phasor at the loop's `t0` of a day of amplitude 1."""
    if loop.flowing:
        return Wave(loop.t0, exp_sum(LINE_FLOWING, ()))
    mean, half = loop.air
    end = mean + (LINE_HEATED if loop.heater else 0.0)
    turned = coldest * half / (1.0 + 1j * OMEGA * LINE_TAU)
    start = loop.line - turned.real
    return Wave(loop.t0, exp_sum(start, [(1.0 / LINE_TAU, (end - start) / LINE_TAU)]), turned)


class History:
    """States of one loop, in order of time."""

    def __init__(self, first: Loop) -> None:
        self._starts = [first.t0]
        self._states = [first]

    @property
    def last(self) -> Loop:
        return self._states[-1]

    @property
    def states(self) -> Sequence[Loop]:
        """All so far."""
        return self._states

    def at(self, t: float) -> Loop:
        return self._states[max(bisect_right(self._starts, t) - 1, 0)]

    def change(self, t: float, **changes: Any) -> None:
        state = replace(self.last, t0=t, **changes)
        if self._starts[-1] == t:
            self._states[-1] = state
            return
        self._starts.append(t)
        self._states.append(state)
