"""Storms, wind, sight and forecasts."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import pytest

from mission import incidents
from mission.world import solar, weather
from mission.world.engine import World
from mission.world.forecast import forecast
from mission.world.storm import KNOT, Outside, Season, Storm, knot, season_tau
from mission.world.units import HOUR, at_or_after
from mission.world.weather import SOL, Sky

Fly = Callable[..., World]
SKY = Sky(latitude=-2.0, ls=186.0, ltst=7.0, pressure=640.0, tide=0.02, air_mean=-55.0, air_range=70.0)
NUMBERS = incidents.find("dust_storm").numbers


def season(tau: float = 0.5, noise: float = 0.0, *, gusty: bool = False, seed: int = 1) -> Season:
    return Season(tau, False, noise, 4.5, gusty, seed)


def storm(kind: str, onset: float = 0.0) -> Storm:
    from mission.incidents.dust_storm import PROFILES

    return Storm(onset, kind, **PROFILES[kind])  # type: ignore[arg-type]


def test_what_the_array_loses_by_depth() -> None:
    clear = solar.daily_insolation(-2.0, 186.0, 0.6)
    for tau, name in ((1.0, "1"), (2.1, "2_1"), (3.0, "3"), (5.0, "5")):
        loss = 100.0 * (1.0 - solar.daily_insolation(-2.0, 186.0, tau) / clear)
        assert loss == pytest.approx(NUMBERS[f"loss_percent_at_{name}"], abs=0.5)


def test_what_the_base_has_by_depth(fly: Fly) -> None:
    for tau, name in ((0.5, "0_5"), (2.0, "2"), (5.0, "5"), (10.8, "10_8")):
        site = {"tau": tau}
        world = fly("nominal", SOL / HOUR, site=site, solar={"area_m2": 300, "dust_per_sol": 0.0})
        supply = 10.0 + world.state()["solar"]["energy_last_sol_kwh"] / (SOL / HOUR)
        assert supply == pytest.approx(NUMBERS[f"supply_kw_at_{name}"], abs=0.05)
        assert world.state()["solar"]["beyond_tables"] is (tau > 6.0)


def test_nothing_jumps_when_a_storm_begins(fly: Fly) -> None:
    world = fly("dust-storm-regional", 7.0)
    for channel in ("site.tau", "site.pressure", "site.temperature", "site.visibility", "solar.power"):
        before, after = (world.truth(channel, 6 * HOUR + dt) for dt in (-1e-3, 1e-3))
        assert after == pytest.approx(before, rel=1e-5)


def test_the_tide_doubles_before_the_dust_comes() -> None:
    calm, stormy = Outside(SKY, season()), Outside(SKY, season(), (storm("global"),))
    swings = []
    for outside in (calm, stormy):
        times = [(1.0 + step / 48) * SOL for step in range(49)]
        day = [outside.pressure(t) - weather.season_mean(SKY, t) for t in times]
        swings.append(max(day) - min(day))
    assert swings[1] / swings[0] == pytest.approx(2.0, abs=0.01)
    assert stormy.tau(1.2 * SOL) < 0.8


def test_dust_evens_the_day_out() -> None:
    outside = Outside(SKY, season(), (storm("global"),))
    for day, swing, mean in ((0.0, 70.0, -55.0), (8.0, 20.0, -59.0)):
        temperatures = [outside.temperature((day - 0.5 + step / 48) * SOL) for step in range(49)] if day else [
            Outside(SKY, season()).temperature(step / 48 * SOL) for step in range(49)
        ]  # fmt: skip
        assert max(temperatures) - min(temperatures) == pytest.approx(swing, abs=1.0)
        assert statistics.mean(temperatures) == pytest.approx(mean, abs=1.0)


def test_sight_stays_in_kilometres_even_at_the_worst() -> None:
    for tau, km in ((0.5, 91.0), (2.0, 22.7), (5.0, 9.1), (8.5, 5.3), (10.8, 4.2)):
        outside = Outside(SKY, season(tau))
        noon = 5.0 * SOL / 24.0
        assert outside.visibility(noon) == pytest.approx(km, rel=0.01)
        morning, evening = outside.visibility(23.0 / 24.0 * SOL), outside.visibility(11.0 / 24.0 * SOL)
        assert (noon_ratio := morning / outside.visibility(noon)) == pytest.approx(1 / 1.2, rel=0.01), noon_ratio
        assert evening / outside.visibility(noon) == pytest.approx(1 / 0.8, rel=0.01)


def test_wind_has_its_mean_its_spread_and_its_storms() -> None:
    winds = [season(gusty=True).mean_wind(hour * HOUR) for hour in range(2000)]
    assert statistics.mean(winds) == pytest.approx(4.5, rel=0.05)
    assert statistics.stdev(winds) / statistics.mean(winds) == pytest.approx(0.523, rel=0.05)
    stormy = Outside(SKY, season(), (storm("regional"),))
    assert stormy.wind(4 * SOL) == pytest.approx(9.0, rel=0.05)
    assert stormy.gust(4 * SOL) == pytest.approx(20.0, abs=1.0)
    gusts = [Outside(SKY, season(gusty=True)).gust(hour * HOUR) for hour in range(5000)]
    assert 20.0 < max(gusts) <= 45.0


def test_clear_noise_has_its_size_and_its_memory() -> None:
    clear = season(noise=0.05)
    values = [clear.noise_at(knot * 0.25 * SOL) for knot in range(8000)]
    assert statistics.stdev(values) == pytest.approx(0.05, rel=0.1)
    assert statistics.correlation(values[:-12], values[12:]) == pytest.approx(2.71828**-1, abs=0.07)


def test_what_is_drawn_does_not_depend_on_who_asks_first() -> None:
    forward, backward = season(noise=0.05), season(noise=0.05)
    times = [step * 0.1 * SOL for step in range(100)]
    ahead = [forward.noise_at(t) for t in times]
    assert ahead == [backward.noise_at(t) for t in reversed(times)][::-1]


def test_the_season_of_viking_1_is_read_between_its_points() -> None:
    assert season_tau(0.0) == season_tau(360.0) == 0.65
    assert season_tau(207.5) == pytest.approx(2.2)
    seasonal = Outside(SKY, Season(0.5, True, 0.0, 4.5, False, 1))
    assert seasonal.tau(0.0) == pytest.approx(1.08, abs=0.01)


def test_forecasts_err_by_what_they_say() -> None:
    errors: dict[int, list[float]] = {1: [], 2: [], 4: []}
    for seed in range(400):
        said = forecast(Outside(SKY, season(2.5, seed=seed)), 0.0, 0.5, 0.0)
        for lead, tau in said.tau.items():
            errors[lead].append(tau - 2.5)
    for lead, deviation in ((1, 0.15), (2, 0.3), (4, 0.6)):
        assert statistics.stdev(errors[lead]) == pytest.approx(deviation, rel=0.12)
        assert statistics.mean(errors[lead]) == pytest.approx(0.0, abs=0.2 * deviation)


def test_a_forecast_lags_and_can_be_false() -> None:
    rising = Outside(SKY, season(), (storm("global", onset=0.8 * SOL),))
    assert forecast(rising, 1.0 * SOL, 0.5, 0.0).tau[4] < 2.5
    assert forecast(rising, 2.0 * SOL, 0.5, 0.0).tau[4] > 5.0
    alarms = [
        forecast(Outside(SKY, season(seed=seed)), 0.0, 0.5, 0.3).tau[2] > 1.3 for seed in range(400)
    ]  # fmt: skip
    assert sum(alarms) / 400 == pytest.approx(0.28, abs=0.06)


def test_a_storm_to_come_is_in_no_channel(fly: Fly) -> None:
    """Until its onset a world with a storm reads as one without."""
    stormy, calm = fly("dust-storm-regional", 5.9), fly("dust-storm-regional", 5.9, incidents=[])
    from mission import sensors

    for channel in sensors.channels("weather-navigation"):
        assert stormy.read(channel.name) == calm.read(channel.name)


def test_the_map_shows_the_front_long_before_the_dust(fly: Fly) -> None:
    calm = fly("storm-false-alarm", 30.0).check("orbital_map", {})
    assert calm.measured["storm_distance"] == calm.nominal["storm_distance"] == 5000.0
    world = fly("dust-storm-regional", 30.0)
    seen = world.check("orbital_map", {})
    assert seen.measured["storm_distance"] == pytest.approx(1500.0 * (1 - (31.5 - 6.0) * HOUR / SOL / 2.0), abs=100.0)
    assert world.truth("site.tau") < 1.5
    assert (seen.duration_s, seen.energy_kwh) == (5400.0, pytest.approx(0.09))


def test_strings_tell_a_storm_from_a_fault(fly: Fly) -> None:
    storm_world = fly("dust-storm-regional", 3 * SOL / HOUR + 4.0)
    broken = fly("array-string-out", 4.0).check("string_compare", {})
    dusty = storm_world.check("string_compare", {})
    assert broken.measured["string_3"] == 0.0
    assert broken.measured["string_1"] == pytest.approx(broken.nominal["string_1"], rel=0.05)
    shares = [dusty.measured[f"string_{n}"] / dusty.nominal[f"string_{n}"] for n in range(1, 7)]
    assert max(shares) - min(shares) < 0.06
    assert statistics.mean(shares) < 0.8


def test_the_albedo_camera_tells_dust_in_the_air_from_dust_on_the_array(fly: Fly) -> None:
    soiled = fly("array-soiled", 4.0).check("albedo_camera", {})
    assert soiled.measured["beam_share"] == pytest.approx(soiled.nominal["beam_share"], abs=2.0)
    stormy = fly("dust-storm-regional", 3 * SOL / HOUR + 4.0).check("albedo_camera", {})
    assert stormy.measured["beam_share"] < 0.6 * stormy.nominal["beam_share"]
    assert stormy.measured["visibility"] < 0.6 * stormy.nominal["visibility"]


def test_checks_of_the_array_need_light(fly: Fly) -> None:
    night = fly("array-soiled", 14.0)
    with pytest.raises(ValueError, match="no light on the array"):
        night.check("string_compare", {})
    with pytest.raises(ValueError, match="the sun is too low"):
        night.check("albedo_camera", {})
    with pytest.raises(ValueError, match="the array is stowed"):
        fly("nominal").check("string_compare", {})
    assert night.now == 14.0 * HOUR


def test_every_knot_is_in_the_knot_that_begins_there() -> None:
    """Where a knot falls on the clock's grid its quotient may round down; a watch would then fire there for ever."""
    for index in range(1, 3000):
        assert knot(index * KNOT) == index
        assert knot(at_or_after(index * KNOT)) == index
        assert knot(index * KNOT - 0.001) == index - 1
    assert any(at_or_after(index * KNOT) == index * KNOT for index in range(1, 3000))


def test_forty_sols_with_a_drifting_gauge_and_a_dusty_radiator_come_to_an_end(fly: Fly) -> None:
    world = fly(
        "nominal",
        40.0 * SOL / HOUR,
        battery={"gauge_error_percent": 1.0, "gauge_drift_percent_sol": 0.1},
        thermal={"radiator_dust": 0.1},
        power={"battery_percent": 50.0, "shed": ["plant_lamps", "suit_recharge", "rover_charge"]},
        site={"tau": 0.5},
    )
    assert world.now >= 40.0 * SOL - 1.0


def test_the_air_of_a_hundred_sols_stays_below_its_fire_bound(fly: Fly) -> None:
    """What the generator makes beyond what people use adds up: the longest scenario is set to a little less."""
    world = fly("dust-storm-global", 2466.0)
    assert [event for event in world.log() if event.get("quantity") in ("o2_share", "pio2")] == []
    assert 100.0 * world.truth("core.ppo2") / world.truth("core.pressure") == pytest.approx(27.5, abs=0.1)
    assert world.truth("tank.o2") > 40.0
