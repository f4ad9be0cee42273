"""When the dust over a flown base passed the depths that FR-17 names: the world's log does not say, for no event hangs
on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from mission import rules
from mission.world.engine import World
from mission.world.units import HOUR

__all__ = ["DEPTHS", "Depth", "depths"]

DEPTHS = tuple(rules.number("FR-17", name) for name in ("tau", "dim", "dark"))
STEP = 0.25 * HOUR
"""s between looks at a depth that takes sols to change."""


@dataclass(frozen=True)
class Depth:
    """At `t` s the optical depth went through `level`."""

    t: float
    level: float
    rising: bool


def depths(world: World) -> list[Depth]:
    """In the order of time, each where it is passed to a second."""
    truth = partial(world.truth, "site.tau")
    times = [STEP * index for index in range(int(world.now // STEP) + 1)] + [world.now]
    seen = [(t, truth(t)) for t in times]
    found: list[Depth] = []
    for (a, before), (b, after) in pairwise(seen):
        for level in DEPTHS:
            if (before < level) != (after < level):
                found.append(Depth(_passed(truth, level, a, b), level, after > before))
    return sorted(found, key=lambda one: one.t)


def _passed(truth: Callable[[float], float], level: float, a: float, b: float) -> float:
    below = truth(a) < level
    while b - a > 1.0:
        middle = 0.5 * (a + b)
        a, b = (middle, b) if (truth(middle) < level) == below else (a, middle)
    return b
