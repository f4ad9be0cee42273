"""Work takes hands: who is in the shelter, outside or lost has none, and a pair does one thing at a time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mission.world import hands
from mission.world.checks import CHECKS
from mission.world.commands import COMMANDS
from mission.world.engine import CheckRefusedError, World
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]
NOBODY = "nobody has hands for it: all are outside, in the shelter or lost"


def sheltered(fly: Fly) -> World:
    world = fly("bed-degraded", 1.0)
    world.command("move_crew", {"people": "all", "to": "core"})
    world.advance(world.now + 5 * MINUTE)
    world.command("enter_shelter", {"people": "all"})
    return world


@pytest.mark.parametrize(
    ("command", "parameters"),
    [("repair_bed", {"unit": "A"}), ("patch_leak", {"zone": "lab"}), ("extinguish", {"zone": "lab"})],
)
def test_nobody_works_from_inside_the_shelter(fly: Fly, command: str, parameters: dict[str, str]) -> None:
    world = sheltered(fly)
    world.advance(world.now + 5 * MINUTE)
    refused = world.command(command, parameters)
    assert (refused.accepted, refused.reason) == (False, NOBODY)
    before = world.digest()
    with pytest.raises(CheckRefusedError, match="nobody can make it"):
        world.check("handheld_co2", {"zone": "core"})
    assert world.digest() == before
    assert world.command("repair_shelter_fan", {}).accepted
    assert world.check("pn2_trend", {}).duration_s == 30 * MINUTE


def test_work_that_everybody_walks_away_from_is_not_done(fly: Fly) -> None:
    world = sheltered(fly)
    assert world.command("repair_bed", {"unit": "A"}).accepted
    world.advance(world.now + 5 * HOUR)
    assert world.state()["beds"]["A"] | {"health": 0.5, "running": False} == world.state()["beds"]["A"]
    done = [event["result"] for event in world.log() if event["kind"] == "completed"]
    assert done[-1] == "everybody left before it was done; unit A is as it was, and off"
    assert world.command("start_bed", {"unit": "A"}).accepted


def test_six_people_do_six_things_and_put_them_down_for_a_fire(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    for channel in ("core.ppco2", "core.ppo2", "lab.ppco2", "lab.ppo2", "airlock.ppco2"):
        assert world.command("service_sensor", {"channel": channel}).accepted
    assert world.command("repair_bed", {"unit": "B"}).accepted
    refused = world.command("patch_leak", {"zone": "lab"})
    assert refused.reason == "nobody has hands for it: 6 could, and 6 pieces of work are under way"
    assert world.command("extinguish", {"zone": "lab"}).accepted
    world.advance(world.now + 30 * MINUTE)
    assert world.command("patch_leak", {"zone": "lab"}).accepted


def test_what_takes_hands_is_there_and_says_so() -> None:
    assert COMMANDS.keys() >= hands.WORK
    assert CHECKS.keys() >= hands.BY_HAND
    assert [
        name for name, spec in COMMANDS.items() if spec.gates.endswith("Refused when nobody has hands for it.")
    ] == [name for name in COMMANDS if name in hands.WORK]
