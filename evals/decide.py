"""Answer a plan's question by its policy, as it was fixed before the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal

from evals.candidate import EFFORTS, Candidate
from evals.contract import digest
from evals.errors import UserError
from evals.outcomes import Cell, Outcome, Results
from evals.plan import Measure, Plan
from evals.stats.intervals import Interval, pass_rate


@dataclass(frozen=True)
class Standing:
    """What one candidate reached. A measure that is None is unknown, or not stated for this candidate."""

    candidate: str
    complete_passes: int
    """Cases of which every trial passed."""
    cases: int
    rate: Interval
    ungraded: float
    """Share of trials without a verdict."""
    median_episode_s: float
    median_thinking_s: float | None
    """Simulated seconds of thought in the median trial, of those under a running clock; None if there is none."""
    effort: int | None
    """Sum over the plan's roles of the place of the effort in evals.candidate.EFFORTS."""
    usd: float | None
    gate: str
    """Why the candidate may not be chosen; empty where it may."""


@dataclass(frozen=True)
class Choice:
    """How the measurements answer the question, and why."""

    outcome: Literal["winner", "gate-not-met", "tie"]
    candidates: list[str]
    """The winner; or those that are tied; or nobody."""
    why: list[str]
    standings: list[Standing]


def decide(results: Results) -> Choice:
    """Apply the run's policy. Raises UserError if trials of the plan are missing."""
    missing = results.missing()
    if missing:
        raise UserError(
            f"{missing} trials of the plan are not flown and graded yet",
            where=results.file,
            do=f"Finish it: simsup run {results.plan.id} --resume {results.file}",
        )
    standings = [standing(results, candidate) for candidate in results.plan.candidates]
    standing_for = [s for s in standings if not s.gate]
    if not standing_for:
        return Choice("gate-not-met", [], ["No candidate meets the gate."], standings)
    left, why = _rank(standing_for, results.plan)
    return Choice("winner" if len(left) == 1 else "tie", [s.candidate for s in left], why, standings)


def check_plan(results: Results, plan: Plan) -> None:
    """Raises UserError if the plan is not the one that the run was started with: a policy is fixed first."""
    if digest(plan) != results.header.plan_digest:
        raise UserError(
            f"the plan {plan.id} is not the one this run was started with",
            where=results.file,
            do="Restore the plan, or start a new run.",
        )


def standing(results: Results, candidate: Candidate) -> Standing:
    """Everything the policy may look at, for one candidate."""
    outcomes = results.of(candidate.id)
    rate = pass_rate(results.verdicts(candidate.id))
    cells = [results.cells[Cell(case, candidate.id)] for case in results.cases]
    ungraded = rate.ungraded / len(outcomes)
    costs = [outcome.usd for outcome in outcomes]
    thought = [outcome.thinking_s for outcome in outcomes if outcome.thinking_s is not None]
    return Standing(
        candidate=candidate.id,
        complete_passes=sum(all(outcome.verdict == "pass" for outcome in cell) for cell in cells),
        cases=len(cells),
        rate=rate,
        ungraded=ungraded,
        median_episode_s=median(outcome.wall_s for outcome in outcomes),
        median_thinking_s=median(thought) if thought else None,
        effort=_effort(candidate, results.plan),
        usd=None if None in costs else sum(cost for cost in costs if cost is not None),
        gate=_gate(outcomes, ungraded, results.plan),
    )


def _gate(outcomes: list[Outcome], ungraded: float, plan: Plan) -> str:
    gate = plan.policy.gate
    graded = [outcome.verdict == "pass" for outcome in outcomes if outcome.verdict != "ungraded"]
    if ungraded > gate.max_ungraded:
        return f"ungraded {ungraded:.1%}, at most {gate.max_ungraded:.1%} allowed"
    if not graded:
        return "nothing was graded"
    if fmean(graded) < gate.min_pass_rate:
        return f"pass rate {fmean(graded):.1%} of graded episodes, at least {gate.min_pass_rate:.1%} needed"
    return ""


def _effort(candidate: Candidate, plan: Plan) -> int | None:
    named = sorted({role for other in plan.candidates for role in other.roles})
    efforts = [candidate.model_for(role).effort for role in ["", *named]]  # "" is every role that none names
    if None in efforts:
        return None
    return sum(EFFORTS.index(effort) for effort in efforts if effort is not None)


def _complete(s: Standing) -> float | None:
    return -float(s.complete_passes)


def _seconds(s: Standing) -> float | None:
    return s.median_episode_s


def _least_effort(s: Standing) -> float | None:
    return s.effort


def _cost(s: Standing) -> float | None:
    return s.usd


_MEASURES: dict[Measure, tuple[Callable[[Standing], float | None], str]] = {
    "complete_passes": (_complete, "complete passes"),
    "median_episode_s": (_seconds, "median episode time"),
    "lower_effort": (_least_effort, "lower effort"),
    "usd": (_cost, "cost"),
}


def _rank(standings: list[Standing], plan: Plan) -> tuple[list[Standing], list[str]]:
    """Those that remain after each measure in turn, and what each measure did. Smaller is better."""
    left, why = standings, list[str]()
    if len(left) == 1:
        return left, ["Only one candidate meets the gate."]
    for measure in plan.policy.order:
        value, name = _MEASURES[measure]
        values = {s.candidate: value(s) for s in left}
        known = [v for v in values.values() if v is not None]
        if len(known) < len(values):
            unknown = ", ".join(c for c, v in values.items() if v is None)
            why.append(f"{name}: not stated or unknown for {unknown}, so it separates nobody.")
            continue
        best = min(known)
        ahead = [s for s in left if values[s.candidate] == best]
        names = ", ".join(s.candidate for s in ahead)
        if len(ahead) == 1:
            return ahead, [*why, f"{name}: {names} is ahead of {_others(left, ahead)}."]
        why.append(f"{name}: {names} are equal" + (f", ahead of {_others(left, ahead)}." if ahead != left else "."))
        left = ahead
    return left, why


def _others(all_of: list[Standing], ahead: list[Standing]) -> str:
    return ", ".join(s.candidate for s in all_of if s not in ahead)
