"""The base against published figures: 29 checks, each measured in the simulator itself. For evaluators; behind no tool.

`python -m mission.published` measures all and prints docs/published.md.
"""

from __future__ import annotations

from mission.published import air, exact, outside, people, simoc, sun
from mission.published.check import GROUPS, Band, Check, Figure, Group, failures, measured

__all__ = ["CHECKS", "GROUPS", "Band", "Check", "Figure", "Group", "failures", "measured"]

CHECKS: tuple[Check, ...] = tuple(
    sorted(
        (*people.CHECKS, *air.CHECKS, *sun.CHECKS, *outside.CHECKS, *simoc.CHECKS, *exact.CHECKS),
        key=lambda check: (check.number, check.key),
    )
)
