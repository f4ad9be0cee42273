"""Gaps between stories: the closed forms against likelihoods of readings that were really drawn, seed by seed."""

from __future__ import annotations

import math
from statistics import fmean, median, stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr, logsumexp

from mission import sensors
from mission.channel import Channel
from mission.fairness import ENOUGH, alternative_scenario, check_gap, gaps, samples, unreachable
from mission.likelihood import CERTAIN, expected_gap, gap_at, unlucky_gap
from mission.world.engine import World, load_scenario
from tests.mission.conftest import SCENARIOS

HOUR = 3600.0
TIMES = [index * HOUR / 2 for index in range(13)]


def likelihood(values, means, days, channel):
    """Of readings, by brute force: every offset and drift, and of each reading the chance of its own digits."""
    half, noise = 0.5 * channel.resolution, channel.noise
    offsets = np.linspace(-channel.bias, channel.bias, 401) if channel.bias else np.zeros(1)
    rates = np.linspace(-channel.drift, channel.drift, 5) if channel.drift else np.zeros(1)
    logs = np.zeros((len(offsets), len(rates)))
    for value, mean, day in zip(values, means, days, strict=True):
        off = np.abs(value - mean - offsets[:, None] - rates[None, :] * day)
        high, low = log_ndtr((half - off) / noise), log_ndtr((-half - off) / noise)
        logs += high + np.log1p(-np.exp(low - high))
    return float(logsumexp(logs)) - math.log(logs.size)


def drawn(channel, truth, other, times, luck=None):
    """The stories' values at the samples, their days, and one log-likelihood gap a seed from readings of the truth.

    With `luck` the instrument is off by that share of its bias, in the direction that helps to tell.
    """
    taken = [math.floor(t / channel.period_s) * channel.period_s for t in times]
    days = [t / 86400.0 for t in taken]
    first, second = ([story(t) for t in taken] for story in (truth, other))
    helps = math.copysign(channel.bias, fmean(first) - fmean(second)) * (luck or 0.0)
    drawn_from = channel if luck is None else channel.model_copy(update={"bias": 0.0})
    found: list[float] = []
    for seed in range(100):
        values = [sensors.read(drawn_from, seed, t, lambda at: truth(at) + helps).value for t in times]
        found.append(likelihood(values, first, days, channel) - likelihood(values, second, days, channel))
    return first, second, days, sorted(found)


def flat(level):
    return lambda t: level


CASES = [
    ("lab.ppco2", flat(3.0), flat(3.2), TIMES[:3]),
    ("lab.ppco2", flat(3.0), flat(3.5), TIMES[:3]),
    ("lab.ppco2", flat(3.0), lambda t: 2.9 + 0.2 * t / (6 * HOUR), TIMES),
    ("core.pressure", flat(70.3), flat(70.45), TIMES[:2]),
    ("makeup.n2_flow", flat(0.05), flat(0.058), TIMES),
    ("tank.n2", flat(80.0), lambda t: 80.0 - 0.1 * t / (6 * HOUR), TIMES),
    ("oga.h2", flat(0.20), flat(0.24), TIMES[:4]),
]


@pytest.mark.parametrize(("name", "truth", "other", "times"), CASES)
def test_the_expected_gap_is_the_mean_of_what_is_drawn(name, truth, other, times):
    channel = sensors.find(name)
    first, second, days, found = drawn(channel, truth, other, times)
    error = stdev(found) / math.sqrt(len(found))
    assert expected_gap(first, second, days, channel) == pytest.approx(fmean(found), abs=3.5 * error + 0.1)


@pytest.mark.parametrize("luck", [0.0, -0.8])
@pytest.mark.parametrize(("name", "truth", "other", "times"), CASES)
def test_the_gap_at_an_offset_is_the_mean_of_what_is_drawn_with_it(name, truth, other, times, luck):
    channel = sensors.find(name)
    first, second, days, found = drawn(channel, truth, other, times, luck)
    error = stdev(found) / math.sqrt(len(found))
    assert gap_at(first, second, days, channel, luck) == pytest.approx(fmean(found), abs=3.5 * error + 0.1)


def test_a_real_first_look_misleads_as_often_as_is_said(scenario):
    """Hard work against a leak, by the oxygen rate of the suit alone, under sixty seeds of the real instrument."""
    made = scenario("suit-hard-work")
    told = gaps(made)[0]
    channel = sensors.find("suit_1.o2_rate")
    fairness = made.trial.fairness
    story = alternative_scenario(made, fairness.alternatives[0])
    worlds = [World(one, 0) for one in (made, story)]
    for world in worlds:
        world.advance(fairness.deadline_h * HOUR)
    means = [[samples(world, channel, [world.now])[0].value] for world in worlds]
    day = [worlds[0].now / 86400.0]
    found = []
    for seed in range(60):
        value = [worlds[0].fork(seed).read(channel.name).value]
        found.append(likelihood(value, means[0], day, channel) - likelihood(value, means[1], day, channel))
    assert told.first_look < 3.0
    assert median(found) == pytest.approx(told.first_look, abs=1.0)
    assert expected_gap(*means, day, channel) == pytest.approx(fmean(found), abs=4 * stdev(found) / math.sqrt(60) + 0.2)


NOISY = Channel(name="x", unit="1", description="", groups=(), period_s=60.0, noise=0.1, bias=0.5, resolution=0.01)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=6), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_gaps_are_never_negative_and_grow_with_luck(differences, luck, less):
    days = [0.01 * index for index in range(len(differences))]
    zeros = [0.0] * len(differences)
    least, most = sorted((luck, less))
    assert (
        -1e-6 <= gap_at(zeros, differences, days, NOISY, least) <= gap_at(zeros, differences, days, NOISY, most) + 1e-6
    )
    assert unlucky_gap(zeros, differences, days, NOISY) <= gap_at(zeros, differences, days, NOISY) + 1e-6
    assert expected_gap(zeros, differences, days, NOISY) >= -1e-6


def test_what_an_offset_explains_tells_nothing_however_often_it_is_read():
    assert gap_at([0.0] * 13, [0.4] * 13, [0.0] * 13, NOISY) == pytest.approx(0.0, abs=0.01)
    assert gap_at([0.0] * 2, [0.0, 0.4], [0.0, 0.0], NOISY) == pytest.approx(4.0, rel=0.01)


def test_an_instrument_without_noise_proves_what_its_digits_show():
    counter = NOISY.model_copy(update={"noise": 0.0, "bias": 0.0, "resolution": 1.0})
    assert gap_at([3.0], [5.0], [0.0], counter) == CERTAIN
    assert gap_at([3.0], [3.4], [0.0], counter) == 0.0


def look(channels, alternatives, **fields):
    return {"deadline_h": 7, "channels": channels, "alternatives": alternatives} | fields


@pytest.fixture
def told(scenario):
    """The gaps of a scenario with another fairness section."""

    def tell(name, fairness, **changes):
        made = scenario(name)
        data = made.model_dump() | changes
        data["trial"] = data["trial"] | {"fairness": fairness}
        return gaps(type(made).model_validate(data))[0]

    return tell


def test_two_readings_of_one_sample_count_once(told):
    """Thirteen readings in six minutes of an instrument that samples every two: four samples."""
    other = [{"name": "x", "changes": {"makeup": "off", "zones": {"lab": {"ppco2_mmhg": 2.6}}}}]
    fast = told("nominal", look(["lab.ppco2"], other, deadline_h=0.1))
    channel = sensors.find("lab.ppco2")
    assert fast.telling < gap_at([2.79] * 4, [2.4] * 4, [0.0] * 4, channel)


def test_a_frozen_instrument_is_one_sample(scenario):
    made = scenario("sensor-frozen")
    world = World(made, 0)
    world.advance(6 * HOUR)
    onset = made.incidents[0].onset_h * HOUR
    taken = {sample.bin for sample in samples(world, sensors.find("core.ppco2"), TIMES)}
    before = {math.floor(t / 120.0) for t in TIMES if t < onset}
    assert taken == before | {math.floor(onset / 120.0)}


def test_an_instrument_that_says_it_is_stale_tells_where_it_should_not_be(told):
    """The sampling line skips the lab when the fan has stopped: its reading says so, and a healthy base's does not."""
    other = [{"name": "x", "changes": {"incidents": []}}]
    assert told("fan-stopped", look([], other, first_look=["lab.ppco2"])).first_look == CERTAIN


def test_numbers_of_a_check_that_share_their_noise_count_once():
    """A mean of two numbers adds nothing to them, and a number without noise counts at what anybody can foretell."""
    draws = np.random.default_rng(7).normal(0.0, 1.0, (16, 2))
    two = [[{"a": a + base, "b": b + base} for a, b in draws] for base in (0.0, 2.0)]
    three = [[row | {"mean": 0.5 * (row["a"] + row["b"])} for row in rows] for rows in two]
    assert check_gap(*three) == pytest.approx(check_gap(*two) * 11 / 12, rel=0.01)
    exact = [[{"a": value}] * 16 for value in (5.0, 5.1)]
    assert check_gap(*exact) == pytest.approx(0.5 * (0.1 / 0.0051) ** 2)


def test_the_gap_of_a_check_is_what_many_seeds_would_show():
    """Numbers three apart with a noise of one: 4.5, whatever the sixteen draws; their mean over many sixteens."""
    generator = np.random.default_rng(1)
    found = []
    for _ in range(400):
        noise = generator.normal(0.0, 1.0, 16)
        found.append(check_gap([{"a": x} for x in noise], [{"a": x + 3.0} for x in noise]))
    assert fmean(found) == pytest.approx(4.5, rel=0.06)


def test_a_check_that_is_refused_in_one_story_tells_at_once():
    assert check_gap(None, [{"a": 1.0}] * 16) == CERTAIN
    assert check_gap(None, None) == 0.0


def test_checks_have_to_fit_between_the_call_and_the_deadline(scenario):
    made = scenario("bed-degraded")
    assert unreachable(made) == []
    late = made.trial.fairness.model_copy(update={"deadline_h": 6.5})
    hurried = made.model_copy(update={"trial": made.trial.model_copy(update={"fairness": late})})
    assert unreachable(hurried) == ["its checks take 60 min and there are 30"]


def test_more_numbers_than_the_seeds_can_tell_are_refused():
    rows = [{f"n{k}": float((7 * seed + k * k) % 11) for k in range(9)} for seed in range(10)]
    with pytest.raises(ValueError, match="10 seeds are too few to learn the noise of 9 numbers from"):
        check_gap(rows, rows)


def test_a_check_of_sixteen_numbers_tells_a_scram_from_a_lost_pair():
    (found,) = gaps(load_scenario(SCENARIOS / "fission-scram.yaml"))

    assert found.telling == CERTAIN


def test_a_crew_waits_for_the_relay_before_it_looks_at_the_rover():
    """What tells a dragging drive is measured by two checks, and at the call neither can be made."""
    found = {gap.alternative: gap.telling for gap in gaps(load_scenario(SCENARIOS / "rover-stuck.yaml"))}

    assert found["a dragging drive"] > ENOUGH
