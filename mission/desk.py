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
    calls: dict[str, int] = field(default_factory=dict[str, int])
    """Tool calls made in this assessment, by role."""

    def begin(self) -> None:
        """A new assessment: the reports stay, what was asked of this one starts afresh."""
        self.plan = None
        self.failed.clear()
        self.calls.clear()


@dataclass(frozen=True)
class Desk:
    """One role's access to one world."""

    world: World
    role: str
    assessment: Assessment
    tool_calls: int | None = None
    """How many tool calls the role may make in one assessment; None is no limit."""

    def take_call(self) -> None:
        """Count a tool call. Raises ValueError when the role has used its calls up."""
        made = self.assessment.calls[self.role] = self.assessment.calls.get(self.role, 0) + 1
        if self.tool_calls is not None and made > self.tool_calls:
            raise ValueError(
                f"the {self.tool_calls} tool calls of this assessment are used up; answer with what you have, and say "
                "what is missing"
            )


def stamp(seconds: float) -> str:
    """Mission time as evidence ids carry it: with fractions of a second where there are any.

    Two readings a moment of thought apart are two data, and have two ids.
    """
    whole, part = divmod(round(seconds * 10_000), 10_000)
    return mission_time(whole) + (f"{':00' if whole % 60 == 0 else ''}.{part:04d}".rstrip("0") if part else "")


def mission_time(seconds: float) -> str:
    """Simulated seconds since the scenario's start as T+HH:MM, T-HH:MM before it, with seconds where there are any."""
    whole = round(seconds)
    hours, rest = divmod(abs(whole), 3600)
    minutes, left = divmod(rest, 60)
    return f"T{'-' if whole < 0 else '+'}{hours:02d}:{minutes:02d}" + (f":{left:02d}" if left else "")
