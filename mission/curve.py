"""A smooth quantity over time as monotone pieces, so that extremes, crossings and integrals are found, never sampled.

Between events everything in the world is smooth. Each stretch is interpolated at nine Chebyshev points; where the last
coefficients have not died away the stretch is halved (Trefethen, Approximation Theory and Approximation Practice, 2013,
chapters 3 and 19). Stationary points of the interpolant cut it into monotone pieces; crossings are then solved on the
quantity itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.polynomial import chebyshev as untyped

from mission.world.units import CLOCK_STEP

Truth = Callable[[float], float]
ORDER = 8
TOLERANCE = 1e-9
"""Of the quantity's own size: what the last two coefficients may amount to."""
SHORTEST = 1.0
"""Seconds: a stretch this short that still is not smooth holds a kink, and is taken as straight."""

chebyshev: Any = untyped
_NODES: Any = np.cos(np.pi * np.arange(ORDER, -1, -1) / ORDER)
_FIT = cast("Any", np.linalg.inv(chebyshev.chebvander(_NODES, ORDER)))
_DERIVATIVE: Any = np.arange(ORDER + 1) ** 2
"""Greatest slope of each Chebyshev polynomial on [-1, 1]."""
_INTEGRAL: Any = np.array([2.0 / (1 - n * n) if n % 2 == 0 else 0.0 for n in range(ORDER + 1)])


@dataclass(frozen=True)
class Run:
    """A stretch [a, b] on which the quantity is monotone, and its values there."""

    a: float
    b: float
    fa: float
    fb: float


@dataclass(frozen=True)
class Piece(Run):
    """A run with its integral, in unit times seconds."""

    integral: float


def pieces(truth: Truth, breaks: Iterable[float]) -> list[Piece]:
    """The monotone pieces between neighbouring breaks, at which the quantity may jump."""
    found: list[Piece] = []
    for a, b in pairwise(sorted(set(breaks))):
        found += _stretch(truth, a, b - CLOCK_STEP)
    return found


def _stretch(truth: Truth, a: float, b: float) -> Iterator[Piece]:
    """Halve [a, b] until each part is smooth; a list of what is to be done stands for the recursion."""
    ahead = [(a, b)]
    while ahead:
        a, b = ahead.pop()
        times = 0.5 * (a + b) + 0.5 * (b - a) * _NODES
        values: Any = np.array([truth(min(max(float(t), a), b)) for t in times])
        if not np.ptp(values):
            yield Piece(a, b, float(values[0]), float(values[0]), float(values[0]) * (b - a))
            continue
        terms: Any = _FIT @ values
        smooth = float(np.abs(terms[-2:]).max()) <= TOLERANCE * float(np.abs(values).max())
        if smooth:
            yield from _monotone(truth, a, b, values, terms)
        elif b - a <= SHORTEST:
            first, last = float(values[0]), float(values[-1])
            yield Piece(a, b, first, last, 0.5 * (first + last) * (b - a))
        else:
            middle = 0.5 * (a + b)
            ahead += [(middle, b), (a, middle)]


def _monotone(truth: Truth, a: float, b: float, values: Any, terms: Any) -> Iterator[Piece]:
    half = 0.5 * (b - a)
    bend = float((np.abs(terms[2:]) * _DERIVATIVE[2:]).sum())
    if abs(float(terms[1])) > bend:
        yield Piece(a, b, float(values[0]), float(values[-1]), half * float(_INTEGRAL @ terms))
        return
    roots: Any = chebyshev.chebroots(chebyshev.chebtrim(chebyshev.chebder(terms)))
    turns = sorted(float(root.real) for root in roots if abs(root.imag) < 1e-9 and abs(root.real) < 1.0)
    whole: Any = chebyshev.chebint(terms, lbnd=-1)
    ends = [-1.0, *turns, 1.0]
    times = [a, *(a + half * (turn + 1.0) for turn in turns), b]
    heights = [float(values[0]), *(truth(t) for t in times[1:-1]), float(values[-1])]
    sums = [half * float(chebyshev.chebval(end, whole)) for end in ends]
    for index in range(len(ends) - 1):
        yield Piece(times[index], times[index + 1], heights[index], heights[index + 1], sums[index + 1] - sums[index])


def crossing(truth: Truth, piece: Run, level: float) -> float | None:
    """When a monotone piece passes a level between its ends, to 1e-6 s; None if it does not."""
    low, high = piece.fa - level, piece.fb - level
    if low * high >= 0.0:
        return None
    from scipy.optimize import brentq  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    return float(brentq(lambda t: truth(t) - level, piece.a, piece.b, xtol=1e-6))  # pyright: ignore
