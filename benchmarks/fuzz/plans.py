"""Hostile plans: sound ones with things wrong in them, and steps with any parameters, waits, guards and delays."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import yaml
from hypothesis import strategies as st

from fuzz.outcome import FaultError, guard, legal, refused
from fuzz.table import SCENARIOS, table
from fuzz.values import junk, mutated, words
from mission import flight, sensors, tools, workflow
from mission.report import MissionPlan, plan_digest
from mission.world.checks import CHECKS
from mission.world.commands import COMMANDS, Parameter

ROOT = Path(__file__).parents[2]
FLOWN_H = 6.0
"""A plan file is flown so long."""


class Submitted(NamedTuple):
    scenario: str
    plan: Any


@cache
def references() -> list[Any]:
    """The plans of the shipped references."""
    texts = [path.read_text() for path in sorted((ROOT / "cases" / "references").glob("*.yaml"))]
    return [plan for text in texts for plan in _plans(yaml.safe_load(text))]


def _plans(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        if tree.get("tool") == "submit_plan":
            return [tree["args"]["plan"]]
        tree = list(tree.values())
    return [plan for item in tree for plan in _plans(item)] if isinstance(tree, list) else []


def value(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Mostly what a parameter takes; one in ten anything."""
    match parameter.kind:
        case "choice":
            fit: st.SearchStrategy[Any] = st.sampled_from(parameter.choices)
        case "flag":
            fit = st.booleans()
        case "number":
            edges = (parameter.low, parameter.high, (parameter.low + parameter.high) / 2, parameter.high * 1.001, -1.0)
            fit = st.sampled_from(edges) | st.floats(parameter.low, parameter.high)
        case "people":
            fit = st.sampled_from(("all", "CM1", "CM1,CM2", "CM3", "CM5", "CM1,CM1", "CM9", ","))
        case "text":
            fit = words
    return st.integers(0, 9).flatmap(lambda n: words | junk if n == 0 else fit)


@st.composite
def act(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A command with its parameters."""
    spec = COMMANDS[draw(st.sampled_from([*COMMANDS]))]
    return spec.name, {parameter.name: draw(value(parameter)) for parameter in spec.parameters}


_ids = st.sampled_from(("", "", "a", "b", "c"))
_minutes = st.sampled_from((0, 0, 10, 60, 61, 600, 1440, 1440.5, -1, 1e308)) | st.floats(0, 300)
_condition = st.none() | st.fixed_dictionaries({
    "channel": st.sampled_from([*sensors.CATALOGUE]) | st.sampled_from(("core.co2", "state.air", "size(x) > 1")),
    "comparison": st.sampled_from(("above", "below", "above", "below", "equals")),
    "value": st.sampled_from((0, -1, 1e9, -1e9, 3.0, 20)),
})  # fmt: skip


@st.composite
def steps(draw: st.DrawFn) -> dict[str, Any]:
    command, parameters = draw(act())
    step = {
        "command": command,
        "parameters": [{"name": name, "value": given} for name, given in parameters.items()],
        "start_min": draw(_minutes),
        "abort_if": draw(_condition),
    }
    if draw(st.booleans()):
        step |= {"id": draw(_ids), "after": draw(st.lists(_ids, max_size=2)), "only_if": draw(_condition)}
    return step


@st.composite
def expectation(draw: st.DrawFn) -> dict[str, Any]:
    channel = sensors.find(draw(st.sampled_from([*sensors.CATALOGUE])))
    return {
        "quantity": channel.name,
        "comparison": draw(st.sampled_from(("at_most", "at_least"))),
        "value": draw(st.sampled_from((0, 1e9, -1e9, 3.0))),
        "unit": draw(st.sampled_from((channel.unit, channel.unit, channel.unit, "furlong"))),
        "after_min": draw(st.sampled_from((1, 60, 600, 1440, 0, 1e9))),
        "evidence": [],
    }


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "headline": draw(words),
        "steps": draw(st.lists(steps(), max_size=4)),
        "rationale": "Because.",
        "evidence": draw(st.lists(words, max_size=2)),
        "expected": draw(st.lists(expectation(), max_size=2)),
        "uncertainties": [],
        "approval_covers": "This.",
    }


submitted = st.builds(
    Submitted,
    st.sampled_from(SCENARIOS),
    st.one_of(plans(), plans(), mutated(plans(), 2), mutated(st.deferred(lambda: st.sampled_from(references())))),
)


def drive(example: Submitted) -> str:
    """Submit a plan by the tool; fly an accepted one through the workflow, authorized as it stands."""
    with guard():
        world = table().reset(example.scenario)
        before = world.digest()
        answered, text = table().call("submit_plan", {"plan": example.plan})
        if world.digest() != before:
            raise FaultError("a plan that was only submitted changed the world")
        if not answered:
            return refused(text, repr(example.plan))
        plan = table().desk.assessment.plan
        if plan is None:
            raise FaultError("an accepted plan is not the desk's")
        legal(table().run(_flown(plan)))
        legal([world.state(), world.log()])
    return "accepted"


async def _flown(plan: MissionPlan) -> Any:
    desk = table().desk

    async def run(_agent: Any, _text: str) -> None:
        tools.submit_plan(desk, plan)

    async def approve(asked: MissionPlan, digest: str) -> workflow.Authorization:
        return workflow.Authorization("approve", plan_digest(asked), 300.0)

    crew = SimpleNamespace(
        world=desk.world, assessment=desk.assessment, agents={"director": None}, coordinator="director"
    )
    until = desk.world.now + 30 * 3600.0
    return await workflow.fly(workflow.Flight(cast(Any, crew), until, run, approve, lambda *_: None), "Go.")


@st.composite
def _file_step(draw: st.DrawFn) -> dict[str, Any]:
    if draw(st.integers(0, 3)) == 0:
        spec = CHECKS[draw(st.sampled_from([*CHECKS]))]
        chosen = {spec.parameter: draw(st.sampled_from(spec.choices) | words)} if spec.parameter else {}
        return {"after_min": draw(_minutes), "check": spec.name, "parameters": chosen}
    command, parameters = draw(act())
    return {"after_min": draw(_minutes), "command": command, "parameters": parameters}


_trees = st.lists(_file_step(), max_size=4)
_texts = (_trees | _trees | mutated(_trees)).map(lambda tree: yaml.safe_dump(tree, allow_unicode=True))
files = st.tuples(
    st.sampled_from(SCENARIOS),
    _texts.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=20),
)


def drive_file(folder: Path, example: tuple[str, bytes]) -> str:
    """Carry out a plan file as `simsup world --plan` does."""
    name, data = example
    path = folder / "plan.yaml"
    path.write_bytes(data)
    with guard():
        world = table().reset(name)
        people = tuple(person.id for person in world.scenario.crew)
        try:
            plan = flight.load_plan(path, people)
        except ValueError as error:
            return refused(str(error), data.decode("utf-8", "replace"))
        start = world.now
        flight.fly(world, plan, start, start + FLOWN_H * 3600.0)
        legal([world.state(), world.log()])
    return "accepted"
