"""One gas over time: a chain of segments in closed form, each with its flows, its dose and its ledger."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from mission.world.exponential import ExpSum
from mission.world.linear import solve_flows


class Flow(NamedTuple):
    """A named flow into a zone, kg/s: constant - conductance * concentration. `conductance` in m3/s."""

    name: str
    zone: int
    constant: float
    conductance: float


@dataclass(frozen=True)
class Segment:
    """One gas from `t0` on: what moves it, its mass by zone at `t0`, and what had passed before."""

    t0: float
    volumes: tuple[float, ...]
    flows: tuple[Flow, ...]
    exchange: tuple[tuple[int, int, float], ...]
    start: tuple[float, ...]
    dose: tuple[float, ...]
    """Time integral of the concentration by zone up to `t0`, kg s/m3."""
    ledger: dict[str, float]
    """kg that each named flow brought in up to `t0`."""

    @cached_property
    def masses(self) -> tuple[ExpSum, ...]:
        """Mass by zone over t - t0; worked out when first asked for, as of changes at one time only the last holds."""
        sources = [0.0] * len(self.start)
        for flow in self.flows:
            sources[flow.zone] += flow.constant
        removal = tuple([(flow.zone, flow.conductance) for flow in self.flows if flow.conductance])
        return solve_flows(self.volumes, self.exchange, removal, sources, self.start)


class Track:
    """One gas: its segments, its dose and its ledger."""

    def __init__(self, volumes: tuple[float, ...], masses: tuple[float, ...]) -> None:
        self.volumes = volumes
        self._starts = [0.0]
        self._segments = [Segment(0.0, volumes, (), (), masses, (0.0,) * len(masses), {})]
        self.initial = sum(masses)
        self.version = 0
        """Counts re-bases: what has been worked out from a segment holds while this stays."""

    @property
    def last(self) -> Segment:
        return self._segments[-1]

    def segment(self, t: float) -> Segment:
        return self._segments[max(bisect_right(self._starts, t) - 1, 0)]

    def between(self, a: float, b: float) -> list[Segment]:
        """The segments that hold on [a, b]."""
        return self._segments[max(bisect_right(self._starts, a) - 1, 0) : bisect_right(self._starts, b)]

    def masses(self, t: float) -> tuple[float, ...]:
        segment = self.segment(t)
        return tuple(curve(t - segment.t0) for curve in segment.masses)

    def dose(self, t: float) -> tuple[float, ...]:
        segment = self.segment(t)
        return tuple(
            before + curve.integral(t - segment.t0) / volume
            for before, curve, volume in zip(segment.dose, segment.masses, self.volumes, strict=True)
        )

    def dose_in(self, zone: int, t: float) -> float:
        segment = self.segment(t)
        return segment.dose[zone] + segment.masses[zone].integral(t - segment.t0) / self.volumes[zone]

    def ledger(self, t: float) -> dict[str, float]:
        """kg that each named flow has brought in by `t`."""
        return self._ledger(t, self.dose(t))

    def _ledger(self, t: float, dose: tuple[float, ...]) -> dict[str, float]:
        segment = self.segment(t)
        total, dt = dict(segment.ledger), t - segment.t0
        for flow in segment.flows:
            amount = flow.constant * dt - flow.conductance * (dose[flow.zone] - segment.dose[flow.zone])
            total[flow.name] = total.get(flow.name, 0.0) + amount
        return total

    def residual(self, t: float) -> float:
        """What the ledger does not account for, as a share of all the mass that was there or passed."""
        ledger = self.ledger(t)
        scale = self.initial + sum(abs(amount) for amount in ledger.values())
        return (self.initial + sum(ledger.values()) - sum(self.masses(t))) / (scale or 1.0)

    def update(
        self,
        t: float,
        flows: tuple[Flow, ...],
        exchange: tuple[tuple[int, int, float], ...],
        masses: tuple[float, ...] | None = None,
    ) -> bool:
        """From `t` on these flows hold; False if they are no news. `masses` replaces the state, its sum unchanged."""
        last = self.last
        if masses is None and flows == last.flows and exchange == last.exchange:
            return False
        self.version += 1
        if last.t0 == t:
            start = last.start if masses is None else masses
            self._segments[-1] = replace(last, flows=flows, exchange=exchange, start=start)
            return True
        start = self.masses(t) if masses is None else masses
        dose = self.dose(t)
        self._segments.append(Segment(t, self.volumes, flows, exchange, start, dose, self._ledger(t, dose)))
        self._starts.append(t)
        return True

    def put(self, t: float, name: str, zone: int, kg: float) -> None:
        """So much comes into a zone at once, at `t`, by a flow of this name; the other flows go on."""
        masses, last = list(self.masses(t)), self.last
        masses[zone] += kg
        self.update(t, last.flows, last.exchange, tuple(masses))
        last = self.last
        self._segments[-1] = replace(last, ledger={**last.ledger, name: last.ledger.get(name, 0.0) + kg})
