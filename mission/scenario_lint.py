"""Are the scenarios fit to judge by? Each is solved, shirked, guessed at, and asked whether it can be known.

A finding is a reason not to use a scenario, or a suite, as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mission.fairness import ENOUGH, MISLEADING, Gap, alternative_scenario, gaps
from mission.flight import called, ends, fly, problems
from mission.objectives import Outcome, check_objectives, evaluate
from mission.oracle import Solution, solve
from mission.oracle.space import differs
from mission.world.engine import Scenario, World
from mission.world.objective import Plan, Step

__all__ = ["Finding", "Report", "Row", "lint", "words"]

KNIFE_EDGE = 0.02
"""Relative margin under which the best plan hangs on the last digit."""
GUESS = 0.30
"""Share of a plan space that may be right: more, and guessing does."""
CONSTANT = 0.05
"""Share of incident families that one plan, whatever the matter, may solve."""
LEAST_FAMILIES = 2
"""A plan that solves one family alone is that family's answer and no constant policy, however small the suite."""


@dataclass(frozen=True)
class Finding:
    scenario: str
    rule: str
    text: str


@dataclass(frozen=True)
class Row:
    """One scenario: what the search found, and how far apart its stories stand."""

    scenario: str
    plans: int
    acceptable: int
    idle_met: bool
    margin: float
    best: Plan
    gaps: tuple[Gap, ...]


@dataclass(frozen=True)
class Report:
    rows: tuple[Row, ...]
    constants: tuple[tuple[str, float], ...]
    """Constant plans by the share of families that they solve, the greatest first."""
    findings: tuple[Finding, ...]


def lint(scenarios: Sequence[Scenario]) -> Report:
    """Everything that is wrong with scenarios, alone and as a suite."""
    findings: list[Finding] = []
    solved: list[tuple[Scenario, Solution]] = []
    rows: list[Row] = []
    for scenario in scenarios:
        wrong = _malformed(scenario)
        findings += wrong
        if wrong:
            continue
        solution, apart = solve(scenario), tuple(gaps(scenario))
        solved.append((scenario, solution))
        rows.append(_row(solution, apart))
        findings += [*_solved(scenario, solution), *_dead(solution), *_decoys(scenario, solution)]
        findings += _unfair(scenario, apart)
    constants = _constants(solved)
    findings += [*_twins(solved), *_too_constant(constants)]
    return Report(tuple(rows), tuple((name, share) for name, share, _ in constants), tuple(findings))


def _row(solution: Solution, apart: tuple[Gap, ...]) -> Row:
    best = solution.best
    return Row(
        solution.scenario,
        len(solution.flown),
        len(solution.acceptable),
        solution.idle.outcome.met,
        best.outcome.margin,
        best.plan,
        apart,
    )


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
        outcome = _fly(scenario, plan)
        if outcome.met:
            found.append(Finding(scenario.id, "decoy", f"{_words(plan)} costs nothing: it meets every objective"))
        elif (
            solution.feasible
            and max(r.relative for r in outcome.results if not r.met) < 0
            and all(result.relative > -KNIFE_EDGE for result in outcome.results)
        ):
            found.append(Finding(scenario.id, "knife-edge", f"{_words(plan)} fails by less than {KNIFE_EDGE:g}"))
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
        if gap.misleads and gap.first_look >= MISLEADING:
            text = f"{gap.alternative} misleads nobody: gap {gap.first_look:.1f} at first look"
            found.append(Finding(scenario.id, "fairness", text))
    return found


def _twins(solved: Sequence[tuple[Scenario, Solution]]) -> list[Finding]:
    """Variants that change nothing: the same plans with the same outcomes."""
    found: list[Finding] = []
    for index, (scenario, solution) in enumerate(solved):
        for other, twin in solved[:index]:
            if _incidents(scenario) == _incidents(other) and _same(solution, twin):
                found.append(Finding(scenario.id, "twin", f"every plan fares in it as in {other.id}"))
    return found


def _same(solution: Solution, other: Solution) -> bool:
    if len(solution.flown) != len(other.flown):
        return False
    pairs = zip(solution.flown, other.flown, strict=True)
    return all(
        one.plan == two.plan
        and [r.id for r in one.outcome.results] == [r.id for r in two.outcome.results]
        and not differs(one.outcome, two.outcome)
        for one, two in pairs
    )


def _incidents(scenario: Scenario) -> set[str]:
    """The incidents of a scenario; one without any stands for itself."""
    return {planted.incident for planted in scenario.incidents} or {scenario.id}


def _families(solved: Sequence[tuple[Scenario, Solution]]) -> list[list[tuple[Scenario, Solution]]]:
    """Scenarios with an incident in common belong together, and so do those that a third one joins."""
    families: list[tuple[set[str], list[tuple[Scenario, Solution]]]] = []
    for member in solved:
        names, members = _incidents(member[0]), [member]
        for family in [family for family in families if family[0] & names]:
            families.remove(family)
            names, members = names | family[0], family[1] + members
        families.append((names, members))
    return [members for _, members in families]


def _constants(solved: Sequence[tuple[Scenario, Solution]]) -> list[tuple[str, float, int]]:
    """Every constant plan: its words, the share of families that it solves, and how many those are."""
    families = _families(solved)
    scored: list[tuple[str, float, int]] = []
    worlds = {scenario.id: _opened(scenario) for scenario, _ in solved}
    for plan in _policies(solved) if solved else ():
        shares: list[float] = []
        for members in families:
            met = [_credited(*member, plan, worlds[member[0].id]) for member in members]
            shares.append(sum(met) / len(met))
        scored.append((_words(plan), sum(shares) / len(shares), sum(share > 0.0 for share in shares)))
    return sorted(scored, key=lambda one: (-one[1], one[0]))


def _policies(solved: Sequence[tuple[Scenario, Solution]]) -> list[Plan]:
    """Doing nothing, each act alone, each scenario's best plan and each decoy; each once."""
    found: dict[str, Plan] = {_words(()): ()}
    for scenario, solution in solved:
        alone = [one.plan for one in solution.flown if len(one.plan) == 1 and one.plan[0].after_min == 0.0]
        for plan in (*alone, solution.best.plan, *scenario.trial.decoys):
            found.setdefault(_words(plan), plan)
    return list(found.values())


def _credited(scenario: Scenario, solution: Solution, plan: Plan, opened: World) -> bool:
    """The plan meets everything; where nothing has to be done, only doing nothing counts: harmless is not right."""
    if plan and not scenario.trial.acts:
        return False
    known = next((one.outcome.met for one in solution.flown if one.plan == plan), None)
    return _fly(scenario, plan, opened).met if known is None else known


def _too_constant(constants: Sequence[tuple[str, float, int]]) -> list[Finding]:
    return [
        Finding("the suite", "constant", f"{name} solves {share:.0%} of the families; {CONSTANT:.0%} may be")
        for name, share, families in constants
        if share > CONSTANT and families >= LEAST_FAMILIES
    ]


def _opened(scenario: Scenario) -> World:
    world = World(scenario, 0)
    world.advance(called(scenario))
    return world


def _fly(scenario: Scenario, plan: Sequence[Step], opened: World | None = None) -> Outcome:
    """The outcome of a plan; of its steps, those are refused that the world refuses."""
    world = _opened(scenario) if opened is None else opened.fork()
    fly(world, plan, called(scenario), ends(scenario))
    return evaluate(world, scenario.objectives, called(scenario), ends(scenario))


def _words(plan: Plan) -> str:
    return "; ".join(str(step) for step in plan) or "doing nothing"


def words(report: Report) -> Iterator[str]:
    """The report in lines: scenarios, constant plans, findings."""
    yield f"{'scenario':<28}{'plans':>6}{'right':>6}{'margin':>8}  best plan"
    for row in report.rows:
        yield f"{row.scenario:<28}{row.plans:>6}{row.acceptable:>6}{row.margin:>8.1%}  {_words(row.best)}"
        for gap in row.gaps:
            yield f"{'':<28}not {gap.alternative}: gap {gap.first_look:.1f} at first look, {gap.telling:.1f} by all"
    for name, share in report.constants[:5]:
        yield f"constant plan {name}: {share:.0%} of the families"
    for finding in report.findings:
        yield f"{finding.scenario}: {finding.rule}: {finding.text}"
    yield f"{len(report.rows)} scenarios, {len(report.findings)} findings"
