"""Sums of exponentials: what a linear balance with constant inputs gives, and when it reaches a level.

A sum is kept as its value at 0 and its slope: f(t) = start + sum slope_i * phi(rate_i, t) with
phi(r, t) = (1 - exp(-r t)) / r and phi(0, t) = t. So a rate near zero costs no digits, and the derivative
is a plain sum of exponentials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

TOUCH = 1e-12
"""Relative distance at which a turning point counts as touching a level: a few thousand roundings."""


def phi(rate: float, t: float) -> float:
    """Integral of exp(-rate s) for s from 0 to t."""
    return t if rate == 0.0 else -math.expm1(-rate * t) / rate


def _psi(x: float) -> float:
    """(x - 1 + exp(-x)) / x^2, by its series where the difference would cancel."""
    if x > 0.5:
        return (x + math.expm1(-x)) / (x * x)
    term, total = 0.5, 0.0
    for n in range(3, 17):
        total += term
        term *= -x / n
    return total


@dataclass(frozen=True, slots=True)
class ExpSum:
    """f(t) = start + sum slope_i * phi(rate_i, t), for t >= 0; rates ascending, distinct, not negative."""

    start: float
    rates: tuple[float, ...]
    slopes: tuple[float, ...]

    def __call__(self, t: float) -> float:
        total = self.start
        for rate, slope in zip(self.rates, self.slopes, strict=True):
            total += slope * (t if rate == 0.0 else -math.expm1(-rate * t) / rate)
        return total

    def slope(self, t: float) -> float:
        return sum(slope * math.exp(-rate * t) for rate, slope in zip(self.rates, self.slopes, strict=True))

    def integral(self, t: float) -> float:
        """Integral of f from 0 to t."""
        total = self.start * t
        for rate, slope in zip(self.rates, self.slopes, strict=True):
            total += slope * t * t * _psi(rate * t)
        return total

    def shifted(self, t: float, factor: float = 1.0) -> ExpSum:
        """`factor` times the same curve, with its origin moved to `t`."""
        slopes = [factor * slope * math.exp(-rate * t) for rate, slope in zip(self.rates, self.slopes, strict=True)]
        return ExpSum(factor * self(t), self.rates, tuple(slopes))

    def slope_bounds(self, a: float, b: float) -> tuple[float, float]:
        """Bounds of the slope on [a, b]: each term is monotone, so its ends bound it."""
        low = high = 0.0
        for rate, slope in zip(self.rates, self.slopes, strict=True):
            first, last = slope * math.exp(-rate * a), slope * math.exp(-rate * b)
            low += min(first, last)
            high += max(first, last)
        return low, high

    def bounds(self, a: float, b: float) -> tuple[float, float]:
        """Bounds of f on [a, b], from its rising and its falling terms."""
        low = high = self(a)
        for rate, slope in zip(self.rates, self.slopes, strict=True):
            change = slope * math.exp(-rate * a) * phi(rate, b - a)
            low += min(change, 0.0)
            high += max(change, 0.0)
        return low, high


def exp_sum(start: float, terms: Iterable[tuple[float, float]]) -> ExpSum:
    """An ExpSum of (rate, slope) terms in any order; equal rates are added up, zero slopes left out."""
    merged: dict[float, float] = {}
    for rate, slope in terms:
        merged[rate] = merged.get(rate, 0.0) + slope
    kept = sorted((rate, slope) for rate, slope in merged.items() if slope != 0.0)
    return ExpSum(start, tuple(rate for rate, _ in kept), tuple(slope for _, slope in kept))


def combine(parts: Iterable[tuple[float, ExpSum]], constant: float = 0.0) -> ExpSum:
    """constant + sum of weight * curve."""
    start, terms = constant, list[tuple[float, float]]()
    for weight, curve in parts:
        start += weight * curve.start
        terms += [(rate, weight * slope) for rate, slope in zip(curve.rates, curve.slopes, strict=True)]
    return exp_sum(start, terms)


def turning_points(curve: ExpSum, horizon: float) -> list[float]:
    """All t in (0, horizon) at which the slope of `curve` is zero, ascending."""
    return _roots(curve.rates, curve.slopes, horizon)


def extremes(curve: ExpSum, horizon: float) -> tuple[float, float]:
    """Smallest and greatest value on [0, horizon]."""
    values = [curve(t) for t in (0.0, *turning_points(curve, horizon), horizon)]
    return min(values), max(values)


def first_crossing(curve: ExpSum, level: float, horizon: float) -> float | None:
    """The first t in [0, horizon] with curve(t) = level, a touch included; None if there is none."""
    if curve.start == level:
        return 0.0
    low, high = curve.bounds(0.0, horizon)
    touch = TOUCH * max(abs(level), abs(curve.start))
    if level < low - touch or level > high + touch:
        return None
    a = 0.0
    for b in (*turning_points(curve, horizon), horizon):
        gap = curve(b) - level
        if (curve(a) - level) * gap < 0.0:
            return _solve(lambda t: curve(t) - level, curve.slope, a, b)
        if abs(gap) <= touch:
            return b
        a = b
    return None


def first_reach(curve: ExpSum, level: float, horizon: float, *, rising: bool) -> float | None:
    """The first t in [0, horizon] with curve(t) >= level, or <= level if not rising."""
    if (curve.start >= level) if rising else (curve.start <= level):
        return 0.0
    return first_crossing(curve, level, horizon)


def _sign_changes(numbers: Sequence[float]) -> int:
    return sum(a * b < 0.0 for a, b in pairwise(numbers))


def _roots(rates: Sequence[float], weights: Sequence[float], horizon: float) -> list[float]:
    """Roots in (0, horizon) of g(t) = sum weight_i exp(-rate_i t), rates ascending.

    A sum of exponentials has at most as many roots as its weights change sign (Descartes, generalised by
    Laguerre 1883). With more than one change: divide by the slowest exponential, which moves no root; the
    derivative then has one term less, and between its roots the quotient is monotone.
    """
    kept = [(rate, weight) for rate, weight in zip(rates, weights, strict=True) if weight != 0.0]
    changes = _sign_changes([math.copysign(1.0, weight) for _, weight in kept])
    if changes == 0:
        return []
    slowest = kept[0][0]
    terms = [(rate - slowest, weight) for rate, weight in kept]

    def quotient(t: float) -> float:
        return sum(weight * math.exp(-rate * t) for rate, weight in terms)

    def slope(t: float) -> float:
        return sum(-rate * weight * math.exp(-rate * t) for rate, weight in terms)

    cuts: list[float] = []
    if changes > 1:
        cuts = _roots([rate for rate, _ in terms[1:]], [-rate * weight for rate, weight in terms[1:]], horizon)
    touch = TOUCH * max(abs(weight) for _, weight in terms)
    return _monotone_roots(quotient, slope, [0.0, *cuts, horizon], touch)


def _monotone_roots(
    f: Callable[[float], float], slope: Callable[[float], float], cuts: Sequence[float], touch: float
) -> list[float]:
    """Roots of f strictly between the first and the last cut; f is monotone between cuts (or has one root)."""
    roots: list[float] = []
    for a, b in pairwise(cuts):
        if f(a) * f(b) < 0.0:
            roots.append(_solve(f, slope, a, b))
        elif b != cuts[-1] and abs(f(b)) <= touch:
            roots.append(b)
    return roots


def _solve(f: Callable[[float], float], slope: Callable[[float], float], a: float, b: float) -> float:
    """The root of f in [a, b], at whose ends f has opposite signs: Newton, kept inside by bisection."""
    rising = f(b) > 0.0
    t = 0.5 * (a + b)
    for _ in range(200):
        value = f(t)
        if value == 0.0:
            return t
        if (value > 0.0) == rising:
            b = t
        else:
            a = t
        if b - a <= 4e-16 * b:
            return b
        steepness = slope(t)
        newton = t - value / steepness if steepness != 0.0 else a
        step_in = a < newton < b
        after = newton if step_in else 0.5 * (a + b)
        if step_in and abs(after - t) <= 2e-16 * abs(t):
            return after
        t = after
    return b
