"""Instruments: keyed noise, cadence, quality, and names."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission import sensors
from mission.channel import Fault
from mission.world.engine import World
from mission.world.telemetry import TRUTHS

Fly = Callable[..., World]


def test_every_channel_has_a_truth_and_every_truth_a_channel() -> None:
    assert set(sensors.CATALOGUE) == set(TRUTHS)
    assert len(sensors.CATALOGUE) >= 45


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
    clean = sensors.find("core.ppco2").model_copy(update={"noise": 0.0, "bias": 0.0, "drift": 0.0, "resolution": 0.0})
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
    with pytest.raises(ValueError, match=r"no channel 'lab\.ppco'; near: lab\.ppco2"):
        fly("nominal").read("lab.ppco")
    with pytest.raises(ValueError, match=r"no channel group 'kitchen'; there are airlock, alarm, atmosphere"):
        sensors.channels("kitchen")
    with pytest.raises(ValueError, match=r"no channel group 'life support'; near: life-support"):
        sensors.channels("life support")


def test_groups_are_zones_subsystems_and_roles() -> None:
    assert {channel.name for channel in sensors.channels("makeup")} == {
        "makeup.n2_flow",
        "makeup.o2_flow",
        "tank.n2",
        "tank.o2",
    }
    assert {"site.tau", "site.wind"} <= {channel.name for channel in sensors.channels("weather-navigation")}
    assert "battery.soc" in {channel.name for channel in sensors.channels("power-thermal")}


def test_readings_stay_physical(fly: Fly) -> None:
    world = fly("fan-stopped", 12.0)
    for channel in sensors.channels():
        value = world.read(channel.name).value
        assert value is None or channel.low <= value <= channel.high


ZONES = ("core", "lab", "airlock")
ROLES = ("life-support", "power-thermal", "weather-navigation")
GAUGE = sensors.Channel(name="gauge", unit="1", description="a gauge", groups=("test",), period_s=60.0)


class TestVocabularies:
    """A query by zone, subsystem or role returns everything that its word promises."""

    @pytest.mark.parametrize("zone", ZONES)
    def test_a_zone_has_every_channel_named_after_it(self, zone: str) -> None:
        named = {name for name in sensors.CATALOGUE if name.startswith(f"{zone}.")}
        assert named
        assert named <= {channel.name for channel in sensors.channels(zone)}

    def test_every_channel_is_somebodys(self) -> None:
        owned = {channel.name for role in ROLES for channel in sensors.channels(role)}
        assert owned == set(sensors.CATALOGUE)

    @given(st.sampled_from(sorted({group for channel in sensors.CATALOGUE.values() for group in channel.groups})))
    @settings(max_examples=60, deadline=None)
    def test_a_group_is_all_the_channels_that_carry_it(self, group: str) -> None:
        found = sensors.channels(group)
        assert [channel.name for channel in found] == [n for n, c in sensors.CATALOGUE.items() if group in c.groups]
        assert found

    @given(st.text(min_size=1, max_size=20))
    @settings(max_examples=100, deadline=None)
    def test_another_word_is_an_error_and_never_an_empty_success(self, word: str) -> None:
        if word not in {group for channel in sensors.CATALOGUE.values() for group in channel.groups}:
            with pytest.raises(ValueError, match="no channel group"):
                sensors.channels(word)
        if word not in sensors.CATALOGUE:
            with pytest.raises(ValueError, match="no channel"):
                sensors.find(word)

    @pytest.mark.parametrize(
        ("word", "names"),
        [
            ("oxygen", {"oga.rate", "oga.power", "oga.h2", "oga.water_inlet"}),
            ("radiation", {"radiation.rate", "radiation.alert", "radiation.highest_dose", "shelter.ppco2"}),
            ("weather-navigation", {"radiation.rate", "shelter.people", "shelter.ppco2", "shelter.fan_speed"}),
            ("shelter", {"shelter.people", "shelter.ppco2", "shelter.fan_speed"}),
            ("ventilation", {"imv.current", "imv.speed", "shelter.fan_speed"}),
            ("alarm", {"alarm.depress", "core.pressure_rate", "lab.pressure_rate"}),
        ],
    )
    def test_a_subsystem_word_finds_its_instruments(self, word: str, names: set[str]) -> None:
        assert names <= {channel.name for channel in sensors.channels(word)}


@pytest.mark.parametrize("channel", sensors.channels(), ids=lambda channel: channel.name)
def test_an_instrument_is_specified_whole(channel: sensors.Channel) -> None:
    """Unit, cadence, errors, range, and groups of which one is a role's: nothing is left open."""
    assert channel.unit and channel.description and channel.period_s > 0
    assert -1e6 <= channel.low < channel.high <= 1e6
    assert min(channel.noise, channel.bias, channel.drift, channel.delay_s, channel.resolution) >= 0.0
    assert 0.0 <= channel.dropout < 1.0
    assert set(channel.groups) & set(ROLES)
    assert set(channel.groups) - set(ROLES), "a zone or a subsystem"


def test_no_shipped_truth_is_beyond_its_instrument(fly: Fly) -> None:
    for name in ("puncture", "ammonia-breach", "cable-fire", "solar-event", "rover-stuck"):
        world = fly(name, 4.0)
        for channel in sensors.channels():
            truth = world.truth(channel.name)
            assert truth is None or channel.low <= truth <= channel.high, channel.name


class TestErrors:
    """Each kind of error, alone."""

    def test_drift_grows_with_time_and_stays_within_its_bound(self) -> None:
        channel = GAUGE.model_copy(update={"drift": 0.5})
        days = [sensors.read(channel, seed, 10 * 86400.0, lambda _: 1.0).value for seed in range(100)]
        assert all(abs(value - 1.0) <= 5.0 for value in days)  # type: ignore[operator]
        assert statistics.stdev(days) == pytest.approx(5.0 / 3**0.5, rel=0.2)  # type: ignore[type-var]
        half, whole = (sensors.read(channel, 3, d * 86400.0, lambda _: 0.0).value for d in (5, 10))
        assert whole == pytest.approx(2 * half, abs=1e-5)  # type: ignore[operator]

    def test_delay_shows_the_past_under_the_sample_of_now(self) -> None:
        channel = GAUGE.model_copy(update={"delay_s": 600.0})
        reading = sensors.read(channel, 1, 3600.0, lambda t: t)
        assert (reading.value, reading.t_s) == (3000.0, 3600.0)
        assert sensors.read(channel, 1, 60.0, lambda t: t).value == 0.0

    def test_dropout_loses_its_share_of_samples(self) -> None:
        channel = GAUGE.model_copy(update={"dropout": 0.2})
        readings = [sensors.read(channel, 1, 60.0 * n, lambda _: 1.0) for n in range(1000)]
        lost = [reading for reading in readings if reading.value is None]
        assert len(lost) / 1000 == pytest.approx(0.2, abs=0.04)
        assert {(reading.quality, reading.note) for reading in lost} == {("no-data", "no sample")}
        assert readings == [sensors.read(channel, 1, 60.0 * n, lambda _: 1.0) for n in range(1000)]

    def test_range_holds_what_is_shown(self) -> None:
        channel = GAUGE.model_copy(update={"low": 0.0, "high": 10.0})
        assert sensors.read(channel, 1, 0.0, lambda _: 12.0).value == 10.0
        assert sensors.read(channel, 1, 0.0, lambda _: -3.0).value == 0.0

    def test_faults_drift_jump_lag_and_fall_silent(self) -> None:
        def at(hours: float, fault: Fault) -> float | None:
            return sensors.read(GAUGE, 1, hours * 3600.0, lambda t: t / 3600.0, fault).value

        assert at(5.0, Fault(t=3600.0, drift=0.5)) == pytest.approx(7.0)
        assert at(5.0, Fault(t=3600.0, offset=-2.0)) == pytest.approx(3.0)
        assert at(5.0, Fault(t=3600.0, delay_s=1800.0)) == pytest.approx(4.5)
        assert at(5.0, Fault(t=3600.0, dropout=1.0)) is None

    def test_a_silent_freeze_looks_fresh_and_an_announced_one_does_not(self) -> None:
        silent = sensors.read(GAUGE, 1, 7200.0, lambda t: t, Fault(t=3600.0, frozen=True))
        told = sensors.read(GAUGE, 1, 7200.0, lambda t: t, Fault(t=3600.0, frozen=True, announced=True, note="stuck"))
        assert (silent.value, silent.t_s, silent.quality, silent.note) == (3600.0, 7200.0, "good", "")
        assert (told.value, told.t_s, told.quality, told.note) == (3600.0, 3600.0, "stale", "stuck")


def test_check_26_reading_a_thousand_times_changes_nothing(fly: Fly) -> None:
    quiet, asked = fly("bed-degraded", 3.0), fly("bed-degraded", 1.0)
    for number in range(1000):
        asked.read(sorted(sensors.CATALOGUE)[number % len(sensors.CATALOGUE)], float(number))
    asked.advance(3 * 3600.0)
    assert asked.digest() == quiet.digest()
    assert asked.read("core.ppco2", 5000.0) == quiet.read("core.ppco2", 5000.0)
