"""Checks 3, 18 and 21 to 23: BVAD22 by body size, dose on Mars, and simoc-abm's habitat in our solver."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from mission.world import dose
from mission.world.crew import EXERCISE, RATES, person_rates
from mission.world.engine import World
from mission.world.units import DAY, HOUR
from mission.world.weather import SOL

Fly = Callable[..., World]
SEEN_CO2 = {24: 2.787, 48: 3.027, 72: 3.267, 120: 3.748}
SEEN_O2 = {24: 258.413, 48: 254.853, 72: 251.293, 120: 244.173}
"""kg in the habitat of simoc-abm 1.1.2's preset 4h by hour, as it ran here."""
ALONE_O2 = {0: 261.825, 239: 252.999}
"""The same of preset 1h, whose electrolyser never starts."""


@pytest.fixture(scope="module")
def simoc() -> ModuleType:
    """The side-by-side benchmark as a module."""
    path = Path(__file__).parents[2] / "benchmarks" / "simoc.py"
    spec = importlib.util.spec_from_file_location("simoc_benchmark", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["simoc_benchmark"] = module
    spec.loader.exec_module(module)
    return module


class TestConsistency:
    @pytest.mark.parametrize(("mass", "co2"), [(50.0, 0.74), (82.0, 1.08), (100.0, 1.31)])
    def test_check_3_a_day_by_size(self, mass: float, co2: float) -> None:
        rates = person_rates(mass, "bvad22")
        awake = DAY - 8 * HOUR - EXERCISE
        total = 8 * HOUR * rates["sleep"].co2 + awake * rates["nominal"].co2 + EXERCISE * rates["exercise"].co2
        assert total == pytest.approx(co2, rel=0.03)

    def test_check_3_oxygen_of_the_day_comes_out(self) -> None:
        # BVAD22 table 3-31 says 0.895 kg a day; only the quotients and the CO2 were put in.
        rates = person_rates(82.0, "bvad22")
        awake = DAY - 8 * HOUR - EXERCISE
        total = 8 * HOUR * rates["sleep"].o2 + awake * rates["nominal"].o2 + EXERCISE * rates["exercise"].o2
        assert total == pytest.approx(0.895, rel=0.005)

    def test_sizes_between_and_beyond(self) -> None:
        sleep = [person_rates(mass, "bvad22")["sleep"].co2 for mass in (45.0, 50.0, 66.0, 82.0, 91.0, 100.0, 110.0)]
        assert sleep == sorted(sleep)
        assert sleep[2] * 60.0 == pytest.approx(0.37e-3, rel=1e-9)

    def test_the_older_table_is_the_default_and_unscaled_at_82_kg(self, fly: Fly) -> None:
        assert person_rates(82.0, "bvad15") == RATES
        old, new = fly("bed-degraded", 6.0), fly("bed-degraded", 6.0, metabolism="bvad22")
        assert old.truth("core.ppco2") > new.truth("core.ppco2")
        crew = [world.base.air.tracks["co2"].ledger(world.now)["crew"] for world in (old, new)]
        assert crew[1] / crew[0] == pytest.approx(0.69 / 0.72, rel=1e-6)


class TestIndependent:
    def test_check_18_galactic_dose_of_180_sols(self) -> None:
        total = dose.GCR_MSV_DAY * 180 * SOL / DAY
        assert total == pytest.approx(118.4, rel=0.05)
        assert total == pytest.approx(115.0, abs=22.0)

    def test_check_18_the_event_of_may_2024(self, fly: Fly) -> None:
        sun = [{"incident": "solar_particles", "onset_h": 1.0}]
        world = fly("nominal", 96.0, incidents=sun)
        received = world.state()["radiation"]["dose_mgy"]["CM1"] - dose.GCR_MGY_DAY * 4
        assert received == pytest.approx(8.1, rel=0.05)

    def test_check_18_the_event_of_september_2017(self) -> None:
        # Two to three times the background for about 12 h: an event of 0.33 mGy has that shape.
        event = dose.Event(0.0, 0.33, 3 * HOUR, 20 * HOUR)
        rates = [dose.rate([event], 0.05 * HOUR * n) / dose.BACKGROUND for n in range(1200)]
        assert 2.0 <= max(rates) <= 3.0
        assert 0.05 * sum(rate >= 2.0 for rate in rates) == pytest.approx(12.0, rel=0.25)


class TestSimoc:
    def test_check_21_four_people(self, simoc: ModuleType) -> None:
        start = {"co2": SEEN_CO2[24], "o2": SEEN_O2[24], "n2": 976.05, "h2o": 11.9}
        for hour in (48, 72, 120):
            ours = simoc.habitat(4, 2, start, hour - 24)
            assert ours["co2"] == pytest.approx(SEEN_CO2[hour], rel=0.01)
            assert ours["o2"] == pytest.approx(SEEN_O2[hour], rel=0.01)
        assert simoc.habitat(4, 2, start, 96)["co2"] == pytest.approx(3.7467, abs=0.001)
        day = simoc.habitat(4, 2, start, 24)
        assert (day["co2"] - start["co2"], day["o2"] - start["o2"]) == (
            pytest.approx(0.24),
            pytest.approx(-3.56, abs=0.01),
        )

    def test_check_22_one_person(self, simoc: ModuleType) -> None:
        start = {"co2": 0.517, "o2": ALONE_O2[0], "n2": 976.05, "h2o": 12.5}
        ours = simoc.habitat(1, 0, start, 239.0)
        assert ours["o2"] == pytest.approx(ALONE_O2[239], rel=0.01)
        assert (ours["o2"] - start["o2"]) / (239.0 / 24.0) == pytest.approx(-0.89, abs=0.005)

    def test_check_23_flows(self, simoc: ModuleType) -> None:
        # 38.76 kg in ten days, seen; two units working without a break would take 4.08 kg a day.
        assert pytest.approx(3.876) == 38.76 / 10.0
        assert 38.76 / 10.0 < 2 * simoc.SAWD * 24.0 < 4 * simoc.CREW_CO2 * 24.0
        oxygen_per_water = simoc.SFWE / 0.413
        assert oxygen_per_water == pytest.approx(1 / 1.125, rel=0.005)

    def test_checks_21_to_23_side_by_side(self, simoc: ModuleType) -> None:
        pytest.importorskip("simoc_abm", reason="simoc-abm 1.1.2 is not installed")
        agents = simoc.simoc("4h")
        storage = agents["crew_habitat_small"]["storage"]
        assert {hour: round(storage["co2"][hour], 3) for hour in SEEN_CO2} == SEEN_CO2
        assert {hour: round(storage["o2"][hour], 3) for hour in SEEN_O2} == SEEN_O2
        assert all(row.error < 0.01 for row in simoc.compare(storage, people=4, units=2))
        sawd = agents["co2_removal_SAWD"]["flows"]["in"]["co2"]["crew_habitat_small"]
        assert sum(sawd) / 10.0 == pytest.approx(3.876, rel=0.005)
        alone = simoc.simoc("1h")["crew_habitat_small"]["storage"]
        assert alone["o2"][239] == pytest.approx(ALONE_O2[239], abs=0.001)
        assert 1.0 < min(alone["co2"][24:]) < max(alone["co2"][24:]) < 1.61
