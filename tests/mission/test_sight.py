"""Bounds of the air ahead: they hold everything that comes, and leave no event out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.world import sight, thermal, vigil
from mission.world.atmosphere import ZONES, Atmosphere
from mission.world.engine import Scenario, World, load_scenario
from mission.world.exponential import ExpSum
from mission.world.gases import GASES, LUNG_VAPOUR, inspired_o2
from mission.world.monitor import Monitor
from mission.world.units import HOUR, MMHG
from mission.world.wave import OMEGA, Wave

SCENARIOS = Path(__file__).parents[2] / "cases" / "scenarios"
NAMES = sorted(path.stem for path in SCENARIOS.glob("*.yaml"))


ORDERS = [
    (1.5, "start_bed", {"unit": "B"}),
    (2.5, "move_crew", {"people": "CM1,CM2", "to": "core"}),
    (3.0, "stop_bed", {"unit": "A"}),
    (4.0, "set_makeup", {"mode": "off"}),
    (5.0, "set_oga", {"kg_per_day": 0.0}),
    (6.0, "open_hatch", {"hatch": "core-airlock"}),
    (7.0, "close_hatch", {"hatch": "core-airlock"}),
    (8.0, "close_hatch", {"hatch": "core-lab"}),
    (20.0, "set_oga", {"kg_per_day": 9.2}),
]


def flown(scenario: Scenario) -> World:
    """Thirty hours in which the air goes to where its marks are."""
    world = World(scenario, 1)
    for hour, name, parameters in ORDERS:
        world.advance(hour * HOUR)
        world.command(name, parameters)
    world.advance(30 * HOUR)
    return world


def _blind(air: Atmosphere, now: float, limit: float) -> None:
    """No sight at all: every watch is asked."""


@pytest.mark.parametrize("name", NAMES)
def test_whoever_asks_every_watch_sees_the_same_flight(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = load_scenario(SCENARIOS / f"{name}.yaml")
    quick = flown(scenario)
    monkeypatch.setattr(vigil, "look", _blind)
    asking = flown(scenario)

    assert quick.digest() == asking.digest()


@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    hours=st.floats(0.0, 30.0),
    ahead=st.floats(0.0, 24.0),
    share=st.floats(0.0, 1.0),
)
def test_what_comes_lies_within_the_bounds(name: str, hours: float, ahead: float, share: float) -> None:
    world = World(load_scenario(SCENARIOS / f"{name}.yaml"), 1)
    world.advance(hours * HOUR)
    air, now = world.base.air, world.now
    seen, t = sight.look(air, now, now + ahead * HOUR), now + share * ahead * HOUR

    for zone in range(len(ZONES)):
        total, oxygen = (
            curve(t - now) for curve in (air.pressure_curve(zone, now), air.partial_curve("o2", zone, now))
        )
        values: dict[sight.What, float] = {gas: air.partial_curve(gas, zone, now)(t - now) for gas in GASES} | {
            "total": total
        }
        for what, value in values.items():
            low, high = seen.bounds[what][zone]
            assert low - 1e-9 * abs(low) <= value <= high + 1e-9 * abs(high)
        low, high = seen.pio2(zone)
        pio2 = inspired_o2(total, oxygen, LUNG_VAPOUR * MMHG) if total > 0.0 else 0.0
        assert low * (1.0 - 1e-9) <= pio2 <= high * (1.0 + 1e-9)


def test_bounds_hold_for_the_air_they_were_made_for_alone() -> None:
    world = World(load_scenario(SCENARIOS / "nominal.yaml"), 1)
    world.advance(HOUR)
    seen = sight.look(world.base.air, world.now, 2 * HOUR)
    assert seen.covers(world.base.air, HOUR, 2 * HOUR)

    world.command("set_oga", {"kg_per_day": 1.0})

    assert not seen.covers(world.base.air, HOUR, 2 * HOUR)


@given(
    start=st.floats(-1e4, 1e4),
    terms=st.lists(st.tuples(st.floats(1e-7, 1e-2), st.floats(-5.0, 5.0)), max_size=4, unique_by=lambda term: term[0]),
    size=st.floats(0.0, 100.0),
    t=st.floats(0.0, 1e7),
)
def test_a_wave_stays_within_its_bounds_for_ever(
    start: float, terms: list[tuple[float, float]], size: float, t: float
) -> None:
    terms.sort()
    wave = Wave(0.0, ExpSum(start, tuple(r for r, _ in terms), tuple(s for _, s in terms)), complex(size, 0.0))
    low, high = wave.ever()
    slack = 1e-9 * (abs(low) + abs(high) + 1.0)

    assert low - slack <= wave(t) <= high + slack


def test_a_wave_with_a_trend_has_no_bound_on_its_side() -> None:
    low, high = Wave(0.0, ExpSum(1.0, (0.0, OMEGA), (2.0, -OMEGA))).ever()

    assert (low, high) == (0.0, float("inf"))


def test_levels_that_were_far_are_far_again_only_while_the_air_stays_within_them() -> None:
    world = World(load_scenario(SCENARIOS / "nominal.yaml"), 1)
    world.advance(HOUR)
    before = sight.look(world.base.air, world.now, 2 * HOUR)
    pressure = before.bounds["co2"][0][1]
    assert before.excludes("co2", 0, 1.01 * pressure, rising=True)
    assert not before.excludes("co2", 0, 0.99 * pressure, rising=True)

    world.command("stop_bed", {"unit": "A"})
    world.command("stop_bed", {"unit": "B"})
    after = sight.look(world.base.air, world.now, 2 * HOUR)

    assert before.still(before.guards)
    assert not after.still(before.guards)


def test_in_a_calm_day_the_air_is_seldom_asked_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, questions = list[float](), list[float]()
    look, watches = vigil.look, Monitor.watches
    monkeypatch.setattr(vigil, "look", lambda air, now, limit: looks.append(now) or look(air, now, limit))
    monkeypatch.setattr(Monitor, "watches", lambda own, seen=None: questions.append(0.0) or watches(own, seen))
    world = World(load_scenario(SCENARIOS / "nominal.yaml"), 1)
    world.advance(10 * 24 * HOUR)

    assert 0 < len(questions) < 0.7 * len(looks)


@pytest.mark.parametrize("name", NAMES)
def test_heat_worked_out_afresh_every_time_is_the_same_flight(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = load_scenario(SCENARIOS / f"{name}.yaml")
    quick = flown(scenario)
    monkeypatch.setattr(thermal, "go_on", lambda last, t, drive: None)
    afresh = flown(scenario)

    assert quick.digest() == afresh.digest()
