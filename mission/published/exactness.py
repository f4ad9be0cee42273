"""What must not matter: events that change nothing, and who reads what in which order."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, cast

from mission import sensors
from mission.published import sweep
from mission.world.battery import Battery
from mission.world.coolant import LOOPS
from mission.world.engine import Scenario, World
from mission.world.eva import SUITS, Eva
from mission.world.oxygen import Oxygen
from mission.world.radiation import Radiation
from mission.world.rover import ROVERS, Rovers
from mission.world.thermal import Thermal
from mission.world.toxics import Toxics
from mission.world.track import Track

STOPS = 12
READINGS = 1000
"""In one flight, over all stops."""
SCALE = 1e-3
"""Differences of smaller values than this, in their own unit, count as shares of it: rounding noise about zero."""


def retell(world: World) -> None:
    """An event that changes nothing, for every part: each tells its state afresh from now on."""
    base = world.base
    for track in base.air.tracks.values():
        _split(track, world.now)
    base.air.version += 1
    base.monitor.close(world.now)
    base.power.rebase(world.now)
    thermal = cast("Thermal", base.part("thermal"))
    for loop in LOOPS:
        thermal.change_loop(loop)
    toxics = cast("Toxics", base.part("toxics"))
    for track in toxics.tracks.values():
        _split(track, world.now)
    cast("Battery", base.part("battery")).set_heater(cast("Battery", base.part("battery")).heater)
    oxygen = cast("Oxygen", base.part("oxygen"))
    oxygen.false_trip(oxygen.shown(world.now) - oxygen.h2(world.now))
    _retell_people(world)
    base.part("solar").refresh()
    for block in ("air", "power", *base.parts):
        base.changed(block)


def _retell_people(world: World) -> None:
    """Shelter, suits and rovers."""
    base = world.base
    radiation = cast("Radiation", base.part("radiation"))
    inside = set(radiation.sheltered)
    for people, sheltered in ((inside, True), (set(base.people) - inside, False)):
        radiation.put(sorted(people), inside=sheltered)
    radiation.set_fan(on=radiation.fan)
    eva = cast("Eva", base.part("eva"))
    for index in range(len(SUITS)):
        eva.purge(index, on=eva.suit(index, world.now).purge)
    rovers = cast("Rovers", base.part("rover"))
    for index, number in enumerate(ROVERS):
        rovers.slow_fan(number, rovers.rover(index, world.now).fan)


def _split(track: Track, t: float) -> None:
    track.update(t, track.last.flows, track.last.exchange, track.masses(t))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a JSON tree with its path."""
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[str, Any]", value).items():
            yield from leaves(item, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(cast("list[Any]", value)):
            yield from leaves(item, f"{path}[{index}]")
    else:
        yield path, value


def differences(one: Any, other: Any) -> Iterator[tuple[str, float]]:
    """By how much numbers of two JSON trees differ, as a share; anything else that differs counts as infinite."""
    first, second = dict(leaves(one)), dict(leaves(other))
    for path in first.keys() | second.keys():
        a, b = first.get(path), second.get(path)
        if a == b:
            continue
        if type(a) is float and type(b) is float:
            yield path, abs(a - b) / max(abs(a), abs(b), SCALE)
        else:
            yield path, float("inf")


def _times(scenario: Scenario) -> list[float]:
    rng = random.Random(scenario.id)
    return sorted(rng.uniform(0.0, sweep.end(scenario)) for _ in range(STOPS))


@cache
def split_difference(name: str, flyer: sweep.Flyer) -> tuple[str, float]:
    """Where a flight with events that change nothing differs most from one without, and by what share."""
    scenario = sweep.scenarios()[name]
    plain, poked = sweep.fly(scenario, flyer), sweep.fly(scenario, flyer, _times(scenario), retell)
    found = differences([plain.state(), plain.log()], [poked.state(), poked.log()])
    return max(found, key=lambda one: one[1], default=("", 0.0))


def read_everything(world: World) -> None:
    """Readings now and of the past in an order of their own, truths, state, log, and a fork that flies on."""
    rng = random.Random(world.now)
    names = [channel.name for channel in sensors.channels()]
    for _ in range(READINGS // STOPS):
        world.read(rng.choice(names), rng.choice((world.now, rng.uniform(0.0, world.now))))
        world.truth(rng.choice(names), rng.uniform(0.0, world.now))
    world.history(rng.choice(names), 6.0, 12)
    world.state()
    world.log().clear()
    world.commands().clear()
    world.fork().advance(world.now + 600.0)


@cache
def reading_differs(name: str, flyer: sweep.Flyer) -> bool:
    """Whether a flight that is read all the time ends otherwise, or reads otherwise, than one that is left alone."""
    scenario = sweep.scenarios()[name]
    alone = sweep.fly(scenario, flyer, _times(scenario), lambda _: None)
    asked = sweep.fly(scenario, flyer, _times(scenario), read_everything)
    if alone.digest() != asked.digest():
        return True
    channels = [channel.name for channel in sensors.channels()]
    times = [asked.now, 0.37 * asked.now]
    forward = [alone.read(name, t) for name in channels for t in times]
    backward = [asked.read(name, t) for name in reversed(channels) for t in reversed(times)]
    return forward != backward[::-1]
