"""A flown world as a table in CSV: every channel true, as read and with what quality, and what happened."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

from mission.curves import Curve, curves, every
from mission.flight import Answer
from mission.sols import local_hours
from mission.story import happenings
from mission.world.engine import World

__all__ = ["columns", "iso", "write_csv"]

TIMES: tuple[str, ...] = ("t [s]", "mission_time", "sol", "ltst [h]")


def columns() -> list[str]:
    """The heads: times, then of each channel `NAME true [UNIT]`, `NAME read [UNIT]` and `NAME quality`; `events`."""
    heads = list(TIMES)
    for curve in curves().values():
        heads.append(f"{curve.name} true [{curve.unit}]")
        if curve.channel is not None:
            heads += [f"{curve.name} read [{curve.unit}]", f"{curve.name} quality"]
    return [*heads, "events"]


def iso(t: float) -> str:
    """Seconds since the start as an ISO 8601 duration, to the microsecond: `P0DT6H5M0S`."""
    whole = round(t * 1e6)
    minutes, micros = divmod(whole, 60_000_000)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    second = f"{micros / 1e6:.6f}".rstrip("0").rstrip(".")
    return f"P{days}DT{hour}H{minute}M{second}S"


def write_csv(
    world: World,
    path: Path,
    step: float,
    refused: Sequence[Answer] = (),
    progress: Callable[[float], None] | None = None,
) -> int:
    """A row every `step` s and at every event; returns how many. What holds at an event's time holds after the event.

    A reading is the instrument's last sample; it is left empty where there is none. `progress` is told the share done.
    Raises OSError.
    """
    told: dict[float, list[str]] = {}
    for one in happenings(world, refused):
        told.setdefault(one.t, []).append(f"{one.kind}{f' {one.rule}' if one.rule else ''}: {one.text}")
    shown = list(curves().values())
    truths = [curve.truth(world) for curve in shown]
    times = sorted({*every(world, step), *told})
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(columns())
        for index, t in enumerate(times):
            row: list[float | int | str] = list(_times(world, t))
            for curve, truth in zip(shown, truths, strict=True):
                row.append(round(truth(t), 9))
                row += _reading(world, curve, t)
            table.writerow([*row, "; ".join(told.get(t, ()))])
            if progress is not None and index % 200 == 0:
                progress(index / len(times))
    return len(times)


def _times(world: World, t: float) -> tuple[float, str, int, float]:
    day, hour = divmod(local_hours(world.base.sky, t), 24.0)
    return round(t, 6), iso(t), int(day), round(hour, 6)


def _reading(world: World, curve: Curve, t: float) -> list[float | int | str]:
    if curve.channel is None:
        return []
    reading = world.read(curve.name, t)
    return ["" if reading.value is None else reading.value, reading.quality]
