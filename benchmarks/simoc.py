"""SimSup beside simoc-abm 1.1.2: the same four people, the same ten days, both timed in one run.

simoc-abm steps its habitat by the hour. Ours is solved between events. Two comparisons: its own four-person habitat
with its own constants in our solver, from its state at hour 24 on, value by value; and our whole base with four
people (three zones, four gases, power, heat, outside, rules, ledgers) for speed. simoc-abm's people breathe evenly
day and night, and so do ours in the run that is judged; the run with sleep and exercise is shown beside it.
simoc-abm also keeps water, food and waste.

Run: python benchmarks/simoc.py   (needs `pip install simoc-abm==1.1.2`; exits with 2 and says so when it is missing)
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mission.published.simoc import habitat, seen
from mission.world.engine import Scenario, World, load_scenario
from mission.world.scenario import Sleep
from mission.world.units import DAY

ROOT = Path(__file__).resolve().parents[1]
DAYS = 10
ROUNDS = 9
HOURS = (24, 48, 72, 120)
BAR = 10.0
"""How many times as fast ours has to be, its habitat in our solver and our whole base both."""


@dataclass(frozen=True)
class Row:
    """One gas at one hour, kg."""

    gas: str
    hour: int
    simoc: float
    ours: float

    @property
    def error(self) -> float:
        return abs(self.ours / self.simoc - 1.0)


def compare(storage: dict[str, list[float]], people: int, units: int) -> list[Row]:
    """Ours against its records at HOURS, from its hour 24 on."""
    start = {gas: levels[HOURS[0]] for gas, levels in storage.items()}
    rows: list[Row] = []
    for hour in HOURS[1:]:
        ours = habitat(people, units, start, hour - HOURS[0])
        rows += [Row(gas, hour, storage[gas][hour], ours[gas]) for gas in ("co2", "o2")]
    return rows


def base_of_four(*, even: bool) -> Scenario:
    """Our whole base with four people, who breathe evenly or sleep and exercise."""
    scenario = load_scenario(ROOT / "cases" / "scenarios" / "nominal.yaml")
    if not even:
        return scenario.model_copy(update={"crew": scenario.crew[:4]})
    crew = tuple(person.model_copy(update={"exercise_h": ()}) for person in scenario.crew[:4])
    return scenario.model_copy(update={"crew": crew, "sleep": Sleep(length_h=0.0)})


def seconds(runs: Sequence[Callable[[], Any]]) -> list[float]:
    """Least CPU time of each run; in rounds, so that a machine that changes its speed changes it for all of them."""
    best = [math.inf] * len(runs)
    for _ in range(ROUNDS):
        for index, run in enumerate(runs):
            start = time.process_time()
            run()
            best[index] = min(best[index], time.process_time() - start)
    return best


def main() -> int:
    if importlib.util.find_spec("simoc_abm") is None:
        sys.stderr.write("simoc-abm is not installed: pip install simoc-abm==1.1.2\n")
        return 2
    storage = seen("4h")["crew_habitat_small"]["storage"]
    rows = compare(storage, people=4, units=2)
    for row in rows:
        sys.stdout.write(
            f"{row.gas} hour {row.hour}: simoc {row.simoc:.4f} kg, ours {row.ours:.4f} kg, {100 * row.error:.3f} %\n"
        )
    even, living = base_of_four(even=True), base_of_four(even=False)
    theirs, closed, whole, busy = seconds(
        [
            lambda: seen("4h"),
            lambda: compare(storage, people=4, units=2),
            lambda: World(even, 1).advance(DAYS * DAY),
            lambda: World(living, 1).advance(DAYS * DAY),
        ]
    )
    sys.stdout.write(f"simoc-abm, 4 people, {DAYS} days by the hour: {1000 * theirs:.1f} ms of CPU\n")
    for what, taken in (
        ("its habitat in our solver", closed),
        ("our whole base, 4 people who breathe evenly", whole),
        ("the same with sleep and exercise", busy),
    ):
        sys.stdout.write(f"{what}: {1000 * taken:.2f} ms, {theirs / taken:.1f} times as fast\n")
    agreed = all(row.error < 0.01 for row in rows)
    return 0 if agreed and theirs / closed >= BAR and theirs / whole >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
