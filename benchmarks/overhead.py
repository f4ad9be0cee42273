"""What SimSup costs on top of the SDK: one agent episode of 7 turns and 6 tool calls with a fake model, side by side.

Bare: the world opened, the crew wired, `Runner.run` with the run settings of every trial. SimSup: the same through
`run_trial`, recorded, and the episode committed to a run file. The two alternate, so that both see the same good
and bad moments of the machine; medians are compared. Opening the world is in both, so the ratio is given
without it as well; and once more with the episode graded and its grade committed, which a run does next.

Run: python benchmarks/overhead.py
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.harness.sdk import prepare, run_config

prepare()

from agents import Model, ModelResponse, Runner, Usage  # noqa: E402
from agents.testing import assistant_message, function_call  # noqa: E402

from evals.adapters.job import Job  # noqa: E402
from evals.adapters.trial import run_trial  # noqa: E402
from evals.candidate import Candidate, parse_model  # noqa: E402
from evals.case import Case, Script  # noqa: E402
from evals.cases import load_cases, load_reference  # noqa: E402
from evals.contract import digest  # noqa: E402
from evals.episode import Episode  # noqa: E402
from evals.grading import contract_for, grade  # noqa: E402
from evals.judge import STAND_IN  # noqa: E402
from evals.plan import Gate, Plan, Policy  # noqa: E402
from evals.store import RunCase, RunHeader, Store  # noqa: E402
from evals.system import Binding, OpenWorld  # noqa: E402
from evals.workspace import find_workspace, load_system  # noqa: E402

BAR = 1.25
REPETITIONS = 30
WARM_UP = 3
CASE = "life-support-masked-leak-01"
ROLE = "life-support"
CANDIDATE = Candidate(id="fake", model="scripted/fake")


class FakeModel(Model):
    """Gives prepared responses one after the other: as little as a model can do."""

    def __init__(self, outputs: list[list[Any]]) -> None:
        self._outputs = iter(outputs)

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        return ModelResponse(output=next(self._outputs), usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def turns(script: Script) -> list[list[Any]]:
    """The case's reference, one call a turn."""
    import json

    steps = script[ROLE]
    calls = [call for step in steps for call in step.calls or []]
    made = [[function_call(call.tool, call.args, call_id=f"call-{n}")] for n, call in enumerate(calls)]
    return [*made, [assistant_message(json.dumps(steps[-1].output), item_id="report")]]


class OpenedBefore:
    """The system with its world opened ahead of time: what is measured without opening it."""

    def __init__(self, system: Any, world: OpenWorld) -> None:
        self._system, self._world = system, world

    def __getattr__(self, name: str) -> Any:
        return getattr(self._system, name)

    def open(self, _setup: Mapping[str, Any]) -> OpenWorld:
        return self._world


@dataclass
class Bench:
    """One case, flown either way."""

    system: Any
    case: Case
    outputs: list[list[Any]]
    store: Store
    trials: int = 0

    async def bare(self, system: Any) -> None:
        world = system.open(self.case.setup.world)
        team = system.team(world, self._seats())
        result = await Runner.run(team.agents[ROLE], self.case.task, max_turns=8, run_config=run_config())
        assert result.final_output.status == "warning"

    async def graded(self, system: Any) -> None:
        episode, content = await self._record(system)
        verdict = await grade(episode, self.case, STAND_IN, episode_digest=content)
        self.store.add_grade(episode.key, verdict, contract_for(self.case, STAND_IN))
        assert verdict.verdict == "pass", verdict.reason

    async def _record(self, system: Any) -> tuple[Episode, str]:
        self.trials += 1
        job = Job(system, self.case, CANDIDATE, self.trials, model_for=lambda _role, _reference: self._model())
        started = time.time()
        episode = await run_trial(job)
        return episode, self.store.add_episode(episode, started, time.time())

    async def recorded(self, system: Any) -> None:
        await self._record(system)

    def _model(self) -> Model:
        return FakeModel(self.outputs)

    def _seats(self) -> dict[str, Binding]:
        reference = parse_model(CANDIDATE.model)
        return {role: Binding(self._model(), reference) for role in self.system.roles()}


@dataclass
class Series:
    """CPU and wall seconds of one way, one entry a repetition."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    async def time(self, fly: Callable[[Any], Awaitable[None]], system: Any) -> None:
        gc.collect()
        cpu, wall = time.process_time(), time.perf_counter()
        await fly(system)
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)


async def compare(bench: Bench, ours: Callable[[Any], Awaitable[None]], *, with_world: bool) -> tuple[Series, Series]:
    """Both ways, alternating, each repetition in the other order than the one before."""
    bare, simsup = Series(), Series()
    for repetition in range(-WARM_UP, REPETITIONS):
        pair = [(bare, bench.bare), (simsup, ours)]
        for series, fly in pair if repetition % 2 else reversed(pair):
            world = None if with_world else bench.system.open(bench.case.setup.world)
            system = bench.system if world is None else OpenedBefore(bench.system, world)
            await (Series() if repetition < 0 else series).time(fly, system)
    return bare, simsup


def show(title: str, bare: Series, simsup: Series) -> float:
    """Print medians and ratios; returns the ratio of CPU."""
    print(title)
    ratios: list[float] = []
    for name in ("cpu", "wall"):
        one, other = (1000 * statistics.median(getattr(series, name)) for series in (bare, simsup))
        ratios.append(other / one)
        print(f"  {name:4}  bare {one:6.2f} ms   SimSup {other:6.2f} ms   ratio {other / one:.3f}")
    return ratios[0]


def open_store(path: Path, case: Case) -> Store:
    policy = Policy(order=["complete_passes"], gate=Gate(min_pass_rate=0))
    plan = Plan(id="overhead", question="What does it cost?", candidates=[CANDIDATE], cases=[CASE], policy=policy)
    header = RunHeader(plan=plan, plan_digest=digest(plan), system="mars", judge=STAND_IN, started="")
    return Store.create(path, header, "", [RunCase.of(case, contract_for(case, STAND_IN))])


def main() -> int:
    workspace = find_workspace(Path(__file__).parents[1])
    case = load_cases(workspace)[CASE]
    outputs = turns(load_reference(workspace, case).roles)
    assert (len(outputs), sum(item.type == "function_call" for turn in outputs for item in turn)) == (7, 6)
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "run.sqlite", case) as store:
        bench = Bench(load_system(workspace), case, outputs, store)
        print(f"{CASE}: 7 turns, 6 tool calls, medians of {REPETITIONS} alternating repetitions")
        ratio = show("recorded and stored", *asyncio.run(compare(bench, bench.recorded, with_world=True)))
        show("the same without opening the world", *asyncio.run(compare(bench, bench.recorded, with_world=False)))
        show("recorded, stored and graded", *asyncio.run(compare(bench, bench.graded, with_world=True)))
    print(
        f"bar {BAR}: {'met' if ratio <= BAR else 'MISSED'}, by CPU, recorded and stored, with the world opened in both"
    )
    return 0 if ratio <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
