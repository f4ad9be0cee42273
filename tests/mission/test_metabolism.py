"""People by body size and by the edition of the table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mission.world.crew import RATES, person_rates
from mission.world.engine import World

Fly = Callable[..., World]


def test_sizes_between_and_beyond() -> None:
    sleep = [person_rates(mass, "bvad22")["sleep"].co2 for mass in (45.0, 50.0, 66.0, 82.0, 91.0, 100.0, 110.0)]
    assert sleep == sorted(sleep)
    assert sleep[2] * 60.0 == pytest.approx(0.37e-3, rel=1e-9)


def test_the_older_table_is_the_default_and_unscaled_at_82_kg(fly: Fly) -> None:
    assert person_rates(82.0, "bvad15") == RATES
    old, new = fly("bed-degraded", 6.0), fly("bed-degraded", 6.0, metabolism="bvad22")
    assert old.truth("core.ppco2") > new.truth("core.ppco2")
    crew = [world.base.air.tracks["co2"].ledger(world.now)["crew"] for world in (old, new)]
    assert crew[1] / crew[0] == pytest.approx(0.69 / 0.72, rel=1e-6)
