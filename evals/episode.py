"""The episode contract: the recorded execution of one trial, immutable once recorded."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal, NamedTuple, Self

from pydantic import Field

from evals.clock import Clock, unstated
from evals.contract import Contract, canonical

JSON = Any
EventKind = Literal[
    "input",
    "model_request",
    "thinking",
    "model_response",
    "tool_call",
    "tool_result",
    "handoff",
    "report",
    "proposal",
    "authorization",
    "command",
    "verification",
    "output",
    "error",
]
Layer = Literal["candidate", "infrastructure", "simulator", "budget"]


class Usage(Contract):
    """Tokens of model calls. None is unknown, and a sum with an unknown part is unknown."""

    requests: int = 0
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


class Event(Contract):
    """One thing that happened, in order.

    `cause` is the `seq` of the event that brought this one about. `sim_s` is simulated seconds since the
    scenario's start, `wall_s` wall seconds since the episode's start. `wall_s` is no part of any digest.
    """

    seq: int
    kind: EventKind
    role: str | None
    cause: int | None
    sim_s: float
    wall_s: float
    data: dict[str, JSON]


class EpisodeKey(Contract):
    """Which cell of the plan's matrix this is."""

    case: str
    candidate: str
    trial: int


class Resolved(Contract):
    """What was really run: the digests and settings that make two episodes comparable."""

    case_digest: str
    candidate_digest: str
    system: str
    harness: str
    models: dict[str, str]
    role_digests: dict[str, str]
    tool_digests: dict[str, str]
    software: dict[str, str] = {}
    clock: Clock | None = Field(default=None, exclude_if=unstated)
    """What thinking cost; None where it cost nothing."""


class Status(Contract):
    """How the trial ended. Anything but `completed` says which layer stopped it."""

    kind: Literal["completed", "stopped", "failed"]
    layer: Layer | None = None
    reason: str = ""


class Knowledge(Contract):
    """The kinds of knowledge about a world that graders and judges keep apart.

    What an agent received is in the trace; `retrievable` could have been asked for; `evaluator_only` never.
    """

    retrievable: dict[str, JSON] = {}
    evaluator_only: dict[str, JSON] = {}


class Record(NamedTuple):
    """An episode in two canonical JSON texts: `content`, whose SHA-256 is `digest`, and `aside`."""

    content: str
    aside: str
    digest: str


class Episode(Contract):
    """One trial, as it is stored."""

    key: EpisodeKey
    resolved: Resolved
    status: Status
    output: JSON
    outputs: dict[str, JSON] = {}
    """Final output by role, for every role that gave one (the last, where it gave several)."""
    state: dict[str, JSON]
    log: list[JSON] = []
    world_digest: str
    knowledge: Knowledge = Knowledge()
    usage: dict[str, Usage] = {}
    usd: float | None = None
    sim_s: float
    wall_s: float
    trace: list[Event]

    @property
    def thinking_s(self) -> float | None:
        """Simulated seconds that passed while models thought; None under a clock that stood still."""
        if self.resolved.clock is None:
            return None
        return sum(event.data["seconds"] for event in self.trace if event.kind == "thinking")

    def content_digest(self) -> str:
        """Digest of all that is the same for the same inputs: all but wall time, its price, and software versions."""
        return self.record().digest

    def record(self) -> Record:
        """The episode as it is stored: what is the same for the same inputs, and what is not, apart."""
        data = self.model_dump(mode="json")
        aside = {
            "wall_s": data.pop("wall_s"),
            "usd": data.pop("usd"),
            "software": data["resolved"].pop("software"),
            "events": [event.pop("wall_s") for event in data["trace"]],
        }
        content = canonical(data)
        return Record(content, canonical(aside), hashlib.sha256(content.encode()).hexdigest())

    @classmethod
    def from_record(cls, content: str, aside: str) -> Self:
        """The episode that gave a record. Raises ValueError for a text that is none."""
        data: dict[str, Any] = json.loads(content)
        apart: dict[str, Any] = json.loads(aside)
        if len(apart["events"]) != len(data["trace"]):
            raise ValueError("the two parts of the record do not belong together")
        for event, wall_s in zip(data["trace"], apart["events"], strict=True):
            event["wall_s"] = wall_s
        data["resolved"]["software"] = apart["software"]
        return cls.model_validate({**data, "wall_s": apart["wall_s"], "usd": apart["usd"]})
