"""Controls: every case is tried on a response that must pass and on plausible ones that must fail, offline.

The responses are scripts, flown by the same adapters and graded by the same contract as any candidate's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from evals.adapters.job import Job
from evals.adapters.trial import run_trial
from evals.candidate import Candidate, ModelRef
from evals.case import Case, MustFail, Reference, Script, Step
from evals.episode import Episode
from evals.grade import Grade, JudgeConfig
from evals.grading import grade
from evals.models.scripted import scripted
from evals.system import System

JSON = Any
SCRIPTED = Candidate(id="reference", model="scripted/reference")


@dataclass(frozen=True)
class Control:
    """One control of a case: what was tried, what should have come of it, and what did."""

    case: str
    tried: str
    expected: str
    problem: str
    """Why the control does not hold; empty when it does."""
    untried: tuple[str, ...] = ()
    """Criteria that only a live judge can try, as they have no pattern for the stand-in."""


async def control(system: System, case: Case, reference: Reference, judge: JudgeConfig) -> list[Control]:
    """Try a case's controls. Raises ValueError for a case that cannot be flown at all."""
    found = [await _must_pass(system, case, reference.roles, judge)]
    for entry in case.expect.must_fail:
        found.append(await _must_fail(system, case, changed(case, reference.roles, entry), entry, judge))
    return found


async def _must_pass(system: System, case: Case, script: Script, judge: JudgeConfig) -> Control:
    episode, verdict = await fly_script(system, case, script, judge)
    untried = _untried(case, judge)
    held = all(result.verdict == "pass" for result in verdict.results if result.name not in untried)
    return Control(case.id, "the reference", "passes", "" if held else _explain(episode, verdict), untried)


def _untried(case: Case, judge: JudgeConfig) -> tuple[str, ...]:
    """The criteria that the stand-in has no pattern for; none under a live judge."""
    return tuple(one.id for one in case.expect.rubric if one.stand_in is None) if judge.stand_in else ()


async def _must_fail(system: System, case: Case, script: Script, entry: MustFail, judge: JudgeConfig) -> Control:
    episode, verdict = await fly_script(system, case, script, judge)
    expected = f"fails on {', '.join(entry.on)}"
    untried = tuple(name for name in entry.on if name in _untried(case, judge))
    if verdict.verdict == "ungraded" and not untried:
        return Control(case.id, entry.because, expected, _explain(episode, verdict))
    passed = [name for name in entry.on if name not in verdict.failed() and name not in untried]
    problem = f"{', '.join(passed)} did not fail; failed: {', '.join(verdict.failed()) or 'nothing'}" if passed else ""
    return Control(case.id, entry.because, expected, problem, untried)


def _explain(episode: Episode, verdict: Grade) -> str:
    wrong = [f"{result.name}: {result.reason}" for result in verdict.results if result.verdict != "pass"]
    stopped = [] if episode.status.kind == "completed" else [f"episode {episode.status.kind}: {episode.status.reason}"]
    return "; ".join([*stopped, *(wrong or [verdict.reason])])


async def fly_script(system: System, case: Case, script: Script, judge: JudgeConfig) -> tuple[Episode, Grade]:
    """One scripted trial and its grade."""

    def model_for(role: str, _reference: ModelRef) -> Any:
        return scripted(role, script.get(role, []))

    episode = await run_trial(Job(system=system, case=case, candidate=SCRIPTED, trial=0, model_for=model_for))
    return episode, await grade(episode, case, judge, None)


def changed(case: Case, script: Script, entry: MustFail) -> Script:
    """The reference's script with one entry's difference."""
    if entry.steps is not None:
        return {**script, **entry.steps}
    if entry.patch is not None:
        return {
            **script,
            **{role: with_output(script.get(role, []), role, patch) for role, patch in entry.patch.items()},
        }
    role = case.role or (case.boundary.consumer if case.boundary else None)
    if role is None:
        raise ValueError(f"case {case.id}: must_fail.response needs a case with a role; use steps or patch")
    return {**script, role: [*script.get(role, [])[:-1], replaced(script.get(role, []), entry.response)]}


def replaced(steps: Sequence[Step], response: JSON) -> Step:
    """The last step with another final output: where it was a call, its only argument that is an object."""
    if not steps:
        return Step(output=response)
    last = steps[-1]
    if last.calls is None:
        return Step(output=response)
    call = last.calls[-1]
    return Step(calls=[*last.calls[:-1], call.model_copy(update={"args": {_object_argument(call.args): response}})])


def with_output(steps: Sequence[Step], role: str, patch: JSON) -> list[Step]:
    """The steps with a patch merged into the last output, or into the object that the last call submits."""
    if not steps:
        raise ValueError(f"must_fail patches {role}, and the reference has no script for it")
    last = steps[-1]
    if last.calls is None:
        return [*steps[:-1], Step(output=merge(last.output, patch))]
    call = last.calls[-1]
    name = _object_argument(call.args)
    submitted = call.model_copy(update={"args": {**call.args, name: merge(call.args[name], patch)}})
    return [*steps[:-1], Step(calls=[*last.calls[:-1], submitted])]


def _object_argument(args: Mapping[str, JSON]) -> str:
    names = [name for name, value in args.items() if isinstance(value, dict)]
    if len(names) != 1:
        raise ValueError(f"the last call submits no single object to change; its arguments are {', '.join(args)}")
    return names[0]


def merge(target: JSON, patch: JSON) -> JSON:
    """JSON merge patch, RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    result: dict[str, JSON] = dict(cast("dict[str, JSON]", target)) if isinstance(target, dict) else {}
    for key, value in cast("dict[str, JSON]", patch).items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result
