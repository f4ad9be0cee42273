"""The tools of a desk: what they return, what they refuse, what they cost, and what they never give away."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from mission import incidents, rules, sensors, tools
from mission.desk import Assessment, Desk, mission_time
from mission.report import MissionPlan, plan_digest
from mission.world.checks import CHECKS
from mission.world.commands import COMMANDS
from mission.world.engine import World, load_scenario
from mission.world.spec import CheckRefusedError

Fly = Callable[..., World]
SCENARIOS = Path(__file__).parents[2] / "cases" / "scenarios"
INCIDENTS = ("bed-degraded", "bed-degraded-exercise", "fan-stopped", "masked-leak")


@pytest.fixture
def sit(fly: Fly) -> Callable[..., Desk]:
    """A desk in a shipped scenario, six hours in."""

    def take(name: str = "masked-leak", hours: float = 6.0, role: str = "life-support") -> Desk:
        return Desk(fly(name, hours), role, Assessment())

    return take


@pytest.fixture(scope="module")
def leaking() -> World:
    """One world for all the tests that run no check: nothing else changes it, as a test here shows."""
    world = World(load_scenario(SCENARIOS / "masked-leak.yaml"), 7)
    world.advance(6 * 3600.0)
    return world


@pytest.fixture
def desk(leaking: World) -> Desk:
    return Desk(leaking, "life-support", Assessment())


def plan(**fields: Any) -> MissionPlan:
    """A plan of one sound step and one expectation, with fields replaced."""
    step = {
        "command": "set_imv",
        "parameters": [{"name": "on", "value": True}],
        "start_min": 0,
        "abort_if": {"channel": "imv.current", "comparison": "above", "value": 4.0},
    }
    expected = {
        "quantity": "lab.ppco2",
        "comparison": "at_most",
        "value": 4.0,
        "unit": "mmHg",
        "after_min": 60,
        "evidence": [],
    }
    whole = {
        "headline": "Mix the air",
        "steps": [step],
        "rationale": "The lab is stale.",
        "evidence": ["lab.ppco2@T+06:00"],
        "expected": [expected],
        "uncertainties": [],
        "approval_covers": "This step, today.",
    }
    return MissionPlan.model_validate(whole | fields)


def step(command: str, *, channel: str | None = None, **parameters: Any) -> dict[str, Any]:
    abort = {"channel": channel, "comparison": "above", "value": 1.0} if channel else None
    return {
        "command": command,
        "parameters": [{"name": name, "value": value} for name, value in parameters.items()],
        "start_min": 0,
        "abort_if": abort,
    }


def expectation(quantity: str, unit: str) -> dict[str, Any]:
    return {
        "quantity": quantity,
        "comparison": "at_most",
        "value": 4.0,
        "unit": unit,
        "after_min": 60,
        "evidence": [],
    }


def refusal(tool: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """The one line that a call is refused with."""
    with pytest.raises(ValueError) as error:
        tool(*args, **kwargs)
    assert "\n" not in str(error.value)
    return str(error.value)


def every_reply(desk: Desk) -> Iterator[tuple[str, Any]]:
    """A good reply of every tool: all channels with history, all rules, all checks that can be made, and so on."""
    names = list(sensors.CATALOGUE)
    yield "list_channels", tools.list_channels(desk)
    for start in range(0, len(names), tools.MAX_CHANNELS):
        yield "read_telemetry", tools.read_telemetry(desk, names[start : start + tools.MAX_CHANNELS], 6.0)
    for rule in rules.RULES:
        yield "look_up_rules", tools.look_up_rules(desk, rule.id)
    yield "calculate", tools.calculate(desk, "221 * ln(70.3 / 52.4)")
    yield "list_commands", tools.list_commands(desk)
    yield "submit_plan", tools.submit_plan(desk, plan())
    for check, spec in CHECKS.items():
        if check == "hatch_dwell":
            continue
        try:
            yield "run_check", tools.run_check(desk, check, spec.choices[0] if spec.choices else "")
        except CheckRefusedError as refused:
            yield "refused", {"evidence_id": f"refused:{check}", "error": str(refused)}
    for source in ("crew", "orbital", "maintenance"):
        yield "read_reports", tools.read_reports(desk, source)
    yield "run_check", tools.run_check(desk, "hatch_dwell", "airlock")


def uncovered(value: Any, path: str = "") -> Iterator[str]:
    """Where in a reply there is a datum with no evidence id at its own object or one around it."""
    if isinstance(value, dict):
        if "evidence_id" not in value:
            for key, item in value.items():
                yield from uncovered(item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from uncovered(item, f"{path}[]")
    else:
        yield path


def ids(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "evidence_id" in value:
            yield value["evidence_id"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from ids(item)


def test_every_datum_that_a_tool_returns_carries_an_evidence_id_of_its_own(sit):
    replies = list(every_reply(sit()))
    assert json.loads(json.dumps(replies, allow_nan=False)) == [list(reply) for reply in replies]
    loose = {(name, path) for name, reply in replies for path in uncovered(reply)}
    echoed = {entry for entry in loose if entry[0] == "submit_plan"}
    assert loose - echoed == {("read_telemetry", ".time")}, "the clock of a reply is no datum"
    assert {path.split(".")[1].removesuffix("[]") for _, path in echoed} == {"accepted", "plan_digest", "plan"}
    seen = [name for _, reply in replies for name in ids(reply)]
    assert len(seen) == len(set(seen))
    assert len(seen) > 2 * len(sensors.CATALOGUE) + len(rules.RULES) + len(COMMANDS)


def test_the_evidence_id_says_what_it_is_of_and_when(sit):
    desk = sit()
    reading = tools.read_telemetry(desk, ["makeup.n2_flow"], 6.0)["readings"][0]
    assert reading["evidence_id"] == "makeup.n2_flow@T+06:00"
    assert reading["history"]["evidence_id"] == "makeup.n2_flow@T+06:00-6h"
    assert [sample["time"] for sample in reading["history"]["samples"]][::6] == ["T+00:00", "T+03:00", "T+06:00"]
    assert tools.look_up_rules(desk, "FR-06")["rules"][0]["evidence_id"] == "rule:FR-06"
    assert tools.run_check(desk, "hatch_dwell", "airlock")["evidence_id"] == "check:hatch_dwell:airlock@T+06:01"
    assert tools.run_check(desk, "fan_check")["evidence_id"] == "check:fan_check@T+06:03"
    assert tools.list_commands(desk)["commands"][0]["evidence_id"] == "command:start_bed"
    assert tools.list_channels(desk, "Lab, co2")["evidence_id"] == "channels:lab co2"
    assert tools.calculate(desk, "1 + 1") == {"evidence_id": "calc:72fce594", "expression": "1 + 1", "value": 2.0}


def test_mission_time_counts_both_ways_from_the_start():
    assert [mission_time(t) for t in (0.0, 4349.0, -5400.0, -41 * 86400.0)] == [
        "T+00:00", "T+01:12:29", "T-01:30", "T-984:00",
    ]  # fmt: skip


def test_a_reading_says_when_it_is_one_of_the_past(sit):
    reading = tools.read_telemetry(sit("fan-stopped"), ["lab.ppco2"])["readings"][0]
    assert (reading["quality"], reading["sampled"]) == ("stale", "T+01:00")
    assert reading["note"] == "the shared sampling line skips the lab"


def test_a_thousand_readings_change_nothing(desk):
    before = desk.world.digest()
    names = sorted(sensors.CATALOGUE)
    first = tools.read_telemetry(desk, names[:20], 24.0)
    for turn in range(1000):
        tools.read_telemetry(desk, [names[turn % len(names)]], float(turn % 3))
    assert tools.read_telemetry(desk, names[:20], 24.0) == first
    assert desk.world.digest() == before


def test_only_a_check_changes_the_world(sit):
    desk = sit()
    before = desk.world.digest()
    for name, reply in every_reply(desk):
        if name == "run_check":
            assert desk.world.digest() != before
            return
        assert desk.world.digest() == before, f"{name} changed the world: {reply}"


def advertised() -> dict[tuple[str, str], float]:
    """Minutes by check and target, as list_checks gives them to a model."""
    found: dict[tuple[str, str], float] = {}
    for check in tools.list_checks(typing.cast(Any, None))["checks"]:
        minutes = check["minutes"] if check["targets"] else {"": check["minutes"]}
        found |= {(check["name"], target): cost for target, cost in minutes.items()}
    return found


def test_list_checks_names_every_check_target_and_cost():
    assert advertised() == {
        (name, choice): minutes for name, spec in CHECKS.items() for choice, minutes in spec.minutes.items()
    }


@pytest.mark.parametrize(("check", "target"), sorted(advertised()))
def test_a_check_takes_its_advertised_minutes(sit, check, target):
    desk = sit("nominal", hours=0.0)
    if check == "hatch_dwell":
        desk.world.command("move_crew", {"people": "all", "to": "core" if target == "lab" else "lab"})
    else:
        desk.world.command("open_hatch", {"hatch": "core-airlock"})
        desk.world.command("start_bed", {"unit": "B"})
    desk.world.advance(desk.world.now + 600)
    began, before = desk.world.now, desk.world.digest()
    try:
        reply = tools.run_check(desk, check, target)
    except CheckRefusedError:
        assert (desk.world.now, desk.world.digest()) == (began, before)
        return
    assert desk.world.now - began == 60 * advertised()[check, target]
    assert (reply["started"], reply["finished"]) == (mission_time(began), mission_time(desk.world.now))


def test_history_looks_back_no_further_than_the_world_has_run(sit):
    reading = tools.read_telemetry(sit(hours=1.0), ["core.ppco2"], 24.0)["readings"][0]
    assert reading["history"]["samples"][0]["time"] == "T+00:00"


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda d: tools.read_telemetry(d, ["core.ppco"]), "no channel 'core.ppco'; near: core.ppco2"),
        (lambda d: tools.read_telemetry(d, ["zzzz"]), "no channel 'zzzz'; groups: "),
        (lambda d: tools.read_telemetry(d, []), "give 1 to 24 channels; got 0"),
        (lambda d: tools.read_telemetry(d, ["core.ppco2"] * 25), "give 1 to 24 channels; got 25"),
        (lambda d: tools.read_telemetry(d, ["core.ppco2"], -1), "history_hours is from 0 to 24; got -1"),
        (lambda d: tools.read_telemetry(d, ["core.ppco2"], 25), "history_hours is from 0 to 24; got 25"),
        (lambda d: tools.read_telemetry(d, ["core.ppco2"], float("nan")), "history_hours is from 0 to 24; got nan"),
        (lambda d: tools.list_channels(d, "warp drive"), "no channel matches 'warp drive'; groups are airlock, "),
        (lambda d: tools.look_up_rules(d, "FR-99"), "no flight rule about 'FR-99'; there are FR-01 "),
        (lambda d: tools.look_up_rules(d, ""), "no flight rule about ''; there are FR-01 "),
        (lambda d: tools.run_check(d, "fan"), "no check 'fan'; near: fan_check"),
        (lambda d: tools.run_check(d, "fan_check", "lab"), "fan_check takes no target; leave out 'lab'"),
        (lambda d: tools.run_check(d, "bed_balance", "C"), "bed_balance: unit must be one of A, B; not 'C'"),
        (lambda d: tools.run_check(d, "handheld_co2"), "handheld_co2: zone must be one of core, lab, airlock; not ''"),
        (lambda d: tools.run_check(d, "hatch_dwell", "lab"), "CM4, CM5, CM6 in the lab: move them before its hatch"),
        (lambda d: tools.run_check(d, "bed_balance", "B"), "unit B does not run: there is nothing to balance"),
        (lambda d: tools.calculate(d, "import os"), "'import os' is not an arithmetic expression"),
    ],
)
def test_what_makes_no_sense_gets_one_helpful_line_and_changes_nothing(desk, call, line):
    before = desk.world.digest()
    assert refusal(call, desk).startswith(line)
    assert desk.world.digest() == before


def test_channels_are_found_by_every_word(desk):
    def names(query: str) -> list[str]:
        return [channel["name"] for channel in tools.list_channels(desk, query)["channels"]]

    assert names("") == list(sensors.CATALOGUE)
    assert names("makeup") == ["makeup.n2_flow", "makeup.o2_flow", "tank.n2", "tank.o2"]
    assert names("dioxide LAB") == ["lab.ppco2"]
    assert set(names("power-thermal")) >= {"battery.soc", "imv.current", "core.temperature"}


def test_an_accepted_plan_is_the_desks_plan_under_its_digest(desk):
    proposed = plan()
    reply = tools.submit_plan(desk, proposed)
    assert reply == {
        "accepted": True,
        "plan_digest": plan_digest(proposed),
        "plan": proposed.model_dump(mode="json"),
    }
    assert desk.assessment.plan == proposed


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"steps": [step("start_beds", unit="B")]}, "step 1: no command 'start_beds'; near: start_bed"),
        ({"steps": [step("start_bed")]}, "step 1: start_bed takes unit; unit is missing"),
        (
            {"steps": [step("start_bed", unit="B", fast=True)]},
            "step 1: start_bed takes unit; 'fast' is not one of them",
        ),
        ({"steps": [step("start_bed", unit="C")]}, "step 1: start_bed: unit must be one of A, B; not 'C'"),
        ({"steps": [step("set_oga", kg_per_day=99)]}, "step 1: set_oga: kg_per_day must be a number from 0 to 9.2"),
        ({"steps": [step("set_imv", on="yes")]}, "step 1: set_imv: on must be true or false; not 'yes'"),
        ({"steps": [step("move_crew", people="CM9", to="core")]}, "step 1: move_crew: people must be of CM1, CM2"),
        ({"steps": [step("set_imv", on=True, channel="imv.amps")]}, "step 1 abort_if: no channel 'imv.amps'"),
        ({"expected": [expectation("lab.co2", "mmHg")]}, "expected lab.co2: no channel 'lab.co2'; near: "),
        ({"expected": [expectation("lab.ppco2", "kPa")]}, "expected lab.ppco2: the channel is in mmHg, not in kPa"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_told_what_to_mend(desk, fields, line):
    told = refusal(tools.submit_plan, desk, plan(**fields))
    assert told.startswith(f"the plan is rejected: {line}")
    assert desk.assessment.plan is None


def test_a_rejected_plan_is_told_of_everything_at_once_and_may_be_mended(desk):
    wrong = plan(steps=[step("fly"), step("start_bed", unit="C")], expected=[expectation("nowhere.at_all", "m")])
    told = refusal(tools.submit_plan, desk, wrong)
    assert [part for part in ("step 1: ", "step 2: ", "expected nowhere.at_all: ") if part in told] == [
        "step 1: ",
        "step 2: ",
        "expected nowhere.at_all: ",
    ]
    assert tools.submit_plan(desk, plan())["accepted"]


@pytest.mark.parametrize(
    "fields",
    [{"steps": [], "expected": []}, {"steps": [step("vent_zone", zone="lab")]}, {"rationale": "", "evidence": []}],
)
def test_a_plans_form_is_checked_and_never_its_judgement(desk, fields):
    assert tools.submit_plan(desk, plan(**fields))["accepted"]


def test_an_open_question_to_a_specialist_blocks_the_plan(desk):
    desk.assessment.failed["power-thermal"] = "MaxTurnsExceeded: 10"
    told = refusal(tools.submit_plan, desk, plan())
    assert told == (
        "the assessment is incomplete, so nothing can be proposed: no report from power-thermal: MaxTurnsExceeded: 10"
    )
    assert desk.assessment.plan is None
    del desk.assessment.failed["power-thermal"]
    assert tools.submit_plan(desk, plan())["accepted"]


def slips(world: World, told: str) -> list[str]:
    """What only the evaluator knows and occurs in what was told."""
    scenario = world.scenario
    found = [scenario.id, scenario.title, scenario.description, "hole_mm", "lab_reading_stale", "onset_s", "onset_h"]
    for planted in scenario.incidents:
        incident = incidents.find(planted.incident)
        found += [incident.name, incident.id, incident.title, incident.truth, *incident.wrong, *incident.right]
    return [word for word in found if word and re.search(rf"\b{re.escape(word)}\b", told)]


@pytest.mark.parametrize("name", INCIDENTS)
def test_no_reply_and_no_refusal_gives_away_what_only_the_evaluator_knows(sit, name):
    desk = sit(name)
    told = json.dumps([reply for _, reply in every_reply(desk)])
    told += refusal(tools.submit_plan, desk, plan(steps=[step("help")], expected=[expectation("incident", "")]))
    told += refusal(tools.list_channels, desk, "incident")
    told += refusal(tools.look_up_rules, desk, "zzz")
    told += refusal(tools.run_check, desk, "incident")
    assert slips(desk.world, told) == []
    assert slips(desk.world, json.dumps(desk.world.state())) != [], "the search finds what it looks for"


def test_wrong_fields_are_explained_on_one_line():
    with pytest.raises(ValidationError) as error:
        MissionPlan.model_validate({"headline": "x", "colour": 1, "steps": [{}]})
    told = tools.explain(error.value)
    assert told.startswith("colour: is not a field here; there are headline, steps, ")
    assert "; steps.0.command: is missing; steps.0.parameters: is missing; " in told
    assert told.endswith("; and 4 more")
    assert "\n" not in told and "http" not in told
