"""Replay: an episode is rebuilt from its recorded model responses, with no model and no network."""

from __future__ import annotations

import socket
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from evals.adapters.job import Job
from evals.adapters.trial import run_trial
from evals.candidate import Candidate, ModelRef
from evals.case import Case
from evals.clock import Clock
from evals.episode import Episode, Event
from evals.models.replay import ReplayModel
from evals.system import System


class NetworkError(RuntimeError):
    """Something reached for the network while it is closed."""


@dataclass(frozen=True)
class Replayed:
    """What came of replaying one episode; `difference` is empty when its digests are the recorded ones."""

    episode: Episode
    difference: str


async def replay(
    system: System, case: Case, candidate: Candidate, recorded: Episode, clock: Clock | None = None
) -> Replayed:
    """Rebuild a recorded episode and compare world and content digests. `clock` is its plan's.

    What thinking costs is worked out anew, from identity or from the wall times in the recording.
    """

    def model_for(role: str, _reference: ModelRef) -> Any:
        return ReplayModel(role, recorded.trace)

    job = Job(
        system=system,
        case=case,
        candidate=candidate,
        trial=recorded.key.trial,
        model_for=model_for,
        clock=clock,
        measured=measured(recorded.trace),
    )
    rebuilt = await run_trial(job)
    return Replayed(rebuilt, difference(recorded, rebuilt))


def measured(trace: Sequence[Event]) -> dict[tuple[str, int], float]:
    """Wall seconds that each recorded model call took, by role and number: from its request to its answer."""
    return {
        (str(event.role), event.data.get("call", 0)): event.wall_s - trace[event.cause].wall_s
        for event in trace
        if event.kind == "thinking" and event.cause is not None and 0 <= event.cause < len(trace)
    }


def difference(recorded: Episode, rebuilt: Episode) -> str:
    """Where two episodes first differ, in a line; empty if they are the same but for wall time and cost."""
    if rebuilt.resolved.clock != recorded.resolved.clock:
        return "the clock differs: what thinking costs is not what it was"
    if rebuilt.status != recorded.status:
        return f"status was {recorded.status.kind}, is {rebuilt.status.kind}: {rebuilt.status.reason}"
    for before, after in zip(recorded.trace, rebuilt.trace, strict=False):
        if before.model_copy(update={"wall_s": 0.0}) != after.model_copy(update={"wall_s": 0.0}):
            return f"event {before.seq} ({before.kind}, {before.role}) differs"
    if len(recorded.trace) != len(rebuilt.trace):
        return f"{len(recorded.trace)} events were recorded, {len(rebuilt.trace)} came of the replay"
    if recorded.world_digest != rebuilt.world_digest:
        return "the world's digest differs"
    if recorded.content_digest() != rebuilt.content_digest():
        return "the episode's digest differs"
    return ""


@contextmanager
def no_network() -> Generator[None, None, None]:
    """Close the network: any attempt to connect raises NetworkError."""
    opened = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def refuse(*_args: Any, **_kwargs: Any) -> Any:
        raise NetworkError("the network is closed during a replay")

    socket.socket.connect = refuse  # type: ignore[method-assign]
    socket.socket.connect_ex = refuse  # type: ignore[method-assign]
    socket.getaddrinfo = refuse  # type: ignore[assignment]
    try:
        yield
    finally:
        socket.socket.connect, socket.socket.connect_ex = opened[:2]  # type: ignore[method-assign]
        socket.getaddrinfo = opened[2]
