"""The World: a base on a SimPy clock, with commands in, an event log out, and one mechanism for reset, replay and fork.

Nothing happens between events. Between two of them every quantity has a closed form, so reading a value at any time
changes nothing and asking often costs nothing but the asking.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Generator, Mapping, Sequence
from typing import Any, cast

import simpy

from mission import incidents, sensors
from mission.sensors import Reading
from mission.world import acts, checks, gates, report, telemetry
from mission.world.atmosphere import ZONES
from mission.world.base import Base, Task
from mission.world.checks import CheckRefusedError, CheckResult
from mission.world.commands import COMMANDS, CommandResult, CommandSpec, Value, parse
from mission.world.controls import Controls
from mission.world.crew import Change, day_plan
from mission.world.lookout import Lookout
from mission.world.power import Mark, shed_to_fit
from mission.world.scenario import Person, Planted, Scenario, TemperatureChange, load_scenario
from mission.world.units import DAY, HOUR, ZERO_C, nearest

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
Wait = Generator[simpy.Event, Any, None]


class World:
    """One base from its scenario's start to now."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        self.scenario = scenario
        self.seed = seed
        self._env = simpy.Environment()
        self._commands: list[dict[str, Any]] = []
        self._watchers: dict[str, simpy.Process] = {}
        self.base = Base(scenario, lambda: self.now, self._notify)
        self._controls = Controls(self.base.air, self.base.change, self.base.lose_people, self.base.log)
        self._lookout = Lookout()
        for planted in scenario.incidents:
            self._env.process(self._plant(planted))
        for change in scenario.temperature_changes:
            self._env.process(self._set_temperature(change))
        for person in scenario.crew:
            self._env.process(self._live(person))
        self._watchers["air"] = self._env.process(self._watch_air())
        self._watchers["power"] = self._env.process(self._watch_power())
        self._settle()

    @property
    def now(self) -> float:
        """Seconds since the scenario's start."""
        return float(self._env.now)

    def advance(self, until: float) -> None:
        """Let time pass to `until` s, everything due by then included. Raises ValueError for a time in the past."""
        until = nearest(until)
        if until < self.now:
            raise ValueError(f"the world is at {self.now:g} s and cannot go back to {until:g} s")
        while self._env.peek() <= until:
            self._env.step()
        if self.now < until:
            self._env.run(until=until)

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
        """What an instrument says, now or at an earlier time. Raises ValueError for an unknown channel."""
        spec, moment = sensors.find(channel), self._moment(at)
        return sensors.read(
            spec,
            self.seed,
            moment,
            lambda t: telemetry.measurable(self.base, channel, t),
            self.base.frozen.get(channel),
        )

    def history(self, channel: str, hours: float, points: int) -> list[Reading]:
        """`points` readings, evenly spaced over the last `hours`, the newest last. Raises ValueError."""
        if points < 1 or hours < 0.0:
            raise ValueError(f"history needs at least one point and no negative hours; got {points} and {hours:g}")
        start = max(0.0, self.now - hours * HOUR)
        step = (self.now - start) / max(points - 1, 1)
        return [self.read(channel, self.now - step * back) for back in reversed(range(points))]

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

    def digest(self) -> str:
        """SHA-256 of state and log at nine significant digits; equal for equal histories, in any process."""
        text = report.text({"state": self.state(), "log": self.base.events})
        return hashlib.sha256(text.encode()).hexdigest()

    def commands(self) -> list[dict[str, Any]]:
        """Every command and check so far: with scenario and seed, all that it takes to rebuild the world."""
        return [_copied(entry) for entry in self._commands]

    def fork(self) -> World:
        """A second world with the same past; neither knows of the other."""
        return World.rebuild(self.scenario, self.seed, self.commands(), self.now)

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
            self._env.process(self._resume_makeup(self.base.inhibited_until))

    def _settle(self) -> None:
        """Let everything happen that is due now, so that a second order at this instant finds what a rebuild finds."""
        self.advance(self.now)

    def _moment(self, at: float | None) -> float:
        if at is None:
            return self.now
        if not 0.0 <= at <= self.now:
            raise ValueError(f"no data at {at:g} s: the world has run from 0 to {self.now:g} s")
        return at

    def _notify(self, block: str) -> None:
        """A block's future has changed: its watcher looks again, unless it is the one who changed it."""
        watcher = self._watchers.get(block)
        if watcher is not None and self._env.active_process is not watcher:
            watcher.interrupt()

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
        self._env.process(self._finish(task))

    def _finish(self, task: Task) -> Wait:
        yield self._env.timeout(task.until - task.started)
        self.base.tasks.remove(task)
        self.base.set_extra_load(task.load, 0.0)
        done = acts.DONE[task.command](self.base, task.parameters)
        self.base.log(self.now, "completed", command=task.command, parameters=dict(task.parameters), result=done)

    def _resume_makeup(self, until: float) -> Wait:
        yield self._env.timeout(until - self.now)
        if self.base.inhibited_until == until:
            self.base.set_makeup("auto")
            self.base.log(self.now, "rule", rule="FR-06", why="inhibited make-up has resumed by itself")

    def _plant(self, planted: Planted) -> Wait:
        yield self._env.timeout(nearest(planted.onset_h * HOUR))
        incident = incidents.find(planted.incident)
        parameters = incident.parameters.model_validate(planted.parameters)
        incident.plant(self.base, parameters)
        record = {"incident": incident.name, "onset_s": self.now, "parameters": parameters.model_dump()}
        self.base.planted.append(record)
        self.base.log(self.now, "incident", **record)

    def _set_temperature(self, change: TemperatureChange) -> Wait:
        yield self._env.timeout(nearest(change.at_h * HOUR))
        self.base.set_temperature(ZONES.index(change.zone), change.temperature_c + ZERO_C)
        self.base.log(self.now, "temperature", zone=change.zone, temperature_c=change.temperature_c)

    def _live(self, person: Person) -> Wait:
        """One person's days, one after the other."""
        sleep = self.scenario.sleep
        exercise = tuple(hour * HOUR for hour in person.exercise_h)
        plan = day_plan(sleep.start_h * HOUR, sleep.length_h * HOUR, exercise)
        day = 0.0
        while True:
            for change in plan:
                yield self._env.timeout(nearest(day + change.t) - self.now)
                self._act(person.id, change)
            day += DAY

    def _act(self, person: str, change: Change) -> None:
        suspended = change.to == "exercise" and self.now < self.base.exercise_suspended_until
        if self.base.people[person].activity in change.since and not suspended:
            self.base.set_person(person, activity=change.to)

    def _watch_air(self) -> Wait:
        """Wait for the air's next event, and look again whenever its future changes."""
        while True:
            watches = [*self._controls.watches(), *self.base.monitor.watches()]
            found = self._lookout.next(watches, self.now, self.now + WINDOW)
            try:
                yield self._env.timeout((found[0] if found else self.now + WINDOW) - self.now)
            except simpy.Interrupt:
                continue
            if found:
                found[1].fire(self.now)

    def _watch_power(self) -> Wait:
        while True:
            self._protect_battery()
            mark = self.base.power.next_mark(self.now)
            try:
                yield self._env.timeout(mark.t - self.now) if mark else self._env.event()
            except simpy.Interrupt:
                continue
            if mark:
                self._pass_mark(mark)

    def _pass_mark(self, mark: Mark) -> None:
        direction = "rising" if mark.rising else "falling"
        self.base.log(self.now, "battery", soc_percent=100.0 * mark.soc, direction=direction)
        self.base.power.rebase(self.now)

    def _protect_battery(self) -> None:
        """At its floor a battery gives nothing more: deferrable loads go until the supply suffices."""
        base, segment = self.base, self.base.power.segment(self.now)
        dropped = shed_to_fit(segment.loads, segment.fission) if segment.unserved > 0.0 else []
        if dropped:
            base.shed += dropped
            base.sync_power()
            base.log(self.now, "shed", loads=dropped, why="battery at its floor")


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
