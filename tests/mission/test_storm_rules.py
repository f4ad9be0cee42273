"""FR-17 to FR-20: every number that the base enforces, tried in the world."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from mission import rules
from mission.world.battery_orders import POSTURES, posture_load
from mission.world.engine import World
from mission.world.power import DEFERRABLE
from mission.world.units import HOUR, KW, MINUTE
from mission.world.weather import SOL

Fly = Callable[..., World]


def events(world: World, kind: str) -> list[dict[str, Any]]:
    return [event for event in world.log() if event["kind"] == kind]


@pytest.mark.enforces("FR-19", "floor")
def test_fr_19_the_battery_gives_nothing_at_its_floor(fly: Fly) -> None:
    world = fly("nominal", 20.0, power={"battery_percent": 25.0, "shed": ["isru"]})
    shed = events(world, "shed")[0]
    assert world.truth("battery.soc", shed["t"]) == pytest.approx(20.0, abs=1e-4)
    assert shed["why"] == "battery at its floor"
    assert world.truth("battery.soc") >= 20.0 - 1e-6


@pytest.mark.enforces("FR-19", "trip")
def test_fr_19_a_wrong_gauge_ends_at_the_trip(fly: Fly) -> None:
    world = fly("battery-gauge", 24.0)
    trip = events(world, "shed")[0]
    assert world.truth("battery.soc", trip["t"]) == pytest.approx(rules.number("FR-19", "trip"), abs=1e-4)
    assert set(trip["loads"]) == set(DEFERRABLE) - {"suit_recharge", "rover_charge", "isru"}


@pytest.mark.enforces("FR-19", "cold", "plating")
def test_fr_19_charging_cold_costs_capacity_once_a_sol(fly: Fly) -> None:
    world = fly("battery-cold", 20.0)
    plated = events(world, "plating")
    assert len(plated) == 1
    assert plated[0]["temperature_c"] < 0.0
    assert world.truth("battery.net", plated[0]["t"] + 1.0) > 0.0
    assert world.truth("battery.net", plated[0]["t"] - 1.0) < 0.0
    assert world.state()["power"]["capacity_kwh"] == pytest.approx(120.0 * 0.97)


def test_fr_19_who_charges_cold_for_days_pays_each_sol(fly: Fly) -> None:
    cold = [{"incident": "battery_fault", "onset_h": 1.0, "parameters": {"kind": "cold"}}]
    world = fly("nominal", 60.0, incidents=cold, power={"battery_percent": 20.0})
    times = [event["t"] for event in events(world, "plating")]
    assert times[0] == HOUR
    assert [later - sooner for sooner, later in pairwise(times)] == pytest.approx([SOL, SOL], abs=1e-5)
    assert world.state()["power"]["capacity_kwh"] == pytest.approx(120.0 * 0.97**3)


def test_fr_19_charging_warm_costs_nothing(fly: Fly) -> None:
    warm = [{"incident": "battery_fault", "onset_h": 0.0, "parameters": {"kind": "cold", "cells_c": 4.9}}]
    world = fly("battery-cold", 5.5, incidents=warm)
    assert world.truth("battery.temperature") > 0.0
    assert not events(world, "plating")


def test_fr_19_an_inhibit_is_not_lifted_below_zero(fly: Fly) -> None:
    world = fly("battery-cold", 1.0)
    assert world.command("charge_inhibit", {"on": True}).accepted
    refused = world.command("charge_inhibit", {"on": False})
    assert (refused.accepted, refused.rule) == (False, "FR-19")
    assert refused.reason.endswith("below 0: charging stays inhibited")
    world.advance(12 * HOUR)
    assert not events(world, "plating")
    assert world.state()["power"]["curtailed_kwh"] > 0.0


@pytest.mark.enforces("FR-19", "rest")
def test_fr_19_a_rest_takes_its_time(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    assert world.check("ocv_rest", {}).duration_s == rules.number("FR-19", "rest") * MINUTE


@pytest.mark.enforces("FR-19", "charge", "discharge")
def test_fr_19_the_cells_take_a_third_and_give_all_of_their_charge_in_an_hour(fly: Fly) -> None:
    world = fly("nominal", 6.0, solar={"area_m2": 600.0}, power={"battery_percent": 20.0})
    power = world.base.power
    most = max(power.segment(minute * 60.0).stored(minute * 60.0) for minute in range(360))
    assert most == pytest.approx(120.0 * KW / rules.number("FR-19", "charge"))
    weak = fly(
        "nominal", 0.1, power={"fission_kw": 0.0, "battery_kwh": 5.0, "shed": list(DEFERRABLE)}, oga_kg_per_day=9.2
    )
    given = -weak.base.power.segment(0.0).terms.limits[1]
    assert given == pytest.approx(-5.0 * KW / rules.number("FR-19", "discharge") * 0.949)
    assert weak.truth("power.load") * KW <= -given


@pytest.mark.enforces("FR-19", "stiff")
def test_fr_19_cells_below_minus_twenty_give_nothing(fly: Fly) -> None:
    """Without a heater they are there after some 40 h; the base must live on what comes in."""
    world = fly("nominal", 0.0, power={"shed": ["isru", "rover_charge", "plant_lamps"]})
    world.command("battery_heater", {"heater": "off"})
    world.advance(60 * HOUR)
    stiff = next(event for event in events(world, "battery_cells") if event.get("too_cold_to_give"))
    assert stiff["temperature_c"] == pytest.approx(rules.number("FR-19", "stiff"), abs=1e-6)
    assert 30.0 < stiff["t"] / HOUR < 50.0
    held = world.truth("battery.soc", stiff["t"])
    assert held > 25.0
    assert world.truth("battery.soc") >= held
    assert world.truth("power.load") <= world.truth("power.fission")
    assert events(world, "shed")[0]["t"] == stiff["t"]
    world.command("battery_heater", {"heater": "A"})
    world.advance(90 * HOUR)
    assert events(world, "battery_cells")[-1]["too_cold_to_give"] is False


@pytest.mark.enforces("FR-19", "deep")
def test_fr_19_below_the_floor_for_two_hours_once(fly: Fly) -> None:
    world = fly("nominal", 0.0, power={"fission_kw": 5.0, "battery_percent": 20.0, "shed": list(DEFERRABLE[:7])})
    assert events(world, "brown_out")[0]["t"] == 0.0
    assert world.command("deep_discharge", {"on": True}).accepted
    for order in (("set_oga", {"kg_per_day": 4.92}), ("start_bed", {"unit": "A"})):
        assert world.command(*order).accepted
    assert not world.command("deep_discharge", {"on": True}).accepted
    world.advance(2 * HOUR - 1.0)
    assert world.truth("oga.rate") == pytest.approx(4.92)
    assert world.truth("battery.soc") < 20.0
    world.advance(2 * HOUR + 1.0)
    assert world.truth("oga.rate") == 0.0
    refused = world.command("deep_discharge", {"on": True})
    assert (refused.accepted, refused.rule) == (False, "FR-19")
    world.advance(30 * HOUR)
    assert world.command("deep_discharge", {"on": True}).accepted is (world.truth("battery.soc") > 20.0)


def test_fr_19_a_trip_stops_the_pumps_and_one_restart_brings_them_back(fly: Fly) -> None:
    world = fly("battery-gauge", 17.8)
    stood = [e for e in events(world, "coolant") if e["event"] == "pump without power"]
    assert [e["loop"] for e in stood] == ["a", "b"]
    assert stood[0]["t"] == events(world, "shed")[0]["t"]
    for loop in ("a", "b"):
        assert world.command("restart_pump", {"loop": loop}).accepted
    world.advance(world.now + 5 * MINUTE)
    assert world.truth("loop_a.flow") == world.truth("loop_b.flow") == 414.0


def test_fr_19_bare_survival_is_what_it_says(fly: Fly) -> None:
    world = fly("nominal", 0.0)
    world.command("set_posture", {"posture": "survival"})
    world.command("stop_bed", {"unit": "A"})
    world.command("set_oga", {"kg_per_day": 0.0})
    assert 0.9 * rules.number("FR-19", "bare") < world.truth("power.load") <= rules.number("FR-19", "bare")


def test_fr_19_its_marks_shed_what_it_says() -> None:
    """At 40 % steps 1 to 4 leave 9 kW, at 30 % steps 1 to 7 leave survival."""
    assert posture_load("reduced") <= rules.number("FR-17", "reduced_load")
    assert posture_load("survival") <= rules.number("FR-17", "survival_load")


def test_fr_18_tank_oxygen_lasts_as_long_as_it_says(fly: Fly) -> None:
    """60 kg for six people who exercise half an hour a day, without a generator."""
    crew = [{"id": f"CM{n}", "exercise_h": [3.0 + n]} for n in range(6)]
    world = fly("nominal", 48.0, oga_kg_per_day=0.0, crew=crew)
    used = world.truth("tank.o2", 24 * HOUR) - world.truth("tank.o2")
    assert 60.0 / used == pytest.approx(rules.number("FR-18", "tank"), rel=0.05)


@pytest.mark.enforces("FR-20", "restart")
def test_fr_20_one_restart_in_two_hours(fly: Fly) -> None:
    world = fly("fission-pair-lost", 1.5)
    assert world.command("restart_convertor", {"convertor": "3"}).accepted
    world.advance(3.5 * HOUR - 1.0)
    refused = world.command("restart_convertor", {"convertor": "4"})
    assert (refused.accepted, refused.rule) == (False, "FR-20")
    world.advance(3.5 * HOUR)
    assert world.command("restart_convertor", {"convertor": "4"}).accepted


def _eva(world: World, **changes: Any) -> Any:
    world.command("begin_prebreathe", {"people": "CM1,CM2"})
    world.advance(world.now + 40 * MINUTE)
    return world.command("begin_eva", {"people": "CM1,CM2", "task": "antenna", "hours": 2.0} | changes)


@pytest.mark.enforces("FR-20", "zone")
def test_fr_20_nobody_within_a_kilometre_of_the_reactor(fly: Fly) -> None:
    refused = _eva(fly("nominal"), task="reactor")
    assert (refused.accepted, refused.rule) == (False, "FR-20")
    assert refused.reason == "reactor is 0 km from the reactor; 1 km is closed to people"
    for km, accepted in ((0.99, False), (1.0, True)):
        result = _eva(fly("nominal", eva={"from_reactor_km": {"sampling": km}}), task="sampling")
        assert (result.accepted, result.rule) == (accepted, None if accepted else "FR-20"), result.reason


@pytest.mark.enforces("FR-20", "derate")
def test_fr_20_a_derate_of_more_than_a_pair_forbids_eva(fly: Fly) -> None:
    # A pair of convertors is 2.5 kW, which is not more than 2.5.
    for pairs, accepted in (([1], True), ([1, 2], False)):
        result = _eva(fly("nominal", fission={"lost_pairs": pairs}))
        assert (result.accepted, result.rule) == (accepted, None if accepted else "FR-20"), result.reason
    scrammed = fly("nominal")
    scrammed.base.part("fission").scram()
    assert _eva(scrammed).reason == "fission is 10 kW below its rating"


@pytest.mark.enforces("FR-20", "recovery")
def test_fr_20_a_scrammed_reactor_rests_six_hours(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    assert not world.command("start_reactor", {}).accepted
    world.base.part("fission").scram()
    assert world.command("scram_reactor", {}).reason == "the reactor is scrammed already"
    world.advance(7 * HOUR - 1.0)
    refused = world.command("start_reactor", {})
    assert (refused.accepted, refused.rule) == (False, "FR-20")
    world.advance(7 * HOUR)
    assert world.command("start_reactor", {}).accepted


def test_fr_17_the_postures_fit_the_loads_it_allows() -> None:
    limits = {"storm": "storm_load", "reduced": "reduced_load", "survival": "survival_load"}
    for posture, number in limits.items():
        assert posture_load(posture) <= rules.number("FR-17", number)


def test_fr_18_postures_and_the_base_shed_in_the_order_of_the_rule() -> None:
    assert DEFERRABLE[:4] == ("isru", "rover_charge", "plant_lamps", "lab")
    for off in POSTURES.values():
        assert off == DEFERRABLE[: len(off)]
    assert "1 ISRU, 2 rover charge, 3 plant lamps, 4 lab" in rules.text("FR-18")


def test_rules_of_storms_are_found_by_their_words() -> None:
    assert rules.find("storm")[0].id == "FR-17"
    assert {"FR-18", "FR-19"} <= {rule.id for rule in rules.find("shed")}
    assert rules.find("convertor")[0].id == "FR-20"
