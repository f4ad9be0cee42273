"""How fast the world is: a long flight, a fresh world in the middle of a scenario, a fork, and the engine alone.

All on one core, in process time, so that a busy machine counts as little as it can. A fresh world is opened as trials
open it: what leads to its start is flown once in a process and then copied; the first time is shown beside it. The
engine is measured without physics, on plans that change nothing, against bare SimPy timeouts.

Run: python benchmarks/world.py
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import simpy

from evals.workspace import find_workspace
from mission.system import MarsBase
from mission.world.engine import World, load_scenario
from mission.world.scenario import Scenario
from mission.world.weather import SOL

ROOT = Path(__file__).parents[1]
NAMES = sorted(path.stem for path in (ROOT / "cases" / "scenarios").glob("*.yaml"))
HOUR = 3600.0
REPETITIONS = 5
PEOPLE = 3
"""The nominal crew's first: with their sleep and exercise about a thousand events in a hundred sols."""
TICKS = 20_000
CHANGES = 333
BARS = {"hundred sols, s": 0.5, "open at 6 h, ms": 3.0, "fork, ms": 5.0, "engine / SimPy": 5.0}


def timed(act: Callable[[], Any]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


def scenario(name: str, **changes: Any) -> Scenario:
    return Scenario.model_validate(load_scenario(ROOT / "cases" / "scenarios" / f"{name}.yaml").model_dump() | changes)


def hundred_sols() -> tuple[float, str]:
    """Judged with exercise, where few events share an instant; shown without it too, where most do."""
    full = scenario("nominal")
    crew = [person.model_dump() for person in full.crew]
    oxygen = full.oga_kg_per_day * PEOPLE / len(crew)
    best, events = _fly(scenario("nominal", crew=crew[:PEOPLE], oga_kg_per_day=oxygen))
    asleep, fewer = _fly(scenario("nominal", crew=[person | {"exercise_h": []} for person in crew]))
    figures = f"{events} events, {1e3 * best / events:.2f} ms each"
    return best, f"{figures}; all {len(crew)} without exercise: {fewer} events in {asleep:.2f} s"


def _fly(flown: Scenario) -> tuple[float, int]:
    worlds = [World(flown, 1) for _ in range(REPETITIONS)]
    best = min(timed(lambda world=world: world.advance(100 * SOL)) for world in worlds)
    return best, len(worlds[0].log())


def opening() -> tuple[float, str]:
    base = MarsBase(find_workspace(ROOT))
    first, again = list[float](), list[float]()
    for name in NAMES:
        for seed in range(REPETITIONS + 1):
            setup = {"scenario": name, "seed": seed, "start": "PT6H"}
            (again if seed else first).append(1e3 * timed(lambda setup=setup: base.open(setup)))
    cold = f"the first time {statistics.median(first):.1f} ms, at most {max(first):.0f}"
    return statistics.median(again), f"{len(NAMES)} scenarios, at most {max(again):.1f} ms; {cold}"


def forking() -> tuple[float, str]:
    medians: dict[str, float] = {}
    for name in NAMES:
        world = World(scenario(name), 1)
        for hour in (1, 6, 12, 24):
            world.advance(hour * HOUR)
            taken = statistics.median(timed(world.fork) for _ in range(REPETITIONS))
            medians[f"{name} at {hour} h"] = 1e3 * taken
    slowest = max(medians, key=lambda place: medians[place])
    return medians[
        slowest
    ], f"the slowest of {len(medians)}: {slowest}; median {statistics.median(medians.values()):.1f}"


def engine() -> tuple[float, str]:
    """One person's plan of a thousand changes a day, which change nothing because the person is lost."""
    exercise = [22.0 * n / CHANGES for n in range(CHANGES)]
    person = scenario("nominal").crew[0].model_dump() | {"exercise_h": exercise}
    planned = scenario("nominal", crew=[person])
    days = TICKS / (3 * CHANGES + 2)
    ours, bare = list[float](), list[float]()
    for _ in range(REPETITIONS):
        world = World(planned, 1)
        world.base.set_person(planned.crew[0].id, activity="lost")
        ours.append(timed(lambda world=world: world.advance(days * 24 * HOUR)))
        bare.append(timed(_simpy))
    micro = 1e6 / TICKS
    return min(ours) / min(bare), f"{TICKS} events, {micro * min(ours):.1f} us each; SimPy {micro * min(bare):.1f} us"


def _simpy() -> None:
    environment = simpy.Environment()

    def tick() -> Any:
        for _ in range(TICKS):
            yield environment.timeout(1.0)

    environment.process(tick())
    environment.run()


def main() -> int:
    measured = dict(zip(BARS, (hundred_sols(), opening(), forking(), engine()), strict=True))
    missed = 0
    for name, (figure, details) in measured.items():
        met = figure < BARS[name]
        missed += not met
        print(f"{name:<16} {figure:7.2f}   bar {BARS[name]:g}   {'met' if met else 'MISSED'}   ({details})")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
