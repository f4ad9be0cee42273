"""`simsup world`: one flight, told, judged, drawn and written to a table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from mission import debrief, flight, table, timeline
from mission.desk import mission_time
from mission.objectives import Outcome, evaluate
from mission.objectives import regret as lost
from mission.world.engine import Scenario, World
from mission.world.units import HOUR, MINUTE, nearest

__all__ = ["Wish", "look"]


@dataclass(frozen=True)
class Wish:
    """What is asked of a flight, as the verb's options are."""

    plan: Path | None = None
    hours: float | None = None
    seed: int = 0
    everything: bool = False
    regret: bool = False
    plot: Path | None = None
    csv: Path | None = None
    every_min: float = 5.0


def look(scenario: Scenario, wish: Wish, screen: TextIO | None = None) -> Iterator[str]:
    """Fly, and say line by line what came of it; `screen` is where progress may be shown.

    Raises ValueError and OSError, before the flight where that can be known.
    """
    steps = flight.load_plan(wish.plan, tuple(person.id for person in scenario.crew)) if wish.plan else ()
    start = flight.called(scenario)
    end = flight.ends(scenario) if wish.hours is None else nearest(wish.hours * HOUR)
    if wish.csv:
        writable(wish.csv)
    draw = _drawer(wish.plot) if wish.plot else None
    if wish.regret:
        _may_regret(scenario, wish)
    world = World(scenario, wish.seed)
    world.advance(min(start, end))
    answers = flight.fly(world, steps, start, end)
    outcome = _outcome(world, start)
    yield from timeline.header(world, answers, outcome)
    yield from timeline.lines(world, answers, everything=wish.everything)
    yield ""
    if len(answers) < len(steps):
        yield f"note     {len(steps) - len(answers)} of the plan's {len(steps)} steps not flown: due after the end"
    yield from _judged(world, start, outcome, regret=wish.regret)
    yield from debrief.crew(world)
    yield from debrief.stores(world)
    yield from debrief.books(world)
    if wish.csv:
        with _Progress(screen, f"writing {wish.csv}") as progress:
            try:
                rows = table.write_csv(world, wish.csv, wish.every_min * MINUTE, answers, progress)
            except OSError as error:
                raise ValueError(f"{wish.csv}: cannot be written ({error.strerror})") from None
        yield f"wrote    {wish.csv}: {rows} rows of {len(table.columns())} columns"
    if draw and wish.plot:
        with _Progress(screen, "drawing") as progress:
            for path in draw(world, wish.plot, progress):
                yield f"wrote    {path}"


def _outcome(world: World, start: float) -> Outcome | None:
    """None where there is nothing to judge, or to judge by."""
    objectives = world.scenario.objectives
    return evaluate(world, objectives, start, world.now) if objectives and world.now > start else None


def _judged(world: World, start: float, outcome: Outcome | None, *, regret: bool) -> Iterator[str]:
    objectives = world.scenario.objectives
    if not objectives:
        yield "not judged: the scenario has no objectives"
        return
    if outcome is None:
        yield f"not judged: the flight ends before the crew is called at {mission_time(start)}"
        return
    yield from debrief.results(outcome, objectives)
    if world.now != flight.ends(world.scenario):
        yield f"note     the scenario is meant to be judged at {mission_time(flight.ends(world.scenario))}"
    elif regret:
        yield from _regret(world.scenario, outcome)


def _may_regret(scenario: Scenario, wish: Wish) -> None:
    """Raises ValueError where there is nothing to compare with."""
    if wish.hours is not None and nearest(wish.hours * HOUR) != flight.ends(scenario):
        raise ValueError(
            f"--regret: the best plan is known at {mission_time(flight.ends(scenario))} alone; leave --hours away"
        )
    if not scenario.objectives or not scenario.trial.levers:
        raise ValueError(f"--regret: scenario {scenario.id} has no objectives, or no levers to reach them by")


def _regret(scenario: Scenario, outcome: Outcome) -> Iterator[str]:
    from mission.oracle import solve

    best = solve(scenario).best
    yield from debrief.regrets(lost(outcome, best.outcome), best.plan)


def _drawer(path: Path) -> Callable[[World, Path, Callable[[float], None]], Iterator[Path]]:
    """Raises ValueError if there is nothing to draw with, or nowhere to draw to."""
    from mission import plots

    plots.tools()
    if plots.is_book(path):
        writable(path)
    elif path.suffix:
        raise ValueError(f"--plot: {path} is neither a folder nor a .pdf file; name a folder for one PNG a block")
    elif path.exists() and not path.is_dir():
        raise ValueError(f"--plot: {path} is a file; name a folder, or a .pdf file")
    elif not path.exists():
        writable(path)
    return plots.draw


def writable(path: Path) -> None:
    """Raises ValueError, in one line, if a file of that name cannot be made."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{path}: there is no folder {folder}")
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise ValueError(f"{path}: no permission to write there")


class _Progress:
    """A line on the screen that says how much is done, and goes away when all is."""

    def __init__(self, screen: TextIO | None, what: str) -> None:
        self._screen, self._what = screen, what

    def __enter__(self) -> Callable[[float], None]:
        return self._show

    def _show(self, share: float) -> None:
        if self._screen:
            self._screen.write(f"\r{self._what}: {share:.0%}")
            self._screen.flush()

    def __exit__(self, *_: object) -> None:
        if self._screen:
            self._screen.write("\r\033[K")
            self._screen.flush()
