"""What a flown world achieved of its scenario's objectives: met or not, by how much, and for how long it was violated.

For evaluators. Harm to people counts before harm to the base, that before its stores, and those before its work; and a
life counts before everything, whether or not the scenario has an objective that says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar, cast

from mission import sensors
from mission.course import quantity, runs
from mission.curve import Run, crossing, pieces
from mission.world.atmosphere import ZONES
from mission.world.checks import CHECKS
from mission.world.engine import Scenario, World
from mission.world.objective import RANKS, Objective, Rank
from mission.world.units import HOUR, MINUTE, nearest

__all__ = ["Outcome", "Result", "check_objectives", "evaluate", "quantity", "regret"]

STATE = "state."
EVIDENCE = "evidence."
NEVER_REACHED = 1e-6
"""Hours past the end at which a deadline that never came is counted: not met even if it was the end."""
UNITS = {"kg": "kg", "mmhg": "mmHg", "kpa": "kPa", "s": "s", "percent": "%", "c": "degC", "kwh": "kWh", "kw": "kW"}
"""Units by the last word of a name in the state."""
LIFE = 1e3
"""Shortfall of the crew's rank for each of them that is lost: more than any objective can be missed by."""


SomeRun = TypeVar("SomeRun", bound=Run)


@dataclass(frozen=True)
class Result:
    """One objective after a flight. `margin` is in the limit's own unit and positive inside; `relative` is over its
    scale. `violated_s` counts the seconds on the wrong side, where the objective is about a course of time."""

    id: str
    rank: Rank
    met: bool
    value: float
    limit: float
    margin: float
    relative: float
    violated_s: float = 0.0
    first_violation_s: float | None = None


@dataclass(frozen=True)
class Outcome:
    results: tuple[Result, ...]
    lost: int = 0
    """How many of the crew are lost at the end."""

    @property
    def met(self) -> bool:
        return not self.lost and all(result.met for result in self.results)

    @property
    def margin(self) -> float:
        """The smallest relative margin; -1 at best for each of the crew that is lost."""
        smallest = min(result.relative for result in self.results)
        return min(smallest, -float(self.lost)) if self.lost else smallest

    def shortfall(self, rank: Rank) -> float:
        """By how much the objectives of one rank were missed, in relative margins; a miss by nothing counts 1e-9."""
        missed = [result for result in self.results if result.rank == rank and not result.met]
        lives = LIFE * self.lost if rank == "crew" else 0.0
        return lives + sum(max(-result.relative, 1e-9) for result in missed)

    @property
    def worth(self) -> tuple[float, ...]:
        """Compares outcomes, more is better: no shortfall of the first rank, then of the next, then the margin."""
        return (*(-self.shortfall(rank) for rank in RANKS), self.margin)


def regret(outcome: Outcome, best: Outcome) -> dict[str, float]:
    """What was lost against the best outcome there is: shortfall by rank, and smallest relative margin."""
    lost = {str(rank): outcome.shortfall(rank) - best.shortfall(rank) for rank in RANKS}
    return lost | {"margin": best.margin - outcome.margin}


def evaluate(world: World, objectives: Sequence[Objective], start: float, end: float) -> Outcome:
    """The outcome of the time from `start` to `end` s of a world that stands at `end`.

    Raises ValueError for a quantity that there is not, and for a world that stands elsewhere.
    """
    if world.now != end or not 0.0 <= start < end:
        raise ValueError(f"a world at {world.now:g} s cannot be judged from {start:g} to {end:g} s")
    if not objectives:
        raise ValueError("there are no objectives to judge by")
    sections = {_section(objective) for objective in objectives if _in_state(objective)}
    state = world.state(sections)
    if len(state) < len(sections):
        state = world.state()
    flown = _Flown(world, start, end)
    lost = sum(person.activity == "lost" for person in world.base.people.values())
    return Outcome(tuple(_result(objective, flown, state) for objective in objectives), lost)


class _Flown:
    """The courses of a flown world, each cut into its monotone runs once."""

    def __init__(self, world: World, start: float, end: float) -> None:
        self.world, self.start, self.end = world, start, end
        inside = {float(event["t"]) for event in world.base.events if start < event["t"] < end}
        self.breaks = sorted({start, *inside, end})
        self._runs: dict[str, Sequence[Run]] = {}

    def counted(self, objective: Objective) -> Sequence[Run]:
        """The runs that count: all, or those during which the zone had people in it."""
        if objective.of not in self._runs:
            self._runs[objective.of] = runs(self.world, objective.of, self.breaks)
        return self.occupied(objective, self._runs[objective.of])

    def occupied(self, objective: Objective, found: Sequence[SomeRun]) -> Sequence[SomeRun]:
        if not objective.while_occupied:
            return found
        zone, air = ZONES.index(objective.of.partition(".")[0]), self.world.base.air
        return [one for one in found if air.config_at(one.a).breathing[zone] > 0]


def _result(objective: Objective, flown: _Flown, state: Mapping[str, Any]) -> Result:
    match objective.kind:
        case "terminal":
            value = _state_value(objective, state) if _in_state(objective) else _truth(objective, flown, flown.end)
            return _held(objective, value)
        case "cumulative":
            value = _state_value(objective, state) if _in_state(objective) else _integral(objective, flown)
            return _held(objective, value)
        case "invariant":
            return _invariant(objective, flown)
        case "time-beyond":
            hours, first = _violation(objective, flown)
            return _held(objective, hours / HOUR, hours, first)
        case "deadline":
            return _deadline(objective, flown, state)


def _in_state(objective: Objective) -> bool:
    return objective.of.startswith((STATE, EVIDENCE))


def _section(objective: Objective) -> str:
    """What its path into the state begins with."""
    return "evidence" if objective.of.startswith(EVIDENCE) else objective.of.removeprefix(STATE).partition(".")[0]


def _truth(objective: Objective, flown: _Flown, t: float) -> float:
    return quantity(flown.world, objective.of)(t)


def _held(objective: Objective, value: float, violated: float = 0.0, first: float | None = None) -> Result:
    """The value against the limit. Time and deadlines are limits from above, whatever the side of the quantity."""
    upper = objective.upper or objective.hours is not None
    margin = objective.limit - value if upper else value - objective.limit
    scale = objective.scale or abs(objective.limit) or 1.0
    return Result(
        objective.id, objective.rank, margin >= 0.0, value, objective.limit, margin, margin / scale, violated, first
    )


def _integral(objective: Objective, flown: _Flown) -> float:
    found = pieces(quantity(flown.world, objective.of), flown.breaks)
    return sum(piece.integral for piece in flown.occupied(objective, found)) / HOUR


def _invariant(objective: Objective, flown: _Flown) -> Result:
    counted = flown.counted(objective)
    if not counted:
        return _held(
            objective, _truth(objective, flown, flown.end) if not objective.while_occupied else objective.level
        )
    values = [value for piece in counted for value in (piece.fa, piece.fb)]
    violated, first = _violation(objective, flown)
    return _held(objective, max(values) if objective.upper else min(values), violated, first)


def _violation(objective: Objective, flown: _Flown) -> tuple[float, float | None]:
    """Seconds on the wrong side of the level, and when that first was so."""
    truth, level, total = quantity(flown.world, objective.of), objective.level, 0.0
    first: float | None = None
    for piece in flown.counted(objective):
        cut = crossing(truth, piece, level)
        ends = [(piece.a, piece.fa), (piece.b, piece.fb)]
        wrong = [t for t, value in ends if (value > level if objective.upper else value < level)]
        if not wrong:
            continue
        a, b = (piece.a, piece.b) if cut is None else sorted((wrong[0], cut))
        total += b - a
        first = a if first is None else first
    return total, first


def _deadline(objective: Objective, flown: _Flown, state: Mapping[str, Any]) -> Result:
    made = _made(objective, flown, state) if objective.of.startswith(EVIDENCE) else None
    reached = _first_reached(objective, flown) if made is None else made[0] if made else None
    hours = (flown.end - flown.start) / HOUR + NEVER_REACHED if reached is None else (reached - flown.start) / HOUR
    return _held(objective, hours)


def _made(objective: Objective, flown: _Flown, state: Mapping[str, Any]) -> list[float]:
    """When the check was completed that makes as many as the objective asks for since the start, if it was."""
    times = [t for t in _checks_made(objective.of.removeprefix(EVIDENCE), state) if t >= flown.start]
    return times[math.ceil(objective.level) - 1 :]


def _first_reached(objective: Objective, flown: _Flown) -> float | None:
    truth, level = quantity(flown.world, objective.of), objective.level
    for piece in flown.counted(objective):
        if piece.fa <= level if objective.upper else piece.fa >= level:
            return piece.a
        cut = crossing(truth, piece, level)
        if cut is not None:
            return cut
        if piece.fb <= level if objective.upper else piece.fb >= level:
            return piece.b
    return None


def _state_value(objective: Objective, state: Mapping[str, Any]) -> float:
    """The number at a path into the state. Raises ValueError that names what there is."""
    if objective.of.startswith(EVIDENCE):
        return float(len(_checks_made(objective.of.removeprefix(EVIDENCE), state)))
    here: Any = state
    walked = "state"
    for name in objective.of.removeprefix(STATE).split("."):
        known = cast("dict[str, Any]", here) if isinstance(here, Mapping) else {}
        if name not in known:
            near = get_close_matches(name, known, n=4, cutoff=0.4) or list(known)
            raise ValueError(
                f"objective {objective.id}: {walked} has no {name!r}; near: {', '.join(near) or 'nothing'}"
            )
        here, walked = known[name], f"{walked}.{name}"
    if isinstance(here, list | tuple | Mapping):
        return float(len(cast("list[Any]", here)))
    if not isinstance(here, bool | int | float):
        raise ValueError(f"objective {objective.id}: {walked} is no number")  # noqa: TRY004 - a file is at fault
    return float(here)


def _checks_made(check: str, state: Mapping[str, Any]) -> list[float]:
    """When a check has been completed, s. Raises ValueError with near names for one that there is not."""
    if check not in CHECKS:
        near = get_close_matches(check, CHECKS, n=3, cutoff=0.4) or list(CHECKS)
        raise ValueError(f"there is no check {check!r}; near: {', '.join(near)}")
    return [one["t"] for one in state["evidence"] if one["check"] == check]


def check_objectives(scenario: Scenario) -> list[str]:
    """What is wrong with a scenario's objectives: quantities that there are not at the call, and units not theirs."""
    found: list[str] = []
    world = World(scenario, 0)
    world.advance(nearest(scenario.trial.start_h * HOUR + MINUTE))
    state = world.state()
    for objective in scenario.objectives:
        try:
            if _in_state(objective):
                _state_value(objective, state)
            else:
                quantity(world, objective.of)
        except ValueError as error:
            found.append(f"{objective.id}: {error}")
            continue
        unit = _unit(objective)
        if unit is not None and unit != objective.unit:
            found.append(f"{objective.id}: {objective.of} is in {unit}, not in {objective.unit}")
        if objective.while_occupied and objective.of.partition(".")[0] not in ZONES:
            found.append(f"{objective.id}: {objective.of} belongs to no zone, so nobody occupies it")
    return found


def _unit(objective: Objective) -> str | None:
    """The unit of what an objective is of, where its name gives one."""
    if _in_state(objective):
        return UNITS.get(objective.of.rpartition(".")[2].rpartition("_")[2])
    if objective.of.endswith(".pio2"):
        return "mmHg"
    unit = sensors.find(objective.of).unit
    return f"{unit} h" if objective.kind == "cumulative" else unit
