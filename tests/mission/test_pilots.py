"""The pilots: stateless, blind to the world, and said to be what they are."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from agents import FunctionTool, Runner

from evals.candidate import Candidate
from evals.harness.sdk import run_config
from evals.workspace import find_workspace
from mission.crew import Seat, build_crew
from mission.pilots import pilot
from mission.pilots.conversation import read_conversation
from mission.pilots.model import PilotModel
from mission.pilots.names import NAMES
from mission.report import OUTPUTS
from mission.system import MarsBase

ROOT = Path(__file__).parents[2]
ROLES = ("director", "life-support", "power-thermal", "weather-navigation", "risk-review")


class Listening(PilotModel):
    """A pilot that keeps what it was asked and what it answered."""

    def __init__(self, inner: PilotModel, kept: list) -> None:
        self._inner, self._kept = inner, kept

    async def get_response(self, **request):
        response = await self._inner.get_response(**request)
        names = frozenset(tool.name for tool in request["tools"] if isinstance(tool, FunctionTool))
        said = [item.model_dump(mode="json") for item in response.output]
        self._kept.append((json.loads(json.dumps(request["input"])), names, said))
        return response


@pytest.fixture
def fly_crew(fly, cards):
    """Flies the whole crew of pilots on a scenario; returns what each role was asked and answered, and the world."""

    def run(name: str, scenario: str, task: str):
        world = fly(scenario, 6.0)
        kept = {role: [] for role in cards}
        seats = {role: Seat(Listening(pilot(name, role), kept[role]), None) for role in cards}
        crew = build_crew(world, cards, seats)
        asyncio.run(Runner.run(crew.agents["director"], task, max_turns=16, run_config=run_config()))
        return kept, crew

    return run


INCIDENTS = [
    ("bed-degraded", "CO2 in the Core rises. What now?", {"start_bed", "repair_bed"}),
    ("fan-stopped", "Two people in the Lab have a headache. What now?", {"move_crew", "deploy_portable_fan"}),
    ("masked-leak", "Confirm the pressure integrity.", {"patch_leak", "move_crew", "close_hatch"}),
    ("nominal", "Confirm the pressure integrity.", set()),
]


@pytest.mark.parametrize(("start", "task", "commands"), INCIDENTS)
def test_the_expert_works_each_incident_from_what_it_is_told(fly_crew, start, task, commands):
    _, crew = fly_crew("expert", start, task)
    assert {step.command for step in crew.assessment.plan.steps} == commands


@pytest.mark.parametrize("name", ["expert", "trusting"])
def test_the_same_conversation_gets_the_same_answer_from_any_pilot_of_the_role(fly_crew, name):
    kept, _ = fly_crew(name, "bed-degraded", "CO2 in the Core rises. What now?")
    turns = [(role, turn) for role, of_role in kept.items() for turn in of_role]
    assert len(turns) > 10
    for role, (items, tools, said) in reversed(turns):  # in another order, each on a pilot that has seen nothing yet
        fresh = pilot(name, role).items(read_conversation(items, tools, name == "trusting"))
        assert [item.model_dump(mode="json") for item in fresh] == said


def test_call_ids_are_unique_in_a_conversation(fly_crew):
    kept, _ = fly_crew("expert", "masked-leak", "Confirm the pressure integrity.")
    for of_role in kept.values():
        ids = [item["call_id"] for _, _, said in of_role for item in said if item["type"] == "function_call"]
        assert len(ids) == len(set(ids))


def test_no_pilot_can_reach_the_world():
    """In a fresh interpreter, as here everything is imported already."""
    code = (
        "import sys; from mission.pilots import pilot\n"
        f"for role in {ROLES}: pilot('expert', role); pilot('null', role)\n"
        "print(sorted(name for name in sys.modules if name.startswith('mission.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.removeprefix("mission.") for name in json.loads(done.stdout.replace("'", '"'))}
    assert {name.partition(".")[0] for name in loaded} == {"pilots", "report"}


@pytest.mark.parametrize("role", ROLES)
def test_the_null_pilot_has_the_right_shape_for_every_output(cards, role):
    card = cards[role]
    conversation = read_conversation("Anything.", frozenset(card.tools), trusting=False)
    (item,) = pilot("null", role).items(conversation)
    said = json.loads(item.arguments)["plan"] if role == "director" else json.loads(item.content[0].text)
    output = OUTPUTS[card.output].model_validate(said, strict=True)
    assert output.model_dump(mode="json") == said


@pytest.mark.parametrize(
    ("reading", "moves"),
    [(70.3, "nominal"), (64.0, "read_telemetry")],
)
def test_the_trusting_pilot_believes_its_first_gauge_only_when_it_is_nominal(reading, moves):
    call = {"type": "function_call", "call_id": "c1", "name": "read_telemetry", "arguments": "{}"}
    sample = {"channel": "core.pressure", "value": reading, "evidence_id": "core.pressure@T+06:00"}
    told = {"type": "function_call_output", "call_id": "c1", "output": json.dumps({"readings": [sample]})}
    items = [{"role": "user", "content": "Is the pressure all right?"}, call, told]
    (item,) = pilot("trusting", "life-support").items(read_conversation(items, frozenset({"run_check"}), True))
    assert moves == (item.name if item.type == "function_call" else json.loads(item.content[0].text)["status"])


def test_pilots_are_called_pilots(cards):
    base = MarsBase(find_workspace(ROOT))
    assert base.pilots() == ["expert", "trusting", "null"] == list(NAMES)
    assert str(Candidate(id="x", model="pilot/expert").model_for("director")) == "pilot/expert"
    for name in NAMES:
        assert {type(base.pilot(name, role)) for role in cards} == {PilotModel}


@pytest.mark.parametrize(("name", "role"), [("ace", "director"), ("expert", "cook")])
def test_an_unknown_pilot_is_a_key_error(name, role):
    with pytest.raises(KeyError, match=name if name == "ace" else role):
        pilot(name, role)
