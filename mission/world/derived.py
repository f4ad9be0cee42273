"""What the air does to a person: curves made from the cabin's, which are no sums of exponentials, with bounds."""

from __future__ import annotations

from mission.world.atmosphere import Atmosphere, Track
from mission.world.exponential import Enclosure
from mission.world.gases import LUNG_VAPOUR, Gas, inspired_o2, pascal_per_kg
from mission.world.units import MMHG

VAPOUR = LUNG_VAPOUR * MMHG


class InspiredO2:
    """PIO2 of a zone in Pa over absolute time, while nothing changes."""

    def __init__(self, air: Atmosphere, zone: int, origin: float) -> None:
        self._total = air.pressure_curve(zone, origin)
        self._o2 = air.partial_curve("o2", zone, origin)
        self._origin = origin

    def __call__(self, t: float) -> float:
        after = t - self._origin
        return inspired_o2(self._total(after), self._o2(after), VAPOUR)

    def enclose(self, a: float, b: float) -> Enclosure:
        a, b = a - self._origin, b - self._origin
        return inspired(self._total.enclose(a, b), self._o2.enclose(a, b))


def inspired(total: Enclosure, o2: Enclosure) -> Enclosure:
    """PIO2 where total pressure and oxygen are enclosed. It grows with both; where P <= w it is 0.

    Its slope is o' (1 - w/P) + w o P'/P^2, bounded by the bounds of o, P and their slopes.
    """
    value = inspired_o2(total.value, o2.value, VAPOUR)
    if total.high <= VAPOUR:
        return Enclosure(value, 0.0, 0.0, 0.0, 0.0)
    thin, low, high = total.low <= VAPOUR, max(total.low, VAPOUR), total.high
    share = 1.0 - VAPOUR / low, 1.0 - VAPOUR / high
    weight = VAPOUR * max(o2.low, 0.0) / high**2, VAPOUR * max(o2.high, 0.0) / low**2
    parts = _product((o2.least, o2.most), share), _product((total.least, total.most), weight)
    least, most = parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]
    if thin:
        least, most = min(least, 0.0), max(most, 0.0)
    return Enclosure(value, share[0] * max(o2.low, 0.0), share[1] * max(o2.high, 0.0), least, most)


def _product(slope: tuple[float, float], factor: tuple[float, float]) -> tuple[float, float]:
    """Bounds of a product whose factor is not negative."""
    low = slope[0] * factor[1 if slope[0] < 0.0 else 0]
    high = slope[1] * factor[1 if slope[1] > 0.0 else 0]
    return low, high


class MeanPressure:
    """Mean partial pressure of a gas in the `window` s before, in Pa over absolute time.

    Before the start it was what it was at the start.
    """

    def __init__(self, air: Atmosphere, gas: Gas, zone: int, t: float, window: float) -> None:
        self._track, self._zone, self._window = air.tracks[gas], zone, window
        self._factor = pascal_per_kg(gas, air.config_at(t).temperatures[zone], 1.0)

    def __call__(self, t: float) -> float:
        dose, before = self._track.dose_in, t - self._window
        then = dose(self._zone, before) if before >= 0.0 else self._first() * before
        return self._factor * (dose(self._zone, t) - then) / self._window

    def enclose(self, a: float, b: float) -> Enclosure:
        value, length, (low, high) = self(a), b - a, self.bounds(a, b)
        low_before, high_before = self.bounds(a - self._window, b - self._window)
        least, most = (low - high_before) / self._window, (high - low_before) / self._window
        return Enclosure(value, value + min(least, 0.0) * length, value + max(most, 0.0) * length, least, most)

    def bounds(self, a: float, b: float) -> tuple[float, float]:
        """Bounds of the pressure itself on [a, b], in Pa."""
        low, high = mass_bounds(self._track, self._zone, max(a, 0.0), max(b, 0.0))
        scale = self._factor / self._track.volumes[self._zone]
        return scale * low, scale * high

    def _first(self) -> float:
        return self._track.masses(0.0)[self._zone] / self._track.volumes[self._zone]


def mass_bounds(track: Track, zone: int, a: float, b: float) -> tuple[float, float]:
    """Bounds of the mass in a zone on [a, b], kg."""
    lows: list[float] = []
    highs: list[float] = []
    segments = track.between(a, b)
    ends = [segment.t0 for segment in segments[1:]] + [b]
    for segment, end in zip(segments, ends, strict=True):
        low, high = segment.masses[zone].bounds(max(a, segment.t0) - segment.t0, end - segment.t0)
        lows.append(low)
        highs.append(high)
    return min(lows), max(highs)
