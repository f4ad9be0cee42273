"""People in suits: prebreathe, the lock, the phases of an EVA, redlines, and what the base notices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mission.world import suit
from mission.world.engine import CheckRefusedError, World
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]
PAIR = {"people": "CM1,CM2"}
FULL = {"o2_percent": 100.0}


def ready(fly: Fly, **changes: Any) -> World:
    """A base whose CM1 and CM2 have just prebreathed."""
    world = fly("nominal", **changes)
    assert world.command("begin_prebreathe", PAIR).accepted
    world.advance(40 * MINUTE)
    return world


def out(fly: Fly, task: str = "solar_array", hours: float = 6.0, **changes: Any) -> World:
    world = ready(fly, **changes)
    result = world.command("begin_eva", PAIR | {"task": task, "hours": hours})
    assert result.accepted, result.reason
    return world


def at_work(fly: Fly, work_h: float = 5.0, **eva: Any) -> World:
    outside = {"people": ["CM1", "CM2"], "task": eva.pop("task", "solar_array"), "work_h": work_h, "since_h": 0.0}
    return fly("nominal", eva={"outside": outside} | eva)


def told(world: World, what: str) -> list[float]:
    """Hours at which something was called out of a suit."""
    return [event["t"] / HOUR for event in world.log() if event["kind"] == "suit" and event["what"] == what]


def phases(world: World) -> list[tuple[float, str]]:
    return [(round(e["t"] / MINUTE, 2), e["phase"]) for e in world.log() if e["kind"] == "eva"]


def test_an_eva_goes_out_works_and_comes_home(fly: Fly) -> None:
    world = out(fly, hours=2.0)
    world.advance(4 * HOUR)
    # Hatch at 55 min; 0.3 km at 2.7 km/h are 6.67 min; back at the hatch two hours later.
    assert phases(world) == [
        (55.0, "walk_out"),
        (61.67, "work"),
        (168.33, "walk_back"),
        (175.0, "ingress"),
        (185.0, "inside"),
    ]
    assert world.state()["crew"]["CM1"] == {"zone": "core", "activity": "nominal"}


def test_who_is_outside_does_not_breathe_the_base(fly: Fly) -> None:
    world = out(fly)
    world.advance(2 * HOUR)
    assert world.state()["crew"]["CM1"] == {"zone": "outside", "activity": "away"}
    assert world.read("crew.outside").value == 2.0
    assert (world.truth("crew.core"), world.truth("crew.lab")) == (2.0, 2.0)
    assert sum(world.base.air.config.crew_co2) == pytest.approx(4 * 7.20e-4 / 60)
    assert world.truth("crew.outside", 0.0) == 0.0


def test_sleep_does_not_find_people_outside(fly: Fly) -> None:
    outside = {"people": ["CM1", "CM2"], "task": "solar_array", "work_h": 5.0}
    world = fly("nominal", eva={"outside": outside}, sleep={"start_h": 1.0, "length_h": 2.0})
    world.advance(1.5 * HOUR)
    assert world.state()["crew"]["CM1"]["activity"] == "away"
    assert world.state()["crew"]["CM3"]["activity"] == "sleep"
    refused = world.command("move_crew", {"people": "CM1", "to": "lab"})
    assert (refused.accepted, refused.reason) == (False, "CM1 outside the base")


def test_one_cycle_of_the_lock_loses_its_air(fly: Fly) -> None:
    world = ready(fly)
    before = sum(track.masses(world.now)[2] for track in world.base.air.tracks.values())
    oxygen = world.truth("tank.o2")
    world.command("begin_eva", PAIR | {"task": "antenna", "hours": 1.0})
    for order in ("open_hatch", "equalize_hatch"):
        assert world.command(order, {"hatch": "core-airlock"}).reason == "the airlock is cycling"
    world.advance(world.now + 15 * MINUTE)
    after = sum(track.masses(world.now)[2] for track in world.base.air.tracks.values())
    assert before - after == pytest.approx(2.4, abs=1e-3)
    assert oxygen - world.truth("tank.o2") >= 2 * 0.295
    world.advance(3 * HOUR)
    assert world.state()["leaks"] == []
    # The lock is filled again from the core: 2.4 kg less in 315 m3; make-up then pays for the core.
    assert world.truth("airlock.pressure") == pytest.approx(70.3 * (1.0 - 2.4 / 262.0), abs=0.1)
    assert world.truth("core.pressure") == pytest.approx(70.3, abs=0.05)
    for track in world.base.air.tracks.values():
        assert abs(track.residual(world.now)) < 1e-9


def test_prebreathe_is_owed_and_a_break_is_repaid_twice(fly: Fly) -> None:
    world = fly("nominal")
    eva = world.base.part("eva")
    world.command("begin_prebreathe", {"people": "CM1"})
    world.advance(30 * MINUTE)
    world.command("stop_prebreathe", {"people": "CM1"})
    world.advance(35 * MINUTE)
    assert eva.owed("CM1", world.now) == pytest.approx(20 * MINUTE)
    world.command("begin_prebreathe", {"people": "CM1"})
    world.advance(55 * MINUTE)
    assert eva.owed("CM1", world.now) == pytest.approx(0.0, abs=1e-6)
    world.command("stop_prebreathe", {"people": "CM1"})
    world.advance(2 * HOUR)
    assert eva.owed("CM1", world.now) == 40 * MINUTE


def test_oxygen_meets_its_redline_exactly_and_the_crew_turns(fly: Fly) -> None:
    world = at_work(fly, work_h=7.0)
    world.advance(7 * HOUR)
    (first, second) = told(world, "o2")
    # 0.552 kg at 0.0794 kg/h, less 30 min.
    assert first == second == pytest.approx(0.552 / (0.000254 * 293.07107 + 0.005) - 0.5, rel=1e-9)
    assert phases(world)[0] == (round(first * 60, 2), "walk_back")


def test_turn_back_is_called_out_but_left_to_the_planners(fly: Fly) -> None:
    world = at_work(fly, work_h=5.0, distance_km={"sampling": 4.0}, task="sampling")
    world.advance(4 * HOUR)
    turn = told(world, "turn_back")[0]
    eva = world.base.part("eva")
    assert eva.distance(world.now) == 4000.0
    # (0.552 - 0.0794 t) / 0.1241 - 0.5 = 4 / 2.7
    use, walk = 0.000254 * 293.07107 + 0.005, 0.000254 * 468.9137 + 0.005
    assert turn == pytest.approx((0.552 - walk * (4.0 / 2.7 + 0.5)) / use, rel=1e-6)


def test_who_heeds_turn_back_comes_home_with_the_reserve(fly: Fly) -> None:
    world = at_work(fly, work_h=5.0, distance_km={"sampling": 4.0}, task="sampling")
    while not told(world, "turn_back"):
        world.advance(world.now + 60.0)
    world.command("recall_eva", {})
    world.advance(world.now + 4.0 / 2.7 * HOUR - 60.0)
    assert not told(world, "o2")
    assert world.truth("suit_1.o2") == pytest.approx(0.062, abs=0.004)


def test_who_stays_out_too_long_is_lost_and_the_other_walks_on(fly: Fly) -> None:
    suits = [{"o2_percent": 20.0}, FULL]
    world = at_work(fly, work_h=5.0, distance_km={"sampling": 5.0}, task="sampling", suits=suits)
    world.advance(4 * HOUR)
    assert world.state()["crew"]["CM1"] == {"zone": "outside", "activity": "lost"}
    assert world.state()["crew"]["CM2"] == {"zone": "core", "activity": "nominal"}
    assert world.state()["eva"]["lost_outside"] == ["CM1"]
    assert not world.command("service_suit", {"suit": "1"}).accepted


def test_the_secondary_pack_lasts_half_an_hour(fly: Fly) -> None:
    world = at_work(fly)
    assert world.command("suit_purge", {"suit": "1", "on": True}).accepted
    world.advance(29 * MINUTE)
    assert world.truth("suit_1.o2") == 0.552
    assert world.truth("suit_1.secondary") == pytest.approx(1.18 / 30)
    world.advance(31 * MINUTE)
    assert world.truth("suit_1.secondary") == 0.0
    assert world.truth("suit_1.o2") < 0.552
    assert world.command("suit_purge", {"suit": "1", "on": True}).reason == "the secondary pack is empty"


def test_at_the_unconditional_mark_the_wearer_purges(fly: Fly) -> None:
    world = at_work(fly, distance_km={"sampling": 4.0}, task="sampling")
    world.base.part("eva").weaken_fan("1", 20.0)
    world.advance(40 * MINUTE)
    assert told(world, "co2 8.0") == [pytest.approx(20 / 60, abs=1e-6)]
    assert world.state()["eva"]["excursion"]["phase"] == "walk_back"
    assert told(world, "co2 12.4")
    assert world.state()["eva"]["suits"]["1"]["purge"] is True
    assert world.truth("suit_1.co2") == 0.2


def test_a_dry_sublimator_heats_its_wearer(fly: Fly) -> None:
    suits = [{"water_percent": 5.0}, FULL]
    world = at_work(fly, suits=suits, distance_km={"sampling": 4.0}, task="sampling")
    world.advance(3 * HOUR)
    water = told(world, "water")[0]
    assert water == pytest.approx(0.225 / 0.5696, rel=0.01)
    assert told(world, "overheated")[0] - water == pytest.approx(316e3 / (468.9 + 93.0) / HOUR, rel=1e-3)


def test_a_dead_battery_stops_the_fan(fly: Fly) -> None:
    suits = [{"battery_percent": 20.0}, FULL]
    world = at_work(fly, suits=suits, distance_km={"sampling": 5.0}, task="sampling")
    world.advance(1.6 * HOUR)
    assert told(world, "battery") == [pytest.approx(0.1 * 500 / 65, rel=1e-9)]
    assert world.truth("suit_1.battery") == 0.0
    assert world.truth("suit_1.fan") == 2.5
    assert told(world, "co2 12.4")[0] == pytest.approx(0.2 * 500 / 65, rel=1e-6)


def test_a_slow_pace_saves_oxygen(fly: Fly) -> None:
    world = at_work(fly)
    before = world.truth("suit_1.o2_rate")
    world.command("set_eva_pace", {"pace": "slow"})
    assert world.truth("suit_1.o2_rate") == pytest.approx(0.0571, abs=0.001)
    assert before == pytest.approx(0.0794, abs=0.0002)
    world.command("set_eva_pace", {"pace": "normal"})
    assert world.truth("suit_1.o2_rate") == before


def test_without_radio_an_eva_cannot_be_recalled_and_its_suits_are_stale(fly: Fly) -> None:
    outside = {"people": ["CM1", "CM2"], "task": "sampling", "work_h": 2.0, "since_h": 0.0}
    # A mast of 0.15 m: the horizon is 1.01 km away.
    world = fly("nominal", eva={"outside": outside}, comms={"mast_m": 0.15, "first_pass_h": 1.0})
    world.advance(30 * MINUTE)
    refused = world.command("recall_eva", {})
    assert refused.reason == "the people in suits are beyond local radio; the next relay pass starts in 30 min"
    assert not world.command("suit_purge", {"suit": "1", "on": True}).accepted
    with pytest.raises(CheckRefusedError, match="beyond local radio"):
        world.check("suit_pressure_decay", {"suit": "1"})
    assert (world.read("suit_1.o2").quality, world.read("suit_1.o2").t_s) == ("stale", 0.0)
    assert world.read("crew.outside").quality == "good"
    world.advance(HOUR)
    assert world.read("suit_1.o2").quality == "good"
    assert world.command("recall_eva", {}).accepted
    # 0.49 km on the way back they are within the horizon again.
    world.advance(HOUR + 12 * MINUTE)
    assert world.read("suit_1.o2").quality == "good"


def test_who_purges_beyond_the_reach_of_the_rest_has_passed_the_turn_back() -> None:
    held = suit.Stores(o2=0.03)
    sealed = suit.Suit(t0=5.0, stores=held, worn=True, watts=100.0, purge=True)
    # 0.03 kg are 0.24 h at 1600 Btu/h: less than the half hour of reserve.
    assert suit.turn_back(sealed, 0.0, 0.0) == 5.0


def test_recall_from_the_lock_goes_straight_back(fly: Fly) -> None:
    world = out(fly)
    world.advance(world.now + 5 * MINUTE)
    assert world.command("recall_eva", {}).accepted
    assert world.command("recall_eva", {}).reason == "they are on the way back already"
    world.advance(2 * HOUR)
    assert phases(world) == [(45.0, "ingress"), (55.0, "inside")]
    assert world.state()["leaks"] == []
    assert world.command("recall_eva", {}).reason == "nobody is outside in a suit"


def test_a_serviced_suit_is_full_and_the_tank_pays(fly: Fly) -> None:
    world = out(fly, hours=2.0)
    world.advance(4 * HOUR)
    oxygen, used = world.truth("tank.o2"), 0.552 - world.truth("suit_1.o2")
    assert world.command("service_suit", {"suit": "1"}).accepted
    assert world.command("service_suit", {"suit": "1"}).reason == "suit 1 is being serviced"
    assert "service_suit" in str(world.state()["power"]["loads_kw"])
    world.advance(8 * HOUR)
    assert world.truth("suit_1.o2") == 0.552
    assert oxygen - world.truth("tank.o2") >= used - 1e-9
    assert world.truth("suit_2.o2") < 0.552


def test_a_suit_gets_no_more_oxygen_than_the_tank_has(fly: Fly) -> None:
    empty = {"o2_percent": 0.0}
    world = fly("nominal", eva={"suits": [empty, empty]}, design={"o2_kg": 0.6}, makeup="off")
    for name in ("1", "2"):
        world.command("service_suit", {"suit": name})
        world.advance(world.now + 4 * HOUR)
    assert world.truth("suit_1.o2") == pytest.approx(0.552)
    assert world.truth("suit_2.o2") == pytest.approx(0.048)
    assert world.truth("tank.o2") == 0.0
    assert "the oxygen tank is empty" in str([e for e in world.log() if e["kind"] == "completed"])


def test_the_decay_check_stops_work_and_tells_a_leak(fly: Fly) -> None:
    world = at_work(fly)
    sound = world.check("suit_pressure_decay", {"suit": "1"})
    world.base.part("eva").leak("1", 0.05)
    leaking = world.check("suit_pressure_decay", {"suit": "1"})
    assert sound.measured["pressure_change"] == pytest.approx(-2.77, abs=0.2)
    assert leaking.measured["pressure_change"] == pytest.approx(-6.66, abs=0.2)
    assert leaking.nominal["pressure_change"] == pytest.approx(-2.77, abs=0.01)
    assert (sound.duration_s, world.now) == (180.0, 360.0)
    assert world.truth("suit_1.metabolic", 90.0) == 120.0
    assert world.truth("suit_1.metabolic") == pytest.approx(293.07, abs=0.01)
    with pytest.raises(ValueError, match="suit must be one of 1, 2"):
        world.check("suit_pressure_decay", {"suit": "3"})


def test_truths_of_earlier_times_stay(fly: Fly) -> None:
    world = out(fly, hours=3.0)
    seen = []
    for minutes in range(45, 240, 15):
        world.advance(minutes * MINUTE)
        seen.append(
            [world.truth(f"suit_1.{name}") for name in ("o2", "co2", "metabolic")] + [world.truth("eva.distance")]
        )
    again = [
        [world.truth(f"suit_1.{name}", m * MINUTE) for name in ("o2", "co2", "metabolic")]
        + [world.truth("eva.distance", m * MINUTE)]
        for m in range(45, 240, 15)
    ]
    assert again == seen


def test_an_eva_is_replayed_and_forked_alike(fly: Fly) -> None:
    world = out(fly, hours=3.0)
    world.advance(2 * HOUR)
    world.check("suit_pressure_decay", {"suit": "2"})
    fork = world.fork()
    for each in (world, fork):
        each.command("recall_eva", {})
        each.advance(5 * HOUR)
    rebuilt = World.rebuild(world.scenario, 7, world.commands(), world.now)
    assert world.digest() == fork.digest() == rebuilt.digest()


def test_an_unknown_person_outside_is_refused(fly: Fly) -> None:
    outside = {"people": ["CM9"], "task": "antenna", "work_h": 1.0}
    with pytest.raises(ValueError, match="'CM9' is outside and not in the crew; there are CM1, CM2"):
        fly("nominal", eva={"outside": outside})
