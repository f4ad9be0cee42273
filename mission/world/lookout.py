"""What the world waits for: watches on the air, each with the time it will happen if nothing changes before."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mission.world import exponential
from mission.world.exponential import ExpSum
from mission.world.units import at_or_after

Search = Callable[[float, float], float | None]
"""(now, limit) -> the first time in [now, limit] at which it happens, on the clock, or None."""

BACK = 1e-9
"""Relative distance by which a level must be left again before that counts: far above rounding, far below physics."""
AHEAD = 4.0
"""How much further the next search looks where nothing was found and nothing has changed since."""


@dataclass(frozen=True, slots=True)
class Watch:
    """One thing to wait for. `key` is all that the answer of `search` depends on; a fork finds it by its `name`."""

    name: str
    key: Hashable
    search: Search
    fire: Callable[[float], None]


class Found(NamedTuple):
    key: Hashable
    start: float
    limit: float
    t: float | None


class Lookout:
    """Finds the next event among watches; an answer is kept for as long as its key holds."""

    def __init__(self) -> None:
        self._found: dict[str, Found] = {}

    def next(self, watches: Sequence[Watch], now: float, limit: float) -> tuple[float, Watch] | None:
        """The earliest event in [now, limit]; of two at one time, the first in order."""
        best: tuple[float, Watch] | None = None
        far = limit
        for watch in watches:
            t = self._ask(watch, now, limit, far)
            if t is not None and (t < limit or best is None):
                best, limit = (t, watch), t
        return best

    def _ask(self, watch: Watch, now: float, limit: float, far: float) -> float | None:
        found = self._found.get(watch.name)
        if found is None or found.key != watch.key:
            found = self._found[watch.name] = Found(watch.key, now, limit, watch.search(now, limit))
        elif not self._still_says(found, now, limit):
            ahead = min(far, max(limit, now + AHEAD * (found.limit - found.start)))
            found = self._found[watch.name] = Found(watch.key, now, ahead, watch.search(now, ahead))
        return found.t if found.t is not None and found.t <= limit else None

    @staticmethod
    def _still_says(found: Found, now: float, limit: float) -> bool:
        if found.t is None:
            return found.start <= now and limit <= found.limit
        return now <= found.t


def reach(curve: Callable[[float], ExpSum], level: float, *, rising: bool) -> Search:
    """A search for the time at which `curve(now)`, a curve over time after now, reaches `level`."""

    def search(now: float, limit: float) -> float | None:
        after = exponential.first_reach(curve(now), level, max(0.0, limit - now), rising=rising)
        return None if after is None else at_or_after(now + after)

    return search


def at(t: float) -> Search:
    """A search that knows the time."""
    moment = at_or_after(t)
    return lambda now, limit: max(now, moment) if moment <= limit else None
