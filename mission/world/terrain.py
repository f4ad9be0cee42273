"""The ground around the base: a graph of places, ways between them, and what a rover spends on a way.

Design study 1.9 and 2.7. Lengths in m, energy in J, angles in degrees; a way's slope is positive from `a` up to `b`.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pydantic import Field

from mission.world.record import Record

Node = Literal["base", "ridge", "outcrop", "dunes", "rim", "camp"]
Hazard = Literal["none", "rocks", "sand"]
GRAVITY = 3.721
"""m/s2"""
DRIVE_EFFICIENCY = 0.7
STEEPEST = 20.0
"""Degrees: the bound of the LRV."""
PACE: dict[Hazard, float] = {"none": 1.0, "rocks": 0.75, "sand": 0.6}
"""Share of full speed that the ground allows; ours."""


class Edge(Record):
    """One way. `crr` is rolling resistance: 0.08 firm, 0.15 loose, 0.25 sand."""

    a: Node
    b: Node
    km: float = Field(ge=0.01, le=100)
    slope_deg: float = Field(default=0.0, ge=-30, le=30)
    crr: float = Field(default=0.08, ge=0.01, le=1)
    hazard: Hazard = "none"


EDGES = (
    Edge(a="base", b="ridge", km=4.0, slope_deg=1.0),
    Edge(a="ridge", b="outcrop", km=5.0, crr=0.12, hazard="rocks"),
    Edge(a="ridge", b="dunes", km=6.0, crr=0.25, hazard="sand"),
    Edge(a="outcrop", b="rim", km=9.0, slope_deg=1.0, crr=0.12, hazard="rocks"),
    Edge(a="dunes", b="rim", km=10.0, crr=0.2, hazard="sand"),
    Edge(a="rim", b="camp", km=6.0, slope_deg=-1.0, crr=0.1),
)
"""Ours: ground like that of the Apollo traverses, with the rim 18 km away."""


@dataclass(frozen=True)
class Place:
    """A point on a way: `along` m from its end `a`."""

    edge: Edge
    along: float


@dataclass(frozen=True)
class Leg:
    """A stretch of one way, from `start` to `end` m from its end `a`."""

    edge: Edge
    start: float
    end: float

    @property
    def length(self) -> float:
        return abs(self.end - self.start)

    @property
    def slope(self) -> float:
        """Degrees, positive uphill in the direction of travel."""
        return self.edge.slope_deg if self.end >= self.start else -self.edge.slope_deg

    def place(self, gone: float) -> Place:
        """Where one is after `gone` m of it."""
        return Place(self.edge, self.start + math.copysign(gone, self.end - self.start))


def force(mass: float, crr: float, slope: float) -> float:
    """N against the wheels; none is gained downhill."""
    angle = math.radians(slope)
    return max(0.0, mass * GRAVITY * (crr * math.cos(angle) + math.sin(angle)))


def energy(mass: float, crr: float, slope: float, distance: float) -> float:
    """J for a stretch: m g (Crr cos + sin) d / eta."""
    return force(mass, crr, slope) * distance / DRIVE_EFFICIENCY


def place_at(edges: Sequence[Edge], node: Node) -> Place:
    """A node as a place, on the first way that has it. Raises ValueError if none does."""
    for edge in edges:
        if edge.a == node:
            return Place(edge, 0.0)
        if edge.b == node:
            return Place(edge, 1000.0 * edge.km)
    raise ValueError(f"no way leads to {node}")


def node_of(place: Place) -> Node | None:
    """The node that a place is, if it is one."""
    if place.along <= 0.0:
        return place.edge.a
    return place.edge.b if place.along >= 1000.0 * place.edge.km else None


def route(edges: Sequence[Edge], start: Place, goal: Place) -> list[Leg]:
    """The shortest way; of two equal ones the first by name. Raises ValueError if there is none."""
    if start == goal:
        return []
    candidates = [(leg.length, [leg]) for leg in _direct(start, goal)]
    reached = _spread(tuple(edges), start)
    for node, cut in _ways_to(goal):
        if node in reached:
            before, legs = reached[node]
            candidates.append((before + cut.length, [*legs, cut]))
    if not candidates:
        raise ValueError("there is no way")
    return [leg for leg in min(candidates, key=lambda found: found[0])[1] if leg.length > 0.0]


def _direct(start: Place, goal: Place) -> list[Leg]:
    return [Leg(start.edge, start.along, goal.along)] if start.edge == goal.edge else []


def _ways_to(place: Place) -> list[tuple[Node, Leg]]:
    """Both ends of a place's way, and the stretch from each to it."""
    edge, length = place.edge, 1000.0 * place.edge.km
    return [(edge.a, Leg(edge, 0.0, place.along)), (edge.b, Leg(edge, length, place.along))]


def _both_ways(edge: Edge) -> list[tuple[Node, Node, Leg]]:
    """(from, to, stretch) of a whole way, there and back."""
    full = 1000.0 * edge.km
    return [(edge.a, edge.b, Leg(edge, 0.0, full)), (edge.b, edge.a, Leg(edge, full, 0.0))]


@lru_cache(maxsize=256)
def _spread(edges: tuple[Edge, ...], start: Place) -> Mapping[Node, tuple[float, list[Leg]]]:
    """The shortest way to every node that can be reached (Dijkstra 1959)."""
    reached: dict[Node, tuple[float, list[Leg]]] = {}
    heap: list[tuple[float, Node, int]] = []
    trails: list[list[Leg]] = []
    for node, cut in _ways_to(start):
        trails.append([Leg(cut.edge, cut.end, cut.start)])
        heapq.heappush(heap, (cut.length, node, len(trails) - 1))
    while heap:
        length, node, index = heapq.heappop(heap)
        if node in reached:
            continue
        reached[node] = (length, trails[index])
        for edge in edges:
            for here, there, leg in _both_ways(edge):
                if here == node and there not in reached:
                    trails.append([*trails[index], leg])
                    heapq.heappush(heap, (length + leg.length, there, len(trails) - 1))
    return reached


def length(legs: Sequence[Leg]) -> float:
    """m"""
    return math.fsum(leg.length for leg in legs)
