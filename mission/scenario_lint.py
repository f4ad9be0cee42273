"""Are the scenarios fit to judge by? Each is solved, shirked, guessed at, and asked whether it can be known.

Scenarios are examined one by one, and then every constant plan is tried on each; both on as many processes as asked.
What is found does not depend on how many those are.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from mission.examination import Exam, Finding, examine, plan_words
from mission.fairness import Gap
from mission.oracle import Solution
from mission.oracle.space import differs
from mission.policies import Constant, constants, credit, families, incidents_of, policies, too_constant
from mission.world.engine import Scenario
from mission.world.objective import Plan

__all__ = ["Finding", "Report", "Row", "each", "lint", "words"]

FEW = 3
"""Scenarios that are not worth a second process."""
One = TypeVar("One")
Result = TypeVar("Result")
Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


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
    constants: tuple[Constant, ...]
    """Constant plans, that which solves most families first."""
    idle: float
    """Share of the families that doing nothing solves."""
    random: float
    """Share of the families that a plan drawn from the scenario's own space solves."""
    findings: tuple[Finding, ...]


def _silent(what: str, done: int, all_of_them: int) -> None:
    """Tell nobody."""


def lint(scenarios: Sequence[Scenario], *, processes: int = 1, progress: Progress = _silent) -> Report:
    """Everything that is wrong with scenarios, alone and as a suite."""
    exams = each(examine, scenarios, processes, partial(progress, "examined"))
    solved = [exam for exam in exams if exam.solution is not None]
    plans = policies(solved)
    credited = each(partial(credit, plans=plans), solved, processes, partial(progress, "tried constant plans on"))
    scored = constants(solved, {one.scenario: one for one in credited}, plans)
    findings = [finding for exam in exams for finding in exam.findings]
    findings += [finding for one in credited for finding in one.findings]
    findings += [*_twins(solved), *too_constant(scored)]
    idle = next((one.share for one in scored if one.words == plan_words(())), 0.0)
    rows = tuple(_row(exam, exam.solution) for exam in solved if exam.solution)
    return Report(rows, tuple(scored), idle, _random(solved), tuple(findings))


def each(
    do: Callable[[One], Result], things: Sequence[One], processes: int, progress: Callable[[int, int], None]
) -> list[Result]:
    """The results in the order of the things."""
    found: list[Result] = []
    if processes < 2 or len(things) <= FEW:
        for thing in things:
            found.append(do(thing))
            progress(len(found), len(things))
        return found
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        for result in pool.map(do, things):
            found.append(result)
            progress(len(found), len(things))
    return found


def _random(exams: Sequence[Exam]) -> float:
    shares = [[_share(exam.solution) for exam in family if exam.solution] for family in families(exams)]
    return sum(sum(family) / len(family) for family in shares) / len(shares) if shares else 0.0


def _share(solution: Solution) -> float:
    return len(solution.acceptable) / len(solution.flown)


def _row(exam: Exam, solution: Solution) -> Row:
    best = solution.best
    return Row(
        solution.scenario,
        len(solution.flown),
        len(solution.acceptable),
        solution.idle.outcome.met,
        best.outcome.margin,
        best.plan,
        exam.gaps,
    )


def _twins(exams: Sequence[Exam]) -> list[Finding]:
    """Variants that change nothing: the same plans with the same outcomes."""
    found: list[Finding] = []
    for index, exam in enumerate(exams):
        for other in exams[:index]:
            if incidents_of(exam.scenario) == incidents_of(other.scenario) and _same(exam.solution, other.solution):
                found.append(Finding(exam.scenario.id, "twin", f"every plan fares in it as in {other.scenario.id}"))
    return found


def _same(solution: Solution | None, other: Solution | None) -> bool:
    if solution is None or other is None or len(solution.flown) != len(other.flown):
        return False
    pairs = zip(solution.flown, other.flown, strict=True)
    return all(
        one.plan == two.plan
        and [r.id for r in one.outcome.results] == [r.id for r in two.outcome.results]
        and not differs(one.outcome, two.outcome)
        for one, two in pairs
    )


def words(report: Report) -> Iterator[str]:
    """The report in lines: scenarios, constant plans, findings, and a summary."""
    yield f"{'scenario':<28}{'plans':>6}{'right':>6}{'margin':>8}  best plan"
    for row in report.rows:
        yield f"{row.scenario:<28}{row.plans:>6}{row.acceptable:>6}{row.margin:>8.1%}  {plan_words(row.best)}"
        for gap in row.gaps:
            told = f"{gap.first_look:.1f} at first look, {gap.telling:.1f} by all, {gap.unlucky:.1f} if unlucky"
            yield f"{'':<28}not {gap.alternative}: gap {told}"
    for one in report.constants[:5]:
        yield f"constant plan {one.words}: {one.share:.1%} of the families, {one.families} of them"
    yield f"doing nothing: {report.idle:.1%} of the families; a random plan of the scenario's own: {report.random:.1%}"
    for finding in report.findings:
        yield f"{finding.scenario}: {finding.rule}: {finding.text}"
    tried = f"{len(report.constants)} constant plans tried on each"
    yield f"{len(report.rows)} scenarios, {tried}, {len(report.findings)} findings"
