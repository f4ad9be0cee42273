"""Who was exposed to what, and which marks of the flight rules were passed: found exactly, never sampled."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mission import rules
from mission.world import enclosure
from mission.world.atmosphere import ZONES, Atmosphere
from mission.world.derived import VAPOUR, InspiredO2, MeanPressure, inspired
from mission.world.exponential import Enclosure, ExpSum, combine, extremes
from mission.world.gases import inspired_o2
from mission.world.lookout import BACK, Search, Watch, at, reach
from mission.world.sight import Sight
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
MEAN_INDEX = 0
MEAN_MARK = CO2_MARKS[MEAN_INDEX][0]
WINDOW = rules.number("FR-01", "window") * HOUR
EMERGENCY = rules.number("FR-03", "emergency")
LEAVE = rules.number("FR-03", "leave")
LIMIT = rules.number("FR-01", "limit") * HOUR
SUSTAINED = rules.number("FR-03", "sustained") * HOUR
EXPOSURE_MARKS = (MEAN_MARK, rules.number("FR-02", "day_level"), EMERGENCY)
THIN = 1.0
"""Pa: of less air the share of oxygen is not watched, as a rounding error is one of the share of nothing."""
SAME = 1e-13
"""Relative difference below which a new extreme is not one: the rounding of a curve."""

Log = Callable[..., None]


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
    calm_since: float
    """Since when ppCO2 has been below the mark of its mean."""
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
        self._sight: Sight | None = None
        self._temperatures, self._warmed = air.config.temperatures, -math.inf

    def _start(self, zone: int) -> Sides:
        air = self._air
        ppco2 = air.partial_pressure("co2", zone, 0.0) / MMHG
        total, o2 = air.pressure(zone, 0.0), air.partial_pressure("o2", zone, 0.0)
        pio2, share = inspired_o2(total, o2, VAPOUR) / MMHG, 100.0 * o2 / total
        sides = Sides(
            co2=bisect_right([mark for mark, _ in CO2_MARKS], ppco2),
            pio2=bisect_right(PIO2_MARKS, pio2),
            o2=bisect_right(O2_MARKS, share),
            mean_high=ppco2 > MEAN_MARK,
            calm_since=-math.inf,
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
        peak = self._peak(zone, t, before.peak_ppco2)
        if self._air.config_at(start).breathing[zone] == 0:
            return before if peak == before.peak_ppco2 else replace(before, peak_ppco2=peak)
        above = CO2_MARKS[self._sides[zone].co2 - 1][0] if self._sides[zone].co2 else 0.0
        seconds = [
            s + (t - start if above >= mark else 0.0) for s, mark in zip(before.above_s, EXPOSURE_MARKS, strict=True)
        ]
        return Exposure(
            above_s=tuple(seconds),
            min_pio2=self._least_pio2(zone, t, before.min_pio2),
            peak_ppco2=peak,
            peak_ppco2_occupied=self._peak(zone, t, before.peak_ppco2_occupied),
        )

    def _seen(self, t: float) -> Sight | None:
        """What has been seen of the time from the last change to `t`."""
        sight = self._sight
        return sight if sight and sight.covers(self._air, self._last, t) else None

    def _peak(self, zone: int, t: float, known: float) -> float:
        """The greater of `known` and the greatest ppCO2 since the last change, mmHg."""
        seen = self._seen(t)
        if seen and seen.bounds["co2"][zone][1] <= known * MMHG:
            return known
        if self._air.enclose("co2", zone, self._last, t).high <= known * MMHG * (1.0 + SAME):
            return known
        _, peak = extremes(self._air.partial_curve("co2", zone, self._last), t - self._last)
        return max(known, peak / MMHG)

    def _least_pio2(self, zone: int, t: float, known: float) -> float:
        """The smaller of `known` and the least PIO2 since the last change, mmHg."""
        start, seen = self._last, self._seen(t)
        if seen and seen.pio2(zone)[0] >= known * MMHG:
            return known
        if self._pio2_bounds(zone, start, t).low >= known * MMHG * (1.0 - SAME):
            return known
        return enclosure.minimum(InspiredO2(self._air, zone, start), start, t, known * MMHG) / MMHG

    def _pio2_bounds(self, zone: int, a: float, b: float) -> Enclosure:
        return inspired(self._air.enclose("total", zone, a, b), self._air.enclose("o2", zone, a, b))

    def emergency(self, zone: int, t: float) -> bool:
        """FR-03 holds: 7.6 mmHg for an hour, or 15 mmHg now."""
        since = self._sides[zone].emergency_since
        held = since is not None and t - since >= SUSTAINED
        return held or self._air.partial_pressure("co2", zone, t) / MMHG >= LEAVE

    def watches(self, sight: Sight | None = None) -> list[Watch]:
        """All of them, or those alone that `sight` does not rule out."""
        return [watch for zone in range(len(ZONES)) for watch in self._zone(zone, sight)]

    def see(self, sight: Sight) -> None:
        """Keep what can be seen ahead: it tells later what cannot have been."""
        self._sight = sight
        if sight.config.temperatures != self._temperatures:
            self._temperatures, self._warmed = sight.config.temperatures, sight.now

    def _zone(self, zone: int, sight: Sight | None) -> list[Watch]:
        watches, config = [*self._co2(zone, sight), *self._timers(zone)], self._air.config
        if not sight or not self._calm(zone, sight.now):
            watches.append(self._mean(zone))
        if any(config.crew[joined] for joined in self._air.joined(config, zone)):
            watches += [*self._pio2(zone, sight), *self._share(zone, sight)]
        return watches

    def _key(self, *extra: object) -> tuple[object, ...]:
        config = self._air.config
        return (config.temperatures, config.hatches, self._air.version, *extra)

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

    def _co2(self, zone: int, sight: Sight | None) -> list[Watch]:
        side = self._sides[zone].co2
        config, track = self._air.config, self._air.tracks["co2"]
        watches: list[Watch] = []
        for rising, index in ((True, side), (False, side - 1)):
            if 0 <= index < len(CO2_MARKS):
                level = CO2_MARKS[index][0] * MMHG * (1.0 if rising else 1.0 - BACK)
                if sight and sight.excludes("co2", zone, level, rising=rising):
                    continue
                search = self._air.reach("co2", zone, level, rising=rising)
                key = (track.version, config.temperatures, level)
                watches.append(Watch(f"co2_{zone}_{rising}", key, search, self._pass_co2(zone, index, rising)))
        return watches

    def _pass_co2(self, zone: int, index: int, rising: bool) -> Callable[[float], None]:
        def fire(t: float) -> None:
            level, rule = CO2_MARKS[index]
            self.close(t)
            sides = self._sides[zone]
            sides.co2 = index + 1 if rising else index
            if index == MEAN_INDEX:
                sides.calm_since = math.inf if rising else t
            if level == EMERGENCY:
                sides.emergency_since = t if rising else None
                sides.told.discard("emergency")
            self._crossed(t, zone, "ppco2", level, "mmHg", rising, rule)

        return fire

    def _pio2(self, zone: int, sight: Sight | None) -> list[Watch]:
        side = self._sides[zone].pio2
        watches: list[Watch] = []
        for rising, index in ((False, side - 1), (True, side)):
            if 0 <= index < len(PIO2_MARKS):
                level = PIO2_MARKS[index] * MMHG * (1.0 if not rising else 1.0 + BACK)
                if sight and sight.excludes_pio2(zone, level, rising=rising):
                    continue
                search = self._pio2_search(zone, level, rising)
                watches.append(
                    Watch(f"pio2_{zone}_{rising}", self._key(level), search, self._pass_pio2(zone, index, rising))
                )
        return watches

    def _pio2_search(self, zone: int, level: float, rising: bool) -> Search:
        def search(now: float, limit: float) -> float | None:
            known = self._pio2_bounds(zone, now, limit)
            if known.high < level if rising else known.low > level:
                return None
            t = enclosure.first_reach(InspiredO2(self._air, zone, now), level, now, limit, rising=rising)
            return None if t is None else at_or_after(t)

        return search

    def _pass_pio2(self, zone: int, index: int, rising: bool) -> Callable[[float], None]:
        def fire(t: float) -> None:
            self._sides[zone].pio2 = index + 1 if rising else index
            self._crossed(t, zone, "pio2", PIO2_MARKS[index], "mmHg", rising, "FR-04")

        return fire

    def _share(self, zone: int, sight: Sight | None) -> list[Watch]:
        side = self._sides[zone].o2
        watches: list[Watch] = []
        for rising, index in ((True, side), (False, side - 1)):
            if 0 <= index < len(O2_MARKS):
                share = O2_MARKS[index] / 100.0 * (1.0 if rising else 1.0 - BACK)
                if sight and sight.excludes_share(zone, share, rising=rising):
                    continue
                search = self._share_search(zone, share, rising)
                watches.append(
                    Watch(f"o2_{zone}_{rising}", self._key(share), search, self._pass_share(zone, index, rising))
                )
        return watches

    def _share_search(self, zone: int, share: float, rising: bool) -> Search:
        air = self._air

        def curve(now: float) -> ExpSum:
            """ppO2 - share * P, which is zero where the share is reached."""
            return combine([(1.0, air.partial_curve("o2", zone, now)), (-share, air.pressure_curve(zone, now))])

        exact = reach(curve, 0.0, rising=rising)

        def search(now: float, limit: float) -> float | None:
            return None if air.pressure_curve(zone, now).start < THIN else exact(now, limit)

        return search

    def _pass_share(self, zone: int, index: int, rising: bool) -> Callable[[float], None]:
        def fire(t: float) -> None:
            self._sides[zone].o2 = index + 1 if rising else index
            self._crossed(t, zone, "o2_share", O2_MARKS[index], "%", rising, "FR-05")

        return fire

    def _calm(self, zone: int, now: float) -> bool:
        """Whether the mean stays under its mark until ppCO2 passes it, which is watched.

        It does where ppCO2 has been below for the whole window, at one temperature: the mean is that of densities.
        """
        sides = self._sides[zone]
        calm = now - max(sides.calm_since, self._warmed) >= WINDOW
        return calm and not sides.mean_high and sides.co2 <= MEAN_INDEX

    def _mean(self, zone: int) -> Watch:
        high, side = self._sides[zone].mean_high, self._sides[zone].co2
        least = CO2_MARKS[side - 1][0] * MMHG if side > 0 else 0.0
        most = CO2_MARKS[side][0] * MMHG if side < len(CO2_MARKS) else math.inf
        level = MEAN_MARK * MMHG * (1.0 - BACK if high else 1.0)

        def search(now: float, limit: float) -> float | None:
            mean = MeanPressure(self._air, "co2", zone, now, WINDOW)
            if (least >= level) if high else (most <= level):
                # Until its next mark, which is watched, ppCO2 stays on that side of the level; has it been there?
                low, top = mean.bounds(now - WINDOW, now)
                if low > level if high else top < level:
                    return None
            t = enclosure.first_reach(mean, level, now, limit, rising=not high)
            return None if t is None else at_or_after(t)

        def fire(t: float) -> None:
            sides = self._sides[zone]
            sides.mean_high = not high
            sides.mean_since = None if high else t
            sides.told.discard("caution")
            self._crossed(t, zone, "ppco2_1h_mean", MEAN_MARK, "mmHg", not high, "FR-01")

        key = (self._air.tracks["co2"].version, self._air.config.temperatures, high, side)
        return Watch(f"mean_{zone}", key, search, fire)

    def _timers(self, zone: int) -> list[Watch]:
        """What follows when a mark stays passed for as long as its rule says."""
        sides = self._sides[zone]
        candidates = (
            ("caution", sides.mean_since, LIMIT, "FR-02", "the FR-01 limit above 3 mmHg has run out"),
            ("emergency", sides.emergency_since, SUSTAINED, "FR-03", "7.6 mmHg sustained"),
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
        return MeanPressure(self._air, "co2", zone, t, WINDOW)(t) / MMHG
