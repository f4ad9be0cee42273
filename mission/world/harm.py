"""What toxic gases do to a person: exposures as multiples of published limits, over the time each limit is for.

The load of somebody is the sum over gases of what they breathe over its limit, as the SMAC's own T value has it. Its
mean over the limit's time says whether the limit was passed. Limits are published in ppm of air at sea level and
25 C; they count here as densities, since at 70 kPa a ppm is fewer molecules: CO of 485 mg/m3 for an hour reads
612 ppm in this base. Alarms of FR-09 and FR-10 go by the ppm of the cabin, and so come earlier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from mission.world import enclosure
from mission.world.atmosphere import Track
from mission.world.derived import mass_bounds
from mission.world.exponential import Enclosure
from mission.world.units import DAY, GAS_CONSTANT, HOUR, MINUTE, ZERO_C

SEA_LEVEL = 101_325.0
ROOM = ZERO_C + 25.0
MOLAR = {"co": 28.010e-3, "hcn": 27.0253e-3, "hcl": 36.458e-3, "nh3": 17.0305e-3}
"""kg/mol of the gases that harm, CIAAW."""


@dataclass(frozen=True)
class Limit:
    """One limit: ppm at sea level by gas, as a mean over `window` s; passing it logs `event`."""

    name: str
    window: float
    ppm: Mapping[str, float]
    event: str

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """m3/kg: one over the limit's density."""
        return {gas: GAS_CONSTANT * ROOM / (SEA_LEVEL * MOLAR[gas] * ppm * 1e-6) for gas, ppm in self.ppm.items()}


LIMITS = (
    Limit("smac_1h", HOUR, {"co": 425.0, "hcn": 8.0, "hcl": 5.0, "nh3": 30.0}, "harmed"),
    Limit("smac_24h", DAY, {"co": 100.0, "hcn": 4.0, "hcl": 2.0, "nh3": 20.0}, "harmed"),
    Limit("idlh", 30 * MINUTE, {"co": 1200.0, "hcn": 50.0, "hcl": 50.0, "nh3": 300.0}, "incapacitated"),
)
"""SMAC of 1 h and 24 h: JSC 20584 Rev C and NRC SMAC vol. 5. IDLH: NIOSH, the concentration from which half an hour
leaves no escape; that whoever has breathed as much is lost to the crew is ours."""


@dataclass(frozen=True, slots=True)
class Span:
    """Where somebody breathes from `t0` on: a zone, or -1 for air that is not the base's."""

    t0: float
    zone: int


class Load:
    """Mean load of one person over the `window` s before, over absolute time, while the last span goes on."""

    def __init__(self, limit: Limit, tracks: Mapping[str, Track], spans: Sequence[Span]) -> None:
        self._window = limit.window
        self._weights = {gas: weight for gas, weight in limit.weights.items() if gas in tracks}
        self._tracks = tracks
        self._spans = tuple(spans)

    def __call__(self, t: float) -> float:
        return self.integral(max(0.0, t - self._window), t) / self._window

    def integral(self, a: float, b: float) -> float:
        """Load times seconds on [a, b]."""
        return sum(self._of(gas, a, b) for gas in self._weights)

    def most(self, t: float) -> str:
        """The gas that has the greatest part in the load at `t`."""
        return max(self._weights, key=lambda gas: self._of(gas, max(0.0, t - self._window), t))

    def _of(self, gas: str, a: float, b: float) -> float:
        dose = self._tracks[gas].dose_in
        return self._weights[gas] * sum(dose(zone, end) - dose(zone, start) for zone, start, end in self._pieces(a, b))

    def reach(self, now: float, end: float) -> float | None:
        """When on [now, end] the mean first comes to the limit."""
        if self.bounds(now - self._window, end)[1] < 1.0:
            return None
        return enclosure.first_reach(self, 1.0, now, end, rising=True)

    def enclose(self, a: float, b: float) -> Enclosure:
        value, (low, high) = self(a), self.bounds(a, b)
        low_before, high_before = self.bounds(a - self._window, b - self._window)
        least, most = (low - high_before) / self._window, (high - low_before) / self._window
        length, top = b - a, self.bounds(a - self._window, b)[1]
        return Enclosure(
            value, max(0.0, value + min(least, 0.0) * length), min(top, value + max(most, 0.0) * length), least, most
        )

    def bounds(self, a: float, b: float) -> tuple[float, float]:
        """Bounds of the load itself on [a, b]; before the start there was none."""
        found = [(0.0, 0.0)] if a < 0.0 else []
        for zone, start, end in self._pieces(max(a, 0.0), max(b, 0.0), breathing=False):
            if zone < 0:
                found.append((0.0, 0.0))
                continue
            masses = [
                (weight / self._tracks[gas].volumes[zone], mass_bounds(self._tracks[gas], zone, start, end))
                for gas, weight in self._weights.items()
            ]
            found.append((sum(w * max(m[0], 0.0) for w, m in masses), sum(w * m[1] for w, m in masses)))
        return min(low for low, _ in found), max(high for _, high in found)

    def _pieces(self, a: float, b: float, *, breathing: bool = True) -> list[tuple[int, float, float]]:
        """(zone, from, to) of the spans on [a, b]; those of the base's air alone if `breathing`."""
        ends = [span.t0 for span in self._spans[1:]] + [max(b, self._spans[-1].t0)]
        return [
            (span.zone, max(a, span.t0), min(b, end))
            for span, end in zip(self._spans, ends, strict=True)
            if span.t0 <= b and end >= a and not (breathing and span.zone < 0)
        ]
