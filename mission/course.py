"""The course of a quantity of a flown world, as monotone runs between the changes that it depends on.

Gases and pressures are sums of exponentials while the air's inputs stay, so their turning points are solved; the
battery's charge turns only where its balance does, and there its segment ends. All else is cut by `mission.curve` at
the events of the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from mission import sensors
from mission.curve import Run, Truth, pieces
from mission.world import telemetry
from mission.world.atmosphere import ZONES, Atmosphere
from mission.world.derived import VAPOUR
from mission.world.engine import World
from mission.world.exponential import ExpSum, combine, turning_points
from mission.world.gases import GASES, Gas, inspired_o2, pascal_per_kg
from mission.world.units import CLOCK_STEP, KPA, MMHG

__all__ = ["quantity", "runs"]

_GAS: dict[str, tuple[Gas, float]] = {"ppo2": ("o2", KPA), "ppco2": ("co2", MMHG)}
"""Channels of one gas: which, and Pa in their unit."""


def _pio2(zone: int, world: World, t: float) -> float:
    return world.base.air.pio2(zone, t)


_DERIVED: dict[str, Callable[[World, float], float]] = {
    f"{name}.pio2": partial(_pio2, index) for index, name in enumerate(ZONES)
}


def quantity(world: World, of: str) -> Truth:
    """The true course of a channel or of inspired oxygen. Raises ValueError with near names."""
    if of in _DERIVED:
        return partial(_DERIVED[of], world)
    sensors.find(of)
    return partial(telemetry.TRUTHS[of], world.base)


def runs(world: World, of: str, breaks: Sequence[float]) -> Sequence[Run]:
    """The monotone runs of a quantity from the first of `breaks` to the last, between which only they and the
    changes of the air and of the power balance make it jump or bend. Raises ValueError with near names."""
    start, end = breaks[0], breaks[-1]
    zone, _, what = of.partition(".")
    if zone in ZONES and what in (*_GAS, "pressure", "pio2"):
        return list(_of_air(world.base.air, ZONES.index(zone), what, start, end))
    if of == "battery.soc":
        return list(_charge(world, start, end))
    return pieces(quantity(world, of), breaks)


def _charge(world: World, start: float, end: float) -> Iterator[Run]:
    """A segment of the power balance keeps one sign of supply minus load, and so the charge one direction."""
    power = world.base.power
    for a, b in pairwise([start, *power.changes(start, end), end]):
        yield Run(a, b - CLOCK_STEP, 100.0 * power.soc(a), 100.0 * power.soc(b - CLOCK_STEP))


def _of_air(air: Atmosphere, zone: int, what: str, start: float, end: float) -> Iterator[Run]:
    for a, b in _stretches(air, zone, what, start, end):
        length = b - CLOCK_STEP - a
        if what == "pio2":
            yield from _inspired(air, zone, a, length)
            continue
        if what == "pressure":
            curve, unit = _total(air, zone, a), KPA
        else:
            gas, unit = _GAS[what]
            curve = _partial(air, gas, zone, a)
        yield from _exact(curve, a, length, unit)


def _stretches(air: Atmosphere, zone: int, what: str, start: float, end: float) -> Iterator[tuple[float, float]]:
    """[start, end] cut where something that the quantity depends on changes, or who breathes in the zone."""
    gases = (_GAS[what][0],) if what in _GAS else GASES
    before, since = _holding(air, zone, gases, start), start
    for t in air.changes(start, end):
        now = _holding(air, zone, gases, t)
        if now != before:
            yield since, t
            before, since = now, t
    yield since, end


def _holding(air: Atmosphere, zone: int, gases: Sequence[Gas], t: float) -> tuple[object, ...]:
    """What has to stay for one curve to go on; a segment of a gas is known by its start."""
    config = air.config_at(t)
    heat: object = config.temperatures[zone] if len(gases) == 1 else (config.temperatures, config.hatches)
    return (config.breathing[zone], heat, *(air.tracks[gas].segment(t).t0 for gas in gases))


def _partial(air: Atmosphere, gas: Gas, zone: int, t: float) -> ExpSum:
    """Pa over the time after `t`."""
    segment = air.tracks[gas].segment(t)
    factor = pascal_per_kg(gas, air.config_at(t).temperatures[zone], air.volumes[zone])
    return segment.masses[zone].shifted(t - segment.t0, factor)


def _total(air: Atmosphere, zone: int, t: float) -> ExpSum:
    group = air.joined(air.config_at(t), zone)
    volume = sum(air.volumes[z] for z in group)
    return combine((air.volumes[z] / volume, _partial(air, gas, z, t)) for z in group for gas in GASES)


def _exact(curve: ExpSum, a: float, length: float, unit: float) -> Iterator[Run]:
    known = curve.enclose(0.0, length)
    turns = [] if known.least >= 0.0 or known.most <= 0.0 else turning_points(curve, length)
    times = [0.0, *turns, length]
    values = [curve(t) / unit for t in times]
    for index, (first, last) in enumerate(pairwise(times)):
        yield Run(a + first, a + last, values[index], values[index + 1])


def _inspired(air: Atmosphere, zone: int, a: float, length: float) -> Sequence[Run]:
    """(P - vapour) O2 / P: monotone where the bounds of its slope, o2' (1 - v/P) + O2 v P'/P^2, have one sign."""
    total, oxygen = _total(air, zone, a), _partial(air, "o2", zone, a)

    def truth(t: float) -> float:
        return inspired_o2(total(t - a), oxygen(t - a), VAPOUR) / MMHG

    whole, part = total.enclose(0.0, length), oxygen.enclose(0.0, length)
    if whole.low > VAPOUR and part.low > 0.0:
        shares = (1.0 - VAPOUR / whole.low, 1.0 - VAPOUR / whole.high)
        weights = (part.low * VAPOUR / whole.high**2, part.high * VAPOUR / whole.low**2)
        least = min(part.least * s for s in shares) + min(whole.least * w for w in weights)
        most = max(part.most * s for s in shares) + max(whole.most * w for w in weights)
        if least >= 0.0 or most <= 0.0:
            return [Run(a, a + length, truth(a), truth(a + length))]
    return pieces(truth, (a, a + length + CLOCK_STEP))
