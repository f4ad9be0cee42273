"""A desk: one role's seat at the world, where every datum it receives gets an evidence id."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mission.report import MissionPlan

if TYPE_CHECKING:
    from mission.world.engine import World


@dataclass
class Assessment:
    """What the crew has established so far in one assessment; shared by its desks.

    `failed` names the specialists that were asked and gave no report: while there is one, nothing is proposed.
    """

    reports: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    plan: MissionPlan | None = None


@dataclass(frozen=True)
class Desk:
    """One role's access to one world."""

    world: World
    role: str
    assessment: Assessment


def mission_time(seconds: float) -> str:
    """Simulated seconds since the scenario's start as T+HH:MM, with seconds where there are any."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"T+{hours:02d}:{minutes:02d}" + (f":{left:02d}" if left else "")
