"""Sums of exponentials: what a linear balance with constant inputs gives, and when it reaches a level.

A sum is kept as its value at 0 and its slope: f(t) = start + sum slope_i * phi(rate_i, t) with
phi(r, t) = (1 - exp(-r t)) / r and phi(0, t) = t. So a rate near zero costs no digits, and the derivative
is a plain sum of exponentials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

TOUCH = 1e-12
"""Relative distance at which a turning point counts as touching a level: a few thousand roundings."""
PIECES = 48
"""Intervals looked at before a search turns from bounds, quick where there is no doubt, to turning points."""
SPLIT = 0.25
"""Where an interval in doubt is cut: early, because that is where exponentials change."""


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


class Enclosure(NamedTuple):
    """What is known of a curve on an interval: its value at the left end, and bounds of value and slope."""

    value: float
    low: float
    high: float
    least: float
    most: float


class ExpSum(NamedTuple):
    """f(t) = start + sum slope_i * phi(rate_i, t), for t >= 0; rates ascending, distinct, not negative."""

    start: float
    rates: tuple[float, ...]
    slopes: tuple[float, ...]

    def __call__(self, t: float) -> float:
        total = self.start
        for rate, slope in zip(self.rates, self.slopes):  # noqa: B905 (the hottest loop of the world)
            total += slope * (t if rate == 0.0 else -math.expm1(-rate * t) / rate)
        return total

    def slope(self, t: float) -> float:
        total = 0.0
        for rate, slope in zip(self.rates, self.slopes):  # noqa: B905 (a hot loop)
            total += slope * math.exp(-rate * t)
        return total

    def integral(self, t: float) -> float:
        """Integral of f from 0 to t."""
        total = self.start * t
        for rate, slope in zip(self.rates, self.slopes, strict=True):
            total += slope * t * t * _psi(rate * t)
        return total

    def shifted(self, t: float, factor: float = 1.0) -> ExpSum:
        """`factor` times the same curve, with its origin moved to `t`."""
        if t == 0.0:
            return ExpSum(factor * self.start, self.rates, tuple([factor * slope for slope in self.slopes]))
        slopes = [factor * slope * math.exp(-rate * t) for rate, slope in zip(self.rates, self.slopes, strict=True)]
        return ExpSum(factor * self(t), self.rates, tuple(slopes))

    def enclose(self, a: float, b: float) -> Enclosure:
        """The curve on [a, b]: each term and its slope are monotone, so their ends bound them."""
        value, fall, rise, least, most, length = self.start, 0.0, 0.0, 0.0, 0.0, b - a
        for rate, slope in zip(self.rates, self.slopes):  # noqa: B905
            if rate == 0.0:
                value += slope * a
                first = last = slope
                change = slope * length
            else:
                first, left = slope, -math.expm1(-rate * length)
                if a > 0.0:
                    passed = -math.expm1(-rate * a)
                    value += slope * passed / rate
                    first *= 1.0 - passed
                last = first * (1.0 - left)
                change = first * left / rate
            if slope < 0.0:
                fall, least, most = fall + change, least + first, most + last
            else:
                rise, least, most = rise + change, least + last, most + first
        return Enclosure(value, value + fall, value + rise, least, most)

    def bounds(self, a: float, b: float) -> tuple[float, float]:
        """Bounds of f on [a, b]."""
        found = self.enclose(a, b)
        return found.low, found.high

    def slope_bounds(self, a: float, b: float) -> tuple[float, float]:
        """Bounds of the slope on [a, b]."""
        found = self.enclose(a, b)
        return found.least, found.most


def exp_sum(start: float, terms: Iterable[tuple[float, float]]) -> ExpSum:
    """An ExpSum of (rate, slope) terms in any order; equal rates are added up, zero slopes left out."""
    merged: dict[float, float] = {}
    for rate, slope in terms:
        merged[rate] = merged.get(rate, 0.0) + slope
    kept = sorted((rate, slope) for rate, slope in merged.items() if slope != 0.0)
    return ExpSum(start, tuple(rate for rate, _ in kept), tuple(slope for _, slope in kept))


def combine(parts: Iterable[tuple[float, ExpSum]], constant: float = 0.0) -> ExpSum:
    """constant + sum of weight * curve."""
    start, by_rates = constant, dict[tuple[float, ...], list[float]]()
    for weight, (value, rates, slopes) in parts:
        start += weight * value
        known = by_rates.get(rates)
        scaled = [weight * slope for slope in slopes]
        by_rates[rates] = scaled if known is None else [a + b for a, b in zip(known, scaled, strict=True)]
    return exp_sum(start, (term for rates, slopes in by_rates.items() for term in zip(rates, slopes, strict=True)))


def turning_points(curve: ExpSum, horizon: float) -> list[float]:
    """All t in (0, horizon) at which the slope of `curve` is zero, ascending."""
    return _roots(curve.rates, curve.slopes, horizon)


def extremes(curve: ExpSum, horizon: float) -> tuple[float, float]:
    """Smallest and greatest value on [0, horizon]."""
    known = curve.enclose(0.0, horizon)
    if known.least >= 0.0 or known.most <= 0.0:
        ends = curve.start, curve(horizon)
        return min(ends), max(ends)
    values = [curve(t) for t in (0.0, *turning_points(curve, horizon), horizon)]
    return min(values), max(values)


def first_crossing(curve: ExpSum, level: float, horizon: float) -> float | None:
    """The first t in [0, horizon] with curve(t) = level, a touch included; None if there is none."""
    if curve.start == level:
        return 0.0
    touch = TOUCH * max(abs(level), abs(curve.start))
    stack = [(0.0, horizon)]
    for _ in range(PIECES):
        if not stack:
            return None
        a, b = stack.pop()
        value, low, high, least, most = curve.enclose(a, b)
        if level < low - touch or level > high + touch:
            continue
        if least < 0.0 < most:
            cut = a + SPLIT * (b - a)
            stack += [(cut, b), (a, cut)]
            continue
        gap = curve(b) - level
        if (value - level) * gap < 0.0:
            return _solve(lambda t: curve(t) - level, curve.slope, a, b)
        if gap == 0.0 or (b == horizon and abs(gap) <= touch):
            return b
    return _by_turning_points(curve, level, horizon, touch)


def _by_turning_points(curve: ExpSum, level: float, horizon: float, touch: float) -> float | None:
    """The same, from all the turning points: never in doubt, even where the curve only just touches the level."""
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
