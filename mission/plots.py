"""Pictures of a flown world: a page a block, with events, limits and rule marks, nights, readings and their quality.

For evaluators: the truth is drawn beside what the instruments said of it.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mission.backdrop import Flight, local_time, prepare, rows, span
from mission.flight import called
from mission.pages import Page, overview, pages
from mission.panel import draw_panel
from mission.strip import LANES, key, labels
from mission.whereabouts import doings, stays
from mission.world.engine import World
from mission.world.units import HOUR

__all__ = ["draw", "figure", "is_book", "picture", "tools"]

Pixels = NDArray[np.uint8]

WIDTH, LEFTS, COLUMN = 17.0, (0.88, 9.3), 7.45
"""Inches: of a page, where its two columns of panels begin, and how wide each is."""
HEAD, STRIP, PANEL, GAP, FOOT = 1.0, 1.04, 1.19, 0.41, 0.55
"""Inches: above the strip, the strip, a panel, between two of them, and below the last row."""
MARGIN, TICK = 0.1, 0.06
"""Inches: of ink below the strip, and of the ticks below a panel, under which its times stand."""
LABEL = 0.04
"""Of the time axis: numbers in the strip nearer to each other are joined."""
DPI = 100
"""Every place on a page is a multiple of a pixel, so that what is the same on each can be drawn once."""
LANE = 0.24
"""Inches of one person's bar, and of one line of the key: 0.19."""
LINE = 0.19
KEY_LINES = 24
FIRST = "overview"
"""The page that has crew and key, too."""
_PEOPLE = {
    "core": "#56B4E9", "lab": "#0072B2", "airlock": "#CC79A7", "outside in a suit": "#E69F00",
    "aboard rover 1": "#009E73", "aboard rover 2": "#F0E442", "lost": "#000000",
    "up": "#56B4E9", "away": "#E69F00", "sleep": "#44557A", "exercise": "#D55E00", "rest after exercise": "#F0E442",
}  # fmt: skip
LEGEND = "    ".join(
    (
        "lines: truth", "dots: readings", "crosses: stale readings", "bar under the axis: no reading",
        "hatched: instrument at fault", "red dashes: objective", "grey dashes: rule or hardware limit",
        "triangles: mark passed", "grey: night",
    )
)  # fmt: skip


def tools() -> tuple[Any, Any]:
    """Matplotlib's canvas and figures. Raises ValueError, with what to install, without it."""
    try:
        return import_module("matplotlib.backends.backend_agg"), import_module("matplotlib.figure")
    except ModuleNotFoundError:
        wanted = f"{sys.executable} -m pip install 'matplotlib>=3.10'"
        raise ValueError(f"pictures need matplotlib; install it with: {wanted}") from None


def is_book(path: Path) -> bool:
    """Whether all pages go into one file."""
    return path.suffix.lower() == ".pdf"


def draw(world: World, path: Path, progress: Callable[[float], None] | None = None) -> Iterator[Path]:
    """Write the overview and a page a block, to a folder as PNG or to one PDF; says each file as it is written.

    Raises ValueError if matplotlib is not installed or a file cannot be written.
    """
    tools()
    flight, shown = prepare(world), [overview(world.scenario), *pages()]
    try:
        if is_book(path):
            yield from _book(flight, shown, path, progress)
            return
        path.mkdir(exist_ok=True)
        head, foot = _head(flight), _foot(flight)
        for index, page in enumerate(shown):
            file = path / f"{index:02d}-{page.name}.png"
            with _uncollected():
                _save(stamped(flight, page, head, foot), file)
            _tell(progress, (index + 1) / len(shown))
            yield file
    except OSError as error:
        raise ValueError(f"{path}: cannot be written ({error.strerror})") from None


def _book(
    flight: Flight, shown: Sequence[Page], path: Path, progress: Callable[[float], None] | None
) -> Iterator[Path]:
    books = import_module("matplotlib.backends.backend_pdf")
    with books.PdfPages(path) as book:
        for index, page in enumerate(shown):
            with _uncollected():
                book.savefig(figure(flight, page))
            _tell(progress, (index + 1) / len(shown))
    yield path


def picture(made: Any) -> Pixels:
    """A figure as it is drawn: rows of pixels of red, green and blue."""
    made.canvas.draw()
    return np.asarray(made.canvas.buffer_rgba())[:, :, :3].copy()


def _head(flight: Flight) -> Pixels:
    """The top of every page, but for its name."""
    made = _blank(WIDTH, HEAD + STRIP + MARGIN)
    _words(made, flight)
    for left in LEFTS:
        _strip(_place(made, left, HEAD, COLUMN, STRIP), flight)
    return picture(made)


def _foot(flight: Flight) -> Pixels:
    """The times below the last panel of a column, without the panel and its ticks."""
    made = _blank(COLUMN + 2.0 * GAP, PANEL + FOOT)
    span(_place(made, GAP, 0.0, COLUMN, PANEL), flight, labelled=True)
    return picture(made)[round(DPI * (PANEL + TICK)) :]


def stamped(flight: Flight, page: Page, head: Pixels | None = None, foot: Pixels | None = None) -> Pixels:
    """A page as a picture. What is the same on each page is drawn once: where both have ink the darker stays."""
    head = _head(flight) if head is None else head
    foot = _foot(flight) if foot is None else foot
    whole = picture(figure(flight, page, bare=True))
    _print(whole, head, 0.0, 0.0)
    for column, left in enumerate(LEFTS):
        rows = -(-(len(page.panels) - column) // len(LEFTS))
        if rows > 0:
            bottom = _panels_start(flight, page) + rows * (PANEL + GAP) - GAP
            _print(whole, foot, left - GAP, bottom + TICK)
    return whole


def _print(whole: Pixels, stamp: Pixels, left: float, top: float) -> None:
    row, column = round(DPI * top), round(DPI * left)
    part = whole[row : row + stamp.shape[0], column : column + stamp.shape[1]]
    np.minimum(part, stamp[: part.shape[0], : part.shape[1]], out=part)


def _save(pixels: Pixels, file: Path) -> None:
    import_module("PIL.Image").fromarray(pixels).save(file, format="png", dpi=(DPI, DPI))


@contextmanager
def _uncollected() -> Generator[None]:
    """Without the garbage collector, which walks through the thousands of parts of a page while they are made, and
    finds nothing: they all go when the page is done."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _tell(progress: Callable[[float], None] | None, share: float) -> None:
    if progress is not None:
        progress(share)


def figure(flight: Flight, page: Page, *, bare: bool = False) -> Any:
    """One page as a figure: a strip of events above each column of panels; the first page has crew and key below.

    Where it is `bare` the place of what is the same on each page stays empty.
    """
    told, below = _told(flight, page)
    start = _panels_start(flight, page)
    lines = -(-len(page.panels) // len(LEFTS))
    tall = round(start + lines * (PANEL + GAP) - GAP + FOOT + below, 2)
    made = _blank(WIDTH, tall)
    made.text(0.01, 1.0 - 0.1 / tall, f"{page.title}", fontsize=15, weight="bold", va="top")
    if not bare:
        _words(made, flight)
    for column, left in enumerate(LEFTS):
        if not bare:
            _strip(_place(made, left, HEAD, COLUMN, STRIP), flight)
        if page.name == FIRST:
            _people(_place(made, left, HEAD + STRIP + GAP, COLUMN, _crew_height(flight)), flight, column)
    for index, panel in enumerate(page.panels):
        row, column = divmod(index, len(LEFTS))
        axis = _place(made, LEFTS[column], start + row * (PANEL + GAP), COLUMN, PANEL)
        draw_panel(axis, panel, flight, labelled=index + len(LEFTS) >= len(page.panels) and not bare)
    for index, line in enumerate(told):
        half = -(-len(told) // 2)
        y = (below - LINE * (index % half + 0.6)) / tall
        made.text(0.052 + 0.48 * (index // half), y, line, fontsize=8, family="monospace", va="top")
    return made


def _told(flight: Flight, page: Page) -> tuple[list[str], float]:
    """The lines of the key, and the inches they take."""
    lines = key(flight.marks, 2 * KEY_LINES, 95) if page.name == FIRST else []
    return lines, round(LINE * (-(-len(lines) // 2) + 1.5), 2) if lines else 0.0


def _crew_height(flight: Flight) -> float:
    return round(LANE * len(flight.world.scenario.crew), 2)


def _panels_start(flight: Flight, page: Page) -> float:
    """Inches from the top of a page to its panels."""
    return HEAD + STRIP + GAP + (_crew_height(flight) + GAP if page.name == FIRST else 0.0)


def _blank(wide: float, tall: float) -> Any:
    """An empty figure, in inches."""
    backends, figures = tools()
    made: Any = figures.Figure(figsize=(wide, tall), dpi=DPI)
    backends.FigureCanvasAgg(made)
    return made


def _place(made: Any, left: float, top: float, wide: float, tall: float) -> Any:
    """An axis, in inches from the upper left corner."""
    width, height = made.get_size_inches()
    return made.add_axes((left / width, 1.0 - (top + tall) / height, wide / width, tall / height))


def _words(made: Any, flight: Flight) -> None:
    """What flight it is, and what the pictures' signs mean."""
    scenario, tall = flight.world.scenario, made.get_size_inches()[1]
    title = f"{scenario.id}: {scenario.title}"
    made.text(0.99, 1.0 - 0.1 / tall, f"{title}   (seed {flight.world.seed})", fontsize=11, va="top", ha="right")
    made.text(0.01, 1.0 - 0.42 / tall, LEGEND, fontsize=8, va="top", color="#444444")


def _strip(axis: Any, flight: Flight) -> None:
    span(axis, flight, labelled=False)
    rows(axis, [f"{lane.name} {lane.letter}" for lane in LANES], len(LANES) - 0.5, -1.5)
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
    local_time(axis, flight)


def _people(axis: Any, flight: Flight, column: int) -> None:
    """Where people are, and what they do: a bar a person."""
    span(axis, flight, labelled=False)
    names = [person.id for person in flight.world.scenario.crew]
    rows(axis, names, len(names) - 0.4, -0.6)
    shown: dict[str, Any] = {}
    for row, name in enumerate(names):
        for start, end, what in (stays if column == 0 else doings)(flight.world, name):
            bars = [(start / HOUR, (end - start) / HOUR)]
            shown[what] = axis.broken_barh(bars, (row - 0.36, 0.72), color=_PEOPLE.get(what, "#999999"), lw=0)
    axis.legend(
        list(shown.values()), list(shown), loc="lower right", bbox_to_anchor=(1.0, 0.98), ncols=7, fontsize=7,
        frameon=False, borderaxespad=0.0, handlelength=1.0,
    )  # fmt: skip
    axis.set_title(
        "what people do" if column else "where people are", loc="left", fontsize=9, weight="bold", pad=3, y=1.0
    )
