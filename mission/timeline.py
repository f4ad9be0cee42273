"""A flown world in words and numbers: its log as lines, its channels as a table, its objectives as results."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mission import sensors
from mission.desk import mission_time
from mission.objectives import Outcome, regret
from mission.world.engine import World
from mission.world.units import HOUR, MINUTE

__all__ = ["STEP", "against_best", "lines", "results", "sample_times", "write_csv"]

STEP = 5 * MINUTE
"""Of tables and pictures; the times of events come on top."""
OFTEN = 12
"""Events of one kind and one thing that are told one by one; more are counted."""
_DIRECTION = {"rising": "rises through", "falling": "falls through"}


def lines(world: World) -> Iterator[str]:
    """The log in order, one line an event; what happens all the time, such as a valve at work, is summed up in one."""
    events = [event for event in world.base.events if event["t"] <= world.now]
    counts: dict[str, int] = {}
    for event in events:
        counts[_thing(event)] = counts.get(_thing(event), 0) + 1
    last = {_thing(event): event for event in events}
    seen: set[str] = set()
    for event in events:
        thing = _thing(event)
        if event["kind"] != "valve" or counts[thing] <= OFTEN:
            yield f"{mission_time(event['t']):<12}{event['kind']:<13}{_words(event)}"
        elif thing not in seen:
            seen.add(thing)
            until = mission_time(last[thing]["t"])
            moves = f"{event['gas']} make-up, {counts[thing]} moves until {until}"
            yield f"{mission_time(event['t']):<12}{'valve':<13}{moves}"


def _thing(event: Mapping[str, Any]) -> str:
    return f"{event['kind']} {event.get('gas', '')}"


def _words(event: Mapping[str, Any]) -> str:
    match event:
        case {"kind": "crossing", "direction": way, "level": level, "unit": unit, "rule": rule, **rest}:
            where = f"{rest.get('zone', '')} {rest.get('quantity', '')}".strip()
            empty = "" if rest.get("occupied", True) else ", nobody there"
            return f"{where} {_DIRECTION[way]} {level:g} {unit} ({rule}{empty})"
        case {"kind": "command", "command": name, "parameters": given, "accepted": accepted, "reason": reason, **rest}:
            rule = f" ({rest['rule']})" if rest.get("rule") else ""
            return f"{name}{_given(given)} by {rest['by']}: {'' if accepted else 'REFUSED, '}{reason}{rule}"
        case {"kind": "completed", "command": name, "parameters": given, "result": result}:
            return f"{name}{_given(given)}: {result}"
        case {"kind": "check", "check": name, "parameters": given, "measured": measured, "units": units, **rest}:
            nominal = rest.get("nominal", {})
            told = (_number(key, value, nominal.get(key), units.get(key, "")) for key, value in measured.items())
            return f"{name}{_given(given)}: {', '.join(told)}"
        case _:
            return _plain({key: value for key, value in event.items() if key not in ("t", "kind", "onset_s")})


def _number(name: str, value: float, nominal: float | None, unit: str) -> str:
    told = f"{name} {value:g} {unit}".rstrip()
    return told if nominal is None else f"{told} (nominal {nominal:g})"


def _given(parameters: Mapping[str, Any]) -> str:
    return f"({', '.join(f'{name}={_value(value)}' for name, value in parameters.items())})"


def _plain(fields: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_value(value)}" for name, value in fields.items())


def _value(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case dict():
            return _given(value) if value else "-"  # pyright: ignore[reportUnknownArgumentType]
        case list() | tuple():
            return " ".join(_value(item) for item in value) or "-"  # pyright: ignore[reportUnknownVariableType]
        case _:
            return str(value)


def results(outcome: Outcome) -> Iterator[str]:
    """One line an objective: met or not, its value, its margin, and for how long it was violated."""
    for result in outcome.results:
        met = "met" if result.met else "MISSED"
        line = f"{met:<8}{result.rank:<9}{result.id:<20}{result.value:>10.4g} of {result.limit:<8g}"
        line += f" margin {result.margin:+.4g} ({result.relative:+.1%})"
        if result.first_violation_s is not None:
            line += f", violated {result.violated_s / HOUR:.2f} h from {mission_time(result.first_violation_s)}"
        yield line


def against_best(outcome: Outcome, best: Outcome) -> Iterator[str]:
    """What was lost against the best outcome that there is: by rank, and of the smallest margin."""
    yield f"best plan: smallest margin {best.margin:+.1%}; here {outcome.margin:+.1%}"
    lost = ", ".join(f"{name} {value:.3g}" for name, value in regret(outcome, best).items())
    yield f"regret (in relative margins): {lost}"


def sample_times(world: World) -> list[float]:
    """Every five minutes, and whenever something happened."""
    grid = {STEP * index for index in range(int(world.now // STEP) + 1)}
    return sorted(grid | {float(event["t"]) for event in world.base.events if event["t"] <= world.now} | {world.now})


def write_csv(world: World, path: Path) -> None:
    """Every channel over time, its true value and its reading; a reading that there is not is left empty."""
    names = [channel.name for channel in sensors.channels()]
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        heads = (
            f"{channel.name} {what} [{channel.unit}]" for channel in sensors.channels() for what in ("true", "read")
        )
        table.writerow(["t_s", *heads])
        for t in sample_times(world):
            row: list[float | str] = [round(t, 6)]
            for name in names:
                reading = world.read(name, t)
                row += [round(world.truth(name, t), 9), "" if reading.value is None else reading.value]
            table.writerow(row)
