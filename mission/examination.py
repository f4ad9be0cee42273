"""One scenario examined: can it be flown, won, guessed, known; is each objective alive, and does each decoy cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mission.fairness import ENOUGH, MISLEADING, Gap, alternative_scenario, gaps, unreachable
from mission.flight import called, ends, fly_plan, problems
from mission.objectives import Outcome, check_objectives, evaluate
from mission.oracle import Solution, solve
from mission.world.engine import Scenario
from mission.world.objective import Plan

__all__ = ["GUESS", "KNIFE_EDGE", "Exam", "Finding", "examine", "plan_words"]

KNIFE_EDGE = 0.02
"""Relative margin under which the best plan hangs on the last digit."""
GUESS = 0.30
"""Share of a plan space that may be right: more, and guessing does."""


@dataclass(frozen=True)
class Finding:
    """A reason not to use a scenario, or a suite, as it stands."""

    scenario: str
    rule: str
    text: str


@dataclass(frozen=True)
class Exam:
    """What was found out about one scenario; no solution if it cannot be flown at all."""

    scenario: Scenario
    solution: Solution | None
    gaps: tuple[Gap, ...]
    findings: tuple[Finding, ...]


def examine(scenario: Scenario, solution: Solution | None = None) -> Exam:
    """Examine a scenario; its solution is worked out if it is not given."""
    wrong = _malformed(scenario)
    if wrong:
        return Exam(scenario, None, (), tuple(wrong))
    solution, apart = solution or solve(scenario), tuple(gaps(scenario))
    found = [*_solved(scenario, solution), *_dead(solution), *_decoys(scenario, solution), *_unfair(scenario, apart)]
    return Exam(scenario, solution, apart, tuple(found))


def _malformed(scenario: Scenario) -> list[Finding]:
    """What stands in the way of flying it at all."""
    if not scenario.objectives or not scenario.trial.levers:
        return [Finding(scenario.id, "objectives", "it has no objectives, or no levers to reach them by")]
    found = [Finding(scenario.id, "objectives", text) for text in check_objectives(scenario)]
    people = tuple(person.id for person in scenario.crew)
    trial = scenario.trial
    steps = [step for lever in trial.levers for step in lever.steps()] + [s for plan in trial.decoys for s in plan]
    steps += trial.fairness.checks if trial.fairness else ()
    found += [Finding(scenario.id, "plans", text) for step in steps for text in problems(step, people)]
    found += [] if found else [Finding(scenario.id, "fairness", text) for text in unreachable(scenario)]
    for alternative in trial.fairness.alternatives if trial.fairness else ():
        try:
            alternative_scenario(scenario, alternative)
        except ValueError as error:
            found.append(Finding(scenario.id, "fairness", f"{alternative.name}: {' '.join(str(error).split())}"))
    return found


def _solved(scenario: Scenario, solution: Solution) -> list[Finding]:
    """The search reaches what the label promises, with room to spare; neither idling nor guessing does."""
    found: list[Finding] = []

    def say(rule: str, text: str) -> None:
        found.append(Finding(scenario.id, rule, text))

    if solution.feasible != scenario.trial.feasible:
        said, is_so = ("feasible", "no") if scenario.trial.feasible else ("infeasible", "a")
        say("unwinnable", f"it is labelled {said}, and {is_so} plan of {len(solution.flown)} meets its objectives")
    if not solution.feasible:
        return found
    if not solution.closed.outcome.met:
        say("unwinnable", "planning on what is known at the call and once more later does not meet its objectives")
    if solution.idle.outcome.met == scenario.trial.acts:
        idle = "meets" if scenario.trial.acts else "misses"
        say("null", f"doing nothing {idle} its objectives; trial.acts says {str(scenario.trial.acts).lower()}")
    share = len(solution.acceptable) / len(solution.flown)
    if share > GUESS:
        say("guess", f"{share:.0%} of the plans are acceptable; a guess may be right in {GUESS:.0%}")
    if solution.best.outcome.margin < KNIFE_EDGE:
        tight = min(solution.best.outcome.results, key=lambda result: result.relative)
        say("knife-edge", f"the best plan meets {tight.id} by {tight.relative:.3f} of its scale")
    return found


def _dead(solution: Solution) -> list[Finding]:
    """Objectives that all plans meet, or none."""
    found: list[Finding] = []
    for index, result in enumerate(solution.idle.outcome.results):
        met = sum(one.outcome.results[index].met for one in solution.flown)
        if met in (0, len(solution.flown)):
            always = "every" if met else "no"
            found.append(
                Finding(solution.scenario, "dead", f"{always} plan of {met or len(solution.flown)} meets {result.id}")
            )
    return found


def _decoys(scenario: Scenario, solution: Solution) -> list[Finding]:
    found: list[Finding] = []
    for plan in scenario.trial.decoys:
        outcome = _outcome(scenario, plan)
        if outcome.met:
            found.append(Finding(scenario.id, "decoy", f"{plan_words(plan)} costs nothing: it meets every objective"))
        elif (
            solution.feasible
            and max(r.relative for r in outcome.results if not r.met) < 0
            and all(result.relative > -KNIFE_EDGE for result in outcome.results)
        ):
            found.append(Finding(scenario.id, "knife-edge", f"{plan_words(plan)} fails by less than {KNIFE_EDGE:g}"))
    return found


def _unfair(scenario: Scenario, apart: Sequence[Gap]) -> list[Finding]:
    found: list[Finding] = []
    if scenario.trial.acts and scenario.incidents and not apart:
        found.append(Finding(scenario.id, "fairness", "it names nothing that its incident could be mistaken for"))
    for gap in apart:
        if gap.telling < ENOUGH:
            found.append(
                Finding(
                    scenario.id, "fairness", f"{gap.alternative} cannot be told: gap {gap.telling:.1f} of {ENOUGH:g}"
                )
            )
        elif gap.unlucky < ENOUGH:
            text = f"{gap.alternative} cannot be told by an unlucky crew: gap {gap.unlucky:.1f} of {ENOUGH:g}"
            found.append(Finding(scenario.id, "fairness", text))
        if gap.misleads and gap.first_look >= MISLEADING:
            text = f"{gap.alternative} misleads nobody: gap {gap.first_look:.1f} at first look"
            found.append(Finding(scenario.id, "fairness", text))
    return found


def _outcome(scenario: Scenario, plan: Plan) -> Outcome:
    world = fly_plan(scenario, plan)
    return evaluate(world, scenario.objectives, called(scenario), ends(scenario))


def plan_words(plan: Plan) -> str:
    return "; ".join(str(step) for step in plan) or "doing nothing"
