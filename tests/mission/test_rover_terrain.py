"""The ground: energy by the published formula, and the shortest way from any point to any other."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.world import cabin, terrain
from mission.world.cabin import BATTERY, Rover
from mission.world.terrain import EDGES, Edge, Place
from mission.world.units import HOUR, KWH

BASE = terrain.place_at(EDGES, "base")


def test_energy_is_that_of_the_study() -> None:
    per_km = [terrain.energy(4000.0, crr, 0.0, 1000.0) / 3600.0 for crr in (0.08, 0.15, 0.25)]
    assert per_km == pytest.approx([473.0, 886.0, 1477.0], abs=1.0)
    climb = terrain.energy(4000.0, 0.08, 5.0, 1000.0) / 3600.0 - per_km[0]
    assert climb == pytest.approx(510.0, abs=5.0)
    assert terrain.energy(4000.0, 0.08, -10.0, 1000.0) == 0.0


def test_the_rim_is_eighteen_kilometres_away() -> None:
    legs = terrain.route(EDGES, BASE, terrain.place_at(EDGES, "rim"))
    assert [(leg.edge.a, leg.edge.b) for leg in legs] == [("base", "ridge"), ("ridge", "outcrop"), ("outcrop", "rim")]
    assert terrain.length(legs) == 18000.0
    assert [leg.slope for leg in terrain.route(EDGES, terrain.place_at(EDGES, "rim"), BASE)] == [-1.0, -0.0, -1.0]


def test_a_place_without_a_way_is_refused() -> None:
    lone = (Edge(a="base", b="ridge", km=1.0), Edge(a="rim", b="camp", km=1.0))
    with pytest.raises(ValueError, match="there is no way"):
        terrain.route(lone, terrain.place_at(lone, "base"), terrain.place_at(lone, "camp"))
    with pytest.raises(ValueError, match="no way leads to dunes"):
        terrain.place_at(lone, "dunes")


places = st.sampled_from(EDGES).flatmap(lambda e: st.floats(0.0, 1000.0 * e.km).map(lambda along: Place(e, along)))


@settings(max_examples=80, deadline=None)
@given(places, places, places)
def test_ways_are_joined_up_and_short(start: Place, goal: Place, other: Place) -> None:
    legs = terrain.route(EDGES, start, goal)
    there, back = terrain.length(legs), terrain.length(terrain.route(EDGES, goal, start))
    assert there == pytest.approx(back, abs=1e-6)
    around = sum(terrain.length(terrain.route(EDGES, a, b)) for a, b in pairwise((start, other, goal)))
    assert there <= around + 1e-6
    for one, two in pairwise(legs):
        assert terrain.node_of(one.place(one.length)) == terrain.node_of(Place(two.edge, two.start))


def test_two_people_fill_an_unscrubbed_cabin_as_published() -> None:
    rover = Rover(0.0, BASE, crew=("A", "B"), docked=False, fan=1e-9)
    assert cabin.ppco2(rover, HOUR) == pytest.approx(3.3, abs=0.05)
    assert cabin.ppco2(Rover(0.0, BASE, crew=("A",) * 4, docked=False, fan=1e-9), HOUR) == pytest.approx(6.7, abs=0.1)


def test_the_cabin_reaches_a_mark_when_it_is_said() -> None:
    rover = Rover(0.0, BASE, crew=("A", "B"), docked=False, fan=0.3)
    when = cabin.co2_time(rover, 7.6)
    assert when is not None
    assert cabin.ppco2(rover, when) == pytest.approx(7.6, rel=1e-12)
    assert cabin.co2_time(rover, 15.0) is None


def test_a_quiet_rover_lasts_fifty_hours_on_forty_kilowatt_hours() -> None:
    rover = Rover(0.0, BASE, energy=40.0 * KWH, crew=("A", "B"), docked=False)
    assert min(cabin.ends(rover)) / HOUR == pytest.approx(50.0)
    full = Rover(0.0, BASE, energy=BATTERY, crew=("A", "B"), docked=False)
    assert sorted(t / HOUR for t in cabin.ends(full)) == pytest.approx([72.0, 125.0])


def test_dust_slows_and_stops() -> None:
    firm = terrain.route(EDGES, BASE, terrain.place_at(EDGES, "ridge"))[0]
    kmh = [cabin.pace(firm, tau) * 3.6 for tau in (0.5, 3.0, 3.1, 6.0, 6.1)]
    assert kmh == pytest.approx([8.0, 8.0, 4.0, 4.0, 0.0])
    assert math.isinf(cabin.cost([firm], 7.0))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(1.0, 900.0), min_size=1, max_size=5), st.floats(0.0, 0.9))
def test_telling_a_drive_in_pieces_changes_nothing(pieces: list[float], slip: float) -> None:
    leg = terrain.route(EDGES, terrain.place_at(EDGES, "outcrop"), terrain.place_at(EDGES, "rim"))[0]
    moving = Rover(0.0, BASE, crew=("A", "B"), docked=False, leg=leg, wheels=1.5, slip=slip, traction=5000.0)
    split, t = moving, 0.0
    for piece in pieces:
        t += piece
        split = cabin.advanced(split, t)
    whole = cabin.advanced(moving, t)
    for name in ("energy", "odometer", "estimate", "drift", "driven", "co2", "haven"):
        assert getattr(split, name) == pytest.approx(getattr(whole, name), rel=1e-10)
    assert split.place.along == pytest.approx(whole.place.along, rel=1e-10)
