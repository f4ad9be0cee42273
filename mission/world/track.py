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


class Book(NamedTuple):
    """What had passed when a segment began."""

    dose: tuple[float, ...]
    """Time integral of the concentration by zone, kg s/m3."""
    ledger: dict[str, float]
    """kg that each named flow had brought in."""


@dataclass(frozen=True)
class Segment:
    """One gas from `t0` on: what moves it, and its mass by zone at `t0`."""

    t0: float
    volumes: tuple[float, ...]
    flows: tuple[Flow, ...]
    exchange: tuple[tuple[int, int, float], ...]
    start: tuple[float, ...]

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
        self._segments = [Segment(0.0, volumes, (), (), masses)]
        self._books = [Book((0.0,) * len(masses), {})]
        """Of the first segments; the others' are made up when somebody asks."""
        self.initial = sum(masses)
        self.version = 0
        """Counts re-bases: what has been worked out from a segment holds while this stays."""

    @property
    def last(self) -> Segment:
        return self._segments[-1]

    def segment(self, t: float) -> Segment:
        return self._segments[self._at(t)]

    def between(self, a: float, b: float) -> list[Segment]:
        """The segments that hold on [a, b]."""
        return self._segments[max(bisect_right(self._starts, a) - 1, 0) : bisect_right(self._starts, b)]

    def masses(self, t: float) -> tuple[float, ...]:
        segment = self.segment(t)
        return tuple([curve(t - segment.t0) for curve in segment.masses])

    def mass(self, zone: int, t: float) -> float:
        segment = self.segment(t)
        return segment.masses[zone](t - segment.t0)

    def dose(self, t: float) -> tuple[float, ...]:
        at = self._at(t)
        return _dose(self._segments[at], self._book(at), t)

    def dose_in(self, zone: int, t: float) -> float:
        at = self._at(t)
        segment = self._segments[at]
        return self._book(at).dose[zone] + segment.masses[zone].integral(t - segment.t0) / self.volumes[zone]

    def ledger(self, t: float) -> dict[str, float]:
        """kg that each named flow has brought in by `t`."""
        at = self._at(t)
        return _book(self._segments[at], self._book(at), t).ledger

    def _at(self, t: float) -> int:
        return max(bisect_right(self._starts, t) - 1, 0)

    def _book(self, at: int) -> Book:
        """What had passed when the segment number `at` began."""
        books, segments = self._books, self._segments
        for index in range(len(books) - 1, at):
            books.append(_book(segments[index], books[index], segments[index + 1].t0))
        return books[at]

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
        self._segments.append(Segment(t, self.volumes, flows, exchange, start))
        self._starts.append(t)
        return True

    def put(self, t: float, name: str, zone: int, kg: float) -> None:
        """So much comes into a zone at once, at `t`, by a flow of this name; the other flows go on."""
        masses, last = list(self.masses(t)), self.last
        masses[zone] += kg
        self.update(t, last.flows, last.exchange, tuple(masses))
        book = self._book(len(self._segments) - 1)
        self._books[-1] = Book(book.dose, {**book.ledger, name: book.ledger.get(name, 0.0) + kg})


def _dose(segment: Segment, book: Book, t: float) -> tuple[float, ...]:
    return tuple(
        [
            before + curve.integral(t - segment.t0) / volume
            for before, curve, volume in zip(book.dose, segment.masses, segment.volumes, strict=True)
        ]
    )


def _book(segment: Segment, book: Book, t: float) -> Book:
    """What has passed by `t`, of a segment that began with `book`."""
    dose, total, dt = _dose(segment, book, t), dict(book.ledger), t - segment.t0
    for flow in segment.flows:
        amount = flow.constant * dt - flow.conductance * (dose[flow.zone] - book.dose[flow.zone])
        total[flow.name] = total.get(flow.name, 0.0) + amount
    return Book(dose, total)
