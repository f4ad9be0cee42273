"""The expert pilot tells each incident from what it can be mistaken for: one question, several bases behind it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evals.case import Claim
from evals.cases import load_cases
from evals.checks.claim import tolerance
from evals.workspace import find_workspace
from mission import sensors, tools
from mission.pilots import air_subjects, outside_subjects, pilot, power_subjects, review_subjects
from mission.pilots.conversation import hours, read_conversation
from mission.pilots.work import onset, slope, subject_of
from mission.system import open_desk

ROOT = Path(__file__).parents[2]
SUBJECTS = {
    "life-support": air_subjects.SUBJECTS,
    "power-thermal": power_subjects.SUBJECTS,
    "weather-navigation": outside_subjects.SUBJECTS,
    "risk-review": review_subjects.SUBJECTS,
}
TASKS = {case.id.removesuffix("-01"): case for case in load_cases(find_workspace(ROOT)).values()}
SEED = 7
UNITS = (("a", "b"), ("1", "2"))
FLOWN = sorted(
    name
    for name, case in TASKS.items()
    if case.scope == "agent"
    and subject_of(read_conversation(case.task, frozenset(), False), SUBJECTS.get(case.role, ()))
)
"""The agent cases whose question brings one of the subjects to mind."""

TWINS = [
    ("power-thermal-coolant", "coolant-leak", "PT6H", "warning", "isolate the segment of loop A"),
    ("power-thermal-coolant", "valve-stuck-cold", "PT6H", "watch", "Nothing is to be isolated"),
    ("power-thermal-coolant", "ammonia-breach", "PT6H", "critical", "loop B isolated"),
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


BIASED = {("life-support-oxygen-rising", 5): {"hours_until_o2_30_percent"}}
"""Where the bias of the Core's only oxygen gauge, a sixth of what is left to 30 %, takes a figure out of tolerance."""


def ask(name: str, scenario: str, start: str, seed: int = SEED, most: int = 10) -> dict[str, Any]:
    """What the expert answers to a case's question about a scenario, by the tools of its card."""
    case = TASKS[name]
    assert case.role is not None
    desk, card = open_desk(ROOT, scenario, case.role, seed, start)
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


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("name", FLOWN)
def test_the_experts_figures_do_not_hang_on_the_noise_of_the_instruments(name, seed):
    case = TASKS[name]
    said = ask(name, case.setup.world["scenario"], case.setup.world["start"], seed)
    stated = {one["quantity"]: one["value"] for one in said["forecasts"]}
    asked = [check for check in case.expect.checks if isinstance(check, Claim)]
    off = {check.quantity: abs(stated[check.quantity] - check.value) / tolerance(check) for check in asked}
    assert len(off) > 0
    assert {quantity for quantity, far in off.items() if far > 1} == BIASED.get((name, seed), set())


@pytest.mark.parametrize("role", SUBJECTS)
def test_every_channel_that_the_expert_reads_is_found_by_a_word_of_its_card(role):
    """Risk Review owns no subsystem, so its card names the words themselves."""
    card = " ".join((ROOT / f"agents/{role}.md").read_text().split())
    words = {
        word.strip() for listed in re.findall(r"list_channels[^(]{0,60}\(([^)]*)\)", card) for word in listed.split(",")
    }
    desk, _ = open_desk(ROOT, "nominal", role, SEED, "PT1H")
    assert len(words) > 2
    found = {channel["name"] for word in words for channel in tools.list_channels(desk, word)["channels"]} | set(
        re.findall(r"[a-z_0-9]+\.[a-z_0-9]+", card)
    )
    own = {name for name, channel in sensors.CATALOGUE.items() if role in channel.groups}
    read = {channel.format(u=u, o=o) for subject in SUBJECTS[role] for channel in subject.channels for u, o in UNITS}
    assert {channel for channel in read if channel in sensors.CATALOGUE} - found - own == set()
    assert len(read) > 8


def test_every_number_that_an_agent_case_asks_for_is_named_on_the_card_of_its_role():
    unnamed = [
        f"{case.id}: {check.quantity}"
        for case in TASKS.values()
        if case.scope == "agent"
        for check in case.expect.checks
        if isinstance(check, Claim) and check.quantity not in (ROOT / f"agents/{case.role}.md").read_text()
    ]
    assert unnamed == []


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
