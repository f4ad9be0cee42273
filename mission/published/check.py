"""What a published check is: figures with what is expected of each, and how ours are measured in the simulator."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

Group = Literal["consistency", "independent", "exact", "simoc"]
GROUPS: dict[Group, str] = {
    "consistency": "uses the inputs that set the model, or constants that were fitted on these very figures",
    "independent": "measured or published elsewhere; no constant of the model is fitted on it",
    "exact": "identities and properties of closed forms, over every shipped scenario where it says so",
    "simoc": "another simulator, simoc-abm 1.1.2: its habitat with its own constants in our solver",
}


@dataclass(frozen=True)
class Band:
    """What is accepted: low to high, with the words for it."""

    low: float
    high: float
    expected: str
    tolerance: str

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Figure:
    """One number of a check."""

    name: str
    unit: str
    band: Band
    under: float | None = None
    """The table says `under` this of a smaller value: of rounding noise and of timings, which differ by machine."""


@dataclass(frozen=True)
class Check:
    """One published check, or the part of one that belongs to this group.

    `measure` flies the simulator and returns ours by the figures' names. `key` is the check's number, with a letter
    where one check has parts in two groups.
    """

    key: str
    name: str
    group: Group
    source: str
    figures: tuple[Figure, ...]
    measure: Callable[[], Mapping[str, float]]
    how: str
    """Under which conditions, and what there is to know about it; one sentence or two."""

    @property
    def number(self) -> int:
        return int(self.key.rstrip("abc"))


@cache
def measured(check: Check) -> Mapping[str, float]:
    """Ours, measured once in a process. Raises ValueError if what is measured is not what the check lists."""
    values = check.measure()
    names = [figure.name for figure in check.figures]
    if list(values) != names:
        raise ValueError(f"check {check.key} measures {', '.join(values)}; it lists {', '.join(names)}")
    return values


def failures(check: Check) -> list[str]:
    """One line for every figure out of tolerance."""
    values = measured(check)
    return [
        f"check {check.key}, {figure.name}: {values[figure.name]:.6g} {figure.unit}, expected {figure.band.expected} "
        f"({figure.band.tolerance})"
        for figure in check.figures
        if not figure.band.holds(values[figure.name])
    ]


def near(expected: float, *, rel: float = 0.0, off: float = 0.0) -> Band:
    """Within a share, or within `off` in the figure's own unit."""
    width = abs(expected) * rel + off
    tolerance = f"{100.0 * rel:g} %" if rel else f"{off:g}"
    return Band(expected - width, expected + width, f"{expected:.9g}", tolerance)


def within(low: float, high: float) -> Band:
    return Band(low, high, f"{low:g} to {high:g}", "inside")


def factor(expected: float, times: float) -> Band:
    return Band(expected / times, expected * times, f"{expected:g}", f"factor {times:g}")


def exactly(number: int) -> Band:
    return Band(number, number, f"{number}", "strict")


def nothing(noise: float) -> Band:
    """Of an error that would be 0 but for rounding."""
    return Band(0.0, noise, "0", f"{noise:g}".replace("e-0", "e-"))


def at_most(high: float) -> Band:
    return Band(-math.inf, high, f"at most {high:g}", "strict")


def above(low: float) -> Band:
    return Band(math.nextafter(low, math.inf), math.inf, f"more than {low:g}", "strict")


def at_least(low: float) -> Band:
    return Band(low, math.inf, f"at least {low:g}", "strict")
