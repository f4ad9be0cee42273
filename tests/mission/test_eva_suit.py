"""A suit: published endurance, walk-back, and crossings that a step-by-step integration confirms."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.world import suit as model
from mission.world.suit import BTU_H, Stores, Suit
from mission.world.units import HOUR

DESIGN = 1000.0 * BTU_H


def worn(**fields: object) -> Suit:
    return Suit(worn=True, **({"watts": DESIGN} | fields))  # type: ignore[arg-type]


def test_the_walk_back_reach_is_that_of_the_study() -> None:
    # At 1000 Btu/h, after 2, 3, 4 and 5 h; the LRV never went farther than 7.6 km.
    reach = [model.reach(worn(), h * HOUR) / 1000.0 for h in (2, 3, 4, 5)]
    assert reach == pytest.approx([7.2, 5.5, 3.7, 2.0], abs=0.06)
    assert all(5.0 <= km <= 7.6 for km in reach[:2])


def test_reserves_of_the_rule_are_half_an_hour_of_use() -> None:
    assert model.use(DESIGN, 0.0) * HOUR / 2 == pytest.approx(0.040, abs=0.0005)
    assert model.use(model.WALK, 0.0) * HOUR / 2 == pytest.approx(0.062, abs=0.0005)


def test_the_helmet_stays_under_three_at_design_work() -> None:
    assert model.helmet(worn(), 0.0) == pytest.approx(2.1, abs=0.2)
    assert model.helmet(worn(watts=model.WALK), 0.0) == pytest.approx(3.3, abs=0.2)
    assert model.helmet(worn(purge=True), 0.0) == model.HELMET_FLOOR


def test_water_lasts_about_eight_hours() -> None:
    assert -worn().rates.water * HOUR == pytest.approx(0.57, abs=0.005)


def test_heart_rate_follows_work() -> None:
    assert [round(model.heart_rate(w)) for w in (293.0, 469.0, 900.0)] == [95, 150, 185]


def test_pressure_holds_until_the_regulator_is_outdone() -> None:
    assert model.pressure(worn(leak=0.05 / HOUR)) == 29.6e3
    assert model.pressure(worn(leak=1.0 / HOUR)) < 27.6e3
    assert model.pressure(Suit()) == 0.0


suits = st.builds(
    Suit,
    t0=st.just(0.0),
    stores=st.builds(
        Stores,
        o2=st.floats(0.01, 0.552),
        secondary=st.floats(0.1, 1.18),
        scrubber=st.floats(0.0, 0.5),
        battery=st.floats(1e4, model.BATTERY),
        water=st.floats(0.05, 4.5),
    ),
    worn=st.just(True),
    watts=st.floats(100.0, 650.0),
    leak=st.floats(0.0, 0.3 / HOUR),
    fan=st.floats(0.3, 1.0),
    fan_slope=st.floats(-2e-4, 0.0),
    seep=st.one_of(st.just(0.0), st.floats(0.0, 1.0 / HOUR)),
    spent=st.one_of(st.just(0.0), st.floats(0.0, 0.3)),
    purge=st.booleans(),
)


@settings(max_examples=60, deadline=None)
@given(suits, st.floats(3.0, 15.0))
def test_a_helmet_mark_is_reached_when_it_is_said(suit: Suit, level: float) -> None:
    when, limit = model.helmet_time(suit, level), min(model.ends(suit), default=0.0)
    if when is None or when > limit:
        assert model.helmet(suit, max(0.0, limit - 1e-3)) < level * (1.0 + 1e-6)
    elif when > 0.0:
        assert model.helmet(suit, when) == pytest.approx(level, rel=1e-9)
        assert model.helmet(suit, 0.999 * when) < level
    else:
        assert model.helmet(suit, 0.0) >= level


@settings(max_examples=60, deadline=None)
@given(suits, st.floats(0.0, 5000.0), st.sampled_from((0.0, model.SPEED)))
def test_turn_back_is_where_the_way_home_equals_the_reach(suit: Suit, distance: float, speed: float) -> None:
    when, limit = model.turn_back(suit, distance, speed), min(model.ends(suit), default=0.0)
    if when is None or when > limit:
        return
    if when > 0.0:
        assert model.reach(suit, when) == pytest.approx(distance + speed * when, abs=1e-4)
    else:
        assert model.reach(suit, 0.0) <= distance + 1e-6


@settings(max_examples=60, deadline=None)
@given(suits, st.lists(st.floats(1.0, 3000.0), min_size=1, max_size=6))
def test_telling_a_suit_in_pieces_changes_nothing(suit: Suit, pieces: list[float]) -> None:
    end = sum(pieces)
    if end > min(model.ends(suit), default=0.0):
        return
    split, t = suit, 0.0
    for piece in pieces:
        t += piece
        split = model.advanced(split, t)
    whole, parts = model.stores(suit, t), model.stores(split, t)
    for name in ("o2", "secondary", "scrubber", "battery", "water", "heat", "helmet_water"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), rel=1e-10, abs=1e-12)


def test_a_full_day_of_steps_agrees_with_the_closed_form() -> None:
    suit, held = worn(leak=0.05 / HOUR), model.O2_FULL
    for _ in range(3600):
        held -= (0.000254 * suit.watts + 0.005 + 0.05) / HOUR
    assert model.stores(suit, HOUR).o2 == pytest.approx(held, rel=1e-9)
