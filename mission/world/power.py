"""The energy ledger: fission, battery and loads, linear between events."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from mission.world.units import KW, KWH, at_or_after

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
ESSENTIAL = ("condenser", "pumps", "avionics", "heaters")
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
MARKS = (0.60, 0.40, 0.30, 0.20)
"""States of charge whose crossing is an event."""
OGA_STANDBY = 469.0
OGA_PER_KG_DAY = 272.0


def oga_power(kg_per_day: float) -> float:
    """W of the oxygen generator: linear between ISS standby, 469 W, and 2971 W at 9.2 kg/d; off at zero."""
    return OGA_STANDBY + OGA_PER_KG_DAY * kg_per_day if kg_per_day > 0.0 else 0.0


@dataclass(frozen=True)
class Energy:
    """Joules since the start: what came in, and where it went."""

    fission: float = 0.0
    served: float = 0.0
    loss: float = 0.0
    curtailed: float = 0.0
    unserved: float = 0.0


@dataclass(frozen=True)
class Segment:
    """Constant powers from `t0` on, in W; `stored` is the change of the battery's content."""

    t0: float
    battery: float
    ledger: Energy
    loads: Mapping[str, float]
    fission: float
    stored: float
    loss: float
    curtailed: float
    unserved: float

    @property
    def load(self) -> float:
        return sum(self.loads.values())


@dataclass(frozen=True)
class Mark:
    """A battery event to come: at `t`, state of charge `soc`, rising or falling."""

    t: float
    soc: float
    rising: bool


class Power:
    """The one owner of the energy balance.

    Marks are passed at most one step of the clock late, so the battery may hold 1e-6 s of charge more than full.
    """

    def __init__(self, fission: float, capacity: float, content: float, loads: Mapping[str, float]) -> None:
        self.capacity = capacity
        self._starts: list[float] = []
        self._segments: list[Segment] = []
        self._append(0.0, content, Energy(), fission, dict(loads))

    def change(self, t: float, loads: Mapping[str, float]) -> bool:
        """From `t` on these loads run; False if that is nothing new."""
        last = self._segments[-1]
        if dict(loads) == last.loads:
            return False
        self._append(t, self.battery(t), self.ledger(t), last.fission, dict(loads))
        return True

    def rebase(self, t: float) -> None:
        """Look again at what the battery can do: it has become full or empty."""
        last = self._segments[-1]
        self._append(t, self.battery(t), self.ledger(t), last.fission, last.loads)

    def segment(self, t: float) -> Segment:
        return self._segments[max(bisect_right(self._starts, t) - 1, 0)]

    def battery(self, t: float) -> float:
        """Content of the battery at `t`, J."""
        segment = self.segment(t)
        return segment.battery + segment.stored * (t - segment.t0)

    def soc(self, t: float) -> float:
        return self.battery(t) / self.capacity

    def ledger(self, t: float) -> Energy:
        segment = self.segment(t)
        dt, before = t - segment.t0, segment.ledger
        return Energy(
            before.fission + segment.fission * dt,
            before.served + (segment.load - segment.unserved) * dt,
            before.loss + segment.loss * dt,
            before.curtailed + segment.curtailed * dt,
            before.unserved + segment.unserved * dt,
        )

    def residual(self, t: float) -> float:
        """What the ledger does not account for, as a share of the energy that came in or was there."""
        start, now = self._segments[0].battery, self.ledger(t)
        left = now.fission - now.served - now.loss - now.curtailed - (self.battery(t) - start)
        return left / (now.fission + start)

    def next_mark(self, now: float) -> Mark | None:
        """The next state of charge passed, if the loads stay as they are."""
        segment = self._segments[-1]
        if segment.stored == 0.0:
            return None
        rising = segment.stored > 0.0
        content = self.battery(now)
        ahead = [soc for soc in (*MARKS, 1.0) if (soc * self.capacity > content) == rising]
        ahead = [soc for soc in ahead if soc * self.capacity != content]
        if not ahead:
            return None
        soc = min(ahead) if rising else max(ahead)
        return Mark(max(now, at_or_after(now + (soc * self.capacity - content) / segment.stored)), soc, rising)

    def _append(self, t: float, content: float, ledger: Energy, fission: float, loads: Mapping[str, float]) -> None:
        surplus = fission - sum(loads.values())
        stored = loss = curtailed = unserved = 0.0
        if surplus >= 0.0 and content >= self.capacity:
            curtailed = surplus
        elif surplus >= 0.0:
            stored, loss = surplus * CHARGE_EFFICIENCY, surplus * (1.0 - CHARGE_EFFICIENCY)
        elif content <= FLOOR * self.capacity:
            unserved = -surplus
        else:
            stored = surplus / DISCHARGE_EFFICIENCY
            loss = surplus - stored
        segment = Segment(t, content, ledger, loads, fission, stored, loss, curtailed, unserved)
        if self._starts and self._starts[-1] == t:
            self._segments[-1] = segment
            return
        self._starts.append(t)
        self._segments.append(segment)


def shed_to_fit(loads: Mapping[str, float], fission: float) -> list[str]:
    """The deferrable loads to drop, in order, until what is left fits `fission` W or none is left."""
    dropped: list[str] = []
    total = sum(loads.values())
    for name in DEFERRABLE:
        if total <= fission:
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
        "load_kw": segment.load / KW,
        "net_kw": (segment.fission - segment.load) / KW,
        "soc_percent": 100.0 * power.soc(t),
        "battery_kwh": power.battery(t) / KWH,
        "served_kwh": ledger.served / KWH,
        "curtailed_kwh": ledger.curtailed / KWH,
        "unserved_kwh": ledger.unserved / KWH,
    }
