"""Intervals and pass^k: against published figures, exact coverage, and simulation with keyed seeds."""

from __future__ import annotations

import math
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.stats.intervals import failure_bound, pass_hat_k, pass_rate, wilson

P, F, U = "pass", "fail", "ungraded"


def trials(passes: int, fails: int, ungraded: int = 0) -> list[Any]:
    return [P] * passes + [F] * fails + [U] * ungraded


@pytest.mark.parametrize(
    ("rate", "n", "low", "high"),
    [
        (0.5, 10, 0.2366, 0.7634),
        (1.0, 10, 0.7225, 1.0),
        (0.0, 10, 0.0, 0.2775),
        (0.9, 20, 0.6990, 0.9721),
        (1.0, 1, 0.2065, 1.0),
    ],
)
def test_wilson_gives_the_textbook_values(rate, n, low, high):
    assert wilson(rate, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("n", "p", "coverage"), [(10, 0.9, 0.929), (20, 0.97, 0.979), (50, 0.97, 0.938), (100, 0.97, 0.969)]
)
def test_wilsons_coverage_is_the_exact_one_of_the_literature(n, p, coverage):
    """Summed over the binomial distribution; the published figures were simulated, tolerance .001."""
    inside = [c for c in range(n + 1) if wilson(c / n, n)[0] <= p <= wilson(c / n, n)[1]]
    exact = sum(comb(n, c) * p**c * (1 - p) ** (n - c) for c in inside)
    assert exact == pytest.approx(coverage, abs=1e-3)


@pytest.mark.parametrize(
    ("n", "bound"), [(5, 0.451), (10, 0.259), (20, 0.139), (50, 0.058), (100, 0.030), (300, 0.010)]
)
def test_no_failure_in_n_still_allows_a_failure_rate(n, bound):
    assert failure_bound(n) == pytest.approx(bound, abs=5e-4)


def test_one_trial_a_case_is_a_proportion():
    found = pass_rate([[P], [P], [F], [P]])
    assert (found.rate, found.method, found.n, found.graded, found.ungraded) == (0.75, "Wilson", 4, 4, 0)
    assert (found.low, found.high) == wilson(0.75, 4)


def test_several_trials_are_a_t_interval_of_case_means():
    found = pass_rate([trials(3, 0), trials(1, 2), trials(2, 1), trials(3, 0)])
    # means 1, 1/3, 2/3, 1: mean 0.75, sd 0.31914, t(0.975, 3) = 3.18245
    assert found.rate == pytest.approx(0.75)
    assert (found.low, found.high) == (pytest.approx(0.24218, abs=1e-4), 1.0)
    assert (found.method, found.n, found.graded) == ("t of case means", 4, 12)


@pytest.mark.parametrize("means", [trials(3, 0), trials(0, 3), trials(1, 1)])
def test_equal_case_means_fall_back_to_wilson_over_cases(means):
    found = pass_rate([means] * 5)
    assert (found.method, found.n) == ("Wilson", 5)
    assert (found.low, found.high) == wilson(means.count(P) / len(means), 5)
    assert found.high - found.low > 0.3


def test_ungraded_trials_are_counted_and_left_out():
    found = pass_rate([trials(1, 0, 1), trials(0, 1, 1), trials(0, 0, 2)])
    assert (found.rate, found.method, found.n, found.graded, found.ungraded) == (0.5, "Wilson", 2, 2, 4)


@pytest.mark.parametrize("cases", [[], [[U], [U]]])
def test_without_a_verdict_there_is_no_rate_and_anything_is_possible(cases):
    found = pass_rate(cases)
    assert (found.rate, found.low, found.high, found.method, found.n) == (None, 0.0, 1.0, "no graded trial", 0)


@pytest.mark.parametrize(("cases", "per_case"), [(20, 3), (50, 4)])
def test_the_t_interval_covers_the_truth_as_often_as_it_says(cases, per_case):
    """Pass rates of cases drawn from Beta(1.2, 0.8), truth 0.6; 1,500 runs, so that 95 % has a standard error of 0.6 %.

    The literature has .949 for 20 x 3; tolerance 2 % (three standard errors and the .1 % between sizes).
    """
    draw = np.random.default_rng([20261201, cases, per_case])
    covered = 0
    for _ in range(1500):
        passes = draw.binomial(per_case, draw.beta(1.2, 0.8, cases))
        found = pass_rate([trials(int(c), per_case - int(c)) for c in passes])
        covered += found.low <= 0.6 <= found.high
    assert covered / 1500 == pytest.approx(0.95, abs=0.02)


def test_pooling_trials_as_if_independent_would_not_cover():
    """The fault this instrument avoids, planted: the literature has .843 for 20 x 3."""
    draw = np.random.default_rng(20261202)
    covered = 0
    for _ in range(1500):
        passes = draw.binomial(3, draw.beta(1.2, 0.8, 20))
        low, high = wilson(float(passes.sum()) / 60, 60)
        covered += low <= 0.6 <= high
    assert covered / 1500 < 0.90


def test_pass_hat_k_counts_subsets():
    assert pass_hat_k([(3, 4)], 2) == pytest.approx(0.5)
    assert pass_hat_k([(4, 4), (0, 4)], 4) == 0.5


@pytest.mark.parametrize(("n", "k"), [(4, 4), (8, 4)])
def test_pass_hat_k_has_no_bias_where_the_plain_power_has(n, k):
    """Rates from Beta(2, 1): the truth is E[p^4] = 2 / 6. 20,000 cases; tolerance three standard errors, .01."""
    draw = np.random.default_rng([20261203, n])
    passes = draw.binomial(n, draw.beta(2, 1, 20000))
    assert pass_hat_k([(int(c), n) for c in passes], k) == pytest.approx(1 / 3, abs=0.01)
    assert np.mean((passes / n) ** k) > 1 / 3 + 0.04


def test_pass_hat_k_is_refused_with_fewer_trials():
    with pytest.raises(ValueError, match=r"^pass\^4 needs 4 graded trials of every case; one has 3$"):
        pass_hat_k([(4, 4), (3, 3)], 4)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.sampled_from([P, F, U]), min_size=1, max_size=5), max_size=12))
def test_an_interval_holds_its_rate_and_nothing_is_lost(cases):
    found = pass_rate(cases)
    assert 0 <= found.low <= found.high <= 1
    assert found.rate is None or found.low - 1e-12 <= found.rate <= found.high + 1e-12
    assert found.graded + found.ungraded == sum(map(len, cases))
    assert found == pass_rate([list(reversed(case)) for case in cases])


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 500), st.data())
def test_more_observations_never_widen_wilson(n, data):
    passes = data.draw(st.integers(0, n))
    narrow, wide = wilson(passes / n, 4 * n), wilson(passes / n, n)
    assert narrow[1] - narrow[0] < wide[1] - wide[0]
    assert math.isclose(wilson(passes / n, n)[0], 1 - wilson(1 - passes / n, n)[1], abs_tol=1e-12)
