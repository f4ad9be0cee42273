"""Courses by closed form against the same courses found by interpolation."""

from __future__ import annotations

from itertools import pairwise

import pytest

from mission.course import quantity, runs
from mission.curve import pieces

HOUR = 3600.0


def breaks(world, start):
    """The events of the log, and every change of air and power: more breaks do no harm."""
    events = {event["t"] for event in world.log() if event["t"] > start}
    air, power = world.base.air.changes(start, world.now), world.base.power.changes(start, world.now)
    return sorted({start, world.now, *events, *air, *power} - {0.0} | {start})


@pytest.mark.parametrize("of", ["core.ppco2", "lab.ppo2", "core.pressure", "core.pio2", "lab.pio2"])
@pytest.mark.parametrize("name", ["masked-leak", "fan-stopped", "oga-off"])
def test_extremes_of_the_air_are_those_of_the_interpolation(fly, name, of):
    world = fly(name, 14.0)
    closed = runs(world, of, [6 * HOUR, world.now])
    sampled = pieces(quantity(world, of), breaks(world, 6 * HOUR))
    for extreme in (min, max):
        ours, theirs = (extreme(value for one in found for value in (one.fa, one.fb)) for found in (closed, sampled))
        assert ours == pytest.approx(theirs, rel=1e-8)


def test_the_charge_turns_only_where_a_segment_ends(fly):
    world = fly("dust-storm-regional", 60.0)
    closed = runs(world, "battery.soc", [24 * HOUR, world.now])
    sampled = pieces(quantity(world, "battery.soc"), breaks(world, 24 * HOUR))
    for extreme in (min, max):
        ours, theirs = (extreme(value for one in found for value in (one.fa, one.fb)) for found in (closed, sampled))
        assert ours == pytest.approx(theirs, abs=1e-6)


def test_runs_join_without_a_gap_and_each_has_one_direction(fly):
    world = fly("fan-stopped", 12.0)
    found = runs(world, "lab.ppco2", [2 * HOUR, world.now])
    truth = quantity(world, "lab.ppco2")
    for before, after in pairwise(found):
        assert after.a - before.b == pytest.approx(0.0, abs=1e-5)
    for run in found:
        inside = [truth(run.a + (run.b - run.a) * share) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
        assert sorted(inside, reverse=run.fa > run.fb) == pytest.approx(inside, rel=1e-12)


def test_a_quantity_that_there_is_not_is_an_error_with_near_names(fly):
    with pytest.raises(ValueError, match=r"no channel 'core.ppco3'; near: core.ppco2"):
        runs(fly("nominal", 1.0), "core.ppco3", [0.0, HOUR])
