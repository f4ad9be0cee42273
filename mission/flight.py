"""A scenario flown without a crew: by nobody, or by a plan of commands and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from documents.reader import load
from documents.words import hint, short
from mission.world.checks import CHECKS
from mission.world.commands import COMMANDS, parse
from mission.world.engine import CheckRefusedError, Scenario, World
from mission.world.objective import Plan, Step
from mission.world.units import HOUR, MINUTE, nearest

__all__ = ["Answer", "act", "called", "ends", "fly", "fly_plan", "load_plan", "problems"]

LATEST = 150_000.0
"""Minutes after the call: beyond the longest flight, and finite."""
_PLAN: TypeAdapter[tuple[Step, ...]] = TypeAdapter(tuple[Step, ...])


@dataclass(frozen=True)
class Answer:
    """What became of one step."""

    step: Step
    accepted: bool
    reason: str
    t_s: float
    """When it was tried, in seconds since the scenario's start."""


def called(scenario: Scenario) -> float:
    """When the crew is called, in seconds since the start."""
    return nearest(scenario.trial.start_h * HOUR)


def ends(scenario: Scenario) -> float:
    """Until when a flight is judged, in seconds since the start."""
    return nearest(scenario.trial.end_h * HOUR)


def act(world: World, step: Step) -> Answer:
    """Carry out one step now. A check takes its time."""
    now = world.now
    if step.command is not None:
        result = world.command(step.command, step.parameters, by="plan")
        return Answer(step, result.accepted, result.reason, now)
    name = str(step.check)
    try:
        done = world.check(name, {key: str(value) for key, value in step.parameters.items()})
    except CheckRefusedError as error:
        return Answer(step, accepted=False, reason=str(error), t_s=now)
    measured = (f"{key} {value:g} {done.units.get(key, '')}".rstrip() for key, value in done.measured.items())
    return Answer(step, accepted=True, reason=", ".join(measured), t_s=now)


def fly(world: World, plan: Sequence[Step], start: float, until: float) -> list[Answer]:
    """Carry out a plan whose minutes count from `start`, and fly on to `until` s; steps due after that are left.

    A step that is overtaken by a check under way comes as soon as the check is done.
    """
    answers: list[Answer] = []
    for step in sorted(plan, key=lambda one: one.after_min):
        due = nearest(start + step.after_min * MINUTE)
        if max(due, world.now) >= until:
            break
        world.advance(max(due, world.now))
        answers.append(act(world, step))
    world.advance(max(until, world.now))
    return answers


def fly_plan(scenario: Scenario, plan: Sequence[Step], seed: int = 0) -> World:
    """A new world of the scenario at the end of its trial, the plan carried out from the call on."""
    world = World(scenario, seed)
    world.advance(called(scenario))
    fly(world, plan, called(scenario), ends(scenario))
    return world


def problems(step: Step, people: tuple[str, ...]) -> list[str]:
    """What is wrong with a step as it stands, whatever the world."""
    if step.after_min > LATEST:
        return [f"after_min is {step.after_min:g}; {LATEST:g} is the latest"]
    if step.command is not None:
        if step.command not in COMMANDS:
            return [f"there is no command {short(step.command)}; {hint(step.command, COMMANDS)}"]
        try:
            parse(step.command, step.parameters, people)
        except ValueError as error:
            return [str(error)]
        return []
    spec = CHECKS.get(str(step.check))
    if spec is None:
        return [f"there is no check {short(step.check)}; {hint(str(step.check), CHECKS)}"]
    if set(step.parameters) != ({spec.parameter} if spec.parameter else set()):
        return [f"{spec.name} takes {spec.parameter or 'no parameters'}"]
    chosen = str(step.parameters[spec.parameter]) if spec.parameter else ""
    return (
        []
        if chosen in spec.minutes
        else [f"{spec.name}: {spec.parameter} must be one of {', '.join(spec.choices)}; not {short(chosen)}"]
    )


def load_plan(path: Path, people: tuple[str, ...]) -> Plan:
    """A plan from a YAML list of steps. Raises ValueError with file, line, step and what is wrong, in one line."""
    plan = load(path, _PLAN)
    for number, step in enumerate(plan, 1):
        for problem in problems(step, people):
            raise ValueError(f"{path}: step {number}: {problem}")
    return plan
