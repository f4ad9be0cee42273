"""One panel of a picture: courses true and read, limits, marks passed, events and nights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mission.backdrop import Flight, legend, line, scale, span, uprights
from mission.channel import Reading
from mission.curves import Curve
from mission.limits import Limit, Passing, limits
from mission.pages import Panel
from mission.world.units import HOUR

__all__ = ["draw_panel"]

LETTER = (0.0063, 0.115)
"""Width and height of a letter of a limit's name, as shares of a panel."""
QUIET = 10.0
"""An axis spans at least so many standard deviations of noise: a steady quantity is to look steady."""
NEAR = 0.6
"""A limit that nobody is judged by is drawn if it is no further off than this share of the span of the course."""
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#7F3C8D")
_DASHES = ("-", (0, (6, 1.5)), (0, (1.5, 1.5)), (0, (5, 1.5, 1, 1.5)))
"""Told apart without colours, too."""


def draw_panel(axis: Any, panel: Panel, flight: Flight, *, labelled: bool) -> None:
    span(axis, flight, labelled=labelled, grid=True)
    unit = "" if panel.unit in ("1", "count") else f" [{panel.unit}]"
    axis.set_title(f"{panel.title}{unit}", loc="left", fontsize=9, weight="bold", pad=3, y=1.0)
    axis.ticklabel_format(axis="y", useOffset=False)
    axis.locator_params(axis="y", nbins=5, integer=panel.unit == "count")
    uprights(axis, flight)
    reach: list[float] = []
    for index, curve in enumerate(panel.curves):
        reach += _course(axis, curve, flight, index)
    _passings(axis, panel, flight)
    lines = {(one.level, one.name): one for curve in panel.curves for one in limits(curve.name, flight.world.scenario)}
    scale(axis, _range(axis, panel, reach, list(lines.values())))
    _limits(axis, list(lines.values()))
    legend(axis, [(curve.name, _line(index)) for index, curve in enumerate(panel.curves)])


def _line(index: int) -> dict[str, Any]:
    """How the line of a panel's course is drawn."""
    return {"color": _COLOURS[index], "ls": _DASHES[index], "lw": 1.3}


def _course(axis: Any, curve: Curve, flight: Flight, index: int) -> list[float]:
    """A line of the truth over what the instrument read; returns what the axis has to hold."""
    values = flight.course(curve)
    held = [*values, *_readings(axis, curve, flight, index)]
    hours = [t / HOUR for t in flight.times]
    line(axis, hours, values, label=curve.name, zorder=4, **_line(index))
    return held


def _passings(axis: Any, panel: Panel, flight: Flight) -> None:
    """The marks passed, in the order of time, and whose they are."""
    shown, taken = {curve.name: curve for curve in panel.curves}, list[tuple[float, float]]()
    for passing in sorted(flight.passings, key=lambda one: one.t):
        if passing.curve in shown:
            at = (passing.t / HOUR, shown[passing.curve].truth(flight.world)(passing.t))
            shape = "^" if passing.rising else "v"
            line(axis, [at[0]], [at[1]], marker=shape, color="#D55E00", mec="#000000", mew=0.5, ms=6, ls="", zorder=6)
            _name(axis, passing, at, flight.end, taken)


def _name(axis: Any, passing: Passing, at: tuple[float, float], end: float, taken: list[tuple[float, float]]) -> None:
    """Whose mark it is, to its right or, at the right edge, to its left, unless another name stands there."""
    room = LETTER[0] * (len(passing.name) + 1)
    share = passing.t / end
    left = share + room > 1.0
    start, stop = (share - room, share) if left else (share, share + room)
    if passing.name and all(stop <= a or b <= start for a, b in taken):
        taken.append((start, stop))
        axis.annotate(
            passing.name, at, xytext=(-5 if left else 5, -8), textcoords="offset points", fontsize=6.5,
            ha="right" if left else "left", color="#A04000", zorder=5,
        )  # fmt: skip


def _readings(axis: Any, curve: Curve, flight: Flight, index: int) -> list[float]:
    """Dots for good readings, crosses for stale ones, a bar below where there are none, hatches over faults."""
    if curve.channel is None:
        return []
    moments, read = flight.moments, flight.readings(curve)
    instruments = flight.world.base.part("instruments")
    colour, half = _COLOURS[index], 0.5 * flight.end / (len(moments) - 1)
    for quality, shape, size in (("good", ".", 2.6), ("stale", "x", 4.0)):
        points = [(one.t_s / HOUR, one.value) for one in read if one.quality == quality and one.value is not None]
        if points:
            fade = 0.4 if quality == "good" else 0.9
            style = {"ls": "", "marker": shape, "color": colour, "ms": size, "mew": 0.8, "alpha": fade, "zorder": 3}
            line(axis, [t for t, _ in points], [value for _, value in points], **style)
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


def _range(axis: Any, panel: Panel, held: Sequence[float], lines: Sequence[Limit]) -> Sequence[str]:
    """Room for the course, the readings and every objective; for other limits where they are near; for the noise.

    Returns names for the levels 0 and 1 of a switch.
    """
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
    switch = panel.unit == "1" and set(held) <= {0.0, 1.0}
    if switch:
        low, high, steady = 0.0, 1.0, 0.0
    short = max(0.0, steady - (high - low))
    under = 0.5 * short if min(held) < 0.0 else min(0.5 * short, max(low, 0.0))
    low, high = low - under, high + short - under
    axis.set_ylim(low - 0.12 * (high - low), high + 0.12 * (high - low))
    return ("no", "yes") if switch else ()


def _limits(axis: Any, lines: Sequence[Limit]) -> None:
    """Each level that is in sight as a line with the names of whose it is; names side by side where levels are near."""
    low, high = axis.get_ylim()
    taken: list[tuple[float, float]] = []
    for level in sorted({one.level for one in lines if low <= one.level <= high}):
        here = [one for one in lines if one.level == level]
        judged = any(one.objective for one in here)
        colour = "#B00020" if judged else "#555555"
        axis.axhline(level, color=colour, lw=1.1 if judged else 0.8, ls=(0, (4, 3)), zorder=2)
        at = min((level - low) / (high - low) + 0.012, 0.89)
        name = ", ".join(dict.fromkeys(one.name for one in here))
        left = max((end for height, end in taken if abs(at - height) < LETTER[1]), default=0.004)
        taken.append((at, left + LETTER[0] * (len(name) + 2)))
        axis.text(
            left, at, name, transform=axis.transAxes,
            fontsize=6.5, color=colour, va="bottom", bbox={"facecolor": "#FFFFFF", "alpha": 0.65, "pad": 0.4, "lw": 0},
            zorder=7,
        )  # fmt: skip
