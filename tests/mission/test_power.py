"""Sun, fission and battery in one ledger: exact events, closed books, and the faults of I12 and I13."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission import incidents
from mission.world import knots
from mission.world.array import Light, SolarSection
from mission.world.battery import BatterySection
from mission.world.battery_orders import posture_load
from mission.world.engine import World
from mission.world.knots import Curve
from mission.world.power import KWH, Power
from mission.world.storm import Outside, Season
from mission.world.units import HOUR, MINUTE
from mission.world.weather import SOL, Sky

Fly = Callable[..., World]
SKY = Sky(latitude=-2.0, ls=186.0, ltst=7.0, pressure=640.0, tide=0.02, air_mean=-55.0, air_range=70.0)
ARRAY = {"area_m2": 300.0}


def zigzag(day: int) -> list[float]:
    """0 to 1000 W and back, twelve times a day."""
    return [1000.0 * (1.0 - abs(cell % 48 / 24.0 - 1.0)) for cell in range(577)]


def events(world: World, kind: str) -> list[dict[str, Any]]:
    return [event for event in world.log() if event["kind"] == kind]


class TestCurve:
    def test_it_is_straight_between_knots_and_its_integral_exact(self) -> None:
        curve = Curve(zigzag)
        assert curve.power(150.0) == pytest.approx(1000.0 / 24)
        assert curve.energy(0.0, 7200.0) == pytest.approx(500.0 * 7200.0)
        assert curve.energy(100.0, 3 * 86400.0 + 50.0) == pytest.approx(
            500.0 * 3 * 86400.0 - curve.energy(0.0, 100.0) + curve.energy(0.0, 50.0)
        )

    @given(now=st.floats(0.0, 2e5), level=st.floats(1.0, 999.0))
    @settings(max_examples=60, deadline=None)
    def test_a_crossing_is_where_it_says_and_the_first(self, now: float, level: float) -> None:
        curve = Curve(zigzag)
        t = curve.crossing(now, level, now + 86400.0)
        assert t is not None
        assert t >= now
        assert curve.power(t) == pytest.approx(level, abs=1e-6)
        side = curve.power(now) - level
        if abs(side) > 1e-6:
            between = [curve.power(now + (t - now) * step / 50) - level for step in range(50)]
            assert all(gap * side >= -1e-9 for gap in between)

    @given(now=st.floats(0.0, 2e5), target=st.floats(1.0, 3e7))
    @settings(max_examples=60, deadline=None)
    def test_reach_inverts_the_integral(self, now: float, target: float) -> None:
        curve = Curve(zigzag)
        t = curve.reach(now, 10.0, target, now + 2e5)
        assert t is not None
        assert curve.energy(now, t) + 10.0 * (t - now) == pytest.approx(target, rel=1e-9, abs=1e-6)

    def test_a_level_never_left_is_never_crossed(self) -> None:
        assert Curve(lambda _: [5.0] * 577).crossing(0.0, 5.0, 86400.0) is None
        assert Curve(zigzag).crossing(0.0, 2000.0, 86400.0) is None


@given(
    load=st.floats(100.0, 1900.0),
    fission=st.floats(0.0, 1500.0),
    most_in=st.floats(10.0, 900.0),
    most_out=st.floats(10.0, 900.0),
    content=st.floats(0.25, 0.95),
)
@settings(max_examples=40, deadline=None)
def test_whatever_the_limits_they_hold_and_the_books_close(
    load: float, fission: float, most_in: float, most_out: float, content: float
) -> None:
    capacity = 5 * KWH
    power = Power(fission, capacity, content * capacity, {"lab": load})
    power.change(0.0, {"lab": load}, solar=Curve(zigzag), most_in=most_in, most_out=most_out)
    now, moments = 0.0, [0.0]
    while now < 1.5 * 86400.0 and len(moments) < 500:
        mark = power.next_mark(now)
        assert mark is not None
        assert mark.t >= now
        now = mark.t
        power.rebase(now)
        moments.append(now)
    assert len(moments) < 500
    for a, b in pairwise(moments):
        for t in (a, 0.5 * (a + b), b - 1e-4):
            if a <= t < b:
                stored = power.segment(t).stored(t)
                assert -most_out * (1.0 + 1e-6) - 1.0 <= stored <= most_in * (1.0 + 1e-6) + 1.0
                assert power.segment(t).unserved(t) >= -1.0
                assert 0.2 * capacity - 1.0 <= power.battery(t) <= capacity + 1.0
    assert abs(power.residual(now)) < 1e-11


def test_halving_the_grid_moves_no_event_by_a_second(fly: Fly, monkeypatch: pytest.MonkeyPatch) -> None:
    # Empty rovers keep the charger on all the time.
    loaded = {"solar": ARRAY, "power": {"shed": []}, "rover": {"rovers": [{"soc_percent": 0.0}, {"soc_percent": 0.0}]}}
    coarse = fly("nominal", 30.0, **loaded)
    marks = events(coarse, "battery")
    light = Light(SolarSection(area_m2=300.0), Outside(SKY, Season(0.5, False, 0.0, 4.5, False, 0)))
    monkeypatch.setattr("mission.world.array.KNOT", 75.0)
    monkeypatch.setattr("mission.world.array.PER_DAY", 1152)
    monkeypatch.setattr(knots, "KNOT", 75.0)
    monkeypatch.setattr(knots, "PER_DAY", 1152)
    assert len(light.knots(0)) == 1153
    fine = events(fly("nominal", 30.0, **loaded), "battery")
    assert [mark["soc_percent"] for mark in marks] == [mark["soc_percent"] for mark in fine]
    assert [mark["t"] for mark in marks] == pytest.approx([mark["t"] for mark in fine], abs=0.5)


def test_the_books_close_through_sun_storm_and_shedding(fly: Fly) -> None:
    world = fly("dust-storm-regional", 170.0, power={"shed": []})
    for event in world.log():
        assert abs(world.base.power.residual(event["t"])) < 1e-9
    ledger = world.state()["power"]
    assert ledger["solar_kwh"] > 1000.0
    assert ledger["curtailed_kwh"] > 0.0
    assert events(world, "shed")


@given(stops=st.lists(st.floats(0.0, 6e5), max_size=8))
@settings(max_examples=8, deadline=None)
def test_stopping_on_the_way_changes_nothing(stops: list[float]) -> None:
    from pathlib import Path

    from mission.world.engine import load_scenario

    scenario = load_scenario(Path(__file__).parents[2] / "cases/scenarios/dust-storm-regional.yaml")
    straight, halting = World(scenario, 1), World(scenario, 1)
    straight.advance(6e5)
    for stop in sorted(stops):
        halting.advance(stop)
        halting.state()
        halting.truth("solar.power", halting.now / 2)
    halting.advance(6e5)
    assert halting.digest() == straight.digest()


@pytest.mark.parametrize("name", ["dust-storm-regional", "fission-scram", "battery-gauge", "battery-cold"])
def test_a_fork_in_the_middle_of_a_fault_lives_the_same_life(fly: Fly, name: str) -> None:
    world = fly(name, 4.3)
    world.command("battery_heater", {"heater": "B"})
    world.command("set_posture", {"posture": "storm"})
    world.advance(9.0 * HOUR)
    fork, again = world.fork(), World.rebuild(world.scenario, world.seed, world.commands(), 9.0 * HOUR)
    for one in (world, fork, again):
        one.command("charge_inhibit", {"on": True})
        one.advance(40.0 * HOUR)
    assert world.digest() == fork.digest() == again.digest()


def test_a_mark_on_the_curve_is_passed_where_the_charge_is(fly: Fly) -> None:
    world = fly("nominal", 30.0, solar=ARRAY, power={"battery_percent": 45.0, "shed": []})
    for mark in events(world, "battery"):
        assert 100.0 * world.base.power.soc(mark["t"]) == pytest.approx(mark["soc_percent"], abs=1e-6)


def test_a_day_of_sun_on_the_base(fly: Fly) -> None:
    """The reference base's 259 kWh a sol at a depth of 0.5, and its noon."""
    world = fly("nominal", SOL / HOUR, solar={**ARRAY, "dust_per_sol": 0.0})
    assert world.truth("solar.energy_sol") == pytest.approx(259.0, abs=1.0)
    assert world.truth("solar.power", 5.0 * SOL / 24.0) == pytest.approx(35.1, abs=0.1)
    assert world.truth("solar.power", 13.0 * SOL / 24.0) == 0.0
    assert world.truth("battery.net") == pytest.approx(
        10.0 + world.truth("solar.power") - world.truth("power.load"), abs=1e-9
    )


def test_gusts_clean_and_never_more_than_clean() -> None:
    calm = Outside(SKY, Season(0.5, False, 0.0, 4.5, False, 3))
    dusty = Light(SolarSection(area_m2=300.0), calm).clear_share(400 * SOL)
    cleaned = Light(SolarSection(area_m2=300.0, cleanings_per_sol=1 / 60), calm)
    shares = [cleaned.clear_share(sol * SOL) for sol in range(400)]
    assert shares[-1] > dusty
    assert max(shares) <= 1.0
    assert any(after > 1.04 * before for before, after in pairwise(shares))


def test_capacity_that_is_lost_takes_its_charge_with_it() -> None:
    power = Power(10_000.0, 100 * KWH, 100 * KWH, {"lab": 10_000.0})
    power.change(HOUR, {"lab": 10_000.0}, capacity=97 * KWH)
    assert power.battery(HOUR) == 97 * KWH
    assert power.ledger(HOUR).loss == pytest.approx(3 * KWH)
    assert power.residual(HOUR) == pytest.approx(0.0, abs=1e-15)


def test_the_postures_keep_under_their_rules(fly: Fly) -> None:
    assert [posture_load(name) for name in ("full", "storm", "reduced", "survival")] == pytest.approx(
        [20.92, 10.92, 8.92, 5.92], abs=0.01
    )
    world = fly("nominal", 1.0)
    assert world.command("set_posture", {"posture": "survival"}).accepted
    assert world.truth("power.load") == pytest.approx(5.917, abs=0.001)
    world.command("set_posture", {"posture": "full"})
    assert world.state()["power"]["shed"] == []


class TestFission:
    numbers = incidents.find("fission_derate").numbers

    def test_a_pair_is_two_and_a_half_kilowatts_in_one_step(self, fly: Fly) -> None:
        world = fly("fission-pair-lost", 2.0)
        lost = world.truth("power.fission", HOUR - 1.0) - world.truth("power.fission", HOUR)
        assert lost == pytest.approx(self.numbers["pair_kw"])
        assert world.truth("fission.coolant_step") == world.truth("fission.coolant_step", 0.0)

    def test_the_list_says_which(self, fly: Fly) -> None:
        result = fly("fission-pair-lost", 2.0).check("convertor_list", {})
        still = sorted(n for n in range(1, 9) if result.measured[f"amplitude_{n}"] < 50.0)
        assert still == [3, 4]
        assert result.duration_s == 300.0

    def test_two_restarts_bring_it_back(self, fly: Fly) -> None:
        world = fly("fission-pair-lost", 2.0)
        world.command("restart_convertor", {"convertor": "3"})
        world.advance(world.now + 30 * MINUTE)
        assert events(world, "completed")[-1]["result"] == "convertor 3 is ready; its pair waits for the other"
        assert world.truth("power.fission") == 7.5
        world.advance(4 * HOUR)
        world.command("restart_convertor", {"convertor": "4"})
        world.advance(world.now + 30 * MINUTE)
        assert world.truth("power.fission") == 10.0
        assert world.now - 2 * HOUR == self.numbers["hours_to_restart_a_pair"] * HOUR

    def test_some_do_not_come_back(self, fly: Fly) -> None:
        worn = {"kind": "pair", "pair": 2, "restartable": False}
        faults = [{"incident": "fission_derate", "onset_h": 1.0, "parameters": worn}]
        world = fly("fission-pair-lost", 2.0, incidents=faults)
        world.command("restart_convertor", {"convertor": "3"})
        world.advance(3 * HOUR)
        assert events(world, "completed")[-1]["result"] == "convertor 3 does not start"

    def test_a_scram_takes_eight_hours_at_best(self, fly: Fly) -> None:
        world = fly("fission-scram", 1.5)
        assert world.truth("power.fission") == 0.0
        assert world.truth("fission.coolant_step") == 0.0
        assert not world.command("restart_convertor", {"convertor": "1"}).accepted
        world.command("set_posture", {"posture": "survival"})
        world.advance(7 * HOUR)
        assert world.command("start_reactor", {}).accepted
        assert not world.command("start_reactor", {}).accepted
        world.advance(9 * HOUR)
        assert world.truth("power.fission") == 10.0
        assert world.now - HOUR == self.numbers["scram_hours"] * HOUR

    def test_survival_without_it_lasts_a_night_and_a_day(self, fly: Fly) -> None:
        """The survival posture under a depth of 5, from a full battery at dusk to its floor."""
        scram = [{"incident": "fission_derate", "onset_h": 0.0, "parameters": {"kind": "scram"}}]
        dusk, full = {"tau": 5.0, "ltst_h": 18.0}, {"battery_percent": 100.0}
        world = fly("nominal", 0.0, solar=ARRAY, site=dusk, power=full, incidents=scram)
        world.command("set_posture", {"posture": "survival"})
        world.advance(40 * HOUR)
        floor = next(event["t"] for event in events(world, "battery") if event["soc_percent"] == 20.0)
        assert floor / HOUR == pytest.approx(self.numbers["survival_hours_at_tau_5"], abs=0.1)


class TestGauge:
    numbers = incidents.find("battery_fault").numbers

    def test_gauge_and_voltage_disagree(self, fly: Fly) -> None:
        world = fly("battery-gauge", 0.1)
        assert world.read("battery.soc").value == pytest.approx(self.numbers["gauge_percent"], abs=1.0)
        assert world.truth("battery.soc") == pytest.approx(self.numbers["true_percent"], abs=0.5)
        assert world.read("battery.voltage_soc").value == pytest.approx(self.numbers["true_percent"], abs=6.0)
        energy = world.read("battery.energy").value
        assert energy is not None
        assert energy - world.truth("battery.energy") == pytest.approx(18.0, abs=1.0)

    def test_a_rest_tells_which_is_right_while_the_other_string_works(self, fly: Fly) -> None:
        world = fly("battery-gauge", 2.0)
        start, other = world.truth("battery.soc"), world.fork()
        assert world.truth("battery.net") < -2.7
        result = world.check("ocv_rest", {})
        assert result.measured["soc"] == pytest.approx(start, abs=2.0)
        assert result.nominal["soc"] - result.measured["soc"] == pytest.approx(15.0, abs=2.0)
        other.advance(other.now + result.duration_s)
        spent = other.truth("battery.energy") - world.truth("battery.energy")
        assert spent == pytest.approx(result.energy_kwh / 0.949, rel=1e-6)

    def test_a_rest_at_noon_costs_what_the_other_string_cannot_take(self, fly: Fly) -> None:
        world = fly("nominal", 3.0, solar=ARRAY, power={"battery_percent": 20.0})
        assert world.truth("battery.net") > 20.0 / 0.949
        before = world.state()["power"]["curtailed_kwh"]
        world.check("ocv_rest", {})
        assert before == 0.0
        assert world.state()["power"]["curtailed_kwh"] > 1.0

    def test_twenty_on_the_gauge_is_a_trip(self, fly: Fly) -> None:
        world = fly("battery-gauge", 20.0)
        trip = events(world, "shed")[0]
        assert trip["why"] == "bus voltage at its trip"
        assert trip["t"] / HOUR == pytest.approx(self.numbers["hours_to_trip"], abs=0.05)
        assert world.truth("battery.soc", trip["t"]) == pytest.approx(
            self.numbers["true_percent_at_gauge_20"], abs=1e-3
        )
        assert world.truth("battery.voltage", trip["t"] - 1.0) == pytest.approx(24.0, abs=0.2)

    def test_a_full_charge_sets_it_right(self, fly: Fly) -> None:
        faults = [{"incident": "battery_fault", "onset_h": 0.0, "parameters": {"error_percent": 8.0}}]
        world = fly("nominal", 10.0, solar=ARRAY, incidents=faults, power={"battery_percent": 80.0})
        full = next(event for event in events(world, "battery") if event["soc_percent"] == 100.0)
        battery = world.base.part("battery")
        assert battery.gauge_error(full["t"] - 1.0) == pytest.approx(0.08, abs=0.005)
        assert battery.gauge_error(full["t"]) == 0.0

    def test_it_drifts_by_the_quarter_sol_and_stops_at_fifteen(self, fly: Fly) -> None:
        battery = {"gauge_error_percent": 12.0, "gauge_drift_percent_sol": 2.0}
        world = fly("nominal", 3 * SOL / HOUR, battery=battery, power={"battery_percent": 50.0, "shed": []})
        errors = [100.0 * world.base.part("battery").gauge_error(quarter * SOL / 4 + 1.0) for quarter in range(10)]
        assert errors == pytest.approx([12.0, 12.5, 13.0, 13.5, 14.0, 14.5, 15.0, 15.0, 15.0, 15.0])


class TestCold:
    numbers = incidents.find("battery_fault").numbers

    def test_without_heater_it_takes_a_night_to_freeze(self, fly: Fly) -> None:
        world = fly("nominal", 0.0, site={"ltst_h": 18.0})
        world.base.part("battery").break_heater("A")
        world.advance(24 * HOUR)
        battery = world.base.part("battery")
        frozen = events(world, "battery_cells")[0]
        assert frozen["t"] / HOUR == pytest.approx(self.numbers["hours_5_to_0_c"], rel=0.02)
        assert battery.temperature(frozen["t"]) == pytest.approx(0.0, abs=1e-6)
        assert battery.temperature(self.numbers["hours_5_to_minus_4_c"] * HOUR) == pytest.approx(-4.0, abs=0.3)

    def test_the_other_heater_brings_it_back(self, fly: Fly) -> None:
        world = fly("battery-cold", 0.1)
        assert (world.truth("battery.heater_power"), world.truth("battery.temperature_2")) == (
            0.0,
            pytest.approx(-4.05, abs=0.1),
        )
        world.command("battery_heater", {"heater": "B"})
        assert world.truth("battery.heater_power") == 150.0
        world.command("charge_inhibit", {"on": True})
        world.advance(20 * HOUR)
        warm = events(world, "battery_cells")[0]
        assert warm["t"] / HOUR == pytest.approx(self.numbers["hours_minus_4_to_0_c_with_heater"], rel=0.1)
        assert world.command("charge_inhibit", {"on": False}).accepted
        world.advance(60 * HOUR)
        assert world.truth("battery.temperature") == 5.0
        assert not events(world, "plating")

    def test_the_setpoint_costs_less_than_the_heater_has(self, fly: Fly) -> None:
        world = fly("nominal", 24.0)
        powers = [world.truth("battery.heater_power", hour * HOUR) for hour in range(25)]
        assert 95.0 < min(powers) < max(powers) < 150.0
        with pytest.raises(ValueError, match="cannot hold its setpoint"):
            BatterySection(heater_w=100.0)

    def test_nothing_happens_on_the_way_down_that_is_not_logged(self, fly: Fly) -> None:
        """The curve obeys its own equation: C dT/dt = K (bay - T)."""
        world = fly("battery-cold", 20.0)
        battery, section = world.base.part("battery"), BatterySection()
        for hour in (1.0, 5.0, 12.0, 19.0):
            t = hour * HOUR
            slope = (battery.temperature(t + 10.0) - battery.temperature(t - 10.0)) / 20.0
            bay = section.bay_mean_c + battery._bay(t).real
            expected = section.conductance_w_k * (bay - battery.temperature(t)) / section.heat_capacity_j_k
            assert slope == pytest.approx(expected, rel=1e-4)
