"""Heat of the pressurised volumes: air with equipment, and structure, as a linear network in closed form.

    C_a dTa/dt = Q - UA_as (Ta - Ts) - G_ex (Ta - Ta_other) - cooling
    C_s dTs/dt = UA_as (Ta - Ts) - UA_sx (Ts - T_x(t)),    T_x(t) = mean + swing of the day

(design study 2.4). An air node whose temperature is held is no unknown; its cooling follows. The day's swing has an
exact particular solution, so nothing is stepped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mission.world.exponential import ExpSum
from mission.world.linear import conductance_matrix, solve_flows
from mission.world.wave import OMEGA, Wave, blend, constant


@dataclass(frozen=True, slots=True)
class Hull:
    """One volume: J/K and W/K."""

    air: float
    shell: float
    inner: float
    """Between air and structure."""
    outer: float
    """Between structure and outside."""


@dataclass(frozen=True, slots=True)
class Outside:
    """What the structure loses heat to: its mean in K, and the phasor of its daily swing at `t0`."""

    mean: float
    swing: complex


@dataclass(frozen=True, slots=True)
class Response:
    """Temperatures of air and structure by volume over time, K."""

    air: tuple[Wave, ...]
    shell: tuple[Wave, ...]


class Network(NamedTuple):
    """The nodes that are free, structures first: J/K, links in W/K, sinks in W/K, and the structures' way outside."""

    capacities: tuple[float, ...]
    flows: tuple[tuple[int, int, float], ...]
    sinks: tuple[tuple[int, float], ...]
    outer: tuple[float, ...]


def respond(
    t0: float,
    hulls: Sequence[Hull],
    exchange: float,
    outside: Outside,
    gains: Sequence[float | None],
    air: Sequence[float],
    shell: Sequence[float],
) -> Response:
    """How temperatures go on from `air` and `shell` K at `t0`.

    `gains` is W into each air node, its cooling taken off, or None where the air is held at its temperature;
    `exchange` is W/K between the air of each two volumes.
    """
    free = [z for z, gain in enumerate(gains) if gain is not None]
    index = {z: len(hulls) + k for k, z in enumerate(free)}
    sources = [0.0] * (len(hulls) + len(free))
    flows: list[tuple[int, int, float]] = []
    sinks: list[tuple[int, float]] = []

    def join(a: int | None, b: int | None, conductance: float, held: float) -> None:
        """A link between two nodes, or between one and an air node held at `held` K."""
        if a is not None and b is not None:
            flows.extend([(a, b, conductance), (b, a, conductance)])
        elif (node := a if a is not None else b) is not None:
            sinks.append((node, conductance))
            sources[node] += conductance * held

    for z, hull in enumerate(hulls):
        join(z, index.get(z), hull.inner, air[z])
        sinks.append((z, hull.outer))
        sources[z] += hull.outer * outside.mean
        if z in index:
            sources[index[z]] += gains[z] or 0.0
        for other in range(z):
            if exchange:
                join(index.get(z), index.get(other), exchange, air[other] if z in index else air[z])
    capacities = [hull.shell for hull in hulls] + [hulls[z].air for z in free]
    start = [*shell, *(air[z] for z in free)]
    network = Network(tuple(capacities), tuple(flows), tuple(sinks), tuple(hull.outer for hull in hulls))
    waves = _solve(t0, network, sources, start, outside.swing)
    return Response(
        tuple(waves[index[z]] if z in index else constant(t0, air[z]) for z in range(len(hulls))),
        tuple(waves[: len(hulls)]),
    )


def _solve(t0: float, network: Network, sources: Sequence[float], start: Sequence[float], swing: complex) -> list[Wave]:
    """Forced response to the day, and the decay of what differs from it at `t0`."""
    capacities = network.capacities
    swings = [unit * swing for unit in _swings(network)]
    heats = [c * (t - forced.real) for c, t, forced in zip(capacities, start, swings, strict=True)]
    curves = solve_flows(capacities, network.flows, network.sinks, sources, heats)
    return [
        Wave(t0, _scaled(curve, 1.0 / c), forced) for curve, c, forced in zip(curves, capacities, swings, strict=True)
    ]


@lru_cache(maxsize=1024)
def _swings(network: Network) -> tuple[complex, ...]:
    """Phasors of the nodes where the outside swings by one K; the same few networks come back all day."""
    size = len(network.capacities)
    drive = np.zeros(size, dtype=np.complex128)
    drive[: len(network.outer)] = network.outer
    matrix = conductance_matrix(size, network.flows, network.sinks)
    found: list[complex] = np.linalg.solve(1j * OMEGA * np.diag(network.capacities) + matrix, drive).tolist()
    return tuple(found)


def _scaled(curve: ExpSum, factor: float) -> ExpSum:
    return ExpSum(factor * curve.start, curve.rates, tuple(factor * slope for slope in curve.slopes))


def settled(hull: Hull, outside: Outside, air: float) -> float:
    """Temperature of a structure, K, at the phasor's time, whose air has always been held at `air` K."""
    total = hull.inner + hull.outer
    mean = (hull.inner * air + hull.outer * outside.mean) / total
    return mean + (hull.outer * outside.swing / (1j * OMEGA * hull.shell + total)).real


def demand(t0: float, zone: int, hulls: Sequence[Hull], exchange: float, response: Response) -> Wave:
    """W that must be taken out of a zone's air to hold its temperature, over time, but for the heat from inside."""
    inner = hulls[zone].inner
    others = [other for z, other in enumerate(response.air) if z != zone]
    parts = [(-inner - exchange * len(others), response.air[zone]), (inner, response.shell[zone])]
    return blend(t0, [*parts, *((exchange, other) for other in others)])
