"""What all panels of a picture share: the flight, mission time below, local time above, nights and happenings.

A time axis is drawn as a few artists of its own: Matplotlib's would be one object for each of its ticks and their
parts, which is most of what a set of pictures costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from mission import sols
from mission.channel import Reading
from mission.curves import Curve, drawn_times
from mission.desk import mission_time
from mission.limits import Passing, passings
from mission.story import happenings
from mission.strip import Mark, marks
from mission.world.engine import World
from mission.world.units import HOUR

__all__ = ["Flight", "beside", "legend", "line", "local_time", "prepare", "rows", "scale", "span", "uprights"]

_TICKS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0, 120.0, 240.0, 480.0)
"""Hours between marks of mission time."""
_LOCAL = (1.0 / 12.0, 0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0, 120.0, 240.0, 480.0)
"""Mars hours between marks of local time."""
READINGS = 161
"""Readings drawn of each channel, evenly spaced."""
_MOST = 9
"""Marks of a time axis."""
_LEFT, _UP, _DOWN = 0, 2, 3
"""Matplotlib's numbers of the markers that are ticks."""
_TICK: dict[str, Any] = {"ls": "", "ms": 3.5, "mew": 0.8, "color": "#000000", "clip_on": False}
_EDGE, _PIECE = 3.5, 21.0
"""Points between a panel's right edge and its legend, and from where the piece of a line begins to its name."""
_GRID: dict[str, Any] = {"colors": "#B0B0B0", "lw": 0.3, "alpha": 0.6, "zorder": 1.5}


@dataclass(frozen=True)
class Flight:
    """What every page of one flight shares."""

    world: World
    times: list[float]
    marks: list[Mark]
    passings: list[Passing]
    nights: list[tuple[float, float]]
    drawn: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    seen: dict[str, list[Reading]] = field(default_factory=dict[str, list[Reading]])
    """What has been drawn so far, true and read, by name: the overview shows some a second time."""

    @property
    def end(self) -> float:
        return self.world.now

    def course(self, curve: Curve) -> list[float]:
        """The true values at `times`."""
        if curve.name not in self.drawn:
            truth = curve.truth(self.world)
            self.drawn[curve.name] = [truth(t) for t in self.times]
        return self.drawn[curve.name]

    @property
    def moments(self) -> list[float]:
        """Of the readings, s."""
        return [self.end * step / (READINGS - 1) for step in range(READINGS)]

    def readings(self, curve: Curve) -> list[Reading]:
        """Of a channel, at `moments`."""
        if curve.name not in self.seen:
            self.seen[curve.name] = [self.world.read(curve.name, t) for t in self.moments]
        return self.seen[curve.name]


def prepare(world: World) -> Flight:
    return Flight(
        world, drawn_times(world), marks(happenings(world)), passings(world), sols.nights(world.base.sky, world.now)
    )


def span(axis: Any, flight: Flight, *, labelled: bool, grid: bool = False) -> None:
    """The time axis, in mission time, and the nights."""
    end = flight.end / HOUR
    step = next((one for one in _TICKS if end / one <= _MOST), _TICKS[-1])
    ticks = [step * index for index in range(int(end / step + 1e-9) + 1)]
    along = _plain(axis, end)
    line(axis, ticks, [0.0] * len(ticks), marker=_DOWN, transform=along, **_TICK)
    if grid:
        _uprights(axis, [t / end for t in ticks], **_GRID)
    if labelled:
        below = beside(axis, along, 0.0, -7.0)
        for t in ticks:
            axis.text(t, 0.0, mission_time(t * HOUR), transform=below, ha="center", va="top", fontsize=8)
        lower = beside(axis, axis.transAxes, 0.0, -18.0)
        axis.text(0.5, 0.0, "mission time", transform=lower, ha="center", va="top", fontsize=8)
    dark = [(a / HOUR, (b - a) / HOUR) for a, b in flight.nights]
    if dark:
        axis.broken_barh(dark, (0, 1), transform=along, color="#000000", alpha=0.07, lw=0, zorder=0)


def beside(axis: Any, along: Any, right: float, up: float) -> Any:
    """A transform, moved by some points of a 72nd of an inch."""
    shift = import_module("matplotlib.transforms").ScaledTranslation
    return along + shift(right / 72.0, up / 72.0, axis.figure.dpi_scale_trans)


def _plain(axis: Any, end: float) -> Any:
    """An axis without Matplotlib's time axis; returns the transform of hours along it and shares of its height."""
    axis.set_xlim(0.0, end)
    axis.xaxis.set_visible(False)
    return axis.get_xaxis_transform()


def rows(axis: Any, names: Sequence[str], low: float, high: float) -> None:
    """An upright axis of named rows, the first at zero; `low` is at its foot."""
    axis.set_ylim(low, high)
    _side(axis, range(len(names)), names, fontsize=7)


def scale(axis: Any, named: Sequence[str] = ()) -> None:
    """An upright axis of numbers, as Matplotlib would choose them, with a grid; or of names, from zero."""
    low, high = axis.get_ylim()
    form = axis.yaxis.get_major_formatter()
    levels = range(len(named)) if named else [at for at in axis.yaxis.get_majorticklocs() if low <= at <= high]
    _segments(axis, [((0.0, share), (1.0, share)) for share in ((at - low) / (high - low) for at in levels)], **_GRID)
    _side(axis, levels, named or form.format_ticks(levels), fontsize=8)


def _side(axis: Any, levels: Sequence[float], names: Sequence[str], fontsize: float) -> None:
    axis.yaxis.set_visible(False)
    along = axis.get_yaxis_transform()
    line(axis, [0.0] * len(levels), levels, marker=_LEFT, transform=along, **_TICK)
    left = beside(axis, along, -7.0, 0.0)
    for at, name in zip(levels, names, strict=True):
        axis.text(0.0, at, name, transform=left, ha="right", va="center_baseline", fontsize=fontsize)


def legend(axis: Any, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Names with a piece of their line, above a panel and to its right. Lengths are points."""
    transforms, fonts = import_module("matplotlib.transforms"), import_module("matplotlib.font_manager")
    font, renderer = fonts.FontProperties(size=7), axis.figure.canvas.get_renderer()
    corner = transforms.ScaledTranslation(1.0, 1.0, axis.transAxes)
    points = transforms.Affine2D().scale(1.0 / 72.0) + axis.figure.dpi_scale_trans + corner
    x = -_EDGE
    for name, style in reversed(entries):
        x -= renderer.get_text_width_height_descent(name, font, False)[0] * 72.0 / axis.figure.dpi
        axis.text(x, 5.0, name, transform=points, fontproperties=font)
        line(axis, (x - _PIECE, x - 5.6), (7.0, 7.0), transform=points, clip_on=False, **style)
        x -= _PIECE + 7.0


def uprights(axis: Any, flight: Flight) -> None:
    """Lines through a panel at losses, orders and incidents."""
    drawn = [mark for mark in flight.marks if mark.lane.letter != "A"]
    if drawn:
        shares, colours = [mark.happening.t / flight.end for mark in drawn], [mark.lane.colour for mark in drawn]
        _uprights(axis, shares, colors=colours, lw=0.7, alpha=0.5, zorder=1)


def _uprights(axis: Any, shares: Sequence[float], **style: Any) -> None:
    _segments(axis, [((share, 0.0), (share, 1.0)) for share in shares], **style)


def _segments(axis: Any, ends: Sequence[Any], **style: Any) -> None:
    """Lines between points that are shares of a panel's width and height."""
    made = import_module("matplotlib.collections").LineCollection(ends, transform=axis.transAxes, **style)
    axis.add_collection(made, autolim=False)


def line(axis: Any, x: Sequence[float], y: Sequence[float], **style: Any) -> None:
    """A line that the axis does not make room for: its ends are set by what is drawn."""
    made = import_module("matplotlib.lines").Line2D(x, y, **style)
    if "transform" not in style:
        made.set_transform(axis.transData)
    axis.add_artist(made)


def local_time(axis: Any, flight: Flight) -> None:
    """Sols and local true solar time along the top."""
    sky, end = flight.world.base.sky, flight.end
    first, last = sols.local_hours(sky, 0.0), sols.local_hours(sky, end)
    step = next((one for one in _LOCAL if (last - first) / one <= _MOST), _LOCAL[-1])
    hours = [step * index for index in range(int(first // step), int(last // step) + 1)]
    hours = [hour for hour in hours if first <= hour <= last] or [first]
    at, along = [sols.moment(sky, hour) / HOUR for hour in hours], axis.get_xaxis_transform()
    line(axis, at, [1.0] * len(at), marker=_UP, transform=along, **_TICK)
    above = beside(axis, along, 0.0, 7.0)
    for t, hour in zip(at, hours, strict=True):
        axis.text(t, 1.0, _local(hour, step), transform=above, ha="center", va="bottom", fontsize=8)
    corner = beside(axis, axis.transAxes, -24.0, 4.0)
    axis.text(0.0, 1.0, "LTST", transform=corner, ha="right", va="bottom", fontsize=8)


def _local(hour: float, step: float) -> str:
    day, rest = divmod(hour, 24.0)
    minute = int(rest * 60.0 + 1e-6)
    clock = f"{minute // 60:02d}:{minute % 60:02d}"
    return clock if step < 24.0 and rest > 0.0 else f"sol {day:.0f}" if step >= 24.0 else f"sol {day:.0f} {clock}"
