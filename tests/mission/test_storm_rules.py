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
from mission.world.units import HOUR, MINUTE
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
    charged = world.truth("battery.energy")
    assert world.check("ocv_rest", {}).duration_s == rules.number("FR-19", "rest") * MINUTE
    assert world.truth("battery.energy") == pytest.approx(charged, abs=1e-9)


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
    scrammed.command("scram_reactor", {})
    assert _eva(scrammed).reason == "fission is 10 kW below its rating"


@pytest.mark.enforces("FR-20", "recovery")
def test_fr_20_a_scrammed_reactor_rests_six_hours(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    assert not world.command("start_reactor", {}).accepted
    assert world.command("scram_reactor", {}).accepted
    assert not world.command("scram_reactor", {}).accepted
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
