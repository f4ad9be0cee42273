"""What a scenario asks of whoever flies it, and how that is judged: sections of a scenario that no agent is shown."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Literal, Self

from pydantic import Field, model_validator

from mission.world.record import Positive, Record

Kind = Literal["terminal", "invariant", "time-beyond", "cumulative", "deadline"]
Rank = Literal["crew", "base", "stores", "mission"]
RANKS: tuple[Rank, ...] = ("crew", "base", "stores", "mission")
"""What counts first: harm to people, then to the base, then to its stores, then to its work."""
Plain = bool | float | str
LONGEST_H = 20_000.0
"""A Mars year and more: no time of a scenario or a plan lies beyond."""


class Objective(Record):
    """One thing to keep or to reach.

    `of` is a channel, ZONE.pio2, evidence.CHECK (how often a check was made), or a path into the state, such as
    state.tanks.n2_kg.

    The last is read at the end, so it serves for `terminal` and `cumulative` alone, and checks for `deadline` as well.
    A list or table of the state counts its entries, true is 1. The limit is in `unit`; of time-beyond and deadline it
    is hours.

    - terminal: the value at the end.
    - invariant: the worst value of all the time.
    - time-beyond: hours for which it is above `beyond` (below it if the objective is `below`), at most `hours`.
    - cumulative: a counter of the state, or a channel's integral in `unit` times hours.
    - deadline: it holds for the first time within `hours` of the start; so many checks have been made since then.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    kind: Kind
    rank: Rank
    of: str
    unit: str
    at_most: float | None = None
    at_least: float | None = None
    beyond: float | None = None
    below: bool = False
    hours: Positive | None = None
    while_occupied: bool = False
    """Counts only while somebody breathes the air of the zone that `of` begins with."""
    scale: Positive | None = None
    """What a margin is divided by to compare it with others; by default the limit itself."""

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        if self.kind == "time-beyond":
            if self.beyond is None or self.hours is None or self._bounds():
                raise ValueError(f"{self.id}: time-beyond takes beyond and hours, and neither at_most nor at_least")
        elif self._bounds() != 1 or self.beyond is not None or self.below:
            raise ValueError(f"{self.id}: {self.kind} takes one of at_most and at_least, and no beyond")
        if (self.hours is not None) != (self.kind in ("time-beyond", "deadline")):
            raise ValueError(f"{self.id}: hours belong to time-beyond and deadline, and to nothing else")
        kinds = (
            ("terminal", "cumulative", "deadline") if self.of.startswith("evidence.") else ("terminal", "cumulative")
        )
        if self.of.startswith(("state.", "evidence.")) and self.kind not in kinds:
            raise ValueError(f"{self.id}: {self.of} is known at the end alone; use {' or '.join(kinds)}")
        if self.of.startswith("evidence.") and self.kind == "deadline" and self.at_least is None:
            raise ValueError(f"{self.id}: a check is to be made by then; give at_least")
        return self

    def _bounds(self) -> int:
        return (self.at_most is not None) + (self.at_least is not None)

    @property
    def limit(self) -> float:
        """The number that the value is held to."""
        given = (self.hours, self.at_most, self.at_least)
        return next(number for number in given if number is not None)

    @property
    def level(self) -> float:
        """The value at which the quantity itself is on the right side or not."""
        given = (self.beyond, self.at_most, self.at_least)
        return next(number for number in given if number is not None)

    @property
    def upper(self) -> bool:
        """The quantity is to stay at or under the level."""
        return not self.below if self.kind == "time-beyond" else self.at_most is not None


class Step(Record):
    """One command or check, so many minutes after the crew is called."""

    after_min: float = Field(default=0.0, ge=0, le=LONGEST_H * 60)
    command: str | None = None
    check: str | None = None
    parameters: dict[str, Plain] = {}

    @model_validator(mode="after")
    def _one_act(self) -> Self:
        if (self.command is None) == (self.check is None):
            raise ValueError("a step is a command or a check")
        return self

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"+{self.after_min:g} min {self.command or self.check}({given})"


Plan = tuple[Step, ...]


class Lever(Record):
    """A command or check that plans are made of; a parameter with a list of values stands for one lever each."""

    command: str | None = None
    check: str | None = None
    parameters: dict[str, Plain | tuple[Plain, ...]] = {}

    def steps(self) -> Iterator[Step]:
        choices = [value if isinstance(value, tuple) else (value,) for value in self.parameters.values()]
        for values in product(*choices):
            given = dict(zip(self.parameters, values, strict=True))
            yield Step(command=self.command, check=self.check, parameters=given)


class Alternative(Record):
    """Another story behind the same first evidence: top-level fields of the scenario, replaced."""

    name: str
    changes: dict[str, object]
    misleads: bool = False
    """The first look is meant not to tell it from the truth."""


class Fairness(Record):
    """What can be known by when, and what it has to be told from."""

    deadline_h: Positive
    """Hours since the scenario's start by which it must be possible to tell."""
    first_look: tuple[str, ...] = ()
    """The channels that lead astray: what people look at first."""
    channels: tuple[str, ...] = ()
    """The channels that tell."""
    checks: tuple[Step, ...] = ()
    """The discriminating checks, made at the deadline."""
    alternatives: tuple[Alternative, ...] = ()


class Trial(Record):
    """When the crew is called, until when it is judged, and of what acts its plans can be made."""

    start_h: float = Field(default=6.0, ge=0, le=LONGEST_H)
    end_h: float = Field(default=22.0, ge=1e-6, le=LONGEST_H)
    feasible: bool = True
    acts: bool = True
    """Something has to be done; false where the right thing is to leave it be."""
    levers: tuple[Lever, ...] = ()
    slots_min: tuple[float, ...] = (0.0,)
    """Minutes after the call at which a plan's steps can start, ascending."""
    steps: int = Field(default=2, ge=1, le=4)
    replan_min: Positive = 240.0
    """When the plan is looked at again."""
    decoys: tuple[tuple[Step, ...], ...] = ()
    """Plausible plans that are wrong."""
    fairness: Fairness | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.end_h <= self.start_h:
            raise ValueError("trial: end_h must be after start_h")
        if list(self.slots_min) != sorted(set(self.slots_min)) or not self.slots_min:
            raise ValueError("trial: slots_min must ascend")
        return self
