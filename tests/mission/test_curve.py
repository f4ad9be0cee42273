"""Monotone pieces: extremes, crossings and integrals of smooth curves with kinks and jumps at known times."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.curve import crossing, pieces


def peak(found):
    return max(max(piece.fa, piece.fb) for piece in found)


def test_a_peak_between_breaks_is_found():
    found = pieces(lambda t: 5.0 - ((t - 1234.5) / 100.0) ** 2, [0.0, 3600.0])
    assert peak(found) == pytest.approx(5.0, abs=1e-9)
    assert [piece.fa < piece.fb for piece in found] == [True, False]


def test_a_crossing_is_solved_on_the_curve_itself():
    def decay(t):
        return math.exp(-t / 1000.0)

    times = [crossing(decay, piece, 0.5) for piece in pieces(decay, [0.0, 7200.0])]
    assert [t for t in times if t is not None] == [pytest.approx(1000.0 * math.log(2.0), abs=1e-5)]


def test_a_jump_at_a_break_belongs_to_what_follows():
    found = pieces(lambda t: 1.0 if t < 100.0 else 3.0, [0.0, 100.0, 200.0])
    assert [(piece.fa, piece.fb) for piece in found] == [(1.0, 1.0), (3.0, 3.0)]
    assert sum(piece.integral for piece in found) == pytest.approx(400.0, abs=1e-4)


def test_a_kink_that_no_break_tells_of_is_closed_in_on():
    found = pieces(lambda t: abs(t - 777.7), [0.0, 3600.0])
    assert sum(piece.integral for piece in found) == pytest.approx(0.5 * (777.7**2 + 2822.3**2), rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(a=st.floats(-5, 5), b=st.floats(-5, 5), rate=st.floats(1e-5, 1e-2), wave=st.floats(300, 5000))
def test_no_sample_lies_beyond_the_pieces(a, b, rate, wave):
    def curve(t):
        return 3.0 + a * math.exp(-rate * t) + b * math.sin(t / wave)

    found = pieces(curve, [0.0, 20_000.0])
    values = [curve(50.0 * index) for index in range(400)]
    slack = 1e-7 * (3.0 + abs(a) + abs(b))
    assert peak(found) >= max(values) - slack
    assert min(min(piece.fa, piece.fb) for piece in found) <= min(values) + slack
    exact = 60_000.0 - a / rate * math.expm1(-rate * 20_000.0) + b * wave * (1.0 - math.cos(20_000.0 / wave))
    assert sum(piece.integral for piece in found) == pytest.approx(exact, abs=1e-3)
