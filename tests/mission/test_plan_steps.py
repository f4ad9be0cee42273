"""Steps of a plan that wait for each other, and steps that a reading leaves out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from mission.desk import Assessment
from mission.report import MissionPlan, plan_digest
from mission.workflow import Authorization, Flight, fly
from mission.world.engine import World

Fly = Callable[..., World]
HIGH = {"channel": "core.ppco2", "comparison": "above", "value": 0.5}
LOW = {"channel": "core.ppco2", "comparison": "below", "value": 0.5}
SILENT = {"channel": "bed_b.outlet_ppco2", "comparison": "above", "value": -1.0}
NO_WORDS = {"headline": "", "rationale": "", "evidence": [], "uncertainties": [], "approval_covers": ""}
RUNS = {
    "quantity": "bed_b.power",
    "comparison": "at_least",
    "value": 0.5,
    "unit": "kW",
    "after_min": 600,
    "evidence": [],
}


def step(command: str, start: float = 0.0, given: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    parameters = [{"name": name, "value": value} for name, value in (given or {}).items()]
    return {"command": command, "parameters": parameters, "start_min": start, "abort_if": None} | more


@pytest.fixture
def carried_out(fly: Fly) -> Callable[..., tuple[dict[str, Any], list[tuple[float, str]]]]:
    """The first attempt at a plan six hours into a degraded bed, and the commands given, in minutes since."""
    return lambda *steps: carry_out(fly("bed-degraded", 6.0), list(steps))


def carry_out(
    world: World, steps: list[dict[str, Any]], hours: float = 24.0
) -> tuple[dict[str, Any], list[tuple[float, str]]]:
    plan = MissionPlan.model_validate(NO_WORDS | {"steps": steps, "expected": [RUNS]})
    assessment = Assessment()

    async def run(_agent: Any, _text: str) -> None:
        assessment.plan = plan

    async def approve(asked: MissionPlan, _digest: str) -> Authorization:
        return Authorization("approve", plan_digest(asked))

    crew = SimpleNamespace(world=world, assessment=assessment, agents={"director": None}, coordinator="director")
    start = world.now
    outcome = asyncio.run(fly(Flight(cast(Any, crew), start + hours * 3600.0, run, approve, lambda *_: None), "Go."))
    attempt = outcome["attempts"][0]
    given = [entry for entry in world.commands() if entry["kind"] == "command"][: len(attempt["steps"])]
    return attempt, [((entry["t"] - start) / 60, entry["name"]) for entry in given]


START = step("start_bed", given={"unit": "B"})


def test_a_step_starts_when_the_work_that_it_waits_for_is_done(carried_out) -> None:
    fan = step("repair_fan", 10, id="fan")
    attempt, commands = carried_out(step("suspend_exercise", given={"hours": 4}, after=["fan"]), fan, START)
    assert commands == [(0.0, "start_bed"), (10.0, "repair_fan"), (130.0, "suspend_exercise")]
    assert attempt["ended"] == "verified"


def test_a_step_that_waits_starts_no_earlier_than_its_own_time(carried_out) -> None:
    mend, late = step("repair_fan", id="fan"), step("start_bed", 300, {"unit": "B"}, after=["fan"])
    assert carried_out(late, mend)[1] == [(0.0, "repair_fan"), (300.0, "start_bed")]


def test_what_waits_for_an_eva_waits_for_its_prebreathe_and_until_everybody_is_inside(fly: Fly) -> None:
    world = fly("nominal", 3.0)
    out = {"people": "CM3,CM4", "task": "radiator", "hours": 1.5}
    attempt, commands = carry_out(
        world,
        [
            step("begin_prebreathe", given={"people": "CM3,CM4"}, id="mask"),
            step("begin_eva", given=out, id="eva", after=["mask"]),
            step("start_bed", given={"unit": "B"}, after=["eva"]),
            step("suspend_exercise", 60, {"hours": 4}),
        ],
    )
    # 40 min of oxygen, 15 min in the lock, an hour and a half outside, 10 min in the lock.
    assert commands == [
        (0.0, "begin_prebreathe"),
        (40.0, "begin_eva"),
        (60.0, "suspend_exercise"),
        (pytest.approx(155.0, abs=0.01), "start_bed"),
    ]
    assert attempt["ended"] == "verified"


def test_what_waits_for_a_drive_waits_until_the_rover_stands(fly: Fly) -> None:
    world = fly("nominal", 0.5)
    board = step("board_rover", given={"rover": "2", "people": "CM3,CM4"}, id="board")
    drive = step("rover_drive", given={"rover": "2", "to": "camp"}, id="there", after=["board"])
    attempt, commands = carry_out(
        world,
        [board, drive, step("start_bed", given={"unit": "B"}, after=["there"])],
    )
    arrived = next(e["t"] for e in world.log() if e["kind"] == "rover" and e["what"] == "arrived")
    assert commands[-1] == (pytest.approx((arrived - 0.5 * 3600.0) / 60.0), "start_bed")
    assert commands[-1][0] > 30.0
    assert attempt["ended"] == "verified"


def test_what_waits_for_what_does_not_end_in_the_watch_does_not_come(fly: Fly) -> None:
    mask = step("begin_prebreathe", given={"people": "CM3,CM4"}, id="mask")
    out = step("begin_eva", given={"people": "CM3,CM4", "task": "radiator", "hours": 1.5}, id="eva", after=["mask"])
    attempt, commands = carry_out(
        fly("nominal", 3.0), [mask, out, step("start_bed", given={"unit": "B"}, after=["eva"])], hours=2.0
    )
    assert [name for _, name in commands] == ["begin_prebreathe", "begin_eva"]
    assert attempt["ended"] == "out-of-time"


def test_steps_can_wait_in_a_row(carried_out) -> None:
    row = [
        step("start_bed", given={"unit": "B"}, after=["b"]),
        step("repair_fan", id="b", after=["a"]),
        step("repair_bed", given={"unit": "A"}, id="a"),
    ]
    assert carried_out(*row)[1] == [(0.0, "repair_bed"), (240.0, "repair_fan"), (360.0, "start_bed")]


def test_a_guard_that_holds_lets_its_step_be(carried_out) -> None:
    attempt, commands = carried_out(START | {"only_if": HIGH})
    assert commands == [(0.0, "start_bed")]
    assert attempt["steps"][0]["outcome"] == "begun"


@pytest.mark.parametrize(
    ("guard", "why"),
    [(LOW, "core.ppco2 reads "), (SILENT, "bed_b.outlet_ppco2 cannot tell: no-data: the unit does not run")],
)
def test_a_guard_that_does_not_hold_leaves_its_step_out_and_the_plan_goes_on(carried_out, guard, why) -> None:
    out = step("repair_bed", given={"unit": "A"}, id="a", only_if=guard)
    attempt, commands = carried_out(out, step("start_bed", 5, {"unit": "B"}, after=["a"]))
    assert [one["outcome"] for one in attempt["steps"]] == ["left-out", "begun"]
    assert attempt["steps"][0]["reason"].startswith(why)
    assert commands[0] == (5.0, "start_bed")
    assert attempt["ended"] == "verified"


def test_an_abort_condition_comes_before_a_guard(carried_out) -> None:
    attempt, _ = carried_out(START | {"abort_if": HIGH, "only_if": LOW})
    assert attempt["ended"] == "aborted"
