"""Fakes for everything that flies and grades: episodes made from their identity, at once or after a moment.

Loaded by path from the tests, and run as a program by those that kill it: RUN JOURNAL TRIALS [--resume].
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
from datetime import date
from pathlib import Path
from typing import Any

from evals.candidate import Candidate
from evals.case import Case
from evals.contract import digest
from evals.episode import Episode, EpisodeKey, Event, Resolved, Status
from evals.grade import Grade, GradingContract, JudgeConfig, Result
from evals.plan import Plan
from evals.runner import Instrument, Step, run
from evals.store import RunCase, RunHeader, Store

JUDGE = JudgeConfig(model="stand-in/patterns", prompt="", version=1, stand_in=True)


def make_case(name: str, **changes: Any) -> Case:
    return Case.model_validate(
        {
            "id": name,
            "system": "toy",
            "scope": "agent",
            "role": "clerk",
            "task": "Say what is so.",
            "expect": {
                "checks": [{"check": "field", "path": "verdict", "equals": "good"}],
                "must_pass": {"reference": f"references/{name}.yaml"},
                "must_fail": [{"because": "is wrong", "on": ["field"], "response": {"verdict": "bad"}}],
            },
            "budget": {"turns": 4, "tool_calls": 4, "seconds": 10},
            "tags": {"mechanism": "plain", "expects": "report", "difficulty": "easy"},
            "provenance": {"source": "authored", "basis": "test", "review": "none", "reviewed": date(2026, 1, 1)},
        }
        | changes
    )


def make_plan(candidates: tuple[Any, ...] = ("good", "bad"), trials: int = 1, **changes: Any) -> Plan:
    return Plan.model_validate(
        {
            "id": "toy",
            "question": "Which clerk?",
            "candidates": [{"id": c, "model": f"pilot/{c}"} if isinstance(c, str) else c for c in candidates],
            "cases": ["*"],
            "trials": trials,
            "policy": {
                "order": ["complete_passes", "median_episode_s", "lower_effort"],
                "gate": {"min_pass_rate": 0.5, "max_ungraded": 0.0},
            },
        }
        | changes
    )


def make_header(plan: Plan, **changes: Any) -> RunHeader:
    values = {
        "plan": plan,
        "plan_digest": digest(plan),
        "system": "toy",
        "judge": JUDGE,
        "versions": {"role card clerk": "1"},
        "software": {"simsup": "0.1.0"},
        "started": "2026-12-01T00:00:00+00:00",
    }
    return RunHeader.model_validate(values | changes)


def contract_for(case: Case, judge: JudgeConfig = JUDGE) -> GradingContract:
    return GradingContract(checks=case.expect.checks, rubric=case.expect.rubric, judge=judge)


def frozen(names: tuple[str, ...] = ("a-1", "a-2", "b-1")) -> list[RunCase]:
    return [RunCase.of(case, contract_for(case)) for case in map(make_case, names)]


def make_episode(
    case: str, candidate: str, trial: int = 0, *, wall_s: float = 1.0, usd: float | None = 0.0, **changes: Any
) -> Episode:
    noise = hashlib.sha256(f"{case} {candidate} {trial}".encode()).hexdigest()
    values = {
        "key": EpisodeKey(case=case, candidate=candidate, trial=trial),
        "resolved": Resolved(
            case_digest="c",
            candidate_digest="k",
            system="toy",
            harness="sdk",
            models={"clerk": f"pilot/{candidate}"},
            role_digests={},
            tool_digests={},
        ),
        "status": Status(kind="completed"),
        "output": {"verdict": candidate, "noise": noise},
        "state": {},
        "world_digest": noise,
        "usd": usd,
        "sim_s": 3661.0,
        "wall_s": wall_s,
        "trace": [
            Event(seq=0, kind="input", role=None, cause=None, sim_s=0.0, wall_s=0.0, data={"task": "Say what is so."}),
            Event(seq=1, kind="model_request", role="clerk", cause=0, sim_s=0.0, wall_s=wall_s, data={"noise": noise}),
            Event(seq=2, kind="output", role="clerk", cause=1, sim_s=3661.0, wall_s=wall_s, data={"output": candidate}),
        ],
    }
    return Episode.model_validate(values | changes)


def make_grade(episode: Episode, contract: GradingContract, verdict: str | None = None) -> Grade:
    given = verdict or ("pass" if episode.key.candidate == "good" else "fail")
    reason = "" if given == "pass" else f"verdict: is {episode.key.candidate!r}, not 'good'"
    result = Result(name="field", kind="field", layer="deterministic", verdict=given, reason=reason)
    return Grade(
        contract_digest=contract.digest(),
        episode_digest=episode.content_digest(),
        judge=contract.judge.model,
        results=[result],
        verdict=given,
        reason=reason,
    )


async def fly(case: Case, candidate: Candidate, trial: int) -> Episode:
    """Takes 2 to 10 ms, by identity, so that trials end in another order than they began."""
    episode = make_episode(case.id, candidate.id, trial)
    await asyncio.sleep(0.002 + int(episode.world_digest[:2], 16) / 32000)
    return episode


async def grade(episode: Episode, case: Case, content: str) -> Grade:
    return make_grade(episode, contract_for(case))


def instrument(**changes: Any) -> Instrument:
    return Instrument(**({"fly": fly, "grade": grade, "clock": lambda: 1_800_000_000.0} | changes))


BIG_CASES = ("a-1", "a-2", "b-1", "b-2", "c-1")


def main(path: str, journal: str, trials: str, *rest: str) -> None:
    log = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(step: Step) -> None:
        os.write(log, f"{step.key.case} {step.key.candidate} {step.key.trial}\n".encode())

    if rest:
        store = Store.open(Path(path), write=True)
    else:
        store = Store.create(Path(path), make_header(make_plan(trials=int(trials))), "text", frozen(BIG_CASES))
    with store:
        summary = asyncio.run(run(store, instrument(), 3, note))
    sys.exit(0 if summary.complete else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
