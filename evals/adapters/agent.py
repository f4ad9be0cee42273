"""Agent scope: one role alone on its tools; everyone it could consult is frozen."""

from __future__ import annotations

from typing import Any

from evals.adapters.freeze import freeze
from evals.adapters.trial import Trial
from evals.harness.sdk import run_agent
from evals.record import instrument


async def run(trial: Trial) -> Any:
    """The output of the case's role on the case's task."""
    role = trial.case.role
    if role is None or role not in trial.team.agents:
        raise ValueError(f"case {trial.case.id}: the team has no role {role!r}; it has {', '.join(trial.team.agents)}")
    agent = trial.team.agents[role]
    freeze(agent, trial.team.consult_tools, trial.case.setup.frozen)
    instrument({role: agent}, trial.team.consult_tools, trial.recorder)
    output = await run_agent(agent, trial.case.task, max_turns=trial.turns[role], recorder=trial.recorder)
    trial.recorder.outputs[role] = output
    return output
