"""A flown world as a timeline of lines that fit a terminal of 100 columns: the most important first to be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap

from mission.desk import mission_time
from mission.flight import Answer, called
from mission.objectives import Outcome
from mission.sols import stamp
from mission.story import Happening, Weight, happenings
from mission.world import weather
from mission.world.engine import World
from mission.world.units import HOUR

__all__ = ["WIDTH", "header", "lines"]

WIDTH = 100
_MARK: dict[Weight, str] = {"harm": "!!", "alarm": "! "}


def header(world: World, refused: Sequence[Answer] = (), outcome: Outcome | None = None) -> Iterator[str]:
    """Which flight this is, how its times are to be read, and in one line what came of it."""
    scenario, sky, end = world.scenario, world.base.sky, world.now
    ls = weather.solar_longitude(sky.ls, 0.0)
    yield f"{scenario.id}: {scenario.title}"
    yield (
        f"seed {world.seed}; flown to {mission_time(end)} ({end / HOUR:.4g} h, {end / weather.SOL:.3g} sols); "
        f"T+00:00 is sol {stamp(sky, 0.0)}, Ls {ls:.0f}"
    )
    yield _in_short(world, happenings(world, refused), outcome)
    yield ""
    yield f"{'time':<12}{'sol  LTST':>9}     {'what':<9}rule"


def _in_short(world: World, told: Sequence[Happening], outcome: Outcome | None) -> str:
    counts = Counter(one.weight for one in told)
    refused = sum(one.kind == "REFUSED" for one in told)
    people = list(world.base.people.values())
    lost = sum(state.activity == "lost" for state in people)
    parts = [f"{lost} of {len(people)} people lost", f"{counts['alarm']} alarms and marks"]
    if refused:
        parts.append(f"{refused} refused")
    if outcome is not None:
        parts.append(f"{sum(result.met for result in outcome.results)} of {len(outcome.results)} objectives met")
    return f"in short: {', '.join(parts)}"


def lines(world: World, refused: Sequence[Answer] = (), *, everything: bool = False) -> Iterator[str]:
    """The flight in order, one line an event. What happens all the time is only counted, unless `everything` is asked.

    `!!` marks harm, `!` an alarm, a rule's trigger or a loss.
    """
    told = happenings(world, refused)
    call = called(world.scenario)
    if call <= world.now:
        told.append(Happening(call, "call", "note", "the crew is called; the flight is judged from here"))
        told.sort(key=lambda one: (one.t, one.kind != "call"))
    shown = [one for one in told if everything or one.weight != "routine"]
    for one in shown:
        yield from _line(world, one)
    left = Counter(one.kind for one in told if one not in shown) if not everything else Counter[str]()
    if left:
        counted = ", ".join(f"{number} {kind}" for kind, number in left.most_common())
        yield f"not shown: {counted}; --all shows everything"


def _line(world: World, one: Happening) -> Iterator[str]:
    day, clock = stamp(world.base.sky, one.t).split()
    head = f"{mission_time(one.t):<12}{day:>3} {clock} {_MARK.get(one.weight, ''):<3} {one.kind:<9}{one.rule:<6}"
    first, *more = wrap(one.text, WIDTH - len(head), break_on_hyphens=False) or [""]
    yield f"{head}{first}".rstrip()
    for rest in more:
        yield f"{'':<{len(head)}}{rest}"
