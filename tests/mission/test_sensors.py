"""Instruments: keyed noise, cadence, quality, and names."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission import flight, sensors, tools
from mission.channel import Fault
from mission.desk import Assessment, Desk
from mission.sensors import DAY
from mission.world.engine import World, load_scenario
from mission.world.telemetry import TRUTHS
from mission.world.units import HOUR

ROOT = Path(__file__).parents[2]
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


def sheets() -> list[tuple[str, str, dict[str, Any]]]:
    """(channel, unit, data sheet) of every channel, as an agent is told it."""
    desk = Desk(World(load_scenario(ROOT / "cases/scenarios/nominal.yaml"), 0), "director", Assessment())
    return [(one["name"], one["unit"], one["instrument"]) for one in tools.list_channels(desk)["channels"]]


@pytest.mark.parametrize(("name", "unit", "sheet"), sheets())
def test_an_instrument_in_order_does_what_its_data_sheet_says(name: str, unit: str, sheet: dict[str, Any]):
    """Noise, bias, drift, step, cadence, delay and losses, measured on readings alone; nothing else is on the sheet."""
    assert set(sheet) <= {
        "cadence_s", "noise_sd", "bias_within", "drift_a_day_within", "behind_s", "step", "lost_share", "range"
    }  # fmt: skip
    channel, cadence, (low, high) = sensors.find(name), sheet["cadence_s"], sheet["range"]
    noise, bias, step = (sheet.get(key, 0.0) for key in ("noise_sd", "bias_within", "step"))
    drift, behind, lost = (sheet.get(key, 0.0) for key in ("drift_a_day_within", "behind_s", "lost_share"))
    truth = 0.5 * (low + high)
    offsets, spreads, missed = list[float](), list[float](), 0
    for seed in range(40):
        read = [sensors.read(channel, seed, cadence * index, lambda t: truth) for index in range(50)]
        values = [one.value - truth for one in read if one.value is not None]
        missed += 50 - len(values)
        offsets.append(statistics.fmean(values))
        spreads.append(statistics.variance(values))
        assert all(abs(math.remainder(one.value, step)) < 1e-5 for one in read if step and one.value is not None)
    if noise >= step:
        expected = math.hypot(noise, step / math.sqrt(12.0))
        assert math.sqrt(statistics.fmean(spreads)) == pytest.approx(expected, rel=0.1)
    else:  # readings that mostly round to the same step
        assert math.sqrt(max(spreads)) <= noise + step
    assert missed == pytest.approx(2000 * lost, abs=4.0 * math.sqrt(2000 * lost))
    room = 5.0 * noise / math.sqrt(50) + step + drift * 50 * cadence / DAY
    assert max(map(abs, offsets)) <= bias + room
    assert bias == 0.0 or max(map(abs, offsets)) > 0.7 * bias - room
    pairs = [[sensors.read(channel, seed, t, lambda t: truth).value for t in (0.0, 400 * DAY)] for seed in range(40)]
    grown = [abs(after - before) for before, after in pairs if before is not None and after is not None]
    noisy = 10 * noise + 2 * step + 1e-6
    assert max(grown) <= 400 * drift + noisy
    assert max(grown) >= 0.8 * 400 * drift - noisy
    asked: list[float] = []
    reading = sensors.read(channel, 3, 100.4 * cadence, lambda t: asked.append(t) or truth)
    assert (reading.t_s, reading.unit) == (100 * cadence, unit)
    assert sensors.read(channel, 3, 100 * cadence - 0.5, lambda t: truth).t_s == 99 * cadence
    assert asked == ([] if reading.value is None else [max(0.0, 100 * cadence - behind)])
    extremes = {sensors.read(channel, 3, cadence, lambda t, end=end: end).value for end in (-1e12, 1e12)}
    assert extremes <= {low, high, None}


def test_a_data_sheet_is_the_same_whatever_was_planted():
    told = set()
    for name in ("nominal", "sensor-drift", "sensor-frozen", "battery-gauge", "oga-false-trip"):
        scenario = load_scenario(ROOT / f"cases/scenarios/{name}.yaml")
        world = World(scenario, 1)
        world.advance(flight.called(scenario))
        told.add(json.dumps(tools.list_channels(Desk(world, "director", Assessment()))))
    assert len(told) == 1


def test_readings_of_a_base_in_order_stay_within_their_data_sheets():
    world = World(load_scenario(ROOT / "cases/scenarios/nominal.yaml"), 5)
    world.advance(12 * HOUR)
    wide: list[str] = []
    for name, _, sheet in sheets():
        for t in (1 * HOUR, 5.3 * HOUR, 11.9 * HOUR):
            reading = world.read(name, t)
            truth = world.truth(name, max(0.0, reading.t_s - sheet.get("behind_s", 0.0)))
            allowed = sheet.get("bias_within", 0.0) + 6 * sheet.get("noise_sd", 0.0) + max(sheet.get("step", 0.0), 1e-6)
            allowed += sheet.get("drift_a_day_within", 0.0) * t / DAY
            if reading.value is not None and abs(reading.value - truth) > allowed:
                wide.append(f"{name} at {t:g}: {reading.value} for {truth}")
    assert wide == []
