"""Grading: the verdict of one contract on one recorded episode."""

from __future__ import annotations

from collections.abc import Sequence

from evals.case import Case, Criterion
from evals.checks import Material, evaluate, material_of, validate
from evals.episode import Episode, Status
from evals.errors import UserError
from evals.grade import Grade, GradingContract, JudgeConfig, Result, Verdict
from evals.judge import Ask, judge_criterion, stand_in_judge

COMPLETED = "completed"
"""Name of the result that every grade begins with: whether the trial came to its end, and if not, by whose doing."""


def contract_for(case: Case, judge: JudgeConfig) -> GradingContract:
    """What grades a case under a judge. Raises UserError for a check or pattern that can never be evaluated."""
    if COMPLETED in [check.name for check in case.expect.checks] + [item.id for item in case.expect.rubric]:
        raise UserError(f"the name {COMPLETED!r} is taken", where=case.id, do="Give the check another id.")
    validate(case)
    return GradingContract(checks=case.expect.checks, rubric=case.expect.rubric, judge=judge)


async def grade(
    episode: Episode, case: Case, judge: JudgeConfig, ask: Ask | None = None, *, episode_digest: str | None = None
) -> Grade:
    """The grade of an episode. `ask` puts a question to the judge; the stand-in needs none.

    An episode that something other than the candidate stopped is ungraded, and nothing is evaluated on it. One
    that the candidate cut short is graded on what there is, and fails. `episode_digest` is the content digest,
    where it is known already. Raises ValueError for a rubric with a live judge and no `ask`.
    """
    contract = contract_for(case, judge)
    if contract.rubric and not judge.stand_in and ask is None:
        raise ValueError(f"{case.id} has a rubric, and there is no way to ask its judge {judge.model}")
    results = [completed(episode.status)]
    if results[0].verdict != "ungraded":
        material = material_of(episode, case)
        results += [evaluate(check, material) for check in contract.checks]
        results += [await _judged(criterion, material, judge, ask) for criterion in contract.rubric]
    verdict, reason = combine(results)
    return Grade(
        contract_digest=contract.digest(),
        episode_digest=episode_digest or episode.content_digest(),
        judge=judge.model,
        results=results,
        verdict=verdict,
        reason=reason,
    )


def completed(status: Status) -> Result:
    """Whether the trial came to its end: `fail` if the candidate stopped it, `ungraded` if anything else did."""
    what = status.reason or "no reason is recorded"
    if status.kind == "completed":
        return _completed("pass", "")
    if status.layer == "candidate":
        return _completed("fail", f"{status.kind}: {what}")
    if status.layer == "budget":
        return _completed("ungraded", f"stopped by the spending limit: {what}")
    return _completed("ungraded", f"{status.kind} in {status.layer or 'an unknown layer'}: {what}")


def combine(results: Sequence[Result]) -> tuple[Verdict, str]:
    """The rule `deterministic-and-rubric`: fail if either layer fails, else ungraded if any part is, else pass.

    The reason names the deciding results, those of the deterministic layer first. Raises ValueError for no
    results: nothing examined is nothing passed.
    """
    if not results:
        raise ValueError("there is nothing to combine: a grade needs at least one result")
    for layer in ("deterministic", "rubric"):
        failures = [result for result in results if result.verdict == "fail" and result.layer == layer]
        if failures:
            return "fail", _reasons(failures)
    missing = [result for result in results if result.verdict == "ungraded"]
    return ("ungraded", _reasons(missing)) if missing else ("pass", "")


async def _judged(criterion: Criterion, material: Material, judge: JudgeConfig, ask: Ask | None) -> Result:
    if material.output_of(None) is None:
        reason = "there is no response to judge"
        return Result(name=criterion.id, kind="criterion", layer="rubric", verdict="fail", reason=reason)
    if ask is None or judge.stand_in:
        return stand_in_judge(criterion, material)
    return await judge_criterion(criterion, material, judge, ask)


def _completed(verdict: Verdict, reason: str) -> Result:
    return Result(name=COMPLETED, kind=COMPLETED, layer="deterministic", verdict=verdict, reason=reason)


def _reasons(results: Sequence[Result]) -> str:
    return "; ".join(f"{result.name}: {result.reason}" for result in results)
