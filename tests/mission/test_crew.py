"""The crew: each agent is what its card says, and what one agent gets from another is what was really said."""

from __future__ import annotations

import asyncio
import json

import pytest

from mission.cards import consult_name
from mission.crew import Seat, build_crew
from mission.desk import Assessment, Desk
from mission.report import OUTPUTS
from mission.tools import TOOLS

ROLES = ("director", "life-support", "power-thermal", "weather-navigation", "risk-review")
ASK_LIFE_SUPPORT = ("consult_life_support", {"question": "Why does CO2 rise?", "known": ""})
ASK_POWER = ("consult_power_thermal", {"question": "Can the base carry bed B?", "known": "Life Support asks."})


@pytest.fixture
def world(fly):
    return fly("bed-degraded", 6.0)


@pytest.fixture
def start_bed(plan):
    return ("submit_plan", {"plan": plan((0, "start_bed", {"unit": "B"}))})


@pytest.mark.parametrize("role", ROLES)
def test_an_agent_is_what_its_card_says(stage, world, cards, role):
    agent, card = stage(world, {}, effort="high").crew.agents[role], cards[role]
    assert agent.name == card.title
    assert agent.instructions == card.instructions
    assert [tool.name for tool in agent.tools] == [*card.tools, *map(consult_name, card.consults)]
    assert agent.model_settings.reasoning.effort == "high"
    if card.kind == "coordinator":
        assert agent.output_type is None
    else:
        assert agent.output_type.output_type is OUTPUTS[card.output]


def test_the_cards_are_one_director_of_four_specialists(cards):
    assert set(cards) == set(ROLES)
    assert cards["director"].consults == ["life-support", "power-thermal", "weather-navigation", "risk-review"]
    assert len({card.instructions for card in cards.values()}) == 5


def test_reasoning_is_carried_by_the_caller_and_nothing_is_stored(stage, world):
    thinking = stage(world, {}, effort="low").crew.agents["director"].model_settings
    assert (thinking.store, thinking.response_include) == (False, ["reasoning.encrypted_content"])
    plain = stage(world, {}).crew.agents["director"].model_settings
    assert (plain.store, plain.response_include, plain.reasoning) == (None, None, None)


def test_a_report_reaches_the_director_as_json(stage, world, report):
    said = report(gaps=["Whether the heater failed."])
    staged = stage(world, {"director": [[ASK_LIFE_SUPPORT], "Enough."], "life-support": [said]})
    staged.run("director")
    assert staged.told("director") == [said]
    assert staged.crew.assessment.reports == {"life-support": [said]}


def test_a_specialist_hears_the_question_and_what_the_director_knows(stage, world, report):
    staged = stage(world, {"director": [[ASK_POWER], "Enough."], "power-thermal": [report()]})
    staged.run("director", "CO2 rises.")
    heard = staged.models["power-thermal"].first_call.input
    assert [item["content"] for item in heard] == [
        "Can the base carry bed B?\n\nKnown to the Director: Life Support asks."
    ]


def test_a_wrong_report_is_told_blocks_the_plan_and_spares_the_other_reports(stage, world, report, start_bed):
    scripts = {
        "director": [[ASK_LIFE_SUPPORT], [ASK_POWER], [start_bed], "I cannot propose."],
        "life-support": [report()],
        "power-thermal": [{"status": "splendid"}],
    }
    staged = stage(world, scripts)
    staged.run("director")
    _, failure, rejection = staged.told("director")
    assert failure["error"].startswith("Power & Thermal gave no report: ModelBehaviorError: Invalid JSON")
    assert "splendid" in failure["error"]
    assert "no report from power-thermal: ModelBehaviorError" in rejection["error"]
    assessment = staged.crew.assessment
    assert assessment.plan is None
    assert assessment.reports == {"life-support": [report()]}


def test_a_specialist_out_of_turns_is_told_with_its_reason(stage, world, cards):
    forever = [[("look_up_rules", {"topic": f"FR-0{1 + n % 7}"})] for n in range(cards["power-thermal"].limits.turns)]
    staged = stage(world, {"director": [[ASK_POWER], "I cannot propose."], "power-thermal": forever})
    staged.run("director")
    assert staged.told("director") == [
        {"error": "Power & Thermal gave no report: MaxTurnsExceeded: Max turns (10) exceeded"}
    ]


def test_a_specialist_that_takes_too_long_gave_no_report(stage, world, start_bed):
    async def ponder(_call):
        await asyncio.sleep(30)

    scripts = {"director": [[ASK_POWER], [start_bed], "I cannot propose."], "power-thermal": [ponder]}
    staged = stage(world, scripts, limits={"power-thermal": {"seconds": 0.05}})
    staged.run("director")
    slow, rejected = staged.told("director")
    assert slow == {"error": "Power & Thermal gave no report: TimeoutError: no report within 0.05 s"}
    assert "the assessment is incomplete" in rejected["error"]


def test_a_role_out_of_tool_calls_is_told_and_may_still_decide(stage, world, start_bed):
    rules = ("look_up_rules", {"topic": "FR-01"})
    staged = stage(world, {"director": [[rules], [rules], [start_bed]]}, limits={"director": {"tool_calls": 1}})
    result = staged.run("director")
    assert "1 tool calls of this assessment are used up" in staged.told("director")[1]["error"]
    assert json.loads(result.final_output)["steps"][0]["command"] == "start_bed"


def test_a_second_consult_that_succeeds_clears_the_failure(stage, world, report, start_bed):
    scripts = {
        "director": [[ASK_POWER], [ASK_POWER], [start_bed]],
        "power-thermal": ["Not a report.", report()],
    }
    staged = stage(world, scripts)
    result = staged.run("director")
    assert staged.crew.assessment.failed == {}
    assert json.loads(result.final_output)["steps"][0]["command"] == "start_bed"


def test_a_question_that_never_reached_the_specialist_is_no_failure_of_it(stage, world, start_bed):
    wrong = ("consult_power_thermal", {"query": "Can we?"})
    staged = stage(world, {"director": [[wrong], "Hm.", [start_bed]]})
    staged.run("director")
    (told,) = staged.told("director")
    assert "question" in told["error"]
    assert staged.crew.assessment.failed == {}


def test_wrong_arguments_are_told_by_name(stage, world, report):
    wrong = [("read_telemetry", {"channels": "core.pressure"}), ("read_telemetry", {"channels": ["cabin.pressure"]})]
    staged = stage(world, {"life-support": [wrong, report()]})
    staged.run("life-support")
    of_type, of_name = (told["error"] for told in staged.told("life-support"))
    assert of_type == "channels: should be a list, not 'core.pressure'"
    assert of_name.startswith("no channel 'cabin.pressure'; near: ")


def test_a_tool_that_is_not_there_is_told_and_nothing_is_commanded(stage, world, report):
    acts = [("start_bed", {"unit": "B"}), ("command", {"name": "start_bed"}), ("submit_plan", {"plan": {}})]
    staged = stage(world, {"life-support": [acts, report()]})
    before = world.digest()
    staged.run("life-support")
    told = [item["output"] for item in staged.models["life-support"].last_call.input if "output" in item]
    assert [("not found" in text) for text in told] == [True, True, True]
    assert world.digest() == before


def test_no_tool_commands_the_world(world, plan):
    calls = {
        "list_channels": {},
        "read_telemetry": {"channels": ["core.pressure"], "history_hours": 2.0},
        "look_up_rules": {"topic": "FR-01"},
        "list_checks": {},
        "read_reports": {"source": "crew"},
        "run_check": {"check": "handheld_co2", "target": "core"},
        "calculate": {"expression": "1 + 1"},
        "list_commands": {},
    }
    assert {*calls, "submit_plan"} == set(TOOLS)
    desk = Desk(world, "director", Assessment())
    for name, arguments in calls.items():
        TOOLS[name](desk, **arguments)
    proposal = OUTPUTS["MissionPlan"].model_validate(plan((0, "start_bed", {"unit": "B"})))
    assert TOOLS["submit_plan"](desk, proposal)["accepted"] is True
    assert [entry["kind"] for entry in world.commands()] == ["check"]


def test_calls_of_one_turn_are_made_one_after_the_other(stage, world, report):
    checks = [("run_check", {"check": "bed_balance", "target": "A"}), ("run_check", {"check": "fan_check"})]
    staged = stage(world, {"life-support": [checks, report()]})
    staged.run("life-support")
    assert [(told["started"], told["finished"]) for told in staged.told("life-support")] == [
        ("T+06:00", "T+07:00"),
        ("T+07:00", "T+07:02"),
    ]


def test_of_two_plans_in_one_turn_the_later_is_the_output_and_the_proposal(stage, world, plan):
    first = ("submit_plan", {"plan": plan(headline="First")})
    second = ("submit_plan", {"plan": plan(headline="Second")})
    staged = stage(world, {"director": [[first, second]]})
    result = staged.run("director")
    assert json.loads(result.final_output)["headline"] == "Second"
    assert staged.crew.assessment.plan.headline == "Second"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"start_min": float("inf")}, "plan.steps.0.start_min: Input should be a finite number"),
        ({"start_min": 1441}, "plan.steps.0.start_min: Input should be less than or equal to 1440"),
        ({"command": "start_beds"}, "step 1: no command 'start_beds'; near: start_bed"),
    ],
)
def test_a_plan_that_makes_no_sense_is_rejected_and_may_be_mended(stage, world, plan, start_bed, changes, problem):
    wrong = plan((0, "start_bed", {"unit": "B"}))
    wrong["steps"][0] |= changes
    staged = stage(world, {"director": [[("submit_plan", {"plan": wrong})], [start_bed]]})
    staged.run("director")
    assert problem in staged.told("director")[0]["error"]
    assert staged.crew.assessment.plan is not None


@pytest.mark.parametrize(
    ("role", "changes", "problem"),
    [
        ("life-support", {"tools": ["command"]}, "agents/life-support.md: tools: 'command' is not one of"),
        ("life-support", {"output": "Essay"}, "agents/life-support.md: output 'Essay' is not one of SpecialistReport"),
        ("director", {"consults": ["oracle"]}, "agents/director.md: consults oracle, and there is no such role card"),
    ],
)
def test_a_card_that_names_what_is_not_there_is_refused(stage, world, cards, role, changes, problem):
    seats = {name: Seat(model, None) for name, model in stage(world, {}).models.items()}
    wrong = {**cards, role: cards[role].model_copy(update=changes)}
    with pytest.raises(ValueError, match=problem):
        build_crew(world, wrong, seats)
