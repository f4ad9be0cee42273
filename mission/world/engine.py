"""The World: a base on a SimPy clock, with commands in, an event log out, and forks at any time.

Nothing happens between events. Between two of them every quantity has a closed form, so reading a value at any time
changes nothing and asking often costs nothing but the asking.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from mission import incidents, sensors
from mission.channel import Channel, Reading
from mission.world import acts, bus, checks, gates, report, telemetry
from mission.world.agenda import Agenda, Item
from mission.world.atmosphere import ZONES
from mission.world.base import Base, Task
from mission.world.checks import CheckResult
from mission.world.commands import COMMANDS, parse
from mission.world.controls import Controls
from mission.world.crew import Activity, Change, day_plan
from mission.world.lookout import AHEAD, Lookout, Watch, at
from mission.world.scenario import Person, Planted, Scenario, TemperatureChange, load_scenario
from mission.world.sight import look
from mission.world.spec import CheckRefusedError, CommandResult, CommandSpec, Value
from mission.world.twin import Memo, twin
from mission.world.units import DAY, HOUR, MINUTE, ZERO_C, at_or_after, nearest

__all__ = [
    "COMMANDS",
    "CheckRefusedError",
    "CheckResult",
    "CommandResult",
    "CommandSpec",
    "Reading",
    "Scenario",
    "World",
    "load_scenario",
]

WINDOW = DAY
"""How far ahead events are looked for before the search is taken up again."""
RESTLESS = ("air", "thermal")
"""Blocks that change whenever somebody does something else."""


class Timer(NamedTuple):
    """What a block waits for: its ticket on the agenda, and the watch that then fires; None is to look again."""

    ticket: int
    watch: Watch | None


class World:
    """One base from its scenario's start to now."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        self.scenario = scenario
        self.seed = seed
        self._commands: list[dict[str, Any]] = []
        self._plans = [(person.id, _days(scenario, person)) for person in scenario.crew]
        self._agenda = Agenda(self._happen)
        self._timers: dict[str, Timer] = {}
        self._stale: set[str] = set()
        """Blocks whose future has changed since it was last looked at."""
        self._spans: dict[str, float] = {}
        """How far a block was last looked for, in s, if nothing has changed it since."""
        self._doing: dict[str, Activity] = {}
        """What people do from this instant on: they change all at once."""
        self.base = Base(scenario, self._time, self._notify)
        self._controls = Controls(self.base.air, self.base.change, self.base.lose_people, self.base.log)
        self._blocks = ("air", "power", *self.base.parts)
        self._lookouts = {name: Lookout() for name in self._blocks}
        self._stale.update(self._blocks)
        for index, planted in enumerate(scenario.incidents):
            self._agenda.put(nearest(planted.onset_h * HOUR), Item("incident", index))
        for index, change in enumerate(scenario.temperature_changes):
            self._agenda.put(nearest(change.at_h * HOUR), Item("temperature", index))
        for index, (_, plan) in enumerate(self._plans):
            if plan:
                self._plan_ahead(index, 0)
        self._settle()

    @property
    def now(self) -> float:
        """Seconds since the scenario's start."""
        return self._agenda.now

    @property
    def next_due(self) -> float:
        """When something may happen next if nobody does anything, in seconds since the start."""
        return self._agenda.due()

    def advance(self, until: float) -> None:
        """Let time pass to `until` s, everything due by then included. Raises ValueError for a time in the past."""
        until = nearest(until)
        if until < self.now:
            raise ValueError(f"the world is at {self.now:g} s and cannot go back to {until:g} s")
        agenda = self._agenda
        while True:
            due = agenda.due()
            if due > agenda.now and self._doing:
                self._do()
            elif due > agenda.now and self._stale:
                self._look_again()
            elif due <= until:
                agenda.step()
            else:
                break
        if self.now < until:
            self._agenda.wait(until)

    def command(self, name: str, parameters: Mapping[str, Value], *, by: str = "operator") -> CommandResult:
        """Give an order now. Always answered and logged; a refused or malformed one changes nothing."""
        parameters = {key: value if _is_json(value) else str(value) for key, value in parameters.items()}
        self._commands.append(
            {"t": self.now, "kind": "command", "name": name, "parameters": dict(parameters), "by": by}
        )
        result = self._order(name, parameters)
        self.base.log(self.now, "command", by=by, **result.model_dump())
        self._settle()
        return result

    def check(self, name: str, parameters: Mapping[str, str]) -> CheckResult:
        """Make a check: the clock moves on by its duration and its energy is spent.

        Raises ValueError for an unknown check, and CheckRefusedError (a ValueError) for one that cannot be made now;
        then nothing has changed.
        """
        entry = {"t": self.now, "kind": "check", "name": name, "parameters": dict(parameters)}
        result = checks.perform(self, name, parameters)
        self._commands.append(entry)
        self._settle()
        return result

    def read(self, channel: str, at: float | None = None) -> Reading:
        """What an instrument says, now or at an earlier time. Raises ValueError for an unknown channel.

        What comes by radio is kept aboard and sent when there is contact; of what came after the last nothing is known.
        """
        spec, moment = sensors.find(channel), self._moment(at)
        heard = telemetry.HEARD[channel](self.base, self.now) if channel in telemetry.HEARD else moment
        if heard < moment:
            return sensors.late(self._read(spec, heard))
        return self._read(spec, moment)

    def _read(self, spec: Channel, moment: float) -> Reading:
        channel = spec.name
        return sensors.read(
            spec,
            self.seed,
            moment,
            lambda t: telemetry.measurable(self.base, channel, t),
            self.base.part("instruments").fault(channel, moment),
        )

    def history(self, channel: str, hours: float, points: int) -> list[Reading]:
        """`points` readings, evenly spaced over the last `hours`, the newest last. Raises ValueError."""
        if points < 1 or hours < 0.0:
            raise ValueError(f"history needs at least one point and no negative hours; got {points} and {hours:g}")
        start = max(0.0, self.now - hours * HOUR)
        step = (self.now - start) / max(points - 1, 1)
        return [self.read(channel, max(start, self.now - step * back)) for back in reversed(range(points))]

    def truth(self, channel: str, at: float | None = None) -> float:
        """The true value behind a channel, for the evaluator. Raises ValueError for an unknown channel."""
        sensors.find(channel)
        return telemetry.TRUTHS[channel](self.base, self._moment(at))

    def state(self) -> dict[str, Any]:
        """The true state now, as JSON."""
        return report.state(self.base, self.seed, self.now)

    def log(self) -> list[dict[str, Any]]:
        """Everything that happened, in order, as JSON: commands, checks, crossings, valves, modes, crew, incidents."""
        return [_copied(event) for event in self.base.events]

    def digest(self, state: Mapping[str, Any] | None = None) -> str:
        """SHA-256 of state and log at nine significant digits; equal for equal histories, in any process."""
        return report.digest(self.state() if state is None else state, self.base.events)

    def commands(self) -> list[dict[str, Any]]:
        """Every command and check so far: with scenario and seed, all that it takes to rebuild the world."""
        return [_copied(entry) for entry in self._commands]

    def fork(self, seed: int | None = None) -> World:
        """A second world with the same past and future; neither knows of the other.

        With another `seed` its instruments err differently; the truth does not depend on it. Raises ValueError for
        another seed after a command or check: what was measured then is on record.
        """
        if seed not in (None, self.seed) and self._commands:
            raise ValueError("a world that was commanded keeps its seed: its checks have been made with it")
        other = object.__new__(World)
        memo: Memo = {id(self): other, id(self.base.events): self.base.events.copy()}
        other.scenario, other.seed = self.scenario, self.seed if seed is None else seed
        other._commands, other._plans, other._blocks = self._commands.copy(), self._plans, self._blocks
        other._agenda, other._timers, other._stale = Agenda(other._happen, self.now), {}, set()
        other._doing, other._spans = {}, self._spans.copy()
        other.base = twin(self.base, memo)
        other._controls = twin(self._controls, memo)
        other._lookouts = twin(self._lookouts, memo)
        for t, item in self._agenda.waiting():
            ticket = other._agenda.put(t, item)
            if item.kind == "block":
                other._resume(str(item.which), ticket, self._timers[str(item.which)].watch)
        return other

    @classmethod
    def rebuild(cls, scenario: Scenario, seed: int, commands: Sequence[Mapping[str, Any]], until: float) -> World:
        """The world that these commands made, at `until` s. Raises ValueError if they go beyond it."""
        world = cls(scenario, seed)
        for entry in commands:
            world.advance(entry["t"])
            if entry["kind"] == "check":
                world.check(entry["name"], entry["parameters"])
            else:
                world.command(entry["name"], entry["parameters"], by=entry["by"])
        world.advance(until)
        return world

    def resume_makeup_later(self) -> None:
        """Put inhibited make-up back to auto when FR-06 says so."""
        if self.base.inhibited_until is not None:
            self._agenda.put(at_or_after(self.base.inhibited_until), Item("makeup", "auto"))

    def _settle(self) -> None:
        """Let everything happen that is due now, so that a second order at this instant finds what a rebuild finds."""
        self.advance(self.now)

    def _moment(self, at: float | None) -> float:
        if at is None:
            return self.now
        if not 0.0 <= at <= self.now:
            raise ValueError(f"no data at {at:g} s: the world has run from 0 to {self.now:g} s")
        return at

    def _time(self) -> float:
        """The clock of the base: a method, so that a fork's base gets the fork's."""
        return self._agenda.now

    def _notify(self, block: str) -> None:
        """A block's future has changed: it is looked at again once all that is due at this instant has happened."""
        self._stale.add(block)
        self._spans.pop(block, None)
        timer = self._timers.pop(block, None)
        if timer is not None:
            self._agenda.drop(timer.ticket)

    def _look_again(self) -> None:
        """Find the next event of every block whose future has changed."""
        for block in self._blocks:
            if block not in self._stale:
                continue
            if block == "power":
                bus.protect(self.base)
            self._stale.discard(block)
            limit = self._limit(block)
            watches = self._watches(block, limit)
            if not watches and block not in RESTLESS:
                continue
            found = self._lookouts[block].next(watches, self.now, limit)
            if found or limit < math.inf:
                ticket = self._agenda.put(at_or_after(found[0]) if found else limit, Item("block", block))
                self._timers[block] = Timer(ticket, found[1] if found else None)

    def _limit(self, block: str) -> float:
        """How far ahead a block is looked for.

        What changes with people all day is looked for until the next thing is planned, and farther each time that
        this has changed nothing.
        """
        if block == "power":
            return math.inf
        far = self.now + WINDOW
        if block not in RESTLESS:
            return far
        span = self._spans.get(block)
        ahead = self._agenda.planned() if span is None else self.now + AHEAD * span
        limit = min(far, max(ahead, self.now + MINUTE))
        self._spans[block] = limit - self.now
        return limit

    def _suspended(self, change: Change) -> bool:
        return change.to == "exercise" and self.now < self.base.exercise_suspended_until

    def _do(self) -> None:
        doing, self._doing = self._doing, {}
        self.base.set_people({person: {"activity": activity} for person, activity in doing.items()})

    def _watches(self, block: str, limit: float | None = None) -> Sequence[Watch]:
        """All that a block waits for, or at least all that may happen by `limit`."""
        if block == "air":
            sight = None if limit is None else look(self.base.air, self.now, limit)
            return [*self._controls.watches(sight), *self.base.monitor.watches(sight)]
        if block == "power":
            mark = self.base.power.next_mark(self.now)
            return [Watch("mark", mark, at(mark.t), lambda t: bus.pass_mark(self.base, mark))] if mark else []
        return self.base.parts[block].watches()

    def _resume(self, block: str, ticket: int, watch: Watch | None) -> None:
        """Wait for what another world's block waits for."""
        own = None if watch is None else next(w for w in self._watches(block) if w.name == watch.name)
        self._timers[block] = Timer(ticket, own)

    def _happen(self, item: Item) -> None:
        if self._doing and item.kind != "person" and not self._only_looks(item):
            self._do()
        match item.kind:
            case "person":
                self._act(int(item.which), item.step)
            case "block":
                self._fire(str(item.which))
            case "task":
                self._finish(next(task for task in self.base.tasks if task.number == item.which))
            case "makeup":
                self._resume_makeup()
            case "incident":
                self._plant(self.scenario.incidents[int(item.which)])
            case "temperature":
                self._set_temperature(self.scenario.temperature_changes[int(item.which)])

    def _only_looks(self, item: Item) -> bool:
        timer = self._timers.get(str(item.which)) if item.kind == "block" else None
        return timer is not None and timer.watch is None

    def _fire(self, block: str) -> None:
        timer = self._timers.pop(block, None)
        self._stale.add(block)
        # What people do from this very instant on has changed the block: it is looked at again, as it now is.
        if timer is not None and timer.watch is not None:
            timer.watch.fire(self.now)

    def _order(self, name: str, parameters: Mapping[str, Value]) -> CommandResult:
        try:
            parsed = parse(name, parameters, tuple(self.base.people))
        except ValueError as error:
            return self._answer(name, parameters, accepted=False, reason=str(error))
        gate = gates.GATES.get(name)
        refusal = gate(self.base, parsed) if gate else None
        if refusal is not None:
            return self._answer(name, parsed, accepted=False, reason=refusal.reason, rule=refusal.rule)
        said = acts.BEGIN[name](self.base, parsed)
        spec = COMMANDS[name]
        if name == "set_makeup":
            self.resume_makeup_later()
        if spec.duration_s:
            self._begin(spec, parsed)
        return self._answer(name, parsed, accepted=True, reason=said, completes_s=self.now + spec.duration_s)

    def _answer(self, name: str, parameters: Mapping[str, Value], **said: Any) -> CommandResult:
        return CommandResult(command=name, parameters=dict(parameters), starts_s=self.now, **said)

    def _begin(self, spec: CommandSpec, parameters: Mapping[str, Value]) -> None:
        task = Task(len(self._commands), spec.name, parameters, self.now, self.now + spec.duration_s)
        self.base.tasks.append(task)
        self.base.set_extra_load(task.load, spec.power_w)
        self._agenda.put(nearest(task.until), Item("task", task.number))

    def _finish(self, task: Task) -> None:
        self.base.tasks.remove(task)
        self.base.set_extra_load(task.load, 0.0)
        done = acts.DONE[task.command](self.base, task.parameters)
        self.base.log(self.now, "completed", command=task.command, parameters=dict(task.parameters), result=done)

    def _resume_makeup(self) -> None:
        until = self.base.inhibited_until
        if until is not None and until <= self.now:
            self.base.set_makeup("auto")
            self.base.log(self.now, "rule", rule="FR-06", why="inhibited make-up has resumed by itself")

    def _plant(self, planted: Planted) -> None:
        incident = incidents.find(planted.incident)
        parameters = incident.parameters.model_validate(planted.parameters)
        incident.plant(self.base, parameters)
        record = {"incident": incident.name, "onset_s": self.now, "parameters": parameters.model_dump()}
        self.base.planted.append(record)
        self.base.log(self.now, "incident", **record)

    def _set_temperature(self, change: TemperatureChange) -> None:
        self.base.set_temperature(ZONES.index(change.zone), change.temperature_c + ZERO_C)
        self.base.log(self.now, "temperature", zone=change.zone, temperature_c=change.temperature_c)

    def _plan_ahead(self, person: int, step: int) -> None:
        """Wait for a person's next change of activity: step by step through one day after the other."""
        _, plan = self._plans[person]
        day, index = divmod(step, len(plan))
        self._agenda.put(day * DAY + plan[index].t, Item("person", person, step))

    def _act(self, index: int, step: int) -> None:
        person, plan = self._plans[index]
        change = plan[step % len(plan)]
        if person in self._doing:
            self._do()
        if self.base.people[person].activity in change.since and not self._suspended(change):
            self._doing[person] = change.to
        self._plan_ahead(index, step + 1)


def _days(scenario: Scenario, person: Person) -> list[Change]:
    """The changes of a person's day, on the clock's grid, as a day is."""
    sleep = scenario.sleep
    plan = day_plan(sleep.start_h * HOUR, sleep.length_h * HOUR, tuple(hour * HOUR for hour in person.exercise_h))
    return [replace(change, t=nearest(change.t)) for change in plan]


def _copied(value: Any) -> Any:
    """A copy of JSON that shares nothing that can be changed; several times faster than a deep copy."""
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_copied(item) for item in cast("list[Any]", value)]
    return value


def _is_json(value: Value) -> bool:
    """Not NaN and not infinite: what a log can hold."""
    return not isinstance(value, float) or math.isfinite(value)
