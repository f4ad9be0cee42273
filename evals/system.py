"""The System protocol: all that the instrument asks of what it tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from evals.candidate import ModelRef
from evals.contract import Contract
from evals.episode import Knowledge

if TYPE_CHECKING:
    from agents import Agent, Model

JSON = Any


class Role(Contract):
    """One job in the team, as its role card gives it."""

    name: str
    kind: str
    tools: list[str]
    consults: list[str] = []
    output: str
    turns: int
    tool_calls: int
    seconds: float
    default_model: str
    digest: str
    """Digest of the whole role card."""


class Observation(NamedTuple):
    """A world's true state and event log as JSON, what `state` checks are asked of, and the digest of both."""

    state: dict[str, JSON]
    log: list[JSON]
    digest: str


@dataclass(frozen=True)
class Wanted:
    """Which episodes of a run file to appraise; without a case, a candidate or a trial all of them are meant."""

    folder: Path
    """In the workspace that the run was flown in."""
    run: Path
    case: str | None = None
    candidate: str | None = None
    trial: int | None = None
    regret: bool = False
    """Whether to search for the best that could have been done, too, which can cost seconds a case."""


Appraise = Callable[[Wanted], list[str]]
"""What the worlds of a run came to by the system's own measure, beside pass or fail, as lines for people: every
objective where one case of one candidate is wanted, else an episode a line. What `appraise` in simsup.toml names.

Raises ValueError or UserError, in one line."""


class OpenWorld(Protocol):
    """A world opened for one trial; nothing in it is shared with another."""

    def now(self) -> float:
        """Simulated seconds since the scenario's start."""
        ...

    def observe(self) -> Observation:
        """What the world is now: the outcome, whatever was said of it."""
        ...

    def knowledge(self) -> Knowledge: ...


@runtime_checkable
class ThinkingWorld(Protocol):
    """A world that can go on while an agent thinks. Only trials under a running clock ask for it."""

    def think(self, seconds: float) -> float:
        """Let `seconds` of simulated time pass, with all that happens in them, and give how many did.

        Fewer than asked for means that the world has come to its end; it stays there. `now` moves on by just as many.
        """
        ...


@dataclass(frozen=True)
class Binding:
    """The model a role runs on: the SDK model object, and the reference it came from."""

    model: Model
    ref: ModelRef


@dataclass(frozen=True)
class Decision:
    """What the authorizer says of a proposal; bound to the digest it was shown."""

    decision: str
    digest: str
    after_s: float = 0.0


RunAgent = Callable[["Agent[Any]", str], Awaitable[Any]]
"""Runs one SDK agent on one input to its final output; the harness's."""
Emit = Callable[[str, "str | None", dict[str, Any]], None]
"""Records a workflow event: kind, role, data."""
Authorize = Callable[[dict[str, Any], str], Awaitable[Decision]]
"""Asked with the proposal and its content digest."""


@dataclass(frozen=True)
class Team:
    """A team wired for one trial: ordinary SDK agents by role.

    `consult_tools` maps each consult tool's name to the role behind it. `fly` takes the whole workflow from
    a request to its verified end and returns its outcome; a team without a workflow leaves it out.
    """

    agents: Mapping[str, Agent[Any]]
    coordinator: str
    consult_tools: Mapping[str, str]
    fly: Callable[[str, RunAgent, Authorize, Emit], Awaitable[JSON]] | None = None
    tools: Mapping[str, Callable[..., Any]] = field(default_factory=dict[str, Callable[..., Any]])


class System(Protocol):
    """What is under test: a world plus a team."""

    name: str

    def roles(self) -> Mapping[str, Role]: ...

    def open(self, setup: Mapping[str, JSON]) -> OpenWorld:
        """Open a fresh world for a case's own part of `setup`. Raises ValueError for a setup that makes no sense."""
        ...

    def team(self, world: OpenWorld, bindings: Mapping[str, Binding]) -> Team: ...

    def pilot(self, name: str, role: str) -> Model:
        """The offline model `pilot/<name>` for a role. Raises KeyError for an unknown name."""
        ...

    def pilots(self) -> list[str]: ...
