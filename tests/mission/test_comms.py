"""Relay passes, the queue, light time, and advice that is old when it comes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.world import comms
from mission.world.engine import World
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]


def at(fly: Fly, **section: object) -> World:
    return fly("nominal", comms={"first_pass_h": 1.0} | section)


def say(world: World, text: str = "Hello.", priority: str = "routine", megabits: float = 1.0) -> None:
    assert world.command("send_message", {"text": text, "priority": priority, "megabits": megabits}).accepted


def sent(world: World) -> list[tuple[int, float]]:
    return [(e["number"], e["t"]) for e in world.log() if e["kind"] == "message_sent"]


def test_local_radio_ends_at_the_horizon() -> None:
    assert pytest.approx(8.2, abs=0.05) == comms.RADIO_KM


def test_passes_come_two_to_four_times_a_sol(fly: Fly) -> None:
    block = fly("nominal").base.part("comms")
    passes, t = [], 0.0
    while t < 100 * 88775.244:
        passes.append(block.pass_at_or_after(t))
        t = passes[-1].end
    gaps = [(two.start - one.start) / HOUR for one, two in pairwise(passes)]
    assert 2.0 <= len(passes) / 100 <= 4.0
    assert all(4.0 <= gap <= 10.0 for gap in gaps)
    assert all(p.end - p.start == 8 * MINUTE for p in passes)
    bits = [(p.end - p.start) * p.rate / 1e6 for p in passes]
    assert 119.0 < min(bits) < max(bits) < 481.0


def test_the_schedule_is_drawn_from_its_number(fly: Fly) -> None:
    one, same, other = (
        fly("nominal", seed=seed, comms={"schedule": n}).truth("comms.next_pass")
        for seed, n in ((1, 1), (2, 1), (1, 2))
    )
    assert one == same != other


def test_a_message_waits_for_the_pass_and_takes_its_time(fly: Fly) -> None:
    world = at(fly, earth_au=1.0)
    say(world, megabits=30.0)
    assert world.read("comms.queue").value == 1.0
    rate = world.truth("comms.rate") * 1e6
    world.advance(2 * HOUR)
    assert sent(world) == [(1, pytest.approx(HOUR + 30e6 / rate, abs=1e-5))]
    message = world.state()["comms"]["messages"][0]
    assert message["read_s"] - message["sent_s"] == pytest.approx(499.005)
    assert (world.truth("comms.queue", 0.5 * HOUR), world.truth("comms.queue")) == (1.0, 0.0)


def test_the_urgent_goes_first_and_interrupts(fly: Fly) -> None:
    world = at(fly)
    say(world, "pictures", "routine", 60.0)
    say(world, "status", "priority", 10.0)
    world.advance(HOUR + 40.0)
    say(world, "help", "emergency", 5.0)
    world.advance(2 * HOUR)
    assert [number for number, _ in sent(world)] == [2, 3, 1]
    rate = world.state()["comms"]["messages"][0]["sent_s"]
    assert rate == pytest.approx(HOUR + 75e6 / (world.truth("comms.rate", HOUR) * 1e6), abs=1e-4)


def test_what_does_not_fit_goes_on_in_the_next_pass(fly: Fly) -> None:
    world = at(fly)
    window = world.base.part("comms").pass_at_or_after(0.0)
    budget = 8 * MINUTE * window.rate / 1e6
    say(world, megabits=budget + 30.0)
    world.advance(2 * HOUR)
    assert world.state()["comms"]["messages"][0]["left"] == pytest.approx(30e6, rel=1e-6)
    assert sent(world) == []
    world.advance(14 * HOUR)
    after = world.base.part("comms").pass_at_or_after(window.end)
    assert sent(world) == [(1, pytest.approx(after.start + 30e6 / after.rate, abs=1e-4))]


def test_advice_is_as_old_as_its_question(fly: Fly) -> None:
    world = at(fly, earth_au=1.0, earth_desk_h=2.0)
    assert world.truth("comms.advice_age") == -1.0
    say(world)
    world.advance(20 * HOUR)
    reply = next(e for e in world.log() if e["kind"] == "earth_reply")
    assert reply["based_on_s"] == 0.0
    assert reply["t"] == world.base.part("comms").pass_at_or_after(HOUR + 3 * HOUR).start
    assert reply["age_min"] == pytest.approx(reply["t"] / 60)
    assert world.truth("comms.advice_age") == pytest.approx(20.0)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0.0, 9.0), st.sampled_from(comms.PRIORITIES), st.floats(0.1, 300.0)), min_size=1, max_size=6
    )
)
def test_every_bit_is_sent_once_and_never_outside_a_pass(said: list[tuple[float, str, float]]) -> None:
    class Quiet:
        """A base that only keeps time."""

        t = 0.0

        def now(self) -> float:
            return self.t

        def changed(self, part: str) -> None: ...

        def log(self, t: float, kind: str, **data: object) -> None: ...

    base = Quiet()
    block = comms.Comms(comms.CommsSection(first_pass_h=1.0), base)  # type: ignore[arg-type]

    def run(until: float) -> None:
        while True:
            due = [(t, w) for w in block.watches() if (t := w.search(base.t, until)) is not None]
            if not due:
                break
            base.t, watch = min(due, key=lambda found: found[0])
            watch.fire(base.t)
        base.t = until

    for hour, priority, megabits in sorted(said):
        run(hour * HOUR)
        block.send("text", priority, megabits)
    run(400 * HOUR)
    messages = block.state(base.t)["messages"]
    assert all(m["left"] == 0.0 and m["sent_s"] is not None for m in messages)
    assert all(block.pass_at_or_after(m["sent_s"] - 1e-5).start <= m["sent_s"] for m in messages)
    assert block.waiting(base.t) == 0


def test_a_text_must_be_one(fly: Fly) -> None:
    world = at(fly)
    for text, why in (("", "text of 1 to 1000"), ("x" * 1001, "text of 1 to 1000"), (3.0, "text of 1 to 1000")):
        refused = world.command("send_message", {"text": text, "priority": "routine", "megabits": 1.0})
        assert not refused.accepted
        assert why in refused.reason
    assert world.state()["comms"]["messages"] == []
