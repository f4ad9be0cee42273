"""Who was exposed to what, and which marks of the flight rules were passed: found exactly, never sampled."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mission import rules
from mission.world import enclosure
from mission.world.atmosphere import ZONES, Atmosphere, Track
from mission.world.exponential import ExpSum, combine, extremes
from mission.world.gases import LUNG_VAPOUR, inspired_o2, pascal_per_kg
from mission.world.lookout import BACK, Search, Watch, at, reach
from mission.world.units import HOUR, MMHG, at_or_after

CO2_MARKS: tuple[tuple[float, str], ...] = (
    (rules.number("FR-01", "caution"), "FR-01"),
    (rules.number("FR-02", "day_level"), "FR-02"),
    (rules.number("FR-02", "instant"), "FR-02"),
    (rules.number("FR-03", "emergency"), "FR-03"),
    (rules.number("FR-03", "leave"), "FR-03"),
    (rules.number("FR-03", "abandon"), "FR-03"),
)
"""mmHg of ppCO2, ascending, and the rule each belongs to."""
PIO2_MARKS = tuple(rules.number("FR-04", name) for name in ("critical", "absolute", "warning", "caution"))
O2_MARKS = tuple(rules.number("FR-05", name) for name in ("caution", "fire"))
MEAN_MARK = rules.number("FR-01", "caution")
WINDOW = rules.number("FR-01", "window") * HOUR
EMERGENCY = rules.number("FR-03", "emergency")
EXPOSURE_MARKS = (MEAN_MARK, rules.number("FR-02", "day_level"), EMERGENCY)

Log = Callable[..., None]


class InspiredO2:
    """PIO2 of a zone in Pa over absolute time, while nothing changes."""

    def __init__(self, air: Atmosphere, zone: int, origin: float) -> None:
        self._total = air.pressure_curve(zone, origin)
        self._o2 = air.partial_curve("o2", zone, origin)
        self._origin = origin

    def __call__(self, t: float) -> float:
        after = t - self._origin
        return inspired_o2(self._total(after), self._o2(after), LUNG_VAPOUR * MMHG)

    def slope_bounds(self, a: float, b: float) -> tuple[float, float]:
        """Of o' (1 - w/P) + w o P'/P^2, from the bounds of o, P and their slopes on [a, b]; 0 where P <= w."""
        a, b, vapour = a - self._origin, b - self._origin, LUNG_VAPOUR * MMHG
        low, high = self._total.bounds(a, b)
        if high <= vapour:
            return 0.0, 0.0
        thin, low = low <= vapour, max(low, vapour)
        o2_low, o2_high = self._o2.bounds(a, b)
        share = 1.0 - vapour / low, 1.0 - vapour / high
        weight = vapour * max(o2_low, 0.0) / high**2, vapour * max(o2_high, 0.0) / low**2
        o2_slope, slope = self._o2.slope_bounds(a, b), self._total.slope_bounds(a, b)
        parts = [_product(o2_slope, share), _product(slope, weight)]
        least, most = parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]
        return (min(least, 0.0), max(most, 0.0)) if thin else (least, most)


def _product(slope: tuple[float, float], factor: tuple[float, float]) -> tuple[float, float]:
    """Bounds of a product whose factor is not negative."""
    low = slope[0] * factor[1 if slope[0] < 0.0 else 0]
    high = slope[1] * factor[1 if slope[1] > 0.0 else 0]
    return low, high


class HourMean:
    """Mean ppCO2 of the last hour in Pa over absolute time; before the start it was what it was at the start."""

    def __init__(self, air: Atmosphere, zone: int, t: float) -> None:
        self._track, self._zone = air.tracks["co2"], zone
        self._factor = pascal_per_kg("co2", air.config_at(t).temperatures[zone], 1.0)

    def __call__(self, t: float) -> float:
        now = self._track.dose(t)[self._zone]
        before = t - WINDOW
        if before >= 0.0:
            return self._factor * (now - self._track.dose(before)[self._zone]) / WINDOW
        return self._factor * (now - self._first() * before) / WINDOW

    def slope_bounds(self, a: float, b: float) -> tuple[float, float]:
        low, high = self.bounds(a, b)
        low_before, high_before = self.bounds(a - WINDOW, b - WINDOW)
        return (low - high_before) / WINDOW, (high - low_before) / WINDOW

    def bounds(self, a: float, b: float) -> tuple[float, float]:
        """Bounds of ppCO2 itself on [a, b], in Pa."""
        return _pressure_bounds(self._track, self._zone, self._factor, a, b)

    def _first(self) -> float:
        return self._track.masses(0.0)[self._zone] / self._track.volumes[self._zone]


def _pressure_bounds(track: Track, zone: int, factor: float, a: float, b: float) -> tuple[float, float]:
    a, b = max(a, 0.0), max(b, 0.0)
    segments = track.since(a)
    ends = [segment.t0 for segment in segments[1:]] + [b]
    lows: list[float] = []
    highs: list[float] = []
    for segment, end in zip(segments, ends, strict=True):
        if segment.t0 > b:
            break
        low, high = segment.masses[zone].bounds(max(a, segment.t0) - segment.t0, min(end, b) - segment.t0)
        lows.append(low)
        highs.append(high)
    scale = factor / track.volumes[zone]
    return scale * min(lows), scale * max(highs)


@dataclass(frozen=True)
class Exposure:
    """What people in one zone went through so far, and the zone's worst."""

    above_s: tuple[float, ...] = (0.0,) * len(EXPOSURE_MARKS)
    min_pio2: float = float("inf")
    peak_ppco2: float = 0.0
    peak_ppco2_occupied: float = 0.0


@dataclass
class Sides:
    """On which side of every mark a zone is: how many marks lie at or below it."""

    co2: int
    pio2: int
    o2: int
    mean_high: bool
    mean_since: float | None = None
    emergency_since: float | None = None
    told: set[str] = field(default_factory=set[str])


class Monitor:
    """Watches every zone's marks and adds up exposures; it changes nothing in the air.

    Oxygen marks are watched where people are or can breathe the same air; a closed, empty zone is left alone.
    """

    def __init__(self, air: Atmosphere, log: Log) -> None:
        self._air = air
        self._log = log
        self._last = 0.0
        self._exposures = [Exposure() for _ in ZONES]
        self._sides = [self._start(zone) for zone in range(len(ZONES))]

    def _start(self, zone: int) -> Sides:
        air = self._air
        ppco2 = air.partial_pressure("co2", zone, 0.0) / MMHG
        pio2 = InspiredO2(air, zone, 0.0)(0.0) / MMHG
        share = 100.0 * air.partial_pressure("o2", zone, 0.0) / air.pressure(zone, 0.0)
        sides = Sides(
            co2=bisect_right([mark for mark, _ in CO2_MARKS], ppco2),
            pio2=bisect_right(PIO2_MARKS, pio2),
            o2=bisect_right(O2_MARKS, share),
            mean_high=ppco2 > MEAN_MARK,
        )
        sides.mean_since = 0.0 if sides.mean_high else None
        sides.emergency_since = 0.0 if ppco2 >= EMERGENCY else None
        return sides

    def close(self, t: float) -> None:
        """Add up all that was since the last call: nothing changed in between, and something is about to."""
        self._exposures = self.exposures(t)
        self._last = t

    def exposures(self, t: float) -> list[Exposure]:
        """The exposures by zone up to `t`, which is not before the last change."""
        if t == self._last:
            return self._exposures
        return [self._extended(zone, t) for zone in range(len(ZONES))]

    def _extended(self, zone: int, t: float) -> Exposure:
        before, start = self._exposures[zone], self._last
        _, peak = extremes(self._air.partial_curve("co2", zone, start), t - start)
        extended = replace(before, peak_ppco2=max(before.peak_ppco2, peak / MMHG))
        if self._air.config_at(start).crew[zone] == 0:
            return extended
        above = CO2_MARKS[self._sides[zone].co2 - 1][0] if self._sides[zone].co2 else 0.0
        seconds = [
            s + (t - start if above >= mark else 0.0) for s, mark in zip(before.above_s, EXPOSURE_MARKS, strict=True)
        ]
        known = before.min_pio2 * MMHG
        return replace(
            extended,
            above_s=tuple(seconds),
            min_pio2=enclosure.minimum(InspiredO2(self._air, zone, start), start, t, known) / MMHG,
            peak_ppco2_occupied=max(before.peak_ppco2_occupied, peak / MMHG),
        )

    def emergency(self, zone: int, t: float) -> bool:
        """FR-03 holds: 7.6 mmHg for an hour, or 15 mmHg now."""
        since = self._sides[zone].emergency_since
        held = since is not None and t - since >= rules.number("FR-03", "sustained") * HOUR
        return held or self._air.partial_pressure("co2", zone, t) / MMHG >= rules.number("FR-03", "leave")

    def watches(self) -> list[Watch]:
        return [watch for zone in range(len(ZONES)) for watch in self._zone(zone)]

    def _zone(self, zone: int) -> list[Watch]:
        watches = [*self._co2(zone), self._mean(zone), *self._timers(zone)]
        if any(self._air.config.crew[joined] for joined in self._air.joined(self._air.config, zone)):
            watches += [*self._pio2(zone), *self._share(zone)]
        return watches

    def _key(self, *extra: object) -> tuple[object, ...]:
        config = self._air.config
        return (config.temperatures, config.hatches, *(t.version for t in self._air.tracks.values()), *extra)

    def _crossed(self, t: float, zone: int, quantity: str, level: float, unit: str, rising: bool, rule: str) -> None:
        self._log(
            t,
            "crossing",
            zone=ZONES[zone],
            quantity=quantity,
            level=level,
            unit=unit,
            direction="rising" if rising else "falling",
            rule=rule,
            occupied=self._air.config.crew[zone] > 0,
        )

    def _co2(self, zone: int) -> list[Watch]:
        side = self._sides[zone].co2
        config, track = self._air.config, self._air.tracks["co2"]
        watches: list[Watch] = []
        for rising, index in ((True, side), (False, side - 1)):
            if 0 <= index < len(CO2_MARKS):
                level = CO2_MARKS[index][0] * MMHG * (1.0 if rising else 1.0 - BACK)
                search = reach(lambda now: self._air.partial_curve("co2", zone, now), level, rising=rising)
                key = (track.version, config.temperatures, level)
                watches.append(Watch(f"co2_{zone}_{rising}", key, search, self._pass_co2(zone, index, rising)))
        return watches

    def _pass_co2(self, zone: int, index: int, rising: bool) -> Callable[[float], None]:
        def fire(t: float) -> None:
            level, rule = CO2_MARKS[index]
            self.close(t)
            sides = self._sides[zone]
            sides.co2 = index + 1 if rising else index
            if level == EMERGENCY:
                sides.emergency_since = t if rising else None
                sides.told.discard("emergency")
            self._crossed(t, zone, "ppco2", level, "mmHg", rising, rule)

        return fire

    def _pio2(self, zone: int) -> list[Watch]:
        side = self._sides[zone].pio2
        watches: list[Watch] = []
        for rising, index in ((False, side - 1), (True, side)):
            if 0 <= index < len(PIO2_MARKS):
                level = PIO2_MARKS[index] * MMHG * (1.0 if not rising else 1.0 + BACK)
                search = self._pio2_search(zone, level, rising)
                watches.append(
                    Watch(f"pio2_{zone}_{rising}", self._key(level), search, self._pass_pio2(zone, index, rising))
                )
        return watches

    def _pio2_search(self, zone: int, level: float, rising: bool) -> Search:
        def search(now: float, limit: float) -> float | None:
            t = enclosure.first_reach(InspiredO2(self._air, zone, now), level, now, limit, rising=rising)
            return None if t is None else at_or_after(t)

        return search

    def _pass_pio2(self, zone: int, index: int, rising: bool) -> Callable[[float], None]:
        def fire(t: float) -> None:
            self._sides[zone].pio2 = index + 1 if rising else index
            self._crossed(t, zone, "pio2", PIO2_MARKS[index], "mmHg", rising, "FR-04")

        return fire

    def _share(self, zone: int) -> list[Watch]:
        side = self._sides[zone].o2
        watches: list[Watch] = []
        for rising, index in ((True, side), (False, side - 1)):
            if 0 <= index < len(O2_MARKS):
                share = O2_MARKS[index] / 100.0 * (1.0 if rising else 1.0 - BACK)
                search = reach(self._share_curve(zone, share), 0.0, rising=rising)
                watches.append(
                    Watch(f"o2_{zone}_{rising}", self._key(share), search, self._pass_share(zone, index, rising))
                )
        return watches

    def _share_curve(self, zone: int, share: float) -> Callable[[float], ExpSum]:
        """ppO2 - share * P, which is zero where the share is reached."""
        air = self._air
        return lambda now: combine([(1.0, air.partial_curve("o2", zone, now)), (-share, air.pressure_curve(zone, now))])

    def _pass_share(self, zone: int, index: int, rising: bool) -> Callable[[float], None]:
        def fire(t: float) -> None:
            self._sides[zone].o2 = index + 1 if rising else index
            self._crossed(t, zone, "o2_share", O2_MARKS[index], "%", rising, "FR-05")

        return fire

    def _mean(self, zone: int) -> Watch:
        high = self._sides[zone].mean_high
        level = MEAN_MARK * MMHG * (1.0 - BACK if high else 1.0)

        def search(now: float, limit: float) -> float | None:
            mean = HourMean(self._air, zone, now)
            low, top = mean.bounds(now - WINDOW, limit)
            if not low <= level <= top:
                return None
            t = enclosure.first_reach(mean, level, now, limit, rising=not high)
            return None if t is None else at_or_after(t)

        def fire(t: float) -> None:
            sides = self._sides[zone]
            sides.mean_high = not high
            sides.mean_since = None if high else t
            sides.told.discard("caution")
            self._crossed(t, zone, "ppco2_1h_mean", MEAN_MARK, "mmHg", not high, "FR-01")

        key = (self._air.tracks["co2"].version, self._air.config.temperatures, high)
        return Watch(f"mean_{zone}", key, search, fire)

    def _timers(self, zone: int) -> list[Watch]:
        """What follows when a mark stays passed for as long as its rule says."""
        sides = self._sides[zone]
        limit = rules.number("FR-01", "limit") * HOUR
        sustained = rules.number("FR-03", "sustained") * HOUR
        candidates = (
            ("caution", sides.mean_since, limit, "FR-02", "the FR-01 limit above 3 mmHg has run out"),
            ("emergency", sides.emergency_since, sustained, "FR-03", "7.6 mmHg sustained"),
        )
        return [
            Watch(f"{name}_{zone}", (since,), at(since + after), self._tell(zone, name, rule, why))
            for name, since, after, rule, why in candidates
            if since is not None and name not in sides.told
        ]

    def _tell(self, zone: int, name: str, rule: str, why: str) -> Callable[[float], None]:
        def fire(t: float) -> None:
            self._sides[zone].told.add(name)
            self._log(t, "rule", rule=rule, zone=ZONES[zone], why=why, occupied=self._air.config.crew[zone] > 0)

        return fire

    def hour_mean(self, zone: int, t: float) -> float:
        """Mean ppCO2 of the hour before `t`, mmHg."""
        return HourMean(self._air, zone, t)(t) / MMHG
