"""Every account of the base at any time so far: mass by gas and element, stores, energy, heat, suits and rovers.

Each residual is what an account cannot explain, as a share of what was there or passed. The blocks' own ledgers are
asked for theirs; beside them stand accounts across blocks, drawn up here from the histories of both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import cast

from mission.world import cabin, coolant, suit
from mission.world.airlock import SUIT_PURGE
from mission.world.atmosphere import ZONES
from mission.world.base import Base
from mission.world.cabin import Rover
from mission.world.eva import SUITS, Eva
from mission.world.gases import GASES, Gas
from mission.world.oxygen import Oxygen
from mission.world.power import Segment
from mission.world.rover import ROVERS, Rovers
from mission.world.suit import Stores, Suit
from mission.world.thermal import Thermal
from mission.world.thermal_segment import OUTSIDE_LOADS, WARMED
from mission.world.toxics import Toxics
from mission.world.units import KW

ELEMENTS: dict[str, dict[Gas, float]] = {
    "hydrogen": {"h2o": 2 * 1.008 / 18.01528},
    "carbon": {"co2": 12.011 / 44.0095},
    "nitrogen": {"n2": 1.0},
    "oxygen": {"o2": 1.0, "co2": 31.998 / 44.0095, "h2o": 15.999 / 18.01528},
}
"""Share of each gas's mass."""
CLOSED = 1e-9


def residuals(base: Base, t: float) -> dict[str, float]:
    """What every account leaves unexplained at `t`, by name; a value from nowhere is positive."""
    return {
        **{f"air {gas}": base.air.tracks[gas].residual(t) for gas in GASES},
        **{f"element {name}": _element(base, parts, t) for name, parts in ELEMENTS.items()},
        "nitrogen tank": _nitrogen_tank(base, t),
        "oxygen tank and suits": _oxygen_tank(base, t),
        "LiOH cans": _cans(base, t),
        **{f"toxic {kind}": track.residual(t) for kind, track in cast("Toxics", base.part("toxics")).tracks.items()},
        "energy": base.power.residual(t),
        "loads": _loads(base, t),
        "charge": _charge(base, t),
        "heat": _heat(base, t),
        "heat of loads and people": _heat_sources(base, t),
        "rover charger": _charger(base, t),
        **{f"coolant {name}": _coolant(base, name, t) for name in coolant.LOOPS},
        **dict(_suits(base, t)),
        **dict(_rovers(base, t)),
    }


def closing_times(base: Base, now: float) -> list[float]:
    """The times of all events so far, and now."""
    return sorted({float(event["t"]) for event in base.events} | {now})


def worst(base: Base, now: float) -> dict[str, float]:
    """The largest residual of each account at any event so far."""
    found: dict[str, float] = {}
    for t in closing_times(base, now):
        for name, residual in residuals(base, t).items():
            found[name] = max(found.get(name, 0.0), abs(residual))
    return found


def _element(base: Base, parts: Mapping[Gas, float], t: float) -> float:
    opening, passed, held, scale = 0.0, 0.0, 0.0, 0.0
    for gas, share in parts.items():
        track = base.air.tracks[gas]
        amounts = track.ledger(t).values()
        opening += share * track.initial
        passed += share * sum(amounts)
        held += share * sum(track.masses(t))
        scale += share * (track.initial + sum(map(abs, amounts)))
    return (opening + passed - held) / scale


def _passed(base: Base, gas: Gas, flow: str, t: float) -> float:
    return base.air.tracks[gas].ledger(t).get(flow, 0.0)


def _nitrogen_tank(base: Base, t: float) -> float:
    """The tank gives make-up, and the generator its purges."""
    opening = base.scenario.design.n2_kg
    each = cast("Oxygen", base.part("oxygen")).section.purge_n2_kg
    purges = sum(_ordered(base, "purge_h2", t))
    left = opening - _passed(base, "n2", "makeup", t) - purges * each - base.air.tank(0, t)
    return left / max(opening, 1.0)


def _ordered(base: Base, command: str, t: float) -> Iterator[int]:
    for event in base.events:
        if event["t"] <= t and event["kind"] == "command" and event["command"] == command:
            yield int(event["accepted"])


def _oxygen_tank(base: Base, t: float) -> float:
    """The tank gives make-up, a stuck valve, the purge of suits that set out, and what suits are refilled with."""
    opening = base.scenario.design.o2_kg
    given = _passed(base, "o2", "makeup", t) + _passed(base, "o2", "stuck_valve", t)
    eva = cast("Eva", base.part("eva"))
    refilled = sum(gain for index in range(len(SUITS)) for gain in _refills(eva.history(index), t))
    left = opening - given - refilled - base.air.tank(1, t)
    purged = SUIT_PURGE * sum(_set_out(base, t))
    # A purge takes what an emptying tank has left.
    short = max(0.0, left - purged) if left >= 0.0 else left
    return (short if base.air.tank(1, t) <= 0.0 else left - purged) / max(opening, 1.0)


def _set_out(base: Base, t: float) -> Iterator[int]:
    """People in each EVA that left the lock after the start."""
    outside = 0
    for event in base.events:
        if event["t"] > t:
            return
        if event["kind"] == "command" and event["command"] == "begin_eva" and event["accepted"]:
            people = event["parameters"]["people"]
            outside = len(people.split(",") if isinstance(people, str) else people)
        if event["kind"] == "eva" and event["phase"] == "walk_out":
            yield outside


def _refills(history: Sequence[Suit], t: float) -> Iterator[float]:
    """kg of oxygen by which a suit's packs jumped up: only a service does that."""
    for before, after in pairwise(history):
        if after.t0 <= t:
            held = suit.stores(before, after.t0)
            yield after.stores.o2 - held.o2 + after.stores.secondary - held.secondary


def _cans(base: Base, t: float) -> float:
    """What the cans hold is what the air lost to them."""
    design, air = base.scenario.design, base.air
    active = air.config_at(t).cans
    opened = sum(1 for at in base.cans_opened if at <= t)
    held = opened * design.lioh_can_kg - sum(air.can_left(can, t) for can in active)
    return (held + _passed(base, "co2", "lioh", t)) / (design.lioh_can_kg * max(opened, 1))


def _loads(base: Base, t: float) -> float:
    """Every load's energy was served or went unserved."""
    drawn = sum(segment.load * (end - segment.t0) for segment, end in _power_until(base, t))
    ledger = base.power.ledger(t)
    return (drawn - ledger.served - ledger.unserved) / max(drawn, 1.0)


def _power_until(base: Base, t: float) -> Iterator[tuple[Segment, float]]:
    """The segments of the energy balance so far, each with its end."""
    segments = [segment for segment in base.power.segments if segment.t0 <= t]
    return zip(segments, [*(segment.t0 for segment in segments[1:]), t], strict=True)


def _charge(base: Base, t: float) -> float:
    """What the battery holds goes on from one segment to the next; only lost capacity takes some away at once."""
    jumps = 0.0
    for before, after in pairwise(base.power.segments):
        if after.t0 > t:
            break
        held = before.battery + before.regime.stored * before.surplus(after.t0)
        capped = min(held, after.terms.capacity) if after.terms.capacity < before.terms.capacity else held
        jumps += abs(after.battery - capped)
    return jumps / base.power.segments[0].terms.capacity


def _heat(base: Base, t: float) -> float:
    block = cast("Thermal", base.part("thermal"))
    ledger = block.ledger(t)
    stored = block.stored(t) - block.stored(0.0)
    return (ledger.gained + ledger.given - ledger.cooled - ledger.lost - stored) / max(ledger.gained, 1.0)


def _heat_sources(base: Base, t: float) -> float:
    """Heat in core and lab is the energy of the loads inside, what is not listed, and people's by where they were."""
    block = cast("Thermal", base.part("thermal"))
    drawn = sum(
        watts * (end - segment.t0)
        for segment, end in _power_until(base, t)
        for name, watts in segment.loads.items()
        if name not in OUTSIDE_LOADS
    )
    gained = block.ledger(t).gained
    return (gained - drawn - block.section.unlisted_kw * KW * t - _body_heat(base, t)) / max(gained, 1.0)


def _body_heat(base: Base, t: float) -> float:
    """J from people in core and lab, by the log of where they were and what they did."""
    total = 0.0
    for person in base.scenario.crew:
        rates = base.people[person.id].rates
        since, watts = 0.0, rates["nominal"].heat
        for event in base.events:
            if event["kind"] != "crew" or event["person"] != person.id or event["t"] > t:
                continue
            total += watts * (event["t"] - since)
            inside = event["zone"] in ZONES[:WARMED]
            since, watts = event["t"], rates[event["activity"]].heat if inside else 0.0
        total += watts * (t - since)
    return total


def _charger(base: Base, t: float) -> float:
    """No rover gets more than the charger draws."""
    block = cast("Rovers", base.part("rover"))
    got = 0.0
    for index in range(len(ROVERS)):
        for rover, end in _until(block.history(index), t):
            got += rover.charge * (end - rover.t0)
    drawn = sum(s.loads.get("rover_charge", 0.0) * (end - s.t0) for s, end in _power_until(base, t))
    return max(0.0, got - cabin.CHARGE_EFFICIENCY * drawn) / cabin.BATTERY


def _until(history: Sequence[Rover], t: float) -> Iterator[tuple[Rover, float]]:
    held = [one for one in history if one.t0 <= t]
    return zip(held, [*(one.t0 for one in held[1:]), t], strict=True)


def _coolant(base: Base, name: str, t: float) -> float:
    """A loop holds what it held, less what it lost, and what was added from the store."""
    block = cast("Thermal", base.part("thermal"))
    states = [state for state in block.loops[name].states if state.t0 <= t]
    times = [state.t0 for state in states[1:]] + [t]
    # An emptied loop loses no more.
    lost = sum(min(s.loss() * (end - s.t0), s.content) for s, end in zip(states, times, strict=True))
    added = sum(_topped_up(base, name, t))
    return (block.section.accumulator_l + added - lost - coolant.content(states[-1], t)) / coolant.LITRES


def _topped_up(base: Base, name: str, t: float) -> Iterator[float]:
    for event in base.events:
        done = event["kind"] == "completed" and event["command"] == "top_up" and event["t"] <= t
        if done and event["parameters"]["loop"] == name:
            yield float(str(event["result"]).split(" ", 1)[0])


def _suits(base: Base, t: float) -> Iterator[tuple[str, float]]:
    """Every store of a suit goes on from one segment to the next, but for a service."""
    eva, full = cast("Eva", base.part("eva")), Stores()
    for index, number in enumerate(SUITS):
        history = [one for one in eva.history(index) if one.t0 <= t]
        for field in fields(Stores):
            name = field.name
            jumps = sum(
                abs(getattr(after.stores, name) - getattr(suit.stores(before, after.t0), name))
                for before, after in pairwise(history)
                if not _serviced(base, number, after.t0)
            )
            scale = getattr(full, name) or (suit.HEAT_LIMIT if name == "heat" else suit.SCRUBBER)
            yield f"suit {number} {name}", jumps / scale


def _serviced(base: Base, number: str, t: float) -> bool:
    return any(
        event["t"] == t and event["kind"] == "completed" and event["command"] == "service_suit"
        for event in base.events
        if event.get("parameters", {}).get("suit") == number
    )


def _rovers(base: Base, t: float) -> Iterator[tuple[str, float]]:
    """Energy, way and air of a rover go on from one segment to the next; so do its stores until it docks."""
    block = cast("Rovers", base.part("rover"))
    scales = {"energy": cabin.BATTERY, "odometer": 1e4, "co2": 0.01, "haven": cabin.HAVEN}
    for index, number in enumerate(ROVERS):
        history = [one for one in block.history(index) if one.t0 <= t]
        for name, scale in scales.items():
            jumps = sum(
                abs(getattr(after, name) - getattr(cabin.advanced(before, after.t0), name))
                for before, after in pairwise(history)
                if name != "haven" or not after.docked
            )
            yield f"rover {number} {name}", jumps / scale
