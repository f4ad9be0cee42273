"""Well-mixed compartments that exchange air: dm/dt = S - G c with c = m / V, in closed form.

The closed form and its eigen-decomposition are textbook (Godfrey, Compartmental Models, 1983): with y = m / sqrt(V)
and a symmetric G the matrix is symmetric, its eigenvalues are real and none is negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from operator import mul
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mission.world.exponential import ExpSum, exp_sum

Matrix = NDArray[np.float64]
Rows = tuple[tuple[float, ...], ...]


class Shape(NamedTuple):
    """The modes that one compartment takes part in: their rates, how much of each, and which they are."""

    rates: tuple[float, ...]
    distinct: bool
    modes: tuple[float, ...]
    which: tuple[int, ...]


class Modes(NamedTuple):
    """A matrix taken apart: m(t) = m(0) + sum over k of modes[., k] weight_k phi(rate_k, t), rates ascending."""

    shapes: tuple[Shape, ...]
    weights: Rows
    """weight_k is row k times dm/dt at t = 0."""
    conductance: Rows


def solve(
    volumes: Sequence[float], conductance: Matrix, sources: Sequence[float], masses: Sequence[float]
) -> tuple[ExpSum, ...]:
    """Mass of each compartment over time, kg, from `masses` at t = 0.

    `volumes` in m3, `sources` in kg/s, `conductance` in m3/s: row i, column j is minus the air flow from j into i
    off the diagonal, and all that leaves i on it. Symmetric for balanced exchange; one-way flows are allowed.
    """
    return _solve(_take_apart(tuple(volumes), _rows(conductance)), volumes, sources, masses)


def solve_flows(
    volumes: tuple[float, ...],
    exchange: tuple[tuple[int, int, float], ...],
    removal: tuple[tuple[int, float], ...],
    sources: Sequence[float],
    masses: Sequence[float],
) -> tuple[ExpSum, ...]:
    """The same from flows, as `conductance_matrix` takes them: quick where they come back."""
    return _solve(_modes(volumes, exchange, removal), volumes, sources, masses)


def _solve(
    parts: Modes, volumes: Sequence[float], sources: Sequence[float], masses: Sequence[float]
) -> tuple[ExpSum, ...]:
    density = [mass / volume for mass, volume in zip(masses, volumes, strict=True)]
    slope = [source - sum(map(mul, row, density)) for source, row in zip(sources, parts.conductance, strict=True)]
    weight = [sum(map(mul, row, slope)) for row in parts.weights]
    return tuple([_curve(mass, shape, weight) for mass, shape in zip(masses, parts.shapes, strict=True)])


def conductance_matrix(
    size: int, flows: Sequence[tuple[int, int, float]], removal: Sequence[tuple[int, float]]
) -> Matrix:
    """The matrix G of `flows` (from, to, m3/s) and `removal` (compartment, m3/s)."""
    return np.array(_assembled(size, flows, removal))


def _assembled(
    size: int, flows: Sequence[tuple[int, int, float]], removal: Sequence[tuple[int, float]]
) -> list[list[float]]:
    rows = [[0.0] * size for _ in range(size)]
    for source, target, flow in flows:
        rows[source][source] += flow
        rows[target][source] -= flow
    for index, flow in removal:
        rows[index][index] += flow
    return rows


def _curve(mass: float, shape: Shape, weight: Sequence[float]) -> ExpSum:
    rates, distinct, modes, which = shape
    slopes = tuple([mode * weight[k] for mode, k in zip(modes, which)])  # noqa: B905 (a hot loop)
    if distinct and all(slopes):
        return ExpSum(mass, rates, slopes)
    return exp_sum(mass, zip(rates, slopes, strict=True))


@lru_cache(maxsize=4096)
def _modes(
    volumes: tuple[float, ...], exchange: tuple[tuple[int, int, float], ...], removal: tuple[tuple[int, float], ...]
) -> Modes:
    """The same few come back all day, with other sources: a valve opens, a person exercises."""
    rows = _assembled(len(volumes), exchange, removal)
    return _take_apart(volumes, tuple(map(tuple, rows)))


@lru_cache(maxsize=4096)
def _take_apart(volumes: tuple[float, ...], rows: Rows) -> Modes:
    volume, conductance = np.array(volumes), np.array(rows)
    symmetric = np.array_equal(conductance, conductance.T)
    rates, modes, weights = (_symmetric if symmetric else _general)(volume, conductance)
    order = np.argsort(rates, kind="stable")
    ascending: list[float] = np.maximum(rates[order], 0.0).tolist()
    shapes = tuple(_shape(ascending, row) for row in _rows(modes[:, order]))
    return Modes(shapes, _rows(weights[order]), rows)


def _shape(rates: Sequence[float], row: Sequence[float]) -> Shape:
    which = [k for k, mode in enumerate(row) if mode]
    own = tuple(rates[k] for k in which)
    distinct = all(a < b for a, b in pairwise(own))
    return Shape(own, distinct, tuple(row[k] for k in which), tuple(which))


def _rows(matrix: Matrix) -> Rows:
    return tuple(tuple(row) for row in matrix.tolist())


def _symmetric(volume: Matrix, conductance: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    root = np.sqrt(volume)
    rates, vectors = np.linalg.eigh(conductance / np.outer(root, root))
    return rates, root[:, None] * vectors, vectors.T / root


def _general(volume: Matrix, conductance: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """One-way flows along a tree of compartments: the eigenvalues are still real."""
    rates, vectors = np.linalg.eig(conductance / volume)
    real = np.asarray(np.real(vectors), dtype=np.float64)
    inverse = np.asarray(np.linalg.inv(real), dtype=np.float64)
    return np.asarray(np.real(rates), dtype=np.float64), real, inverse
