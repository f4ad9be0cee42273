"""Well-mixed compartments that exchange air: dm/dt = S - G c with c = m / V, in closed form.

The closed form and its eigen-decomposition are textbook (Godfrey, Compartmental Models, 1983): with y = m / sqrt(V)
and a symmetric G the matrix is symmetric, its eigenvalues are real and none is negative.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mission.world.exponential import ExpSum, exp_sum

Matrix = NDArray[np.float64]


def solve(
    volumes: Sequence[float], conductance: Matrix, sources: Sequence[float], masses: Sequence[float]
) -> tuple[ExpSum, ...]:
    """Mass of each compartment over time, kg, from `masses` at t = 0.

    `volumes` in m3, `sources` in kg/s, `conductance` in m3/s: row i, column j is minus the air flow from j into i
    off the diagonal, and all that leaves i on it. Symmetric for balanced exchange; one-way flows are allowed.
    """
    volume = np.asarray(volumes, dtype=np.float64)
    mass = np.asarray(masses, dtype=np.float64)
    slope = np.asarray(sources, dtype=np.float64) - conductance @ (mass / volume)
    if np.array_equal(conductance, conductance.T):
        rates, modes, weights = _symmetric(volume, conductance, slope)
    else:
        rates, modes, weights = _general(volume, conductance, slope)
    rates = np.maximum(rates, 0.0)
    terms = modes * weights
    return tuple(
        exp_sum(float(mass[i]), zip(rates.tolist(), terms[i].tolist(), strict=True)) for i in range(len(volume))
    )


def conductance_matrix(
    size: int, flows: Sequence[tuple[int, int, float]], removal: Sequence[tuple[int, float]]
) -> Matrix:
    """The matrix G of `flows` (from, to, m3/s) and `removal` (compartment, m3/s)."""
    matrix = np.zeros((size, size))
    for source, target, flow in flows:
        matrix[source, source] += flow
        matrix[target, source] -= flow
    for index, flow in removal:
        matrix[index, index] += flow
    return matrix


def _symmetric(volume: Matrix, conductance: Matrix, slope: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    root = np.sqrt(volume)
    rates, vectors = np.linalg.eigh(conductance / np.outer(root, root))
    return rates, root[:, None] * vectors, vectors.T @ (slope / root)


def _general(volume: Matrix, conductance: Matrix, slope: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """One-way flows along a tree of compartments: the eigenvalues are still real."""
    rates, vectors = np.linalg.eig(conductance / volume)
    real = np.asarray(np.real(vectors), dtype=np.float64)
    weights = np.asarray(np.linalg.solve(real, slope), dtype=np.float64)
    return np.asarray(np.real(rates), dtype=np.float64), real, weights
