"""Events that change nothing and readings in any order, over whole scenarios; and what would not go unnoticed."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from mission.published import exactness, sweep
from mission.world import coolant, telemetry
from mission.world.engine import World

Fly = Callable[..., World]
NAMES = sorted(path.stem for path in (sweep.root() / "cases" / "scenarios").glob("*.yaml"))


@pytest.mark.parametrize("flyer", sweep.FLYERS)
@pytest.mark.parametrize("name", NAMES)
def test_events_that_change_nothing_leave_no_trace(name: str, flyer: sweep.Flyer) -> None:
    where, difference = exactness.split_difference(name, flyer)
    assert difference < 1e-10, where


@pytest.mark.parametrize("flyer", sweep.FLYERS)
@pytest.mark.parametrize("name", NAMES)
def test_reading_changes_neither_the_world_nor_what_is_read(name: str, flyer: sweep.Flyer) -> None:
    assert not exactness.reading_differs(name, flyer)


def test_a_part_told_afresh_begins_anew(fly: Fly) -> None:
    """Every history has one segment more, so the sweep above does split what it says."""
    world = fly("coolant-leak", 2.3)
    rover, thermal, toxics = (world.base.part(name) for name in ("rover", "thermal", "toxics"))
    histories: list[Callable[[], float]] = [
        *(lambda track=track: track.last.t0 for track in world.base.air.tracks.values()),
        *(lambda track=track: track.last.t0 for track in toxics.tracks.values()),
        lambda: world.base.power.segments[-1].t0,
        lambda: thermal.last.t0,
        *(lambda loop=loop: thermal.loops[loop].last.t0 for loop in coolant.LOOPS),
        *(lambda index=index: rover.history(index)[-1].t0 for index in (0, 1)),
    ]
    assert all(start() < world.now for start in histories)
    exactness.retell(world)
    assert all(start() == world.now for start in histories)
    suited = fly("suit-leak", 0.4)
    exactness.retell(suited)
    assert suited.base.part("eva").history(0)[-1].t0 == suited.now


def test_a_law_that_depends_on_when_it_is_told_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    told = coolant.supply

    def forgetful(loop: coolant.Loop, cabin: float, t: float) -> float:
        """A stagnant loop that comes up to what the cabin happens to have now."""
        if loop.flowing:
            return told(loop, cabin, t)
        return cabin + (loop.supply - cabin) * math.exp(-(t - loop.t0) / coolant.STAGNANT_TAU)

    monkeypatch.setattr(coolant, "supply", forgetful)
    assert exactness.split_difference.__wrapped__("pump-trip", "nobody")[1] > 1e-6


def test_a_reading_that_is_kept_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An instrument whose noise is drawn in the order of reading."""
    draws = random.Random(5)
    measurable = telemetry.measurable

    def drawn(base: Any, channel: str, t: float) -> float | None:
        value = measurable(base, channel, t)
        return value if value is None else value + draws.random()

    monkeypatch.setattr(telemetry, "measurable", drawn)
    assert exactness.reading_differs.__wrapped__("nominal", "nobody")


def test_a_reading_that_wears_the_world_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    read = World.read

    def wearing(world: World, channel: str, at: float | None = None) -> Any:
        world.base.monitor.exposures(world.now)
        world.base.seized = True
        return read(world, channel, at)

    monkeypatch.setattr(World, "read", wearing)
    assert exactness.reading_differs.__wrapped__("nominal", "nobody")


def test_a_difference_says_where_it_is() -> None:
    one, other = {"a": [1.0, 2.0], "b": "x"}, {"a": [1.0, 2.0 + 2e-9], "b": "x"}
    assert list(exactness.differences(one, other)) == [(".a[1]", pytest.approx(1e-9))]
    assert list(exactness.differences(one, one | {"b": "y"})) == [(".b", math.inf)]
    assert list(exactness.differences({"a": 1e-9}, {"a": 3e-9})) == [(".a", pytest.approx(2e-6))]
