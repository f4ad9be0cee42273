"""What commands and checks of the surface say they take and refuse is what they take and refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mission.world.checks import CHECKS
from mission.world.engine import COMMANDS, CheckRefusedError, World
from mission.world.parts import PARTS
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]
OURS = ("eva", "rover", "comms", "radiation")
SURFACE = [part for part in PARTS if part.name in OURS]
OUT = {"outside": {"people": ["CM1", "CM2"], "task": "antenna", "work_h": 3.0, "since_h": 0.0}}
AWAY = {"rovers": [{"at": "ridge", "people": ["CM3"]}, {"people": ["CM4"]}]}
NEVER = {"first_pass_h": 1000.0}
SUN = [{"incident": "solar_particles", "onset_h": 0.0, "parameters": {"warning_min": 30}}]
DURATIONS = {
    "service_suit": ({"suit": "1"}, {}, 240.0, 1200.0),
    "board_rover": ({"rover": "1", "people": "CM1"}, {}, 15.0, 0.0),
    "take_fix": ({"rover": "1"}, {"rover": AWAY}, 10.0, 0.0),
    "enter_shelter": ({"people": "CM1"}, {}, 5.0, 0.0),
    "repair_shelter_fan": ({}, {}, 30.0, 50.0),
}
"""Parameters, what the scenario needs, minutes, W; `shelter_task` has its own test in test_radiation."""
CHECK_COSTS = {
    ("suit_pressure_decay", "1"): ({"eva": OUT}, 3.0, 5.0),
    ("odometry_compare", "1"): ({"rover": AWAY}, 4.0, 0.0),
    ("free_wheel_current", "1"): ({"rover": AWAY}, 3.0, 0.0),
    ("second_dosimeter", ""): ({}, 10.0, 10.0),
}
"""What the scenario needs, minutes, W."""
REFUSALS: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("begin_prebreathe", {"people": "CM1"}, {"eva": OUT}, "CM1 cannot: away"),
    ("stop_prebreathe", {"people": "CM3"}, {"rover": AWAY}, "CM3 cannot: away"),
    ("begin_prebreathe", {"people": "CM4"}, {"sleep": {"start_h": 0.0, "length_h": 8.0}}, "CM4 cannot: sleep"),
    ("begin_eva", {"people": "CM5,CM6", "task": "antenna", "hours": 1.0}, {"eva": OUT}, "an EVA is under way"),
    (
        "begin_eva",
        {"people": "CM1,CM2,CM3", "task": "antenna", "hours": 1.0},
        {},
        "3 people, but 2 suits fit to be worn",
    ),
    (
        "begin_eva",
        {"people": "CM1", "task": "antenna", "hours": 1.0},
        {"core_airlock_open": True},
        "the core-airlock hatch is open",
    ),
    (
        "begin_eva",
        {"people": "CM1", "task": "traverse", "hours": 2.0},
        {"comms": {"direct_h": 0.0}},
        "prebreathe still to do: CM1 40.0 min",
    ),
    ("recall_eva", {}, {}, "nobody is outside in a suit"),
    ("set_eva_pace", {"pace": "slow"}, {}, "nobody is outside in a suit"),
    ("suit_purge", {"suit": "1", "on": True}, {}, "suit 1 is not in use"),
    ("service_suit", {"suit": "1"}, {"eva": OUT}, "suit 1 is in use or lost"),
    ("board_rover", {"rover": "1", "people": "CM5"}, {"rover": AWAY}, "rover 1 is not at the base"),
    ("board_rover", {"rover": "2", "people": "CM1,CM2,CM5,CM6"}, {"rover": AWAY}, "rover 2 has 4 seats"),
    ("board_rover", {"rover": "1", "people": "CM4"}, {"sleep": {"start_h": 0.0, "length_h": 8.0}}, "CM4 cannot: sleep"),
    ("leave_rover", {"rover": "1"}, {"rover": AWAY}, "rover 1 is not at the base"),
    ("leave_rover", {"rover": "1"}, {}, "nobody is in rover 1"),
    ("rover_drive", {"rover": "1", "to": "ridge"}, {}, "nobody can drive rover 1"),
    ("rover_drive", {"rover": "1", "to": "ridge"}, {"rover": AWAY}, "rover 1 is at ridge"),
    ("rover_stop", {"rover": "1"}, {"rover": AWAY}, "rover 1 stands already"),
    ("take_fix", {"rover": "2"}, {"rover": AWAY}, "rover 2 is at the base and knows where it is"),
    ("dispatch_rescue", {"rover": "2"}, {}, "rover 2 is not at the base with a driver"),
    ("dispatch_rescue", {"rover": "2"}, {"rover": {"rovers": [{}, {"people": ["CM4"]}]}}, "nobody is out with rover 1"),
    ("leave_shelter", {"people": "CM1"}, {}, "CM1 not in the shelter"),
    ("shelter_task", {"people": "CM1"}, {}, "CM1 not in the shelter"),
    ("enter_shelter", {"people": "CM5"}, {}, "CM5 not in the core, where the shelter is"),
]


@pytest.mark.parametrize("name", DURATIONS)
def test_work_takes_its_time_and_its_power(fly: Fly, name: str) -> None:
    parameters, changes, minutes, watts = DURATIONS[name]
    world = fly("nominal", 0.0, **changes)
    result = world.command(name, parameters)
    assert (result.accepted, result.completes_s) == (True, minutes * MINUTE), result.reason
    world.advance(minutes * MINUTE - 1.0)
    drawn = {key: kw for key, kw in world.state()["power"]["loads_kw"].items() if key.startswith(name)}
    assert sum(drawn.values()) * 1000.0 == watts
    assert [event for event in world.log() if event["kind"] == "completed"] == []
    world.advance(minutes * MINUTE)
    assert [event["command"] for event in world.log() if event["kind"] == "completed"] == [name]
    assert not [key for key in world.state()["power"]["loads_kw"] if key.startswith(name)]


@pytest.mark.parametrize(("check", "target"), CHECK_COSTS)
def test_a_check_takes_its_time_and_its_power(fly: Fly, check: str, target: str) -> None:
    changes, minutes, watts = CHECK_COSTS[check, target]
    world, idle = fly("nominal", 0.0, **changes), fly("nominal", 0.0, **changes)
    spec = CHECKS[check]
    result = world.check(check, {spec.parameter: target} if spec.parameter else {})
    assert (world.now, result.duration_s) == (minutes * MINUTE, minutes * MINUTE)
    idle.advance(world.now)
    spent = world.state()["power"]["served_kwh"] - idle.state()["power"]["served_kwh"]
    assert spent * 1000.0 == pytest.approx(watts * minutes / 60.0, abs=1e-9)


@pytest.mark.parametrize(("name", "parameters", "changes", "why"), REFUSALS)
def test_what_is_refused_says_why_and_changes_nothing(
    fly: Fly, name: str, parameters: dict[str, Any], changes: dict[str, Any], why: str
) -> None:
    world = fly("nominal", 0.1, **({"comms": NEVER} | changes))
    before = world.state()
    result = world.command(name, parameters)
    assert (result.accepted, result.reason) == (False, why)
    assert world.state() == before


def test_the_shelter_is_not_left_and_nobody_goes_out_while_particles_come(fly: Fly) -> None:
    world = fly("nominal", 0.0, incidents=SUN)
    world.command("begin_prebreathe", {"people": "CM2,CM3"})
    world.command("enter_shelter", {"people": "CM1"})
    world.advance(3 * HOUR)
    assert world.command("leave_shelter", {"people": "CM1"}).rule == "FR-21"
    out = world.command("begin_eva", {"people": "CM2,CM3", "task": "antenna", "hours": 1.0})
    assert (out.rule, out.reason) == ("FR-12", "a solar particle alert is active")


def test_a_prebreathing_pair_is_on_the_mask_and_a_fan_under_repair_is_not_repaired_twice(fly: Fly) -> None:
    world = fly("nominal")
    assert world.command("begin_prebreathe", {"people": "CM1"}).reason == "CM1 on the mask; 40 min to go"
    assert world.command("repair_shelter_fan", {}).accepted
    assert world.command("repair_shelter_fan", {}).reason == "the shelter's fan is being repaired already"


def test_checks_refuse_who_is_not_there(fly: Fly) -> None:
    world = fly("nominal")
    for check in ("odometry_compare", "free_wheel_current"):
        with pytest.raises(CheckRefusedError, match="nobody can drive rover 1"):
            world.check(check, {"rover": "1"})
    assert world.now == 0.0


def test_every_command_that_takes_time_and_every_check_of_the_surface_is_tried_here() -> None:
    lasting = {spec.name for part in SURFACE for spec in part.commands if spec.duration_s or spec.power_w}
    assert lasting - {"shelter_task"} == set(DURATIONS)
    assert {spec.name for part in SURFACE for spec in part.checks} == {name for name, _ in CHECK_COSTS}
    gated = {spec.name for part in SURFACE for spec in part.commands if spec.gates}
    refused = {name for name, *_ in REFUSALS} | {"repair_shelter_fan"}
    assert gated == refused
    assert all(COMMANDS[name].gates for name in gated)
