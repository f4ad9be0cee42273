"""The courses of a flown world that are looked at: every channel, and the quantities of rules that no gauge shows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from mission import sensors
from mission.channel import Channel
from mission.objectives import quantity
from mission.world.atmosphere import ZONES
from mission.world.engine import World
from mission.world.weather import SOL

__all__ = ["Curve", "curves", "drawn_times", "every", "find"]

STEP = 300.0
"""s between the rows of a table, if nothing else is asked; the times of events come on top."""
PIXELS = 700
"""Across a panel: events nearer than one of them are drawn as one."""
PER_SOL = 24
"""Points of a line in a sol at least, so that a long flight keeps its days."""


@dataclass(frozen=True)
class Curve:
    """A named course over time; `channel` is the instrument that shows it, None where there is none."""

    name: str
    unit: str
    truth: Callable[[World], Callable[[float], float]]
    channel: Channel | None = None


def _share(zone: int, world: World) -> Callable[[float], float]:
    air = world.base.air
    return lambda t: 100.0 * air.partial_pressure("o2", zone, t) / air.pressure(zone, t)


def _hour_mean(zone: int, world: World) -> Callable[[float], float]:
    return lambda t: world.base.monitor.hour_mean(zone, t)


def _hydrogen(world: World) -> Callable[[float], float]:
    """What sensor A is given to read, moisture and all: channel oga.h2 is what is in the oxygen."""
    return world.base.part("oxygen").shown


def _quantity(name: str, world: World) -> Callable[[float], float]:
    return quantity(world, name)


def _derived() -> list[Curve]:
    found: list[Curve] = []
    for index, zone in enumerate(ZONES):
        found.append(Curve(f"{zone}.pio2", "mmHg", partial(_quantity, f"{zone}.pio2")))
        found.append(Curve(f"{zone}.o2_share", "%", partial(_share, index)))
        found.append(Curve(f"{zone}.ppco2_1h_mean", "mmHg", partial(_hour_mean, index)))
    found.append(Curve("oga.h2_shown", "%", _hydrogen))
    return found


def curves() -> dict[str, Curve]:
    """All of them by name: the channels in the order of the catalogue, then what rules speak of and no gauge shows."""
    shown = [Curve(one.name, one.unit, partial(_quantity, one.name), one) for one in sensors.channels()]
    return {curve.name: curve for curve in (*shown, *_derived())}


def find(name: str) -> Curve | None:
    """The course of that name, or None: an objective may be about the state instead."""
    return curves().get(name)


def every(world: World, step: float = STEP) -> list[float]:
    """Times every `step` s from the start to now, with now and the time of every event."""
    grid = {step * index for index in range(int(world.now // step) + 1)}
    return sorted(grid | {float(event["t"]) for event in world.base.events if event["t"] <= world.now} | {world.now})


def drawn_times(world: World) -> list[float]:
    """Where a line is drawn through: an even grid, and both sides of each event, so that a step is upright.

    Of events that fall into one pixel the first and the last are kept.
    """
    end = world.now
    points = max(PIXELS, math.ceil(PER_SOL * end / SOL))
    times = {end * index / points for index in range(points + 1)}
    pixels: dict[int, list[float]] = {}
    for event in world.base.events:
        if 0.0 < event["t"] <= end:
            pixels.setdefault(int(PIXELS * event["t"] / end), []).append(float(event["t"]))
    for inside in pixels.values():
        for t in (inside[0], inside[-1]):
            times |= {t, math.nextafter(t, 0.0)}
    return sorted(times)
