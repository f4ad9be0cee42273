"""Fire, smoke, dust and ammonia: where they go, what they set off, and the incidents I8 and I9."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mission import incidents, rules
from mission.world.engine import World
from mission.world.toxics import Toxics
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]
enforces = pytest.mark.enforces
FIRE = incidents.find("fire").numbers
LEAK = incidents.find("coolant_leak").numbers


def planted(name: str, **parameters: object) -> list[dict[str, object]]:
    return [{"incident": name, "onset_h": 0.0, "parameters": parameters}]


def toxics(world: World) -> Toxics:
    block: Toxics = world.base.part("toxics")
    return block


def lines(world: World, kind: str, **wanted: object) -> list[dict[str, Any]]:
    return [e for e in world.log() if e["kind"] == kind and all(e.get(k) == v for k, v in wanted.items())]


def clear_out(world: World) -> None:
    """Everybody to the core, hatch closed."""
    world.command("move_crew", {"people": "all", "to": "core"})
    world.advance(world.now + 5 * MINUTE)
    assert world.command("close_hatch", {"hatch": "core-lab"}).accepted


class TestPhysics:
    @pytest.mark.parametrize(
        ("gas", "grams", "ppm"),
        [
            ("nh3", LEAK["nh3_g_for_30_ppm"], 30.0),
            ("nh3", LEAK["nh3_g_for_100_ppm"], 100.0),
            ("nh3", LEAK["nh3_g_for_300_ppm"], 300.0),
            ("co", FIRE["co_g_for_100_ppm_300_m3"], 100.0),
            ("co", 102.0, 425.0),
        ],
    )
    def test_the_masses_of_the_reference(self, fly: Fly, gas: str, grams: float, ppm: float) -> None:
        world = fly("nominal")
        toxics(world).puff(gas, "core", grams * 2 / 3)
        toxics(world).puff(gas, "lab", grams / 3)
        assert world.truth(f"core.{gas}") == pytest.approx(ppm, rel=0.02)
        assert world.truth(f"lab.{gas}") == pytest.approx(ppm, rel=0.02)

    def test_the_fan_mixes_and_a_closed_hatch_does_not(self, fly: Fly) -> None:
        mixed, apart = fly("nominal"), fly("nominal")
        clear_out(apart)
        for world in (mixed, apart):
            toxics(world).puff("co", "lab", 3.0)
            world.advance(world.now + 3 * HOUR)
        assert mixed.truth("core.co") == pytest.approx(mixed.truth("lab.co"), rel=0.02)
        assert (apart.truth("core.co"), apart.truth("lab.co") > 35.0) == (0.0, True)

    def test_a_leak_in_the_hull_takes_gas_along(self, fly: Fly) -> None:
        tight, holed = fly("nominal"), fly("nominal")
        holed.base.make_hole("lab", 5.0)
        for world in (tight, holed):
            toxics(world).puff("co", "lab", 3.0)
            world.advance(2 * HOUR)
        assert holed.truth("lab.co") < 0.97 * tight.truth("lab.co")

    def test_a_filter_cleans_with_the_time_of_its_flow(self, fly: Fly) -> None:
        world = fly("nominal")
        clear_out(world)
        toxics(world).puff("nh3", "lab", 4.0)
        before = world.truth("lab.nh3")
        world.command("start_filter", {"zone": "lab"})
        assert world.state()["power"]["loads_kw"]["filter_lab"] == 0.1
        world.advance(world.now + HOUR)
        assert world.truth("lab.nh3") / before == pytest.approx(2.718281828**-0.6, rel=1e-3)
        world.command("stop_filter", {"zone": "lab"})
        assert "filter_lab" not in world.state()["power"]["loads_kw"]

    @pytest.mark.parametrize("name", ["cable-fire", "dust-alarm", "coolant-leak", "ammonia-breach"])
    def test_every_gram_is_accounted_for(self, fly: Fly, name: str) -> None:
        world = fly(name, 3.0)
        world.command("start_filter", {"zone": "lab"})
        world.advance(12 * HOUR)
        assert toxics(world).tracks
        for track in toxics(world).tracks.values():
            assert abs(track.residual(world.now)) < 1e-9
            assert min(track.masses(world.now)) >= -1e-15

    def test_what_comes_in_at_once_is_in_no_earlier_ledger(self, fly: Fly) -> None:
        world = fly("nominal", 1.0)
        toxics(world).puff("nh3", "lab", 4.0)
        world.advance(2 * HOUR)
        track = toxics(world).tracks["nh3"]
        assert [track.residual(hour * HOUR) for hour in (0.5, 1.0, 2.0)] == pytest.approx([0.0] * 3, abs=1e-12)
        assert [track.ledger(hour * HOUR).get("released", 0.0) for hour in (0.5, 1.0)] == [0.0, 0.004]

    def test_a_base_without_incident_has_no_toxics_and_no_events(self, fly: Fly) -> None:
        world = fly("nominal", 24.0)
        assert toxics(world).tracks == {}
        assert lines(world, "toxic") == []


class TestFire:
    def test_the_reference_ppm(self, fly: Fly) -> None:
        world = fly("cable-fire", 1.5)
        assert world.truth("lab.co") == pytest.approx(FIRE["co_ppm_lab"], rel=0.03)
        assert lines(world, "toxic", event="burnt out")[0]["t"] - HOUR == pytest.approx(FIRE["burn_s"])
        mass = sum(toxics(world).tracks["co"].masses(world.now))
        assert mass == pytest.approx(2e-3, rel=1e-4)
        assert mass / 28.010e-3 * 8.314462618 * 295.0 / (70_300.0 * 300.0) * 1e6 == pytest.approx(
            FIRE["co_ppm_mixed"], rel=0.02
        )

    @enforces("FR-09", "smoke")
    def test_smoke_alarms_at_its_number_and_stops_the_fan(self, fly: Fly) -> None:
        world = fly("cable-fire", 1.2)
        alarm = lines(world, "toxic", event="alarm", substance="smoke")[0]
        assert alarm["t"] - HOUR == pytest.approx(FIRE["seconds_to_alarm"], abs=2.0)
        assert world.truth("lab.smoke", alarm["t"]) == pytest.approx(rules.number("FR-09", "smoke"), rel=1e-6)
        assert world.truth("imv.speed", alarm["t"] - 1.0) == 3000.0
        assert world.truth("imv.speed") == 0.0

    def test_current_and_rack_show_it(self, fly: Fly) -> None:
        world = fly("cable-fire", 1.0 + 390.0 / 3600.0)
        rise = world.truth("lab.bus_current") / world.truth("lab.bus_current", 0.5 * HOUR)
        assert 1.1 <= rise <= 1.4
        warmer = world.truth("lab.rack_temperature") - world.truth("lab.rack_temperature", 0.5 * HOUR)
        assert warmer == pytest.approx(5.0, abs=0.2)
        assert world.truth("core.bus_current") == world.truth("core.bus_current", 0.5 * HOUR)

    def test_right_power_off_ends_it_but_not_a_flaming_one(self, fly: Fly) -> None:
        for flaming, left in ((False, 0), (True, 1)):
            world = fly("cable-fire", 0.02, incidents=planted("fire", flaming=flaming))
            world.command("power_off_bus", {"zone": "lab"})
            assert len(toxics(world).fires) == left
            assert world.truth("lab.bus_current") == 0.0
            world.command("extinguish", {"zone": "lab"})
            world.advance(world.now + 2 * MINUTE)
            assert toxics(world).fires == []
            assert world.log()[-1]["result"].startswith(f"{left} fire" if left else "nothing burns")

    def test_no_fire_is_put_out_from_behind_a_closed_hatch(self, fly: Fly) -> None:
        world = fly("cable-fire", 0.5, incidents=planted("fire", flaming=True, fuel_g=200.0))
        world.command("move_crew", {"people": "all", "to": "core"})
        world.advance(1.02 * HOUR)
        for shut in (True, False):
            other = world.fork()
            assert other.command("extinguish", {"zone": "lab"}).accepted
            if shut:
                other.command("close_hatch", {"hatch": "core-lab"})
            other.advance(other.now + 3 * MINUTE)
            assert len(other.state()["toxics"]["fires"]) == shut

    def test_no_power_no_fire(self, fly: Fly) -> None:
        shed = ["plant_lamps", "suit_recharge", "rover_charge", "isru", "lab", "water_recovery", "sabatier"]
        world = fly("cable-fire", 2.0, power={"shed": shed})
        assert world.truth("lab.co") == 0.0

    def test_dust_does_the_same_without_co(self, fly: Fly) -> None:
        fire, dust = fly("cable-fire", 1.05), fly("dust-alarm", 1.05)
        for world in (fire, dust):
            assert world.truth("lab.smoke") > 0.033
            assert world.truth("imv.speed") == 0.0
        found = {name: world.check("second_detector", {"zone": "lab"}) for name, world in (("f", fire), ("d", dust))}
        assert found["f"].measured["fine"] > 20 * found["f"].measured["coarse"]
        assert found["d"].measured["coarse"] > 20 * found["d"].measured["fine"]
        assert (found["d"].duration_s, found["d"].nominal) == (60.0, {"fine": 0.0, "coarse": 0.0})
        assert fire.check("co_meter", {"zone": "lab"}).measured["co"] > 8.0
        assert dust.check("co_meter", {"zone": "lab"}).measured["co"] < 2.0
        assert dust.truth("lab.bus_current") == dust.truth("lab.bus_current", 0.5 * HOUR)

    @pytest.mark.parametrize("name", ["cable-fire", "dust-alarm"])
    def test_wrong_a_fan_left_off_makes_the_pocket(self, fly: Fly, name: str) -> None:
        crew = [{"id": f"CM{n}", "zone": "core" if n < 4 else "lab"} for n in range(1, 7)]
        world = fly(name, 3.0, crew=crew)
        assert world.truth("lab.ppco2") > world.truth("core.ppco2") + 1.0

    @enforces("FR-09", "fresh")
    def test_the_fan_runs_again_only_after_a_measurement(self, fly: Fly) -> None:
        world = fly("dust-alarm", 1.1)
        refused = world.command("set_imv", {"on": True})
        assert (refused.accepted, refused.rule) == (False, "FR-09")
        assert refused.reason == "smoke alarm in the lab: co_meter there first, within 60 min"
        world.check("co_meter", {"zone": "core"})
        assert not world.command("set_imv", {"on": True}).accepted
        world.check("co_meter", {"zone": "lab"})
        late = world.fork()
        late.advance(late.now + 60 * MINUTE + 1.0)
        assert not late.command("set_imv", {"on": True}).accepted
        assert world.command("set_imv", {"on": True}).accepted
        assert world.truth("imv.speed") == 3000.0
        world.command("set_imv", {"on": False})
        world.advance(world.now + 2 * HOUR)
        assert world.command("set_imv", {"on": True}).accepted

    @pytest.mark.parametrize("way", [("deploy_portable_fan", {"zone": "lab"}), ("repair_fan", {})])
    def test_no_other_fan_moves_the_air_unmeasured(self, fly: Fly, way: tuple[str, dict[str, Any]]) -> None:
        for check, moves in ((None, False), ("co_meter", True)):
            world = fly("dust-alarm", 1.1)
            start = world.now
            if check:
                world.check(check, {"zone": "lab"})
            world.command(*way)
            if check and way[0] == "repair_fan":
                world.advance(start + 1.5 * HOUR)
                world.check(check, {"zone": "lab"})
            world.advance(start + 2.2 * HOUR)
            assert (world.base.air.config.imv or world.base.air.config.portable_fan) is moves

    def test_a_fan_that_is_set_up_when_smoke_alarms_stays_off(self, fly: Fly) -> None:
        world = fly("dust-alarm", 0.95)
        world.command("deploy_portable_fan", {"zone": "lab"})
        world.advance(1.2 * HOUR)
        assert world.truth("alarm.smoke") == 1.0
        assert not world.base.air.config.portable_fan

    @enforces("FR-09", "co", "hcn", "hcl")
    @pytest.mark.parametrize("gas", ["co", "hcn", "hcl"])
    def test_the_fan_stays_off_above_each_limit(self, fly: Fly, gas: str) -> None:
        limit = rules.number("FR-09", gas)
        per_ppm = {"co": 0.0803, "hcn": 0.0775, "hcl": 0.1045}[gas]
        for share, accepted in ((0.75, True), (1.3, False)):
            world = fly("dust-alarm", 1.5)
            toxics(world).puff(gas, "lab", share * limit * per_ppm)
            world.check("co_meter", {"zone": "lab"})
            result = world.command("set_imv", {"on": True})
            assert (result.accepted, result.rule) == (accepted, None if accepted else "FR-09")

    @enforces("FR-09", "mask")
    def test_a_mask_lasts_seven_minutes_and_keeps_the_smoke_out(self, fly: Fly) -> None:
        world = fly("cable-fire", 1.2)
        world.command("don_masks", {"people": "CM5"})
        world.advance(world.now + MINUTE)
        start = world.now
        before = toxics(world).masks.breathed("CM5", start)["co"]
        world.advance(start + 7 * MINUTE - 1.0)
        assert toxics(world).masks.masked("CM5")
        assert toxics(world).masks.breathed("CM5", world.now)["co"] == before > 0.0
        assert toxics(world).masks.breathed("CM6", world.now)["co"] > 1.6 * before
        world.advance(start + 7 * MINUTE)
        assert not toxics(world).masks.masked("CM5")
        assert lines(world, "mask", person="CM5")[0]["t"] == start + 7 * MINUTE
        world.command("don_masks", {"people": "CM5"})
        world.advance(world.now + 10 * MINUTE)
        refused = world.command("don_masks", {"people": "CM5,CM6"})
        assert (refused.accepted, refused.reason) == (False, "no mask is left for CM5")

    def test_who_leaves_the_zone_breathes_no_more_of_it(self, fly: Fly) -> None:
        world = fly("cable-fire", 1.2)
        world.command("move_crew", {"people": "CM5", "to": "core"})
        world.advance(world.now + 5 * MINUTE)
        here, there = (toxics(world).masks.breathed(person, world.now)["co"] for person in ("CM5", "CM6"))
        world.advance(world.now + HOUR)
        after = [toxics(world).masks.breathed(person, world.now)["co"] for person in ("CM5", "CM6")]
        assert here == there > 0.0
        assert after[0] < 1.2 * here
        assert after[1] > 2 * there


class TestAmmonia:
    @enforces("FR-10", "alarm")
    def test_the_detector_alarms_at_ten_ppm(self, fly: Fly) -> None:
        world = fly("ammonia-breach", 1.1)
        alarm = lines(world, "toxic", substance="nh3", zone="lab")[0]
        assert world.truth("lab.nh3", alarm["t"]) == pytest.approx(10.0, rel=1e-4)
        assert alarm["t"] - HOUR < 15.0

    def test_level_and_pressure_rise_with_it(self, fly: Fly) -> None:
        world = fly("ammonia-breach", 2.0)
        assert world.truth("loop_b.accumulator_level") - world.truth("loop_b.accumulator_level", HOUR) == pytest.approx(
            0.5, abs=0.03
        )
        assert world.truth("loop_b.pressure") > 1.1 * world.truth("loop_b.pressure", HOUR)

    def test_a_false_alarm_shows_on_one_multiplexer_alone(self, fly: Fly) -> None:
        world = fly("ammonia-false-alarm", 2.0)
        read = {name: world.read(f"loop_b.{name}").value for name in ("accumulator_level", "pressure")}
        before = {name: world.read(f"loop_b.{name}", 0.9 * HOUR).value for name in read}
        assert read["accumulator_level"] - before["accumulator_level"] == pytest.approx(0.6, abs=0.15)  # type: ignore[operator]
        assert read["pressure"] - before["pressure"] == pytest.approx(40.0, abs=4.0)  # type: ignore[operator]
        assert world.read("loop_b.pressure").quality == "good"
        by_hand = world.check("loop_compare", {}).measured
        assert by_hand["b_level"] == pytest.approx(by_hand["a_level"], abs=0.1)
        assert world.check("nh3_chip", {"zone": "lab"}).measured["nh3"] < 3.0

    def test_right_isolation_ends_it_and_keeps_the_core_clean(self, fly: Fly) -> None:
        world = fly("ammonia-breach", 1.01)
        clear_out(world)
        world.command("isolate_segment", {"loop": "b"})
        lab = world.truth("lab.nh3")
        world.advance(8 * HOUR)
        assert world.truth("lab.nh3") == pytest.approx(lab, rel=0.01)
        assert world.truth("core.nh3") < 30.0
        waiting = fly("ammonia-breach", 1.0 + 15.0 / 60.0)
        mass = sum(toxics(waiting).tracks["nh3"].masses(waiting.now))
        assert mass == pytest.approx(44e-3, rel=0.03)

    @enforces("FR-10", "chips", "clear", "apart")
    def test_the_lab_is_opened_again_on_two_clean_chips_half_an_hour_apart(self, fly: Fly) -> None:
        world = fly("ammonia-false-alarm", 1.01)
        clear_out(world)
        refused = world.command("open_hatch", {"hatch": "core-lab"})
        assert (refused.accepted, refused.rule) == (False, "FR-10")
        world.check("nh3_chip", {"zone": "lab"})
        first = world.now
        world.check("nh3_chip", {"zone": "lab"})
        assert not world.command("open_hatch", {"hatch": "core-lab"}).accepted
        world.advance(first + 24 * MINUTE)
        early = world.fork()
        early.check("nh3_chip", {"zone": "lab"})
        assert not early.command("open_hatch", {"hatch": "core-lab"}).accepted
        world.advance(first + 25 * MINUTE)
        foul = world.fork()
        world.check("nh3_chip", {"zone": "lab"})
        assert world.now == first + 30 * MINUTE
        assert world.command("open_hatch", {"hatch": "core-lab"}).accepted
        toxics(foul).puff("nh3", "lab", 0.9)
        foul.check("nh3_chip", {"zone": "lab"})
        assert not foul.command("open_hatch", {"hatch": "core-lab"}).accepted


class TestAlarms:
    def test_smoke_sounds_while_there_is_smoke(self, fly: Fly) -> None:
        world = fly("dust-alarm", 1.0 + 900.0 / 3600.0)
        heard = [world.truth("alarm.smoke", t) for t in (HOUR - 1.0, HOUR + 1.0, HOUR + 740.0, HOUR + 760.0)]
        assert heard == [0.0, 1.0, 1.0, 0.0]
        assert world.truth("alarm.ammonia") == 0.0

    def test_ammonia_sounds_from_the_cue_to_the_stand_down(self, fly: Fly) -> None:
        world = fly("ammonia-false-alarm", 1.01)
        clear_out(world)
        world.check("nh3_chip", {"zone": "lab"})
        world.advance(world.now + 30 * MINUTE)
        world.check("nh3_chip", {"zone": "lab"})
        assert world.read("alarm.ammonia").value == 1.0
        assert world.command("open_hatch", {"hatch": "core-lab"}).accepted
        assert [world.truth("alarm.ammonia", t) for t in (HOUR - 1.0, HOUR, world.now)] == [0.0, 1.0, 0.0]


def test_forks_and_rebuilds_of_a_fire_go_on_alike(fly: Fly) -> None:
    world = fly("cable-fire", 1.05)
    world.command("don_masks", {"people": "all"})
    world.check("co_meter", {"zone": "lab"})
    other = world.fork()
    for one in (world, other):
        one.command("power_off_bus", {"zone": "lab"})
        one.advance(20 * HOUR)
    assert world.digest() == other.digest()
    assert World.rebuild(world.scenario, world.seed, world.commands(), world.now).digest() == world.digest()
