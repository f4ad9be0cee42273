"""Rovers: drives, fixes, stops, charging, the safe haven, and a rescue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mission.world.engine import CheckRefusedError, World
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]
NEVER = {"first_pass_h": 1000.0}


def away(fly: Fly, scenario: str = "nominal", other: dict[str, Any] | None = None, **changes: Any) -> World:
    """Rover 1 outside with CM1 and CM2; `changes` of its start, or of the scenario where it has such a field."""
    top = {key: changes.pop(key) for key in ("comms", "site", "power") if key in changes}
    start = {"at": "rim", "people": ["CM1", "CM2"]} | changes
    return fly(scenario, rover={"rovers": [start, other or {}]}, **top)


def events(world: World, what: str) -> list[dict[str, Any]]:
    return [event for event in world.log() if event["kind"] == "rover" and event["what"] == what]


def test_a_drive_goes_there_and_home(fly: Fly) -> None:
    world = fly("nominal", comms={"first_pass_h": 4.0})
    assert world.command("rover_drive", {"rover": "1", "to": "rim"}).reason == "nobody can drive rover 1"
    assert world.command("board_rover", {"rover": "1", "people": "CM1,CM2"}).accepted
    world.advance(15 * MINUTE)
    result = world.command("rover_drive", {"rover": "1", "to": "rim"})
    assert result.reason == "rover 1 drives 18.0 km to rim, 2.8 h"
    world.advance(4 * HOUR)
    # 4 km at 8 km/h and 14 km at 6.
    assert events(world, "arrived")[0]["t"] / HOUR == pytest.approx(0.25 + 4 / 8 + 14 / 6, abs=1e-6)
    assert world.truth("rover_1.distance") == 18.0
    assert world.truth("crew.outside") == 2.0
    assert world.command("rover_drive", {"rover": "1", "to": "base"}).accepted
    world.advance(8 * HOUR)
    assert world.state()["crew"]["CM1"] == {"zone": "core", "activity": "nominal"}
    assert world.state()["rover"]["1"]["docked"] is True
    assert world.truth("rover_1.odometer") == pytest.approx(36.0, abs=1e-4)


def test_the_energy_of_a_drive_is_the_sum_of_its_parts(fly: Fly) -> None:
    world = away(fly, at="ridge", driving_to="outcrop", comms=NEVER)
    world.advance(HOUR)
    # 5 km at Crr 0.12, 6 km/h with 1.2 kW, then 0.8 kW standing.
    drive = 5000.0 * 3.721 * 0.12 * 5000.0 / 0.7 / 3.6e6
    assert 100.0 - world.truth("rover_1.energy") == pytest.approx(drive + 1.2 * 5 / 6 + 0.8 / 6, rel=1e-6)


def test_position_error_grows_with_the_way_and_a_fix_resets_it(fly: Fly) -> None:
    world = away(fly, driving_to="camp", comms=NEVER)
    world.advance(29 * MINUTE)
    assert world.truth("rover_1.position_error") == pytest.approx(20.0 + 0.02 * 8000 * 29 / 60)
    world.advance(31 * MINUTE)
    assert world.truth("rover_1.position_error") == pytest.approx(20.0 + 0.02 * 8000 / 60)
    assert events(world, "fix")[0]["t"] == pytest.approx(30 * MINUTE, abs=1e-5)
    assert world.truth("rover_1.position_error", 29 * MINUTE) == pytest.approx(97.33, abs=0.01)


def test_above_tau_3_8_only_a_relay_gives_a_fix_and_that_takes_five_minutes_of_standing(fly: Fly) -> None:
    world = away(fly, at="dunes", driving_to="rim", site={"tau": 4.0}, comms={"first_pass_h": 1.25})
    world.advance(1.25 * HOUR + MINUTE)
    driving = world.fork()
    driving.advance(1.5 * HOUR)
    assert events(driving, "fix") == []
    assert world.command("rover_stop", {"rover": "1"}).accepted
    world.advance(1.5 * HOUR)
    assert [event["t"] for event in events(world, "fix")] == [1.25 * HOUR + 6 * MINUTE]


def test_who_stops_with_less_of_a_pass_left_waits_for_the_next(fly: Fly) -> None:
    world = away(fly, at="dunes", driving_to="rim", site={"tau": 4.0}, comms={"first_pass_h": 1.25})
    world.advance(1.25 * HOUR + 3 * MINUTE)
    assert world.command("rover_stop", {"rover": "1"}).accepted
    window = world.base.part("comms").pass_at_or_after(2 * HOUR)
    world.advance(window.end)
    assert [event["t"] for event in events(world, "fix")] == [window.start + 5 * MINUTE]


def test_the_driver_stops_at_the_battery_floor(fly: Fly) -> None:
    world = away(fly, soc_percent=22.0, driving_to="base", comms=NEVER)
    world.advance(3 * HOUR)
    stop = events(world, "stopped")[0]
    assert stop["why"] == "battery at its floor"
    assert world.truth("rover_1.soc", stop["t"]) == pytest.approx(20.0, abs=1e-6)
    assert world.truth("rover_1.speed") == 0.0


def test_an_empty_battery_is_the_end(fly: Fly) -> None:
    world = away(fly, soc_percent=4.0, comms=NEVER)
    world.advance(6 * HOUR)
    (dead,) = events(world, "dead")
    assert (dead["why"], dead["t"] / HOUR) == ("battery empty", pytest.approx(5.0))
    assert world.state()["eva"]["lost_outside"] == ["CM1", "CM2"]
    assert world.truth("rover_1.soc") == 0.0


def test_beyond_the_horizon_orders_wait_for_a_relay(fly: Fly) -> None:
    world = away(fly, driving_to="camp", comms={"first_pass_h": 0.5})
    refused = world.command("rover_stop", {"rover": "1"})
    assert refused.reason == "rover 1 is beyond local radio; the next relay pass starts in 30 min"
    with pytest.raises(CheckRefusedError, match="beyond local radio"):
        world.check("odometry_compare", {"rover": "1"})
    world.advance(0.5 * HOUR)
    assert world.command("rover_stop", {"rover": "1"}).accepted
    near = away(fly, at="ridge", comms=NEVER)
    assert near.command("rover_drive", {"rover": "1", "to": "base"}).accepted


def test_a_stopped_rover_drives_on_from_where_it_is(fly: Fly) -> None:
    world = away(fly, at="ridge", driving_to="outcrop", comms=NEVER)
    world.advance(30 * MINUTE)
    assert world.command("rover_stop", {"rover": "1"}).accepted
    assert world.command("rover_stop", {"rover": "1"}).reason == "rover 1 stands already"
    assert world.truth("rover_1.distance") == pytest.approx(7.0)
    world.advance(HOUR)
    assert world.truth("rover_1.distance") == pytest.approx(7.0)
    assert world.command("rover_drive", {"rover": "1", "to": "base"}).reason == "rover 1 drives 7.0 km to base, 1.0 h"


def test_the_charger_fills_what_stands_at_the_base(fly: Fly) -> None:
    rovers = {"rovers": [{"soc_percent": 50.0}, {"soc_percent": 95.0}]}
    world = fly("nominal", rover=rovers)
    world.advance(HOUR)
    assert world.truth("rover_1.soc") == 50.0
    world.command("restore_load", {"load": "rover_charge"})
    world.advance(2 * HOUR)
    # 3 kW at 0.949, shared.
    assert world.truth("rover_1.soc") == pytest.approx(50.0 + 1.4235)
    world.advance(8 * HOUR)
    assert world.truth("rover_2.soc") == 100.0
    full = 1 + 5.0 / 1.4235
    assert world.truth("rover_1.soc") == pytest.approx(55.0 + 2.847 * (8 - full), rel=1e-6)
    world.command("shed_load", {"load": "rover_charge"})
    world.advance(9 * HOUR)
    assert world.truth("rover_1.soc") == world.truth("rover_1.soc", 8 * HOUR)


def test_a_rescue_finds_takes_and_brings_home(fly: Fly) -> None:
    world = away(fly, error_m=120.0, comms={"first_pass_h": 3.0, "schedule": 2})
    world.command("board_rover", {"rover": "2", "people": "CM3"})
    world.advance(15 * MINUTE)
    assert world.command("dispatch_rescue", {"rover": "2"}).rule == "FR-16"
    world = away(fly, error_m=120.0, comms={"first_pass_h": 0.25})
    world.command("board_rover", {"rover": "2", "people": "CM3"})
    world.advance(15 * MINUTE)
    assert world.command("dispatch_rescue", {"rover": "2"}).accepted
    world.advance(8 * HOUR)
    # The relay that carried the word fixed the position: 20 m are left, nothing to search.
    assert events(world, "searching")[0]["metres"] == pytest.approx(2 * 3.14159 * 20.0, rel=1e-4)
    found, taken = events(world, "found")[0]["t"], events(world, "taken aboard")[0]
    assert (taken["t"] - found, taken["people"]) == (pytest.approx(30 * MINUTE, abs=1e-5), ["CM1", "CM2"])
    assert {world.state()["crew"][p]["zone"] for p in ("CM1", "CM2", "CM3")} == {"core"}
    assert world.state()["rover"]["1"]["docked"] is False
    assert world.state()["rover"]["1"]["crew"] == []


def test_a_rescue_searches_as_far_as_the_position_is_uncertain(fly: Fly) -> None:
    world = away(fly, comms={"first_pass_h": 0.25})
    world.command("board_rover", {"rover": "2", "people": "CM3"})
    world.advance(20 * MINUTE)
    world.base.part("rover").lose_position("1", 480.0, blind=True)
    assert world.command("dispatch_rescue", {"rover": "2"}).accepted
    world.advance(8 * HOUR)
    assert events(world, "searching")[0]["metres"] == pytest.approx(2 * 3.14159 * 500.0, rel=1e-4)
    search = events(world, "found")[0]["t"] - events(world, "searching")[0]["t"]
    assert search / HOUR == pytest.approx(3.14159 / 8.0, rel=1e-4)


def test_a_rescue_that_finds_nobody_stops(fly: Fly) -> None:
    world = away(fly, at="ridge", comms=NEVER)
    world.command("board_rover", {"rover": "2", "people": "CM3"})
    world.advance(15 * MINUTE)
    assert world.command("dispatch_rescue", {"rover": "2"}).accepted
    world.command("rover_drive", {"rover": "1", "to": "base"})
    world.advance(2 * HOUR)
    assert events(world, "stopped")[0]["why"] == "nobody there"


def test_a_rescue_goes_on_to_a_rover_that_has_moved_but_is_in_sight(fly: Fly) -> None:
    world = away(fly, at="ridge", comms=NEVER)
    world.command("board_rover", {"rover": "2", "people": "CM3"})
    world.advance(15 * MINUTE)
    assert world.command("dispatch_rescue", {"rover": "2"}).accepted
    world.command("rover_drive", {"rover": "1", "to": "outcrop"})
    world.advance(30 * MINUTE)
    world.command("rover_stop", {"rover": "1"})
    world.advance(6 * HOUR)
    # Rover 1 made 1.5 km in a quarter of an hour; by its account it is then within 50 m.
    search = 2 * 3.14159265 * 0.05 / 8.0
    assert events(world, "found")[0]["t"] / HOUR == pytest.approx(0.25 + 0.5 + 0.25 + search, abs=1e-5)
    assert world.state()["crew"]["CM1"]["zone"] == "core"


def test_dispatch_needs_a_driver_and_seats(fly: Fly) -> None:
    world = away(fly, at="ridge", comms=NEVER)
    assert "with a driver" in world.command("dispatch_rescue", {"rover": "2"}).reason
    world.command("board_rover", {"rover": "2", "people": "CM3,CM4,CM5"})
    world.advance(15 * MINUTE)
    assert world.command("dispatch_rescue", {"rover": "2"}).reason == "rover 2 has 4 seats"
    assert world.command("board_rover", {"rover": "2", "people": "CM1"}).reason == "CM1 cannot: away"
    assert world.command("leave_rover", {"rover": "2"}).accepted
    assert world.command("leave_rover", {"rover": "2"}).reason == "nobody is in rover 2"
    assert world.state()["crew"]["CM3"]["zone"] == "core"


def test_a_fix_by_the_sun_needs_a_sun(fly: Fly) -> None:
    bright, dull = (away(fly, at="ridge", error_m=150.0, site={"tau": tau}, comms=NEVER) for tau in (0.5, 4.0))
    for world in (bright, dull):
        assert world.command("take_fix", {"rover": "1"}).accepted
        world.advance(10 * MINUTE)
    assert (bright.truth("rover_1.position_error"), dull.truth("rover_1.position_error")) == (20.0, 150.0)
    assert dull.log()[-1]["result"] == "no sun to take a fix by"
    assert "is at the base" in bright.command("take_fix", {"rover": "2"}).reason


def test_wheels_that_dig_in_and_drives_that_drag_look_alike_until_lifted(fly: Fly) -> None:
    ground, drive = (away(fly, at="ridge", driving_to="outcrop", comms=NEVER) for _ in range(2))
    before = ground.truth("rover_1.current")
    ground.base.part("rover").dig_in("1", 0.8, 0.0)
    drive.base.part("rover").dig_in("1", 0.8, 0.6)
    for world in (ground, drive):
        world.advance(5 * MINUTE)
        assert world.truth("rover_1.current") / before == pytest.approx(1.6)
    measured = [w.check("free_wheel_current", {"rover": "1"}).measured["current"] for w in (ground, drive)]
    assert measured == pytest.approx([12.0, 19.2], abs=2.0)


def test_a_look_at_the_wheels_stops_a_drive_for_three_minutes(fly: Fly) -> None:
    looked, driven = (away(fly, at="ridge", driving_to="outcrop", comms=NEVER) for _ in range(2))
    for world in (looked, driven):
        world.advance(10 * MINUTE)
    looked.check("free_wheel_current", {"rover": "1"})
    assert (looked.truth("rover_1.speed", looked.now - 1.0), looked.truth("rover_1.speed")) == (0.0, pytest.approx(6.0))
    for world in (looked, driven):
        world.advance(2 * HOUR)
    late = [events(world, "arrived")[0]["t"] for world in (looked, driven)]
    assert late[0] - late[1] == pytest.approx(3 * MINUTE, abs=1e-5)


def test_a_check_that_outlasts_the_pass_is_refused(fly: Fly) -> None:
    world = away(fly, comms={"first_pass_h": 0.0})
    world.advance(4 * MINUTE + 1.0)
    with pytest.raises(CheckRefusedError, match="the relay over rover 1 sets in 4 min, and this takes 4"):
        world.check("odometry_compare", {"rover": "1"})
    assert world.check("free_wheel_current", {"rover": "1"}).duration_s == 3 * MINUTE


def test_what_a_rover_says_of_its_way_is_what_its_wheels_rolled(fly: Fly) -> None:
    world = away(fly, at="ridge", driving_to="outcrop", comms=NEVER)
    world.base.part("rover").dig_in("1", 0.75, 0.0)
    world.advance(20 * MINUTE)
    # 2 km rolled from the ridge, 4 km out; a quarter of it was way.
    assert world.truth("rover_1.distance") == pytest.approx(6.0)
    assert world.state()["rover"]["1"]["distance_m"] == pytest.approx(4500.0)
    check = world.check("odometry_compare", {"rover": "1"}).measured
    # After 4 min more 1800 m behind, and nothing off the way.
    assert check["behind_account"] == pytest.approx(1800.0, abs=40.0)
    assert check["off_way"] < 40.0
    world.advance(30 * MINUTE)
    # The sun gives a fix.
    assert world.truth("rover_1.distance") == pytest.approx(4.75, abs=1e-3)
    home = away(fly, at="outcrop", driving_to="base", comms=NEVER)
    home.base.part("rover").dig_in("1", 0.5, 0.0)
    home.advance(20 * MINUTE)
    assert home.truth("rover_1.distance") == pytest.approx(7.0)


def test_out_of_reach_the_last_that_was_heard_is_stale(fly: Fly) -> None:
    world = away(fly, at="ridge", driving_to="outcrop", comms=NEVER)
    world.advance(HOUR)
    # 4.2 km at 6 km/h to the horizon of the mast, 8.23 km out.
    left = (8.2336 - 4.0) / 6.0 * HOUR
    reading = world.read("rover_1.soc")
    assert (reading.quality, reading.note) == ("stale", "out of radio reach since")
    assert left - 62.0 < reading.t_s <= left
    assert reading.value == world.read("rover_1.soc", left - 2.0).value
    assert world.read("rover_1.soc", left - 600.0).quality == "good"
    assert world.read("site.tau").quality == "good"


def test_a_relay_brings_what_was_kept_aboard(fly: Fly) -> None:
    world = away(fly, driving_to="camp", comms={"first_pass_h": 1.0})
    world.advance(HOUR - 1.0)
    assert world.read("rover_1.speed").t_s == 0.0
    assert [r.quality for r in world.history("rover_1.soc", 0.9, 3)] == ["stale"] * 3
    world.advance(HOUR)
    assert [r.quality for r in world.history("rover_1.soc", 0.9, 3)] == ["good"] * 3
    world.advance(HOUR + 8 * MINUTE + 61.0)
    assert world.read("rover_1.soc").t_s == HOUR + 8 * MINUTE


def test_no_landmark_is_seen_by_night(fly: Fly) -> None:
    world = away(fly, at="ridge", site={"ltst_h": 20.0}, comms=NEVER)
    with pytest.raises(CheckRefusedError, match="no landmark can be seen by night"):
        world.check("odometry_compare", {"rover": "1"})
    assert world.check("free_wheel_current", {"rover": "1"}).measured["current"] == pytest.approx(12.0, abs=2.0)


def test_a_night_drive_takes_twice_as_long(fly: Fly) -> None:
    by_day, by_night = (away(fly, at="ridge", site={"ltst_h": hour}, comms=NEVER) for hour in (9.0, 20.0))
    assert by_day.command("rover_drive", {"rover": "1", "to": "base"}).reason.endswith("4.0 km to base, 0.5 h")
    assert by_night.command("rover_drive", {"rover": "1", "to": "base"}).reason.endswith("4.0 km to base, 1.0 h")
    for world in (by_day, by_night):
        world.advance(2 * HOUR)
    assert [events(w, "arrived")[0]["t"] / HOUR for w in (by_day, by_night)] == pytest.approx([0.5, 1.0], abs=1e-6)
    assert [len(events(w, "fix")) for w in (by_day, by_night)] == [1, 0]


def test_the_sunset_is_met_at_the_next_look(fly: Fly) -> None:
    # Sunset is close to 18 h; the driver looks every half hour.
    world = away(fly, at="rim", site={"ltst_h": 17.2}, driving_to="base", comms=NEVER)
    speeds = []
    for minutes in (29, 31, 59, 61):
        world.advance(minutes * MINUTE)
        speeds.append(world.truth("rover_1.speed"))
    assert speeds == pytest.approx([6.0, 6.0, 6.0, 3.0])


def test_a_full_rover_draws_nothing(fly: Fly) -> None:
    world = fly("nominal", rover={"rovers": [{"soc_percent": 99.0}, {}]}, power={"shed": ["isru"]})
    assert world.state()["power"]["loads_kw"]["rover_charge"] == 3.0
    full = 1.0 / 2.847 * HOUR
    world.advance(full - 1.0)
    assert world.state()["power"]["loads_kw"]["rover_charge"] == 3.0
    world.advance(full + 1.0)
    assert world.state()["power"]["loads_kw"]["rover_charge"] == 0.0
    shed = fly("nominal", power={"shed": ["isru", "rover_charge"]})
    assert "rover_charge" not in shed.state()["power"]["loads_kw"]


def test_a_way_steeper_than_the_bound_is_refused(fly: Fly) -> None:
    ways = [{"a": "base", "b": "ridge", "km": 1.0, "slope_deg": 25.0}]
    world = fly("nominal", rover={"ways": ways})
    world.command("board_rover", {"rover": "1", "people": "CM1"})
    world.advance(15 * MINUTE)
    assert world.command("rover_drive", {"rover": "1", "to": "ridge"}).reason == "the way is steeper than 20 degrees"
    assert world.command("rover_drive", {"rover": "1", "to": "camp"}).reason == "no way leads to camp"


def test_places_that_no_way_joins_are_refused(fly: Fly) -> None:
    for ways, lost in (
        ([{"a": "rim", "b": "camp", "km": 1.0}], "base, camp, rim"),
        ([{"a": "base", "b": "ridge", "km": 1.0}, {"a": "rim", "b": "camp", "km": 1.0}], "camp, rim"),
    ):
        with pytest.raises(ValueError, match=f"no way joins {lost} to the base"):
            fly("nominal", rover={"ways": ways})
    with pytest.raises(ValueError, match="no way joins rim to the base"):
        fly("nominal", rover={"ways": [{"a": "base", "b": "ridge", "km": 1.0}], "rovers": [{"at": "rim"}, {}]})


def test_truths_of_earlier_times_stay(fly: Fly) -> None:
    world = away(fly, driving_to="base", comms={"first_pass_h": 0.5})
    names = ("soc", "distance", "position_error", "cabin_co2", "odometer", "current")
    seen = []
    for step in range(1, 16):
        world.advance(step * 13 * MINUTE)
        seen.append([world.truth(f"rover_1.{name}") for name in names])
    again = [[world.truth(f"rover_1.{name}", step * 13 * MINUTE) for name in names] for step in range(1, 16)]
    for one, two in zip(seen, again, strict=True):
        assert one == pytest.approx(two, rel=1e-12, abs=1e-12)


def test_a_drive_is_replayed_and_forked_alike(fly: Fly) -> None:
    world = away(fly, "rover-stuck", driving_to="camp", comms={"first_pass_h": 0.5})
    world.advance(0.55 * HOUR)
    world.check("odometry_compare", {"rover": "1"})
    fork = world.fork()
    for each in (world, fork):
        each.command("board_rover", {"rover": "2", "people": "CM3"})
        each.advance(9 * HOUR)
    rebuilt = World.rebuild(world.scenario, 7, world.commands(), world.now)
    assert world.digest() == fork.digest() == rebuilt.digest()
