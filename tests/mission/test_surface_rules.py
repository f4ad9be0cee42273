"""FR-12 to FR-16: the base holds people to every number that it says it enforces."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from mission import rules
from mission.world.engine import World
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]
OURS = ("FR-12", "FR-13", "FR-14", "FR-15", "FR-16")
NEVER = {"first_pass_h": 1000.0}
ABOVE = {"first_pass_h": 0.25}


def go(world: World, **changes: Any) -> Any:
    return world.command("begin_eva", {"people": "CM1,CM2", "task": "antenna", "hours": 2.0} | changes)


def breathed(fly: Fly, **changes: Any) -> World:
    world = fly("nominal", **changes)
    world.command("begin_prebreathe", {"people": "CM1,CM2,CM3,CM4"})
    world.advance(40 * MINUTE)
    return world


def at_work(fly: Fly, suits: list[dict[str, float]] | None = None, work_h: float = 6.9) -> World:
    outside = {"people": ["CM1", "CM2"], "task": "solar_array", "work_h": work_h}
    return fly("nominal", eva={"outside": outside, "suits": suits or [{}, {}]})


def away(fly: Fly, other: dict[str, Any] | None = None, **start: Any) -> World:
    top = {key: start.pop(key) for key in ("comms", "site") if key in start}
    first = {"at": "ridge", "people": ["CM1", "CM2"]} | start
    return fly("nominal", rover={"rovers": [first, other or {}]}, **({"comms": NEVER} | top))


def drive(world: World, to: str) -> Any:
    return world.command("rover_drive", {"rover": "1", "to": to})


def refused(result: Any, rule: str, words: str) -> bool:
    return not result.accepted and result.rule == rule and words in result.reason


def stops(world: World) -> list[tuple[str | None, float]]:
    return [(e["rule"], e["t"]) for e in world.log() if e["kind"] == "rover" and e["what"] == "stopped"]


def back_at(world: World) -> float:
    """When the crew turned for home."""
    return next(e["t"] for e in world.log() if e["kind"] == "eva" and e["phase"] == "walk_back")


@pytest.mark.enforces("FR-12", "tau", "wind")
def test_fr_12_dust_and_wind(fly: Fly) -> None:
    for site, accepted in (({"tau": 2.0, "wind_m_s": 20.0}, True), ({"tau": 2.01}, False), ({"wind_m_s": 20.1}, False)):
        result = go(breathed(fly, site=site))
        assert (result.accepted, result.rule) == (accepted, None if accepted else "FR-12"), result.reason


@pytest.mark.enforces("FR-12", "growth")
def test_fr_12_nobody_goes_out_under_a_sky_that_thickens(fly: Fly) -> None:
    def after(hours: float) -> World:
        storm = {"incident": "dust_storm", "onset_h": 0.0, "parameters": {"kind": "regional"}}
        world = fly("nominal", hours - 40 / 60, incidents=[storm], sleep={"start_h": 0.0, "length_h": 0.1})
        world.command("begin_prebreathe", {"people": "CM1,CM2"})
        world.advance(hours * HOUR)
        return world

    early, late = after(12.0), after(36.0)
    rises = [world.state()["weather"]["tau_rate_per_sol"] for world in (early, late)]
    assert rises[0] < 0.5 < rises[1]
    assert late.truth("site.tau") < 2.0
    assert go(early).accepted
    assert refused(go(late), "FR-12", f"tau has risen by {rises[1]:.2f} a sol, above 0.5")


def test_fr_12_without_local_radio_a_relay_passes_while_they_are_out(fly: Fly) -> None:
    def asked(hours: float, mast: float = 0.0, first: float = 4.0) -> Any:
        return go(breathed(fly, comms={"mast_m": mast, "first_pass_h": first}), hours=hours)

    assert asked(2.0, mast=10.0).accepted
    # The hatch opens at 55 min.
    assert refused(asked(3.0), "FR-12", "local radio ends at 0.0 km and no relay passes while they are out")
    assert asked(3.2).accepted
    assert asked(1.0, first=0.85).accepted


@pytest.mark.enforces("FR-13", "hard")
def test_fr_13_seven_hours_from_hatch_to_hatch(fly: Fly) -> None:
    outside = {"people": ["CM1", "CM2"], "task": "solar_array", "work_h": 6.0, "since_h": 2.0}
    world = fly("nominal", 7.0, eva={"outside": outside})
    # 0.3 km at 2.7 km/h before 5 h, when seven hours are over.
    assert back_at(world) / HOUR == pytest.approx(5.0 - 0.3 / 2.7, abs=1e-6)
    hatch = next(e["t"] for e in world.log() if e["kind"] == "eva" and e["phase"] == "ingress")
    assert hatch / HOUR == pytest.approx(5.0, abs=1e-6)
    assert [e["why"] for e in world.log() if e["kind"] == "rule"] == ["seven hours from hatch to hatch"]


@pytest.mark.enforces("FR-12", "scrubber")
def test_fr_12_a_used_scrubber_stays_at_home(fly: Fly) -> None:
    for percent, accepted in ((90.0, True), (89.9, False)):
        suits = [{"scrubber_percent": 100.0}, {"scrubber_percent": percent}]
        assert go(breathed(fly, eva={"suits": suits})).accepted is accepted
    spare = breathed(fly, eva={"suits": [{}, {"scrubber_percent": 10.0}]})
    assert go(spare, people="CM1").accepted


@pytest.mark.enforces("FR-12", "power")
def test_fr_12_a_low_base_battery(fly: Fly) -> None:
    for percent, accepted in ((45.0, True), (25.0, False)):
        world = breathed(fly, power={"battery_percent": percent})
        assert (100.0 * world.base.power.soc(world.now) >= 30.0) is accepted
        assert go(world).accepted is accepted


@pytest.mark.enforces("FR-12", "inside")
def test_fr_12_two_stay_inside(fly: Fly) -> None:
    crew = [{"id": f"CM{n}", "zone": "core"} for n in range(1, 5)]
    assert go(breathed(fly, crew=crew)).accepted
    three = fly("nominal", crew=crew[:3])
    three.command("begin_prebreathe", {"people": "CM1,CM2"})
    three.advance(40 * MINUTE)
    assert refused(go(three), "FR-12", "1 people would stay inside; 2 must")


@pytest.mark.enforces("FR-12", "prebreathe", "repaid")
def test_fr_12_prebreathe_is_complete_and_breaks_are_repaid(fly: Fly) -> None:
    world = fly("nominal")
    world.command("begin_prebreathe", {"people": "CM1,CM2"})
    world.advance(39 * MINUTE)
    assert refused(go(world), "FR-12", "prebreathe still to do: CM1 1.0 min, CM2 1.0 min")
    world.command("stop_prebreathe", {"people": "CM2"})
    world.advance(44 * MINUTE)
    world.command("begin_prebreathe", {"people": "CM2"})
    world.advance(54 * MINUTE)
    assert refused(go(world), "FR-12", "CM2 1.0 min")
    world.advance(55 * MINUTE)
    assert go(world).accepted


def test_fr_12_an_alert_keeps_people_in(fly: Fly) -> None:
    world = breathed(fly)
    world.base.part("radiation").false_alert(24.0)
    world.advance(world.now + 20 * MINUTE)
    assert refused(go(world), "FR-12", "a solar particle alert is active")


@pytest.mark.enforces("FR-13", "plan")
def test_fr_13_six_and_a_half_hours_are_planned(fly: Fly) -> None:
    world = breathed(fly)
    assert refused(go(world, hours=6.51), "FR-13", "6.51 h is more than 6.5")
    assert go(world, hours=6.5).accepted


@pytest.mark.enforces("FR-13", "reserve")
def test_fr_13_the_crew_turns_with_half_an_hour_left(fly: Fly) -> None:
    world = at_work(fly, [{"o2_percent": 50.0}, {}])
    world.advance(4 * HOUR)
    assert world.truth("suit_1.o2", back_at(world)) == pytest.approx(0.5 * 0.0794, abs=1e-4)


@pytest.mark.enforces("FR-13", "battery")
def test_fr_13_the_crew_turns_at_ten_percent(fly: Fly) -> None:
    world = at_work(fly, [{}, {"battery_percent": 40.0}])
    world.advance(4 * HOUR)
    assert world.truth("suit_2.battery", back_at(world)) == pytest.approx(10.0, abs=1e-6)


@pytest.mark.enforces("FR-13", "co2", "purge")
def test_fr_13_the_helmet_at_eight_and_at_twelve(fly: Fly) -> None:
    world = at_work(fly)
    world.base.part("eva").weaken_fan("2", 30.0)
    world.advance(28 * MINUTE)
    assert world.state()["eva"]["excursion"]["phase"] == "work"
    world.advance(HOUR)
    assert world.truth("suit_2.co2", back_at(world) - 1e-3) == pytest.approx(8.0, abs=1e-3)
    events = [e for e in world.log() if e["kind"] == "suit" and e.get("level_mmhg") == 12.4]
    assert world.truth("suit_2.secondary", events[0]["t"] + 60.0) == pytest.approx(1.18 * 29 / 30)


@pytest.mark.enforces("FR-13", "pressure")
def test_fr_13_low_suit_pressure_ends_it(fly: Fly) -> None:
    for leak, phase in ((0.455, "work"), (0.465, "walk_back")):
        world = at_work(fly)
        world.base.part("eva").leak("1", leak)
        assert (world.truth("suit_1.pressure") < 27.6) is (phase == "walk_back")
        assert world.state()["eva"]["excursion"]["phase"] == phase


@pytest.mark.enforces("FR-13", "secondary")
def test_fr_13_the_secondary_pack_lasts_half_an_hour(fly: Fly) -> None:
    world = at_work(fly)
    world.command("suit_purge", {"suit": "1", "on": True})
    world.advance(30 * MINUTE - 1.0)
    assert world.truth("suit_1.secondary") > 0.0
    world.advance(30 * MINUTE + 1.0)
    assert world.truth("suit_1.secondary") == 0.0


@pytest.mark.enforces("FR-14", "limit", "speed", "reserve")
def test_fr_14_no_farther_than_the_walk_back(fly: Fly) -> None:
    for km, accepted in ((5.0, True), (5.01, False)):
        result = go(breathed(fly, eva={"distance_km": {"sampling": km}}), task="sampling", hours=5.0)
        assert (result.accepted, result.rule) == (accepted, None if accepted else "FR-14")
    # 60 % of 0.552 kg at 1600 Btu/h last 2.67 h; less 0.5 h at 2.7 km/h they reach 5.86 km, there and back.
    for km, accepted in ((2.9, True), (2.95, False)):
        suits = [{"o2_percent": 60.0}, {}]
        result = go(breathed(fly, eva={"distance_km": {"sampling": km}, "suits": suits}), task="sampling", hours=4.0)
        assert (result.accepted, result.rule) == (accepted, None if accepted else "FR-14"), result.reason


@pytest.mark.enforces("FR-15", "radius")
def test_fr_15_no_farther_than_twenty_five_kilometres(fly: Fly) -> None:
    for km, accepted in ((25.0, True), (25.1, False)):
        ways = [{"a": "base", "b": "ridge", "km": 4.0}, {"a": "ridge", "b": "camp", "km": km - 4.0}]
        world = fly("nominal", rover={"ways": ways, "rovers": [{"at": "ridge", "people": ["CM1"]}, {}]}, comms=NEVER)
        result = drive(world, "camp")
        assert (result.accepted, result.rule) == (accepted, None if accepted else "FR-15"), result.reason


@pytest.mark.enforces("FR-15", "outbound")
def test_fr_15_forty_percent_of_the_usable_energy_on_the_way_out(fly: Fly) -> None:
    # In sand at 4.8 km/h a kilometre takes 1.846 + 0.25 kWh; 32 kWh are allowed: 15.27 km.
    for km, accepted in ((15.2, True), (15.35, False)):
        ways = [{"a": "base", "b": "ridge", "km": 0.01}, {"a": "ridge", "b": "camp", "km": km, "crr": 0.25}]
        ways[1]["hazard"] = "sand"
        world = fly("nominal", rover={"ways": ways, "rovers": [{"at": "ridge", "people": ["CM1"]}, {}]}, comms=NEVER)
        result = drive(world, "camp")
        assert (result.accepted, result.rule) == (accepted, None if accepted else "FR-15"), result.reason


@pytest.mark.enforces("FR-15", "back")
def test_fr_15_thirty_percent_are_left_on_return(fly: Fly) -> None:
    assert refused(drive(away(fly, soc_percent=62.0), "rim"), "FR-15", "29 % would be left on return")
    world = away(fly, soc_percent=64.0, comms={"first_pass_h": 2.4})
    assert drive(world, "rim").accepted
    world.advance(2.45 * HOUR)
    assert drive(world, "base").accepted
    world.advance(8 * HOUR)
    assert world.truth("rover_1.distance") == 0.0
    assert world.truth("rover_1.soc") == pytest.approx(31.0, abs=0.5)


@pytest.mark.enforces("FR-15", "walk_back", "ready")
def test_fr_15_beyond_walk_back_the_other_rover_is_ready(fly: Fly) -> None:
    for other, to, accepted in (
        ({"soc_percent": 79.0}, "outcrop", False),
        ({"soc_percent": 80.0}, "outcrop", True),
        ({"soc_percent": 79.0, "at": "ridge", "people": ["CM3"]}, "outcrop", True),
    ):
        result = drive(away(fly, other=other), to)
        assert (result.accepted, result.rule) == (accepted, None if accepted else "FR-15"), result.reason
    near = fly("nominal", rover={"rovers": [{"people": ["CM1"]}, {"soc_percent": 30.0}]})
    assert drive(near, "ridge").accepted


@pytest.mark.enforces("FR-16", "caution", "slow")
def test_fr_16_slow_above_tau_three(fly: Fly) -> None:
    for tau, kmh in ((3.0, 6.0), (3.1, 3.0)):
        world = away(fly, site={"tau": tau})
        drive(world, "outcrop")
        assert world.truth("rover_1.speed") == pytest.approx(kmh)
    firm = away(fly, site={"tau": 3.1})
    drive(firm, "base")
    assert firm.truth("rover_1.speed") == pytest.approx(4.0)


@pytest.mark.enforces("FR-16", "stop")
def test_fr_16_nobody_drives_above_tau_six(fly: Fly) -> None:
    assert drive(away(fly, site={"tau": 6.0}), "base").accepted
    assert refused(drive(away(fly, site={"tau": 6.1}), "base"), "FR-16", "tau is 6.1, above 6")
    assert stops(away(fly, site={"tau": 6.1}, driving_to="base")) == [("FR-16", 0.0)]


@pytest.mark.enforces("FR-16", "fix")
def test_fr_16_two_hours_without_a_fix(fly: Fly) -> None:
    world = away(fly, at="rim", site={"tau": 4.0}, driving_to="base")
    world.advance(4 * HOUR)
    assert stops(world) == [("FR-16", pytest.approx(2 * HOUR, abs=1e-5))]


@pytest.mark.enforces("FR-16", "error")
def test_fr_16_two_hundred_metres(fly: Fly) -> None:
    world = away(fly, driving_to="outcrop", error_m=190.0)
    world.advance(HOUR)
    ((rule, t),) = stops(world)
    assert (rule, world.truth("rover_1.position_error", t)) == ("FR-16", pytest.approx(200.0, abs=1e-4))
    assert refused(drive(world, "base"), "FR-16", "position error is 200 m")
    world.command("take_fix", {"rover": "1"})
    world.advance(world.now + 10 * MINUTE)
    assert drive(world, "base").accepted


@pytest.mark.enforces("FR-16", "haven")
def test_fr_16_a_safe_haven_keeps_two_for_seventy_two_hours(fly: Fly) -> None:
    world = away(fly)
    world.advance(72 * HOUR - 1.0)
    assert world.state()["crew"]["CM1"]["activity"] == "away"
    world.advance(72 * HOUR + 1.0)
    assert world.state()["crew"]["CM1"]["activity"] == "lost"


@pytest.mark.enforces("FR-16", "rescue", "ready")
def test_fr_16_when_a_rescue_may_leave(fly: Fly) -> None:
    for site, percent, accepted in (
        ({"tau": 3.9}, 80.0, True),
        ({"tau": 4.0}, 100.0, False),
        ({"tau": 0.5}, 79.9, False),
    ):
        world = away(fly, other={"soc_percent": percent, "people": ["CM3"]}, site=site)
        result = world.command("dispatch_rescue", {"rover": "2"})
        assert (result.accepted, result.rule) == (accepted, None if accepted else "FR-16"), result.reason
    far = away(fly, at="rim", other={"people": ["CM3"]})
    assert refused(far.command("dispatch_rescue", {"rover": "2"}), "FR-16", "no word with rover 1 now")
    heard = away(fly, at="rim", other={"people": ["CM3"]}, comms={"first_pass_h": 0.0})
    assert heard.command("dispatch_rescue", {"rover": "2"}).accepted


def test_every_enforced_number_of_these_rules_has_its_experiment() -> None:
    tests = [value for name, value in vars(sys.modules[__name__]).items() if name.startswith("test_")]
    marks = [mark.args for test in tests for mark in getattr(test, "pytestmark", ()) if mark.name == "enforces"]
    tested = sorted((rule, name) for rule, *names in marks for name in names)
    assert tested == sorted(entry for entry in rules.enforced() if entry[0] in OURS)
