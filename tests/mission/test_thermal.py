"""Heat and coolant: the reference figures, exact modes, closed ledgers, and the incidents I10 and I9 (glycol)."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from mission import incidents, rules, sensors
from mission.world import cabin_heat, coolant, radiator
from mission.world.cabin_heat import Hull, Outside
from mission.world.engine import Scenario, World
from mission.world.exponential import exp_sum
from mission.world.radiator import Surroundings
from mission.world.storm import KNOT, knot
from mission.world.thermal import Thermal
from mission.world.thermal_section import ThermalSection
from mission.world.thermal_segment import STEP
from mission.world.units import HOUR, MINUTE
from mission.world.wave import OMEGA, Wave, constant, when
from mission.world.weather import SOL

Fly = Callable[..., World]
enforces = pytest.mark.enforces
WARM = {
    zone: {"ppco2_mmhg": 2.7, "temperature_c": 22.0, "humidity_percent": 43.0} for zone in ("core", "lab", "airlock")
}
STEADY: dict[str, Any] = {
    "zones": WARM,
    "sleep": {"start_h": 23.9, "length_h": 0.1},
    "thermal": {"sink_swing_k": 0.0},
}
"""From 22 C, nobody sleeps, and the outside has no day: as the reference figures assume."""
PUMP = incidents.find("pump_trip").numbers
LEAK = incidents.find("coolant_leak").numbers


def planted(name: str, **parameters: object) -> list[dict[str, object]]:
    return [{"incident": name, "onset_h": 0.0, "parameters": parameters}]


def thermal(world: World) -> Thermal:
    block: Thermal = world.base.part("thermal")
    return block


def marked(world: World, celsius: float) -> float:
    """Hours at which the core first warmed past a mark."""
    return next(
        event["t"] / HOUR
        for event in world.log()
        if event["kind"] == "thermal" and event.get("mark_c") == celsius and event["zone"] == "core"
    )


def lines(world: World, kind: str) -> list[dict[str, Any]]:
    return [event for event in world.log() if event["kind"] == kind]


class TestPhysics:
    def test_a_network_agrees_with_an_ode_solver(self) -> None:
        hulls = (Hull(3e6, 2.5e5, 2000.0, 40.8), Hull(1.5e6, 1.5e5, 1000.0, 20.4))
        swing, mean = 8.0 * np.exp(0.7j), 213.15
        response = cabin_heat.respond(
            1000.0, hulls, 55.0, Outside(mean, swing), (1900.0, None), (296.0, 294.0), (290.0, 293.0)
        )

        def slopes(t: float, y: Any) -> list[float]:
            out = mean + (swing * np.exp(1j * OMEGA * (t - 1000.0))).real
            return [
                (1900.0 - 2000.0 * (y[0] - y[1]) - 55.0 * (y[0] - 294.0)) / 3e6,
                (2000.0 * (y[0] - y[1]) - 40.8 * (y[1] - out)) / 2.5e5,
                (1000.0 * (294.0 - y[2]) - 20.4 * (y[2] - out)) / 1.5e5,
            ]

        times = [5e3, 5e4, 2e5]
        found = solve_ivp(
            slopes, (1000.0, 2e5), [296.0, 290.0, 293.0], t_eval=times, rtol=1e-11, atol=1e-9, method="DOP853"
        )
        for t, values in zip(times, found.y.T, strict=True):
            ours = (response.air[0](t), response.shell[0](t), response.shell[1](t))
            assert ours == pytest.approx(tuple(values), rel=1e-9)
        assert response.air[1](1e5) == 294.0

    @given(
        st.floats(-50, 50),
        st.floats(-5e-3, 5e-3),
        st.floats(0, 20),
        st.floats(0, 6.28),
        st.floats(-40, 40),
        st.booleans(),
    )
    @settings(max_examples=60, deadline=None)
    def test_a_crossing_is_found_where_a_fine_grid_finds_it(
        self, start: float, slope: float, size: float, phase: float, level: float, rising: bool
    ) -> None:
        wave = Wave(0.0, exp_sum(start, [(2e-5, slope)]), size * complex(math.cos(phase), math.sin(phase)))
        found = when(wave, level, rising=rising)(0.0, 2e5)
        grid = np.linspace(0.0, 2e5, 20_001)
        values = np.array([wave(t) for t in grid])
        over = np.flatnonzero(values >= level if rising else values <= level)
        if len(over):
            assert found is not None
            assert found <= grid[over[0]] + 1e-5
        if found is not None:
            assert wave(found) == pytest.approx(level, abs=1e-6) or found == 0.0
            # Between two points of the grid a crest rises by 3e-6 at most.
            near = np.flatnonzero(values >= level - 1e-5 if rising else values <= level + 1e-5)
            assert found >= grid[max(near[0] - 1, 0)] - 1e-5

    def test_an_integral_is_the_integral(self) -> None:
        wave = Wave(50.0, exp_sum(3.0, [(1e-4, 0.02)]), 2.0 + 1.0j)
        grid = np.linspace(50.0, 40_050.0, 40_001)
        assert wave.integral(40_050.0) == pytest.approx(np.trapezoid([wave(t) for t in grid], grid), rel=1e-8)
        assert constant(10.0, 4.0).integral(20.0) == 40.0

    def test_the_radiator_sheds_what_the_reference_says(self) -> None:
        one = ThermalSection(radiator_m2=1.0)
        assert radiator.bound(one, Surroundings(180.0, 220.0)) == pytest.approx(377.0, abs=1.0)
        clean, dusty = (radiator.bound(one, Surroundings(180.0, 220.0, 400.0, dust)) for dust in (0.0, 0.11))
        assert 377.0 - clean == pytest.approx(0.2 * 400.0, abs=1.0)
        assert clean - dusty == pytest.approx(0.2 * 400.0)

    @given(st.floats(0.1, 15.0), st.floats(150.0, 209.0))
    def test_the_sky_warms_with_the_dust_and_stays_in_its_range(self, tau: float, clear: float) -> None:
        assert radiator.sky_kelvin(clear, 0.5) == pytest.approx(clear)
        assert clear - 1e-9 <= radiator.sky_kelvin(clear, tau) <= radiator.sky_kelvin(clear, tau + 1.0) <= 210.0


class TestRest:
    def test_a_healthy_base_holds_its_temperature_without_events(self, fly: Fly) -> None:
        world = fly("nominal", 24.0)
        assert [e for e in world.log() if e["kind"] in ("thermal", "coolant")] == []
        seen = [world.truth("core.temperature", hour * HOUR) for hour in range(24)]
        assert seen == pytest.approx([21.85] * 24, abs=1e-9)
        assert thermal(world).segment(HOUR).modes == ("held", "held")
        assert sum(thermal(world).segment(0.5 * HOUR).gains) == pytest.approx(12_000.0, abs=1.0)
        assert world.truth("thermal.heat_load", 0.0) == pytest.approx(7.09, abs=0.2)

    def test_a_temperature_that_is_given_is_a_new_set_point(self, fly: Fly) -> None:
        world = fly("cabin-cooling", 5.0)
        assert world.truth("core.temperature", 3.5 * HOUR) == pytest.approx(21.35)
        assert world.truth("lab.temperature") == pytest.approx(20.85)

    def test_check_28_cooling_stays_below_the_radiator_bound(self, fly: Fly) -> None:
        world = fly("nominal", 24.0, thermal={"radiator_m2": 18.0})
        block, hours = thermal(world), [quarter / 4.0 for quarter in range(96)]
        bounds = {hour: block.exposure.bound(knot(hour * HOUR)) for hour in hours}
        assert all(block.cooling(hour * HOUR) <= bounds[hour] * (1.0 + 1e-9) for hour in hours)
        noon = 5.0
        assert block.cooling(noon * HOUR) == pytest.approx(bounds[noon]) == pytest.approx(5_340.0, abs=50.0)
        assert world.truth("thermal.radiator_bound", noon * HOUR) == pytest.approx(bounds[noon] / 1e3)
        assert world.truth("core.temperature", 12.0 * HOUR) > 22.5
        assert world.truth("thermal.radiator_temperature", noon * HOUR) == pytest.approx(290.0 - 273.15, abs=0.01)

    @pytest.mark.parametrize("name", ["nominal", "pump-trip", "coolant-leak", "valve-stuck-cold", "cabin-cooling"])
    def test_heat_is_accounted_for_at_every_event(self, fly: Fly, name: str) -> None:
        world = fly(name, 24.0)
        block = thermal(world)
        for t in sorted({event["t"] for event in world.log()} | {24 * HOUR}):
            ledger = block.ledger(t)
            stored = block.stored(t) - block.stored(0.0)
            left = ledger.gained + ledger.given - ledger.cooled - ledger.lost - stored
            assert abs(left) < 1e-9 * max(ledger.gained, 1.0)

    def test_a_temperature_that_is_given_brings_its_heat(self, fly: Fly) -> None:
        world = fly("cabin-cooling", 5.0)
        # Core and lab from 21.85 to 20.85 C; their air and equipment hold 4.5 MJ/K.
        assert thermal(world).ledger(world.now).given == pytest.approx(-4.5e6)

    def test_the_air_block_is_told_in_quarter_degrees(self, fly: Fly) -> None:
        world = fly("pump-trip", 12.0)
        gaps = [
            abs(world.truth("core.temperature", t) - world.base.air.config_at(t).temperatures[0] + 273.15)
            for t in np.arange(0.0, 12 * HOUR, 311.0)
        ]
        assert 0.2 < max(gaps) <= STEP + 1e-6


class TestPumpTrip:
    def test_the_reference_hours(self, fly: Fly) -> None:
        world = fly("pump-trip", 12.0, incidents=planted("pump_trip"), **STEADY)
        assert marked(world, 27.0) == pytest.approx(PUMP["hours_to_27_c_one_loop_steady"], abs=0.05)
        assert world.truth("thermal.heat_input") == pytest.approx(PUMP["heat_kw"], abs=0.01)
        assert world.truth("thermal.heat_load") == pytest.approx(PUMP["loop_kw"])
        hull = world.truth("thermal.heat_load", 0.0) + world.base.scenario.thermal.loss_w_k * 82.0 / 1e3
        assert hull == pytest.approx(PUMP["heat_kw_one_loop_holds"], abs=0.05)
        plate = next(e["t"] for e in lines(world, "thermal") if e.get("event") == "cold plate warm")
        assert plate / HOUR == pytest.approx(PUMP["hours_to_warm_cold_plate"], rel=0.01)
        world.advance(300 * HOUR)
        assert world.truth("core.temperature") == pytest.approx(PUMP["limit_c_one_loop"], abs=0.5)

    def test_the_hours_of_the_shipped_scenario(self, fly: Fly) -> None:
        world = fly("pump-trip", 12.0)
        assert marked(world, 27.0) - 1.0 == pytest.approx(PUMP["hours_to_27_c_one_loop"], abs=0.05)
        rise = world.truth("core.temperature", 2 * HOUR) - world.truth("core.temperature", HOUR)
        assert rise == pytest.approx(PUMP["rise_k_first_hour"], abs=0.05)
        assert world.truth("loop_b.return_temperature", 2 * HOUR) == pytest.approx(PUMP["warmest_return_c"])

    def test_what_goes_in_comes_out_or_warms_the_base(self, fly: Fly) -> None:
        """The power and thermal officer's own balance, from its channels alone, gives the reference hours."""
        world = fly("pump-trip", 4.0)
        channels = {channel.name for channel in sensors.channels("thermal")}
        assert {"thermal.heat_input", "thermal.heat_load", "thermal.radiator_bound"} <= channels
        gained = world.read("thermal.heat_input").value or 0.0
        carried = world.read("thermal.heat_load").value or 0.0
        lost = 0.060 * (world.truth("core.temperature") + 60.0)
        hours = 4.9e6 / 3.6e6 * (27.0 - world.truth("core.temperature")) / (gained - carried - lost)
        assert hours == pytest.approx(marked(fly("pump-trip", 12.0), 27.0) - 4.0, rel=0.15)

    def test_check_16_both_loops_lost(self, fly: Fly) -> None:
        world = fly("pump-trip", 3.0, incidents=planted("pump_trip", both_loops=True), **STEADY)
        assert marked(world, 27.0) == pytest.approx(PUMP["hours_to_27_c_no_loop"], rel=0.06)

    def test_the_pump_shows_it_and_the_cabin_does_not_yet(self, fly: Fly) -> None:
        world = fly("pump-trip", 2.0)
        assert (world.truth("loop_a.pump_speed"), world.truth("loop_a.flow")) == (0.0, 0.0)
        assert world.truth("loop_b.return_temperature") == pytest.approx(19.0, abs=0.1)
        assert world.truth("core.temperature") == pytest.approx(22.6, abs=0.25)
        result = world.check("pump_dp", {"loop": "a"})
        assert result.measured["pressure_rise"] == pytest.approx(0.0, abs=1.5)
        assert result.nominal == {"pressure_rise": 60.0, "current": 1.6}
        assert world.check("pump_dp", {"loop": "b"}).measured["pressure_rise"] == pytest.approx(60.0, abs=1.5)

    @enforces("FR-11", "loop")
    def test_one_loop_carries_what_the_rule_says(self, fly: Fly) -> None:
        world = fly("pump-trip", 6.0)
        assert world.truth("thermal.heat_load") == pytest.approx(rules.number("FR-11", "loop"))

    def test_right_shedding_to_nine_kilowatts_brings_it_back(self, fly: Fly) -> None:
        world = fly("pump-trip", 3.0, **STEADY)
        for load in ("lab", "galley"):
            world.command("shed_load", {"load": load})
        assert sum(thermal(world).last.gains) == pytest.approx(9_200.0, abs=10.0)
        warm = world.truth("core.temperature")
        world.advance(20 * HOUR)
        assert warm > 22.5
        assert world.truth("core.temperature") == pytest.approx(22.0, abs=1e-6)
        assert thermal(world).last.modes == ("held", "held")

    def test_swapping_loads_cools_the_plate(self, fly: Fly) -> None:
        world = fly("pump-trip", 3.5)
        assert world.truth("thermal.coldplate_temperature") > 40.0
        world.command("swap_loads", {"to": "b"})
        world.advance(7 * HOUR)
        assert world.truth("thermal.coldplate_temperature") == pytest.approx(14.0, abs=0.5)
        assert world.truth("thermal.coldplate_temperature", HOUR) == pytest.approx(14.0)

    def test_the_first_restart_is_safe_and_works_on_a_healthy_pump(self, fly: Fly) -> None:
        world = fly("pump-trip", 2.0, incidents=planted("pump_trip", restartable=True))
        world.command("restart_pump", {"loop": "a"})
        world.advance(world.now + 5 * MINUTE)
        assert world.truth("loop_a.pump_speed") == 11800.0
        world.advance(10 * HOUR)
        assert world.truth("core.temperature") == pytest.approx(21.85, abs=1e-6)

    @enforces("FR-11", "burn_out")
    def test_every_restart_after_the_first_burns_out_fifteen_in_a_hundred(self, fly: Fly) -> None:
        burnt = 0
        for number in range(80):
            world = fly("pump-trip", 0.1, id=f"pump-{number}", incidents=planted("pump_trip"))
            for _ in range(2):
                world.command("restart_pump", {"loop": "a"})
                world.advance(world.now + 5 * MINUTE)
            first, second = (e for e in lines(world, "coolant") if e["event"] == "restart")
            assert not first["burnt"]
            burnt += second["burnt"]
        # 80 at 15 %: 12, sd 3.2.
        assert 4 <= burnt <= 22

    def test_a_stopped_line_freezes_before_dawn_unless_it_is_heated(self, fly: Fly) -> None:
        site = {"ltst_h": 18.0}
        world = fly("pump-trip", 16.0, site=site)
        frozen = next(e for e in lines(world, "coolant") if e["event"] == "frozen")
        assert frozen["where"] == "line"
        assert world.truth("loop_a.line_temperature", frozen["t"]) == pytest.approx(-78.0, abs=1e-6)
        heated = fly("pump-trip", 1.5, site=site)
        heated.command("loop_heater", {"loop": "a", "on": True})
        heated.advance(16 * HOUR)
        assert not [e for e in lines(heated, "coolant") if e["event"] == "frozen"]
        assert heated.state()["power"]["loads_kw"]["loop_a_heater"] == 0.25


class TestSky:
    """Storms and the day reach the radiator and the lines outside."""

    def test_a_clear_sky_never_binds_a_clean_radiator(self, fly: Fly) -> None:
        for ls in range(0, 360, 30):
            block = thermal(fly("nominal", 0.1, site={"ls_deg": float(ls), "tau": 0.3}))
            assert min(block.exposure.bound(quarter) for quarter in range(4)) > 12_000.0

    def test_a_storm_shades_the_radiator_by_day_and_warms_its_sky_by_night(self, fly: Fly) -> None:
        world = fly("dust-storm-global", 290.0)
        block = thermal(world)
        bounds = [block.exposure.bound(quarter) / 1e3 for quarter in range(44)]
        assert (bounds[0], bounds[3]) == pytest.approx((12.5, 17.1), abs=0.1)
        assert (bounds[40], bounds[43]) == pytest.approx((13.8, 14.6), abs=0.1)
        night = [world.truth("thermal.radiator_temperature", (day + 0.85) * SOL) for day in (0, 8)]
        assert night[1] - night[0] > 8.0

    def test_dust_that_stays_on_it_doubles_what_the_sun_gives_it(self, fly: Fly) -> None:
        section, light = ThermalSection(radiator_dust=0.11), fly("nominal", 0.1).base.part("solar").light
        block = thermal(fly("nominal", 0.1))
        sun = block.exposure.around(radiator.middle(0)).sun
        dusty = thermal(fly("nominal", 0.1, thermal={"radiator_dust": 0.11})).exposure.bound(0)
        assert sun == pytest.approx(499.4, abs=0.5)
        assert block.exposure.bound(0) - dusty == pytest.approx(section.radiator_m2 * 0.2 * sun, rel=0.01)
        assert light.kept(0.0, SOL) == pytest.approx(0.998, abs=1e-4)
        assert block.exposure.clean(100 * SOL) == pytest.approx(light.kept(0.0, 100 * SOL) ** 0.2)

    def test_a_dusty_radiator_warms_the_cabin_by_day_and_lets_it_cool_by_night(self, fly: Fly) -> None:
        world = fly("nominal", 24.0, thermal={"radiator_dust": 0.15})
        seen = [world.truth("core.temperature", hour * HOUR) for hour in range(25)]
        assert seen[0] == pytest.approx(21.85)
        assert max(seen) == pytest.approx(22.93, abs=0.05)
        assert seen[24] == pytest.approx(21.85, abs=1e-6)
        assert world.truth("loop_a.flow", 6 * HOUR) == 414.0

    def test_the_bound_is_constant_between_knots_and_first_changes_at_one(self, fly: Fly) -> None:
        world = fly("nominal", 24.0, thermal={"radiator_dust": 0.15})
        caps = {segment.t0: sum(segment.caps) for segment in thermal(world).course.segments}
        for t, cap in caps.items():
            assert cap == pytest.approx(min(12_000.0, thermal(world).exposure.bound(knot(t))))
        changes = [b for a, b in pairwise(sorted(caps)) if caps[a] != caps[b]]
        assert changes[0] == pytest.approx(KNOT)

    def test_under_thick_dust_a_stopped_line_does_not_freeze(self, fly: Fly) -> None:
        site = {"ltst_h": 18.0}
        storm = [{"incident": "dust_storm", "onset_h": 0.0, "parameters": {"kind": "global"}}]
        pump = [{"incident": "pump_trip", "onset_h": 150.0, "parameters": {}}]
        for faults, freezes in ((pump, True), (storm + pump, False)):
            world = fly("pump-trip", 180.0, site=site, incidents=faults)
            frozen = [e for e in lines(world, "coolant") if e["event"] == "frozen"]
            assert bool(frozen) is freezes
        coldest = min(world.truth("loop_a.line_temperature", (150 + hour) * HOUR) for hour in range(31))
        assert -72.0 < coldest < -65.0

    def test_a_line_that_stands_obeys_its_own_equation_through_a_storm(self, fly: Fly) -> None:
        faults = [
            {"incident": "dust_storm", "onset_h": 0.0, "parameters": {"kind": "global"}},
            {"incident": "pump_trip", "onset_h": 100.0, "parameters": {}},
        ]
        world = fly("pump-trip", 150.0, incidents=faults)
        for hour in (102.0, 115.0, 130.0, 149.0):
            t = hour * HOUR
            value, loop = (world.truth("loop_a.line_temperature", t), thermal(world).loops["a"].at(t))
            slope = (
                world.truth("loop_a.line_temperature", t + 20.0) - world.truth("loop_a.line_temperature", t - 20.0)
            ) / 40.0
            outside = loop.air[0] + loop.air[1] * thermal(world)._phasor(t).real
            assert slope == pytest.approx((outside - value) / coolant.LINE_TAU, abs=1e-6)
        assert len({segment.air for segment in thermal(world).loops["a"]._states}) > 5


class TestValve:
    def test_it_freezes_after_an_hour_and_twenty_minutes(self, fly: Fly) -> None:
        world = fly("valve-stuck-cold", 2.0)
        assert world.truth("loop_a.supply_temperature") == pytest.approx(1.0)
        assert world.truth("loop_b.supply_temperature") == 4.0
        world.advance(4 * HOUR)
        frozen = next(e for e in lines(world, "coolant"))
        assert (frozen["t"] / HOUR - 1.0) == pytest.approx(PUMP["hours_to_freeze"], abs=0.004)
        assert world.truth("loop_a.flow") == 0.0

    def test_a_pump_against_a_frozen_exchanger_turns_draws_half_and_stands_at_its_shut_off(self, fly: Fly) -> None:
        world = fly("valve-stuck-cold", 2.0)
        power = world.base.power.segment(world.now).loads["pumps"]
        world.advance(4 * HOUR)
        shown = [world.truth(f"loop_a.pump_{what}") for what in ("speed", "current")]
        assert shown == [11800.0, 0.8]
        assert world.base.power.segment(world.now).loads["pumps"] == 0.75 * power
        found = world.check("pump_dp", {"loop": "a"})
        assert found.measured["pressure_rise"] == pytest.approx(75.0, abs=1.5)
        assert found.measured["current"] == pytest.approx(0.8, abs=0.05)
        assert world.check("pump_dp", {"loop": "b"}).measured["pressure_rise"] == pytest.approx(60.0, abs=1.5)

    @pytest.mark.parametrize(
        ("command", "parameters", "end"),
        [("bypass_fcv", {}, 4.0), ("loop_heater", {"on": True}, 9.4)],
    )
    def test_right_a_bypass_or_the_heater_saves_the_loop(
        self, fly: Fly, command: str, parameters: dict[str, Any], end: float
    ) -> None:
        world = fly("valve-stuck-cold", 1.6)
        assert world.command(command, {"loop": "a", **parameters}).accepted
        world.advance(20 * HOUR)
        assert world.truth("loop_a.supply_temperature") == pytest.approx(end)
        assert world.truth("loop_a.flow") == 414.0
        assert world.truth("core.temperature") == pytest.approx(21.85, abs=1e-6)


@pytest.mark.parametrize("name", ["pump-trip", "valve-stuck-cold"])
def test_a_loop_that_is_told_afresh_goes_on_as_it_would(fly: Fly, name: str) -> None:
    plain, told = fly(name, 9.0), fly(name)
    for minutes in range(13, 540, 37):
        told.advance(minutes * MINUTE)
        for loop in ("a", "b"):
            thermal(told).change_loop(loop)
    told.advance(9 * HOUR)
    for channel in ("loop_a.supply_temperature", "loop_a.accumulator_level", "core.humidity", "core.temperature"):
        assert told.truth(channel) == pytest.approx(plain.truth(channel), rel=1e-11)


class TestCoolantLeak:
    def test_an_empty_accumulator_drives_no_leak(self, fly: Fly) -> None:
        world = fly("coolant-leak", 30.0)
        assert world.truth("lab.glycol") == pytest.approx(world.truth("lab.glycol", 17.5 * HOUR), rel=0.05)

    def test_it_is_empty_after_sixteen_hours(self, fly: Fly) -> None:
        world = fly("coolant-leak", 23.0)
        dry = next(e for e in lines(world, "coolant"))
        assert dry["t"] / HOUR - 1.0 == pytest.approx(LEAK["hours_to_empty"])
        assert world.truth("loop_a.flow") == 0.0
        assert world.truth("lab.glycol") > world.truth("lab.glycol", 3 * HOUR) > 0.2

    def test_the_trend_tells_a_leak_from_cold_coolant(self, fly: Fly) -> None:
        leaking, cold = fly("coolant-leak", 2.0), fly("nominal", 1.0)
        result = leaking.check("level_trend", {"loop": "a"})
        assert result.measured["corrected_rate"] == pytest.approx(-0.5, abs=0.08)
        before = cold.truth("loop_a.accumulator_level")
        for load in ("lab", "galley", "lights"):
            cold.command("shed_load", {"load": load})
        assert cold.truth("loop_a.accumulator_level") - before == pytest.approx(-0.0285 * 3.8 / 2.0, rel=0.1)
        assert abs(cold.check("level_trend", {"loop": "a"}).measured["corrected_rate"]) < 0.1

    def test_ten_degrees_look_like_a_quarter_of_a_litre(self) -> None:
        loop = coolant.Loop(0.0, 8.0)
        assert coolant.level(loop, 2.0, 0.0) - coolant.level(loop, 12.0, 0.0) == pytest.approx(
            LEAK["contraction_l_per_10_k"]
        )

    def test_right_isolating_it_stops_leak_and_loop(self, fly: Fly) -> None:
        world = fly("coolant-leak", 3.0)
        assert world.command("isolate_segment", {"loop": "a"}).accepted
        content = world.state()["thermal"]["loops"]["a"]["content"]
        glycol = world.state()["toxics"]["ledger_kg"]["glycol"]["released"]
        world.advance(12 * HOUR)
        assert world.state()["thermal"]["loops"]["a"]["content"] == pytest.approx(content) == pytest.approx(7.0)
        assert world.state()["toxics"]["ledger_kg"]["glycol"]["released"] == pytest.approx(glycol)
        assert world.truth("thermal.heat_load") == pytest.approx(6.0)

    @enforces("FR-11", "top_up", "between")
    def test_a_litre_in_eight_hours_is_all_that_is_topped_up(self, fly: Fly) -> None:
        world = fly("coolant-leak", 5.0)
        refused = world.command("top_up", {"loop": "a", "litres": 1.1})
        assert "must be a number from 0 to 1" in refused.reason
        before = world.state()["thermal"]["loops"]["a"]["content"]
        assert world.command("top_up", {"loop": "a", "litres": 1.0}).accepted
        world.advance(world.now + 30 * MINUTE)
        assert world.state()["thermal"]["loops"]["a"]["content"] == pytest.approx(before + 0.75)
        done = world.now
        world.advance(done + 8 * HOUR - 1.0)
        again = world.command("top_up", {"loop": "a", "litres": 0.5})
        assert (again.accepted, again.rule) == (False, "FR-11")
        world.advance(done + 8 * HOUR)
        assert world.command("top_up", {"loop": "a", "litres": 0.5}).accepted


def test_the_past_stays_and_a_fork_goes_on_alike(fly: Fly) -> None:
    world = fly("pump-trip", 4.0)
    then = world.truth("core.temperature", 2 * HOUR)
    world.command("shed_load", {"load": "lab"})
    other = world.fork()
    for one in (world, other):
        one.advance(20 * HOUR)
    assert world.digest() == other.digest()
    assert world.truth("core.temperature", 2 * HOUR) == then


class TestCoil:
    def test_a_cold_supply_dries_the_air(self, fly: Fly) -> None:
        healthy, cold = fly("nominal", 2.3), fly("valve-stuck-cold", 2.3)
        assert cold.truth("core.humidity") < healthy.truth("core.humidity") - 1.0
        assert cold.truth("core.humidity", HOUR) == pytest.approx(healthy.truth("core.humidity", HOUR))
        assert 0.0 <= cold.base.air.coil_pressure < healthy.base.air.coil_pressure

    def test_without_any_loop_nothing_condenses(self, fly: Fly) -> None:
        world = fly("pump-trip", 3.0, incidents=planted("pump_trip", both_loops=True))
        air = world.base.air
        assert air.partial_pressure("h2o", 0, 3 * HOUR) > 1.5 * air.partial_pressure("h2o", 0, 0.0)
        taken = [air.tracks["h2o"].ledger(hour * HOUR).get("condenser", 0.0) for hour in (1.0, 3.0)]
        assert taken[0] == taken[1]

    def test_a_saved_valve_gives_the_coil_back(self, fly: Fly) -> None:
        world = fly("valve-stuck-cold", 1.9)
        world.command("bypass_fcv", {"loop": "a"})
        world.advance(3 * HOUR)
        assert world.base.air.config.coil_c is None


@settings(max_examples=60, deadline=None)
@given(
    latitude=st.floats(-85.0, 85.0),
    ls=st.floats(0.0, 359.0),
    tau=st.floats(0.1, 3.0),
    dust=st.floats(0.0, 0.5),
    first=st.integers(0, 400),
    span=st.integers(0, 4),
)
def test_what_a_day_sheds_at_least_is_shed_in_each_of_its_knots(
    latitude: float, ls: float, tau: float, dust: float, first: int, span: int
) -> None:
    changes = {"site": {"latitude_deg": latitude, "ls_deg": ls, "tau": tau}, "thermal": {"radiator_dust": dust}}
    exposure = thermal(
        World(
            Scenario.model_validate({"id": "one", "title": "One", "crew": [{"id": "CM1", "zone": "core"}], **changes}),
            1,
        )
    ).exposure

    least = exposure.least(first, first + span)

    assert least > -math.inf
    assert least <= min(exposure.bound(knot) for knot in range(first, first + span + 1))
