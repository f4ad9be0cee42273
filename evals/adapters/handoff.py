"""Handoff scope: producer and consumer on either side of one boundary, each live or frozen."""

from __future__ import annotations

from typing import Any

from evals.adapters.freeze import freeze, question_of
from evals.adapters.trial import Trial
from evals.harness.sdk import run_agent
from evals.record import instrument


async def run(trial: Trial) -> Any:
    """The consumer's output; or, with the consumer frozen, the producer's report on the recorded question."""
    case, team, recorder = trial.case, trial.team, trial.recorder
    boundary = case.boundary
    if boundary is None:
        raise ValueError(f"case {case.id} names no boundary")
    for role in (boundary.producer, boundary.consumer):
        if role not in team.agents:
            raise ValueError(f"case {case.id}: the team has no role {role!r}; it has {', '.join(team.agents)}")
    frozen = dict(case.setup.frozen)
    asked = frozen.pop(boundary.consumer, None)
    producer, consumer = team.agents[boundary.producer], team.agents[boundary.consumer]
    if asked is not None:
        instrument({boundary.producer: producer}, team.consult_tools, recorder)
        question = question_of(asked.report)
        output = await run_agent(producer, question, max_turns=trial.turns[boundary.producer], recorder=recorder)
        recorder.outputs[boundary.producer] = output
        return output
    others = {name: role for name, role in team.consult_tools.items() if role != boundary.producer or role in frozen}
    freeze(consumer, others, frozen)
    live = {boundary.consumer: consumer}
    if boundary.producer not in frozen:
        live[boundary.producer] = producer
    instrument(live, team.consult_tools, recorder)
    output = await run_agent(consumer, case.task, max_turns=trial.turns[boundary.consumer], recorder=recorder)
    recorder.outputs[boundary.consumer] = output
    return output
