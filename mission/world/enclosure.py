"""Crossings and minima of smooth curves that are no sum of exponentials, by bounds on their slope.

Inspired oxygen is a ratio of sums and a one-hour mean looks back over several segments. Both have slopes that
can be bounded on any interval; an interval in which the bound rules the level out is left, the others are halved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mission.world.exponential import Enclosure

SHORTEST = 1e-6
"""Seconds: an interval this short is not halved again; it is below the clock's own step."""
CLOSE = 1e-3 * SHORTEST
"""Seconds to which an event is found."""
TIGHT = 1e-11
"""Of a least value: events that change nothing move it by less than 1e-10."""


class SmoothCurve(Protocol):
    """A curve over absolute time, with bounds on its value and its slope."""

    def __call__(self, t: float) -> float: ...

    def enclose(self, a: float, b: float) -> Enclosure: ...


def first_reach(curve: SmoothCurve, level: float, start: float, end: float, *, rising: bool) -> float | None:
    """The first t in [start, end] with curve(t) >= level, or <= level if not rising; None if there is none."""
    sign = 1.0 if rising else -1.0

    def short(t: float) -> float:
        return sign * (curve(t) - level)

    stack = [(start, end)]
    while stack:
        a, b = stack.pop()
        value, low, high, least, most = curve.enclose(a, b)
        gap, top = value - level, high - level
        if not rising:
            gap, top, least, most = -gap, level - low, -most, -least
        if gap >= 0.0:
            return a
        if min(top, gap + max(most, 0.0) * (b - a)) < 0.0:
            continue
        if least >= 0.0 or b - a <= SHORTEST:
            if short(b) >= 0.0:
                return _bisect(short, a, b)
            continue
        middle = 0.5 * (a + b)
        stack += [(middle, b), (a, middle)]
    return None


def minimum(curve: SmoothCurve, start: float, end: float, known: float) -> float:
    """The smaller of `known` and the least value on [start, end], to TIGHT of it."""
    best = min(known, curve(end))
    stack = [(start, end)]
    while stack:
        a, b = stack.pop()
        value, low, _, least, most = curve.enclose(a, b)
        best = min(best, value)
        hopeless = max(low, value + least * (b - a)) >= best - TIGHT * abs(best)
        if least >= 0.0 or most <= 0.0 or hopeless or b - a <= SHORTEST:
            continue
        middle = 0.5 * (a + b)
        best = min(best, curve(middle))
        stack += [(middle, b), (a, middle)]
    return best


def _bisect(f: Callable[[float], float], a: float, b: float) -> float:
    """The end of a smallest interval [a, b] with f(a) < 0 <= f(b): regula falsi (Illinois), halved where that is slow.

    Estimates keep off the ends, so that both close in on the root.
    """
    fa, fb, width, side = f(a), f(b), b - a, 0
    for turn in range(1, 200):
        if b - a <= CLOSE:
            break
        t = b - fb * (b - a) / (fb - fa)
        if turn % 3 == 0:
            t = t if b - a <= 0.25 * width else 0.5 * (a + b)
            width = b - a
        t = min(max(t, a + 0.5 * CLOSE), b - 0.5 * CLOSE)
        if not a < t < b:
            break
        value = f(t)
        if value >= 0.0:
            b, fb = t, value
            fa *= 0.5 if side > 0 else 1.0
            side = 1
        else:
            a, fa = t, value
            fb *= 0.5 if side < 0 else 1.0
            side = -1
    return b
