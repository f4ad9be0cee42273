"""What stands above the panels of a picture: incidents, alarms, orders and findings, numbered, and a key to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mission.desk import mission_time
from mission.story import Happening

__all__ = ["LANES", "Lane", "Mark", "key", "labels", "marks"]


@dataclass(frozen=True)
class Lane:
    """One row of the strip; its marks are numbered with its letter, in its colour and shape."""

    letter: str
    name: str
    colour: str
    shape: str


LANES = (
    Lane("X", "losses", "#000000", "X"),
    Lane("A", "alarms", "#D55E00", "^"),
    Lane("C", "orders", "#0072B2", "s"),
    Lane("I", "incidents", "#AA3377", "D"),
)
"""From the top; Okabe and Ito's colours, and a shape each for whoever sees no colours."""
_LANE = {"harm": 0, "alarm": 1, "act": 2, "cause": 3}


@dataclass(frozen=True)
class Mark:
    """A happening of a lane, and its number there."""

    lane: Lane
    number: int
    happening: Happening


def marks(told: Sequence[Happening]) -> list[Mark]:
    """The happenings that are drawn, numbered lane by lane in the order of time."""
    counts = [0] * len(LANES)
    found: list[Mark] = []
    for one in told:
        lane = _LANE.get(one.weight)
        if lane is not None:
            counts[lane] += 1
            found.append(Mark(LANES[lane], counts[lane], one))
    return found


def labels(drawn: Sequence[Mark], lane: Lane, gap: float) -> list[tuple[float, str]]:
    """(time, text) of a lane's labels: marks nearer than `gap` s to the one before share a label, as in `3-7`."""
    groups: list[list[Mark]] = []
    for mark in (one for one in drawn if one.lane == lane):
        if groups and mark.happening.t - groups[-1][0].happening.t < gap:
            groups[-1].append(mark)
        else:
            groups.append([mark])
    return [
        (group[0].happening.t, f"{group[0].number}" + (f"-{group[-1].number}" if len(group) > 1 else ""))
        for group in groups
    ]


def key(drawn: Sequence[Mark], most: int, width: int) -> list[str]:
    """What the numbers mean, a line each, at most `most` lines; of more the gravest stay, and the rest is counted."""
    kept = sorted(drawn, key=lambda one: (LANES.index(one.lane), one.number))
    over = len(kept) - most
    if over > 0:
        kept = kept[: most - 1]
    lines = [_line(mark, width) for mark in kept]
    return [*lines, f"and {over + 1} more; the timeline tells them"] if over > 0 else lines


def _line(mark: Mark, width: int) -> str:
    one = mark.happening
    rule = f"{one.rule} " if one.rule else ""
    refused = "REFUSED: " if one.kind == "REFUSED" else ""
    text = f"{mark.lane.letter}{mark.number:<3} {mission_time(one.t):<11} {rule}{refused}{one.text}"
    return text if len(text) <= width else f"{text[: width - 3]}..."
