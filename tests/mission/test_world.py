"""The world as a machine: exact, closed ledgers, no observer effect, rebuilt from its log."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.world.commands import COMMANDS, Parameter
from mission.world.engine import Scenario, World, load_scenario
from mission.world.units import HOUR, MINUTE

ROOT = Path(__file__).parents[2]
Fly = Callable[..., World]
MASSES = [("o2", 0), ("o2", 1), ("co2", 0), ("co2", 1), ("n2", 0), ("n2", 1), ("h2o", 0), ("h2o", 1)]


def masses(world: World) -> list[float]:
    tracks = world.base.air.tracks
    return [tracks[gas].masses(world.now)[zone] for gas, zone in MASSES]  # type: ignore[index]


def busy(world: World, until: float) -> World:
    """A day with a bit of everything."""
    orders = [
        (2.0, "start_bed", {"unit": "B"}),
        (2.5, "move_crew", {"people": "CM4,CM5", "to": "core"}),
        (3.0, "set_oga", {"kg_per_day": 6.0}),
        (4.0, "shed_load", {"load": "lab"}),
        (4.2, "repair_bed", {"unit": "A"}),
        (5.0, "set_makeup", {"mode": "inhibited"}),
        (6.0, "open_hatch", {"hatch": "core-airlock"}),
        (7.0, "close_hatch", {"hatch": "core-airlock"}),
        (8.0, "no_such_command", {}),
    ]
    for hour, name, parameters in orders:
        world.advance(hour * HOUR)
        world.command(name, parameters)
    world.advance(9.0 * HOUR)
    world.check("handheld_co2", {"zone": "lab"})
    world.check("pn2_trend", {})
    world.advance(until)
    return world


def test_time_only_goes_forward(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    assert world.now == 3600.0
    with pytest.raises(ValueError, match=r"the world is at 3600 s and cannot go back to 0 s"):
        world.advance(0.0)
    with pytest.raises(ValueError, match=r"no data at 7200 s: the world has run from 0 to 3600 s"):
        world.truth("core.ppco2", 7200.0)


@pytest.mark.parametrize("name", ["nominal", "masked-leak", "fan-stopped", "bed-degraded-exercise"])
def test_events_that_change_nothing_leave_no_trace_in_the_state(fly: Fly, name: str) -> None:
    still, poked = fly(name), fly(name)
    for step in range(1, 200):
        poked.advance(step * 397.123)
        poked.command("set_imv", {"on": poked.state()["fan"]["on"]})
        poked.command("restore_load", {"load": "galley"})
        poked.command("start_bed", {"unit": "A"})
    still.advance(24 * HOUR)
    poked.advance(24 * HOUR)
    assert masses(poked) == pytest.approx(masses(still), rel=1e-10)
    assert poked.truth("battery.energy") == pytest.approx(still.truth("battery.energy"), rel=1e-10)


@given(stops=st.lists(st.floats(0.0, 86400.0), max_size=12))
@settings(max_examples=15, deadline=None)
def test_the_path_of_the_clock_does_not_matter(stops: list[float]) -> None:
    scenario = load_scenario(ROOT / "cases/scenarios/fan-stopped.yaml")
    once, often = World(scenario, 3), World(scenario, 3)
    once.advance(86400.0)
    for stop in sorted(stops):
        often.advance(stop)
    often.advance(86400.0)
    assert often.digest() == once.digest()


def test_a_history_from_the_start_on_starts_at_the_start(fly: Fly) -> None:
    world = fly("nominal", 0.46806)
    assert [world.history("core.pressure", 6.0, points)[0].t_s for points in range(2, 60)] == [0.0] * 58


def test_a_thousand_readings_change_nothing(fly: Fly) -> None:
    asked, left_alone = fly("masked-leak", 5.0), fly("masked-leak", 5.0)
    for turn in range(1000):
        asked.read(("lab.pressure", "makeup.n2_flow", "core.ppco2", "battery.soc")[turn % 4], turn * 18.0)
    asked.history("tank.n2", 5.0, 50)
    asked.state()
    for world in (asked, left_alone):
        world.advance(12 * HOUR)
    assert asked.digest() == left_alone.digest()
    assert asked.read("lab.ppco2") == left_alone.read("lab.ppco2")


@pytest.mark.parametrize("name", ["nominal", "masked-leak", "fan-stopped", "bed-degraded", "cabin-cooling", "oga-off"])
def test_mass_and_energy_ledgers_close_at_every_event(fly: Fly, name: str) -> None:
    world = busy(fly(name), 24 * HOUR)
    times = sorted({event["t"] for event in world.log()})
    assert len(times) > 10
    for t in times:
        for track in world.base.air.tracks.values():
            assert abs(track.residual(t)) < 1e-9
        assert abs(world.base.power.residual(t)) < 1e-9


def test_the_ledger_notices_mass_from_nowhere(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    track = world.base.air.tracks["n2"]
    more = [mass + 1e-3 for mass in track.masses(world.now)]
    track.update(world.now, track.last.flows, track.last.exchange, more)
    assert abs(track.residual(world.now)) > 1e-9


def test_make_up_is_what_the_tank_lost(fly: Fly) -> None:
    world = fly("masked-leak", 24.0)
    for index, gas in enumerate(("n2", "o2")):
        lost = (80.0, 60.0)[index] - world.base.air.tank(index, world.now)
        assert world.base.air.tracks[gas].ledger(world.now)["makeup"] == pytest.approx(lost, rel=1e-9)  # type: ignore[index]


def test_a_rebuilt_world_is_the_same_world(fly: Fly) -> None:
    world = busy(fly("bed-degraded"), 15 * HOUR)
    again = World.rebuild(world.scenario, world.seed, json.loads(json.dumps(world.commands())), world.now)
    assert again.digest() == world.digest()
    assert again.log() == world.log()


def test_a_fork_goes_its_own_way(fly: Fly) -> None:
    world = busy(fly("bed-degraded"), 10 * HOUR)
    before = world.digest()
    fork = world.fork()
    assert fork.digest() == before
    fork.command("stop_bed", {"unit": "B"})
    fork.advance(12 * HOUR)
    assert world.digest() == before
    assert fork.truth("core.ppco2") > world.fork().truth("core.ppco2")
    world.log().clear()
    world.commands().clear()
    assert world.digest() == before


def test_the_seed_is_part_of_the_digest_and_not_of_the_physics(fly: Fly) -> None:
    one, two = fly("nominal", 3.0, seed=1), fly("nominal", 3.0, seed=2)
    assert one.digest() != two.digest()
    assert masses(one) == masses(two)


def test_digests_do_not_depend_on_the_hash_seed() -> None:
    script = (
        "from pathlib import Path; from mission.world.engine import World, load_scenario\n"
        "w = World(load_scenario(Path('cases/scenarios/masked-leak.yaml')), 7); w.advance(7200)\n"
        "w.check('pn2_trend', {}); w.command('move_crew', {'people': 'CM5,CM4,CM6', 'to': 'core'})\n"
        "w.advance(20000); print(w.digest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(digests) == 1


def test_marks_are_passed_exactly_where_they_say(fly: Fly) -> None:
    world = fly("fan-stopped", 24.0)
    crossings = [event for event in world.log() if event["kind"] == "crossing" and event["quantity"] == "ppco2"]
    assert [(event["zone"], event["level"]) for event in crossings][:4] == [
        ("lab", 3.0),
        ("lab", 4.0),
        ("lab", 5.0),
        ("lab", 7.6),
    ]
    for event in crossings:
        assert world.truth(f"{event['zone']}.ppco2", event["t"]) == pytest.approx(event["level"], abs=1e-6)


def test_exposures_agree_with_dense_sampling(fly: Fly) -> None:
    world = fly("fan-stopped", 16.0)
    step = 10.0
    times = [step * (index + 0.5) for index in range(int(16 * HOUR / step))]
    lab = [world.truth("lab.ppco2", t) for t in times]
    exposure = world.state()["exposures"]["zones"]["lab"]
    for name, mark in (("above_3_mmhg_s", 3.0), ("above_4_mmhg_s", 4.0), ("above_7_6_mmhg_s", 7.6)):
        assert exposure[name] == pytest.approx(step * sum(value >= mark for value in lab), abs=2 * step)
    assert exposure["peak_ppco2_mmhg"] == pytest.approx(max(lab), abs=1e-3)
    pio2 = [
        (world.truth("lab.pressure", t) - 6.266151) * world.truth("lab.ppo2", t) / world.truth("lab.pressure", t)
        for t in times[::10]
    ]
    assert exposure["min_pio2_mmhg"] == pytest.approx(min(pio2) / 0.133322368, abs=0.02)


def test_an_hours_mean_is_the_mean_of_the_hour(fly: Fly) -> None:
    world = fly("bed-degraded-exercise", 6.0)
    event = next(e for e in world.log() if e["kind"] == "crossing" and e["quantity"] == "ppco2_1h_mean")
    times = [event["t"] - 3600.0 + 5.0 * (index + 0.5) for index in range(720)]
    mean = sum(world.truth(f"{event['zone']}.ppco2", t) for t in times) / 720
    assert mean == pytest.approx(3.0, abs=1e-4)


def test_what_the_air_does_at_the_instant_people_fall_asleep_is_no_error(fly: Fly) -> None:
    world = fly("sensor-drift", 6.0)
    world.check("handheld_co2", {"zone": "lab"})
    assert world.command("open_lioh", {"zone": "lab"}).accepted
    world.advance(20 * HOUR)
    assert world.state()["lioh"]["opened"] == 1
    assert {person["activity"] for person in world.state()["crew"].values()} == {"sleep"}
    again = World.rebuild(world.scenario, world.seed, world.commands(), world.now)
    assert again.digest() == world.digest()


def test_total_pressure_is_one_on_both_sides_of_an_open_hatch(fly: Fly) -> None:
    world = fly("fan-stopped", 8.0)
    assert world.truth("lab.pressure") == world.truth("core.pressure")
    before = world.truth("lab.pressure")
    world.command("move_crew", {"people": "all", "to": "core"})
    world.advance(world.now + 5 * MINUTE)
    world.command("close_hatch", {"hatch": "core-lab"})
    assert world.truth("lab.pressure") == pytest.approx(before, abs=0.05)
    assert world.truth("lab.pressure") == pytest.approx(world.truth("core.pressure"), rel=1e-9)


def test_a_leak_and_a_stopped_fan_compose(fly: Fly) -> None:
    planted = [
        {"incident": "fan_stopped", "onset_h": 0.0, "parameters": {}},
        {"incident": "masked_leak", "onset_h": 0.0, "parameters": {"zone": "lab", "hole_mm": 2.0}},
    ]
    world = fly("masked-leak", 12.0, incidents=planted)
    # The open passage feeds the leak with core air, fan or no fan, so the lab's nitrogen stays.
    nitrogen = [world.state()["zones"][zone]["ppn2_kpa"] for zone in ("core", "lab")]
    assert nitrogen[1] == pytest.approx(nitrogen[0], abs=1.5)
    assert world.truth("tank.n2") == pytest.approx(80.0 - 12 * 0.79, rel=0.02)


def test_tanks_run_empty_and_stay_so(fly: Fly) -> None:
    world = fly("masked-leak", 30.0, design={"n2_kg": 5.0})
    empty = next(event for event in world.log() if event["kind"] == "tank_empty")
    assert empty["gas"] == "n2"
    assert empty["t"] / HOUR == pytest.approx(5.0 / 0.8, rel=0.1)
    assert world.truth("tank.n2") == 0.0
    assert world.truth("core.pressure") < 70.0


@given(seed=st.integers(0, 10_000))
@settings(max_examples=12, deadline=None)
def test_whatever_is_ordered_the_world_stays_a_world(seed: int) -> None:
    rng = random.Random(seed)
    hole, health = rng.choice([1.0, 4.0, 10.0, 40.0]), rng.choice([0.0, 0.5])
    faults = [
        {"incident": "masked_leak", "onset_h": rng.choice([0.0, 2.0]), "parameters": {"hole_mm": hole}},
        {"incident": "fan_stopped", "onset_h": rng.uniform(0.0, 5.0), "parameters": {"seized": rng.random() < 0.5}},
        {"incident": "bed_degradation", "onset_h": rng.uniform(0.0, 5.0), "parameters": {"health": health}},
    ]
    data = load_scenario(ROOT / "cases/scenarios/nominal.yaml").model_dump()
    data |= {"incidents": [fault for fault in faults if rng.random() < 0.5], "makeup": rng.choice(["auto", "off"])}
    data["zones"] = {zone: {"ppco2_mmhg": rng.choice([1.0, 2.65, 12.0])} for zone in ("core", "lab")}
    world = World(Scenario.model_validate(data), seed)
    while world.now < 12 * HOUR:
        world.advance(world.now + rng.uniform(0.0, 4000.0))
        spec = rng.choice(list(COMMANDS.values()))
        world.command(spec.name, {parameter.name: any_value(rng, parameter) for parameter in spec.parameters})
    assert world.fork().digest() == world.digest()
    assert all(abs(track.residual(world.now)) < 1e-9 for track in world.base.air.tracks.values())
    assert all(mass >= 0.0 for zone in world.state()["zones"].values() for mass in zone["masses_kg"].values())


def any_value(rng: random.Random, parameter: Parameter) -> str | float | bool:
    number = rng.uniform(parameter.low, parameter.high)
    kinds = {"flag": rng.random() < 0.5, "number": number, "people": "all", "text": "words"}
    return rng.choice(parameter.choices) if parameter.kind == "choice" else kinds[parameter.kind]


def test_a_scenario_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("id: bad\ntitle: t\ncrew: [{id: A}]\nincidents: [{incident: masked_leek, onset_h: 1}]\n")
    with pytest.raises(ValueError, match=r"bad\.yaml:4: incidents\.0: no incident 'masked_leek'; near: masked_leak"):
        load_scenario(bad)
    bad.write_text("id: other\ntitle: t\ncrew: [{id: A}]\n")
    with pytest.raises(ValueError, match=r"id is 'other'; it must be the file's name, 'bad'"):
        load_scenario(bad)
    bad.write_text("id: [\n")
    with pytest.raises(ValueError, match=r"bad\.yaml:2: is not YAML: did not find"):
        load_scenario(bad)


def test_every_shipped_scenario_flies(scenario: Callable[..., Scenario]) -> None:
    for path in sorted((ROOT / "cases" / "scenarios").glob("*.yaml")):
        world = World(scenario(path.stem), 1)
        world.advance(3 * HOUR)
        json.dumps([world.state(), world.log()], allow_nan=False)


def test_nominal_is_nominal(fly: Fly) -> None:
    world = fly("nominal", 24.0)
    assert {event["kind"] for event in world.log()} == {"crew", "valve"}
    assert world.state()["exposures"]["peak_ppco2_mmhg"] < 3.0
    assert world.state()["exposures"]["min_pio2_mmhg"] > 129.0
    assert world.truth("tank.n2") > 79.0


def test_people_who_neither_sleep_nor_exercise_breathe_evenly(fly: Fly) -> None:
    crew = [{"id": "CM1"}, {"id": "CM2", "zone": "lab"}]
    world = fly("nominal", 48.0, crew=crew, sleep={"length_h": 0.0})

    assert [event for event in world.log() if event["kind"] == "crew"] == []
    assert world.base.people["CM1"].activity == "nominal"
