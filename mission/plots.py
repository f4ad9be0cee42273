"""Pictures of a flown world: a page a block, with events, limits and rule marks, nights, readings and their quality.

For evaluators: the truth is drawn beside what the instruments said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from mission import sols
from mission.flight import called
from mission.pages import Page, overview, pages
from mission.panel import LABEL, Flight, draw_panel, prepare, span
from mission.strip import LANES, key, labels
from mission.whereabouts import doings, stays
from mission.world.engine import World
from mission.world.units import HOUR

__all__ = ["draw", "figure", "is_book", "tools"]

COLUMNS = 2
WIDTH, ROW, STRIP, FOOT, HEAD = 17.0, 1.55, 1.35, 0.55, 1.0
"""Inches: of a page, of a row of panels, of the strip above them, and of the margins below and above."""
DPI = 100
LANE = 0.24
"""Inches of one person's bar, and of one line of the key: 0.19."""
LINE = 0.19
KEY_LINES = 24
_PEOPLE = {
    "core": "#56B4E9", "lab": "#0072B2", "airlock": "#CC79A7", "outside in a suit": "#E69F00",
    "aboard rover 1": "#009E73", "aboard rover 2": "#F0E442", "lost": "#000000",
    "up": "#56B4E9", "away": "#E69F00", "sleep": "#44557A", "exercise": "#D55E00", "rest after exercise": "#F0E442",
}  # fmt: skip
_LOCAL = (1.0 / 12.0, 0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0, 120.0, 240.0, 480.0)
"""Mars hours between marks of local time."""
LEGEND = "    ".join(
    (
        "lines: truth", "dots: readings", "crosses: stale readings", "bar under the axis: no reading",
        "hatched: instrument at fault", "red dashes: objective", "grey dashes: rule or hardware limit",
        "triangles: mark passed", "grey: night",
    )
)  # fmt: skip


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
        draw_panel(axis, panel, flight, last=index + COLUMNS >= len(page.panels))
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


def _strip(axis: Any, flight: Flight) -> None:
    span(axis, flight, labelled=False)
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
        "LTST",
        (0.0, 1.0),
        xycoords="axes fraction",
        xytext=(-24, 4),
        textcoords="offset points",
        fontsize=8,
        ha="right",
    )


def _local(hour: float, step: float) -> str:
    day, rest = divmod(hour, 24.0)
    minute = int(rest * 60.0 + 1e-6)
    clock = f"{minute // 60:02d}:{minute % 60:02d}"
    return clock if step < 24.0 and rest > 0.0 else f"sol {day:.0f}" if step >= 24.0 else f"sol {day:.0f} {clock}"


def _people(axis: Any, flight: Flight, column: int) -> None:
    """Where people are, and what they do: a bar a person."""
    span(axis, flight, labelled=False)
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
