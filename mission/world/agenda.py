"""What is still to come: SimPy's clock, with everything that waits on it kept as data.

So a world can be copied in the middle of its life: a second agenda takes the items over, in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import simpy

Kind = Literal["incident", "temperature", "person", "task", "makeup", "block"]


class Item(NamedTuple):
    """One thing to come: a `kind` of happening, and which one of them."""

    kind: Kind
    which: int | str
    step: int = 0


class Agenda:
    """Hands every item to `happen` at its time; of two at one time, the one that was put first."""

    def __init__(self, happen: Callable[[Item], None], start: float = 0.0) -> None:
        self._env = simpy.Environment(start)
        self.due = self._env.peek
        """When the next thing is due; infinity if nothing is."""
        self.now = start
        """The time of what happened last, or of the last wait."""
        self._happen = happen
        self._waiting: dict[int, tuple[Item, float, Any]] = {}
        self._count = 0

    def step(self) -> None:
        """Let the next thing happen."""
        self._env.step()
        self.now = self._env.now

    def wait(self, until: float) -> None:
        """Let time pass to `until`, before which nothing is due: SimPy's clock follows when something is."""
        self.now = until

    def put(self, t: float, item: Item) -> int:
        """Wait for `t` with an item; the answer is its ticket."""
        self._count = ticket = self._count + 1
        event: Any = self._env.timeout(t - self._env.now, ticket)
        event.callbacks.append(self._due)
        self._waiting[ticket] = item, t, event
        return ticket

    def drop(self, ticket: int) -> None:
        """Wait no longer for an item; one that has happened is left alone."""
        waiting = self._waiting.pop(ticket, None)
        if waiting is not None:
            waiting[2].callbacks.clear()

    def planned(self) -> float:
        """When the next thing is due that no block waits for; infinity if nothing is."""
        return min([t for item, t, _ in self._waiting.values() if item.kind != "block"], default=math.inf)

    def waiting(self) -> list[tuple[float, Item]]:
        """What is waited for and when, in the order in which it was put."""
        return [(t, item) for item, t, _ in self._waiting.values()]

    def _due(self, event: Any) -> None:
        self.now = self._env.now
        self._happen(self._waiting.pop(event.value)[0])
