"""I15: a rover digs in far out; what it shows, what helps, and what makes it worse."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mission import incidents
from mission.world import cabin, terrain
from mission.world.engine import World
from mission.world.suit import SPEED
from mission.world.terrain import EDGES
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]
NUMBERS = incidents.find("rover_stuck").numbers
PASS = 0.6
"""Hours to the first relay in the scenarios."""


def test_the_numbers_are_those_of_the_world(fly: Fly) -> None:
    world = fly("rover-stuck", 0.11)
    before = world.truth("rover_1.current", 0.09 * HOUR)
    assert world.truth("rover_1.current") / before == pytest.approx(NUMBERS["current_ratio"])
    assert world.truth("rover_1.slip") == pytest.approx(80.0)
    # 60 % more current for a fifth of the way.
    assert NUMBERS["current_ratio"] / 0.2 == pytest.approx(NUMBERS["energy_ratio_per_km"])
    assert pytest.approx(NUMBERS["haven_hours_on_40_kwh"]) == 40.0 / 0.8
    assert pytest.approx(NUMBERS["walk_hours"], abs=0.05) == 18.0 / (SPEED * 3.6)
    legs = terrain.route(EDGES, terrain.place_at(EDGES, "base"), terrain.place_at(EDGES, "rim"))
    assert sum(leg.length / cabin.pace(leg, 0.5) for leg in legs) / HOUR == pytest.approx(
        NUMBERS["rescue_hours_out"], abs=0.01
    )
    world.advance(30 * HOUR)
    assert world.truth("rover_1.cabin_co2") == pytest.approx(NUMBERS["cabin_settles_mmhg"], abs=0.1)


def test_the_landmarks_tell_of_an_error_the_account_does_not_know(fly: Fly) -> None:
    world = fly("rover-stuck", comms={"first_pass_h": 0.05})
    world.advance(0.11 * HOUR)
    assert world.truth("rover_1.position_error") < 60.0
    result = world.check("odometry_compare", {"rover": "1"})
    assert result.measured["bearing_mismatch"] >= NUMBERS["bearing_deg"] - 3.0
    assert result.measured["track_offset"] > 300.0
    assert result.duration_s == 10 * MINUTE


def test_left_alone_the_wheels_spin_until_the_rule_stops_them(fly: Fly) -> None:
    world = fly("rover-stuck", 3.0)
    stop = next(e for e in world.log() if e["kind"] == "rover" and e["what"] == "stopped")
    assert stop["rule"] == "FR-16"
    assert 18.0 < world.truth("rover_1.distance") < 22.0


def test_right_stop_wait_for_the_fix_and_send_the_other(fly: Fly) -> None:
    world = fly("rover-stuck")
    world.command("board_rover", {"rover": "2", "people": "CM3"})
    world.advance(PASS * HOUR)
    assert world.command("rover_stop", {"rover": "1"}).accepted
    assert world.command("dispatch_rescue", {"rover": "2"}).accepted
    world.advance(9 * HOUR)
    assert world.state()["crew"]["CM1"]["zone"] == "core"
    assert world.truth("rover_2.soc") > 30.0
    assert world.truth("rover_1.soc") > 20.0


def test_in_dust_nobody_is_sent_and_the_haven_holds(fly: Fly) -> None:
    world = fly("rover-stuck-in-dust")
    world.command("board_rover", {"rover": "2", "people": "CM3"})
    world.advance(PASS * HOUR)
    refused = world.command("dispatch_rescue", {"rover": "2"})
    assert (refused.accepted, refused.rule) == (False, "FR-16")
    assert world.command("rover_stop", {"rover": "1"}).accepted
    world.advance(30 * HOUR)
    assert world.state()["eva"]["lost_outside"] == []
    assert world.truth("rover_1.soc") > 10.0


def test_wrong_drive_on(fly: Fly) -> None:
    stopped, driven = fly("rover-stuck", PASS), fly("rover-stuck", PASS)
    stopped.command("rover_stop", {"rover": "1"})
    for world in (stopped, driven):
        world.advance(1.6 * HOUR)
    spent = stopped.truth("rover_1.energy") - driven.truth("rover_1.energy")
    moved = stopped.truth("rover_1.distance") - driven.truth("rover_1.distance")
    assert spent > 5.0
    assert abs(moved) < 2.0


def test_a_dragging_drive_shows_itself_when_lifted(fly: Fly) -> None:
    measured = {}
    for cause in ("soft_ground", "dragging_drive"):
        faults = [{"incident": "rover_stuck", "onset_h": 0.1, "parameters": {"cause": cause}}]
        world = fly("rover-stuck", PASS, incidents=faults)
        world.command("rover_stop", {"rover": "1"})
        measured[cause] = world.check("free_wheel_current", {"rover": "1"}).measured["current"]
    assert measured["soft_ground"] == pytest.approx(12.0, abs=2.0)
    assert measured["dragging_drive"] == pytest.approx(19.2, abs=2.0)
