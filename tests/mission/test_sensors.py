"""Instruments: keyed noise, cadence, quality, and names."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import pytest

from mission import sensors
from mission.world.engine import World
from mission.world.telemetry import TRUTHS

Fly = Callable[..., World]


def test_every_channel_has_a_truth_and_every_truth_a_channel() -> None:
    assert set(sensors.CATALOGUE) == set(TRUTHS)
    assert len(sensors.CATALOGUE) == 45


def test_noise_is_keyed_by_seed_channel_and_bin(fly: Fly) -> None:
    one, two = fly("nominal", 2.0, seed=1), fly("nominal", 2.0, seed=2)
    assert one.read("core.ppco2", 3600.0) == one.read("core.ppco2", 3600.0)
    assert one.read("core.ppco2", 3600.0).value != two.read("core.ppco2", 3600.0).value
    # The analyser visits a zone every 120 s: within a visit there is one sample.
    assert one.read("core.ppco2", 3719.0) == one.read("core.ppco2", 3600.0)
    assert one.read("core.ppco2", 3720.0).t_s == 3720.0


def test_bias_and_noise_are_as_large_as_the_catalogue_says(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    channel = sensors.find("core.ppco2")
    errors = []
    for seed in range(400):
        reading = sensors.read(channel, seed, 3600.0, lambda _: 2.65)
        errors.append(reading.value - 2.65)  # type: ignore[operator]
    # Uniform +/-0.3 has sd 0.173; with 0.05 of noise 0.180.
    assert statistics.stdev(errors) == pytest.approx(0.180, rel=0.1)
    assert statistics.mean(errors) == pytest.approx(0.0, abs=0.03)
    series = [sensors.read(channel, 1, 120.0 * index, lambda _: 2.65).value for index in range(400)]
    assert statistics.stdev(series) == pytest.approx(0.05, rel=0.15)  # type: ignore[type-var]
    assert world.read("core.pressure").value == pytest.approx(70.3, abs=0.2)


def test_an_instrument_reports_what_was_at_its_last_sample(fly: Fly) -> None:
    world = fly("bed-degraded", 3.0)
    clean = sensors.find("core.ppco2").model_copy(update={"noise": 0.0, "bias": 0.0, "resolution": 0.0})
    reading = sensors.read(clean, 1, 3.0 * 3600 - 1.0, lambda t: world.truth("core.ppco2", t))
    assert reading.t_s == 10680.0
    assert reading.value == pytest.approx(world.truth("core.ppco2", 10680.0), abs=1e-6)


def test_a_unit_that_is_off_has_no_outlet(fly: Fly) -> None:
    reading = fly("nominal", 1.0).read("bed_b.outlet_ppco2")
    assert (reading.value, reading.quality, reading.note) == (None, "no-data", "the unit does not run")


def test_history_is_evenly_spaced_and_ends_now(fly: Fly) -> None:
    world = fly("nominal", 4.0)
    readings = world.history("tank.n2", 2.0, 5)
    assert [reading.t_s for reading in readings] == [7200.0, 9000.0, 10800.0, 12600.0, 14400.0]
    assert len(world.history("tank.n2", 100.0, 3)) == 3
    with pytest.raises(ValueError, match="at least one point"):
        world.history("tank.n2", 1.0, 0)


def test_an_unknown_name_lists_near_ones(fly: Fly) -> None:
    with pytest.raises(ValueError, match=r"no channel 'lab\.co2'; near: lab\.ppco2"):
        fly("nominal").read("lab.co2")
    with pytest.raises(ValueError, match=r"no channel group 'kitchen'; there are airlock, atmosphere"):
        sensors.channels("kitchen")


def test_groups_are_zones_subsystems_and_roles() -> None:
    assert {channel.name for channel in sensors.channels("makeup")} == {
        "makeup.n2_flow",
        "makeup.o2_flow",
        "tank.n2",
        "tank.o2",
    }
    assert all(channel.name.startswith("site.") for channel in sensors.channels("weather-navigation"))
    assert "battery.soc" in {channel.name for channel in sensors.channels("power-thermal")}


def test_readings_stay_physical(fly: Fly) -> None:
    world = fly("fan-stopped", 12.0)
    for channel in sensors.channels():
        value = world.read(channel.name).value
        assert value is None or channel.low <= value <= channel.high
