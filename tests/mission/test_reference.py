"""Reference numbers of the design study: what the laws of the air make of one zone. They use what set the model."""

from __future__ import annotations

import math

import pytest

from mission.world.crew import RATES, body_scale
from mission.world.exponential import ExpSum, combine, first_crossing
from mission.world.gases import (
    LUNG_VAPOUR,
    MOLAR_MASS,
    inspired_o2,
    leak_conductance,
    pascal_per_kg,
    saturation_pressure,
)
from mission.world.linear import conductance_matrix, solve
from mission.world.units import HOUR, MMHG

CABIN = 0.0291
"""kg/mol: the base's air at 27 % oxygen."""
AWAKE6 = 6 * RATES["nominal"].co2


def ppco2(volume: float, source: float, flow_m3_h: float, start_mmhg: float, temperature: float = 295.0) -> ExpSum:
    """ppCO2 in mmHg over seconds in one zone."""
    factor = pascal_per_kg("co2", temperature, volume) / MMHG
    conductance = conductance_matrix(1, [], [(0, flow_m3_h / HOUR)])
    return combine([(factor, solve([volume], conductance, [source], [start_mmhg / factor])[0])])


def hours_to(curve: ExpSum, level: float) -> float:
    t = first_crossing(curve, level, 1000 * HOUR)
    return math.inf if t is None else t / HOUR


def test_gas_constants() -> None:
    figures = {gas: pascal_per_kg(gas, 295.0, 300.0) for gas in MOLAR_MASS}
    assert figures["co2"] == pytest.approx(185.8, abs=0.1)
    assert figures["o2"] == pytest.approx(255.5, abs=0.1)
    assert figures["n2"] == pytest.approx(291.8, abs=0.1)
    assert figures["h2o"] == pytest.approx(453.8, abs=0.1)
    assert figures["co2"] / MMHG == pytest.approx(1.393, abs=0.001)


def test_steady_state_by_removal() -> None:
    assert ppco2(300.0, AWAKE6, 0.0, 2.65).slope(0.0) * HOUR == pytest.approx(0.36, abs=0.005)
    for flow, steady in ((41.0, 2.64), (20.5, 5.29), (10.25, 10.6), (82.0, 1.32)):
        assert ppco2(300.0, AWAKE6, flow, 2.65)(1000 * HOUR) == pytest.approx(steady, rel=0.005)
    hours = 300.0 / 41.0
    assert hours == pytest.approx(7.3, abs=0.05)
    assert ppco2(300.0, AWAKE6, 61.5, 2.65)(1000 * HOUR) == pytest.approx(1.76, abs=0.01)


@pytest.mark.parametrize(
    ("flow", "hours"),
    [
        (0.0, {3.0: 1.0, 4.0: 3.7, 5.3: 7.3, 7.6: 13.7, 15.0: 34.0, 20.0: 48.0}),
        (20.5, {3.0: 2.1, 4.0: 10.5, 5.0: 32.0, 7.6: math.inf}),
        (10.25, {3.0: 1.3, 4.0: 5.5, 5.0: 10.3, 7.6: 28.7}),
    ],
)
def test_hours_to_a_level_after_a_loss(flow: float, hours: dict[float, float]) -> None:
    curve = ppco2(300.0, AWAKE6, flow, 2.65)
    for level, expected in hours.items():
        assert hours_to(curve, level) == pytest.approx(expected, rel=0.02, abs=0.06)


def test_one_exercises_and_all_sleep() -> None:
    exercise = 5 * RATES["nominal"].co2 + RATES["exercise"].co2
    assert ppco2(300.0, exercise, 41.0, 2.65)(0.5 * HOUR) == pytest.approx(2.82, abs=0.01)
    assert ppco2(300.0, 6 * RATES["sleep"].co2, 41.0, 2.65)(1e7) == pytest.approx(1.67, abs=0.01)


def test_sleep_station_with_a_dead_fan() -> None:
    closed = ppco2(2.1, RATES["sleep"].co2, 0.0, 3.0)
    assert closed.slope(0.0) * HOUR == pytest.approx(5.4, abs=0.1)
    assert hours_to(closed, 15.0) == pytest.approx(2.2, abs=0.05)
    above = RATES["sleep"].co2 * HOUR / 10.0 * pascal_per_kg("co2", 295.0, 1.0) / MMHG
    assert above == pytest.approx(1.1, abs=0.05)


def test_the_pocket_behind_a_stopped_fan() -> None:
    lab = ppco2(100.0, 3 * RATES["nominal"].co2, 0.0, 2.65)
    for level, hours in ((4.0, 2.5), (7.6, 9.1), (15.0, 22.8)):
        assert hours_to(lab, level) == pytest.approx(hours, rel=0.015)
    core = ppco2(200.0, 3 * RATES["nominal"].co2, 41.0, 2.65)
    assert core(2.5 * HOUR) == pytest.approx(2.1, abs=0.05)
    assert core(9.0 * HOUR) == pytest.approx(1.5, abs=0.05)


def test_oxygen_without_a_source() -> None:
    fall = 6 * RATES["nominal"].o2 * HOUR * pascal_per_kg("o2", 295.0, 300.0)
    assert fall == pytest.approx(52.4, rel=0.003)
    for floor, hours in ((18600.0, 13.4), (17860.0, 27.5), (15170.0, 79.0)):
        assert (19300.0 - floor) / fall == pytest.approx(hours, rel=0.005)


def test_humidity_without_condensation() -> None:
    saturated = saturation_pressure(295.0)
    rise = 6 * RATES["nominal"].h2o * HOUR * pascal_per_kg("h2o", 295.0, 300.0)
    # The reference says 4.2 h; its own rates (0.424 kg/h) and its own 2.31 kg at 40 % give 4.8 h.
    assert 0.35 * saturated / rise == pytest.approx(4.77, abs=0.05)
    assert 0.40 * saturated / pascal_per_kg("h2o", 295.0, 300.0) == pytest.approx(2.31, rel=0.01)


def test_confusion_coefficients() -> None:
    per_kelvin = 70300.0 / 295.0 / MMHG
    assert per_kelvin == pytest.approx(1.8, abs=0.02)
    assert 0.2 * saturation_pressure(295.0) / MMHG == pytest.approx(3.9, abs=0.05)
    assert 1.4 * pascal_per_kg("co2", 295.0, 300.0) / MMHG == pytest.approx(2.0, abs=0.06)


@pytest.mark.parametrize(
    ("hole", "kg_h", "mmhg_h", "tau", "to_127", "to_122", "to_52", "to_34"),
    [
        (1, 0.28, -0.60, 885, 30.2, 62.4, 260, 630),
        (2, 1.12, -2.38, 221, 7.6, 15.6, 65.0, 157),
        (3, 2.52, -5.36, 98.3, 3.4, 6.9, 28.9, 70.0),
        (4, 4.5, -9.53, 55.3, 1.9, 3.9, 16.3, 39.4),
        (5, 7.0, -14.9, 35.4, 1.2, 2.5, 10.4, 25.2),
        (6, 10.1, -21.5, 24.6, 0.8, 1.7, 7.2, 17.5),
    ],
)
def test_leak_table(
    hole: float,
    kg_h: float,
    mmhg_h: float,
    tau: float,
    to_127: float,
    to_122: float,
    to_52: float,
    to_34: float,
) -> None:
    conductance = leak_conductance(hole / 1000.0, 295.0, CABIN)
    pressure = solve([300.0], conductance_matrix(1, [], [(0, conductance)]), [0.0], [70300.0 * 300.0])[0]
    pressure = combine([(1 / 300.0, pressure)])
    assert 249.6 * conductance / 300.0 * HOUR == pytest.approx(kg_h, rel=0.02)
    assert pressure.slope(0.0) * HOUR / MMHG == pytest.approx(mmhg_h, rel=0.02)
    assert 300.0 / conductance / HOUR == pytest.approx(tau, rel=0.01)
    share = 19.3 / 70.3
    for limit, hours in ((127.0, to_127), (122.0, to_122)):
        total = (limit / share + LUNG_VAPOUR) * MMHG
        assert inspired_o2(total, share * total, LUNG_VAPOUR * MMHG) == pytest.approx(limit * MMHG)
        assert hours_to(pressure, total) == pytest.approx(hours, rel=0.02, abs=0.06)
    assert hours_to(pressure, 52400.0) == pytest.approx(to_52, rel=0.01)
    assert hours_to(pressure, 34500.0) == pytest.approx(to_34, rel=0.01)


def test_a_body_of_the_reference_mass_is_the_unit() -> None:
    assert body_scale(82.0) == 1.0
    assert body_scale(100.0) == pytest.approx(1.1605, abs=1e-4)
