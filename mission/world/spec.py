"""What a part of the base brings with it: its section of a scenario, channels, commands, gates and checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from mission.channel import Channel
from mission.world.lookout import Watch
from mission.world.record import Record

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

Value = str | float | bool
Kind = Literal["choice", "number", "flag", "people", "text"]


class Parameter(BaseModel):
    """One parameter: one of `choices`, a number in [low, high], a flag, people by id, or text up to `high` long."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    kind: Kind
    description: str
    choices: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 0.0


class CommandSpec(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    description: str
    parameters: tuple[Parameter, ...] = ()
    duration_s: float = 0.0
    power_w: float = 0.0
    """Drawn while it is carried out."""
    gates: str = ""
    """What the base itself refuses, in words made from the rules' own numbers."""


class CommandResult(BaseModel):
    """What the base said to a command. Accepted means begun: whether it worked is for the world to show."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str
    parameters: dict[str, Value]
    accepted: bool
    reason: str
    rule: str | None = None
    starts_s: float
    completes_s: float | None = None


def choice(name: str, description: str, *choices: str) -> Parameter:
    return Parameter(name=name, kind="choice", description=description, choices=choices)


def number(name: str, description: str, low: float, high: float) -> Parameter:
    return Parameter(name=name, kind="number", description=description, low=low, high=high)


class CheckRefusedError(ValueError):
    """A check that cannot be done now; nothing has changed."""


@dataclass(frozen=True)
class Numbers:
    measured: dict[str, float]
    nominal: dict[str, float]
    units: dict[str, str]


@dataclass(frozen=True)
class CheckSpec:
    """One check: `run` does it, clock and all, and returns its numbers."""

    name: str
    description: str
    parameter: str | None
    choices: tuple[str, ...]
    minutes: Mapping[str, float]
    """By choice; "" is for a check without a parameter."""
    watts: float
    run: Callable[[World, str, float], Numbers]


@dataclass(frozen=True)
class Refusal:
    reason: str
    rule: str | None = None


Act = Callable[["Base", Mapping[str, Any]], str]
"""What a command does, when it begins or when its work is done; returns what there is to say."""
Gate = Callable[["Base", Mapping[str, object]], Refusal | None]
"""Why a command is refused now, or None."""
Truth = Callable[["Base", float], float]
"""The true value behind a channel at a time so far."""


class Block(Protocol):
    """One part of one base: physics of its own, joined to the others through the Base alone.

    Between its events everything has a closed form, so that `state` and truths can be asked for any time so far
    and asking changes nothing. Times are seconds since the scenario's start.

    Its attributes are data and methods, no closures and no watches, and its records of the past are frozen: a fork of
    the world copies the one and shares the other (twin.py).
    """

    def watches(self) -> Sequence[Watch]:
        """What happens next if nothing changes before; asked again after every change of this block."""
        ...

    def loads(self) -> Mapping[str, float]:
        """W it draws now, by name."""
        ...

    def state(self, t: float) -> dict[str, Any]:
        """Its true state as JSON."""
        ...


@dataclass(frozen=True)
class Part:
    """A kind of block. `name` is its key in scenario files, in `base.parts` and in the state."""

    name: str
    section: type[Record]
    """Its section of a scenario; every field has a default."""
    make: Callable[[Any, Base], Block]
    channels: tuple[Channel, ...] = ()
    truths: Mapping[str, Truth] = field(default_factory=dict[str, "Truth"])
    heard: Mapping[str, Truth] = field(default_factory=dict[str, "Truth"])
    """For channels that come by radio: the last time up to a given one at which there was contact."""
    commands: tuple[CommandSpec, ...] = ()
    begin: Mapping[str, Act] = field(default_factory=dict[str, "Act"])
    done: Mapping[str, Act] = field(default_factory=dict[str, "Act"])
    gates: Mapping[str, Gate] = field(default_factory=dict[str, "Gate"])
    checks: tuple[CheckSpec, ...] = ()
