"""Constant plans: what one answer to everything would be worth, and what else a scenario could be solved by.

Every command with every choice, each scenario's best plan and its decoys are tried on every scenario. Most are refused
or lead to a state that another has led to, so a scenario's flights are shared by state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mission.examination import Exam, Finding, plan_words
from mission.flight import act, called, ends
from mission.objectives import Outcome, evaluate
from mission.oracle import Solution, every_lever
from mission.oracle.space import levers, state_key
from mission.world.engine import Scenario, World
from mission.world.objective import Plan, Step
from mission.world.units import MINUTE, nearest

__all__ = [
    "CONSTANT",
    "Constant",
    "Credit",
    "Tries",
    "constants",
    "credit",
    "families",
    "incidents_of",
    "policies",
    "too_constant",
]

CONSTANT = 0.05
"""Share of incident families that one plan, whatever the matter, may solve."""
LEAST_FAMILIES = 2
"""A plan that solves one family alone is that family's answer and no constant policy, however small the suite."""
Family = list[Exam]


@dataclass(frozen=True)
class Credit:
    """Which of the policies are right in one scenario, and the findings about acts that its levers leave out."""

    scenario: str
    met: frozenset[str]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Constant:
    """A plan, the share of the families that it solves, and how many those are."""

    words: str
    share: float
    families: int


@dataclass
class Tries:
    """Plans flown in one scenario from the call on; what leads to one state is flown once."""

    scenario: Scenario
    flights: int = 0
    _known: dict[tuple[str, str], Outcome | None] = field(default_factory=dict[tuple[str, str], "Outcome | None"])

    def __post_init__(self) -> None:
        self._start, self._end = called(self.scenario), ends(self.scenario)
        self._opened = World(self.scenario, 0)
        self._opened.advance(self._start)
        self._key = state_key(self._opened)
        self._spare = self._opened.fork()

    def outcome(self, plan: Plan) -> Outcome | None:
        """What becomes of a plan; None if it is still at it at the end. Steps that the world refuses are left out."""
        ahead = tuple(sorted(plan, key=lambda step: step.after_min))
        while ahead and ahead[0].after_min == 0.0:
            step, ahead = ahead[0], ahead[1:]
            if act(self._spare, step).accepted:
                world, self._spare = self._spare, self._opened.fork()
                return self._after(world, state_key(world), ahead)
        if (self._key, plan_words(ahead)) in self._known:
            return self._known[self._key, plan_words(ahead)]
        return self._after(self._opened.fork(), self._key, ahead)

    def _after(self, world: World, key: str, ahead: Plan) -> Outcome | None:
        if (key, plan_words(ahead)) not in self._known:
            self._known[key, plan_words(ahead)] = self._flown(world, ahead)
        return self._known[key, plan_words(ahead)]

    def _flown(self, world: World, ahead: Plan) -> Outcome | None:
        due = max(nearest(self._start + ahead[0].after_min * MINUTE), world.now) if ahead else self._end
        if due < self._end:
            world.advance(due)
            act(world, ahead[0])
            return self._after(world, state_key(world), ahead[1:])
        if world.now > self._end:
            return None
        self.flights += 1
        world.advance(self._end)
        return evaluate(world, self.scenario.objectives, self._start, self._end)


def policies(exams: Sequence[Exam]) -> list[Plan]:
    """Doing nothing, each act alone, each scenario's best plan and each decoy; each once."""
    found: dict[str, Plan] = {plan_words(()): ()}
    for exam in exams:
        alone = [(step,) for step in (*levers(exam.scenario), *every_lever(exam.scenario))]
        best = [exam.solution.best.plan] if exam.solution else []
        for plan in (*alone, *best, *exam.scenario.trial.decoys):
            found.setdefault(plan_words(plan), plan)
    return list(found.values())


def credit(exam: Exam, plans: Sequence[Plan]) -> Credit:
    """Try the plans on one scenario. Where nothing has to be done, only doing nothing counts: harmless is not right."""
    scenario, solution = exam.scenario, exam.solution
    if solution is None:
        raise ValueError(f"scenario {scenario.id} cannot be flown")
    known: dict[str, Outcome | None] = {plan_words(one.plan): one.outcome for one in solution.flown}
    tries, tried = Tries(scenario), dict[str, Outcome | None]()
    for plan in plans:
        words = plan_words(plan)
        if scenario.trial.acts or not plan:
            tried[words] = known[words] if words in known else tries.outcome(plan)
    met = frozenset(words for words, outcome in tried.items() if outcome is not None and outcome.met)
    return Credit(scenario.id, met, tuple(_beside(exam, solution, tried)))


def _beside(exam: Exam, solution: Solution, tried: Mapping[str, Outcome | None]) -> Iterator[Finding]:
    """Acts that its levers leave out and that alone do better than all that its levers can, or do everything."""
    own = {_kind(step) for step in levers(exam.scenario)}
    best = solution.best.outcome
    for step in every_lever(exam.scenario):
        words = plan_words((step,))
        outcome = tried.get(words)
        if _kind(step) in own or outcome is None or solution.idle.outcome.met:
            continue
        if outcome.met:
            yield Finding(solution.scenario, "levers", f"{words} is no lever of it, and alone meets every objective")
        elif not best.met and outcome.worth > best.worth:
            yield Finding(solution.scenario, "levers", f"{words} is no lever of it, and better than all that they do")


def _kind(step: Step) -> tuple[str | None, ...]:
    """What a step is but for its numbers: a lever at another number is no other lever."""
    plain = (f"{name}={value}" for name, value in step.parameters.items() if isinstance(value, str | bool))
    return step.command, step.check, *sorted(plain)


def families(exams: Sequence[Exam]) -> list[Family]:
    """Scenarios with an incident in common belong together, and so do those that a third one joins."""
    found: list[tuple[set[str], Family]] = []
    for exam in exams:
        names, members = incidents_of(exam.scenario), [exam]
        for family in [family for family in found if family[0] & names]:
            found.remove(family)
            names, members = names | family[0], family[1] + members
        found.append((names, members))
    return [members for _, members in found]


def incidents_of(scenario: Scenario) -> set[str]:
    """The incidents of a scenario; one without any stands for itself."""
    return {planted.incident for planted in scenario.incidents} or {scenario.id}


def constants(exams: Sequence[Exam], credited: Mapping[str, Credit], plans: Sequence[Plan]) -> list[Constant]:
    """Every constant plan, the one that solves most families first."""
    grouped, scored = families(exams), list[Constant]()
    for plan in plans if grouped else ():
        words = plan_words(plan)
        shares = [sum(words in credited[one.scenario.id].met for one in family) / len(family) for family in grouped]
        scored.append(Constant(words, sum(shares) / len(shares), sum(share > 0.0 for share in shares)))
    return sorted(scored, key=lambda one: (-one.share, one.words))


def too_constant(scored: Sequence[Constant]) -> list[Finding]:
    return [
        Finding("the suite", "constant", f"{one.words} solves {one.share:.0%} of the families; {CONSTANT:.0%} may be")
        for one in scored
        if one.share > CONSTANT and one.families >= LEAST_FAMILIES
    ]
