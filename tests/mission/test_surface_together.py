"""Incidents of the surface at one time; readings that change nothing; what has been heard of whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission import sensors
from mission.world.contact import last_contact
from mission.world.engine import World
from mission.world.parts import PARTS
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]
BY_RADIO = sorted(name for part in PARTS for name in part.heard)


def everything(fly: Fly, seed: int = 7) -> World:
    """A particle event, a stuck rover, a leaking suit and a wet helmet, under a sky that thickens."""
    planted: list[dict[str, Any]] = [
        {"incident": "solar_particles", "onset_h": 0.2, "parameters": {"dose_mgy": 250, "shelter_fan_fails": True}},
        {"incident": "rover_stuck", "onset_h": 0.1, "parameters": {"rover": "1"}},
        {"incident": "suit_fault", "onset_h": 0.3, "parameters": {"suit": "1", "kind": "leak"}},
        {"incident": "suit_fault", "onset_h": 0.4, "parameters": {"suit": "2", "kind": "water"}},
        {"incident": "suit_fault", "onset_h": 0.4, "parameters": {"suit": "2", "kind": "fan"}},
        {"incident": "dust_storm", "onset_h": 0.0, "parameters": {"kind": "global"}},
    ]
    rovers = {"rovers": [{"at": "rim", "soc_percent": 40.0, "people": ["CM1", "CM2"], "driving_to": "camp"}, {}]}
    outside = {"people": ["CM3", "CM4"], "task": "sampling", "work_h": 4.0}
    crew = [{"id": f"CM{number}", "zone": "core"} for number in range(1, 7)]
    return fly(
        "nominal",
        0.0,
        seed,
        crew=crew,
        incidents=planted,
        rover=rovers,
        eva={"outside": outside},
        comms={"first_pass_h": 0.6},
    )


def orders(world: World) -> None:
    world.advance(0.62 * HOUR)
    assert world.command("rover_stop", {"rover": "1"}).accepted
    assert world.command("recall_eva", {}).accepted
    world.check("free_wheel_current", {"rover": "1"})
    assert world.command("enter_shelter", {"people": "CM5"}).accepted
    assert world.command("board_rover", {"rover": "2", "people": "CM6"}).accepted
    world.advance(20 * HOUR)


def test_incidents_of_the_surface_compose(fly: Fly) -> None:
    world = everything(fly)
    orders(world)
    state = world.state()
    assert [e["incident"] for e in state["incidents"]] == [
        "dust_storm", "rover_stuck", "solar_particles", "suit_fault", "suit_fault", "suit_fault",
    ]  # fmt: skip
    # The pair is back at 1.34 h: the helmet of suit 2 holds 0.6 kg/h of water since 0.4 h, less than drowns.
    assert state["eva"]["lost_outside"] == []
    assert state["eva"]["suits"]["2"]["helmet_water"] == pytest.approx(0.6 * (0.62 + 1.5 / 2.7 - 0.4), abs=0.01)
    assert state["rover"]["1"]["slip"] == 0.8
    # Who sat in the rover has all of the dose, who was recalled as much: neither was in the shelter.
    received = state["radiation"]["dose_mgy"]
    assert received["CM1"] == pytest.approx(received["CM3"])
    assert received["CM5"] < 0.35 * received["CM1"]


def test_a_world_of_everything_is_rebuilt_and_forked_alike(fly: Fly) -> None:
    world = everything(fly)
    world.advance(0.5 * HOUR)
    fork = world.fork()
    for one in (world, fork):
        orders(one)
    rebuilt = World.rebuild(world.scenario, world.seed, world.commands(), world.now)
    assert world.digest() == fork.digest() == rebuilt.digest()


def test_reading_all_of_it_all_the_time_changes_nothing(fly: Fly) -> None:
    read, unread = everything(fly), everything(fly)
    for step in range(1, 40):
        read.advance(step * 11 * MINUTE)
        for channel in BY_RADIO:
            read.read(channel)
            read.history(channel, 3.0, 4)
    unread.advance(read.now)
    assert read.digest() == unread.digest()


def test_the_truth_does_not_depend_on_the_seed(fly: Fly) -> None:
    one, two = everything(fly, 1), everything(fly, 2)
    for world in (one, two):
        world.advance(12 * HOUR)
    assert {**one.state(), "seed": 0} == {**two.state(), "seed": 0}


def test_what_comes_by_radio_is_every_channel_of_suits_and_rovers() -> None:
    away = [c.name for c in sensors.channels() if c.name.startswith(("rover_", "suit_", "eva."))]
    assert sorted(away) == BY_RADIO


@dataclass
class Relays:
    """Passes of ten minutes at given times, and a radio of 8 km."""

    starts: list[float]
    radio_km: float = 8.0

    def last_end(self, t: float) -> float:
        return max((start + 600.0 for start in self.starts if start + 600.0 <= t), default=0.0)

    def reaches(self, t: float, km: float) -> bool:
        return km <= self.radio_km or any(start <= t < start + 600.0 for start in self.starts)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0.0, 20.0), min_size=2, max_size=6),
    st.lists(st.integers(0, 18_000), max_size=3, unique=True),
    st.integers(0, 18_000),
)
def test_the_last_contact_is_what_a_watch_every_second_finds(way: list[float], starts: list[int], t: int) -> None:
    piece = 18_000.0 / (len(way) - 1)

    def km(at: float) -> float:
        index = min(int(at / piece), len(way) - 2)
        return way[index] + (way[index + 1] - way[index]) * (at / piece - index)

    relays = Relays([float(start) for start in starts])
    watched = max((s for s in range(t + 1) if relays.reaches(s, km(s))), default=0)
    found = last_contact(relays, km, [piece * index for index in range(len(way))], float(t))  # type: ignore[arg-type]
    assert watched <= found + 1.0
    assert found <= watched + 2.0
