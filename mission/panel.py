"""One panel of a picture: courses true and read, limits, marks passed, events and nights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mission import sols
from mission.channel import Reading
from mission.curves import Curve, drawn_times
from mission.desk import mission_time
from mission.limits import Limit, Passing, limits, passings
from mission.pages import Panel
from mission.story import happenings
from mission.strip import Mark, marks
from mission.world.engine import World
from mission.world.units import HOUR

__all__ = ["LABEL", "Flight", "draw_panel", "prepare", "span"]

LETTER = (0.0063, 0.115)
"""Width and height of a letter of a limit's name, as shares of a panel."""
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
_TICKS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0, 120.0, 240.0, 480.0)
"""Hours between marks of mission time."""


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


def span(axis: Any, flight: Flight, *, labelled: bool) -> None:
    """The time axis, in mission time, and the nights."""
    end = flight.end / HOUR
    step = next((one for one in _TICKS if end / one <= 9), _TICKS[-1])
    ticks = [step * index for index in range(int(end / step + 1e-9) + 1)]
    axis.set_xlim(0.0, end)
    axis.set_xticks(ticks, [mission_time(t * HOUR) if labelled else "" for t in ticks])
    axis.tick_params(labelsize=8)
    dark = [(a / HOUR, (b - a) / HOUR) for a, b in flight.nights]
    if dark:
        axis.broken_barh(
            dark, (0, 1), transform=axis.get_xaxis_transform(), color="#000000", alpha=0.07, lw=0, zorder=0
        )


def draw_panel(axis: Any, panel: Panel, flight: Flight, *, last: bool) -> None:
    span(axis, flight, labelled=last)
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
