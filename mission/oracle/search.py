"""Search over plans: every ordered choice of a few acts at given times, each flown to its end.

Plans share their beginnings: a world is forked where plans part. Acts that are refused or change nothing end a branch,
and of branches that lead to one state at one time only the first is followed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from mission.flight import act, called, ends, fly
from mission.objectives import Outcome, evaluate
from mission.oracle.seen import Node, Seen
from mission.oracle.space import levers
from mission.world.engine import Scenario, World
from mission.world.objective import Plan, Step
from mission.world.units import MINUTE, nearest

DIGITS = 6
"""Of a margin: two plans that are equal so far are told apart by their number of steps."""


@dataclass(frozen=True)
class Flown:
    """A plan and its outcome."""

    plan: Plan
    outcome: Outcome

    @property
    def worth(self) -> tuple[float, ...]:
        return (*(round(part, DIGITS) for part in self.outcome.worth), -len(self.plan))


@dataclass(frozen=True)
class Closed:
    """The plan of someone who knows what has happened by the call, and looks again once; `replanned` if it had to be
    mended, because what happened later undid it."""

    plan: Plan
    outcome: Outcome
    replanned: bool


@dataclass(frozen=True)
class Solution:
    """All plans flown, the one of doing nothing first."""

    scenario: str
    flown: tuple[Flown, ...]
    closed: Closed

    @property
    def idle(self) -> Flown:
        return self.flown[0]

    @property
    def best(self) -> Flown:
        return max(self.flown, key=lambda one: one.worth)

    @property
    def acceptable(self) -> tuple[Flown, ...]:
        """The plans that meet every objective, the best first."""
        met = [one for one in self.flown if one.outcome.met]
        return tuple(sorted(met, key=lambda one: one.worth, reverse=True))

    @property
    def feasible(self) -> bool:
        return any(one.outcome.met for one in self.flown)


@dataclass(frozen=True)
class _Space:
    scenario: Scenario
    levers: Sequence[Step]
    slots: Sequence[float]
    """Minutes since the call."""
    steps: int

    @property
    def start(self) -> float:
        return called(self.scenario)

    @property
    def end(self) -> float:
        return ends(self.scenario)

    def time(self, minutes: float) -> float:
        return nearest(self.start + minutes * MINUTE)


def solve(scenario: Scenario, *, prune: bool = True) -> Solution:
    """Search a scenario's plan space and close the loop. Raises ValueError for one without objectives or levers.

    Without `prune` every order of acts is flown, also where it leads to a state that another one has led to: slower,
    and there to prove that pruning loses no outcome.
    """
    if not scenario.objectives or not scenario.trial.levers:
        raise ValueError(f"scenario {scenario.id} has no objectives, or no levers to reach them by")
    space = _Space(scenario, levers(scenario), scenario.trial.slots_min, scenario.trial.steps)
    flown = _explore(space, _opened(scenario), prune=prune)
    return Solution(scenario.id, tuple(flown), _close(space, flown))


def _opened(scenario: Scenario) -> World:
    world = World(scenario, 0)
    world.advance(called(scenario))
    return world


def _explore(space: _Space, root: World, before: Plan = (), *, prune: bool = True) -> list[Flown]:
    """Fly every plan of the space on top of what was done `before`; without `prune` also those that lead to a state
    that another one has led to."""
    flown: list[Flown] = []
    seen = Seen(root.fork(), len(before), space.time) if prune else None
    ahead = deque([Node(root, before, 0)])
    while ahead:
        node = ahead.popleft()
        if len(node.plan) - len(before) < space.steps:
            for slot in range(node.slot, len(space.slots)):
                node.world.advance(max(space.time(space.slots[slot]), node.world.now))
                ahead += _branches(space, node, slot, seen)
        node.world.advance(max(space.end, node.world.now))
        flown.append(Flown(node.plan, evaluate(node.world, space.scenario.objectives, space.start, space.end)))
    return flown


def _branches(space: _Space, node: Node, slot: int, seen: Seen | None) -> list[Node]:
    """The worlds that one more act at this slot leads to, and that no other plan has led to."""
    found: list[Node] = []
    if seen is not None:
        seen.is_new(Node(node.world, node.plan, slot))
    used = {(step.command, step.check, str(step.parameters)) for step in node.plan}
    for lever in space.levers:
        if (lever.command, lever.check, str(lever.parameters)) in used:
            continue
        world = node.world.fork()
        if not act(world, lever).accepted or world.now >= space.end:
            continue
        step = lever.model_copy(update={"after_min": space.slots[slot]})
        branch = Node(world, (*node.plan, step), slot)
        if seen is None or seen.is_new(branch):
            found.append(branch)
    return found


def _close(space: _Space, flown: Sequence[Flown]) -> Closed:
    """Plan on what has happened by the call; fly that; if it does not meet everything, plan again at the look."""
    scenario = space.scenario
    known = tuple(planted for planted in scenario.incidents if planted.onset_h <= scenario.trial.start_h)
    if known != scenario.incidents:
        blind = scenario.model_copy(update={"incidents": known})
        flown = _explore(_Space(blind, space.levers, space.slots, space.steps), _opened(blind))
    plan = max(flown, key=lambda one: one.worth).plan
    look = nearest(min(space.start + scenario.trial.replan_min * MINUTE, space.end))
    begun = tuple(step for step in plan if space.start + step.after_min * MINUTE < look)
    world = _opened(scenario)
    fly(world, begun, space.start, look)
    kept = world.fork()
    fly(kept, plan[len(begun) :], space.start, space.end)
    outcome = evaluate(kept, scenario.objectives, space.start, space.end)
    if outcome.met or world.now >= space.end:
        return Closed(plan, outcome, replanned=False)
    late = [(world.now - space.start) / MINUTE + slot for slot in space.slots]
    late = [slot for slot in late if space.start + slot * MINUTE < space.end]
    again = _explore(_Space(scenario, space.levers, late, space.steps), world, begun)
    best = max(again, key=lambda one: one.worth)
    return Closed(best.plan, best.outcome, replanned=True)
