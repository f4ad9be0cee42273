"""Relay passes, the queue, light time, and advice that is old when it comes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.reports import reports
from mission.world import comms
from mission.world.engine import World
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]


def at(fly: Fly, **section: object) -> World:
    """A base with relays alone, the first after an hour."""
    return fly("nominal", comms={"first_pass_h": 1.0, "direct_h": 0.0} | section)


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


def test_earth_answers_from_what_it_was_sent(fly: Fly) -> None:
    world = fly("bed-degraded", comms={"first_pass_h": 8.0, "direct_h": 0.0, "earth_desk_h": 0.5})
    world.advance(7.5 * HOUR)
    say(world, "What do you make of the CO2?")
    then = world.read("core.ppco2").value
    reply = world.base.part("comms").pass_at_or_after(8 * HOUR + 9 * MINUTE).start
    world.advance(reply - 1.0)
    assert not [r for r in reports(world, "orbital") if "Answer" in r.text]
    world.advance(reply)
    (answer,) = [r for r in reports(world, "orbital") if "Answer" in r.text]
    assert (answer.author, answer.observed_s, answer.received_s) == ("Earth", 7.5 * HOUR, reply)
    assert f"core.ppco2 {then:g} mmHg" in answer.text
    assert answer.text.startswith("Answer to message 1: at T+07:30 you had ")
    assert "core.ppco2" in answer.shares


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0.0, 9.0), st.sampled_from(comms.PRIORITIES), st.floats(0.1, 300.0)), min_size=1, max_size=6
    ),
    st.sampled_from(
        (
            {"direct_h": 0.0},
            {"direct_ltst_h": 7.5},
            {"direct_ltst_h": 7.9, "earth_au": 2.6, "conjunction_h": (2.0, 30.0)},
        )
    ),
)
def test_every_bit_is_sent_once_and_never_outside_a_window(
    said: list[tuple[float, str, float]], links: dict[str, Any]
) -> None:
    class Quiet:
        """A base that only keeps time."""

        t = 0.0
        scenario = SimpleNamespace(site=SimpleNamespace(ltst_h=7.0))

        def now(self) -> float:
            return self.t

        def changed(self, part: str) -> None: ...

        def log(self, t: float, kind: str, **data: object) -> None: ...

    base = Quiet()
    block = comms.Comms(comms.CommsSection(first_pass_h=1.0, **links), base)  # type: ignore[arg-type]

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
    assert all(block.earth_at_or_after(m["sent_s"] - 1e-5).start <= m["sent_s"] for m in messages)
    assert all(not 2 * HOUR < m["sent_s"] <= 30 * HOUR for m in messages if "conjunction_h" in links)
    assert block.waiting(base.t) == 0


def test_the_dish_reaches_earth_for_three_hours_a_sol(fly: Fly) -> None:
    world = fly("nominal", comms={"first_pass_h": 1000.0})
    # Local true solar time is 7 at the start and the window opens at 10.
    assert world.truth("comms.next_direct") == pytest.approx(3 * 88775.244 / 24 / HOUR)
    say(world, megabits=86.4)
    world.advance(100 * HOUR)
    opens = 3 * 88775.244 / 24
    # 8 kb/s for 3 h are 86.4 Mbit (design study 1.11: 86 Mbit a sol): it is through as the window closes.
    assert sent(world) == [(1, pytest.approx(opens + 3 * HOUR, abs=0.01))]
    assert (world.truth("comms.earth", opens + 1.0), world.truth("comms.earth", opens + 3 * HOUR + 1.0)) == (1.0, 0.0)
    assert world.truth("comms.link", opens + 1.0) == 0.0


def test_a_relay_goes_before_the_dish(fly: Fly) -> None:
    world = fly("nominal", comms={"first_pass_h": 4.0})
    opens = 3 * 88775.244 / 24
    rate = world.truth("comms.rate", 0.0) * 1e6
    before = (4 * HOUR - opens) * 8e3
    say(world, megabits=(before + 60.0 * rate) / 1e6)
    world.advance(6 * HOUR)
    assert sent(world) == [(1, pytest.approx(4 * HOUR + 60.0, abs=0.01))]


def test_behind_the_sun_nothing_passes_but_rovers_are_heard(fly: Fly) -> None:
    world = fly("nominal", comms={"first_pass_h": 1.0, "earth_au": 2.6, "conjunction_h": (0.2, 260.0)})
    say(world)
    world.base.part("radiation").false_alert(2.0)
    world.advance(1.05 * HOUR)
    assert (world.truth("comms.link"), world.truth("comms.earth")) == (1.0, 0.0)
    assert world.truth("radiation.alert") == 0.0
    world.advance(280 * HOUR)
    ((number, t),) = sent(world)
    assert (number, t > 260 * HOUR) == (1, True)
    assert world.truth("radiation.alert", 100 * HOUR) == 0.0


def test_a_conjunction_has_earth_on_the_far_side(fly: Fly) -> None:
    with pytest.raises(ValueError, match=r"Earth is then at least 2.3 AU away"):
        fly("nominal", comms={"conjunction_h": (1.0, 2.0)})
    with pytest.raises(ValueError, match="it ends at 1 h, not after its start at 2 h"):
        fly("nominal", comms={"conjunction_h": (2.0, 1.0), "earth_au": 2.5})


def test_a_relay_in_safe_mode_is_due_and_carries_nothing(fly: Fly) -> None:
    world = at(fly, silent_passes=[1])
    say(world)
    plain = at(fly).base.part("comms")
    second = plain.pass_at_or_after(plain.pass_at_or_after(0.0).end)
    assert world.truth("comms.next_pass") == 1.0
    world.advance(HOUR + MINUTE)
    assert (world.truth("comms.next_pass"), world.truth("comms.link")) == (0.0, 0.0)
    assert world.read("comms.link", HOUR + 1.0).value == 0.0
    world.advance(second.start + MINUTE)
    assert (world.truth("comms.link"), [number for number, _ in sent(world)]) == (1.0, [1])
    assert sent(world)[0][1] > second.start


def test_over_a_silent_relay_nobody_away_is_heard(fly: Fly) -> None:
    rover = {"rovers": [{"at": "rim", "people": ["CM1"]}, {}]}
    heard, silent = (
        fly("nominal", rover=rover, comms={"first_pass_h": 0.5, "silent_passes": passes}) for passes in ([], [1])
    )
    for world in (heard, silent):
        world.advance(0.55 * HOUR)
    assert [w.read("rover_1.soc").quality for w in (heard, silent)] == ["good", "stale"]
    refused = silent.command("take_fix", {"rover": "1"})
    assert refused.reason.startswith("rover 1 is beyond local radio; the next relay pass starts in ")
    silent.advance(HOUR)
    heard.advance(HOUR)
    fixes = [[e for e in w.log() if e["kind"] == "rover" and e["what"] == "fix"] for w in (heard, silent)]
    assert [len(found) for found in fixes] == [1, 0]


def test_a_lower_mast_reaches_less_far() -> None:
    assert [round(comms.horizon_km(m), 2) for m in (0.0, 2.5, 10.0)] == [0.0, 4.12, 8.23]


def test_a_text_must_be_one(fly: Fly) -> None:
    world = at(fly)
    for text, why in (("", "text of 1 to 1000"), ("x" * 1001, "text of 1 to 1000"), (3.0, "text of 1 to 1000")):
        refused = world.command("send_message", {"text": text, "priority": "routine", "megabits": 1.0})
        assert not refused.accepted
        assert why in refused.reason
    assert world.state()["comms"]["messages"] == []
