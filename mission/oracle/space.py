"""What plans are made of: the acts that a scenario's file lists, or those that can be shown to matter."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import product

from mission.flight import act, called, ends, problems
from mission.objectives import Outcome, evaluate
from mission.world.commands import COMMANDS
from mission.world.engine import Scenario, World
from mission.world.objective import Plain, Step
from mission.world.power import summary
from mission.world.report import text
from mission.world.spec import Parameter

MATTERS = 1e-6
"""Relative: an act that moves no objective by more has no bearing on it; its load on the bus moves a little."""


def levers(scenario: Scenario) -> list[Step]:
    """The acts listed in the scenario's file, each at minute 0. Raises ValueError for one that there is not."""
    people = tuple(person.id for person in scenario.crew)
    found = [step for lever in scenario.trial.levers for step in lever.steps()]
    for step in found:
        for problem in problems(step, people):
            raise ValueError(f"scenario {scenario.id}: lever {step.command or step.check}: {problem}")
    return found


def every_lever(scenario: Scenario) -> Iterator[Step]:
    """Every command there is with every choice, three values of a number, and people one by one and together."""
    people = [person.id for person in scenario.crew]
    for spec in COMMANDS.values():
        names = [parameter.name for parameter in spec.parameters]
        for values in product(*(_values(parameter, people) for parameter in spec.parameters)):
            yield Step(command=spec.name, parameters=dict(zip(names, values, strict=True)))


def _values(parameter: Parameter, people: Sequence[str]) -> tuple[Plain, ...]:
    match parameter.kind:
        case "choice":
            return parameter.choices
        case "flag":
            return True, False
        case "number":
            return parameter.low, 0.5 * (parameter.low + parameter.high), parameter.high
        case "people":
            return ("all",)
        case "text":
            return ("as planned",)


def relevant(scenario: Scenario) -> list[tuple[Step, Outcome]]:
    """The commands that alone, at the call, change what becomes of some objective; with what becomes of them all."""
    start, end = called(scenario), ends(scenario)
    root = World(scenario, 0)
    root.advance(start)
    idle = root.fork()
    idle.advance(end)
    nothing = evaluate(idle, scenario.objectives, start, end)
    found: list[tuple[Step, Outcome]] = []
    for step in every_lever(scenario):
        world = root.fork()
        if not act(world, step).accepted or same_state(world, root):
            continue
        world.advance(end)
        outcome = evaluate(world, scenario.objectives, start, end)
        if differs(outcome, nothing):
            found.append((step, outcome))
    return found


def differs(outcome: Outcome, other: Outcome) -> bool:
    """Some objective's relative margin is another."""
    pairs = zip(outcome.results, other.results, strict=True)
    return any(abs(one.relative - two.relative) > MATTERS for one, two in pairs)


def same_state(world: World, other: World) -> bool:
    return state_key(world) == state_key(other)


def state_key(world: World) -> str:
    """Equal for worlds with the same future, whatever led to them.

    A task and its load bear the number of their command; here they are known by what they do. Tasks that end at one
    instant do so in the order of their commands, so that order stays.
    """
    state, tasks = world.state(), sorted(world.base.tasks, key=lambda task: task.until)
    names = {task.load: text((task.command, task.parameters)) for task in tasks}
    loads = sorted((names.get(name, name), watts) for name, watts in state["power"].pop("loads_kw").items())
    ahead = [(task.command, task.parameters, task.started, task.until) for task in tasks]
    return text((state | {"tasks": ahead}, loads, world.base.inhibited_until))


def glance(world: World) -> Hashable:
    """Some of what a state key tells, at a hundredth of its price: worlds with equal keys have equal glances."""
    base, config = world.base, world.base.air.config
    return (
        world.now,
        tuple(sorted((task.until, task.command) for task in base.tasks)),
        tuple((made.t, made.check, made.place) for made in base.evidence),
        tuple((state.zone, state.activity) for state in base.people.values()),
        (config.imv, config.portable_fan, config.hatches, config.makeup, config.n2_valve, config.o2_valve),
        tuple((bed.running, text(bed.health)) for bed in config.beds),
        (len(config.openings), len(config.cans), frozenset(base.shed)),
        (base.exercise_suspended_until, base.inhibited_until),
        text(summary(base.power, world.now)),
        text(base.air.tracks["co2"].masses(world.now)),
    )
