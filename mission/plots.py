"""Pictures of a flown world: a page a block, with events, limits and rule marks, nights, readings and their quality.

For evaluators: the truth is drawn beside what the instruments said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from mission import sols
from mission.channel import Reading
from mission.curves import Curve, drawn_times
from mission.desk import mission_time
from mission.flight import called
from mission.limits import Limit, Passing, limits, passings
from mission.pages import Page, Panel, overview, pages
from mission.story import happenings, place
from mission.strip import LANES, Mark, key, labels, marks
from mission.world.engine import World
from mission.world.units import HOUR

__all__ = ["Flight", "draw", "figure", "is_book", "prepare", "tools"]

COLUMNS = 2
WIDTH, ROW, STRIP, FOOT, HEAD = 17.0, 1.55, 1.35, 0.55, 1.0
"""Inches: of a page, of a row of panels, of the strip above them, and of the margins below and above."""
DPI = 100
LANE = 0.24
"""Inches of one person's bar, and of one line of the key: 0.19."""
LINE = 0.19
KEY_LINES = 24
READINGS = 161
"""Readings drawn of each channel, evenly spaced."""
QUIET = 10.0
"""An axis spans at least so many standard deviations of noise: a steady quantity is to look steady."""
LABEL = 0.04
"""Of the time axis: labels nearer to each other are joined, or left out."""
NEAR = 0.6
"""A limit that nobody is judged by is drawn if it is no further off than this share of the span of the course."""
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#7F3C8D")
_DASHES = ("-", (0, (6, 1.5)), (0, (1.5, 1.5)), (0, (5, 1.5, 1, 1.5)))
"""Told apart without colours, too."""
_PEOPLE = {
    "core": "#56B4E9", "lab": "#0072B2", "airlock": "#CC79A7", "outside in a suit": "#E69F00",
    "aboard rover 1": "#009E73", "aboard rover 2": "#F0E442", "lost": "#000000",
    "up": "#56B4E9", "away": "#E69F00", "sleep": "#44557A", "exercise": "#D55E00", "rest after exercise": "#F0E442",
}  # fmt: skip
_DOES = {"nominal": "up", "recovery": "rest after exercise", "away": "away"}
_TICKS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0, 120.0, 240.0, 480.0)
"""Hours between marks of mission time."""
_LOCAL = (1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0, 120.0, 240.0, 480.0)
"""Mars hours between marks of local time."""
LEGEND = (
    "lines: truth    dots: readings    crosses: stale readings    bar under the axis: no reading    hatched: instrument at fault"
    "    red dashes: objective    grey dashes: rule or hardware limit    triangles: mark passed    grey: night"
)


def tools() -> tuple[Any, Any, Any]:
    """Matplotlib's canvas, figures and PDF pages. Raises ValueError, with what to install, without it."""
    try:
        backends = import_module("matplotlib.backends.backend_agg")
        return backends, import_module("matplotlib.figure"), import_module("matplotlib.backends.backend_pdf")
    except ModuleNotFoundError:
        raise ValueError("pictures need matplotlib; install it with: pip install 'simsup[plot]'") from None


def is_book(path: Path) -> bool:
    """Whether all pages go into one file."""
    return path.suffix.lower() == ".pdf"


@dataclass(frozen=True)
class Flight:
    """What every page of one flight shares."""

    world: World
    times: list[float]
    marks: list[Mark]
    passings: list[Passing]
    nights: list[tuple[float, float]]

    @property
    def end(self) -> float:
        return self.world.now


def prepare(world: World) -> Flight:
    return Flight(
        world, drawn_times(world), marks(happenings(world)), passings(world), sols.nights(world.base.sky, world.now)
    )


def draw(world: World, path: Path, progress: Callable[[float], None] | None = None) -> Iterator[Path]:
    """Write the overview and a page a block, to a folder as PNG or to one PDF; says each file as it is written.

    Raises ValueError if matplotlib is not installed or a file cannot be written.
    """
    _, _, books = tools()
    flight, shown = prepare(world), [overview(world.scenario), *pages()]
    try:
        if is_book(path):
            with books.PdfPages(path) as book:
                for index, page in enumerate(shown):
                    book.savefig(figure(flight, page))
                    _tell(progress, (index + 1) / len(shown))
            yield path
            return
        path.mkdir(exist_ok=True)
        for index, page in enumerate(shown):
            file = path / f"{index:02d}-{page.name}.png"
            figure(flight, page).savefig(file, dpi=DPI)
            _tell(progress, (index + 1) / len(shown))
            yield file
    except OSError as error:
        raise ValueError(f"{path}: cannot be written ({error.strerror})") from None


def _tell(progress: Callable[[float], None] | None, share: float) -> None:
    if progress is not None:
        progress(share)


def figure(flight: Flight, page: Page) -> Any:
    """One page as a figure: a strip of events above each column of panels; the first page has crew and key below."""
    backends, figures, _ = tools()
    rows = -(-len(page.panels) // COLUMNS)
    first = page.name == "overview"
    told = key(flight.marks, 2 * KEY_LINES, 95) if first else []
    people = LANE * (len(flight.world.scenario.crew) + 1) if first else 0.0
    below = LINE * (-(-len(told) // 2) + 1.5) if told else 0.0
    tall = HEAD + STRIP + ROW * rows + people + below + FOOT
    made: Any = figures.Figure(figsize=(WIDTH, tall))
    backends.FigureCanvasAgg(made)
    heights = [STRIP, *([people] if first else []), *([ROW] * rows)]
    grid = made.add_gridspec(
        len(heights), COLUMNS, height_ratios=heights, left=0.052, right=0.985, top=1.0 - HEAD / tall,
        bottom=(FOOT + below) / tall, hspace=0.34, wspace=0.13,
    )  # fmt: skip
    for column in range(COLUMNS):
        _strip(made.add_subplot(grid[0, column]), flight)
        if first:
            _people(made.add_subplot(grid[1, column]), flight, column)
    start = len(heights) - rows
    for index, panel in enumerate(page.panels):
        axis = made.add_subplot(grid[start + index // COLUMNS, index % COLUMNS])
        _panel(axis, panel, flight, last=index + COLUMNS >= len(page.panels))
    _words(made, flight, page, tall)
    for index, line in enumerate(told):
        half = -(-len(told) // 2)
        y = (below - LINE * (index % half + 0.6)) / tall
        made.text(0.052 + 0.48 * (index // half), y, line, fontsize=8, family="monospace", va="top")
    return made


def _words(made: Any, flight: Flight, page: Page, tall: float) -> None:
    scenario = flight.world.scenario
    title = f"{scenario.id}: {scenario.title}"
    made.text(0.01, 1.0 - 0.1 / tall, f"{page.title}", fontsize=15, weight="bold", va="top")
    made.text(0.99, 1.0 - 0.1 / tall, f"{title}   (seed {flight.world.seed})", fontsize=11, va="top", ha="right")
    made.text(0.01, 1.0 - 0.42 / tall, LEGEND, fontsize=8, va="top", color="#444444")


def _span(axis: Any, flight: Flight, *, labelled: bool) -> None:
    """The time axis, in mission time, and the nights."""
    end = flight.end / HOUR
    step = next((one for one in _TICKS if end / one <= 9), _TICKS[-1])
    ticks = [step * index for index in range(int(end / step + 1e-9) + 1)]
    axis.set_xlim(0.0, end)
    axis.set_xticks(ticks, [mission_time(t * HOUR) if labelled else "" for t in ticks])
    axis.tick_params(labelsize=8)
    dark = [(a / HOUR, (b - a) / HOUR) for a, b in flight.nights]
    if dark:
        axis.broken_barh(dark, (0, 1), transform=axis.get_xaxis_transform(), color="#000000", alpha=0.07, lw=0, zorder=0)


def _strip(axis: Any, flight: Flight) -> None:
    _span(axis, flight, labelled=False)
    axis.set_ylim(len(LANES) - 0.5, -1.5)
    axis.set_yticks(range(len(LANES)), [f"{lane.name} {lane.letter}" for lane in LANES], fontsize=7)
    for row, lane in enumerate(LANES):
        times = [mark.happening.t / HOUR for mark in flight.marks if mark.lane == lane]
        axis.plot(times, [row] * len(times), lane.shape, color=lane.colour, ms=6, clip_on=False, label=lane.name)
        for t, text in labels(flight.marks, lane, LABEL * flight.end):
            right, left = t > 0.93 * flight.end, t < 0.02 * flight.end
            axis.annotate(
                text, (t / HOUR, row), xytext=(4 if right or left else -4, 5), textcoords="offset points", fontsize=7,
                ha="right" if right else "left", color=lane.colour,
            )  # fmt: skip
    call = called(flight.world.scenario)
    if call <= flight.end:
        axis.axvline(call / HOUR, color="#000000", lw=1.0, ls=":")
        axis.annotate(
            "crew called", (call / HOUR, -1.15), xytext=(3, 0), textcoords="offset points", fontsize=7, va="center",
            ha="left" if call < 0.9 * flight.end else "right",
        )  # fmt: skip
    _local_time(axis, flight)


def _local_time(axis: Any, flight: Flight) -> None:
    """Sols and local true solar time along the top."""
    sky, end = flight.world.base.sky, flight.end
    first, last = sols.local_hours(sky, 0.0), sols.local_hours(sky, end)
    step = next((one for one in _LOCAL if (last - first) / one <= 9), _LOCAL[-1])
    hours = [step * index for index in range(int(first // step), int(last // step) + 1)]
    hours = [hour for hour in hours if first <= hour <= last] or [first]
    top = axis.secondary_xaxis("top")
    top.set_xticks([sols.moment(sky, hour) / HOUR for hour in hours], [_local(hour, step) for hour in hours])
    top.tick_params(labelsize=8)
    axis.annotate(
        "LTST", (0.0, 1.0), xycoords="axes fraction", xytext=(-24, 4), textcoords="offset points", fontsize=8, ha="right"
    )


def _local(hour: float, step: float) -> str:
    day, rest = divmod(hour, 24.0)
    minute = int(rest * 60.0 + 1e-6)
    clock = f"{minute // 60:02d}:{minute % 60:02d}"
    return clock if step < 24.0 and rest > 0.0 else f"sol {day:.0f}" if step >= 24.0 else f"sol {day:.0f} {clock}"


def _people(axis: Any, flight: Flight, column: int) -> None:
    """Where people are, and what they do: a bar a person."""
    _span(axis, flight, labelled=False)
    names = [person.id for person in flight.world.scenario.crew]
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.set_yticks(range(len(names)), names, fontsize=7)
    shown: dict[str, Any] = {}
    for row, name in enumerate(names):
        for start, end, what in (stays if column == 0 else doings)(flight.world, name):
            bars = [(start / HOUR, (end - start) / HOUR)]
            shown[what] = axis.broken_barh(bars, (row - 0.36, 0.72), color=_PEOPLE.get(what, "#999999"), lw=0)
    axis.legend(
        list(shown.values()), list(shown), loc="lower right", bbox_to_anchor=(1.0, 0.98), ncols=7, fontsize=7,
        frameon=False, borderaxespad=0.0, handlelength=1.0,
    )  # fmt: skip
    axis.set_title("what people do" if column else "where people are", loc="left", fontsize=9, weight="bold", pad=3)


def stays(world: World, person: str) -> list[tuple[float, float, str]]:
    """(from, until, where) of somebody, s, the last until now."""
    changes = _changes(world, person)
    cuts = {t for t, _, _ in changes} | {float(e["t"]) for e in world.base.events if e["kind"] == "rover"}

    def where(t: float) -> str:
        _, zone, activity = [one for one in changes if one[0] <= t][-1]
        return "lost" if activity == "lost" else place(world, person, zone, t)

    return _joined([(t, where(t)) for t in sorted(cuts)], world.now)


def doings(world: World, person: str) -> list[tuple[float, float, str]]:
    """(from, until, activity) of somebody, s, the last until now."""
    return _joined([(t, _DOES.get(activity, activity)) for t, _, activity in _changes(world, person)], world.now)


def _changes(world: World, person: str) -> list[tuple[float, str, str]]:
    zone = next(one.zone for one in world.scenario.crew if one.id == person)
    told = [e for e in world.base.events if e["kind"] == "crew" and e["person"] == person and e["t"] <= world.now]
    return [(0.0, zone, "nominal"), *((e["t"], e["zone"], e["activity"]) for e in told)]


def _joined(states: Sequence[tuple[float, str]], end: float) -> list[tuple[float, float, str]]:
    found: list[tuple[float, float, str]] = []
    for t, what in states:
        if found and found[-1][2] == what:
            continue
        if found:
            found[-1] = (found[-1][0], t, found[-1][2])
        found.append((t, end, what))
    return [stay for stay in found if stay[1] > stay[0]]


def _panel(axis: Any, panel: Panel, flight: Flight, *, last: bool) -> None:
    _span(axis, flight, labelled=last)
    if last:
        axis.set_xlabel("mission time", fontsize=8)
    unit = "" if panel.unit in ("1", "count") else f" [{panel.unit}]"
    axis.set_title(f"{panel.title}{unit}", loc="left", fontsize=9, weight="bold", pad=3)
    axis.grid(visible=True, lw=0.3, alpha=0.6)
    axis.ticklabel_format(axis="y", useOffset=False)
    axis.locator_params(axis="y", nbins=5, integer=panel.unit == "count")
    for mark in flight.marks:
        if mark.lane.letter != "A":
            axis.axvline(mark.happening.t / HOUR, color=mark.lane.colour, lw=0.7, alpha=0.5, zorder=1)
    reach: list[float] = []
    for index, curve in enumerate(panel.curves):
        reach += _course(axis, curve, flight, index)
    lines = {(one.level, one.name): one for curve in panel.curves for one in limits(curve.name, flight.world.scenario)}
    _range(axis, panel, reach, list(lines.values()))
    _limits(axis, list(lines.values()))
    axis.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, fontsize=7, frameon=False, borderaxespad=0.1,
        handlelength=2.2, columnspacing=1.0,
    )  # fmt: skip


def _course(axis: Any, curve: Curve, flight: Flight, index: int) -> list[float]:
    """A line of the truth over what the instrument read, and the marks passed; returns what the axis has to hold."""
    colour, truth = _COLOURS[index], curve.truth(flight.world)
    values = [truth(t) for t in flight.times]
    held = [*values, *_readings(axis, curve, flight, index)]
    hours = [t / HOUR for t in flight.times]
    axis.plot(hours, values, color=colour, lw=1.3, ls=_DASHES[index], label=curve.name, zorder=4)
    for passing in flight.passings:
        if passing.curve == curve.name:
            at, shape = (passing.t / HOUR, truth(passing.t)), "^" if passing.rising else "v"
            axis.plot(*at, shape, color="#D55E00", mec="#000000", mew=0.5, ms=6, zorder=6)
            _name(axis, passing, at, flight.end)
    return held


def _name(axis: Any, passing: Passing, at: tuple[float, float], end: float) -> None:
    """Whose mark it is, unless another name stands there."""
    taken = [text.xy[0] for text in axis.texts if hasattr(text, "xy")]
    if passing.name and all(abs(at[0] - x) * HOUR > LABEL * end for x in taken):
        side = "right" if passing.t > 0.5 * end else "left"
        axis.annotate(
            passing.name, at, xytext=(-5 if side == "right" else 5, -8), textcoords="offset points", fontsize=6.5,
            ha=side, color="#A04000", zorder=7,
        )  # fmt: skip


def _readings(axis: Any, curve: Curve, flight: Flight, index: int) -> list[float]:
    """Dots for good readings, crosses for stale ones, a bar below where there are none, hatches over faults."""
    if curve.channel is None:
        return []
    moments = [flight.end * step / (READINGS - 1) for step in range(READINGS)]
    read = [flight.world.read(curve.name, t) for t in moments]
    instruments = flight.world.base.part("instruments")
    colour, half = _COLOURS[index], 0.5 * flight.end / (READINGS - 1)
    for quality, shape, size in (("good", ".", 2.6), ("stale", "x", 4.0)):
        points = [(one.t_s / HOUR, one.value) for one in read if one.quality == quality and one.value is not None]
        if points:
            fade = 0.4 if quality == "good" else 0.9
            axis.plot(*zip(*points, strict=True), shape, color=colour, ms=size, mew=0.8, alpha=fade, zorder=3)
    gaps = [((t - half) / HOUR, 2 * half / HOUR) for t, one in zip(moments, read, strict=True) if one.value is None]
    _bars(axis, gaps, -0.055 - 0.05 * index, facecolor=colour, alpha=0.8, clip_on=False)
    wrong = [((t - half) / HOUR, 2 * half / HOUR) for t in moments if instruments.fault(curve.name, t) is not None]
    _bars(axis, wrong, 0.95 - 0.06 * index, facecolor="#FFFFFF", edgecolor=colour, hatch="//////")
    return _plain(read)


def _bars(axis: Any, bars: Sequence[tuple[float, float]], y: float, **style: Any) -> None:
    """A bar along the axis, of stretches that touch as one."""
    joined: list[tuple[float, float]] = []
    for start, width in bars:
        if joined and start - sum(joined[-1]) < 0.5 * width:
            joined[-1] = (joined[-1][0], start + width - joined[-1][0])
        else:
            joined.append((start, width))
    if joined:
        axis.broken_barh(joined, (y, 0.04), transform=axis.get_xaxis_transform(), lw=0.3, zorder=5, **style)


def _plain(read: Sequence[Reading]) -> list[float]:
    return [one.value for one in read if one.value is not None]


def _range(axis: Any, panel: Panel, held: Sequence[float], lines: Sequence[Limit]) -> None:
    """Room for the course, the readings and every objective; for other limits where they are near; for the noise."""
    low, high = min(held), max(held)
    for one in lines:
        if one.objective:
            low, high = min(low, one.level), max(high, one.level)
    noises = [max(QUIET * c.channel.noise, 3.0 * c.channel.resolution) for c in panel.curves if c.channel is not None]
    steady = max(noises, default=0.0) or max(1.0, 0.05 * max(abs(low), abs(high))) * (1.0 if noises else 0.1)
    if panel.unit == "count":
        low, steady = min(0.0, low), max(steady, 1.0)
    near = NEAR * max(high - low, steady)
    for level in [one.level for one in lines if not one.objective]:
        if low - near <= level <= high + near:
            low, high = min(low, level), max(high, level)
    if panel.unit == "1" and set(held) <= {0.0, 1.0}:
        axis.set_yticks([0, 1], ["no", "yes"])
        low, high, steady = 0.0, 1.0, 0.0
    short = max(0.0, steady - (high - low))
    under = 0.5 * short if min(held) < 0.0 else min(0.5 * short, max(low, 0.0))
    low, high = low - under, high + short - under
    axis.set_ylim(low - 0.12 * (high - low), high + 0.12 * (high - low))


def _limits(axis: Any, lines: Sequence[Limit]) -> None:
    """Each level that is in sight as a line with the names of whose it is; names side by side where levels are near."""
    low, high = axis.get_ylim()
    taken: dict[int, float] = {}
    for level in sorted({one.level for one in lines if low <= one.level <= high}):
        here = [one for one in lines if one.level == level]
        judged = any(one.objective for one in here)
        colour = "#B00020" if judged else "#555555"
        axis.axhline(level, color=colour, lw=1.1 if judged else 0.8, ls=(0, (4, 3)), zorder=2)
        at = min((level - low) / (high - low) + 0.012, 0.89)
        slot = next(slot for slot in range(len(lines) + 1) if at - taken.get(slot, -1.0) > 0.115)
        taken[slot] = at
        axis.text(
            0.004 + 0.17 * slot, at, ", ".join(dict.fromkeys(one.name for one in here)), transform=axis.transAxes,
            fontsize=6.5, color=colour, va="bottom", bbox={"facecolor": "#FFFFFF", "alpha": 0.65, "pad": 0.4, "lw": 0},
            zorder=7,
        )  # fmt: skip
