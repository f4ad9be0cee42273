"""Trials: what is live, what is frozen, what is recorded, and how a trial ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from evals.adapters.job import Job
from evals.adapters.trial import run_trial
from evals.candidate import Candidate
from evals.case import Step
from evals.models.scripted import scripted
from evals.replay import no_network, replay

CANDIDATE = Candidate(id="script", model="scripted/script")
READ = Step.model_validate({"calls": [{"tool": "read_gauge", "args": {"name": "temperature"}}]})
HOT = Step.model_validate({"output": {"verdict": "hot", "value": 20.0, "evidence": ["g@0"]}})
ASK = Step.model_validate({"calls": [{"tool": "ask_reader", "args": {"input": "How hot is the water now?"}}]})


@pytest.fixture
def fly(kettle):
    """Flies a case with a script by role."""

    def run(case, script: dict[str, list[Step]], **options: Any):
        job = Job(
            system=kettle,
            case=case,
            candidate=CANDIDATE,
            trial=0,
            model_for=lambda role, _reference: scripted(role, script.get(role, [])),
            **options,
        )
        return asyncio.run(run_trial(job))

    return run


def kinds(episode) -> list[str]:
    return [event.kind for event in episode.trace]


def test_an_agent_trial_records_every_step_in_order(fly, kettle_case):
    episode = fly(kettle_case(), {"reader": [READ, HOT]})
    assert kinds(episode) == [
        "input",
        "model_request",
        "model_response",
        "tool_call",
        "tool_result",
        "model_request",
        "model_response",
        "output",
    ]
    assert [event.cause for event in episode.trace] == [None, 0, 1, 2, 3, 4, 5, 6]
    assert episode.output["verdict"] == "hot"


def test_a_tool_result_is_stored_as_the_json_it_was(fly, kettle_case):
    episode = fly(kettle_case(), {"reader": [READ, HOT]})
    result = next(event for event in episode.trace if event.kind == "tool_result")
    assert result.data["output"] == {"evidence_id": "g@0", "value": 20.0, "unit": "degC"}


def test_a_tool_that_fails_tells_the_model_why(fly, kettle_case):
    wrong = Step.model_validate({"calls": [{"tool": "read_gauge", "args": {"name": "mood"}}]})
    episode = fly(kettle_case(), {"reader": [wrong, HOT]})
    result = next(event for event in episode.trace if event.kind == "tool_result")
    assert result.data["output"] == {"error": "no gauge 'mood'; there is temperature"}
    assert result.data["error"] is True


def test_a_frozen_report_answers_for_its_role(fly, kettle_case):
    case = kettle_case(role="boss", setup={"frozen": {"reader": {"report": {"water": "hot", "value": 99}}}})
    episode = fly(case, {"boss": [ASK, HOT]})
    report = next(event for event in episode.trace if event.kind == "report")
    assert report.data["output"] == {"water": "hot", "value": 99}
    assert {event.role for event in episode.trace if event.kind == "model_request"} == {"boss"}


def test_a_frozen_report_says_what_it_cannot_answer(fly, kettle_case):
    case = kettle_case(role="boss", setup={"frozen": {"reader": {"report": {"v": 1}, "answers": ["pressure"]}}})
    episode = fly(case, {"boss": [ASK, HOT]})
    report = next(event for event in episode.trace if event.kind == "report")
    assert "cannot answer this question" in report.data["output"]["unavailable"]


def test_a_role_without_a_recording_is_told_so(fly, kettle_case):
    episode = fly(kettle_case(role="boss"), {"boss": [ASK, HOT]})
    report = next(event for event in episode.trace if event.kind == "report")
    assert report.data["output"] == {
        "unavailable": "No report of reader is recorded in this exercise. Decide without it."
    }


def test_freezing_a_role_nobody_consults_is_refused(fly, kettle_case):
    case = kettle_case(setup={"frozen": {"boss": {"report": {}}}})
    with pytest.raises(ValueError, match="no tool of reader consults boss"):
        fly(case, {"reader": [HOT]})


def test_a_handoff_runs_both_sides_live_and_links_them(fly, kettle_case):
    case = kettle_case(scope="handoff", role=None, boundary={"producer": "reader", "consumer": "boss"})
    episode = fly(case, {"boss": [ASK, HOT], "reader": [READ, HOT]})
    asked = next(event for event in episode.trace if event.kind == "handoff")
    first = next(event for event in episode.trace if event.kind == "model_request" and event.role == "reader")
    assert first.cause == asked.seq
    assert set(episode.outputs) == {"boss", "reader"}


def test_a_frozen_consumer_leaves_the_producer_alone_with_its_question(fly, kettle_case):
    case = kettle_case(
        scope="handoff",
        role=None,
        boundary={"producer": "reader", "consumer": "boss"},
        setup={"frozen": {"boss": {"report": {"question": "How hot is it?"}}}},
    )
    episode = fly(case, {"reader": [READ, HOT]})
    request = next(event for event in episode.trace if event.kind == "model_request")
    assert request.data["items"] == [{"content": "How hot is it?", "role": "user"}]


def test_a_tool_trial_has_no_model(fly, kettle_case):
    case = kettle_case(
        scope="tool", role=None, call={"tool": "read_gauge", "role": "reader", "args": {"name": "temperature"}}
    )
    episode = fly(case, {})
    assert kinds(episode) == ["input", "tool_call", "tool_result", "output"]
    assert episode.output["value"] == 20.0
    assert episode.resolved.harness == "direct"


def test_every_trial_opens_a_world_of_its_own(fly, kettle, kettle_case):
    heat = Step.model_validate({"calls": [{"tool": "heat", "args": {"target": 80}}]})
    first = fly(kettle_case(role="boss"), {"boss": [heat, HOT]})
    second = fly(kettle_case(role="boss"), {"boss": [HOT]})
    assert (first.state["temperature"], second.state["temperature"]) == (80.0, 20.0)
    assert len(kettle.opened) == 2


def test_running_out_of_turns_is_the_candidates(fly, kettle_case):
    case = kettle_case(budget={"turns": 2, "tool_calls": 9, "seconds": 10})
    episode = fly(case, {"reader": [READ, READ.model_copy(), READ.model_copy()]})
    assert (episode.status.kind, episode.status.layer) == ("stopped", "candidate")
    assert episode.status.reason == "out of turns: the budget is 2"


def test_a_tool_call_over_budget_is_refused_and_told(fly, kettle_case):
    case = kettle_case(budget={"turns": 9, "tool_calls": 1, "seconds": 10})
    episode = fly(case, {"reader": [READ, READ.model_copy(), HOT]})
    results = [event for event in episode.trace if event.kind == "tool_result"]
    assert "used up" in results[1].data["output"]["error"]
    assert episode.status.kind == "completed"


def test_a_script_that_is_too_short_is_the_cases_fault_and_says_so(fly, kettle_case):
    episode = fly(kettle_case(), {"reader": [READ]})
    assert (episode.status.kind, episode.status.layer) == ("failed", "simulator")
    assert episode.status.reason == "the script of reader has 1 steps, and reader was asked once more"


def test_an_output_out_of_type_is_the_candidates(fly, kettle_case):
    episode = fly(kettle_case(), {"reader": [Step(output="I think it is hot")]})
    assert episode.status.layer == "candidate"


def test_a_provider_that_fails_inside_a_specialist_is_infrastructure(kettle, kettle_case):
    """The SDK turns a specialist's failure into text for the boss; the trial must still say what happened."""
    from agents.testing import ModelStep, ScriptedModel

    def model_for(role, _reference):
        if role == "boss":
            return scripted(role, [ASK, HOT])
        return ScriptedModel([ModelStep.raise_error(ConnectionError("the line is dead"))])

    case = kettle_case(scope="handoff", role=None, boundary={"producer": "reader", "consumer": "boss"})
    episode = asyncio.run(run_trial(Job(system=kettle, case=case, candidate=CANDIDATE, trial=0, model_for=model_for)))
    assert (episode.status.kind, episode.status.layer) == ("failed", "infrastructure")
    assert episode.status.reason == "ConnectionError: the line is dead"


def test_usage_that_nobody_reported_stays_unknown(fly, kettle_case):
    episode = fly(kettle_case(), {"reader": [READ, HOT]})
    assert episode.usage["reader"].requests == 2
    assert episode.usage["reader"].input_tokens is None


def test_same_inputs_give_the_same_content_digest(fly, kettle_case):
    episodes = [fly(kettle_case(), {"reader": [READ, HOT]}) for _ in range(2)]
    assert episodes[0].content_digest() == episodes[1].content_digest()


def test_an_episode_replays_from_its_responses_with_the_network_closed(fly, kettle, kettle_case):
    case = kettle_case(scope="handoff", role=None, boundary={"producer": "reader", "consumer": "boss"})
    recorded = fly(case, {"boss": [ASK, HOT], "reader": [READ, HOT]})

    async def again():
        with no_network():
            return await replay(kettle, case, CANDIDATE, recorded)

    assert asyncio.run(again()).difference == ""


def test_a_replay_in_a_changed_world_is_found_out(fly, kettle, kettle_case):
    case = kettle_case()
    recorded = fly(case, {"reader": [READ, HOT]})
    warmer = kettle_case(setup={"temperature": 21.0})
    again = asyncio.run(replay(kettle, warmer, CANDIDATE, recorded))
    assert "reader request 2 differs from the recorded one" in again.difference


def test_a_changed_response_does_not_replay_as_the_recorded_one(fly, kettle, kettle_case):
    case = kettle_case()
    recorded = fly(case, {"reader": [READ, HOT]})
    data = recorded.model_dump(mode="json")
    for event in data["trace"]:
        if event["kind"] == "model_response" and event["data"]["output"][0]["type"] == "message":
            event["data"]["output"][0]["content"][0]["text"] = '{"verdict": "cold"}'
    forged = type(recorded).model_validate(data)
    assert asyncio.run(replay(kettle, case, CANDIDATE, forged)).difference != ""
