"""Flight rules: their words come from their numbers, and the world holds people to every enforced one."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from mission import rules
from mission.world.engine import CheckRefusedError, World
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]
PIT = {"core": {"ppco2_mmhg": 8.0}, "lab": {"ppco2_mmhg": 2.8}}
enforces = pytest.mark.enforces


def experiments() -> list[tuple[str, str]]:
    """(rule, number) of every test of the mission that is marked as the experiment on it."""
    found: set[tuple[str, str]] = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "enforces":
                rule, *names = [ast.literal_eval(argument) for argument in node.args]
                found.update((rule, name) for name in names)
    return sorted(found)


def test_text_is_made_of_the_numbers() -> None:
    text = rules.text("FR-06")
    assert text.startswith("FR-06 Leak suspicion\nTrigger: d(pN2/T)/dt beyond -0.3 mmHg/h for 2 h")
    assert "Maximum duration: 30 min inhibited; make-up then resumes by itself." in text
    assert "Enforced by the base: 30 min (inhibit)" in text


def test_a_changed_number_changes_the_text() -> None:
    rule = rules.get("FR-06")
    other = rule.model_copy(update={"numbers": rule.numbers | {"inhibit": rules.Number(value=45, unit="min")}})
    assert "45 min inhibited" in other.text()


def test_a_number_that_no_sentence_says_is_refused() -> None:
    rule = rules.get("FR-06")
    with pytest.raises(ValidationError, match="FR-06: no sentence says extra"):
        rules.Rule.model_validate(
            rule.model_dump() | {"numbers": {**rule.numbers, "extra": rules.Number(value=1, unit="s")}}
        )


def test_rules_are_found_by_id_and_by_word() -> None:
    assert [rule.id for rule in rules.find("fr-07")] == ["FR-07"]
    assert rules.find("leak")[0].id == "FR-06"
    assert {"FR-01", "FR-02", "FR-03"} <= {rule.id for rule in rules.find("co2")}
    assert rules.find("zzz") == []
    with pytest.raises(ValueError, match=r"no flight rule 'FR-6'; near: .*FR-06"):
        rules.text("FR-6")
    assert [rule.id for rule in rules.RULES] == [f"FR-{n:02d}" for n in range(1, 23)]


@enforces("FR-01", "caution", "window")
def test_fr_01_the_mean_of_an_hour_above_three(fly: Fly) -> None:
    world = fly("bed-degraded", 6.0)
    event = next(
        e for e in world.log() if e["kind"] == "crossing" and e["quantity"] == "ppco2_1h_mean" and e["zone"] == "core"
    )
    assert (event["level"], event["rule"], event["occupied"]) == (3.0, "FR-01", True)
    times = [event["t"] - 3600.0 * (index + 0.5) / 200 for index in range(200)]
    assert sum(world.truth("core.ppco2", t) for t in times) / 200 == pytest.approx(3.0, abs=1e-4)


@enforces("FR-01", "limit")
def test_fr_01_gives_way_to_fr_02_after_a_day(fly: Fly) -> None:
    world = fly("bed-degraded", 30.0)
    log = world.log()
    start = next(
        e["t"] for e in log if e["kind"] == "crossing" and e["quantity"] == "ppco2_1h_mean" and e["zone"] == "lab"
    )
    told = next(e for e in log if e["kind"] == "rule" and e["zone"] == "lab")
    assert (told["rule"], told["t"] - start) == ("FR-02", pytest.approx(24 * HOUR, abs=1e-5))


@enforces("FR-02", "cross_check")
def test_fr_02_lioh_needs_a_fresh_second_instrument(fly: Fly) -> None:
    world = fly("bed-degraded", 5.0)
    refused = world.command("open_lioh", {"zone": "core"})
    assert (refused.accepted, refused.rule) == (False, "FR-02")
    assert refused.reason == "LiOH needs a handheld_co2 check of the core within 60 min"
    world.check("handheld_co2", {"zone": "lab"})
    assert not world.command("open_lioh", {"zone": "core"}).accepted
    world.check("handheld_co2", {"zone": "core"})
    world.advance(world.now + 60 * MINUTE)
    assert world.fork().command("open_lioh", {"zone": "core"}).accepted
    world.advance(world.now + 1.0)
    assert not world.command("open_lioh", {"zone": "core"}).accepted


@enforces("FR-02", "can")
def test_fr_02_a_can_takes_up_what_it_says(fly: Fly) -> None:
    world = fly("bed-degraded", 5.0)
    world.check("handheld_co2", {"zone": "core"})
    world.command("open_lioh", {"zone": "core"})
    world.advance(15 * HOUR)
    spent = next(event for event in world.log() if event["kind"] == "can_spent")
    taken = -world.base.air.tracks["co2"].ledger(spent["t"])["lioh"]
    assert taken == pytest.approx(1.92, abs=1e-8)
    assert world.state()["lioh"] == {"opened": 1, "left": 23, "active": []}


def test_a_can_is_spent_when_it_is_full_and_not_at_the_next_event(fly: Fly) -> None:
    world = fly("bed-degraded", 6.0)
    world.command("start_bed", {"unit": "B"})
    world.command("repair_bed", {"unit": "A"})
    world.check("handheld_co2", {"zone": "core"})
    world.command("open_lioh", {"zone": "core"})
    (can,) = world.base.air.config.cans
    world.advance(20 * HOUR)
    spent = next(event["t"] for event in world.log() if event["kind"] == "can_spent")
    flow = world.base.air.design.lioh_flow_m3_h / HOUR
    taken = flow * (world.base.air.tracks["co2"].dose(spent)[0] - can.dose)
    assert taken == pytest.approx(1.92, abs=1e-9)
    assert not any(event["t"] == spent for event in world.log() if event["kind"] != "can_spent")


@enforces("FR-03", "emergency", "sustained")
def test_fr_03_opens_the_cans_after_an_hour_at_seven_point_six(fly: Fly) -> None:
    world = fly("bed-degraded", 0.5, zones=PIT, beds={"A": {"running": False}, "B": {"running": False}})
    world.advance(0.99 * HOUR)
    held = world.truth("core.ppco2")
    assert held < 7.6
    world = fly("fan-stopped", 10.7)
    assert not world.command("open_lioh", {"zone": "lab"}).accepted
    world.advance(10.74 * HOUR)
    assert world.truth("lab.ppco2") == pytest.approx(8.15, abs=0.05)
    assert world.command("open_lioh", {"zone": "lab"}).accepted
    assert next(e for e in world.log() if e["kind"] == "rule")["why"] == "7.6 mmHg sustained"


@enforces("FR-03", "leave")
def test_fr_03_at_fifteen_there_is_no_waiting(fly: Fly) -> None:
    for level, accepted in ((14.9, False), (15.1, True)):
        zones = {"core": {"ppco2_mmhg": level}, "lab": {"ppco2_mmhg": level}}
        assert fly("bed-degraded", zones=zones).command("open_lioh", {"zone": "core"}).accepted is accepted


@enforces("FR-04", "trend")
def test_fr_04_make_up_comes_back_after_a_trend(fly: Fly) -> None:
    world = fly("masked-leak", 1.0)
    world.command("set_makeup", {"mode": "off"})
    refused = world.command("set_makeup", {"mode": "auto"})
    assert (refused.accepted, refused.rule) == (False, "FR-04")
    world.check("pn2_trend", {})
    assert world.state()["makeup"]["mode"] == "off"
    world.advance(world.now + 24 * HOUR)
    assert world.fork().command("set_makeup", {"mode": "auto"}).accepted
    world.advance(world.now + 1.0)
    # By now the air is so thin that FR-04 waives the trend.
    assert world.state()["exposures"]["min_pio2_mmhg"] < 122.0


@enforces("FR-04", "absolute")
def test_fr_04_waives_the_trend_below_122(fly: Fly) -> None:
    for ppo2, accepted in ((18.0, False), (17.8, True)):
        zones = {zone: {"ppo2_kpa": ppo2} for zone in ("core", "lab")}
        world = fly("nominal", zones=zones, makeup="off")
        assert world.command("set_makeup", {"mode": "auto"}).accepted is accepted


@enforces("FR-05", "caution")
def test_fr_05_no_more_oxygen_above_the_caution(fly: Fly) -> None:
    for ppo2, accepted in ((20.0, True), (20.1, False)):
        world = fly("nominal", zones={zone: {"ppo2_kpa": ppo2} for zone in ("core", "lab")})
        result = world.command("set_oga", {"kg_per_day": 6.0})
        assert (result.accepted, result.rule) == (accepted, None if accepted else "FR-05")
        assert world.command("set_oga", {"kg_per_day": 3.0}).accepted


@enforces("FR-05", "fire")
def test_fr_05_no_suit_is_purged_in_rich_air(fly: Fly) -> None:
    # 21.1 kPa of 70.3 kPa are 30 %.
    for ppo2, rule in ((21.0, None), (21.2, "FR-05")):
        zones = {zone: {"ppo2_kpa": ppo2} for zone in ("core", "lab", "airlock")}
        world = fly("nominal", zones=zones)
        world.command("begin_prebreathe", {"people": "CM1,CM2"})
        world.advance(45 * MINUTE)
        share = world.state()["zones"]["core"]["o2_percent"]
        assert (share > 30.0) is (rule is not None)
        result = world.command("begin_eva", {"people": "CM1,CM2", "task": "radiator", "hours": 1.0})
        assert (result.accepted, result.rule) == (rule is None, rule)


@enforces("FR-05", "dilution")
def test_fr_05_nitrogen_up_to_74_kpa(fly: Fly) -> None:
    world = fly("nominal", makeup="off", zones={zone: {"ppo2_kpa": 21.1} for zone in ("core", "lab")})
    assert not world.command("dilute_n2", {"to_kpa": 74.01}).accepted
    assert world.command("dilute_n2", {"to_kpa": 74.0}).accepted
    world.advance(4 * HOUR)
    reached = next(e for e in world.log() if e["kind"] == "dilution")
    # 3.7 kPa of 300 m3 at 291.8 Pa a kilogram are 12.7 kg, and 5.4 kg go in an hour.
    assert reached["t"] / HOUR == pytest.approx(2.35, abs=0.08)
    assert world.truth("core.pressure", reached["t"]) == pytest.approx(74.0, abs=1e-9)
    assert 80.0 - world.truth("tank.n2") == pytest.approx(12.7, abs=0.4)
    assert world.base.air.config.n2_dilution == 0.0


@enforces("FR-06", "inhibit")
def test_fr_06_inhibited_make_up_resumes_by_itself(fly: Fly) -> None:
    world = fly("masked-leak", 2.0)
    result = world.command("set_makeup", {"mode": "inhibited"})
    assert result.reason == "make-up is inhibited; auto again in 30 min"
    world.advance(2 * HOUR + 30 * MINUTE - 1.0)
    assert world.state()["makeup"]["mode"] == "inhibited"
    world.advance(2 * HOUR + 30 * MINUTE)
    assert world.state()["makeup"]["mode"] == "auto"


def test_fr_06_inhibiting_is_no_way_around_the_trend_nor_without_an_end(fly: Fly) -> None:
    off = fly("oga-off", 6.0)
    assert not off.command("set_makeup", {"mode": "auto"}).accepted
    assert off.command("set_makeup", {"mode": "inhibited"}).rule == "FR-06"
    on = fly("nominal", 6.0)
    assert on.command("set_makeup", {"mode": "inhibited"}).accepted
    on.advance(on.now + 29 * MINUTE)
    assert on.command("set_makeup", {"mode": "inhibited"}).rule == "FR-06"
    on.advance(on.now + MINUTE)
    assert on.state()["makeup"]["mode"] == "auto"


def test_fr_06_a_new_order_is_not_undone_by_the_old_clock(fly: Fly) -> None:
    world = fly("masked-leak", 2.0)
    world.command("set_makeup", {"mode": "inhibited"})
    world.advance(world.now + 10 * MINUTE)
    with pytest.raises(CheckRefusedError, match=r"FR-06 leaves 20\.0 min of inhibited make-up"):
        world.check("pn2_trend", {})
    world.command("set_makeup", {"mode": "auto"})
    world.command("set_makeup", {"mode": "inhibited"})
    world.advance(world.now + 29 * MINUTE)
    assert world.state()["makeup"]["mode"] == "inhibited"


@enforces("FR-07", "dwell_airlock", "dwell_lab", "dwell_core")
def test_fr_07_a_dwell_lasts_as_long_as_the_rule_says(fly: Fly) -> None:
    world = fly("masked-leak", 2.0)
    with pytest.raises(CheckRefusedError, match=r"CM4, CM5, CM6 in the lab: move them"):
        world.check("hatch_dwell", {"zone": "lab"})
    assert world.now == 2 * HOUR
    world.command("move_crew", {"people": "all", "to": "core"})
    world.advance(world.now + 5 * MINUTE)
    minutes = {zone: world.check("hatch_dwell", {"zone": zone}).duration_s / 60 for zone in ("airlock", "lab")}
    world.command("move_crew", {"people": "all", "to": "lab"})
    world.advance(world.now + 5 * MINUTE)
    minutes["core"] = world.check("hatch_dwell", {"zone": "core"}).duration_s / 60
    assert minutes == {zone: rules.number("FR-07", f"dwell_{zone}") for zone in ("airlock", "lab", "core")}
    # Half the time for 1 mmHg at 2 mm in the lab is 4.2 min.
    assert minutes["lab"] <= 60.0 / 7.15 / 2


@enforces("FR-22", "cans", "cues", "age")
def test_fr_22_the_third_can_needs_two_cues(fly: Fly) -> None:
    world = fly("bed-degraded", 5.0)
    world.check("handheld_co2", {"zone": "core"})
    assert world.command("open_lioh", {"zone": "core"}).accepted
    assert world.command("open_lioh", {"zone": "core"}).accepted
    refused = world.command("open_lioh", {"zone": "core"})
    assert (refused.accepted, refused.rule) == (False, "FR-22")
    assert "more than 2 LiOH cans needs 2 different checks" in refused.reason
    world.check("handheld_co2", {"zone": "lab"})
    assert not world.command("open_lioh", {"zone": "core"}).accepted
    world.check("fan_check", {})
    assert world.fork().command("open_lioh", {"zone": "core"}).accepted
    world.advance(world.now + 58 * MINUTE)
    world.check("handheld_co2", {"zone": "core"})
    assert not world.command("open_lioh", {"zone": "core"}).accepted


@enforces("FR-22", "vent")
def test_fr_22_venting_needs_two_cues_but_not_for_a_little_air(fly: Fly) -> None:
    world = fly("nominal")
    refused = world.command("vent_zone", {"zone": "airlock"})
    assert (refused.accepted, refused.rule) == (False, "FR-22")
    assert refused.reason.startswith("venting 12.5 kg of air needs 2 different checks")
    thin = {"airlock": {"pressure_kpa": 28.0, "ppo2_kpa": 7.0}}
    assert fly("nominal", zones=thin).command("vent_zone", {"zone": "airlock"}).accepted
    world.check("gauge_crosscheck", {"zone": "core"})
    world.check("handheld_co2", {"zone": "core"})
    # What the core is like says nothing about the airlock.
    assert not world.command("vent_zone", {"zone": "airlock"}).accepted
    world.check("pn2_trend", {})
    world.check("hatch_dwell", {"zone": "airlock"})
    assert world.command("vent_zone", {"zone": "airlock"}).accepted
    world.advance(world.now + HOUR)
    assert world.truth("airlock.pressure") < 1.0
    assert world.state()["leaks"] == []


def test_fr_22_a_scram_needs_two_cues(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    world.check("convertor_list", {})
    refused = world.command("scram_reactor", {})
    assert (refused.accepted, refused.rule) == (False, "FR-22")
    world.check("second_dosimeter", {})
    assert world.command("scram_reactor", {}).accepted


def test_fr_22_no_hatch_is_closed_on_people(fly: Fly) -> None:
    refused = fly("nominal").command("close_hatch", {"hatch": "core-lab"})
    assert (refused.accepted, refused.rule) == (False, "FR-22")
    assert refused.reason == "CM5, CM6 would be shut in on the far side; move them first"


def test_every_enforced_number_has_its_experiment() -> None:
    assert experiments() == sorted(rules.enforced())
