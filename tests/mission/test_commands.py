"""Orders: what they do, how long they take, and how the malformed ones are answered."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mission.world.acts import BEGIN
from mission.world.engine import COMMANDS, CheckRefusedError, World
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]


@pytest.mark.parametrize(
    ("name", "parameters", "reason"),
    [
        ("start_beds", {}, "no command 'start_beds'; near: start_bed"),
        ("start_bed", {}, "start_bed takes unit; unit is missing"),
        ("start_bed", {"unit": "C"}, "start_bed: unit must be one of A, B; not 'C'"),
        ("set_imv", {"on": "yes"}, "set_imv: on must be true or false; not 'yes'"),
        ("set_oga", {"kg_per_day": 12.0}, "set_oga: kg_per_day must be a number from 0 to 9.2; not 12.0"),
        ("set_oga", {"kg_per_day": float("nan")}, "set_oga: kg_per_day must be a number from 0 to 9.2; not 'nan'"),
        ("move_crew", {"people": "Bob", "to": "core"}, "move_crew: people must be of CM1, CM2, CM3"),
    ],
)  # fmt: skip
def test_a_malformed_order_is_answered_and_logged(
    fly: Fly, name: str, parameters: dict[str, object], reason: str
) -> None:
    world = fly("nominal")
    result = world.command(name, parameters)  # type: ignore[arg-type]
    assert not result.accepted
    assert result.reason.startswith(reason)
    assert world.log()[-1]["command"] == name
    assert world.fork().digest() == world.digest()


def test_a_repair_takes_the_bed_off_and_brings_it_back(fly: Fly) -> None:
    world = fly("bed-degraded", 2.0)
    result = world.command("repair_bed", {"unit": "A"})
    assert result.completes_s == 6 * HOUR
    assert world.truth("bed_a.power") == 0.0
    assert world.truth("power.load") == pytest.approx(9.717 - 0.86 + 0.2, abs=0.001)
    assert world.command("start_bed", {"unit": "A"}).reason == "unit A is being repaired"
    world.advance(6 * HOUR)
    assert world.state()["beds"]["A"]["health"] == 1.0
    assert world.state()["beds"]["A"]["running"] is True
    assert world.state()["tasks"] == []


def test_a_bed_that_was_stopped_stays_off_after_repair(fly: Fly) -> None:
    world = fly("bed-degraded", 2.0)
    world.command("repair_bed", {"unit": "A"})
    world.command("stop_bed", {"unit": "A"})
    world.advance(7 * HOUR)
    assert world.state()["beds"]["A"]["running"] is False


def test_people_arrive_after_five_minutes(fly: Fly) -> None:
    world = fly("fan-stopped", 2.0)
    world.command("move_crew", {"people": "CM6, CM4", "to": "core"})
    world.advance(2 * HOUR + 5 * MINUTE - 1.0)
    assert world.truth("crew.lab") == 3.0
    world.advance(2 * HOUR + 5 * MINUTE)
    assert (world.truth("crew.core"), world.truth("crew.lab")) == (5.0, 1.0)


def test_exercise_can_be_suspended(fly: Fly) -> None:
    rested = fly("bed-degraded-exercise", 1.6)
    assert rested.state()["crew"]["CM1"]["activity"] == "exercise"
    rested.command("suspend_exercise", {"hours": 6.0})
    rested.advance(8 * HOUR)
    activities = {event["activity"] for event in rested.log() if event["kind"] == "crew" and event["t"] >= 1.6 * HOUR}
    assert activities == {"nominal"}
    assert rested.truth("core.ppco2") < fly("bed-degraded-exercise", 8.0).truth("core.ppco2")


def test_a_closed_hatch_stops_the_exchange_and_the_traffic(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    world.command("move_crew", {"people": "all", "to": "core"})
    world.advance(world.now + 5 * MINUTE)
    assert world.command("close_hatch", {"hatch": "core-lab"}).accepted
    for name, parameters in (("move_crew", {"people": "CM1", "to": "lab"}), ("deploy_portable_fan", {"zone": "lab"})):
        assert world.command(name, parameters).reason == "the core-lab hatch is closed"
    assert world.command("patch_leak", {"zone": "lab"}).reason == "the core-lab hatch is closed: nobody can get there"
    with pytest.raises(CheckRefusedError, match="nobody can get to the lab"):
        world.check("handheld_co2", {"zone": "lab"})
    before = world.truth("lab.ppco2")
    world.advance(world.now + 5 * HOUR)
    assert world.truth("lab.ppco2") == pytest.approx(before, rel=1e-3)


def test_an_open_airlock_mixes_in_minutes(fly: Fly) -> None:
    world = fly("nominal", 3.0)
    world.command("open_hatch", {"hatch": "core-airlock"})
    world.advance(world.now + 10 * MINUTE)
    assert world.truth("airlock.ppco2") == pytest.approx(world.truth("core.ppco2"), abs=0.01)


def test_a_check_costs_time_and_energy(fly: Fly) -> None:
    world = fly("nominal", 1.0)
    served = world.state()["power"]["served_kwh"]
    load = world.truth("power.load")
    result = world.check("bed_balance", {"unit": "A"})
    assert (result.duration_s, result.energy_kwh, world.now) == (3600.0, pytest.approx(0.1), 2 * HOUR)
    assert world.state()["power"]["served_kwh"] - served == pytest.approx(load + 0.1)
    assert result.measured["effective_flow"] == pytest.approx(41.0, rel=0.04)
    assert world.truth("power.load") == pytest.approx(load)


def test_a_wrong_check_is_explained(fly: Fly) -> None:
    world = fly("nominal")
    with pytest.raises(ValueError, match=r"no check 'handheld'; near: handheld_co2"):
        world.check("handheld", {})
    with pytest.raises(ValueError, match=r"handheld_co2: zone must be one of core, lab, airlock; not 'attic'"):
        world.check("handheld_co2", {"zone": "attic"})
    with pytest.raises(CheckRefusedError, match="unit B does not run"):
        world.check("bed_balance", {"unit": "B"})
    assert (world.now, world.commands()) == (0.0, [])


def test_rich_air_puts_a_bed_at_its_capacity(fly: Fly) -> None:
    zones = {"core": {"ppco2_mmhg": 12.0}, "lab": {"ppco2_mmhg": 2.8}}
    world = fly("nominal", 0.1, zones=zones)
    assert world.state()["beds"]["A"]["capped"] is True
    assert world.state()["beds"]["A"]["removal_kg_h"] == pytest.approx(0.6)
    world.advance(24 * HOUR)
    modes = [event for event in world.log() if event["kind"] == "mode"]
    assert [mode["at_capacity"] for mode in modes] == [True, False]
    level = 0.6 / 41.0 * 8.314462618 * 295.0 / 0.0440095 / 133.322368
    assert world.truth("core.ppco2", modes[1]["t"]) == pytest.approx(level, rel=1e-6)


def test_a_bed_that_dies_at_its_capacity_removes_nothing(fly: Fly) -> None:
    zones = {"core": {"ppco2_mmhg": 12.0}, "lab": {"ppco2_mmhg": 12.0}}
    faults = [{"incident": "bed_degradation", "onset_h": 0.1, "parameters": {"health": 0.0}}]
    world = fly("nominal", 0.2, zones=zones, incidents=faults)
    assert world.state()["beds"]["A"]["removal_kg_h"] == 0.0
    assert world.truth("core.ppco2") > world.truth("core.ppco2", 0.11 * HOUR)


def test_people_without_oxygen_stop_breathing_and_no_gas_goes_below_nothing(fly: Fly) -> None:
    hole = [{"incident": "masked_leak", "onset_h": 0.0, "parameters": {"zone": "lab", "hole_mm": 20.0}}]
    world = fly("nominal", 20.0, incidents=hole, makeup="off", oga_kg_per_day=0.0)
    assert {person["activity"] for person in world.state()["crew"].values()} == {"lost"}
    assert all(mass > 0.0 for zone in world.state()["zones"].values() for mass in zone["masses_kg"].values())


def test_a_dry_cabin_stops_the_coil_until_it_is_humid_again(fly: Fly) -> None:
    zones = {"core": {"humidity_percent": 20.0}, "lab": {"humidity_percent": 20.0}}
    world = fly("nominal", 12.0, zones=zones)
    assert [event["dry"] for event in world.log() if event["kind"] == "mode"] == [True, False]
    assert world.truth("core.humidity") > 32.0


def test_every_command_is_described() -> None:
    assert set(COMMANDS) == set(BEGIN)
    assert "within 60 min" in COMMANDS["open_lioh"].gates
    assert all(spec.description for spec in COMMANDS.values())
