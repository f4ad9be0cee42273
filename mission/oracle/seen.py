"""Which states a search has been in: told apart by a glance where that is enough, and else by the whole state.

A whole state costs as much as a fork, and most worlds differ at a glance. So it is worked out when two look alike; for
a world that has flown on since, by flying its plan once more up to then.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from mission.flight import act
from mission.oracle.space import glance, state_key
from mission.world.engine import World
from mission.world.objective import Plan

__all__ = ["Node", "Seen"]


@dataclass(frozen=True)
class Node:
    """A world after the acts of a plan, at the slot of the last of them."""

    world: World
    plan: Plan
    slot: int


class _Entry:
    """A node as it was when it was met."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.t = node.world.now
        self.key: str | None = None


class Seen:
    """The states met by one search. `root` is a world of its own at its beginning; `time` gives the time of minutes."""

    def __init__(self, root: World, before: int, time: Callable[[float], float]) -> None:
        self._root, self._before, self._time = root, before, time
        self._known: dict[Hashable, list[_Entry]] = {}

    def is_new(self, node: Node) -> bool:
        """Whether no other node has been in this state; from now on one has."""
        alike = self._known.setdefault(glance(node.world), [])
        entry = _Entry(node)
        if any(self._key(other) == self._key(entry) for other in alike):
            return False
        alike.append(entry)
        return True

    def _key(self, entry: _Entry) -> str:
        if entry.key is None:
            there = entry.node.world if entry.node.world.now == entry.t else self._again(entry)
            entry.key = state_key(there)
        return entry.key

    def _again(self, entry: _Entry) -> World:
        world = self._root.fork()
        for step in entry.node.plan[self._before :]:
            world.advance(max(self._time(step.after_min), world.now))
            act(world, step)
        world.advance(max(entry.t, world.now))
        return world
