"""Chains of incidents: a storm, a gauge and the pumps (I11, I13, I10); a false alarm over a real leak (I9); brushes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mission.world.engine import World
from mission.world.units import HOUR

Fly = Callable[..., World]
STORM = {"incident": "dust_storm", "onset_h": 0.0, "parameters": {"kind": "global"}}
GAUGE = {"incident": "battery_fault", "onset_h": 140.0, "parameters": {"kind": "gauge", "error_percent": 15.0}}
BASE: dict[str, Any] = {
    "solar": {"area_m2": 300.0},
    "power": {"battery_percent": 70.0, "shed": ["suit_recharge", "rover_charge", "isru"]},
}
"""12.7 kW of loads: fission and a clear sky carry them, fission and a storm do not."""


def events(world: World, kind: str) -> list[dict[str, Any]]:
    return [event for event in world.log() if event["kind"] == kind]


def stopped(world: World) -> list[dict[str, Any]]:
    return [event for event in events(world, "coolant") if event["event"] == "pump without power"]


class TestStormGaugeAndPumps:
    def test_each_link_is_needed(self, fly: Fly) -> None:
        """Only a storm and a wrong gauge together trip the bus, and only the trip stops the pumps."""
        for incidents, chained in (([STORM], False), ([GAUGE], False), ([STORM, GAUGE], True)):
            world = fly("nominal", 300.0, incidents=incidents, **BASE)
            assert bool(stopped(world)) is chained
            whys = [event["why"] for event in events(world, "shed")]
            assert ("bus voltage at its trip" in whys) is chained
            assert ("battery at its floor" in whys) is (incidents == [STORM])

    def test_the_end_of_the_chain_is_a_hot_cabin(self, fly: Fly) -> None:
        world = fly("nominal", 300.0, incidents=[STORM, GAUGE], **BASE)
        trip = stopped(world)[0]["t"]
        world = World.rebuild(world.scenario, world.seed, [], trip)
        left, mended = world.fork(), world.fork()
        for loop in ("a", "b"):
            assert mended.command("restart_pump", {"loop": loop}).accepted
        for one in (left, mended):
            one.advance(trip + 8 * HOUR)
        assert left.truth("core.temperature") > 32.2
        assert mended.truth("core.temperature") == pytest.approx(21.85, abs=0.05)

    def test_right_shedding_at_the_first_mark_breaks_it(self, fly: Fly) -> None:
        """FR-17: at most 9 kW above a depth of 5, whatever the gauge says."""
        world = fly("nominal", 110.0, incidents=[STORM, GAUGE], **BASE)
        assert world.truth("site.tau") > 4.0
        assert world.command("set_posture", {"posture": "reduced"}).accepted
        world.advance(300.0 * HOUR)
        assert not stopped(world)
        assert world.truth("battery.soc") > 50.0


class TestFalseAlarmOverARealLeak:
    def test_the_multiplexer_hides_what_the_sight_glass_shows(self, fly: Fly) -> None:
        faults = [
            {"incident": "coolant_leak", "onset_h": 1.0, "parameters": {"variant": "glycol", "leak_l_h": 0.3}},
            {"incident": "coolant_leak", "onset_h": 1.5, "parameters": {"variant": "mdm"}},
        ]
        world = fly("coolant-leak", 2.0, incidents=faults)
        shown = world.read("loop_a.accumulator_level").value or 0.0
        assert shown - world.truth("loop_a.accumulator_level") == pytest.approx(0.6, abs=0.1)
        assert shown > world.truth("loop_a.accumulator_level", 0.5 * HOUR)
        assert world.truth("lab.nh3") == 0.0
        assert world.check("nh3_chip", {"zone": "lab"}).measured["nh3"] < 10.0
        trend = world.check("level_trend", {"loop": "a"}).measured["corrected_rate"]
        assert trend == pytest.approx(-0.3, abs=0.08)
        assert world.truth("lab.glycol") > 0.5


class TestBrushes:
    """Work outside at the array and the radiator does what it is for."""

    def out(self, fly: Fly, task: str, work_h: float, **changes: Any) -> World:
        outside = {"people": ["CM1", "CM2"], "task": task, "work_h": work_h}
        return fly("nominal", 0.0, eva={"outside": outside}, **changes)

    def test_two_people_take_nine_tenths_of_the_dust_off_the_array_in_six_hours(self, fly: Fly) -> None:
        changes = {"solar": {"area_m2": 300.0, "dust": 0.35, "dust_per_sol": 0.0}, "power": {"battery_percent": 30.0}}
        world = self.out(fly, "solar_array", 3.0, **changes)
        world.advance(3 * HOUR - 60.0)
        dusty, before = world.truth("solar.power"), world.base.part("solar").light.clear_share(world.now)
        world.advance(3 * HOUR + 60.0)
        assert events(world, "brushed") == [{"t": 3 * HOUR, "kind": "brushed", "what": "solar_array", "m2": 150.0}]
        after = world.base.part("solar").light.clear_share(world.now)
        assert (before, after) == pytest.approx((0.65, 1.0 - 0.35 * (1.0 - 0.45)))
        assert world.truth("solar.power") / dusty == pytest.approx(after / before, rel=0.02)
        assert world.truth("solar.power", 3 * HOUR - 60.0) == dusty
        assert abs(world.base.power.residual(world.now)) < 1e-12

    def test_an_hour_at_the_radiator_sets_it_free(self, fly: Fly) -> None:
        world = self.out(fly, "radiator", 1.0, thermal={"radiator_dust": 0.2})
        clean = fly("nominal").base.part("thermal").exposure.bound(0)
        thermal = world.base.part("thermal")
        bound = thermal.exposure.bound(0)
        world.advance(HOUR + 1.0)
        assert bound < 6_000.0
        assert thermal.exposure.bound(0) == pytest.approx(clean, rel=0.07)
        assert sum(thermal.last.caps) == pytest.approx(min(12_000.0, thermal.exposure.bound(0)))
        fork, again = world.fork(), World.rebuild(world.scenario, world.seed, world.commands(), world.now)
        for one in (world, fork, again):
            one.advance(30 * HOUR)
        assert world.digest() == fork.digest() == again.digest()

    def test_a_clean_radiator_gains_nothing(self, fly: Fly) -> None:
        world = self.out(fly, "radiator", 1.0)
        world.advance(2 * HOUR)
        assert world.base.part("thermal").exposure.clean(world.now) <= 1.0
