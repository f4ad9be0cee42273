"""Hostile scenario files: shipped ones with things wrong in them, whole ones from the schema, and text of any kind."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st

from fuzz.outcome import FaultError, guard, legal, refused
from fuzz.texts import raw, text, torn
from fuzz.values import from_schema, mutated
from mission import incidents, reports, sensors
from mission.objectives import evaluate
from mission.world.engine import World, load_scenario
from mission.world.scenario import Scenario

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "cases" / "scenarios").glob("*.yaml"))
FLOWN_H = 8.0
"""Of each accepted scenario: past the onset and the call of most."""
NAME = "fuzzed"


@cache
def shipped() -> tuple[dict[str, Any], ...]:
    return tuple(yaml.safe_load(path.read_text()) | {"id": NAME} for path in SHIPPED)


@st.composite
def planted(draw: st.DrawFn) -> dict[str, Any]:
    """A shipped scenario with sections from the schema, and incidents at the limits of their parameters."""
    data = dict(draw(st.sampled_from(shipped())))
    fields = _schema()["properties"]
    for name in draw(st.lists(st.sampled_from(sorted(set(fields) - {"id", "crew"})), max_size=2, unique=True)):
        data[name] = draw(from_schema(fields[name], _schema(), 1))
    known = st.sampled_from(incidents.INCIDENTS)
    data["incidents"] = [
        {
            "incident": incident.name,
            "onset_h": draw(st.sampled_from((0, 0, 1, 1, 0.5, 7.9, 1e6))),
            "parameters": draw(from_schema(incident.parameters.model_json_schema(), depth=1)),
        }
        for incident in draw(st.lists(known, min_size=1, max_size=3))
    ]
    return data


@cache
def _schema() -> dict[str, Any]:
    return Scenario.model_json_schema()


files: st.SearchStrategy[bytes] = st.one_of(
    raw(mutated(st.sampled_from(shipped())).map(text)),
    raw(planted().map(text)),
    raw(mutated(planted(), 1).map(text)),
    raw(from_schema(_schema()).map(lambda tree: text({**tree, "id": NAME}))),
    raw(st.sampled_from([path.read_text() for path in SHIPPED]).flatmap(torn)),
    st.binary(max_size=40),
)


def drive(folder: Path, data: bytes) -> str:
    """Load a file as `simsup world` does, open and fly it, read all instruments and reports, judge it."""
    path = folder / f"{NAME}.yaml"
    path.write_bytes(data)
    with guard():
        try:
            scenario = load_scenario(path)
        except ValueError as error:
            return refused(str(error), data.decode("utf-8", "replace"))
        fly(scenario)
    return "accepted"


def fly(scenario: Scenario) -> None:
    """Raises FaultError, or whatever the world raises."""
    world = World(scenario, 0)
    world.advance(min(FLOWN_H, scenario.trial.start_h, scenario.horizon_h) * 3600.0)
    start = world.now
    world.advance(FLOWN_H * 3600.0)
    legal([world.state(), world.log()])
    before = world.digest()
    for channel in sensors.channels():
        legal(world.read(channel.name).model_dump())
    for source in ("crew", "orbital", "maintenance"):
        legal([one.model_dump() for one in reports.reports(world, source)])
    if scenario.objectives and start < world.now:
        try:
            evaluate(world, scenario.objectives, start, world.now)
        except ValueError as error:
            refused(str(error), scenario.model_dump_json())
    if world.digest() != before:
        raise FaultError("reading, reporting or judging changed the world")
