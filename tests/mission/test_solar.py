"""Sunlight: the published tables, and what they say of a day and of a storm."""

from __future__ import annotations

import pytest

from mission.world import solar


def test_the_sun_is_brightest_at_perihelion() -> None:
    assert solar.beam_above(71.0) == pytest.approx(493.6, abs=0.5)
    assert solar.beam_above(251.0) == pytest.approx(717.0, abs=1.0)


def test_the_table_reads_as_published() -> None:
    printed = {
        0.5: (0.813, 0.701, 0.462), 1.0: (0.728, 0.557, 0.324), 2.0: (0.578, 0.377, 0.217), 3.0: (0.457, 0.273, 0.162),
        4.0: (0.363, 0.208, 0.127), 5.0: (0.289, 0.162, 0.101), 6.0: (0.229, 0.128, 0.081),
    }  # fmt: skip
    for tau, values in printed.items():
        assert tuple(solar.net_flux(zenith, tau) for zenith in (0.0, 60.0, 80.0)) == pytest.approx(values, abs=1e-9)


def test_the_misprint_is_repaired_before_anything_is_interpolated() -> None:
    assert solar.net_flux(55.0, 2.1) == 0.398
    # Along the row and down the column the table now falls evenly.
    row = [solar.net_flux(zenith, 2.1) for zenith in (50.0, 55.0, 60.0)]
    assert row[0] > row[1] > row[2]
    assert row[1] == pytest.approx((row[0] + row[2]) / 2, abs=0.002)


def test_beyond_the_table_the_logarithm_goes_on() -> None:
    assert not solar.extrapolated(6.0)
    assert solar.extrapolated(6.01)
    assert solar.net_flux(0.0, 7.0) / solar.net_flux(0.0, 6.0) == pytest.approx(2.718281828**-0.2327, rel=1e-3)


@pytest.mark.parametrize(
    ("tau", "wh"),
    [(0.3, 4640), (0.5, 4354), (1.0, 3741), (2.1, 2746), (3.0, 2171), (5.0, 1340), (6.0, 1056), (10.8, 337)],
)
def test_a_day_at_the_site(tau: float, wh: float) -> None:
    assert solar.daily_insolation(-2.0, 186.0, tau, 0.1) == pytest.approx(wh, rel=0.005)


def test_light_without_a_beam_is_still_light() -> None:
    noon = [solar.beam_share(0.0, tau) for tau in (3.0, 4.0, 5.0)]
    assert noon == pytest.approx([0.098, 0.045, 0.021], abs=0.001)
    # Beer's law alone would leave 2 % of the light that there is at tau 5.
    assert solar.global_share(0.0, 5.0) > 0.3


def test_dusty_ground_gives_light_back() -> None:
    assert [solar.storm_albedo(tau) for tau in (0.3, 1.0, 2.0, 5.0)] == pytest.approx([0.1, 0.18, 0.36, 0.4])
    assert solar.global_share(30.0, 3.0) > solar.global_share(30.0, 3.0, 0.1)
    # Continuous where the tables meet.
    assert solar.global_share(30.0, 0.5556) == pytest.approx(solar.global_share(30.0, 0.5557), rel=1e-4)
