"""How long the oracle takes for each scenario, how many plans there are, and how many of them are acceptable.

One core, process time: the whole plan space of the scenario, and the loop closed. Exit code 1 if a scenario takes over
`BAR`. With --prove each scenario is also searched without pruning: every outcome found so must be among those of the
search, or the exit code is 1 as well.

Run: python benchmarks/oracle.py [--prove] [SCENARIO ...]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from mission.oracle import Flown, Solution, solve
from mission.system import read_scenarios
from mission.world.scenario import Scenario

ROOT = Path(__file__).parents[1]
BAR = 2.0
"""s of process time for one scenario."""
DIGITS = 5
"""Of a margin: two ways to one state end as one but for the last bits."""
REPETITIONS = 2


def timed(scenario: Scenario) -> tuple[Solution, float]:
    """The solution, and the lesser of two times: what a busy machine adds is not the oracle's."""
    times: list[float] = []
    for _ in range(REPETITIONS):
        start = time.process_time()
        solution = solve(scenario)
        times.append(time.process_time() - start)
    return solution, min(times)


def outcome(one: Flown) -> tuple[tuple[bool, float], ...]:
    return tuple((result.met, round(result.margin, DIGITS)) for result in one.outcome.results)


def lost(scenario: Scenario, solution: Solution) -> tuple[int, int]:
    """How many plans there are without pruning, and how many outcomes of theirs the search does not have."""
    everything = solve(scenario, prune=False).flown
    return len(everything), len({outcome(one) for one in everything} - {outcome(one) for one in solution.flown})


def main(arguments: list[str]) -> int:
    prove, names = "--prove" in arguments, [name for name in arguments if name != "--prove"]
    slow, wrong, total = 0, 0, 0.0
    print(f"{'scenario':<24}{'s':>6}{'plans':>7}{'acceptable':>12}{'margin':>8}  feasible, replanned")
    for scenario in read_scenarios(ROOT, names):
        solution, seconds = timed(scenario)
        total += seconds
        slow += seconds > BAR
        said = f"{'yes' if solution.feasible else 'no'}, {'yes' if solution.closed.replanned else 'no'}"
        line = f"{scenario.id:<24}{seconds:>6.2f}{len(solution.flown):>7}{len(solution.acceptable):>12}"
        line += f"{solution.best.outcome.margin:>8.1%}  {said}"
        if prove:
            plans, missing = lost(scenario, solution)
            wrong += missing > 0
            line += f"; {plans} plans without pruning, {missing} outcomes lost"
        print(line, flush=True)
    print(f"{total:.1f} s in all; {slow} over {BAR:g} s")
    return 1 if slow or wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
