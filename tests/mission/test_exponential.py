"""Sums of exponentials: values, integrals, and crossings found exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.world import enclosure
from mission.world.enclosure import first_reach as enclosed_reach
from mission.world.enclosure import minimum
from mission.world.exponential import ExpSum, combine, exp_sum, extremes, first_crossing, first_reach, turning_points

rates = st.floats(1e-9, 3.0)
slopes = st.floats(-5.0, 5.0).filter(lambda value: abs(value) > 1e-3)
curves = st.builds(
    exp_sum, st.floats(-5.0, 5.0), st.lists(st.tuples(st.one_of(st.just(0.0), rates), slopes), min_size=1, max_size=6)
)


def test_a_single_decay_is_the_textbook_formula() -> None:
    # m = 2 + 3 exp(-0.5 t): starts at 5 with slope -1.5.
    curve = exp_sum(5.0, [(0.5, -1.5)])
    assert curve(2.0) == pytest.approx(2.0 + 3.0 * math.exp(-1.0), rel=1e-15)
    assert first_crossing(curve, 3.0, 10.0) == pytest.approx(math.log(3.0) / 0.5, rel=1e-14)
    assert first_crossing(curve, 2.0, 40.0) is None
    assert curve.integral(2.0) == pytest.approx(4.0 + 6.0 * (1.0 - math.exp(-1.0)), rel=1e-14)


def test_a_rate_near_zero_costs_no_digits() -> None:
    curve = exp_sum(75.0, [(5.8e-9, -1e-4)])
    x = 5.8e-9 * 86400.0
    assert curve(86400.0) == pytest.approx(75.0 - 8.64 * (1 - x / 2 + x**2 / 6 - x**3 / 24), rel=1e-15)
    assert curve.integral(86400.0) == pytest.approx(75.0 * 86400 - 1e-4 * 86400**2 / 2, rel=1e-3)


def test_a_touch_counts_as_a_crossing() -> None:
    # f = exp(-t) - exp(-2t) has its only maximum, 1/4, at ln 2.
    curve = exp_sum(0.0, [(1.0, -1.0), (2.0, 2.0)])
    assert turning_points(curve, 9.0) == [pytest.approx(math.log(2.0), rel=1e-12)]
    assert first_crossing(curve, 0.25, 9.0) == pytest.approx(math.log(2.0), rel=1e-7)
    assert first_crossing(curve, 0.25 + 1e-9, 9.0) is None
    assert first_crossing(curve, 0.25 - 1e-9, 9.0) == pytest.approx(math.log(2.0), abs=1e-4)


def test_an_excursion_shorter_than_any_grid_is_found() -> None:
    # Above 0.249999 only for about 4 ms around ln 2.
    curve = exp_sum(0.0, [(1.0, -1.0), (2.0, 2.0)])
    first = first_crossing(curve, 0.249999, 1e6)
    assert first is not None
    assert curve(first) == pytest.approx(0.249999, abs=1e-14)
    assert first < math.log(2.0)


def test_reaching_what_is_passed_already_happens_now() -> None:
    falling = exp_sum(5.0, [(0.0, -1.0)])
    assert first_reach(falling, 4.0, 10.0, rising=True) == 0.0
    assert first_reach(falling, 4.0, 10.0, rising=False) == 1.0


@given(curves, st.floats(-8.0, 8.0))
@settings(max_examples=300, deadline=None)
def test_the_first_crossing_agrees_with_a_dense_search(curve: ExpSum, level: float) -> None:
    grid = np.linspace(0.0, 20.0, 4001)
    values = np.array([curve(t) for t in grid]) - level
    found = first_crossing(curve, level, 20.0)
    changed = np.flatnonzero(values[:-1] * values[1:] < 0.0)
    if found is None:
        assert changed.size == 0
        return
    assert curve(found) == pytest.approx(level, abs=1e-9 * max(1.0, abs(level)))
    if changed.size:
        assert found <= grid[changed[0] + 1]
    # Nothing of the other sign before it, to within rounding.
    before = values[grid < found - 1e-9]
    assert before.size == 0 or np.all(before * np.sign(before[0]) > -1e-9)


@given(curves)
@settings(max_examples=200, deadline=None)
def test_the_slope_vanishes_at_turning_points_and_nowhere_else(curve: ExpSum) -> None:
    points = turning_points(curve, 10.0)
    assert points == sorted(points)
    grid = np.linspace(0.0, 10.0, 801)
    signs = np.sign([curve.slope(t) for t in grid])
    changes = int(np.count_nonzero(signs[:-1] * signs[1:] < 0))
    assert changes <= len(points)
    low, high = extremes(curve, 10.0)
    values = [curve(t) for t in grid]
    scale = 1e-9 * max(1.0, abs(low), abs(high))
    assert low - scale <= min(values)
    assert max(values) <= high + scale


@given(curves, st.floats(0.0, 10.0), st.floats(0.0, 10.0))
@settings(max_examples=200, deadline=None)
def test_moving_the_origin_and_bounds_hold(curve: ExpSum, a: float, length: float) -> None:
    moved = curve.shifted(a)
    scale = 1e-10 * max([1.0, *(abs(slope) * 20 for slope in curve.slopes)])
    assert moved(length) == pytest.approx(curve(a + length), abs=scale)
    assert combine([(2.0, curve), (-2.0, curve)])(a) == pytest.approx(0.0, abs=scale)
    low, high = curve.bounds(a, a + length)
    assert low - scale <= curve(a + length / 3) <= high + scale
    steepest = curve.slope_bounds(a, a + length)
    assert steepest[0] - scale <= curve.slope(a + length / 2) <= steepest[1] + scale


@given(curves, st.floats(-8.0, 8.0))
@settings(max_examples=100, deadline=None)
def test_enclosure_and_recursion_find_the_same_crossing(curve: ExpSum, level: float) -> None:
    rising = curve.start < level
    exact = first_reach(curve, level, 10.0, rising=rising)
    enclosed = enclosed_reach(curve, level, 0.0, 10.0, rising=rising)
    if exact is None or enclosed is None:
        # Only a touch within rounding may be seen by one and not by the other.
        both = [t for t in (exact, enclosed) if t is not None]
        assert all(abs(curve.slope(t)) < 1e-3 or t == pytest.approx(10.0) for t in both)
        return
    assert curve(enclosed) == pytest.approx(curve(exact), abs=1e-7)
    assert minimum(curve, 0.0, 10.0, math.inf) == pytest.approx(extremes(curve, 10.0)[0], abs=1e-7, rel=1e-7)


@pytest.mark.parametrize("power", [1.0, 3.0, 0.2, 9.0])
def test_an_event_is_found_to_a_billionth_of_a_second_in_a_few_questions(power: float) -> None:
    asked: list[float] = []

    def short(t: float) -> float:
        asked.append(t)
        return (t / 5e4) ** power - 0.3

    found = enclosure._bisect(short, 0.0, 5e4)

    assert short(found) >= 0.0 > short(found - 2.0 * enclosure.CLOSE)
    assert len(asked) < 40
