"""One gas over time: its account may be asked for at every change or at the end alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.world.track import Flow, Track

VOLUMES = (200.0, 100.0, 15.0)
EXCHANGE = ((0, 1, 0.05), (1, 0, 0.05))

changes = st.lists(
    st.tuples(st.floats(1.0, 5e4), st.floats(0.0, 1e-3), st.floats(0.0, 1e-2), st.sampled_from((0, 1, 2))), max_size=8
)


def flown(steps: list[tuple[float, float, float, int]], *, asked: bool) -> Track:
    track, t = Track(VOLUMES, (1.0, 2.0, 3.0)), 0.0
    for after, rate, removal, zone in steps:
        t += after
        track.update(t, (Flow("source", zone, rate, 0.0), Flow("sink", zone, 0.0, removal)), EXCHANGE)
        if asked:
            track.ledger(t)
    return track


@given(steps=changes)
def test_an_account_asked_for_at_the_end_is_the_one_kept_all_along(
    steps: list[tuple[float, float, float, int]],
) -> None:
    end = sum(step[0] for step in steps) + 1e4

    assert flown(steps, asked=False).ledger(end) == flown(steps, asked=True).ledger(end)


@given(steps=changes)
def test_whatever_the_changes_the_account_closes(steps: list[tuple[float, float, float, int]]) -> None:
    end = sum(step[0] for step in steps) + 1e4

    assert flown(steps, asked=False).residual(end) == pytest.approx(0.0, abs=1e-11)


def test_what_comes_at_once_is_in_the_account_from_then_on() -> None:
    track = Track(VOLUMES, (0.0, 0.0, 0.0))
    track.update(10.0, (Flow("source", 0, 1e-3, 0.0),), ())
    track.put(20.0, "puff", 1, 0.5)
    track.put(20.0, "puff", 1, 0.25)

    assert track.ledger(15.0) == pytest.approx({"source": 5e-3})
    assert track.ledger(30.0) == pytest.approx({"source": 20e-3, "puff": 0.75})
    assert track.mass(1, 30.0) == pytest.approx(0.75)
