"""Radiation: dose in closed form, alerts with light delay, the shelter and its air, and I16."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission import incidents
from mission.world import dose
from mission.world.engine import World
from mission.world.units import DAY, HOUR, MINUTE

Fly = Callable[..., World]
NUMBERS = incidents.find("solar_particles").numbers
LONG_DAY = {"start_h": 23.9, "length_h": 0.1}
EVERYBODY = [{"id": f"CM{n}", "zone": "core"} for n in range(1, 7)]
SUN = st.builds(
    dose.Event,
    t0=st.floats(0, 2 * DAY),
    dose=st.floats(0.1, 500),
    rise=st.floats(1 * HOUR, 3 * HOUR),
    decay=st.floats(10 * HOUR, 20 * HOUR),
)


def sun(**parameters: Any) -> dict[str, Any]:
    return {
        "crew": EVERYBODY,
        "sleep": LONG_DAY,
        "incidents": [{"incident": "solar_particles", "onset_h": 1.0, "parameters": parameters}],
    }


def sheltered(world: World, people: str = "all") -> None:
    assert world.command("enter_shelter", {"people": people}).accepted
    world.advance(world.now + 5 * MINUTE)


class TestDose:
    @given(SUN, st.floats(0, 6 * DAY))
    @settings(max_examples=60, deadline=None)
    def test_dose_is_the_integral_of_the_rate(self, event: dose.Event, t: float) -> None:
        steps = 2000
        width = t / steps
        total = sum(event.rate((index + 0.5) * width) for index in range(steps)) * width / HOUR
        assert total == pytest.approx(event.received(t), rel=2e-3, abs=1e-3)

    @given(st.lists(SUN, min_size=1, max_size=3), st.floats(0, 4 * DAY), st.floats(1, DAY))
    @settings(max_examples=60, deadline=None)
    def test_the_highest_rate_is_not_passed_by_any_sample(
        self, events: list[dose.Event], start: float, length: float
    ) -> None:
        most = dose.highest(events, start, start + length)
        samples = [dose.rate(events, start + length * index / 50) for index in range(51)]
        assert max(samples) <= most * (1.0 + 1e-9)

    def test_the_curve_is_the_rate(self) -> None:
        events = [dose.Event(0.0, 8.1, 2 * HOUR, 15 * HOUR), dose.Event(5 * HOUR, 2.0, HOUR, 10 * HOUR)]
        curve = dose.curve(events, 6 * HOUR)
        assert curve(3 * HOUR) == pytest.approx(dose.rate(events, 9 * HOUR), rel=1e-12)

    def test_the_peak_of_the_design_event(self) -> None:
        event = dose.Event(0.0, 250.0, 2 * HOUR, 15 * HOUR)
        peak = dose.highest([event], 0.0, 2 * DAY)
        assert peak == pytest.approx(NUMBERS["design_peak_mgy_h"], rel=0.01)
        assert dose.rate([event], event.peak) == pytest.approx(peak, rel=1e-12)

    def test_everything_arrives_in_the_end(self) -> None:
        assert dose.Event(0.0, 8.1, 2 * HOUR, 15 * HOUR).received(30 * DAY) == pytest.approx(8.1, rel=1e-9)


class TestAlerts:
    def test_an_alert_is_as_old_as_the_light_time(self, fly: Fly) -> None:
        world = fly("nominal", 0.5, **sun())
        light = world.base.part("comms").light
        world.advance(HOUR + light - 1.0)
        assert world.truth("radiation.alert") == 0.0
        world.advance(HOUR + light + 1.0)
        assert world.truth("radiation.alert") == 1.0
        assert world.truth("radiation.rate") == pytest.approx(1000 * dose.BACKGROUND)

    def test_particles_come_after_the_warning(self, fly: Fly) -> None:
        world = fly("nominal", 8.0, **sun(warning_min=60))
        assert world.truth("radiation.rate", 2 * HOUR) == pytest.approx(9.17, abs=0.01)
        first = next(e["t"] for e in world.log() if e["kind"] == "radiation" and "direction" in e)
        assert 2 * HOUR < first < 3 * HOUR
        assert world.truth("radiation.rate", first) == pytest.approx(2000 * dose.BACKGROUND, rel=1e-6)
        assert world.truth("radiation.rate") > 30 * 1000 * dose.BACKGROUND

    def test_an_alert_ends_when_the_shelter_may_be_left(self, fly: Fly) -> None:
        world = fly("nominal", 100.0, **sun(dose_mgy=1.0))
        falls = next(e["t"] for e in world.log() if e["kind"] == "radiation" and e.get("direction") == "falling")
        alert = world.state()["radiation"]["alerts"][0]
        light = alert["arrives"] - alert["sent"]
        assert alert["ends"] - light == pytest.approx(falls + 2 * HOUR, abs=0.01)
        assert world.truth("radiation.alert") == 0.0

    def test_a_false_alert_is_followed_by_nothing(self, fly: Fly) -> None:
        world = fly("solar-false-alert", 6.0)
        assert world.truth("radiation.alert") == 1.0
        assert world.truth("radiation.rate") == pytest.approx(9.17, abs=0.01)
        # The detector's electronics are upset: the second detector is not.
        assert world.read("radiation.rate").value == pytest.approx(21.2, abs=2.0)
        assert world.check("second_dosimeter", {}).measured["rate"] == pytest.approx(9.17, rel=0.12)
        world.advance(8 * HOUR)
        assert world.truth("radiation.alert") == 0.0

    def test_the_second_dosimeter_sees_a_true_event(self, fly: Fly) -> None:
        world = fly("nominal", 4.0, **sun())
        seen = world.check("second_dosimeter", {})
        assert (seen.duration_s, seen.nominal["rate"]) == (600.0, pytest.approx(9.17, abs=0.01))
        assert seen.measured["rate"] == pytest.approx(world.truth("radiation.rate"), rel=0.15)


class TestShelter:
    @pytest.mark.parametrize(("mgy", "number"), [(8.1, "sheltered_mgy"), (250.0, "design_sheltered_mgy")])
    def test_the_shelter_cuts_the_dose(self, fly: Fly, mgy: float, number: str) -> None:
        world = fly("nominal", 1.5, **sun(dose_mgy=mgy))
        sheltered(world, "CM1,CM2,CM3")
        world.advance(6 * DAY)
        received = world.state()["radiation"]["dose_mgy"]
        galactic = dose.GCR_MGY_DAY * 6
        assert received["CM1"] - galactic == pytest.approx(NUMBERS[number], rel=0.02)
        assert received["CM4"] - galactic == pytest.approx(mgy, rel=0.001)
        assert world.truth("radiation.highest_dose") == received["CM4"]

    def test_six_people_fill_it_when_the_fan_stands(self, fly: Fly) -> None:
        beds = {"A": {"running": False}, "B": {"running": False}}
        world = fly("nominal", 1.5, imv_on=False, beds=beds, **sun(shelter_fan_fails=True))
        sheltered(world)
        start, first = world.now, world.truth("shelter.ppco2")
        world.advance(start + HOUR)
        assert world.truth("shelter.ppco2") - first == pytest.approx(NUMBERS["shelter_mmhg_h_without_fan"], rel=0.03)
        world.advance(start + 4 * HOUR)
        passed = {e["level"]: e["t"] for e in world.log() if e.get("quantity") == "shelter_ppco2"}
        assert list(passed)[:2] == [7.6, 15.0]
        assert world.truth("shelter.ppco2", passed[15.0]) == pytest.approx(15.0, abs=1e-6)
        from_265 = (15.0 - 2.65) / (world.truth("shelter.ppco2") - first) * (world.now - start) / HOUR
        assert from_265 == pytest.approx(NUMBERS["shelter_hours_to_15_mmhg_without_fan"], abs=0.1)
        assert world.command("set_shelter_fan", {"on": True}).reason == "commanded; the shelter's fan does not turn"
        world.command("repair_shelter_fan", {})
        world.advance(world.now + 2 * HOUR)
        assert world.truth("shelter.fan_speed") == 1800.0
        assert world.truth("shelter.ppco2") < 9.0

    def test_with_its_fan_it_stays_near_the_core(self, fly: Fly) -> None:
        world = fly("nominal", 1.5, **sun())
        watts = world.state()["power"]["loads_kw"]
        sheltered(world)
        assert world.state()["power"]["loads_kw"]["shelter_fan"] == 0.06
        assert "shelter_fan" not in watts
        world.advance(12 * HOUR)
        # 0.259 kg/h over 60 m3/h, less what the core's share of them is.
        excess = world.truth("shelter.ppco2") - world.truth("core.ppco2")
        assert excess == pytest.approx(0.2592 / 60.0 * 0.875**2 * 418.0, rel=0.02)

    def test_the_excess_solves_its_equation(self, fly: Fly) -> None:
        world = fly("nominal", 1.5, **sun())
        sheltered(world)
        start = world.now
        world.advance(start + 3 * HOUR)
        radiation = world.base.part("radiation")
        factor = radiation._pascal(start) / 133.322368

        def excess(t: float) -> float:
            return (radiation.ppco2(t) - world.truth("core.ppco2", t)) / factor

        source = 6 * 7.20e-4 / 60.0 * (1 / 25.0 - 1 / 200.0)
        rate = 60.0 / 3600.0 / 25.0 * 200.0 / 175.0
        closed = source / rate * -math.expm1(-rate * HOUR)
        assert excess(start + HOUR) == pytest.approx(closed, rel=1e-9)

    def test_people_go_in_from_the_core_and_stay_out_of_moves(self, fly: Fly) -> None:
        world = fly("nominal", 1.0)
        assert (
            world.command("enter_shelter", {"people": "all"}).reason == "CM5, CM6 not in the core, where the shelter is"
        )
        sheltered(world, "CM1,CM2")
        assert world.truth("shelter.people") == 2.0
        assert world.truth("shelter.people", world.now - 1.0) == 0.0
        moved = world.command("move_crew", {"people": "CM1,CM3", "to": "lab"})
        assert moved.reason == "CM1 in the shelter: leave_shelter first"
        assert world.command("leave_shelter", {"people": "all"}).reason == "CM3, CM4, CM5, CM6 not in the shelter"
        assert world.command("leave_shelter", {"people": "CM1,CM2"}).accepted
        assert world.truth("shelter.people") == 0.0

    @pytest.mark.enforces("FR-21", "quiet", "wait")
    def test_fr_21_the_shelter_is_left_two_hours_after_twice_the_background(self, fly: Fly) -> None:
        world = fly("nominal", 1.5, **sun(dose_mgy=1.0))
        sheltered(world)
        world.advance(2.0 * HOUR)
        # No particles yet: the rate has been quiet all the time.
        assert world.fork().command("leave_shelter", {"people": "all"}).accepted
        world.advance(60 * HOUR)
        falls = next(e["t"] for e in world.log() if e["kind"] == "radiation" and e.get("direction") == "falling")
        assert world.truth("radiation.rate", falls) == pytest.approx(2.0 * world.truth("radiation.rate", 0.0), rel=1e-6)
        world = fly("nominal", 1.5, **sun(dose_mgy=1.0))
        sheltered(world)
        world.advance(falls + 2 * HOUR - 1.0)
        refused = world.command("leave_shelter", {"people": "all"})
        assert (refused.accepted, refused.rule) == (False, "FR-21")
        world.advance(falls + 2 * HOUR + 1.0)
        assert world.command("leave_shelter", {"people": "all"}).accepted

    @pytest.mark.enforces("FR-21", "recall", "shelter")
    def test_half_an_hour_after_the_alert_the_base_logs_who_is_missing(self, fly: Fly) -> None:
        out = {"outside": {"people": ["CM5", "CM6"], "task": "sampling", "work_h": 3.0}}
        world = fly("nominal", 1.0, eva=out, **sun())
        light = world.base.part("comms").light
        world.advance(HOUR + light + 10 * MINUTE)
        sheltered(world, "CM1,CM2,CM3")
        world.advance(HOUR + light + 30 * MINUTE - 1.0)
        assert [e for e in world.log() if e["kind"] == "rule"] == []
        world.advance(HOUR + light + 30 * MINUTE + 1.0)
        told = [(e["why"], e["people"], e["rule"]) for e in world.log() if e["kind"] == "rule"]
        assert told == [
            ("not inside", ["CM5", "CM6"], "FR-21"),
            ("not in the shelter", ["CM4", "CM5", "CM6"], "FR-21"),
        ]
        assert world.now - (HOUR + light) == pytest.approx(30 * MINUTE + 1.0)

    def test_nobody_is_missing_who_went_at_once(self, fly: Fly) -> None:
        world = fly("nominal", 1.25, **sun())
        sheltered(world)
        world.advance(4 * HOUR)
        assert [e for e in world.log() if e["kind"] == "rule"] == []

    def test_an_upset_detector_jumps_when_particles_would_come_and_not_before_the_alert(self, fly: Fly) -> None:
        world = fly("solar-false-alert", 1.99)
        assert world.truth("radiation.alert") == 1.0
        assert world.read("radiation.rate").value == pytest.approx(9.17, abs=1.5)
        world.advance(2.05 * HOUR)
        assert world.read("radiation.rate").value == pytest.approx(21.2, abs=2.0)
        assert world.fork().digest() == world.digest()

    @pytest.mark.enforces("FR-21", "task", "between")
    def test_fr_21_one_short_task_in_four_hours(self, fly: Fly) -> None:
        world = fly("nominal", 3.0, **sun())
        sheltered(world)
        both = world.command("shelter_task", {"people": "CM1,CM2"})
        assert (both.rule, both.reason) == ("FR-21", "one person at a time")
        start = world.now
        assert world.command("shelter_task", {"people": "CM1"}).accepted
        assert world.truth("shelter.people") == 5.0
        # A task is no way out: who is on one goes nowhere else.
        assert not world.command("move_crew", {"people": "CM1", "to": "lab"}).accepted
        assert not world.command("board_rover", {"rover": "1", "people": "CM1"}).accepted
        assert not world.command("don_suits", {"people": "CM1"}).accepted
        world.advance(start + 10 * MINUTE - 1.0)
        assert world.truth("shelter.people") == 5.0
        world.advance(start + 10 * MINUTE)
        assert world.truth("shelter.people") == 6.0
        world.advance(start + 4 * HOUR - 1.0)
        assert world.command("shelter_task", {"people": "CM2"}).rule == "FR-21"
        world.advance(start + 4 * HOUR)
        assert world.command("shelter_task", {"people": "CM2"}).accepted

    def test_bad_air_opens_the_shelter(self, fly: Fly) -> None:
        world = fly("nominal", 1.5, **sun(shelter_fan_fails=True))
        sheltered(world)
        world.advance(3.0 * HOUR)
        assert world.command("leave_shelter", {"people": "all"}).rule == "FR-21"
        world.advance(6.0 * HOUR)
        assert world.truth("shelter.ppco2") > 15.0
        assert world.command("leave_shelter", {"people": "all"}).accepted

    def test_whoever_is_out_for_a_task_is_kept_wherever_they_stand_in_the_list(self, fly: Fly) -> None:
        world = fly("nominal", 1.0)
        world.command("enter_shelter", {"people": "CM2"})
        world.advance(1.5 * HOUR)
        assert world.command("shelter_task", {"people": "CM2"}).accepted
        for people in ("CM2", "CM1,CM2"):
            assert "CM2 in the shelter" in world.command("move_crew", {"people": people, "to": "lab"}).reason

    def test_a_fork_in_the_shelter_goes_on_alike(self, fly: Fly) -> None:
        world = fly("solar-event", 1.5, crew=EVERYBODY)
        sheltered(world)
        fork = world.fork()
        for one in (world, fork):
            one.advance(5 * HOUR)
            one.command("shelter_task", {"people": "CM2"})
            one.advance(9 * HOUR)
        rebuilt = World.rebuild(world.scenario, world.seed, world.commands(), world.now)
        assert world.digest() == fork.digest() == rebuilt.digest()


class TestPlaces:
    """Who is outside gets all of it, who is inside what the walls let through."""

    def outdoors(self, fly: Fly, cabin: float = 2.0) -> World:
        out = {"outside": {"people": ["CM1", "CM2"], "task": "antenna", "work_h": 3.0, "since_h": 0.0}}
        rovers = {"rovers": [{"at": "ridge", "people": ["CM3"]}, {}]}
        return fly("nominal", eva=out, rover=rovers, radiation={"cabin_factor": cabin}, **sun(warning_min=30))

    def test_outside_in_a_suit_or_a_rover_nothing_shields(self, fly: Fly) -> None:
        world = self.outdoors(fly)
        # A recall at 2.9 h; the walk of 0.1 km and the lock take 12.2 min.
        world.advance(2.9 * HOUR)
        world.command("recall_eva", {})
        world.advance(4.0 * HOUR)
        inside = next(e["t"] for e in world.log() if e["kind"] == "eva" and e["phase"] == "inside")
        event = dose.Event(1.5 * HOUR, 8.1, 2 * HOUR, 15 * HOUR)
        out, rest = event.received(inside), event.received(4.0 * HOUR) - event.received(inside)
        galactic = dose.GCR_MGY_DAY * 4 / 24
        received = world.state()["radiation"]["dose_mgy"]
        assert received["CM1"] - galactic == pytest.approx(out + rest / 2.0, rel=1e-9)
        assert received["CM3"] - galactic == pytest.approx(out + rest, rel=1e-9)
        assert received["CM4"] - galactic == pytest.approx((out + rest) / 2.0, rel=1e-9)

    def test_nobody_goes_from_outside_into_the_shelter(self, fly: Fly) -> None:
        world = self.outdoors(fly)
        refused = world.command("enter_shelter", {"people": "CM1,CM4"})
        assert (refused.accepted, refused.reason) == (False, "CM1 not in the core, where the shelter is")
        assert world.command("enter_shelter", {"people": "CM3"}).reason == "CM3 not in the core, where the shelter is"
        assert world.command("enter_shelter", {"people": "CM4"}).accepted

    def test_who_goes_out_on_the_way_to_the_shelter_is_not_in_it(self, fly: Fly) -> None:
        world = fly("nominal", 0.5, **sun())
        assert world.command("board_rover", {"rover": "1", "people": "CM1"}).accepted
        world.advance(world.now + 12 * MINUTE)
        assert world.command("enter_shelter", {"people": "CM1,CM2"}).accepted
        world.advance(world.now + 5 * MINUTE)
        assert world.state()["radiation"]["sheltered"] == ["CM2"]
        assert world.state()["rover"]["1"]["crew"] == ["CM1"]

    def test_the_shelter_is_left_before_anybody_goes_out(self, fly: Fly) -> None:
        world = fly("nominal", 0.0, crew=EVERYBODY, sleep=LONG_DAY)
        world.command("begin_prebreathe", {"people": "CM1,CM2"})
        sheltered(world, "CM1,CM2")
        world.advance(40 * MINUTE)
        out = world.command("begin_eva", {"people": "CM1,CM2", "task": "antenna", "hours": 1.0})
        assert out.reason == "CM1, CM2 in the shelter: leave_shelter first"
        board = world.command("board_rover", {"rover": "1", "people": "CM1"})
        assert board.reason == "CM1 in the shelter: leave_shelter first"

    def test_the_people_outside_are_inside_within_half_an_hour_of_a_recall(self, fly: Fly) -> None:
        """FR-21's half hour is what a recall from 0.9 km takes: 20 min on foot and 10 in the lock."""
        out = {
            "outside": {"people": ["CM1", "CM2"], "task": "sampling", "work_h": 3.0},
            "distance_km": {"sampling": 0.9},
        }
        world = fly("nominal", 0.5, eva=out)
        assert world.command("recall_eva", {}).accepted
        world.advance(world.now + 30 * MINUTE - 1.0)
        assert world.state()["crew"]["CM1"]["zone"] == "outside"
        world.advance(world.now + 2.0)
        assert world.state()["crew"]["CM1"]["zone"] == "core"

    def test_an_alert_is_logged_when_it_comes_and_when_it_is_over(self, fly: Fly) -> None:
        world = fly("solar-false-alert", 8.0)
        light = world.base.part("comms").light
        found = [(e["alert"], e["t"]) for e in world.log() if e["kind"] == "radiation" and "alert" in e]
        assert found == [("arrives", pytest.approx(HOUR + light)), ("over", pytest.approx(7 * HOUR + light))]

    def test_who_is_recalled_at_the_alert_saves_three_quarters_of_the_dose(self, fly: Fly) -> None:
        """The scenario's own figures: the design event, two people 1.5 km away."""

        def flown(recall_h: float | None, inside: bool = True) -> list[float]:
            world = fly("solar-event-eva", 0.75)
            sheltered(world, "CM3,CM4,CM5,CM6")
            if recall_h is not None:
                world.advance(recall_h * HOUR)
                assert world.command("recall_eva", {}).accepted
                world.advance(world.now + 45 * MINUTE)
            if inside:
                sheltered(world, "CM1,CM2")
            world.advance(11 * HOUR)
            received = world.state()["radiation"]["dose_mgy"]
            return [received["CM1"], received["CM3"]]

        assert flown(0.84) == pytest.approx([25.9, 25.2], abs=0.1)
        assert flown(1.5) == pytest.approx([28.7, 25.2], abs=0.1)
        assert flown(None, inside=False) == pytest.approx([100.6, 25.2], abs=0.1)
