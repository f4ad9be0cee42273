"""What an instrument is: its channel, a reading of it, and its error, keyed by identity."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

LIFE, POWER, WEATHER = "life-support", "power-thermal", "weather-navigation"
Quality = Literal["good", "stale", "no-data"]


class Reading(BaseModel):
    """One instrument reading. `t_s` is when it was sampled; `value` is None if there is none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    channel: str
    value: float | None
    unit: str
    t_s: float
    quality: Quality
    note: str = ""


class Channel(BaseModel):
    """One instrument, its errors in `unit`, all keyed by its identity.

    `noise` is one standard deviation; `bias` bounds a constant offset; `drift` bounds a constant rate a day; `delay_s`
    is how old the air or the signal is when it is measured; `dropout` is the share of samples that are lost.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    unit: str
    description: str
    groups: tuple[str, ...]
    period_s: float
    noise: float = 0.0
    bias: float = 0.0
    resolution: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    drift: float = 0.0
    delay_s: float = 0.0
    dropout: float = 0.0


@dataclass(frozen=True)
class Fault:
    """What is wrong with one instrument since `t` s. Unless `announced`, it calls its readings good all the same."""

    t: float
    frozen: bool = False
    """It repeats its last sample."""
    drift: float = 0.0
    """In the channel's unit an hour."""
    offset: float = 0.0
    dropout: float = 0.0
    """Share of samples lost; 1 is an instrument off line."""
    delay_s: float = 0.0
    announced: bool = False
    note: str = ""

    def error(self, t: float) -> float:
        """What it adds to a sample taken at `t` s."""
        return self.offset + self.drift * max(0.0, t - self.t) / 3600.0


def _uniform(*identity: object) -> tuple[float, float]:
    """Two numbers in (0, 1) that depend on the identity alone."""
    raw = hashlib.sha256("|".join(str(part) for part in identity).encode()).digest()
    first, second = int.from_bytes(raw[:8], "big"), int.from_bytes(raw[8:16], "big")
    return (first + 0.5) / 2.0**64, (second + 0.5) / 2.0**64


def uniform(*identity: object) -> float:
    """A number in (0, 1) keyed by identity."""
    return _uniform(*identity)[0]


def gauss(*identity: object) -> float:
    """A standard normal number keyed by identity (Box and Muller 1958)."""
    first, second = _uniform(*identity)
    return math.sqrt(-2.0 * math.log(first)) * math.cos(2.0 * math.pi * second)


def offset(bound: float, *identity: object) -> float:
    """A constant offset within +/- bound, keyed by identity."""
    return bound * (2.0 * _uniform(*identity)[0] - 1.0)
