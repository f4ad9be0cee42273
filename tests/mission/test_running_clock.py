"""The base does not wait for whoever thinks: what that costs, where it ends, and that it is the same every time."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.cases import load_cases, load_reference
from evals.cli import execute
from evals.clock import Clock
from evals.controls import fly_script
from evals.judge import STAND_IN
from evals.store import Store
from evals.verbs.replay import replay_run
from evals.workspace import find_workspace
from mission.desk import Assessment, Desk, stamp
from mission.report import MissionPlan
from mission.system import MarsBase, MarsWorld
from mission.tools import read_telemetry
from mission.workflow import Authorization, Flight, fly

ROOT = Path(__file__).parents[2]
WORKSPACE = find_workspace(ROOT)
CASES = load_cases(WORKSPACE)
HOUR = 3600.0
PLAN = {
    "id": "clocks",
    "question": "Who is late?",
    "candidates": [
        {"id": "fast", "model": "pilot/expert", "clock": {"thinking": {"kind": "fixed", "seconds": 5}}},
        {"id": "slow", "model": "pilot/expert", "clock": {"thinking": {"kind": "fixed", "seconds": 600}}},
        {"id": "drawn", "model": "pilot/expert"},
    ],
    "cases": ["workflow-bed-01"],
    "trials": 2,
    "clock": {"thinking": {"kind": "drawn", "median_s": 30, "sigma": 0.8}, "roles": {"risk-review": "off"}},
    "policy": {"order": ["complete_passes"], "gate": {"min_pass_rate": 0.5}},
}


@pytest.fixture(scope="module")
def mars() -> MarsBase:
    return MarsBase(WORKSPACE)


@pytest.fixture
def opened(mars):
    """A base in trouble, six hours in, with a watch till T+08:00."""

    def make(scenario: str = "fan-stopped", **setup: Any) -> MarsWorld:
        return mars.open({"scenario": scenario, "seed": 11, "start": "PT6H", "horizon": "PT8H"} | setup)

    return make


# --- a slow team loses what a fast one saves ----------------------------------------------------------------------


def puncture(mars: MarsBase, seconds: float) -> tuple[Any, Any]:
    """The shipped case flown on its own reference, by a team that takes so many seconds for every answer."""
    case = CASES["workflow-puncture-01"]
    clock = Clock.model_validate({"thinking": {"kind": "fixed", "seconds": seconds}})
    timed = case.model_copy(update={"setup": case.setup.model_copy(update={"clock": clock})})
    return asyncio.run(fly_script(mars, timed, load_reference(WORKSPACE, case).roles, STAND_IN))


def test_the_same_answers_save_the_lab_fast_and_lose_it_slow(mars):
    """Four answers, 30 s or 300 s each: the hatch is shut at T+01:12:30, or 18 minutes later."""
    (fast, passed), (slow, failed) = puncture(mars, 30), puncture(mars, 300)
    said = [[(e.role, e.data["output"]) for e in one.trace if e.kind == "model_response"] for one in (fast, slow)]
    assert said[0] == said[1]
    assert [one.thinking_s for one in (fast, slow)] == [120, 1200]
    shut = [next(e["t"] for e in one.log if e.get("command") == "close_hatch") for one in (fast, slow)]
    assert shut == [4350, 5430]
    assert (passed.verdict, failed.verdict, failed.failed()) == (
        "pass",
        "fail",
        ["shut-in-time", "nitrogen-kept", "nobody-breathes-thin"],
    )
    assert fast.state["tanks"]["n2_kg"] - slow.state["tanks"]["n2_kg"] == pytest.approx(4.07, abs=0.01)
    assert slow.state["exposures"]["min_pio2_mmhg"] < fast.state["exposures"]["min_pio2_mmhg"] - 2


# --- the base while one thinks ------------------------------------------------------------------------------------


def test_readings_move_on_with_the_thought_and_each_has_its_own_id(opened):
    world = opened()
    desk = Desk(world.world, "life-support", Assessment())
    first = read_telemetry(desk, ["core.ppco2", "lab.humidity"])
    assert world.think(0.25) == 0.25
    second = read_telemetry(desk, ["core.ppco2"])
    world.think(1799.75)
    third = read_telemetry(desk, ["core.ppco2"], history_hours=1)
    ids = [one["readings"][0]["evidence_id"] for one in (first, second, third)]
    assert ids == ["core.ppco2@T+06:00", "core.ppco2@T+06:00:00.25", "core.ppco2@T+06:30"]
    assert [one["time"] for one in (first, third)] == ["T+06:00", "T+06:30"]
    assert third["readings"][0]["sampled"] > first["readings"][0]["sampled"]
    assert third["readings"][0]["history"]["samples"][-1]["time"] == third["readings"][0]["sampled"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (21600.0, "T+06:00"),
        (21630.0, "T+06:00:30"),
        (21600.5, "T+06:00:00.5"),
        (21630.0 + 3 / 1024, "T+06:00:30.0029"),
        (21630.0 + 4 / 1024, "T+06:00:30.0039"),
        (21659.99999, "T+06:01"),
    ],
)
def test_an_evidence_id_has_as_much_of_the_time_as_tells_it_apart(seconds, text):
    assert stamp(seconds) == text


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 900 * 1024), max_size=6))
def test_thinking_is_the_bases_time_and_nothing_else(ticks):
    """However the time is cut up, the base is the one that was left alone for as long."""
    base = MarsBase(WORKSPACE)
    setup = {"scenario": "fan-stopped", "seed": 11, "start": "PT6H", "horizon": "PT7H"}
    world, alone = base.open(setup), base.open(setup)
    asked = [tick / 1024 for tick in ticks]
    passed = [world.think(seconds) for seconds in asked]
    assert sum(passed) == min(sum(asked), HOUR)
    assert world.now() == 6 * HOUR + sum(passed)
    alone.world.advance(world.now())
    assert world.observe() == alone.observe()


def test_the_watch_ends_while_one_thinks(opened):
    world = opened()
    assert [world.think(seconds) for seconds in (HOUR, 2 * HOUR, 60)] == [HOUR, HOUR, 0]
    assert world.now() == 8 * HOUR


def test_a_watch_that_nobody_set_an_end_to_is_a_day_or_a_day_after_a_later_start(mars):
    ends = [mars.open({"scenario": "nominal", "start": start}).horizon for start in ("PT0H", "PT6H", "PT57H")]
    assert ends == [24 * HOUR, 24 * HOUR, 81 * HOUR]


def test_a_watch_that_ends_before_it_starts_is_refused(opened):
    with pytest.raises(ValueError, match="horizon PT5H is not after start PT6H"):
        opened(horizon="PT5H")


# --- the workflow at the end of the watch -------------------------------------------------------------------------


@pytest.fixture
def late(stage, opened, plan):
    """Flies a plan of steps and expectations in a watch of two hours, before a human who takes `after_s`."""

    def start(proposal: dict[str, Any], after_s: float = 0.0) -> tuple[Any, Any]:
        staged = stage(opened("bed-degraded").world, {})

        async def submit(_agent: Any, _text: str) -> None:
            staged.crew.assessment.plan = MissionPlan.model_validate(proposal)

        async def approve(_plan: MissionPlan, digest: str) -> Authorization:
            return Authorization("approve", digest, after_s)

        flight = Flight(staged.crew, 8 * HOUR, submit, approve, lambda *_: None)
        return asyncio.run(fly(flight, "CO2 rises.")), staged.crew.world

    return start


def test_what_falls_due_after_the_watch_does_not_happen(late, plan):
    outcome, world = late(plan((0, "start_bed", {"unit": "B"}), (121, "stop_bed", {"unit": "B"})))
    assert outcome["ended"] == "out-of-time"
    assert [entry["name"] for entry in world.commands()] == ["start_bed"]
    assert world.now == 8 * HOUR


def test_what_falls_due_with_the_end_of_the_watch_still_does(late, plan):
    outcome, world = late(plan((0, "start_bed", {"unit": "B"}), expected=((120, "core.ppco2", "at_most", 6, "mmHg"),)))
    assert (outcome["ended"], world.now) == ("verified", 8 * HOUR)


def test_a_human_who_decides_after_the_watch_decides_nothing(late, plan):
    outcome, world = late(plan((0, "start_bed", {"unit": "B"})), after_s=2 * HOUR + 1)
    assert outcome["ended"] == "out-of-time"
    assert outcome["attempts"][0]["reason"] == "the watch ended before the human had decided"
    assert (world.commands(), world.now) == ([], 8 * HOUR)


def test_a_team_that_thinks_past_the_watch_is_stopped_with_the_base_as_it_then_is(mars):
    episode, grade = puncture(mars, 4 * HOUR)
    assert (episode.status.kind, episode.status.layer) == ("stopped", "candidate")
    assert episode.status.reason.startswith("out of simulated time: the world ended in director's call 1, 10500 s of")
    assert (episode.sim_s, episode.thinking_s) == (4 * HOUR, 10_500)
    assert {"completed", "shut-in-time", "nitrogen-kept", "nobody-breathes-thin"} <= set(grade.failed())


# --- the same every time ------------------------------------------------------------------------------------------


def digests(path: Path) -> dict[tuple[str, str, int], tuple[str, str]]:
    with Store.open(path) as store:
        return {
            (one.key.case, one.key.candidate, one.key.trial): (one.content_digest(), one.world_digest)
            for one in store.episodes()
        }


def spawn(plan: Path, out: Path, hash_seed: int, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "from evals.cli import main; main()", "run", str(plan), *arguments]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": str(ROOT)},
        stdout=out.with_suffix(".said").open("wb"),
        stderr=subprocess.STDOUT,
    )


@pytest.fixture(scope="module")
def flown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The plan's file, and its run at concurrency 1 under hash seed 0."""
    folder = tmp_path_factory.mktemp("clocks")
    plan, out = folder / "plan.yaml", folder / "one.sqlite"
    plan.write_text(yaml.safe_dump(PLAN))
    assert spawn(plan, out, 0, "--out", str(out), "--concurrency", "1").wait() == 0
    return plan, out


def test_concurrency_and_hash_seed_change_nothing(flown, tmp_path):
    plan, one = flown
    out = tmp_path / "eight.sqlite"
    assert spawn(plan, out, 12345, "--out", str(out), "--concurrency", "8").wait() == 0
    assert len(digests(one)) == 6
    assert digests(out) == digests(one)


def test_killed_and_resumed_it_is_the_run_it_would_have_been(flown, tmp_path):
    plan, one = flown
    out = tmp_path / "killed.sqlite"
    process = spawn(plan, out, 1, "--out", str(out), "--concurrency", "2")
    while process.poll() is None and not (out.exists() and digests(out)):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the run ended before it was killed"
    kept = digests(out)
    assert 0 < len(kept) < 6
    assert spawn(plan, out, 2, "--resume", str(out), "--concurrency", "3").wait() == 0
    assert digests(out) == digests(one)


def test_a_run_replays_to_the_same_episodes(flown):
    said: list[str] = []
    assert replay_run(WORKSPACE, flown[1], said.append) == 0
    assert said == ["6 episodes replayed, 6 as recorded, 0 not."]


def test_another_clock_is_another_run(flown, tmp_path, monkeypatch, capsys):
    changed = tmp_path / "plan.yaml"
    changed.write_text(yaml.safe_dump(PLAN | {"clock": {"thinking": {"kind": "fixed", "seconds": 5}}}))
    out = tmp_path / "copy.sqlite"
    out.write_bytes(flown[1].read_bytes())
    monkeypatch.chdir(ROOT)
    assert execute(["run", str(changed), "--resume", str(out)]) == 2
    assert "cannot go on, since it started these changed: plan clocks (clock)" in capsys.readouterr().err


def test_trials_draw_anew_and_a_role_can_be_left_out(flown):
    with Store.open(flown[1]) as store:
        drawn = [e for e in store.episodes() if (e.key.candidate, e.key.case) == ("drawn", "workflow-bed-01")]
    assert drawn[0].thinking_s != drawn[1].thinking_s
    assert "risk-review" not in {event.role for one in drawn for event in one.trace if event.kind == "thinking"}
    assert all(one.usage["risk-review"].requests > 0 for one in drawn)
