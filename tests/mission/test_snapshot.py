"""Forks at any time: copies of a world's state, which neither share anything nor part from one another."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.workspace import find_workspace
from mission.system import MarsBase
from mission.world.agenda import Agenda, Item
from mission.world.engine import COMMANDS, World, load_scenario
from mission.world.lookout import Watch, at
from mission.world.twin import twin
from mission.world.units import nearest

Fly = Callable[..., World]
HOUR = 3600.0
ROOT = Path(__file__).parents[2]
ORDERS: list[tuple[str, dict[str, Any]]] = [
    ("start_bed", {"unit": "B"}),
    ("stop_bed", {"unit": "A"}),
    ("repair_bed", {"unit": "A"}),
    ("set_imv", {"on": False}),
    ("repair_fan", {}),
    ("move_crew", {"people": "all", "to": "core"}),
    ("close_hatch", {"hatch": "core-lab"}),
    ("open_hatch", {"hatch": "core-airlock"}),
    ("set_makeup", {"mode": "inhibited"}),
    ("patch_leak", {"zone": "lab"}),
    ("open_lioh", {"zone": "core"}),
    ("suspend_exercise", {"hours": 5.0}),
    ("shed_load", {"load": "lab"}),
    ("vent_zone", {"zone": "airlock"}),
]
CHECKS: list[tuple[str, dict[str, str]]] = [
    ("handheld_co2", {"zone": "core"}),
    ("fan_check", {}),
    ("pn2_trend", {}),
    ("hatch_dwell", {"zone": "airlock"}),
]


def work(world: World, rng: random.Random, until: float) -> World:
    """Fly on to `until` with orders and checks drawn from `rng`."""
    while world.now < nearest(until):
        world.advance(min(until, world.now + rng.uniform(0.0, 9000.0)))
        name, parameters = rng.choice(ORDERS)
        world.command(name, parameters)
        if rng.random() < 0.3 and world.now < until - HOUR:
            try:
                world.check(*rng.choice(CHECKS))
            except ValueError:
                continue
    return world


@given(
    name=st.sampled_from(["nominal", "masked-leak", "bed-degraded-exercise", "fan-stopped", "power-deficit"]),
    seed=st.integers(0, 10**6),
    hours=st.floats(0.0, 7.0),
)
@settings(max_examples=12, deadline=None)
def test_whatever_comes_after_a_fork_a_rebuild_and_the_original_stay_one(name: str, seed: int, hours: float) -> None:
    scenario = load_scenario(ROOT / "cases" / "scenarios" / f"{name}.yaml")
    original = work(World(scenario, seed), random.Random(seed), hours * HOUR)
    rebuilt = World.rebuild(original.scenario, seed, json.loads(json.dumps(original.commands())), original.now)
    fork = original.fork()
    second = fork.fork()
    start = original.now
    for world in (original, fork, second, rebuilt):
        work(world, random.Random(seed + 1), start + 4 * HOUR)
        world.advance(start + 12 * HOUR)
    assert original.digest() == fork.digest() == second.digest() == rebuilt.digest()
    assert original.log() == fork.log() == second.log() == rebuilt.log()
    assert original.commands() == fork.commands()


def test_every_shipped_scenario_forks_in_mid_flight(shipped: list[str], fly: Fly) -> None:
    for name in shipped:
        world = fly(name, 2.7)
        fork = world.fork()
        before = world.digest()
        assert fork.digest() == before
        work(fork, random.Random(name), fork.now + HOUR)
        assert world.digest() == before
        fork = world.fork()
        for each in (world, fork):
            each.advance(5 * HOUR)
        assert fork.log() == world.log()
        assert fork.digest() == world.digest()


@pytest.fixture
def shipped() -> list[str]:
    scenarios = find_workspace(ROOT).files("cases/scenarios", "*.yaml").values()
    return sorted(path.stem for path in scenarios)


def test_work_under_way_is_finished_on_both_sides(fly: Fly) -> None:
    world = fly("bed-degraded", 1.0)
    world.command("repair_bed", {"unit": "A"})
    world.command("set_makeup", {"mode": "inhibited"})
    fork = world.fork()
    world.command("stop_bed", {"unit": "B"})
    fork.advance(6 * HOUR)
    said = [(event["t"], event["kind"]) for event in fork.log() if event["kind"] in ("completed", "rule")]
    assert (5 * HOUR, "completed") in said
    assert (1.5 * HOUR, "rule") in said
    assert world.now == HOUR
    assert [task["command"] for task in world.state()["tasks"]] == ["repair_bed"]


def test_another_seed_is_another_set_of_instruments_on_the_same_truth(fly: Fly) -> None:
    world = fly("fan-stopped", 3.0, seed=1)
    other, flown = world.fork(2), fly("fan-stopped", 3.0, seed=2)
    assert other.digest() == flown.digest()
    assert other.read("core.ppco2") == flown.read("core.ppco2") != world.read("core.ppco2")
    world.check("fan_check", {})
    with pytest.raises(ValueError, match="keeps its seed"):
        world.fork(3)


def test_opened_worlds_know_nothing_of_each_other() -> None:
    base = MarsBase(find_workspace(ROOT))
    setup = {"scenario": "masked-leak", "seed": 5, "start": "PT2H"}
    first, second = base.open(setup), base.open(setup)
    before = second.observe().digest
    assert first.observe().digest == before
    first.world.command("set_makeup", {"mode": "off"})
    first.world.advance(5 * HOUR)
    assert second.observe().digest == before
    third = base.open(setup | {"seed": 6})
    assert third.observe().digest != before
    assert base.open(setup).observe().digest == before
    flown = World(third.world.scenario, 6)
    flown.advance(2 * HOUR)
    assert third.observe().digest == flown.digest()


@dataclass(frozen=True)
class Frozen:
    values: tuple[float, ...]


class Owner:
    """What a part looks like to the copier."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.past = [Frozen((1.0, 2.0)), Frozen((3.0,))]
        self.by_name = {"a": [1, 2], "b": [3]}
        self.pair = (self.by_name, 4.0)
        self.told = {"x"}
        self.me = self
        self.act = self.learn

    def learn(self, word: str) -> None:
        self.told.add(word)


def test_a_twin_shares_what_is_frozen_and_nothing_else() -> None:
    owner = Owner(float)
    copied = twin(owner, {})
    assert copied.past[0] is owner.past[0]
    assert copied.past is not owner.past
    assert copied.me is copied
    assert copied.pair[0] is copied.by_name
    copied.act("y")
    copied.by_name["a"].append(9)
    assert owner.told == {"x"}
    assert owner.by_name == {"a": [1, 2], "b": [3]}
    assert copied.told == {"x", "y"}


def test_a_twin_refuses_what_it_cannot_follow() -> None:
    hidden = [1.0]
    with pytest.raises(TypeError, match="only data and methods"):
        twin(Owner(lambda: hidden[0]), {})
    with pytest.raises(TypeError, match="only data and methods"):
        twin({"next": [Watch("w", 1, at(1.0), hidden.append)]}, {})


def test_an_agenda_taken_over_has_the_same_order() -> None:
    happened: list[Item] = []
    items = [Item("task", number) for number in range(4)]
    agenda = Agenda(happened.append)
    agenda.put(5.0, items[0])
    dropped = agenda.put(5.0, items[1])
    agenda.put(2.0, items[2])
    agenda.put(5.0, items[3])
    agenda.drop(dropped)
    agenda.wait(1.0)
    other = Agenda(happened.append, agenda.now)
    for t, item in agenda.waiting():
        other.put(t, item)
    while other.due() < 10.0:
        other.step()
    assert happened == [items[2], items[0], items[3]]
    assert other.now == 5.0


def test_every_order_of_this_file_is_one(fly: Fly) -> None:
    assert {name for name, _ in ORDERS} <= set(COMMANDS)
    assert fly("nominal").command(*ORDERS[0]).accepted
