"""Time on Mars against the worked examples of Mars24 (check 19)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mission.world import marstime, weather

MILLENNIUM = marstime.days_since_j2000(datetime(2000, 1, 6, tzinfo=UTC))
SPIRIT = marstime.days_since_j2000(datetime(2004, 1, 3, 13, 46, 31, tzinfo=UTC))
CURIOSITY = marstime.days_since_j2000(datetime(2012, 8, 6, 5, 17, 57, tzinfo=UTC))


def hours(h: float, m: float, s: float = 0.0) -> float:
    return h + m / 60.0 + s / 3600.0


def test_days_count_leap_seconds() -> None:
    assert pytest.approx(4.50074287, abs=1e-7) == MILLENNIUM
    assert pytest.approx(1463.07471, abs=1e-5) == SPIRIT


def test_the_first_worked_example() -> None:
    assert marstime.solar_longitude(MILLENNIUM) == pytest.approx(277.18758, abs=1e-3)
    assert marstime.equation_of_time(MILLENNIUM) == pytest.approx(-5.18774, abs=1e-3)
    assert marstime.coordinated_time(MILLENNIUM) == pytest.approx(hours(23, 59, 39), abs=1 / 3600)


def test_the_second_worked_example_is_true_midnight() -> None:
    west = -184.702
    assert marstime.solar_longitude(SPIRIT) == pytest.approx(327.32416, abs=1e-3)
    assert marstime.coordinated_time(SPIRIT) == pytest.approx(hours(13, 9, 56), abs=1.5 / 3600)
    assert marstime.local_mean_time(SPIRIT, west) == pytest.approx(hours(0, 51, 7), abs=1.5 / 3600)
    assert (marstime.local_true_time(SPIRIT, west) + 12.0) % 24.0 == pytest.approx(12.0, abs=1.5 / 3600)


def test_curiosity_landed_in_the_afternoon() -> None:
    # Touchdown at Gale, 137.44 E: about 15:03 local mean solar time, Ls 150.6 to 150.7.
    assert marstime.solar_longitude(CURIOSITY) == pytest.approx(150.7, abs=0.1)
    assert marstime.local_mean_time(CURIOSITY, 137.44) == pytest.approx(hours(15, 3), abs=1 / 60)


def test_a_sol_and_a_year_have_their_lengths() -> None:
    assert pytest.approx(weather.SOL, abs=0.001) == marstime.SOL_DAYS * 86400.0
    assert weather.YEAR / weather.SOL == 668.593
    year = weather.YEAR / 86400.0
    turn = marstime.solar_longitude(MILLENNIUM + year) - marstime.solar_longitude(MILLENNIUM)
    assert turn == pytest.approx(0.0, abs=0.1)


def test_a_moment_needs_a_zone_and_a_year_we_know() -> None:
    with pytest.raises(ValueError, match="has no time zone; give UTC"):
        marstime.days_since_j2000(datetime(2004, 1, 3))
    with pytest.raises(ValueError, match="is before 1999"):
        marstime.days_since_j2000(datetime(1990, 1, 1, tzinfo=UTC))
