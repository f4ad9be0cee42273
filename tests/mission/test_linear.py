"""Compartments in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from mission.published.exact import HORIZON, by_matrix_exponential, random_system
from mission.world.linear import conductance_matrix, solve


def test_one_way_draughts_agree_with_the_matrix_exponential() -> None:
    rng = np.random.default_rng(31)
    for _ in range(200):
        system = random_system(rng, int(rng.integers(2, 7)), one_way=True)
        t = float(rng.uniform(60.0, HORIZON))
        assert system.closed(t) == pytest.approx(by_matrix_exponential(system, t), rel=1e-8, abs=1e-8)


def test_nothing_gets_lost_in_a_closed_system() -> None:
    conductance = conductance_matrix(3, [(0, 1, 0.05), (1, 0, 0.05)], [])
    curves = solve([200.0, 100.0, 15.0], conductance, [0.0, 0.0, 0.0], [30.0, 1.0, 2.0])
    assert sum(curve(1e5) for curve in curves) == pytest.approx(33.0, rel=1e-14)
    assert curves[2](1e5) == pytest.approx(2.0, rel=1e-15)
    assert curves[0](1e7) == pytest.approx(31.0 * 200 / 300, rel=1e-12)
