"""What an incident is: what is true, what it shows, what it can be mistaken for, and how to tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict


class Base(Protocol):
    """What an incident may do to a base: the faults it knows."""

    def degrade_bed(self, unit: str, health: float) -> None: ...

    def stop_fan(self, *, seized: bool) -> None: ...

    def make_hole(self, zone: str, diameter_mm: float) -> None: ...

    def freeze_sensor(self, channel: str, note: str) -> None: ...

    def part(self, name: str) -> Any:
        """A part of the base, with the faults it knows."""
        ...


class Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


@dataclass(frozen=True)
class Incident:
    """One family. `plant` makes it true at its onset; the rest is knowledge for authors and graders.

    Numbers in the texts hold for the reference base: six awake, one bed, 300 m3.
    """

    id: str
    name: str
    title: str
    parameters: type[Parameters]
    plant: Callable[[Base, Any], None]
    truth: str
    shows: tuple[str, ...]
    confusable_with: tuple[str, ...]
    discriminating_checks: tuple[str, ...]
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    numbers: dict[str, float]
    """What the world does, for tests and graders; units in the names."""
