"""Every account closes at every event of every scenario; and each notices what is planted in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from mission.published import ledgers, sweep
from mission.published.exact import flight, worst_ledgers
from mission.world import cabin, power, suit
from mission.world.engine import World
from mission.world.units import HOUR

Fly = Callable[..., World]
NAMES = sorted(path.stem for path in (sweep.root() / "cases" / "scenarios").glob("*.yaml"))


@pytest.mark.parametrize("flyer", sweep.FLYERS)
@pytest.mark.parametrize("name", NAMES)
def test_every_account_closes_at_every_event(name: str, flyer: sweep.Flyer) -> None:
    found = worst_ledgers(name, flyer)
    assert {account: residual for account, residual in found.items() if residual > ledgers.CLOSED} == {}


def test_the_flights_use_what_there_is_to_account_for() -> None:
    """Without these the sweep would prove less than it says."""
    flown = [flight(name, flyer) for name in NAMES for flyer in sweep.FLYERS]
    done = {event["command"] for world in flown for event in world.log() if event["kind"] == "command"}
    assert {"open_lioh", "purge_h2", "top_up", "set_makeup", "suit_purge"} <= done
    happened = {event["kind"] for world in flown for event in world.log()}
    assert {"can_spent", "plating", "suit", "rover", "toxic", "coolant", "temperature", "shed"} <= happened


def found(world: World) -> set[str]:
    return {name for name, residual in ledgers.worst(world.base, world.now).items() if residual > ledgers.CLOSED}


def test_a_sound_world_has_nothing_to_explain(fly: Fly) -> None:
    assert found(fly("nominal", 3.0)) == set()


@pytest.mark.parametrize(
    ("gas", "elements"),
    [("o2", {"oxygen"}), ("co2", {"carbon", "oxygen"}), ("n2", {"nitrogen"}), ("h2o", {"hydrogen", "oxygen"})],
)
def test_a_gram_from_nowhere_is_noticed_in_its_gas_and_its_elements(fly: Fly, gas: str, elements: set[str]) -> None:
    world = fly("nominal", 1.0)
    track = world.base.air.tracks[gas]  # type: ignore[index]
    track.update(world.now, track.last.flows, track.last.exchange, tuple(m + 1e-3 for m in track.masses(world.now)))
    assert found(world) == {f"air {gas}", *(f"element {name}" for name in elements)}


def test_a_tank_that_loses_more_than_it_gives_is_noticed(fly: Fly) -> None:
    world = fly("masked-leak", 1.0)
    n2, o2 = (world.base.air.tank(index, world.now) for index in (0, 1))
    world.base.change(world.now, tanks=(n2 - 1e-3, o2))
    assert found(world) == {"nitrogen tank"}
    world.base.change(world.now, tanks=(n2, o2 - 1e-3))
    assert found(world) == {"oxygen tank and suits"}


def test_a_can_that_takes_more_than_it_holds_is_noticed(fly: Fly) -> None:
    world = fly("bed-degraded", 6.0)
    world.check("handheld_co2", {"zone": "core"})
    world.command("open_lioh", {"zone": "core"})
    world.advance(8 * HOUR)
    (can,) = world.base.air.config.cans
    world.base.change(world.now, cans=())
    assert world.base.air.can_left(can, world.now) > 1.0
    assert found(world) == {"LiOH cans"}


def test_energy_that_is_stored_twice_is_noticed(fly: Fly) -> None:
    world = fly("nominal", 1.0, power={"battery_percent": 50.0})
    last = world.base.power.segments[-1]
    assert last.regime == power.CHARGING
    world.base.power.segments[-1:] = [replace(last, regime=replace(power.CHARGING, stored=0.99))]  # type: ignore[index]
    assert "energy" in found(world)


def test_a_battery_that_jumps_is_noticed(fly: Fly) -> None:
    world = fly("nominal", 3.0)
    last = world.base.power.segments[-1]
    world.base.power.segments[-1:] = [last, replace(last, t0=world.now, battery=last.battery + 3600.0)]  # type: ignore[index]
    world.base.power._starts.append(world.now)
    assert found(world) >= {"charge", "energy"}


def test_heat_from_nowhere_is_noticed(fly: Fly) -> None:
    world = fly("nominal", 3.0)
    block = world.base.part("thermal")
    assert block.ledger(world.now).gained > 0.0
    books = block.course.books
    books[-1] = replace(books[-1], gained=books[-1].gained + 1e3)
    assert found(world) == {"heat", "heat of loads and people"}


def test_a_person_who_warms_nobody_is_noticed(fly: Fly, monkeypatch: pytest.MonkeyPatch) -> None:
    from mission.world.thermal import Thermal

    heat = Thermal.heat
    monkeypatch.setattr(Thermal, "heat", lambda block: tuple(watts - 91.0 for watts in heat(block)))
    assert found(fly("nominal", 1.0)) == {"heat of loads and people"}


def test_coolant_that_comes_back_is_noticed(fly: Fly) -> None:
    world = fly("coolant-leak", 3.0)
    world.base.part("thermal").change_loop("a", content=8.0)
    world.advance(4 * HOUR)
    assert found(world) == {"coolant a"}


def test_a_suit_that_fills_itself_is_noticed(fly: Fly) -> None:
    world = fly("suit-leak", 0.6)
    eva = world.base.part("eva")
    held = suit.stores(eva.suit(0, world.now), world.now)
    eva._set(0, stores=replace(held, o2=held.o2 + 0.1, water=held.water + 0.1))
    assert found(world) == {"suit 1 o2", "suit 1 water", "oxygen tank and suits"}


def test_a_rover_that_fills_itself_is_noticed(fly: Fly) -> None:
    world = fly("rover-stuck", 0.5)
    rovers = world.base.part("rover")
    rovers._set(0, energy=cabin.advanced(rovers.rover(0, world.now), world.now).energy + 1e6)
    assert found(world) == {"rover 1 energy"}


def test_a_charger_that_gives_more_than_it_draws_is_noticed(fly: Fly, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cabin, "CHARGER", 1.1 * cabin.CHARGER)
    rovers = {"rovers": [{"soc_percent": 50.0}, {}]}
    world = fly("nominal", rover=rovers)
    world.command("restore_load", {"load": "rover_charge"})
    world.advance(HOUR)
    assert found(world) == {"rover charger"}
