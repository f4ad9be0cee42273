"""What flight rules of air and emergencies promise beside what they enforce, flown; and their conflicts, flown too."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from mission import rules
from mission.rules.conflicts import CONFLICTS
from mission.world.checks import CHECKS
from mission.world.commands import COMMANDS
from mission.world.engine import World
from mission.world.units import DAY, HOUR, MINUTE

Fly = Callable[..., World]
promises = pytest.mark.promises
conflict = pytest.mark.conflict
LONG_DAY = {"start_h": 23.9, "length_h": 0.1}
SIX = [{"id": f"CM{n}", "zone": "core"} for n in range(1, 7)]
OURS = ("FR-01", "FR-02", "FR-03", "FR-04", "FR-05", "FR-06", "FR-07", "FR-08", "FR-09", "FR-10", "FR-21", "FR-22")
FOR_PEOPLE = {
    ("FR-01", "bed_peak"): "the bus has a bed's mean, not the peaks of its half cycles",
    ("FR-02", "limit"): "how long people may bear it",
    ("FR-02", "ceiling"): "the level of FR-03, which is logged",
    ("FR-06", "rate"): "when people suspect a leak",
    ("FR-06", "hold"): "when people suspect a leak",
    ("FR-07", "pressure"): "what people compute the reserve time to",
    ("FR-07", "slow"): "which branch people take",
    ("FR-07", "fast"): "which branch people take",
    ("FR-21", "look"): "how often people look",
}
"""Numbers that are for people to keep: nothing in the world has to do with them."""


def marked(mark: str) -> set[tuple[str, ...]]:
    """Arguments of every test here that carries the mark; (rule, name) for promises, pairs of rules for conflicts."""
    found: set[tuple[str, ...]] = set()
    for node in ast.walk(ast.parse(Path(__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == mark:
            given = [ast.literal_eval(argument) for argument in node.args]
            found.update([(given[0], name) for name in given[1:]] if mark == "promises" else [tuple(given)])
    return found


def crossed(world: World, quantity: str, level: float, zone: str = "core") -> float:
    return next(
        e["t"] / HOUR
        for e in world.log()
        if e["kind"] == "crossing" and (e["quantity"], e["level"], e["zone"]) == (quantity, level, zone)
    )


def test_every_number_is_enforced_promised_or_for_people_to_keep() -> None:
    unenforced = {
        (rule.id, name)
        for rule in rules.RULES
        if rule.id in OURS
        for name, number in rule.numbers.items()
        if not number.enforced
    }
    assert marked("promises") | set(FOR_PEOPLE) == unenforced
    assert not marked("promises") & set(FOR_PEOPLE)


@promises("FR-01", "bed_mean")
def test_fr_01_a_second_bed_draws_what_it_says(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    before = world.truth("power.load")
    world.command("start_bed", {"unit": "B"})
    assert world.truth("power.load") - before == pytest.approx(rules.number("FR-01", "bed_mean"))


@promises("FR-02", "day_level", "instant")
@promises("FR-03", "abandon")
def test_fr_02_and_fr_03_levels_are_logged_where_they_are_passed(fly: Fly) -> None:
    world = fly("nominal", 60.0, crew=SIX, sleep=LONG_DAY, beds={"A": {"running": False}, "B": {"running": False}})
    for rule, name in (("FR-02", "day_level"), ("FR-02", "instant"), ("FR-03", "abandon")):
        hours = crossed(world, "ppco2", rules.number(rule, name))
        assert world.truth("core.ppco2", hours * HOUR) == pytest.approx(rules.number(rule, name), rel=1e-6)


@promises("FR-02", "can_interval")
def test_fr_02_a_can_lasts_six_people_as_long_as_it_says(fly: Fly) -> None:
    world = fly("nominal", 1.0, crew=SIX, sleep=LONG_DAY)
    made = sum(world.base.air.config.crew_co2) * HOUR
    assert rules.number("FR-02", "can") / made == pytest.approx(rules.number("FR-02", "can_interval"), abs=0.05)


@promises("FR-04", "caution", "warning", "critical")
def test_fr_04_levels_are_logged_where_they_are_passed(fly: Fly) -> None:
    world = fly("puncture", 6.0, makeup="off", sleep=LONG_DAY)
    for name in ("caution", "warning", "critical"):
        hours = crossed(world, "pio2", rules.number("FR-04", name))
        air, t = world.base.air, hours * HOUR
        inspired = (air.pressure(0, t) / 133.322368 - 47.0) * air.partial_pressure("o2", 0, t) / air.pressure(0, t)
        assert inspired == pytest.approx(rules.number("FR-04", name), rel=1e-3)


@promises("FR-06", "makeup")
def test_fr_06_twice_the_design_leak(fly: Fly) -> None:
    world = fly("nominal", 24.0)
    lost = -sum(world.base.air.tracks[gas].ledger(DAY)["design_leak"] for gas in ("o2", "n2", "co2", "h2o"))
    # The closed airlock has its share of the leak and none of the make-up.
    assert 2.0 * lost * 300.0 / 315.0 == pytest.approx(rules.number("FR-06", "makeup"), rel=0.02)


@promises("FR-08", "close")
def test_fr_08_the_lab_can_be_left_and_shut_in_the_time(fly: Fly) -> None:
    world = fly("puncture", 1.02)
    start = world.now
    world.command("move_crew", {"people": "all", "to": "core"})
    world.advance(start + rules.number("FR-08", "close") * MINUTE)
    assert world.command("close_hatch", {"hatch": "core-lab"}).accepted


@promises("FR-09", "search")
def test_fr_09_the_search_fits_its_time(fly: Fly) -> None:
    took = CHECKS["co_meter"].minutes["lab"] + CHECKS["second_detector"].minutes["lab"]
    assert took + COMMANDS["extinguish"].duration_s / MINUTE == rules.number("FR-09", "search")


@promises("FR-09", "fan_off")
def test_fr_09_people_on_both_sides_bear_the_fan_off_for_so_long(fly: Fly) -> None:
    crew = [{"id": f"CM{n}", "zone": "core" if n < 4 else "lab"} for n in range(1, 7)]
    world = fly("dust-alarm", 1.0 + rules.number("FR-09", "fan_off"), crew=crew, sleep=LONG_DAY)
    assert 4.0 < world.truth("lab.ppco2") < rules.number("FR-02", "instant")


@promises("FR-10", "don", "mask")
def test_fr_10_a_mask_is_on_in_a_minute_and_lasts(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    done = world.command("don_masks", {"people": "CM1"}).completes_s
    assert done is not None
    assert done - world.now == rules.number("FR-10", "don") * MINUTE
    world.advance(done + rules.number("FR-10", "mask") * MINUTE)
    empty = next(e["t"] for e in world.log() if e["kind"] == "mask")
    assert empty - done == rules.number("FR-10", "mask") * MINUTE


def test_every_conflict_is_flown_and_names_rules_that_there_are() -> None:
    assert marked("conflict") == {one.rules for one in CONFLICTS}
    assert all(rules.get(rule) for one in CONFLICTS for rule in one.rules)


@conflict("FR-09", "FR-01")
def test_the_stopped_fan_makes_the_pocket_and_one_measurement_ends_it(fly: Fly) -> None:
    crew = [{"id": f"CM{n}", "zone": "core" if n < 4 else "lab"} for n in range(1, 7)]
    world = fly("dust-alarm", 3.2, crew=crew, sleep=LONG_DAY)
    assert crossed(world, "ppco2_1h_mean", 3.0, "lab") < 3.2
    assert world.command("set_imv", {"on": True}).rule == "FR-09"
    world.check("co_meter", {"zone": "lab"})
    assert world.command("set_imv", {"on": True}).accepted


@conflict("FR-18", "FR-04")
def test_half_a_generator_is_made_up_from_the_tank_for_days(fly: Fly) -> None:
    alone, helped = (fly("nominal", 0.5, makeup=mode) for mode in ("off", "auto"))
    for world in (alone, helped):
        world.command("set_oga", {"kg_per_day": 2.46})
        world.advance(48 * HOUR)
    assert alone.state()["exposures"]["min_pio2_mmhg"] < 127.0 < helped.state()["exposures"]["min_pio2_mmhg"]
    assert 60.0 / ((60.0 - helped.truth("tank.o2")) / 1.98) > 12.0


@conflict("FR-21", "FR-01")
def test_bad_air_opens_the_shelter(fly: Fly) -> None:
    faults = [{"incident": "solar_particles", "onset_h": 1.0, "parameters": {"shelter_fan_fails": True}}]
    world = fly("nominal", 1.5, crew=SIX, sleep=LONG_DAY, incidents=faults)
    world.command("enter_shelter", {"people": "all"})
    world.advance(4.0 * HOUR)
    assert world.truth("shelter.ppco2") < 15.0
    assert world.command("leave_shelter", {"people": "all"}).rule == "FR-21"
    world.advance(5.5 * HOUR)
    assert world.truth("shelter.ppco2") >= 15.0
    assert world.command("leave_shelter", {"people": "all"}).accepted


@conflict("FR-12", "FR-17")
def test_a_storm_keeps_the_cleaners_inside(fly: Fly) -> None:
    world = fly("nominal", 1.0, site={"tau": 2.5})
    world.command("begin_prebreathe", {"people": "CM1,CM2"})
    world.advance(world.now + 40 * MINUTE)
    refused = world.command("begin_eva", {"people": "CM1,CM2", "task": "solar_array", "hours": 2.0})
    assert (refused.accepted, refused.rule) == (False, "FR-12")


@conflict("FR-10", "FR-22")
def test_one_cue_is_enough_to_isolate_and_two_chips_to_stand_down(fly: Fly) -> None:
    world = fly("ammonia-false-alarm", 1.01)
    world.command("move_crew", {"people": "all", "to": "core"})
    world.advance(world.now + 5 * MINUTE)
    assert world.state()["evidence"] == []
    assert world.command("close_hatch", {"hatch": "core-lab"}).accepted
    assert world.command("isolate_segment", {"loop": "b"}).accepted
    assert world.command("open_hatch", {"hatch": "core-lab"}).rule == "FR-10"


@conflict("FR-06", "FR-04")
def test_an_inhibited_make_up_costs_half_an_hour_of_oxygen_and_no_more(fly: Fly) -> None:
    world = fly("puncture", 1.1)
    world.command("set_makeup", {"mode": "inhibited"})
    before = world.state()["zones"]["core"]["pio2_mmhg"]
    world.advance(world.now + 30 * MINUTE)
    assert world.state()["zones"]["core"]["pio2_mmhg"] < before - 5.0
    assert world.state()["makeup"]["mode"] == "auto"
    thin = fly("nominal", zones={zone: {"ppo2_kpa": 17.8} for zone in ("core", "lab")}, makeup="off")
    assert thin.command("set_makeup", {"mode": "auto"}).accepted
