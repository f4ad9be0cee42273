"""Hostile input, at length: fuzzed files of every kind, plans and tool calls, 10,000 examples of each.

Everything must end in a legal result or in one clear line; a traceback, a changed world or a second line is a fault,
and the exit code is then 1. Ctrl-C prints what came of the examples so far.

Run: python benchmarks/hostile.py [EXAMPLES] [NAME ...] [--seed=N] [--show=N]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from fuzz import calls, cards, cases, decisions, plans, scenarios
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

EXAMPLES = 10_000


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        known = fuzzers(Path(folder))
        parser = argparse.ArgumentParser(description="Hostile input, at length.")
        parser.add_argument("examples", nargs="?", type=int, default=EXAMPLES)
        parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}; by default all")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--show", type=int, default=15, help="how many kinds of results are printed")
        asked = parser.parse_args(arguments)
        odd = [name for name in asked.names if name not in known]
        if odd:
            parser.error(f"there is no {odd[0]!r}; there are {', '.join(known)}")
        names = asked.names or list(known)
        return 1 if sum(run(name, *known[name], asked) for name in names) else 0


def fuzzers(folder: Path) -> dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], str]]]:
    return {
        "scenarios": (scenarios.files, lambda data: scenarios.drive(folder, data)),
        "plans": (plans.submitted, plans.drive),
        "plan-files": (plans.files, lambda example: plans.drive_file(folder, example)),
        "calls": (calls.calls(), calls.drive),
        "cases": (cases.pairs(), lambda pair: cases.drive(folder, pair)),
        "decisions": (decisions.decisions(), lambda files: decisions.drive(folder, files)),
        "cards": (cards.cards(), lambda card: cards.drive(folder, card)),
    }


def run(name: str, strategy: st.SearchStrategy[Any], drive: Callable[[Any], str], asked: argparse.Namespace) -> int:
    """Drive so many examples, print what came of them, and return the number of faults."""
    kinds: Counter[str] = Counter()
    faults: dict[str, str] = {}

    @seed(asked.seed)
    @settings(
        max_examples=asked.examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def each(example: Any) -> None:
        try:
            kinds[drive(example)] += 1
        except Exception as error:  # noqa: BLE001 - whatever comes out is what is looked for
            kinds["FAULT"] += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            key = f"{type(error).__name__}: {str(error)[:160]} at {Path(where.filename).name}:{where.lineno}"
            faults.setdefault(
                f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}", f"{key}\n{example!r:.3000}"
            )

    began = time.process_time()
    with suppress(KeyboardInterrupt):
        each()
    total = sum(kinds.values())
    print(f"{name}: {total} examples in {time.process_time() - began:.0f} s of CPU")
    for kind, count in kinds.most_common(asked.show):
        print(f"  {count:6d}  {kind}")
    others = sorted(kinds.values(), reverse=True)[asked.show :]
    print(f"  {sum(others):6d}  of {len(others)} other kinds")
    print(f"  faults: {kinds['FAULT']}")
    for text in faults.values():
        print("  FAULT " + text)
    return kinds["FAULT"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
