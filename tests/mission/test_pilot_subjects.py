"""The expert pilot tells each incident from what it can be mistaken for: one question, several bases behind it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.cases import load_cases
from evals.workspace import find_workspace
from mission import tools
from mission.pilots import pilot
from mission.pilots.conversation import hours, read_conversation
from mission.pilots.work import onset, slope
from mission.system import open_desk

ROOT = Path(__file__).parents[2]
TASKS = {case.id.removesuffix("-01"): case for case in load_cases(find_workspace(ROOT)).values()}
SEED = 7

TWINS = [
    ("power-thermal-coolant", "coolant-leak", "PT6H", "warning", "isolate the segment of loop A"),
    ("power-thermal-coolant", "valve-stuck-cold", "PT6H", "watch", "Nothing is to be isolated"),
    ("power-thermal-fission", "fission-pair-lost", "PT3H", "warning", "restart the convertors one at a time"),
    ("power-thermal-fission", "fission-scram", "PT3H", "critical", "started after 6 h or more"),
    ("power-thermal-fission", "power-deficit", "PT3H", "watch", "shed deferrable loads"),
    ("power-thermal-gauge", "battery-gauge", "PT2H", "warning", "Go by the voltage"),
    ("power-thermal-gauge", "power-deficit", "PT2H", "watch", "Shed deferrable loads before the floor"),
    ("power-thermal-pump", "pump-trip", "PT4H", "warning", "Restart pump A once"),
    ("power-thermal-pump", "valve-stuck-cold", "PT4H", "warning", "do not restart it"),
    ("power-thermal-pump", "coolant-leak", "PT4H", "watch", "Nothing needs to be restarted"),
    ("life-support-oga-trip", "oga-cross-leak", "PT6H", "watch", "Fit the spare stack"),
    ("life-support-oga-trip", "oga-false-trip", "PT6H", "watch", "Purge, dry sensor A"),
    ("life-support-oga-trip", "oga-off", "PT6H", "watch", "another cause"),
    ("life-support-oxygen-rising", "oxygen-rising", "PT6H", "warning", "Close the manual valve"),
    ("life-support-oxygen-rising", "masked-leak", "PT6H", "warning", "Look for a leak"),
    ("life-support-oxygen-rising", "nominal", "PT6H", "watch", "FR-05 asks for nothing"),
    ("life-support-puncture", "puncture", "PT1H5M", "critical", "FR-08 now"),
    ("life-support-puncture", "masked-leak", "PT1H5M", "watch", "read both gauges again"),
    ("life-support-smoke", "cable-fire", "PT1H3M", "critical", "The fan stays off"),
    ("life-support-smoke", "dust-alarm", "PT1H3M", "watch", "Search for 5 min"),
    ("risk-review-sensor-drift", "sensor-drift", "PT6H", "watch", "its drift is no CO2"),
    ("risk-review-sensor-drift", "bed-degraded", "PT6H", "warning", "Not yet"),
    ("risk-review-sensor-drift", "fan-stopped", "PT6H", "critical", "go ahead"),
    ("weather-navigation-proton-alert", "solar-event", "PT1H20M", "warning", "to be started or repaired first"),
    ("weather-navigation-proton-alert", "solar-event", "PT3H", "critical", "No-go"),
    ("weather-navigation-proton-alert", "solar-event-eva", "PT45M", "critical", "call them back at once"),
    ("weather-navigation-proton-alert", "nominal", "PT1H20M", "nominal", "asks for nothing"),
    ("weather-navigation-rover", "rover-stuck", "PT38M", "critical", "Send rover 2 to the rescue in this pass"),
    ("weather-navigation-rover", "rover-stuck", "PT1H", "critical", "with the next pass"),
    ("weather-navigation-rover", "rover-stuck-in-dust", "PT38M", "critical", "A rescue waits"),
    ("weather-navigation-rover", "rover-stuck", "PT5M", "watch", "Drive on"),
    ("weather-navigation-storm", "dust-storm-regional", "PT57H", "warning", "No-go"),
    ("weather-navigation-storm", "array-soiled", "PT30H", "nominal", "Go"),
    ("weather-navigation-suit", "suit-leak", "PT45M", "critical", "Recall the EVA"),
    ("weather-navigation-suit", "suit-hard-work", "PT45M", "watch", "Go on at an easy pace"),
]
"""The question of a case, the base that it is put to, and what the expert makes of that base."""


def ask(name: str, scenario: str, start: str, most: int = 10) -> dict[str, Any]:
    """What the expert answers to a case's question about a scenario, by the tools of its card."""
    case = TASKS[name]
    assert case.role is not None
    desk, card = open_desk(ROOT, scenario, case.role, SEED, start)
    items: list[dict[str, Any]] = [{"role": "user", "content": case.task}]
    for _ in range(most):
        said = pilot("expert", case.role).items(read_conversation(items, frozenset(card.tools), False))
        if said[0].type != "function_call":
            return json.loads(said[0].content[0].text)
        for call in said:
            assert call.name in card.tools
            made = {"call_id": call.call_id, "name": call.name, "arguments": call.arguments}
            done = json.dumps(_carry_out(desk, call.name, json.loads(call.arguments)))
            items += [
                {"type": "function_call", **made},
                {"type": "function_call_output", "call_id": call.call_id, "output": done},
            ]
    raise AssertionError(f"{name} on {scenario} came to no answer in {most} turns")


def _carry_out(desk: Any, tool: str, arguments: dict[str, Any]) -> Any:
    try:
        return getattr(tools, tool)(desk, **arguments)
    except ValueError as error:
        return {"error": tools.explain(error)}


@pytest.mark.parametrize(("question", "scenario", "start", "status", "advice"), TWINS)
def test_the_same_question_gets_the_answer_of_the_base_it_is_put_to(question, scenario, start, status, advice):
    said = ask(question, scenario, start)
    assert said["status"] == status
    assert advice in said["recommendation"]


def test_a_rover_that_cannot_be_reached_gets_no_invented_place():
    said = ask("weather-navigation-rover", "rover-stuck", "PT1H")
    assert [one["quantity"] for one in said["forecasts"]] == ["rover_ground_speed", "rover_haven_h"]
    assert said["gaps"] == ["Where it is: landmarks are compared while there is a link."]


def test_a_figure_without_a_value_is_left_out():
    """The generator is off and the tank keeps its level: there are no hours until it is empty."""
    assert ask("life-support-oga-trip", "oga-off", "PT6H")["forecasts"] == []


def test_a_trend_is_taken_over_the_means_of_its_ends():
    assert slope([(0, 9), (1, 1), (2, 2), (3, 3), (4, 4)], since=1) == "((3 + 4) / 2 - (1 + 2) / 2) / 2"
    with pytest.raises(ValueError, match="a trend takes two samples"):
        slope([(0, 1.0)])


def test_an_onset_is_the_last_sample_before_the_change():
    assert onset([(0, 5), (1, 5), (2, 0), (3, 0)], lambda value: value < 1) == 1
    assert onset([(4, 0), (5, 0)], lambda value: value < 1) == 4


@pytest.mark.parametrize(("text", "expected"), [("T+06:30", 6.5), ("T+00:00:36", 0.01), ("T-00:30", -0.5)])
def test_mission_times_are_read_before_the_start_as_well(text, expected):
    assert hours(text) == pytest.approx(expected)
