"""Workflow scope: the real team from request to verified end, before a controlled authorizer."""

from __future__ import annotations

from typing import Any

from evals.adapters.trial import Trial
from evals.harness.sdk import run_agent
from evals.record import instrument
from evals.system import Decision


async def run(trial: Trial) -> Any:
    """The workflow's outcome."""
    case, team, recorder = trial.case, trial.team, trial.recorder
    if team.fly is None:
        raise ValueError(f"case {case.id} is a workflow, and the system's team has none")
    instrument(team.agents, team.consult_tools, recorder)
    human = case.setup.authorizer

    async def run_one(agent: Any, text: str) -> Any:
        output = await run_agent(agent, text, max_turns=trial.turns[team.coordinator], recorder=recorder)
        recorder.outputs[team.coordinator] = output
        return output

    async def authorize(_proposal: dict[str, Any], proposal_digest: str) -> Decision:
        return Decision(decision=human.decision, digest=proposal_digest, after_s=human.after_s)

    return await team.fly(case.task, run_one, authorize, lambda kind, role, data: _note(trial, kind, role, data))


def _note(trial: Trial, kind: Any, role: str | None, data: dict[str, Any]) -> None:
    trial.recorder.note(kind, role, data)
