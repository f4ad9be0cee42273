"""I15: a rover digs in far out; what it shows, what helps, and what makes it worse."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from mission import incidents
from mission.world import cabin, terrain
from mission.world.engine import World
from mission.world.rover_looks import BASELINE
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


def test_what_it_says_of_itself_is_wrong_and_claims_to_be_right(fly: Fly) -> None:
    world = fly("rover-stuck", PASS)
    state = world.state()["rover"]["1"]
    assert state["account_m"] - state["distance_m"] == pytest.approx(NUMBERS["account_ahead_m_in_half_an_hour"])
    assert world.truth("rover_1.position_error") == pytest.approx(NUMBERS["claimed_error_m_in_half_an_hour"])
    assert world.truth("rover_1.distance") == pytest.approx(22.8)
    assert state["position_error_m"] > 3000.0


def test_before_the_pass_nothing_is_known_of_it_and_nobody_told(fly: Fly) -> None:
    world = fly("rover-stuck", 0.55)
    for name in ("distance", "slip", "current", "position_error"):
        reading = world.read(f"rover_1.{name}")
        assert (reading.quality, reading.t_s) == ("stale", 0.0)
    assert not world.command("rover_stop", {"rover": "1"}).accepted


def test_the_landmarks_tell_of_an_error_the_account_does_not_know(fly: Fly) -> None:
    world = fly("rover-stuck", comms={"first_pass_h": 0.05})
    world.advance(0.11 * HOUR)
    assert world.truth("rover_1.position_error") < 60.0
    at_once = math.degrees(math.atan2(NUMBERS["off_way_m"], BASELINE))
    assert at_once == pytest.approx(NUMBERS["bearing_deg"], abs=0.1)
    result = world.check("odometry_compare", {"rover": "1"})
    assert result.measured["bearing_mismatch"] >= NUMBERS["bearing_deg"]
    assert result.measured["off_way"] == pytest.approx(NUMBERS["off_way_m"], abs=30.0)
    # 4.6 min at 8 km/h, four fifths of it lost.
    assert result.measured["behind_account"] == pytest.approx(0.8 * 8000 * 4.6 / 60, abs=30.0)
    assert result.duration_s == 4 * MINUTE


def test_left_alone_the_wheels_spin_until_the_rule_stops_them(fly: Fly) -> None:
    world = fly("rover-stuck", 3.0)
    stop = next(e for e in world.log() if e["kind"] == "rover" and e["what"] == "stopped")
    # 170 m more of account at 2 % are 8.5 km of rolling: 1.06 h. No fix comes to a rover that drives.
    assert (stop["rule"], stop["t"] / HOUR) == ("FR-16", pytest.approx(8.5 / 8.0, abs=1e-5))
    assert world.state()["rover"]["1"]["distance_m"] == pytest.approx(20_340.0, abs=1.0)


def sent(fly: Fly, stop: bool) -> World:
    world = fly("rover-stuck", 0.3)
    world.command("board_rover", {"rover": "2", "people": "CM3"})
    world.advance(PASS * HOUR)
    if stop:
        assert world.command("rover_stop", {"rover": "1"}).accepted
    assert world.command("dispatch_rescue", {"rover": "2"}).accepted
    world.advance(10 * HOUR)
    return world


def test_right_stop_under_the_relay_and_send_the_other(fly: Fly) -> None:
    world = sent(fly, stop=True)
    fix = next(e["t"] for e in world.log() if e["kind"] == "rover" and e["what"] == "fix")
    assert fix == PASS * HOUR + NUMBERS["standing_min_for_a_fix"] * MINUTE
    assert world.state()["crew"]["CM1"]["zone"] == "core"
    assert world.truth("rover_2.soc") > 55.0
    assert world.truth("rover_1.soc") > 20.0
    assert max(world.truth("rover_1.cabin_co2", t * HOUR) for t in range(10)) < 7.6


def test_wrong_let_the_wheels_turn_and_the_rescue_has_to_search(fly: Fly) -> None:
    right, wrong = sent(fly, stop=True), sent(fly, stop=False)
    searched = [
        next(e["metres"] for e in w.log() if e["kind"] == "rover" and e["what"] == "searching") for w in (right, wrong)
    ]
    # 20 m after a fix; 200 m claimed and 320 m unknown without.
    assert searched == pytest.approx([2 * math.pi * 20.0, 2 * math.pi * 520.0], rel=1e-3)
    home = [
        next(e["t"] for e in w.log() if e["kind"] == "rover" and e["what"] == "arrived") / HOUR for w in (right, wrong)
    ]
    assert home[1] - home[0] > 0.4
    assert right.truth("rover_2.soc") - wrong.truth("rover_2.soc") > 5.0


def test_wrong_wait_for_the_next_pass(fly: Fly) -> None:
    world = fly("rover-stuck", PASS)
    world.command("rover_stop", {"rover": "1"})
    world.command("board_rover", {"rover": "2", "people": "CM3"})
    world.advance(2 * HOUR)
    assert not world.command("dispatch_rescue", {"rover": "2"}).accepted
    later = world.base.part("comms").pass_at_or_after(world.now).start
    world.advance(later)
    assert later / HOUR > NUMBERS["hours_to_7_6_mmhg"]
    assert world.command("dispatch_rescue", {"rover": "2"}).accepted
    world.advance(20 * HOUR)
    crossing = next(e["t"] for e in world.log() if e["kind"] == "rover" and e.get("level_mmhg") == 7.6)
    assert crossing / HOUR == pytest.approx(NUMBERS["hours_to_7_6_mmhg"], abs=0.1)
    # By night the driver gets no fix, and stops after two hours without one.
    assert [e["rule"] for e in world.log() if e["kind"] == "rover" and e["what"] == "stopped"][-1] == "FR-16"
    assert world.state()["crew"]["CM1"]["zone"] == "outside"


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
    moved = stopped.state()["rover"]["1"]["distance_m"] - driven.state()["rover"]["1"]["distance_m"]
    # 3.7 km of rolling until FR-16 stops it, for 0.74 km of way.
    assert spent > 3.5
    assert -moved == pytest.approx(740.0, abs=1.0)


def test_a_dragging_drive_shows_itself_when_lifted(fly: Fly) -> None:
    measured = {}
    for cause in ("soft_ground", "dragging_drive"):
        faults = [{"incident": "rover_stuck", "onset_h": 0.1, "parameters": {"cause": cause}}]
        world = fly("rover-stuck", PASS, incidents=faults)
        measured[cause] = world.check("free_wheel_current", {"rover": "1"}).measured["current"]
    assert measured["soft_ground"] == pytest.approx(12.0, abs=2.0)
    assert measured["dragging_drive"] == pytest.approx(19.2, abs=2.0)
