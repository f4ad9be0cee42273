"""The air's condensing coil: as cold as the coolant that the flowing loops supply to it, and no use without one."""

from __future__ import annotations

import math
from collections.abc import Mapping

from mission.world import coolant
from mission.world.coolant import LOOPS, Loop

STEP = 0.5
"""K between what the air block is told of it: at most 0.02 kPa of vapour."""
DRY = 100.0
"""C that stand for a coil without coolant: nothing condenses on it."""


class Coil:
    """`told` is the supply of each loop, C, as the air block last heard of it."""

    def __init__(self, design: float) -> None:
        self._design = design
        self.told: dict[str, float] = dict.fromkeys(LOOPS, coolant.SUPPLY)

    def settle(self, loops: Mapping[str, Loop], cabin: float, t: float) -> float | None:
        """C of the coil now, None if it is as designed."""
        self.told = {name: coolant.supply(loop, cabin, t) for name, loop in loops.items()}
        supplies = [self.told[name] for name, loop in loops.items() if loop.flowing]
        if not supplies:
            return DRY
        mean = sum(supplies) / len(supplies)
        return None if mean == coolant.SUPPLY else self._design + mean - coolant.SUPPLY

    def next_step(self, name: str, loop: Loop) -> tuple[float, float] | None:
        """(time, supply) at which a flowing supply that drifts is to be told again."""
        rate, end = coolant.supply_drift(loop)
        left = end - self.told[name]
        if not loop.flowing or left == 0.0:
            return None
        supply = self.told[name] + math.copysign(min(abs(left), STEP), left)
        return loop.t0 + abs(supply - loop.supply) / rate, supply
