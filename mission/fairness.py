"""Can it be known? The log-likelihood gap between what is true and what it could be mistaken for.

Each story is a world flown to the deadline. A reading is the story's own expectation plus noise of known size, so the
expected gap between the truth and another story is the sum of (difference)^2 / (2 sigma^2) over the samples, after the
best constant offset within the instrument's bias has been taken out of the difference. Noise of checks is measured, by
making each of them under several seeds. A gap of 6 is odds of 400 to 1, one of 3 is 20 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from mission import sensors
from mission.channel import Channel
from mission.world import telemetry
from mission.world.engine import CheckRefusedError, Scenario, World
from mission.world.objective import Alternative, Fairness, Step
from mission.world.units import HOUR, nearest

__all__ = ["ENOUGH", "MISLEADING", "Gap", "alternative_scenario", "gaps"]

ENOUGH = 6.0
MISLEADING = 3.0
SAMPLES = 13
"""Of a channel's history: what one call of the telemetry tool returns."""
SEEDS = range(6)
"""Under which each check is made to learn its noise."""
CERTAIN = 1000.0
"""A gap is counted up to here: beyond, it is as good as proof."""
ROUNDING = 1e-6
"""Least standard deviation of a check: the digits that it is given with."""


@dataclass(frozen=True)
class Gap:
    """How far the truth stands from one alternative: at first look, and by all that tells."""

    alternative: str
    misleads: bool
    first_look: float
    telling: float


def gaps(scenario: Scenario) -> list[Gap]:
    """One gap for each alternative that the scenario names. Raises ValueError for channels or checks there are not."""
    fairness = scenario.trial.fairness
    if fairness is None:
        return []
    truth = _flown(scenario, fairness)
    return [_gap(truth, scenario, fairness, alternative) for alternative in fairness.alternatives]


def alternative_scenario(scenario: Scenario, alternative: Alternative) -> Scenario:
    """The scenario with the alternative's fields in place of its own. Raises ValueError for fields there are not."""
    return Scenario.model_validate(scenario.model_dump() | dict(alternative.changes))


def _flown(scenario: Scenario, fairness: Fairness) -> World:
    world = World(scenario, 0)
    world.advance(nearest(fairness.deadline_h * HOUR))
    return world


def _gap(truth: World, scenario: Scenario, fairness: Fairness, alternative: Alternative) -> Gap:
    other = _flown(alternative_scenario(scenario, alternative), fairness)
    now = (truth.now,)
    step = truth.now / (SAMPLES - 1)
    history = [index * step for index in range(SAMPLES - 1)] + [truth.now]
    first = sum(_channel_gap(truth, other, sensors.find(name), now) for name in fairness.first_look)
    telling = sum(_channel_gap(truth, other, sensors.find(name), history) for name in fairness.channels)
    telling += sum(_check_gap(truth, other, check) for check in fairness.checks)
    return Gap(alternative.name, alternative.misleads, min(first, CERTAIN), min(first + telling, CERTAIN))


def _channel_gap(truth: World, other: World, channel: Channel, times: Sequence[float]) -> float:
    """Expected gap from samples of one channel; what the instrument itself calls stale says nothing."""
    pairs = [(_expected(truth, channel, t), _expected(other, channel, t)) for t in times]
    told = [pair for pair in pairs if pair[0] is not None]
    if any(second is None for _, second in told):
        return CERTAIN
    differences = [second - first for first, second in told if first is not None and second is not None]
    if not differences:
        return 0.0
    offset = min(max(fmean(differences), -channel.bias), channel.bias)
    spread = channel.noise**2 + channel.resolution**2 / 12.0
    square = sum((difference - offset) ** 2 for difference in differences)
    return min(square / (2.0 * spread), CERTAIN) if spread > 0.0 else CERTAIN * (square > 0.0)


def _expected(world: World, channel: Channel, t: float) -> float | None:
    """What the instrument would show at `t` but for its own noise, bias and rounding; None for no fresh reading."""
    exact = channel.model_copy(update={"noise": 0.0, "bias": 0.0, "drift": 0.0, "resolution": 0.0, "dropout": 0.0})
    fault = world.base.part("instruments").fault(channel.name, t)
    reading = sensors.read(exact, world.seed, t, lambda at: telemetry.measurable(world.base, channel.name, at), fault)
    return reading.value if reading.quality == "good" else None


def _check_gap(truth: World, other: World, check: Step) -> float:
    """Gap from one check made at the deadline; a check that can be made in one story alone tells at once."""
    first, second = _measured(truth, check), _measured(other, check)
    if first is None or second is None:
        return CERTAIN if (first is None) != (second is None) else 0.0
    return min(sum(_number_gap(first[name], second[name]) for name in first.keys() & second.keys()), CERTAIN)


def _number_gap(first: Sequence[float], second: Sequence[float]) -> float:
    spread = max(math.sqrt(0.5 * (variance(first) + variance(second))), ROUNDING)
    return ((fmean(first) - fmean(second)) / spread) ** 2 / 2.0


def _measured(world: World, check: Step) -> Mapping[str, list[float]] | None:
    """Each number of a check under each seed; None if the check is refused."""
    found: dict[str, list[float]] = {}
    for seed in SEEDS:
        try:
            result = world.fork(seed).check(
                str(check.check), {name: str(value) for name, value in check.parameters.items()}
            )
        except CheckRefusedError:
            return None
        for name, value in result.measured.items():
            found.setdefault(name, []).append(value)
    return found
