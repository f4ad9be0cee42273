"""The chains of incidents that the design study lists: each is flown, and one incident makes or hides the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mission.world.engine import World
from mission.world.units import HOUR

Fly = Callable[..., World]
LONG_DAY = {"start_h": 23.9, "length_h": 0.1}


def together(*planted: tuple[str, float, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"incident": name, "onset_h": onset, "parameters": given} for name, onset, given in planted]


def first(world: World, kind: str, **wanted: object) -> dict[str, Any]:
    return next(e for e in world.log() if e["kind"] == kind and all(e.get(k) == v for k, v in wanted.items()))


class TestStormThenBatteryThenHeat:
    """I11, I13, I10: dust takes the power, the gauge hides it, and the loads that go with it include cooling."""

    def fly(self, fly: Fly) -> World:
        faults = together(
            ("dust_storm", 0.0, {"kind": "global"}),
            ("battery_fault", 60.0, {"kind": "gauge"}),
            ("pump_trip", 30.0, {"variant": "pump", "loop": "a"}),
        )
        return fly("dust-storm-global", 0.0, incidents=faults)

    def test_each_of_them_is_there(self, fly: Fly) -> None:
        world = self.fly(fly)
        world.advance(64 * HOUR)
        assert {entry["incident"] for entry in world.state()["incidents"]} == {
            "dust_storm",
            "battery_fault",
            "pump_trip",
        }
        assert world.truth("site.tau") > world.truth("site.tau", HOUR) + 0.5
        shown = world.read("battery.soc").value
        assert shown is not None
        assert shown > world.truth("battery.soc") + 2.0
        assert world.truth("loop_a.flow") == 0.0
        assert world.truth("loop_b.flow") > 0.0

    def test_the_storm_empties_a_battery_that_a_clear_sky_fills(self, fly: Fly) -> None:
        storm = self.fly(fly)
        clear = fly("dust-storm-global", 0.0, incidents=together(("pump_trip", 30.0, {"variant": "pump", "loop": "a"})))
        for world in (storm, clear):
            world.advance(152 * HOUR)
        assert storm.truth("solar.power", 151 * HOUR) < 0.5 * clear.truth("solar.power", 151 * HOUR)
        assert storm.truth("battery.soc") < clear.truth("battery.soc")

    def test_the_pump_warms_the_cabin_in_the_storm_as_without(self, fly: Fly) -> None:
        world = self.fly(fly)
        world.advance(44 * HOUR)
        assert world.truth("core.temperature") > world.truth("core.temperature", 29.9 * HOUR) + 1.0


class TestFireThenPocket:
    """I8, then I2: the fan that smoke stops leaves people in a pocket."""

    def test_the_pocket_is_the_fires_doing(self, fly: Fly) -> None:
        crew = [{"id": f"CM{n}", "zone": "core" if n < 4 else "lab"} for n in range(1, 7)]
        faults = together(("fire", 1.0, {"cause": "dust"}))
        world = fly("dust-alarm", 4.0, crew=crew, incidents=faults, sleep=LONG_DAY)
        assert first(world, "rule", rule="FR-09")["why"] == "smoke alarm stops the fan"
        assert world.truth("lab.ppco2") > 4.0 > world.truth("core.ppco2")
        crossing = first(world, "crossing", zone="lab", level=4.0)
        # Three people fill the lab to 4 mmHg inside the 2.5 h that FR-09 leaves the fan off.
        assert (crossing["t"] - HOUR) / HOUR == pytest.approx(2.14, abs=0.1)

    def test_the_fan_ends_it_once_the_air_is_measured(self, fly: Fly) -> None:
        crew = [{"id": f"CM{n}", "zone": "core" if n < 4 else "lab"} for n in range(1, 7)]
        world = fly("dust-alarm", 3.0, crew=crew, sleep=LONG_DAY)
        world.check("co_meter", {"zone": "lab"})
        assert world.command("set_imv", {"on": True}).accepted
        world.advance(world.now + 3 * HOUR)
        assert world.truth("lab.ppco2") - world.truth("core.ppco2") < 0.4

    def test_a_seized_fan_beside_a_fire_is_not_mended_by_a_clean_measurement(self, fly: Fly) -> None:
        faults = together(("fire", 1.0, {"cause": "dust"}), ("fan_stopped", 2.0, {}))
        world = fly("dust-alarm", 3.0, incidents=faults)
        world.check("co_meter", {"zone": "lab"})
        assert world.command("set_imv", {"on": True}).reason == "commanded; the fan does not turn"


class TestParticlesThenShelterAir:
    """I16, then CO2 in the shelter."""

    def test_a_shelter_whose_fan_has_failed_becomes_the_danger(self, fly: Fly) -> None:
        crew = [{"id": f"CM{n}", "zone": "core"} for n in range(1, 7)]
        faults = together(("solar_particles", 1.0, {"dose_mgy": 8.1, "shelter_fan_fails": True}))
        world = fly("nominal", 1.25, crew=crew, sleep=LONG_DAY, incidents=faults)
        assert world.command("enter_shelter", {"people": "all"}).accepted
        world.advance(6 * HOUR)
        crossing = first(world, "crossing", quantity="shelter_ppco2", level=15.0)
        assert (crossing["t"] - 1.25 * HOUR) / HOUR == pytest.approx(3.1, abs=0.3)
        # FR-03 comes before FR-21: the rate is high, and they may leave.
        assert world.truth("radiation.rate") > 20.0
        assert world.command("leave_shelter", {"people": "all"}).accepted


class TestLeakAndGenerator:
    """I4 and I6: both lower the oxygen; nitrogen tells."""

    def fly(self, fly: Fly, *faults: tuple[str, float, dict[str, Any]]) -> World:
        return fly("masked-leak", 8.0, incidents=together(*faults), makeup="off", sleep=LONG_DAY)

    def test_oxygen_falls_by_both_and_nitrogen_by_the_leak_alone(self, fly: Fly) -> None:
        leak, trip = ("masked_leak", 1.0, {"zone": "lab"}), ("oga_shutdown", 1.0, {"cause": "false-trip"})
        worlds = {"both": self.fly(fly, leak, trip), "leak": self.fly(fly, leak), "trip": self.fly(fly, trip)}
        fall = {
            name: {
                gas: world.truth(f"core.{gas}", 2 * HOUR) - world.truth(f"core.{gas}") for gas in ("ppo2", "pressure")
            }
            for name, world in worlds.items()
        }
        assert fall["both"]["ppo2"] == pytest.approx(fall["leak"]["ppo2"] + fall["trip"]["ppo2"], rel=0.03)
        trends = {name: world.check("pn2_trend", {}).measured["mean_change"] for name, world in worlds.items()}
        assert trends["both"] == pytest.approx(trends["leak"], abs=0.05)
        assert trends["leak"] < -0.6
        assert abs(trends["trip"]) < 0.05

    def test_a_mended_leak_leaves_the_generator_to_be_found(self, fly: Fly) -> None:
        world = self.fly(fly, ("masked_leak", 1.0, {"zone": "lab"}), ("oga_shutdown", 1.0, {"cause": "false-trip"}))
        world.command("patch_leak", {"zone": "lab"})
        world.advance(11 * HOUR)
        start = world.truth("core.ppo2")
        world.advance(15 * HOUR)
        # Pa an hour; six people in 300 m3.
        assert (world.truth("core.ppo2") - start) / 4.0 * 1000.0 == pytest.approx(-52.0, abs=4.0)


class TestFalseAmmoniaAndTrueGlycol:
    """I9b false, and a real small leak of glycol beside it."""

    def fly(self, fly: Fly) -> World:
        faults = together(
            ("coolant_leak", 1.0, {"variant": "mdm", "loop": "b", "zone": "lab"}),
            ("coolant_leak", 1.0, {"variant": "glycol", "loop": "a", "zone": "lab", "leak_l_h": 0.3}),
        )
        return fly("ammonia-false-alarm", 4.0, incidents=faults)

    def test_the_chips_are_clean_and_the_other_loop_loses(self, fly: Fly) -> None:
        world = self.fly(fly)
        assert world.truth("alarm.ammonia") == 1.0
        assert world.check("nh3_chip", {"zone": "lab"}).measured["nh3"] < 3.0
        assert world.truth("lab.glycol") > 1.0
        assert world.truth("lab.humidity") > world.truth("lab.humidity", HOUR) + 3.0
        by_hand = world.check("loop_compare", {}).measured
        assert by_hand["b_level"] - by_hand["a_level"] == pytest.approx(0.9, abs=0.2)

    def test_isolating_the_loop_of_the_alarm_leaves_the_leak(self, fly: Fly) -> None:
        world = self.fly(fly)
        world.command("isolate_segment", {"loop": "b"})
        level = world.truth("loop_a.accumulator_level")
        world.advance(6 * HOUR)
        assert level - world.truth("loop_a.accumulator_level") == pytest.approx(0.6, abs=0.1)


class TestRoverInAStorm:
    """I15 and I11: who is stuck cannot be fetched while the sky is dark."""

    def test_no_rescue_leaves_above_the_rules_depth(self, fly: Fly) -> None:
        dusty, clear = fly("rover-stuck-in-dust", 0.2), fly("rover-stuck", 0.2)
        said: dict[str, Any] = {}
        for name, world in (("dusty", dusty), ("clear", clear)):
            world.command("board_rover", {"rover": "2", "people": "CM3"})
            world.advance(0.62 * HOUR)
            said[name] = world.command("dispatch_rescue", {"rover": "2"})
        assert (said["dusty"].accepted, said["dusty"].rule) == (False, "FR-16")
        assert said["clear"].accepted

    def test_the_storm_may_come_while_it_is_stuck(self, fly: Fly) -> None:
        faults = together(("rover_stuck", 0.1, {"rover": "1"}), ("dust_storm", 0.0, {"kind": "regional"}))
        world = fly("rover-stuck", 30.0, incidents=faults)
        assert world.truth("site.tau") > world.truth("site.tau", HOUR) + 0.1
        assert world.truth("rover_1.slip") >= 0.0
