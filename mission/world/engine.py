"""The World: a base on a SimPy clock, with commands in, an event log out, and forks at any time.

Nothing happens between events. Between two of them every quantity has a closed form, so reading a value at any time
changes nothing and asking often costs nothing but the asking.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from mission import incidents, sensors
from mission.channel import Channel, Reading
from mission.world import acts, checks, gates, report, telemetry
from mission.world.agenda import Agenda, Item
from mission.world.atmosphere import ZONES
from mission.world.base import Base, Task
from mission.world.checks import CheckResult
from mission.world.commands import COMMANDS, parse
from mission.world.crew import Activity, Change, day_plan
from mission.world.scenario import Person, Planted, Scenario, TemperatureChange, load_scenario
from mission.world.spec import CheckRefusedError, CommandResult, CommandSpec, Value
from mission.world.twin import Memo, twin
from mission.world.units import DAY, HOUR, ZERO_C, at_or_after, nearest
from mission.world.vigil import Vigil

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


class World:
    """One base from its scenario's start to now."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        self.scenario = scenario
        self.seed = seed
        self._commands: list[dict[str, Any]] = []
        self._plans = [(person.id, _days(scenario, person)) for person in scenario.crew]
        self._agenda = Agenda(self._happen)
        self._vigil = Vigil(self._agenda)
        self._doing: dict[str, Activity] = {}
        """What people do from this instant on: they change all at once."""
        self.base = Base(scenario, self._time, self._vigil.notify)
        self._vigil.begin(self.base)
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
        agenda, vigil = self._agenda, self._vigil
        while True:
            due = agenda.due()
            if due > agenda.now and self._doing:
                self._do()
            elif due > agenda.now and vigil.stale:
                vigil.look_again()
            elif due > vigil.horizon <= until:
                vigil.reach()
            elif due <= until:
                agenda.step()
            else:
                break
        if self.now < until:
            agenda.wait(until)

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

    def state(self, only: Collection[str] | None = None) -> dict[str, Any]:
        """The true state now, as JSON; or those of its sections alone that are named."""
        return report.state(self.base, self.seed, self.now, only)

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
        other.scenario, other.seed = self.scenario, self.seed if seed is None else seed
        other._commands, other._plans, other._doing = self._commands.copy(), self._plans, {}
        other._agenda = Agenda(other._happen, self.now)
        other._vigil = Vigil(other._agenda)
        events = self.base.events
        memo: Memo = {id(self): other, id(self._vigil): other._vigil, id(events): events.copy()}
        other.base = twin(self.base, memo)
        put = [(item, other._agenda.put(t, item)) for t, item in self._agenda.waiting()]
        waiting = {str(item.which): ticket for item, ticket in put if item.kind == "block"}
        other._vigil.carry_on(self._vigil, other.base, waiting, memo)
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

    def _suspended(self, change: Change) -> bool:
        return change.to == "exercise" and self.now < self.base.exercise_suspended_until

    def _do(self) -> None:
        doing, self._doing = self._doing, {}
        self.base.set_people({person: {"activity": activity} for person, activity in doing.items()})

    def _happen(self, item: Item) -> None:
        if self._doing and item.kind != "person":
            self._do()
        match item.kind:
            case "person":
                self._act(int(item.which), item.step)
            case "block":
                self._vigil.fire(str(item.which))
            case "task":
                self._finish(next(task for task in self.base.tasks if task.number == item.which))
            case "makeup":
                self._resume_makeup()
            case "incident":
                self._plant(self.scenario.incidents[int(item.which)])
            case "temperature":
                self._set_temperature(self.scenario.temperature_changes[int(item.which)])

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
