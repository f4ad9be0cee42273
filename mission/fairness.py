"""Can it be known? The log-likelihood gap between what is true and what it could be mistaken for.

Each story is a world of its own. What its instruments show is its own values with the errors of `mission.likelihood`;
what its checks measure is learnt by making each of them under several seeds, one after the other from the call on, as
a crew makes them. Instruments are read as one call of the telemetry tool reads them; two readings of one sample count
once, and of a frozen instrument all. A gap of 6 is odds of 400 to 1, one of 3 is 20 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np

from mission import sensors
from mission.channel import LIFE, POWER, WEATHER, Channel
from mission.likelihood import CERTAIN, gap_at, unlucky_gap
from mission.tools import HISTORY_POINTS, MAX_HISTORY_H
from mission.world import telemetry
from mission.world.checks import CHECKS
from mission.world.engine import CheckRefusedError, Scenario, World
from mission.world.objective import Alternative, Fairness, Step
from mission.world.units import DAY, HOUR, MINUTE, nearest

__all__ = [
    "ENOUGH",
    "MISLEADING",
    "Gap",
    "Sample",
    "alternative_scenario",
    "check_gap",
    "gaps",
    "samples",
    "unreachable",
]

ENOUGH = 6.0
MISLEADING = 3.0
SEEDS = range(48)
"""Under which the checks are made to learn their noise."""
KNOWN = 0.001
"""Relative: how well anybody can say beforehand what a check would measure, even one without noise."""
LEAST = 1e-6
"""Of a check's number: the digits that it is given with."""
_WORDS = (LIFE, POWER, WEATHER)
"""The vocabularies of the roles that read instruments."""


@dataclass(frozen=True)
class Gap:
    """How far the truth stands from one alternative: by the first look, and by all that tells; with each instrument
    off by as much as for the middle crew, and for an unlucky one, of which nine in ten are luckier."""

    alternative: str
    misleads: bool
    first_look: float
    telling: float
    unlucky: float


class Sample(NamedTuple):
    """One sample of an instrument but for its error: `value` is None where it says that it has none to trust."""

    bin: int
    day: float
    value: float | None
    lost: float
    """The chance that it does not come through."""


Measure = Callable[[Sequence[float], Sequence[float], Sequence[float], Channel], float]
Made = Mapping[int, Sequence[Mapping[str, float]] | None]
"""What the checks measured, by their place in the list: one table a seed, or None for a check that is refused."""


def gaps(scenario: Scenario) -> list[Gap]:
    """One gap for each alternative that the scenario names. Raises ValueError for channels or checks there are not."""
    fairness = scenario.trial.fairness
    if fairness is None:
        return []
    truth, made = _flown(scenario, fairness), _checked(scenario, fairness)
    return [_gap(truth, made, scenario, fairness, alternative) for alternative in fairness.alternatives]


def alternative_scenario(scenario: Scenario, alternative: Alternative) -> Scenario:
    """The scenario with the alternative's fields in place of its own. Raises ValueError for fields there are not."""
    return Scenario.model_validate(scenario.model_dump() | dict(alternative.changes))


def unreachable(scenario: Scenario) -> list[str]:
    """What a scenario's fairness counts on and no crew can have: checks that take longer than there is, and channels
    in no role's vocabulary. Raises ValueError for channels or checks there are not."""
    fairness = scenario.trial.fairness
    if fairness is None:
        return []
    there = (fairness.deadline_h - scenario.trial.start_h) * HOUR / MINUTE
    takes = sum(CHECKS[str(check.check)].minutes[_choice(check)] for check in fairness.checks)
    found = [f"its checks take {takes:g} min and there are {there:g}"] if takes > there + 1e-6 else []
    for name in (*fairness.first_look, *fairness.channels):
        if not set(sensors.find(name).groups) & set(_WORDS):
            found.append(f"{name} is in no role's vocabulary")
    return found


def _choice(check: Step) -> str:
    return next((str(value) for value in check.parameters.values()), "")


def _flown(scenario: Scenario, fairness: Fairness) -> World:
    world = World(scenario, 0)
    world.advance(nearest(fairness.deadline_h * HOUR))
    return world


def _gap(truth: World, made: Made, scenario: Scenario, fairness: Fairness, alternative: Alternative) -> Gap:
    story = alternative_scenario(scenario, alternative)
    other, theirs = _flown(story, fairness), _checked(story, fairness)
    now, past = (truth.now,), _history(truth.now)
    checks = sum(check_gap(made[index], theirs[index]) for index in made)

    def by(measure: Measure) -> tuple[float, float]:
        at_once = {name: _channel_gap(truth, other, name, now, measure) for name in fairness.first_look}
        in_time = {name: _channel_gap(truth, other, name, past, measure) for name in fairness.channels}
        return min(sum(at_once.values()), CERTAIN), min(sum((at_once | in_time).values()) + checks, CERTAIN)

    (first, telling), (_, unlucky) = by(gap_at), by(unlucky_gap)
    return Gap(alternative.name, alternative.misleads, first, telling, unlucky)


def _history(now: float) -> list[float]:
    """When one call of the telemetry tool reads, with the longest history that there is."""
    length = min(now, MAX_HISTORY_H * HOUR)
    return [now - length * back / (HISTORY_POINTS - 1) for back in reversed(range(HISTORY_POINTS))]


def _channel_gap(truth: World, other: World, name: str, times: Sequence[float], measure: Measure) -> float:
    """Expected gap from one channel, by a measure of `mission.likelihood`."""
    channel = sensors.find(name)
    ours, theirs = samples(truth, channel, times), samples(other, channel, times)
    silent, fresh = 0.0, dict[int, tuple[Sample, Sample]]()
    for one, two in zip(ours, theirs, strict=True):
        silent += _silence(one.lost, two.lost)
        if one.lost == 1.0 or two.lost == 1.0:
            continue
        if (one.value is None) != (two.value is None):
            return CERTAIN
        if one.value is not None:
            fresh.setdefault(one.bin, (one, two))
    pairs = list(fresh.values())
    if channel.noise > 0.0 and len({two.bin for _, two in pairs}) < len(pairs):
        return CERTAIN
    if not pairs:
        return min(silent, CERTAIN)
    values = [(one.value, two.value) for one, two in pairs]
    first, second = ([float(pair[side] or 0.0) for pair in values] for side in (0, 1))
    told = measure(first, second, [one.day for one, _ in pairs], channel)
    return min(silent + told * (1.0 - max(one.lost for one, _ in pairs)), CERTAIN)


def _silence(ours: float, theirs: float) -> float:
    """Expected gap from whether a sample comes through, which it fails to do with these chances."""
    if ours == theirs:
        return 0.0
    chances = ((ours, theirs), (1.0 - ours, 1.0 - theirs))
    return sum(CERTAIN if q == 0.0 else p * math.log(p / q) for p, q in chances if p > 0.0)


def samples(world: World, channel: Channel, times: Sequence[float]) -> list[Sample]:
    """What the instrument would show at these times but for its noise, bias, drift, rounding and lost samples."""
    exact = channel.model_copy(update={"noise": 0.0, "bias": 0.0, "drift": 0.0, "resolution": 0.0, "dropout": 0.0})
    found: list[Sample] = []
    for t in times:
        fault = world.base.part("instruments").fault(channel.name, t)
        lost = max(channel.dropout, fault.dropout if fault else 0.0)
        heard = replace(fault, dropout=0.0) if fault else None
        reading = sensors.read(exact, 0, t, lambda at: telemetry.measurable(world.base, channel.name, at), heard)
        taken = fault.t if fault and fault.frozen and t >= fault.t else t
        good = reading.value if reading.quality == "good" else None
        found.append(Sample(math.floor(taken / channel.period_s), reading.t_s / DAY, good, lost))
    return found


def _checked(scenario: Scenario, fairness: Fairness) -> Made:
    """The checks made one after the other from the call on, under each seed; who is refused tries again in a minute."""
    opened = World(scenario, 0)
    opened.advance(nearest(scenario.trial.start_h * HOUR))
    times = _when(opened.fork(), fairness)
    made: dict[int, list[Mapping[str, float]] | None] = {
        index: None if t is None else [] for index, t in enumerate(times)
    }
    for seed in SEEDS:
        world = opened.fork(seed)
        for index, (check, t) in enumerate(zip(fairness.checks, times, strict=True)):
            table = made[index]
            if t is not None and table is not None:
                world.advance(t)
                table.append(world.check(str(check.check), _given(check)).measured)
    return made


def _when(world: World, fairness: Fairness) -> list[float | None]:
    """When each check can be made by the deadline, if it can: no seed decides that."""
    found: list[float | None] = []
    for check in fairness.checks:
        waiting = world.fork()
        found.append(_first_made(waiting, check, fairness.deadline_h * HOUR))
        if found[-1] is not None:
            world = waiting
    return found


def _first_made(world: World, check: Step, deadline: float) -> float | None:
    """Make a check as soon as it is not refused, and say when that was; None if it is refused up to the deadline."""
    while True:
        t = world.now
        try:
            world.check(str(check.check), _given(check))
        except CheckRefusedError:
            if t >= deadline:
                return None
            world.advance(t + MINUTE)
        else:
            return t


def _given(check: Step) -> dict[str, str]:
    return {name: str(value) for name, value in check.parameters.items()}


def check_gap(ours: Sequence[Mapping[str, float]] | None, theirs: Sequence[Mapping[str, float]] | None) -> float:
    """Gap from one check; one that can be made in one story alone tells at once.

    Its numbers may share their noise, so their covariance counts. It is learnt from n seeds, whose draws both stories
    share: the gap is then too great by (n - 1) / (n - k - 2) for k numbers (Anderson 1958, section 5.2). Numbers with
    less noise than anybody can foretell them to are taken one by one, at what can be foretold.
    """
    if ours is None or theirs is None:
        return CERTAIN if (ours is None) != (theirs is None) else 0.0
    names = sorted(ours[0].keys() & theirs[0].keys())
    first, second = (np.array([[row[name] for name in names] for row in rows]) for rows in (ours, theirs))
    apart: Any = first.mean(axis=0) - second.mean(axis=0)
    floor: Any = np.maximum(KNOWN * np.abs(second.mean(axis=0)), LEAST)
    noisy: Any = (first.std(axis=0) > floor) | (second.std(axis=0) > floor)
    plain = float(((apart / floor)[~noisy] ** 2).sum())
    count, free = int(noisy.sum()), len(ours) - 1
    if count + 2 > free:
        raise ValueError(f"{len(ours)} seeds are too few to learn the noise of {count} numbers from")
    if count == 0:
        return min(0.5 * plain, CERTAIN)
    covariance: Any = 0.5 * (_covariance(first[:, noisy]) + _covariance(second[:, noisy])) + np.diag(floor[noisy] ** 2)
    square = float(apart[noisy] @ cast("Any", np.linalg.solve)(covariance, apart[noisy]))
    return min(0.5 * (plain + square * (free - count - 1) / free), CERTAIN)


def _covariance(rows: Any) -> Any:
    return np.atleast_2d(np.cov(rows, rowvar=False))
