"""A picture of a flown world: every block's channels over time, with events, limits and rule triggers marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from mission import sensors
from mission.channel import Channel
from mission.timeline import sample_times
from mission.world.engine import World
from mission.world.units import HOUR

__all__ = ["Panel", "draw", "panels"]

COLUMNS = 2
WIDTH, HEIGHT = 15.0, 2.3
"""Inches of a page and of each row."""
MARGIN = 1.2
"""Inches above and below all rows together."""
MOST = 6
"""Curves in one panel."""
READINGS = 97
"""Readings drawn of each channel, evenly spaced."""
QUIET = 10.0
"""An axis spans at least so many standard deviations of noise: a steady quantity is to look steady."""
LEGEND = (
    "lines: truth; dots: readings, x: stale; red: incident, blue: command, green: check; dashed: objective, "
    "dotted and triangles: rule mark passed"
)
QUANTITIES = {
    "ppco2": "ppco2", "pressure": "pressure", "ppo2": "ppo2", "pio2": "pio2", "ppco2_1h_mean": "ppco2",
}  # fmt: skip
"""Which channel a crossing's quantity is drawn with."""
_COLOURS = ("#1f5f9e", "#c7522a", "#3a7d44", "#7b4ea3", "#8a6d1d", "#4f4f4f")
_MARKS = {"incident": "#b00020", "command": "#1f5f9e", "check": "#3a7d44", "completed": "#8aa9c7"}


@dataclass(frozen=True)
class Panel:
    """Channels of one block and unit that share an axis."""

    title: str
    unit: str
    channels: tuple[Channel, ...]


def panels() -> list[Panel]:
    """All channels there are, those of one kind together, in the order of the catalogue."""
    found: dict[tuple[str, str, str], list[Channel]] = {}
    for channel in sensors.channels():
        found.setdefault(_kind(channel), []).append(channel)
    made: list[Panel] = []
    for (block, what, unit), channels in found.items():
        for start in range(0, len(channels), MOST):
            title = f"{block}: {what}" if what else block
            made.append(Panel(title, unit, tuple(channels[start : start + MOST])))
    return made


def _kind(channel: Channel) -> tuple[str, str, str]:
    """(block, quantity, unit): one panel for each; zones, beds, loops and the like share theirs."""
    thing, _, what = channel.name.partition(".")
    if thing in ("core", "lab", "airlock"):
        return "atmosphere", what, channel.unit
    numbered = thing.rpartition("_")
    if numbered[0] and len(numbered[2]) <= 2:
        return numbered[0], what, channel.unit
    return thing, "", channel.unit


def draw(world: World, path: Path) -> None:
    """Write the picture as PNG. Raises ValueError if matplotlib is not installed, or the file cannot be written."""
    try:
        canvas, figures = import_module("matplotlib.backends.backend_agg"), import_module("matplotlib.figure")
    except ModuleNotFoundError:
        raise ValueError("pictures need matplotlib; install it with: pip install 'simsup[plot]'") from None
    shown = panels()
    rows = -(-len(shown) // COLUMNS)
    tall = HEIGHT * rows + MARGIN
    figure: Any = figures.Figure(figsize=(WIDTH, tall))
    canvas.FigureCanvasAgg(figure)
    axes: Any = figure.subplots(rows, COLUMNS, squeeze=False)
    figure.subplots_adjust(
        left=0.05, right=0.99, bottom=0.5 * MARGIN / tall, top=1.0 - 0.5 * MARGIN / tall, hspace=0.22, wspace=0.12
    )
    times = sample_times(world)
    for index, panel in enumerate(shown):
        _panel(axes[index // COLUMNS][index % COLUMNS], panel, world, times)
    for index in range(len(shown), rows * COLUMNS):
        axes[index // COLUMNS][index % COLUMNS].set_visible(False)
    for axis in axes[-1]:
        axis.set_xlabel("hours since the scenario's start")
    title = f"{world.scenario.id}: {world.scenario.title}   (seed {world.seed})\n{LEGEND}"
    figure.suptitle(title, y=1.0 - 0.1 * MARGIN / tall, fontsize=10)
    try:
        figure.savefig(path, dpi=80)
    except OSError as error:
        raise ValueError(f"{path}: cannot be written ({error.strerror})") from None


def _panel(axis: Any, panel: Panel, world: World, times: Sequence[float]) -> None:
    axis.text(0.01, 0.97, panel.title, transform=axis.transAxes, fontsize=8, va="top", weight="bold")
    axis.set_ylabel(panel.unit, fontsize=8)
    axis.tick_params(labelsize=7)
    axis.grid(visible=True, linewidth=0.3, alpha=0.6)
    for channel, colour in zip(panel.channels, _COLOURS, strict=False):
        _curve(axis, channel, world, times, colour)
    _limits(axis, panel, world)
    _events(axis, world)
    axis.set_xlim(0.0, world.now / HOUR)
    low, high = axis.get_ylim()
    steady = max(max(QUIET * channel.noise, 3.0 * channel.resolution) for channel in panel.channels)
    short = max(0.0, steady - (high - low))
    axis.set_ylim(low - 0.5 * short, high + 0.5 * short)
    axis.legend(fontsize=6, loc="upper right", framealpha=0.7)


def _curve(axis: Any, channel: Channel, world: World, times: Sequence[float], colour: str) -> None:
    """The truth as a line, drawn over what the instrument read."""
    read = [world.read(channel.name, world.now * index / (READINGS - 1)) for index in range(READINGS)]
    told = [(one.t_s / HOUR, one.value, one.quality == "good") for one in read if one.value is not None]
    for good, marker in ((True, "."), (False, "x")):
        points = [(t, value) for t, value, fresh in told if fresh == good]
        if points:
            axis.plot(*zip(*points, strict=True), marker, color=colour, markersize=2.5, alpha=0.45)
    truth = [world.truth(channel.name, t) for t in times]
    axis.plot([t / HOUR for t in times], truth, color=colour, linewidth=1.1, label=channel.name)


def _limits(axis: Any, panel: Panel, world: World) -> None:
    """Levels of objectives, and those of rules that were passed, with a mark where they were."""
    names = {channel.name for channel in panel.channels}
    for objective in world.scenario.objectives:
        if objective.of in names and objective.kind != "cumulative":
            axis.axhline(objective.level, color="#b00020", linewidth=0.8, linestyle="--")
    told: set[float] = set()
    for event in world.base.events:
        if event["kind"] != "crossing" or "zone" not in event:
            continue
        channel = f"{event['zone']}.{QUANTITIES.get(event['quantity'], event['quantity'])}"
        if channel not in names:
            continue
        hour, level = event["t"] / HOUR, event["level"]
        axis.plot(hour, level, "^" if event["direction"] == "rising" else "v", color="#d08a00", markersize=5)
        if level not in told:
            told.add(level)
            axis.axhline(level, color="#d08a00", linewidth=0.6, linestyle=":")
            axis.annotate(event["rule"], (0.0, level), fontsize=6, xytext=(3, 2), textcoords="offset points")


def _events(axis: Any, world: World) -> None:
    for event in world.base.events:
        colour = _MARKS.get(event["kind"])
        if colour is not None:
            axis.axvline(event["t"] / HOUR, color=colour, linewidth=0.8, alpha=0.7)
