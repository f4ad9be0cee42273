"""The timeline and the debrief of `simsup world`: what a person reads of a flight, and in what order."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission import debrief, flight, story, timeline
from mission.objectives import evaluate
from mission.sols import local_hours, moment, nights, stamp
from mission.world.engine import World, load_scenario
from mission.world.objective import Step
from mission.world.units import HOUR
from mission.world.weather import SOL, local_time

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.stem for path in (ROOT / "cases/scenarios").glob("*.yaml"))


def flown(name: str, hours: float | None = None, plan: tuple[Step, ...] = ()) -> tuple[World, list[flight.Answer]]:
    scenario = load_scenario(ROOT / f"cases/scenarios/{name}.yaml")
    world = World(scenario, 0)
    end = flight.ends(scenario) if hours is None else hours * HOUR
    world.advance(min(flight.called(scenario), end))
    return world, flight.fly(world, plan, flight.called(scenario), end)


def told(name: str, hours: float | None = None) -> list[str]:
    return list(timeline.lines(flown(name, hours)[0]))


def test_a_line_has_mission_time_sol_local_time_mark_kind_and_rule():
    assert told("bed-degraded", 2.6) == [
        "T+01:00       0 07:58     incident       bed_degradation(unit=A, health=0.5)",
        "T+02:01:33    0 08:58 !   MARK     FR-01 lab ppCO2 rises through 3 mmHg",
        "T+02:31:26    0 09:27 !   TRIGGER  FR-01 lab 1 h mean ppCO2 rises through 3 mmHg",
    ]


def test_somebody_lost_is_marked_as_nothing_else_is():
    harm = [line for line in told("suit-leak") if "!!" in line]
    assert harm == [
        "T+03:28:13    0 10:22 !!  LOST           suit 1: out of oxygen",
        "T+03:28:13    0 10:22 !!  LOST           CM1 is lost (outside in a suit)",
    ]


def test_people_who_do_the_same_share_a_line_and_a_rover_is_not_a_suit():
    assert "CM1, CM2: outside in a suit" in told("suit-leak")[0]
    assert "CM1, CM2: aboard rover 1" in told("rover-stuck")[0]


def test_what_happens_all_the_time_is_counted_and_shown_on_demand():
    world, _ = flown("masked-leak")
    quiet, loud = list(timeline.lines(world)), list(timeline.lines(world, everything=True))
    assert quiet[-1] == "not shown: 276 valve; --all shows everything"
    assert len(loud) == len(quiet) - 1 + 276


def test_a_crossing_back_is_no_alarm():
    plan = (Step(command="start_bed", parameters={"unit": "B"}),)
    lines = list(timeline.lines(flown("bed-degraded", 9.0, plan)[0]))
    assert any("clear    FR-01 core ppCO2 back through 3 mmHg" in line for line in lines)
    assert all("!" not in line for line in lines if " clear " in line)


def test_a_proton_alert_is_told_when_it_comes_in():
    assert "T+01:12:29    0 08:10 !   ALARM    FR-21 proton alert comes in" in told("solar-event")


def test_a_mark_that_counts_as_a_mean_alone_is_no_trigger_of_its_rule():
    kinds = {one.text: one.kind for one in story.happenings(flown("cable-fire")[0])}
    assert kinds["lab ppCO2 rises through 4 mmHg"] == "MARK"
    assert kinds["lab ppCO2 rises through 5 mmHg"] == "TRIGGER"


def test_a_check_that_is_refused_is_told_though_no_log_holds_it():
    again = Step(check="free_wheel_current", parameters={"rover": "1"})
    world, answers = flown("nominal", 7.0, (again,))
    assert [answer.accepted for answer in answers] == [False]
    refused = [line for line in timeline.lines(world, answers) if "REFUSED" in line]
    assert len(refused) == 1
    assert refused[0].startswith("T+06:00")


def test_the_head_says_in_short_what_came_of_it():
    world, answers = flown("suit-leak")
    outcome = evaluate(world, world.scenario.objectives, flight.called(world.scenario), world.now)
    assert list(timeline.header(world, answers, outcome))[1:3] == [
        "seed 0; flown to T+06:00 (6 h, 0.243 sols); T+00:00 is sol 0 07:00, Ls 186",
        "in short: 1 of 6 people lost, 2 alarms and marks, 0 of 3 objectives met",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_scenario_is_told_in_order_in_full_and_within_the_width(name: str):
    world, _ = flown(name)
    lines = [*timeline.header(world), *timeline.lines(world, everything=True)]
    assert max(map(len, lines)) <= timeline.WIDTH
    happened = story.happenings(world)
    assert [one.t for one in happened] == sorted(one.t for one in happened)
    crew = [event for event in world.base.events if event["kind"] == "crew"]
    assert sum(one.kind not in ("crew",) for one in happened) >= len(world.base.events) - len(crew)
    assert not any("{" in one.text or "None" in one.text for one in happened)


def test_missed_objectives_come_first_and_every_margin_is_the_outcomes():
    world, _ = flown("bed-degraded")
    outcome = evaluate(world, world.scenario.objectives, flight.called(world.scenario), world.now)
    lines = list(debrief.results(outcome, world.scenario.objectives))
    assert [line.split()[0] for line in lines[1:6]] == ["MISSED"] * 4 + ["met"]
    assert lines[2].split("  ")[-1] == "12.47 h from T+09:32:04"
    assert "-0.5358 (-13.4%)" in lines[2]
    assert lines[-1] == "1 of 5 objectives met; smallest relative margin -300.0%"


def test_the_debrief_counts_the_living_and_the_books_close():
    world, _ = flown("suit-leak")
    assert next(debrief.crew(world)).startswith("crew     5 of 6 alive; LOST: CM1")
    assert next(debrief.books(world)).startswith("ledgers  close: mass of 4 gases to ")


def test_books_that_do_not_close_are_told():
    world, _ = flown("nominal", 1.0)
    track = world.base.air.tracks["n2"]
    track.update(
        world.now, track.last.flows, track.last.exchange, tuple(mass + 1e-3 for mass in track.masses(world.now))
    )
    assert "DO NOT CLOSE" in next(debrief.books(world))


def test_local_time_runs_on_over_midnight_and_agrees_with_the_site():
    sky = flown("dust-storm-global", 0.1)[0].base.sky
    for t in (0.0, 17.0 * HOUR, 18.0 * HOUR, 400.0 * HOUR, 2400.0 * HOUR):
        assert local_hours(sky, t) % 24.0 == pytest.approx(local_time(sky, t), abs=1e-9)
        assert moment(sky, local_hours(sky, t)) == pytest.approx(t, abs=1e-3)
    assert stamp(sky, 0.0) == "0 07:00"
    assert stamp(sky, moment(sky, 24.0)) == "1 00:00"
    assert stamp(sky, moment(sky, 24.0) - 1.0) == "0 23:59"


def test_nights_are_where_there_is_no_daylight():
    world, _ = flown("dust-storm-global", 100.0)
    dark = nights(world.base.sky, world.now)
    assert len(dark) == 4
    for start, end in dark:
        assert world.truth("site.daylight_left", 0.5 * (start + end)) == 0.0
        assert world.truth("site.daylight_left", end + 60.0) > 0.0
        assert world.truth("site.daylight_left", start - 60.0) == pytest.approx(60.0 / HOUR, abs=1e-3)
        assert end - start == pytest.approx(0.5 * SOL, rel=0.01)


def test_dust_that_passes_a_depth_of_the_storm_rule_is_told():
    assert [line for line in told("dust-storm-regional") if "FR-17" in line] == [
        "T+54:39:54    2 12:12 !   MARK     FR-17 dust rises through an optical depth of 1.5",
        "T+68:51:29    3 02:00 !   MARK     FR-17 dust rises through an optical depth of 2",
    ]


def test_what_was_breathed_in_a_rover_or_a_suit_is_told_beside_the_air_of_the_base():
    assert list(debrief.crew(flown("rover-stuck")[0]))[1:] == [
        "         breathed in the base: ppCO2 up to 2.71 mmHg, PIO2 down to 131.8 mmHg; highest dose 0.367 mGy",
        "         and outside: rover 1 ppCO2 up to 8.03 mmHg",
    ]
    suits = list(debrief.crew(flown("suit-leak")[0]))[-1]
    assert suits == "         and outside: suit 1 ppCO2 up to 3.28 mmHg; suit 2 ppCO2 up to 3.56 mmHg"
    assert len(list(debrief.crew(flown("nominal", 1.0)[0]))) == 2
