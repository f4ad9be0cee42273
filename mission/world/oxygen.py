"""The oxygen generator's hydrogen interlock, and the oxygen supply line.

Hydrogen in the product oxygen is a first-order approach to a level set by the mode: low while the stack is sound, high
while its membrane leaks, held while it stands, purged away by nitrogen. Sensor A may add an offset of moisture, which
a purge dries. At 1 % by sensor A the generator trips, at an exact time. All levels and times are ours; 4 % is the
lower flammability limit of hydrogen.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field

from mission.world.exponential import ExpSum, exp_sum
from mission.world.lookout import Watch, reach
from mission.world.record import Built, Positive
from mission.world.units import HOUR, KPA, MINUTE

if TYPE_CHECKING:
    from mission.world.base import Base

CORE = 0
"""The core among the zones."""
TRIP = 1.0
FLAMMABLE = 4.0
"""% of hydrogen in the product oxygen."""
SOUND, LEAKY, PURGED = 0.1, 5.0, 0.05
"""% that the mode tends to."""
TAU_RUN, TAU_PURGE = 20 * MINUTE, 5 * MINUTE
PURGE_N2 = 0.5
"""kg of nitrogen for one purge."""


class OxygenSection(Built):
    purge_n2_kg: Positive = PURGE_N2
    leak_percent: float = Field(default=LEAKY, ge=1e-6, le=20)
    """Hydrogen that a leaking membrane tends to while the generator runs."""


@dataclass(frozen=True)
class Segment:
    """Hydrogen from `t0` on: `h2` tends to `level` with `tau`, the sensor's `offset` to 0 with `dry`; inf holds."""

    t0: float
    h2: float
    level: float
    tau: float
    offset: float
    dry: float

    def at(self, t: float) -> tuple[float, float]:
        """Hydrogen and offset at `t`, both in %."""
        dt = t - self.t0
        return self.level + (self.h2 - self.level) * math.exp(-dt / self.tau), self.offset * math.exp(-dt / self.dry)


class Oxygen:
    """Interlock, membrane and sensor of the generator; the stuck valve and the manual valve of the supply line."""

    def __init__(self, section: OxygenSection, base: Base) -> None:
        self.section = section
        self._base = base
        self.leaking = self.tripped = self.bypassed = self.purging = False
        self.purged = False
        """Since the last trip."""
        self.restarts = 0
        """Since the last repair."""
        self.second: tuple[float, float] | None = None
        """When the second hydrogen sensor was read, and what it said."""
        self.rate_before = base.air.config.oga
        self.stuck = 0.0
        """kg/s that the supply valve lets through on its own."""
        self.isolated = False
        self.dilute_to = 0.0
        """Pa in the core up to which nitrogen is let in by hand; 0 is not at all."""
        self._running = base.air.config.oga > 0.0
        self._starts = [0.0]
        self._segments = [Segment(0.0, SOUND if self._running else PURGED, SOUND, TAU_RUN, 0.0, math.inf)]
        self._rebase()
        base.follow_air(self._follow)

    def h2(self, t: float) -> float:
        return self._segment(t).at(t)[0]

    def shown(self, t: float) -> float:
        """Hydrogen by sensor A, without the instrument's own error."""
        return sum(self._segment(t).at(t))

    def false_trip(self, offset: float) -> None:
        """Moisture makes sensor A read high."""
        self._rebase(offset=offset)
        self._base.changed("oxygen")

    def cross_leak(self) -> None:
        """The membrane lets hydrogen through."""
        self.leaking = True
        self._rebase()
        self._base.changed("oxygen")

    def stick_valve(self, kg_per_h: float) -> None:
        self.stuck = kg_per_h / HOUR
        self._feed()

    def isolate(self, *, closed: bool) -> None:
        self.isolated = closed
        self._feed()

    def mend_valve(self) -> None:
        self.stuck = 0.0
        self._feed()

    def dilute(self, pascal: float) -> None:
        """Let nitrogen into the core at the valve's full rate until its pressure is `pascal`; 0 stops it."""
        self.dilute_to = pascal
        air = self._base.air
        self._base.change(self._base.now(), n2_dilution=air.makeup_rate if pascal else 0.0)
        self._base.changed("oxygen")

    def purge(self, *, on: bool) -> None:
        self.purging, self.purged = on, self.purged or not on
        self._rebase()
        self._base.changed("oxygen")

    def restart(self, *, bypass: bool) -> None:
        self.tripped, self.bypassed, self.purged = False, bypass, False
        self.restarts += 1
        self._base.change(self._base.now(), oga=self.rate_before)

    def repair(self) -> None:
        """The spare stack is in: no leak, dry sensor, interlock reset."""
        self.leaking = self.tripped = self.bypassed = False
        self.restarts = 0
        self._rebase(h2=PURGED, offset=0.0)
        self._base.change(self._base.now(), oga=self.rate_before)
        self._base.changed("oxygen")

    def watches(self) -> Sequence[Watch]:
        return [*self._dilution(), *self._hydrogen()]

    def _dilution(self) -> list[Watch]:
        if not self.dilute_to:
            return []
        air = self._base.air
        key = (air.version, air.config.temperatures, air.config.hatches, self.dilute_to)
        return [Watch("diluted", key, air.reach("total", CORE, self.dilute_to, rising=True), self._diluted)]

    def _diluted(self, t: float) -> None:
        self._base.log(t, "dilution", pressure_kpa=self.dilute_to / KPA)
        self.dilute(0.0)

    def _hydrogen(self) -> list[Watch]:
        if not self._running:
            return []
        segment = self._segments[-1]
        flammable = Watch("flammable", ("h2", segment), reach(self._curve(False), FLAMMABLE, rising=True), self._burns)
        ahead = [flammable] if self.h2(self._base.now()) < FLAMMABLE else []
        if self.bypassed:
            return ahead
        return [Watch("trip", ("shown", segment), reach(self._curve(True), TRIP, rising=True), self._trip), *ahead]

    def loads(self) -> Mapping[str, float]:
        return {}

    def state(self, t: float) -> dict[str, Any]:
        return {
            "tripped": self.tripped,
            "bypassed": self.bypassed,
            "membrane_leaks": self.leaking,
            "h2_percent": self.h2(t),
            "restarts": self.restarts,
            "valve_stuck_kg_h": self.stuck * HOUR,
            "isolated": self.isolated,
            "dilute_to_kpa": self.dilute_to / KPA,
        }

    def _segment(self, t: float) -> Segment:
        return self._segments[max(bisect_right(self._starts, t) - 1, 0)]

    def _rebase(self, h2: float | None = None, offset: float | None = None) -> None:
        t = self._base.now()
        was, moist = self._segment(t).at(t)
        level, tau, dry = PURGED, math.inf, math.inf
        if self.purging:
            tau = dry = TAU_PURGE
        elif self._running:
            level, tau = (self.section.leak_percent if self.leaking else SOUND), TAU_RUN
        fresh = Segment(t, was if h2 is None else h2, level, tau, moist if offset is None else offset, dry)
        if self._starts[-1] == t:
            self._segments[-1] = fresh
            return
        self._starts.append(t)
        self._segments.append(fresh)

    def _follow(self) -> None:
        if self.dilute_to:
            # Where the pressure goes has changed, and an empty tank has ended it.
            self.dilute_to = self.dilute_to if self._base.air.config.n2_dilution else 0.0
            self._base.changed("oxygen")
        running = self._base.air.config.oga > 0.0
        if running:
            self.rate_before = self._base.air.config.oga
        if running != self._running:
            self._running = running
            self._rebase()
            self._base.changed("oxygen")

    def _curve(self, with_offset: bool) -> Callable[[float], ExpSum]:
        def curve(now: float) -> ExpSum:
            segment = self._segment(now)
            h2, offset = segment.at(now)
            terms = [(1.0 / segment.tau, (segment.level - h2) / segment.tau)] if segment.tau < math.inf else []
            return exp_sum(h2 + (offset if with_offset else 0.0), terms)

        return curve

    def _trip(self, t: float) -> None:
        self.tripped, self.purged = True, False
        self._base.log(t, "trip", unit="oga", why="hydrogen")
        self._base.change(t, oga=0.0)

    def _burns(self, t: float) -> None:
        self._base.log(t, "hydrogen", percent=FLAMMABLE, why="flammable in oxygen")
        self._rebase(h2=math.nextafter(FLAMMABLE, math.inf))

    def _feed(self) -> None:
        flow = 0.0 if self.isolated else self.stuck
        shut = {"o2_valve": False} if self.isolated else {}
        self._base.change(self._base.now(), o2_stuck=flow, o2_isolated=self.isolated, **shut)
