"""Compartments in closed form, against independent solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from mission.world.linear import conductance_matrix, solve

HORIZON = 48 * 3600.0


def random_system(
    rng: np.random.Generator, *, one_way: bool = False
) -> tuple[list[float], Any, list[float], list[float]]:
    """Two to six zones joined along a tree, with removal, leaks and sources of a base's size."""
    size = int(rng.integers(2, 7))
    volumes = rng.uniform(10.0, 300.0, size).tolist()
    flows: list[tuple[int, int, float]] = []
    for zone in range(1, size):
        other = int(rng.integers(0, zone))
        flow = float(rng.choice([0.0, rng.uniform(1.0, 1000.0)])) / 3600.0
        flows += [(other, zone, flow), (zone, other, flow)]
        if one_way:
            flows.append((other, zone, float(rng.uniform(0.1, 5.0)) / 3600.0))
    removal = [(zone, float(rng.choice([0.0, 1e-7, rng.uniform(1e-4, 0.02)]))) for zone in range(size)]
    sources = rng.uniform(-1e-5, 1e-4, size).tolist()
    masses = rng.uniform(0.1, 80.0, size).tolist()
    return volumes, conductance_matrix(size, flows, removal), sources, masses


def by_matrix_exponential(volumes: Any, conductance: Any, sources: Any, masses: Any, t: float) -> Any:
    size = len(volumes)
    augmented = np.zeros((size + 1, size + 1))
    augmented[:size, :size] = -conductance / np.asarray(volumes)
    augmented[:size, size] = sources
    return (expm(augmented * t) @ np.append(masses, 1.0))[:size]


def test_a_thousand_random_systems_agree_with_the_matrix_exponential() -> None:
    rng = np.random.default_rng(20261201)
    worst = 0.0
    for _ in range(1000):
        system = random_system(rng)
        t = float(rng.uniform(60.0, HORIZON))
        closed = np.array([curve(t) for curve in solve(*system)])
        other = by_matrix_exponential(*system, t)
        worst = max(worst, float(np.max(np.abs(closed - other)) / np.max(np.abs(other))))
    assert worst < 1e-8


def test_one_way_draughts_agree_with_the_matrix_exponential() -> None:
    rng = np.random.default_rng(31)
    for _ in range(200):
        system = random_system(rng, one_way=True)
        t = float(rng.uniform(60.0, HORIZON))
        closed = np.array([curve(t) for curve in solve(*system)])
        assert closed == pytest.approx(by_matrix_exponential(*system, t), rel=1e-8, abs=1e-8)


def test_forty_systems_agree_with_an_ode_solver() -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        volumes, conductance, sources, masses = random_system(rng)
        matrix = -conductance / np.asarray(volumes)

        def rate(_: float, mass: Any, matrix: Any = matrix, sources: Any = sources) -> Any:
            return matrix @ mass + sources

        ode = solve_ivp(rate, (0.0, 7200.0), masses, method="DOP853", rtol=1e-12, atol=1e-12)
        closed = [curve(7200.0) for curve in solve(volumes, conductance, sources, masses)]
        assert closed == pytest.approx(ode.y[:, -1], rel=1e-8)


def test_nothing_gets_lost_in_a_closed_system() -> None:
    conductance = conductance_matrix(3, [(0, 1, 0.05), (1, 0, 0.05)], [])
    curves = solve([200.0, 100.0, 15.0], conductance, [0.0, 0.0, 0.0], [30.0, 1.0, 2.0])
    assert sum(curve(1e5) for curve in curves) == pytest.approx(33.0, rel=1e-14)
    assert curves[2](1e5) == pytest.approx(2.0, rel=1e-15)
    assert curves[0](1e7) == pytest.approx(31.0 * 200 / 300, rel=1e-12)
