"""One trial: open a fresh world, wire the team, run the case's scope, and keep what happened."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any, cast

from evals.adapters.job import Job
from evals.budget import SpendingLimitError
from evals.case import Case
from evals.clock import Clock, Pace, running
from evals.contract import digest
from evals.episode import Episode, EpisodeKey, Resolved, Status
from evals.record import Recorder, StoppedError, describe_tools
from evals.system import Binding, OpenWorld, Team, ThinkingWorld

JSON = Any


@dataclass(frozen=True)
class Trial:
    """A trial under way, as a scope's adapter sees it."""

    case: Case
    team: Team
    world: OpenWorld
    recorder: Recorder
    turns: dict[str, int]
    """Greatest number of turns of one run, by role."""


Adapter = Callable[[Trial], Awaitable[JSON]]


def adapter_for(scope: str) -> Adapter:
    """The adapter of a scope: it wires what is live and what is frozen, runs it, and gives the output."""
    from evals.adapters import agent, handoff, tool, workflow

    return {"agent": agent.run, "handoff": handoff.run, "workflow": workflow.run, "tool": tool.run}[scope]


async def run_trial(job: Job) -> Episode:
    """Execute one trial.

    Raises ValueError for a case that does not fit its system, and SpendingLimitError when the limit does not cover
    the next call; never for a model's failure, which is an episode.
    """
    world = job.system.open(job.case.setup.world)
    roles = job.system.roles()
    clock = running(job.candidate.clock, job.clock, job.case.setup.clock)
    pace = _pace(job, clock, world) if clock is not None else None
    recorder = Recorder(wall=job.wall, sim=world.now, budget=job.case.budget, pace=pace)
    references = {role: job.candidate.model_for(role) for role in roles}
    team = job.system.team(
        world, {role: Binding(job.model_for(role, reference), reference) for role, reference in references.items()}
    )
    tool_digests = {
        f"{role}.{name}": value
        for role, agent in team.agents.items()
        for name, value in describe_tools(agent.tools).items()
    }
    trial = Trial(
        case=job.case,
        team=team,
        world=world,
        recorder=recorder,
        turns={name: role.turns for name, role in roles.items()},
    )
    start = job.wall()
    output, status = await _fly(trial)
    seen = world.observe()
    return Episode(
        key=EpisodeKey(case=job.case.id, candidate=job.candidate.id, trial=job.trial),
        resolved=Resolved(
            case_digest=digest(job.case),
            candidate_digest=digest(job.candidate),
            system=job.system.name,
            harness="direct" if job.case.scope == "tool" else "sdk",
            models={role: str(reference) for role, reference in sorted(references.items())},
            role_digests={name: role.digest for name, role in sorted(roles.items())},
            tool_digests=tool_digests,
            software=dict(job.software),
            clock=clock,
        ),
        status=status,
        output=output,
        outputs=recorder.outputs,
        state=seen.state,
        log=seen.log,
        world_digest=seen.digest,
        knowledge=world.knowledge(),
        usage=recorder.usage,
        usd=_cost(job, recorder, references),
        sim_s=world.now(),
        wall_s=round(job.wall() - start, 6),
        trace=recorder.events,
    )


def _pace(job: Job, clock: Clock, world: OpenWorld) -> Pace:
    check_clock(clock, job.system.name, world, job.system.roles())
    think = cast("ThinkingWorld", world).think
    return Pace(clock, job.case.id, job.trial, think, job.measured)


def check_clock(clock: Clock, system: str, world: OpenWorld, roles: Collection[str]) -> None:
    """Raises ValueError for a clock that cannot run in this world, or that names a role there is not."""
    if clock.runs and not isinstance(world, ThinkingWorld):
        raise ValueError(
            f"clock: is to run, and no time can pass in a world of {system}: "
            "give it think(seconds), or leave the clock off"
        )
    unknown = [role for role in clock.roles if role not in roles]
    if unknown:
        raise ValueError(f"clock: names no role of {system}: {unknown[0]!r}; there are {', '.join(roles)}")


async def _fly(trial: Trial) -> tuple[JSON, Status]:
    recorder = trial.recorder
    with recorder.frame(None, None):
        recorder.note("input", None, {"task": trial.case.task})
        try:
            async with asyncio.timeout(trial.case.budget.seconds):
                output = await adapter_for(trial.case.scope)(trial)
        except StoppedError as stop:
            if stop.layer == "budget":
                raise SpendingLimitError(stop.reason) from stop
            return None, Status(kind=_kind(stop), layer=stop.layer, reason=stop.reason)
        except TimeoutError:
            stop = recorder.halt("candidate", f"out of time: the budget is {trial.case.budget.seconds:g} s")
            return None, Status(kind="stopped", layer=stop.layer, reason=stop.reason)
        recorder.note("output", trial.case.role, {"output": output})
        return output, Status(kind="completed")


def _kind(stop: StoppedError) -> Any:
    return "stopped" if stop.layer == "candidate" else "failed"


def _cost(job: Job, recorder: Recorder, references: dict[str, Any]) -> float | None:
    """Dollars of the trial's model calls; None when any part is unknown."""
    if job.price is None:
        return None
    total = 0.0
    for role, usage in recorder.usage.items():
        cost = job.price(str(references[role]), {k: v for k, v in usage.model_dump().items() if v is not None})
        if cost is None:
            return None
        total += cost
    return total
