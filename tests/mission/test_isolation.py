"""Hatches under pressure, the valve in them, and suits worn inside: what isolation takes, and what it holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission import rules
from mission.reports import reports
from mission.world.atmosphere import ZONES
from mission.world.engine import World, load_scenario
from mission.world.gases import GASES
from mission.world.scenario import Scenario
from mission.world.toxics import Toxics
from mission.world.units import HOUR, MINUTE, MMHG
from tests.mission.conftest import SCENARIOS

Fly = Callable[..., World]
NOMINAL = load_scenario(SCENARIOS / "nominal.yaml")
enforces = pytest.mark.enforces


def shut(world: World) -> None:
    """Everybody in the core and the lab's hatch closed."""
    world.command("move_crew", {"people": "all", "to": "core"})
    world.advance(world.now + 5 * MINUTE)
    assert world.command("close_hatch", {"hatch": "core-lab"}).accepted


def across(world: World) -> float:
    return world.base.across("core-lab") / MMHG


class TestLock:
    @enforces("FR-07", "lock")
    def test_fr_07_a_millimetre_holds_a_hatch_shut(self, fly: Fly) -> None:
        for minutes, opens in ((8.0, True), (8.6, False)):
            world = fly("masked-leak", 6.0)
            shut(world)
            world.advance(world.now + minutes * MINUTE)
            assert (across(world) < rules.number("FR-07", "lock")) is opens
            result = world.command("open_hatch", {"hatch": "core-lab"})
            assert (result.accepted, result.rule) == (opens, None if opens else "FR-07")

    def test_a_dwell_that_is_too_long_for_the_hole_locks_the_hatch(self, fly: Fly) -> None:
        world = fly("puncture", 1.05)
        world.command("move_crew", {"people": "all", "to": "core"})
        world.advance(world.now + 5 * MINUTE)
        found = world.check("hatch_dwell", {"zone": "lab"}).measured["pressure_change"]
        assert found < -10.0
        assert world.state()["hatches"]["core-lab"] is False
        told = next(e for e in world.log() if e["kind"] == "hatch")
        assert (told["rule"], told["why"]) == ("FR-07", "held shut by the pressure across it")

    def test_the_dwell_of_a_slow_leak_opens_again(self, fly: Fly) -> None:
        world = fly("masked-leak", 6.0)
        world.command("move_crew", {"people": "all", "to": "core"})
        world.advance(world.now + 5 * MINUTE)
        world.check("hatch_dwell", {"zone": "lab"})
        assert world.state()["hatches"]["core-lab"] is True

    def test_the_valve_evens_it_out_in_ten_minutes(self, fly: Fly) -> None:
        world = fly("masked-leak", 6.0)
        shut(world)
        assert world.command("equalize_hatch", {"hatch": "core-lab"}).accepted
        assert not world.command("equalize_hatch", {"hatch": "core-lab"}).accepted
        world.advance(world.now + 10 * MINUTE)
        assert across(world) == pytest.approx(0.0, abs=1e-9)
        assert world.command("open_hatch", {"hatch": "core-lab"}).accepted
        assert world.command("equalize_hatch", {"hatch": "core-lab"}).reason == "the core-lab hatch is open"

    def test_wrong_to_equalize_into_an_empty_lab(self, fly: Fly) -> None:
        world = fly("puncture", 1.05)
        shut(world)
        world.advance(4 * HOUR)
        before = world.truth("core.pressure")
        world.command("equalize_hatch", {"hatch": "core-lab"})
        world.advance(world.now + 11 * MINUTE)
        assert world.truth("core.pressure") < 0.85 * before
        assert world.state()["exposures"]["min_pio2_mmhg"] < 122.0
        crossed = [e["level"] for e in world.log() if e["kind"] == "crossing" and e["quantity"] == "pio2"]
        assert 122.0 in crossed

    def test_what_is_in_the_air_goes_along(self, fly: Fly) -> None:
        world = fly("nominal", 1.0)
        shut(world)
        toxics: Toxics = world.base.part("toxics")
        toxics.puff("nh3", "lab", 10.0)
        world.base.make_hole("core", 5.0)
        world.command("set_makeup", {"mode": "off"})
        world.advance(world.now + HOUR)
        assert across(world) < -1.0
        assert world.truth("core.nh3") == 0.0
        world.command("equalize_hatch", {"hatch": "core-lab"})
        world.advance(world.now + 10 * MINUTE)
        assert world.truth("core.nh3") > 0.1
        assert abs(toxics.tracks["nh3"].residual(world.now)) < 1e-12

    @given(st.floats(20.0, 100.0), st.floats(20.0, 100.0), st.floats(15.0, 30.0), st.floats(15.0, 30.0), st.booleans())
    @settings(max_examples=40, deadline=None)
    def test_it_keeps_every_gas_and_ends_even(
        self, core: float, lab: float, warm: float, cool: float, airlock: bool
    ) -> None:
        start = {"ppo2_kpa": 5.0}
        zones = {
            "core": {"pressure_kpa": core, "temperature_c": warm, **start},
            "lab": {"pressure_kpa": lab, "temperature_c": cool, **start},
            "airlock": {"pressure_kpa": lab, **start},
        }
        changes = {"zones": zones, "core_lab_open": False, "makeup": "off", "core_airlock_open": airlock}
        world = World(Scenario.model_validate(NOMINAL.model_dump() | changes), 7)
        before = {gas: sum(world.base.air.tracks[gas].masses(0.0)) for gas in GASES}
        world.base.equalize("core-lab")
        assert world.base.air.pressure(0, 0.0) == pytest.approx(
            world.base.air.pressure(1, 0.0), rel=0.01 if airlock else 1e-12
        )
        for gas in GASES:
            masses = world.base.air.tracks[gas].masses(0.0)
            assert sum(masses) == pytest.approx(before[gas], rel=1e-12)
            assert min(masses) >= 0.0


class TestSuits:
    def test_in_a_suit_the_air_of_the_zone_is_nothing_to_anybody(self, fly: Fly) -> None:
        world = fly("ammonia-breach", 0.5)
        assert world.command("don_suits", {"people": "CM5"}).completes_s == world.now + 10 * MINUTE
        world.advance(4 * HOUR)
        people = world.state()["toxics"]["people"]
        assert (people["CM5"]["smac_hours"], people["CM5"]["beyond"]) == (0.0, {})
        assert people["CM6"]["beyond"] != {}
        assert world.state()["crew"]["CM5"]["activity"] == "nominal"
        assert world.state()["zones"]["lab"]["crew"] == 1
        assert "CM5 of them in a suit." in " ".join(report.text for report in reports(world, "crew"))

    def test_right_somebody_in_a_suit_patches_behind_the_closed_hatch(self, fly: Fly) -> None:
        """I5: the core is safe, and the hole is found where nobody else could be."""
        world = fly("puncture", 1.02)
        world.command("don_suits", {"people": "CM5"})
        world.command("move_crew", {"people": "CM4,CM6", "to": "core"})
        world.advance(world.now + 5 * MINUTE)
        assert not world.command("close_hatch", {"hatch": "core-lab"}).accepted
        world.advance(world.now + 5 * MINUTE)
        assert world.command("close_hatch", {"hatch": "core-lab"}).accepted
        assert world.command("patch_leak", {"zone": "lab"}).accepted
        world.advance(world.now + 2 * HOUR)
        state = world.state()
        assert state["leaks"] == []
        assert state["crew"]["CM5"] == {"zone": "lab", "activity": "nominal"}
        assert state["indoor_suits"] == {"worn_by": ["CM5"], "free": 1}
        assert state["exposures"]["min_pio2_mmhg"] > 122.0
        assert world.truth("lab.pressure") < 40.0
        assert world.command("open_hatch", {"hatch": "core-lab"}).rule == "FR-07"

    def test_who_searches_without_a_suit_leaves_before_the_hatch_is_closed(self, fly: Fly) -> None:
        world = fly("puncture", 1.05)
        assert world.command("patch_leak", {"zone": "lab"}).accepted
        world.command("move_crew", {"people": "all", "to": "core"})
        world.advance(world.now + 5 * MINUTE)
        assert world.command("close_hatch", {"hatch": "core-lab"}).accepted
        world.advance(world.now + 2 * HOUR)
        assert len(world.state()["leaks"]) == 1
        done = [event["result"] for event in world.log() if event["kind"] == "completed"]
        assert done[-1] == "nobody could stay to search: the core-lab hatch is closed: nobody can get there"

    def test_there_are_two_and_an_eva_wants_them_too(self, fly: Fly) -> None:
        world = fly("nominal", 1.0)
        refused = world.command("don_suits", {"people": "CM1,CM2,CM3"})
        assert refused.reason == "3 suits are wanted and 2 are free"
        world.command("don_suits", {"people": "CM1,CM2"})
        assert world.command("don_suits", {"people": "CM3"}).reason == "1 suits are wanted and 0 are free"
        refusal = world.command("begin_eva", {"people": "CM3,CM4", "task": "radiator", "hours": 1.0})
        assert not refusal.accepted
        world.advance(world.now + 10 * MINUTE)
        assert world.command("don_suits", {"people": "CM1"}).reason == "CM1 in a suit already, or getting into one"
        assert world.command("doff_suits", {"people": "CM3"}).reason == "CM3 in no suit"

    def test_nobody_gets_into_a_second_suit_or_mask_on_the_way_into_one(self, fly: Fly) -> None:
        world = fly("nominal", 1.0)
        for order in ("don_suits", "don_masks"):
            assert world.command(order, {"people": "CM1"}).accepted
            assert not world.command(order, {"people": "CM1"}).accepted
        world.advance(world.now + 10 * MINUTE)
        assert world.command("don_masks", {"people": "CM1"}).reason == "CM1 outside, or in a suit"
        assert world.state()["indoor_suits"] == {"worn_by": ["CM1"], "free": 1}
        assert world.state()["toxics"]["people"]["CM1"]["masks_left"] == 1

    def test_who_is_in_a_suit_is_not_left_in_a_vacuum(self, fly: Fly) -> None:
        world = fly("nominal", 1.0)
        world.command("don_suits", {"people": "CM5"})
        world.command("move_crew", {"people": "CM6", "to": "core"})
        world.advance(world.now + 10 * MINUTE)
        world.command("close_hatch", {"hatch": "core-lab"})
        world.check("gauge_crosscheck", {"zone": "core"})
        world.check("handheld_co2", {"zone": "core"})
        assert world.command("vent_zone", {"zone": "lab"}).reason == "there are people in the lab"
        holed = fly("puncture", 1.02)
        holed.command("don_suits", {"people": "CM5"})
        holed.command("move_crew", {"people": "CM4,CM6", "to": "core"})
        holed.advance(holed.now + 10 * MINUTE)
        holed.command("close_hatch", {"hatch": "core-lab"})
        holed.advance(holed.now + HOUR)
        refused = holed.command("doff_suits", {"people": "CM5"})
        assert refused.reason == "PIO2 is below 100 mmHg where CM5 would breathe"

    def test_nothing_is_opened_into_a_zone_that_is_being_vented(self, fly: Fly) -> None:
        world = fly("nominal", 1.0)
        world.check("gauge_crosscheck", {"zone": "lab"})
        world.check("handheld_co2", {"zone": "lab"})
        world.command("move_crew", {"people": "CM5,CM6", "to": "core"})
        world.advance(world.now + 5 * MINUTE)
        world.command("close_hatch", {"hatch": "core-lab"})
        assert world.command("vent_zone", {"zone": "lab"}).accepted
        for order in ("open_hatch", "equalize_hatch"):
            assert world.command(order, {"hatch": "core-lab"}).reason == "the lab is being vented"
        world.advance(world.now + 10 * MINUTE)
        assert world.truth("core.pressure") > 70.0

    def test_its_oxygen_is_the_tanks_and_it_ends(self, fly: Fly) -> None:
        world = fly("nominal", 1.0, makeup="off")
        world.command("don_suits", {"people": "CM1"})
        world.advance(world.now + 10 * MINUTE)
        start, tank = world.now, world.truth("tank.o2")
        short = world.fork()
        short.advance(start + HOUR)
        short.command("doff_suits", {"people": "CM1"})
        assert tank - short.truth("tank.o2") == pytest.approx(0.0796, rel=1e-6)
        world.advance(start + 8 * HOUR)
        end = next(e for e in world.log() if e["kind"] == "suit")
        assert (end["t"] - start) / HOUR == pytest.approx(6.93, abs=0.01)
        assert tank - world.truth("tank.o2") == pytest.approx(0.552, rel=1e-6)
        assert world.state()["indoor_suits"] == {"worn_by": [], "free": 2}

    def test_wearers_take_and_give_nothing(self, fly: Fly) -> None:
        world = fly("nominal", 1.0)
        breath = world.base.air.config.crew_o2
        world.command("don_suits", {"people": "CM1"})
        world.advance(world.now + 10 * MINUTE)
        after = world.base.air.config.crew_o2
        assert after[0] == pytest.approx(breath[0] * 3 / 4)
        assert world.base.air.config.crew[ZONES.index("core")] == 3
        other = world.fork()
        for one in (world, other):
            one.advance(10 * HOUR)
        again = World.rebuild(world.scenario, world.seed, world.commands(), world.now)
        assert world.digest() == other.digest() == again.digest()
