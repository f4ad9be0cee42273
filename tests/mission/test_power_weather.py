"""The energy ledger and the clear season outside."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mission.world import weather
from mission.world.engine import World
from mission.world.power import KWH, LOADS, Power, oga_power, shed_to_fit
from mission.world.units import HOUR
from mission.world.weather import SOL, Sky

Fly = Callable[..., World]
SKY = Sky(latitude=-2.0, ls=186.0, ltst=7.0, pressure=640.0, tide=0.02, air_mean=-55.0, air_range=70.0)


def test_the_margin_is_small_and_a_second_bed_turns_it(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    assert world.truth("battery.net") == pytest.approx(0.283, abs=0.001)
    world.command("start_bed", {"unit": "B"})
    assert world.truth("battery.net") == pytest.approx(-0.577, abs=0.001)
    world.command("shed_load", {"load": "galley"})
    assert world.truth("battery.net") == pytest.approx(0.223, abs=0.001)
    assert not world.command("shed_load", {"load": "pumps"}).accepted


def test_oxygen_costs_what_the_iss_unit_takes() -> None:
    assert oga_power(9.2) == pytest.approx(2971.0, rel=0.001)
    assert oga_power(4.92) == pytest.approx(1807.0, rel=0.001)
    assert oga_power(0.0) == 0.0


def test_charging_and_discharging_lose_five_percent_each() -> None:
    power = Power(10_000.0, 120 * KWH, 60 * KWH, {"lab": 9_000.0})
    assert power.battery(HOUR) / KWH == pytest.approx(60.949)
    power.change(HOUR, {"lab": 11_000.0})
    assert power.battery(2 * HOUR) / KWH == pytest.approx(60.949 - 1.0 / 0.949)
    assert power.residual(2 * HOUR) == pytest.approx(0.0, abs=1e-15)


def test_marks_fall_where_the_arithmetic_says(fly: Fly) -> None:
    world = fly("nominal", 0.0, power={"battery_percent": 61.0, "shed": ["rover_charge", "isru"]})
    # 3 kW of lamps and 1.2 kW of suits over a margin of 0.283 kW.
    drain = (4.2 - 0.28276) / 0.949
    world.advance(24 * HOUR)
    marks = [
        (event["soc_percent"], event["t"] / HOUR)
        for event in world.log()
        if event["kind"] == "battery" and event["direction"] == "falling"
    ]
    expected = [(60.0, 1.2), (40.0, 25.2), (30.0, 37.2), (20.0, 49.2)]
    assert marks[0] == (60.0, pytest.approx(expected[0][1] / drain, rel=1e-4))
    assert marks == [(soc, pytest.approx(kwh / drain, rel=1e-4)) for soc, kwh in expected if kwh / drain < 24.0]


def test_at_its_floor_the_battery_drops_loads_in_order(fly: Fly) -> None:
    world = fly("nominal", 20.0, power={"battery_percent": 21.0, "shed": ["isru"]})
    shed = next(event for event in world.log() if event["kind"] == "shed")
    assert shed["loads"] == ["rover_charge", "plant_lamps", "lab"]
    assert world.truth("battery.net") > 0.0
    assert world.truth("battery.soc") > 20.0


def test_a_floor_is_a_floor_for_loads_switched_on_again(fly: Fly) -> None:
    world = fly("nominal", 20.0, power={"battery_percent": 21.0, "shed": ["isru"]})
    first = next(event["t"] for event in world.log() if event["kind"] == "shed")
    again = World.rebuild(world.scenario, world.seed, [], first)
    for load in ("rover_charge", "plant_lamps"):
        again.command("restore_load", {"load": load})
    again.advance(first + HOUR)
    assert again.truth("battery.net") > 0.0
    assert again.truth("battery.soc") >= 20.0 - 1e-6


def test_what_no_load_can_give_up_stops_in_its_order(fly: Fly) -> None:
    """Nothing runs on power that is not there: generator and bed stop, and the CO2 rises."""
    world = fly("nominal", 30.0, power={"fission_kw": 3.0, "battery_percent": 25.0, "shed": []})
    dark = next(event for event in world.log() if event["kind"] == "brown_out")
    assert dark["loads"] == ["oga", "bed_a"]
    power = world.state()["power"]
    assert power["unserved_kwh"] == pytest.approx(0.0, abs=1e-9)
    assert world.truth("battery.net") > 0.0
    assert (world.truth("oga.rate"), world.truth("bed_a.power")) == (0.0, 0.0)
    assert world.truth("core.ppco2") > world.truth("core.ppco2", dark["t"]) + 5.0
    assert abs(world.base.power.residual(world.now)) < 1e-12


def test_without_any_supply_all_stops_but_what_holds_on_to_the_last(fly: Fly) -> None:
    world = fly("nominal", 30.0, power={"fission_kw": 0.0, "battery_percent": 40.0, "shed": []})
    dark = [event["loads"] for event in world.log() if event["kind"] == "brown_out"]
    assert dark == [["oga", "bed_a", "imv", "pumps"]]
    assert set(world.state()["power"]["loads_kw"]) == {"condenser", "avionics", "heaters"}
    assert world.truth("loop_a.flow") == world.truth("loop_b.flow") == 0.0
    assert world.state()["power"]["unserved_kwh"] > 0.0
    assert world.state()["power"]["soc_percent"] == pytest.approx(20.0, abs=1e-4)
    assert abs(world.base.power.residual(world.now)) < 1e-12


def test_what_is_started_again_without_supply_stops_again(fly: Fly) -> None:
    world = fly("nominal", 30.0, power={"fission_kw": 3.0, "battery_percent": 21.0, "shed": []})
    world.command("set_oga", {"kg_per_day": 4.92})
    world.advance(world.now + 24 * HOUR)
    assert world.truth("oga.rate") == 0.0
    assert world.truth("battery.soc") >= 20.0 - 1e-6


def test_a_pump_that_stands_draws_nothing(fly: Fly) -> None:
    world = fly("pump-trip", 2.0)
    assert world.truth("power.load", HOUR - 1.0) - world.truth("power.load") == pytest.approx(0.25)
    assert world.state()["power"]["loads_kw"]["pumps"] == 0.25


def test_a_full_battery_curtails(fly: Fly) -> None:
    world = fly("nominal", 20.0, power={"battery_percent": 99.0})
    full = next(event for event in world.log() if event["kind"] == "battery")
    assert full["soc_percent"] == 100.0
    assert full["t"] / HOUR == pytest.approx(1.2 / 0.949 / 0.28276, rel=1e-3)
    assert world.truth("battery.soc") == pytest.approx(100.0)
    assert world.state()["power"]["curtailed_kwh"] == pytest.approx(0.28276 * (20.0 - full["t"] / HOUR), rel=1e-3)


class TestLimits:
    """C/3 into the cells and 1C out of them, exactly where the curve passes them."""

    def test_more_than_a_third_of_the_capacity_an_hour_is_curtailed(self) -> None:
        power = Power(50_000.0, 120 * KWH, 0.5 * 120 * KWH, {"lab": 2_000.0})
        power.change(0.0, {"lab": 2_000.0}, most_in=40_000.0)
        assert power.battery(HOUR) / KWH == pytest.approx(100.0)
        ledger = power.ledger(HOUR)
        assert ledger.curtailed / KWH == pytest.approx(48.0 - 40.0 / 0.949)
        assert ledger.loss / KWH == pytest.approx(40.0 / 0.949 - 40.0)
        mark = power.next_mark(HOUR)
        assert mark is not None
        assert (mark.soc, mark.t) == (0.95, pytest.approx(HOUR + 14.0 / 40.0 * HOUR, rel=1e-6))
        assert power.residual(HOUR) == pytest.approx(0.0, abs=1e-15)

    def test_more_than_the_capacity_an_hour_is_not_given(self) -> None:
        power = Power(0.0, 10 * KWH, 9 * KWH, {"isru": 12_000.0})
        power.change(0.0, {"isru": 12_000.0}, most_out=10_000.0)
        assert power.battery(HOUR / 2) / KWH == pytest.approx(4.0)
        ledger = power.ledger(HOUR / 2)
        assert (ledger.served / KWH, ledger.unserved / KWH) == pytest.approx((4.745, 6.0 - 4.745))
        assert power.residual(HOUR / 2) == pytest.approx(0.0, abs=1e-15)

    def test_a_small_battery_takes_the_noon_it_can(self, fly: Fly) -> None:
        small = {"battery_percent": 30.0, "battery_kwh": 60.0}
        world = fly("nominal", 12.0, solar={"area_m2": 300.0}, power=small)
        power = world.base.power
        times = [minute * 60.0 for minute in range(720)]
        stored = [power.segment(t).stored(t) / 1e3 for t in times if power.soc(t) < 1.0 - 1e-9]
        assert max(stored) == pytest.approx(20.0)
        limited = [s for s in power._segments if s.regime.fixed and s.regime.curtailed]
        assert limited
        start = limited[0].t0
        assert power.segment(start).net(start) == pytest.approx(20_000.0 / 0.949, abs=1.0)
        assert abs(power.residual(world.now)) < 1e-12

    def test_a_small_battery_cannot_carry_the_base(self, fly: Fly) -> None:
        world = fly("nominal", 1.0, power={"fission_kw": 4.0, "battery_kwh": 4.0, "shed": []})
        shed = next(event for event in world.log() if event["kind"] == "shed")
        assert shed["t"] == 0.0
        assert world.truth("power.load", 1.0) <= 4.0 + 4.0 * 0.949


def test_loads_are_dropped_only_as_far_as_needed() -> None:
    assert shed_to_fit(LOADS, 1e9) == []
    assert shed_to_fit({"isru": 4000.0, "lab": 2000.0, "pumps": 500.0}, 3000.0) == ["isru"]


def test_a_sol_later_it_is_the_same_hour() -> None:
    assert weather.local_time(SKY, SOL) == pytest.approx(7.0, abs=0.01)
    assert weather.local_time(SKY, 3698.97) == pytest.approx(8.0, abs=0.001)


def test_the_year_is_as_long_and_as_lopsided_as_it_is() -> None:
    assert weather.solar_longitude(186.0, weather.YEAR) == pytest.approx(186.0, abs=1e-9)
    # Northern spring (Ls 0 to 90) lasts 193.3 sols and autumn (180 to 270) 142.7.
    assert weather.solar_longitude(0.0, 193.3 * SOL) == pytest.approx(90.0, abs=0.2)
    assert weather.solar_longitude(180.0, 142.7 * SOL) == pytest.approx(270.0, abs=0.2)


def test_the_equation_of_time_has_its_known_extremes() -> None:
    # Minutes, Allison and McEwen 2000: +39.9 near Ls 187.4 and -51.1 near Ls 327.8.
    assert weather.equation_of_time(187.4) * 61.6 == pytest.approx(40.9, abs=0.5)
    assert weather.equation_of_time(327.8) * 61.6 == pytest.approx(-52.5, abs=0.5)


def test_day_length_by_latitude_and_season() -> None:
    assert weather.day_length(0.0, 90.0) == pytest.approx(12.0)
    assert weather.day_length(45.0, 90.0) == pytest.approx(15.69, abs=0.02)
    assert weather.day_length(80.0, 90.0) == 24.0
    assert weather.day_length(-2.0, 186.0) == pytest.approx(12.01, abs=0.02)


def test_daylight_ends_at_sunset() -> None:
    left = weather.daylight_left(SKY, 0.0)
    sunset = weather.sunrise_sunset(SKY, 0.0)[1]
    assert left == pytest.approx((sunset - 7.0) * SOL / 24.0)
    assert weather.daylight_left(SKY, left + 120.0) == 0.0
    assert weather.local_time(SKY, left) == pytest.approx(sunset, abs=0.01)


def test_the_coldest_hour_is_six() -> None:
    at_6 = SOL - SOL / 24.0
    assert weather.air_temperature(SKY, at_6) == pytest.approx(-90.0, abs=0.01)
    assert weather.air_temperature(SKY, at_6 - SOL / 2.0) == pytest.approx(-20.0, abs=0.01)
    assert weather.site_pressure(SKY, at_6) == pytest.approx(1.02 * weather.season_mean(SKY, at_6), rel=1e-6)
    assert weather.site_pressure(SKY, at_6) == pytest.approx(616.0, abs=1.0)


def test_the_season_moves_the_pressure_by_thirteen_percent() -> None:
    year = {ls: weather.season_pressure(float(ls)) for ls in range(360)}
    lowest, highest = min(year, key=lambda ls: year[ls]), max(year, key=lambda ls: year[ls])
    assert (lowest, year[lowest]) == (148, pytest.approx(0.87, abs=0.005))
    assert (highest, year[highest]) == (256, pytest.approx(1.13, abs=0.005))
    assert sum(year.values()) / 360 == pytest.approx(1.0, abs=1e-9)
    # Viking 1 measured 7.65 mbar at Ls 97; over its year the mean is 7.95.
    assert year[97] == pytest.approx(7.65 / 7.95, abs=0.005)
