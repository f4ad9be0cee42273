"""What only the evaluator knows reaches no agent: by no tool, no error, no list, and no difference between lists."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mission import incidents, reports, rules, sensors, tools
from mission.desk import Assessment, Desk
from mission.world.checks import CHECKS
from mission.world.engine import World, load_scenario
from mission.world.scenario import Scenario

SCENARIOS = sorted((Path(__file__).parents[2] / "cases" / "scenarios").glob("*.yaml"))


@cache
def called(path: Path) -> World:
    """The world as the crew is called to it; nobody here changes it."""
    scenario = load_scenario(path)
    world = World(scenario, 7)
    world.advance(scenario.trial.start_h * 3600.0)
    return world


def desk(path: Path) -> Desk:
    return Desk(called(path).fork(), "risk-review", Assessment())


def secrets(scenario: Scenario) -> Iterator[str]:
    """Words that would give the scenario, its incident, its judgement or its alternatives away."""
    yield from (scenario.id, scenario.title, *scenario.description.split(". "))
    for planted in scenario.incidents:
        incident = incidents.find(planted.incident)
        yield from (incident.name, incident.title, incident.truth, *incident.right, *incident.wrong)
    yield from (objective.id for objective in scenario.objectives)
    if scenario.trial.fairness is not None:
        yield from (alternative.name for alternative in scenario.trial.fairness.alternatives)
    yield from OF_EVALUATORS


OF_EVALUATORS = ("decoy", "oracle", "fairness", "at_most", "scenario", "incident", "planted")


def found(text: str, words: Iterator[str]) -> set[str]:
    """The words in a text; one plain word, such as fire, is everybody's."""
    telling = (word for word in words if word in OF_EVALUATORS or not word.isalpha())
    return {word for word in telling if word.lower() in text.lower()}


def replies(sitting: Desk) -> Iterator[tuple[str, str]]:
    """Everything that the tools of a desk say of this world, refusals among it."""
    names = list(sensors.CATALOGUE)
    for start in range(0, len(names), tools.MAX_CHANNELS):
        yield (
            "read_telemetry",
            json.dumps(tools.read_telemetry(sitting, names[start : start + tools.MAX_CHANNELS], 2.0)),
        )
    for source in ("crew", "orbital", "maintenance"):
        yield f"read_reports {source}", json.dumps(tools.read_reports(sitting, source))
    for name, spec in CHECKS.items():
        for choice in spec.choices or ("",):
            one = Desk(sitting.world.fork(), sitting.role, Assessment())
            try:
                yield f"run_check {name}", json.dumps(tools.run_check(one, name, choice))
            except ValueError as error:
                yield f"refusal of {name}", str(error)


def lists(sitting: Desk) -> dict[str, str]:
    """What there is, and the errors that say so: the same in every scenario, so that it tells nothing of one."""
    errors: list[str] = []
    for call, arguments in WRONG:
        with pytest.raises(ValueError) as error:
            call(sitting, *arguments)
        errors.append(str(error.value))
    return {
        "errors": json.dumps(errors),
        "list_channels": json.dumps(tools.list_channels(sitting)),
        "list_checks": json.dumps(tools.list_checks(sitting)),
        "list_commands": json.dumps(tools.list_commands(sitting)),
        "look_up_rules": json.dumps([tools.look_up_rules(sitting, rule.id) for rule in rules.RULES]),
    }


WRONG: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (tools.list_channels, ("qqqq",)),
    (tools.read_telemetry, (["state.incidents"],)),
    (tools.read_reports, ("evaluator",)),
    (tools.look_up_rules, ("FR-99",)),
    (tools.run_check, ("oracle",)),
    (tools.run_check, ("handheld_co2", "attic")),
    (tools.calculate, ("desk.world.state()",)),
)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_no_reply_gives_the_scenario_away(path: Path) -> None:
    scenario = load_scenario(path)
    told = {(what, word) for what, text in replies(desk(path)) for word in found(text, secrets(scenario))}
    assert told == set()


def test_the_search_finds_what_it_looks_for() -> None:
    world = called(SCENARIOS[0])
    assert found(json.dumps([world.state(), world.log()]), secrets(world.scenario)) >= {"coolant_leak", "incident"}


def test_what_there_is_is_the_same_in_every_scenario() -> None:
    first, *others = [lists(Desk(called(path), "director", Assessment())) for path in SCENARIOS]
    assert all(other == first for other in others)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_reading_everything_changes_nothing(path: Path) -> None:
    sitting = desk(path)
    before = sitting.world.digest()
    for source in ("crew", "orbital", "maintenance"):
        assert all(report.basis for report in reports.reports(sitting.world, source))
    tools.read_telemetry(sitting, list(sensors.CATALOGUE)[:24], 24.0)
    lists(sitting)
    assert sitting.world.digest() == before
