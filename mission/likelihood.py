"""How well one instrument tells two stories apart: the expected gap between their log-likelihoods.

A sample is the story's own value plus a constant offset within the bias, a slow drift, noise of its own, and rounding.
Nobody knows the offset, so each story is weighed with all offsets that it may have, evenly; a story is only told from
another by what no offset explains. Drift is taken as normal with the variance of its even spread, rounding as noise of
a twelfth of its square (Sheppard). Then the gap has a closed form up to one integral over the offset as it is read.

The offset at hand makes a gap large or small. The middle one stands for a crew as lucky as not; `expected_gap` is the
mean over all of them, which a few lucky crews can make large.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from mission.channel import Channel

__all__ = ["CERTAIN", "expected_gap", "gap_at", "unlucky_gap"]

CERTAIN = 1000.0
"""A gap is counted up to here: beyond, it is as good as proof."""
UNLUCKY = 0.8
"""Of the bias: nine crews of ten have an offset that hides less."""
_GRID = 4001
_TAIL = 8.0
"""Standard errors beyond the bias that the integral takes in."""
_NODES: Any = np.polynomial.hermite_e.hermegauss(24)


class _Fit(NamedTuple):
    """Two stories as one instrument tells them: `shape` is half the squared distance that no offset explains, `shift`
    the offset between them, `error` the standard error of an offset read from all samples."""

    shape: float
    shift: float
    error: float


def _fit(truth: Sequence[float], other: Sequence[float], days: Sequence[float], channel: Channel) -> _Fit:
    distance: Any = np.asarray(truth) - np.asarray(other)
    spread = channel.noise**2 + channel.resolution**2 / 12.0
    drift: Any = np.outer(days, days) * channel.drift**2 / 3.0
    inverse: Any = cast("Any", np.linalg.inv)(spread * np.eye(len(distance)) + drift)
    weights: Any = inverse.sum(axis=0)
    variance = 1.0 / float(weights.sum())
    shift = variance * float(weights @ distance)
    shape = 0.5 * (float(distance @ inverse @ distance) - shift**2 / variance)
    return _Fit(max(shape, 0.0), shift, variance**0.5)


def _log_weight(offset: Any, bias: float, error: float) -> Any:
    """Logarithm of the chance that an offset within the bias is read as `offset`, up to a constant."""
    from scipy.special import log_ndtr  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    inside: Any = np.abs(offset)
    high = cast("Any", log_ndtr)((bias - inside) / error)
    low = cast("Any", log_ndtr)((-bias - inside) / error)
    return high + np.log1p(-np.exp(low - high))


def _exact(truth: Sequence[float], other: Sequence[float], channel: Channel) -> float | None:
    """The gap of an instrument without noise: none or certainty, where its offset cannot explain the difference."""
    if channel.noise > 0.0:
        return None
    apart = [abs(a - b) for a, b in zip(truth, other, strict=True)]
    return CERTAIN if max(apart) > max(channel.resolution, 1e-9) + 2.0 * channel.bias else 0.0


def gap_at(
    truth: Sequence[float], other: Sequence[float], days: Sequence[float], channel: Channel, luck: float = 0.0
) -> float:
    """Expected gap for a crew whose instrument is off by `luck` of its bias, -1 to 1: positive helps to tell.

    `truth` and `other` are the values of both stories at the same samples, taken `days` after the start.
    """

    def near(error: float) -> tuple[Any, Any]:
        points, weights = cast("tuple[Any, Any]", _NODES)
        return luck * channel.bias + error * points, weights

    return _weighed(truth, other, days, channel, near)


def unlucky_gap(truth: Sequence[float], other: Sequence[float], days: Sequence[float], channel: Channel) -> float:
    """Expected gap where the instrument's own offset hides the difference more than for nine crews of ten."""
    return gap_at(truth, other, days, channel, -UNLUCKY)


def expected_gap(truth: Sequence[float], other: Sequence[float], days: Sequence[float], channel: Channel) -> float:
    """The mean gap over all offsets: the divergence of the two stories (Kullback and Leibler 1951)."""

    def anywhere(error: float) -> tuple[Any, Any]:
        edge = channel.bias + _TAIL * error
        read: Any = np.linspace(-edge, edge, _GRID)
        return read, np.exp(_log_weight(read, channel.bias, error))

    return _weighed(truth, other, days, channel, anywhere)


def _weighed(
    truth: Sequence[float],
    other: Sequence[float],
    days: Sequence[float],
    channel: Channel,
    offsets: Callable[[float], tuple[Any, Any]],
) -> float:
    """The gap, its share by the offset as the mean over `offsets`: the offsets read, by their error, and weights."""
    exact = _exact(truth, other, channel)
    if exact is not None:
        return exact
    shape, shift, error = _fit(truth, other, days, channel)
    if channel.bias == 0.0:
        return min(shape + 0.5 * (shift / error) ** 2, CERTAIN)
    read, weights = offsets(error)
    apart = _log_weight(read, channel.bias, error) - _log_weight(read + abs(shift), channel.bias, error)
    return min(shape + float(weights @ apart) / float(weights.sum()), CERTAIN)
