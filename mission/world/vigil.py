"""What the blocks of a base wait for: each one's next event, found again whenever its future has changed."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from mission.world import bus
from mission.world.agenda import Agenda, Item
from mission.world.base import Base
from mission.world.controls import Controls
from mission.world.lookout import AHEAD, Lookout, Watch, at
from mission.world.sight import Guard, Sight, look
from mission.world.twin import Memo, twin
from mission.world.units import DAY, MINUTE, at_or_after

WINDOW = DAY
"""How far ahead events are looked for before the search is taken up again."""
RESTLESS = ("air", "thermal")
"""Blocks that change whenever somebody does something else."""


class Timer(NamedTuple):
    """What a block waits for: its ticket on the agenda, and the watch that then fires."""

    ticket: int
    watch: Watch


class Calm(NamedTuple):
    """A time when nothing in the air was worth waiting for: it is so again while the levels stay out of reach."""

    key: Hashable
    """What is watched, but for where the air is and what people breathe."""
    guards: tuple[Guard, ...]


class Vigil:
    """Puts the next event of every block on the agenda, and takes it off when something comes between."""

    def __init__(self, agenda: Agenda) -> None:
        self._agenda = agenda
        self._timers: dict[str, Timer] = {}
        self._horizons: dict[str, float] = {}
        """How far the blocks have been looked for that wait for nothing yet."""
        self.horizon = math.inf
        """The nearest of these."""
        self.stale: set[str] = set()
        """Blocks whose future has changed since it was last looked at."""
        self._spans: dict[str, float] = {}
        """How far a block was last looked for, in s, if nothing has changed it since."""
        self._calm: Calm | None = None

    def begin(self, base: Base) -> None:
        """Look after a base; until now it has only said what has changed."""
        self._base = base
        self._controls = Controls(base.air, base.change, base.lose_people, base.log)
        self._blocks = ("air", "power", *base.parts)
        self._lookouts = {name: Lookout() for name in self._blocks}
        self.stale.update(self._blocks)

    def carry_on(self, other: Vigil, base: Base, waiting: Mapping[str, int], memo: Memo) -> None:
        """Wait for what another world's vigil waits for; `waiting` has this agenda's ticket of each block's event."""
        self._base, self._controls, self._lookouts = base, twin(other._controls, memo), twin(other._lookouts, memo)
        self._blocks, self._calm = other._blocks, other._calm
        self._horizons, self._spans, self.horizon = other._horizons.copy(), other._spans.copy(), other.horizon
        for block, ticket in waiting.items():
            name = other._timers[block].watch.name
            self._timers[block] = Timer(ticket, next(w for w in self._watches(block) if w.name == name))

    def notify(self, block: str) -> None:
        """A block's future has changed: it is looked at again once all that is due at this instant has happened."""
        self.stale.add(block)
        self._spans.pop(block, None)
        self._see(block, None)
        timer = self._timers.pop(block, None)
        if timer is not None:
            self._agenda.drop(timer.ticket)

    def _see(self, block: str, until: float | None) -> None:
        """A block has been looked for up to then, or waits for something again."""
        known = self._horizons.pop(block, None)
        if until is not None:
            self._horizons[block] = until
        if known != until:
            self.horizon = min(self._horizons.values(), default=math.inf)

    def reach(self) -> None:
        """Nothing is due before the end of what has been seen of some block: it is looked at again from there."""
        horizon = self.horizon
        if horizon > self._agenda.now:
            self._agenda.wait(horizon)
        reached = [block for block, seen in self._horizons.items() if seen <= horizon]
        for block in reached:
            self._see(block, None)
        self.stale.update(reached)

    def look_again(self) -> None:
        """Find the next event of every block whose future has changed."""
        for block in self._blocks:
            if block not in self.stale:
                continue
            if block == "power":
                bus.protect(self._base)
            self.stale.discard(block)
            limit = self._limit(block)
            watches = self._watches(block, limit)
            if not watches and block not in RESTLESS:
                continue
            found = self._lookouts[block].next(watches, self._agenda.now, limit)
            if found:
                ticket = self._agenda.put(at_or_after(found[0]), Item("block", block))
                self._timers[block] = Timer(ticket, found[1])
            elif limit < math.inf:
                self._see(block, limit)

    def fire(self, block: str) -> None:
        """The event that a block waits for is due."""
        timer = self._timers.pop(block, None)
        self.stale.add(block)
        # What people do from this very instant on has changed the block: it is looked at again, as it now is.
        if timer is not None:
            timer.watch.fire(self._agenda.now)
            self._calm = None

    def _limit(self, block: str) -> float:
        """How far ahead a block is looked for.

        What changes with people all day is looked for until the next thing is planned, and farther each time that
        this has changed nothing.
        """
        if block == "power":
            return math.inf
        now = self._agenda.now
        far = now + WINDOW
        if block not in RESTLESS:
            return far
        span = self._spans.get(block)
        ahead = self._agenda.planned() if span is None else now + AHEAD * span
        limit = min(far, max(ahead, now + MINUTE))
        self._spans[block] = limit - now
        return limit

    def _watches(self, block: str, limit: float | None = None) -> Sequence[Watch]:
        """All that a block waits for, or at least all that may happen by `limit`."""
        base, now = self._base, self._agenda.now
        if block == "air":
            return self._air_watches(None if limit is None else look(base.air, now, limit))
        if block == "power":
            mark = base.power.next_mark(now)
            return [Watch("mark", mark, at(mark.t), lambda t: bus.pass_mark(base, mark))] if mark else []
        return base.parts[block].watches()

    def _air_watches(self, sight: Sight | None) -> Sequence[Watch]:
        monitor, air = self._base.monitor, self._base.air
        if sight is None:
            return [*self._controls.watches(), *monitor.watches()]
        monitor.see(sight)
        config = air.config
        key = (air.regime, config.crew, config.breathing, tuple(map(bool, config.crew_o2)))
        if self._calm and self._calm.key == key and sight.still(self._calm.guards):
            return ()
        watches = [*self._controls.watches(sight), *monitor.watches(sight)]
        self._calm = None if watches else Calm(key, tuple(sight.guards))
        return watches
