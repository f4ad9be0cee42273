"""Curves of things that feel the day: a sum of exponentials and one sinusoid with the period of a sol."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable
from dataclasses import dataclass

from mission.world import enclosure
from mission.world.exponential import Enclosure, ExpSum, combine
from mission.world.lookout import Search
from mission.world.units import at_or_after
from mission.world.weather import SOL

OMEGA = 2.0 * math.pi / SOL
"""Angular frequency of the day, 1/s."""


@dataclass(frozen=True, slots=True)
class Wave:
    """f(t) = decay(t - t0) + Re(swing exp(i OMEGA (t - t0))), for t >= t0 in absolute seconds."""

    t0: float
    decay: ExpSum
    swing: complex = 0j

    def __call__(self, t: float) -> float:
        if not self.swing:
            return self.decay(t - self.t0)
        return self.decay(t - self.t0) + (self.swing * cmath.exp(1j * OMEGA * (t - self.t0))).real

    def integral(self, t: float) -> float:
        """Integral of f from t0 to t."""
        turned = self.swing * (cmath.exp(1j * OMEGA * (t - self.t0)) - 1.0) / (1j * OMEGA)
        return self.decay.integral(t - self.t0) + turned.real

    def between(self, a: float, b: float) -> float:
        """Integral of f from a to b."""
        return self.integral(b) - (self.integral(a) if a != self.t0 else 0.0)

    def raised(self, by: float) -> Wave:
        """The same curve, higher by so much."""
        start, rates, slopes = self.decay
        return Wave(self.t0, ExpSum(start + by, rates, slopes), self.swing)

    def ever(self) -> tuple[float, float]:
        """Bounds for all time to come; infinite if the decay has a trend."""
        low = high = self.decay.start
        for rate, slope in zip(self.decay.rates, self.decay.slopes, strict=True):
            change = slope / rate if rate else math.copysign(math.inf, slope)
            low, high = low + min(change, 0.0), high + max(change, 0.0)
        size = abs(self.swing)
        return low - size, high + size

    def enclose(self, a: float, b: float) -> Enclosure:
        """The curve on [a, b]; the sinusoid's slope is bounded by its middle and greatest curvature, or its size."""
        value, low, high, least, most = self.decay.enclose(a - self.t0, b - self.t0)
        if not self.swing:
            return Enclosure(value, low, high, least, most)
        size, length = abs(self.swing), b - a
        middle = self.swing * cmath.exp(1j * OMEGA * (0.5 * (a + b) - self.t0))
        bend = 0.5 * size * OMEGA * OMEGA * length
        slope = (1j * OMEGA * middle).real
        down, up = max(-size * OMEGA, slope - bend), min(size * OMEGA, slope + bend)
        first = (self.swing * cmath.exp(1j * OMEGA * (a - self.t0))).real
        bottom, top = max(-size, first + min(down, 0.0) * length), min(size, first + max(up, 0.0) * length)
        return Enclosure(value + first, low + bottom, high + top, least + down, most + up)


def constant(t0: float, value: float) -> Wave:
    return Wave(t0, ExpSum(value, (), ()))


def blend(t0: float, parts: Iterable[tuple[float, Wave]]) -> Wave:
    """Sum of weight * wave, of waves that all start at `t0`."""
    kept = [(weight, wave) for weight, wave in parts if weight != 0.0]
    decay = combine([(weight, wave.decay) for weight, wave in kept])
    return Wave(t0, decay, sum((weight * wave.swing for weight, wave in kept), 0j))


def when(wave: Wave, level: float, *, rising: bool) -> Search:
    """A search for the first time at which `wave` has reached `level`."""

    def search(now: float, limit: float) -> float | None:
        t = enclosure.first_reach(wave, level, now, limit, rising=rising)
        return None if t is None else max(now, at_or_after(t))

    return search
