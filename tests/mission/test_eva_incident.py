"""I14: a leak, hard work and a weak fan do what the incident says, and can be told apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mission import incidents
from mission.reports import reports
from mission.world.engine import World
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]
NUMBERS = incidents.find("suit_fault").numbers
SCENARIOS = ("suit-leak", "suit-hard-work", "suit-weak-fan")


def at_work(fly: Fly, **parameters: object) -> World:
    outside = {"people": ["CM1", "CM2"], "task": "solar_array", "work_h": 6.9}
    faults = [{"incident": "suit_fault", "onset_h": 0.0, "parameters": parameters}]
    return fly("nominal", eva={"outside": outside}, incidents=faults if parameters else [])


def test_the_numbers_are_those_of_the_world(fly: Fly) -> None:
    kinds = {"sound": {}, "leak": {"kind": "leak"}, "work": {"kind": "work"}}
    for name, parameters in kinds.items():
        world = at_work(fly, **parameters)
        rate = world.truth("suit_1.o2_rate")
        assert rate == pytest.approx(NUMBERS[f"{name}_o2_kg_h"], rel=0.005)
        assert 0.552 / rate == pytest.approx(NUMBERS[f"{name}_hours_of_o2"], rel=0.01)
    assert at_work(fly, kind="leak").truth("suit_1.heart_rate") == pytest.approx(
        NUMBERS["leak_heart_rate_bpm"], abs=1.5
    )
    assert at_work(fly, kind="work").truth("suit_1.heart_rate") == pytest.approx(
        NUMBERS["work_heart_rate_bpm"], abs=1.5
    )
    assert pytest.approx(NUMBERS["secondary_reach_km"]) == 0.5 * 2.7


def test_a_weak_fan_fills_the_helmet_in_forty_minutes(fly: Fly) -> None:
    world = at_work(fly, kind="fan")
    world.advance(HOUR)
    mark = next(e for e in world.log() if e["kind"] == "suit" and e.get("level_mmhg") == 8.0)
    assert mark["t"] / MINUTE == pytest.approx(NUMBERS["fan_minutes_to_8_mmhg"], abs=1e-6)
    assert world.truth("suit_1.fan", 30 * MINUTE) < 15.0


def test_a_spent_canister_does_the_same_at_full_fan_speed(fly: Fly) -> None:
    world = at_work(fly, kind="scrubber")
    world.advance(HOUR)
    mark = next(e for e in world.log() if e["kind"] == "suit" and e.get("level_mmhg") == 8.0)
    assert mark["t"] / MINUTE == pytest.approx(NUMBERS["fan_minutes_to_8_mmhg"], abs=1e-6)
    assert world.truth("suit_1.fan", 39 * MINUTE) == 25.0
    # Its count has the canister at nine tenths of its capacity, and it is at a fiftieth.
    assert world.truth("suit_1.scrubber", 39 * MINUTE) == pytest.approx(91.0, abs=0.5)
    assert world.truth("suit_1.o2_rate", 39 * MINUTE) == pytest.approx(NUMBERS["sound_o2_kg_h"], rel=0.005)
    world.advance(3 * HOUR)
    world.command("service_suit", {"suit": "1"})
    world.advance(8 * HOUR)
    assert world.state()["eva"]["suits"]["1"]["spent_kg"] == 0.0


def said_of(world: World, person: str) -> str:
    return next(r.text for r in reports(world, "crew") if r.author == person and "by radio" in r.basis)


def test_water_in_a_helmet_is_felt_and_kills(fly: Fly) -> None:
    world = at_work(fly, kind="water")
    world.advance((NUMBERS["water_felt_min"] - 1) * MINUTE)
    assert said_of(world, "CM1") == "CM1 in suit 1, outside. All well."
    world.advance((NUMBERS["water_felt_min"] + 1) * MINUTE)
    assert said_of(world, "CM1") == (
        "CM1 in suit 1, outside. Cold water at the back of the head; the drink bag, perhaps."
    )
    assert said_of(world, "CM2") == "CM2 in suit 2, outside. All well."
    lost = NUMBERS["water_drowned_min"] * MINUTE
    world.advance(2 * HOUR)
    (end,) = [e["t"] for e in world.log() if e["kind"] == "suit" and e["what"] == "drowned"]
    assert end == pytest.approx(lost, abs=1e-5)
    assert world.state()["eva"]["lost_outside"] == ["CM1"]


def test_the_feedwater_tells_a_helmet_from_a_drink_bag(fly: Fly) -> None:
    wet, dry = at_work(fly, kind="water"), at_work(fly)
    for world in (wet, dry):
        world.advance(30 * MINUTE)
    assert dry.truth("suit_1.water") - wet.truth("suit_1.water") == pytest.approx(0.3)
    for name in ("o2_rate", "co2", "fan", "heart_rate", "pressure", "scrubber"):
        assert wet.truth(f"suit_1.{name}") == dry.truth(f"suit_1.{name}")


def test_right_and_wrong_with_water_in_the_helmet(fly: Fly) -> None:
    for recall_h, lost in ((0.6, []), (1.6, ["CM1"]), (None, ["CM1"])):
        world = fly("suit-water", recall_h or 0.6)
        if recall_h is not None:
            assert world.command("recall_eva", {}).accepted
        world.advance(6 * HOUR)
        assert world.state()["eva"]["lost_outside"] == lost
        assert world.state()["crew"]["CM2"]["zone"] == "core"


def test_who_is_out_of_reach_says_nothing(fly: Fly) -> None:
    outside = {"people": ["CM1", "CM2"], "task": "sampling", "work_h": 4.0, "since_h": 0.0}
    rover = {"rovers": [{"at": "rim", "people": ["CM3"]}, {"at": "ridge", "people": ["CM4"]}]}
    world = fly("nominal", 0.1, eva={"outside": outside}, rover=rover, comms={"mast_m": 2.5, "first_pass_h": 1.0})
    spoke = {r.author for r in reports(world, "crew") if "by radio" in r.basis}
    assert spoke == {"CM1", "CM2", "CM4"}
    world.advance(1.05 * HOUR)
    assert said_of(world, "CM3") == "CM3 in rover 1, away. All well."


def test_the_decay_check_tells_a_leak_from_work(fly: Fly) -> None:
    leak, work = (
        at_work(fly, kind=kind).check("suit_pressure_decay", {"suit": "1"}).measured["pressure_change"]
        for kind in ("leak", "work")
    )
    assert leak == pytest.approx(NUMBERS["leak_decay_kpa"], abs=0.2)
    assert work == pytest.approx(NUMBERS["sound_decay_kpa"], abs=0.2)


def test_right_recall_at_once_and_both_come_home(fly: Fly) -> None:
    world = fly("suit-leak", 0.75)
    assert world.command("recall_eva", {}).accepted
    world.advance(3 * HOUR)
    assert world.state()["eva"]["lost_outside"] == []
    assert world.state()["crew"]["CM1"]["zone"] == "core"
    assert world.truth("suit_1.o2") > 0.062


def test_wrong_slow_down_with_a_leak(fly: Fly) -> None:
    for name, untouched in (("suit-leak", False), ("suit-hard-work", True)):
        world = fly(name, 0.75)
        world.command("set_eva_pace", {"pace": "slow"})
        world.advance(5 * HOUR)
        # With a leak the primary runs dry on the way home, and the secondary pack is all that is left.
        assert (world.truth("suit_1.secondary") == 1.18) is untouched
        assert (world.truth("suit_1.o2") > 0.05) is untouched


def test_wrong_open_the_secondary_pack_early(fly: Fly) -> None:
    world = fly("suit-leak", 0.5)
    world.command("suit_purge", {"suit": "1", "on": True})
    world.advance(5 * HOUR)
    lost = next(e["t"] for e in world.log() if e["kind"] == "suit" and e["what"] == "out of oxygen")
    assert world.state()["eva"]["lost_outside"] == ["CM1"]
    assert lost < 3.5 * HOUR


def test_wrong_do_nothing_and_one_is_lost(fly: Fly) -> None:
    world = fly("suit-leak", 6.0)
    assert world.state()["eva"]["lost_outside"] == ["CM1"]


def test_no_reading_names_the_fault(fly: Fly) -> None:
    for name in SCENARIOS:
        world = fly(name, 0.75)
        for channel in ("suit_1.o2", "suit_1.o2_rate", "suit_2.co2", "suit_2.fan"):
            assert world.read(channel).note == ""
    leak, work = (fly(name, 0.75) for name in ("suit-leak", "suit-hard-work"))
    rates = [world.truth("suit_1.o2_rate") for world in (leak, work)]
    # The rate alone is within 5 %: it takes heart rate, metabolic power or the decay check.
    assert rates[0] == pytest.approx(rates[1], rel=0.05)
