"""The energy ledger: fission, array, battery and loads, in closed form between events."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mission.world.knots import Curve
from mission.world.units import CLOCK_STEP, DAY, KW, KWH, at_or_after

LOADS: dict[str, float] = {
    "bed_a": 860.0,
    "bed_b": 860.0,
    "oga": 1807.0,
    "condenser": 750.0,
    "imv": 100.0,
    "pumps": 500.0,
    "avionics": 800.0,
    "heaters": 500.0,
    "lights": 1000.0,
    "galley": 800.0,
    "water_recovery": 350.0,
    "sabatier": 250.0,
    "lab": 2000.0,
    "plant_lamps": 3000.0,
    "suit_recharge": 1200.0,
    "rover_charge": 3000.0,
    "isru": 4000.0,
}
"""W. Load list of the design study 1.5; the fan's share of 'CCAA and fans' (0.85 kW) is ours."""
ESSENTIAL = ("condenser", "avionics", "heaters")
"""Beside what its own part draws: beds, generator, fan, pumps."""
DEFERRABLE = (
    "isru",
    "rover_charge",
    "plant_lamps",
    "lab",
    "galley",
    "lights",
    "suit_recharge",
    "water_recovery",
    "sabatier",
)
"""In the order in which a battery at its floor drops them (design study, FR-18)."""

CHARGE_EFFICIENCY = DISCHARGE_EFFICIENCY = 0.949
"""Round trip 0.90 (design study 1.5)."""
FLOOR = 0.20
MARKS = (0.95, 0.60, 0.40, 0.30, 0.20)
"""States of charge whose crossing is an event."""
SEARCH = 2.0 * DAY
"""s ahead that events of a changing supply are looked for before the search is taken up again."""
NEAR = 0.1
"""J: the battery is taken to be at a level this near; 100 kW move as much in one step of the clock."""
OGA_STANDBY = 469.0
OGA_PER_KG_DAY = 272.0


def oga_power(kg_per_day: float) -> float:
    """W of the oxygen generator: linear between ISS standby, 469 W, and 2971 W at 9.2 kg/d; off at zero."""
    return OGA_STANDBY + OGA_PER_KG_DAY * kg_per_day if kg_per_day > 0.0 else 0.0


@dataclass(frozen=True)
class Energy:
    """Joules since the start: what came in, and where it went."""

    fission: float = 0.0
    solar: float = 0.0
    served: float = 0.0
    loss: float = 0.0
    curtailed: float = 0.0
    unserved: float = 0.0


@dataclass(frozen=True)
class Regime:
    """Where each joule of supply minus load goes: through the battery's converter, or as the rest is named."""

    stored: float = 0.0
    """What a joule through the converter puts into the battery, and what it loses on the way."""
    loss: float = 0.0
    curtailed: float = 0.0
    """Of the rest."""
    unserved: float = 0.0
    fixed: float | None = None
    """W through the converter at its limit; None if all goes through."""
    rising: bool = False
    """Whether the battery is being charged."""


CHARGING = Regime(stored=CHARGE_EFFICIENCY, loss=1.0 - CHARGE_EFFICIENCY, rising=True)
CURTAILING = Regime(curtailed=1.0, fixed=0.0)
DRAINING = Regime(stored=1.0 / DISCHARGE_EFFICIENCY, loss=1.0 - 1.0 / DISCHARGE_EFFICIENCY)
FAILING = Regime(unserved=-1.0, fixed=0.0)


@dataclass(frozen=True)
class Terms:
    """What the balance depends on, from one moment to the next; powers in W, `capacity` in J."""

    loads: Mapping[str, float]
    fission: float
    capacity: float
    solar: Curve | None = None
    charging: bool = True
    """False if nothing may go into the battery."""
    floor: float = FLOOR
    """State of charge below which the battery gives nothing."""
    most_in: float = math.inf
    most_out: float = math.inf
    """W into and out of the cells at most."""

    @cached_property
    def load(self) -> float:
        return sum(self.loads.values())

    @cached_property
    def limits(self) -> tuple[float, float]:
        """W that the converter takes and gives at most."""
        return self.most_in / CHARGE_EFFICIENCY, self.most_out * DISCHARGE_EFFICIENCY

    def net(self, t: float) -> float:
        """Supply minus load, W."""
        return self.fission - self.load + (self.solar.power(t) if self.solar else 0.0)

    def regime(self, t: float, content: float) -> Regime:
        net, (taken, given) = self.net(t), self.limits
        if net >= 0.0:
            if not self.charging or content >= self.capacity - NEAR:
                return CURTAILING
            return CHARGING if net <= taken else replace(CHARGING, curtailed=1.0, fixed=taken)
        if given == 0.0 or content <= self.floor * self.capacity + NEAR:
            return FAILING
        return DRAINING if net >= -given else replace(DRAINING, unserved=-1.0, fixed=-given)


@dataclass(frozen=True)
class Segment:
    """One set of terms from `t0` on, in one regime."""

    t0: float
    battery: float
    ledger: Energy
    terms: Terms
    regime: Regime

    @property
    def loads(self) -> Mapping[str, float]:
        return self.terms.loads

    @property
    def load(self) -> float:
        return self.terms.load

    @property
    def fission(self) -> float:
        return self.terms.fission

    def solar(self, t: float) -> float:
        """W from the array."""
        return self.terms.solar.power(t) if self.terms.solar else 0.0

    def net(self, t: float) -> float:
        return self.terms.net(t)

    def through(self, t: float) -> float:
        """W through the battery's converter; negative out of it."""
        return self.net(t) if self.regime.fixed is None else self.regime.fixed

    def stored(self, t: float) -> float:
        """W into the battery; negative out of it."""
        return self.regime.stored * self.through(t)

    def unserved(self, t: float) -> float:
        return self.regime.unserved * (self.net(t) - self.through(t))

    def sun(self, t: float) -> float:
        """J from the array since `t0`."""
        return self.terms.solar.energy(self.t0, t) if self.terms.solar else 0.0

    def surplus(self, t: float) -> float:
        """J of supply minus load since `t0`."""
        return (self.fission - self.load) * (t - self.t0) + self.sun(t)

    def passed(self, t: float) -> float:
        """J through the battery's converter since `t0`."""
        return self.surplus(t) if self.regime.fixed is None else self.regime.fixed * (t - self.t0)


@dataclass(frozen=True)
class Mark:
    """A battery event to come: at `t`, state of charge `soc`, rising or falling; no soc if the balance turns."""

    t: float
    soc: float | None
    rising: bool


class Power:
    """The one owner of the energy balance.

    Marks are passed at most one step of the clock late, so the battery may hold 1e-6 s of charge more than full.
    """

    def __init__(self, fission: float, capacity: float, content: float, loads: Mapping[str, float]) -> None:
        self._starts: list[float] = []
        self._segments: list[Segment] = []
        self._append(0.0, content, Energy(), Terms(dict(loads), fission, capacity))

    @property
    def capacity(self) -> float:
        """J that the battery holds now when it is full."""
        return self._segments[-1].terms.capacity

    def change(self, t: float, loads: Mapping[str, float], **terms: Any) -> bool:
        """From `t` on these loads run and these other terms hold; False if that is nothing new."""
        last = self._segments[-1]
        if loads == last.terms.loads and all(getattr(last.terms, name) == value for name, value in terms.items()):
            return False
        new = replace(last.terms, loads=dict(loads), **terms)
        content, ledger = self.battery(t), self.ledger(t)
        if content > new.capacity > 0.0 and new.capacity < last.terms.capacity:
            ledger = replace(ledger, loss=ledger.loss + content - new.capacity)
            content = new.capacity
        self._append(t, content, ledger, new)
        return True

    def rebase(self, t: float) -> None:
        """Look again at what the battery can do: it has become full or empty, or the balance has turned."""
        self._append(t, self.battery(t), self.ledger(t), self._segments[-1].terms)

    @property
    def segments(self) -> Sequence[Segment]:
        """All so far, in order of time."""
        return self._segments

    def segment(self, t: float) -> Segment:
        return self._segments[max(bisect_right(self._starts, t) - 1, 0)]

    def changes(self, a: float, b: float) -> list[float]:
        """When a segment began, strictly between `a` and `b`."""
        return self._starts[bisect_right(self._starts, a) : bisect_left(self._starts, b)]

    def battery(self, t: float) -> float:
        """Content of the battery at `t`, J."""
        segment = self.segment(t)
        return segment.battery + segment.regime.stored * segment.passed(t)

    def soc(self, t: float) -> float:
        return self.battery(t) / self.segment(t).terms.capacity

    def ledger(self, t: float) -> Energy:
        segment = self.segment(t)
        before, regime, dt = segment.ledger, segment.regime, t - segment.t0
        passed = segment.passed(t)
        rest = 0.0 if regime.fixed is None else segment.surplus(t) - passed
        unserved = regime.unserved * rest
        return Energy(
            before.fission + segment.fission * dt,
            before.solar + segment.sun(t),
            before.served + segment.load * dt - unserved,
            before.loss + regime.loss * passed,
            before.curtailed + regime.curtailed * rest,
            before.unserved + unserved,
        )

    def residual(self, t: float) -> float:
        """What the ledger does not account for, as a share of the energy that came in or was there."""
        start, now = self._segments[0].battery, self.ledger(t)
        came = now.fission + now.solar
        left = came - now.served - now.loss - now.curtailed - (self.battery(t) - start)
        return left / (came + start)

    def next_mark(self, now: float) -> Mark | None:
        """The next state of charge passed or turn of the balance, if the terms stay as they are.

        Under a changing supply it is looked for `SEARCH` ahead; a mark without a soc may then only mean to look again.
        """
        terms, regime = self._segments[-1].terms, self._segments[-1].regime
        turn = self._turn(terms, now)
        level = self._level(terms, regime, now, turn.t if turn else None)
        if level is not None and (turn is None or level.t <= turn.t):
            return level
        return turn

    def _turn(self, terms: Terms, now: float) -> Mark | None:
        """When supply and load change sides, or their difference passes what the battery takes or gives."""
        if terms.solar is None:
            return None
        even, horizon = terms.load - terms.fission, now + SEARCH
        first = horizon
        for level in (even, even + terms.limits[0], even - terms.limits[1]):
            t = terms.solar.crossing(now, level, first)
            first = first if t is None else min(first, max(t, now + CLOCK_STEP))
        return Mark(at_or_after(first), None, terms.net(now) < 0.0)

    def _level(self, terms: Terms, regime: Regime, now: float, horizon: float | None) -> Mark | None:
        """The next mark on the way, looked for up to `horizon` where the supply changes."""
        if regime.stored == 0.0 or (terms.solar is None and terms.net(now) == 0.0):
            return None
        rising, content = regime.rising, self.battery(now)
        marks = (*MARKS, 1.0) if rising else (*MARKS, terms.floor)
        gaps = [(soc, soc * terms.capacity - content) for soc in marks]
        ahead = [(soc, gap) for soc, gap in gaps if (gap if rising else -gap) > NEAR]
        if not ahead:
            return None
        soc, gap = min(ahead, key=lambda entry: abs(entry[1]))
        if regime.fixed is not None:
            after: float | None = now + gap / (regime.stored * regime.fixed)
        elif terms.solar is None or horizon is None:
            after = now + gap / (regime.stored * terms.net(now))
        else:
            after = terms.solar.reach(now, terms.fission - terms.load, gap / regime.stored, horizon)
        return None if after is None else Mark(max(now, at_or_after(after)), soc, rising)

    def _append(self, t: float, content: float, ledger: Energy, terms: Terms) -> None:
        segment = Segment(t, content, ledger, terms, terms.regime(t, content))
        if self._starts and self._starts[-1] == t:
            self._segments[-1] = segment
            return
        self._starts.append(t)
        self._segments.append(segment)


def shed_to_fit(loads: Mapping[str, float], supply: float) -> list[str]:
    """The deferrable loads to drop, in order, until what is left fits `supply` W or none is left."""
    dropped: list[str] = []
    total = sum(loads.values())
    for name in DEFERRABLE:
        if total <= supply:
            break
        if name in loads:
            total -= loads[name]
            dropped.append(name)
    return dropped


def summary(power: Power, t: float) -> dict[str, float]:
    """The power state at `t`, in kW, kWh and percent."""
    segment, ledger = power.segment(t), power.ledger(t)
    return {
        "fission_kw": segment.fission / KW,
        "solar_kw": segment.solar(t) / KW,
        "load_kw": segment.load / KW,
        "net_kw": segment.net(t) / KW,
        "soc_percent": 100.0 * power.soc(t),
        "battery_kwh": power.battery(t) / KWH,
        "capacity_kwh": segment.terms.capacity / KWH,
        "solar_kwh": ledger.solar / KWH,
        "served_kwh": ledger.served / KWH,
        "curtailed_kwh": ledger.curtailed / KWH,
        "unserved_kwh": ledger.unserved / KWH,
    }
