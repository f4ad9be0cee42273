"""Checks 24 to 29: identities of the closed forms, and what must hold in every scenario that is shipped."""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np

from mission.published import exactness, ledgers, sweep
from mission.published.check import Check, Figure, at_least, at_most, exactly, nothing
from mission.published.flights import crew, flown
from mission.world.engine import World
from mission.world.eva import SUITS, Eva
from mission.world.linear import conductance_matrix, solve
from mission.world.rover import ROVERS, Rovers
from mission.world.storm import knot
from mission.world.suit import stores
from mission.world.thermal import Thermal
from mission.world.toxics import Toxics
from mission.world.weather import SOL

SYSTEMS = 1000
ODE_SPAN = 3600.0
HORIZON = 48 * 3600.0
ROUNDING = 1e-15
"""kg: a gas that has left a zone may be this much less than nothing in floating point."""


class System(NamedTuple):
    """Zones joined along a tree, with removal and sources of a base's size."""

    volumes: list[float]
    conductance: Any
    sources: list[float]
    masses: list[float]

    def closed(self, t: float) -> np.ndarray:
        """Masses at `t` by our closed form."""
        return np.array([curve(t) for curve in solve(*self)])

    @property
    def matrix(self) -> np.ndarray:
        return -np.asarray(self.conductance) / np.asarray(self.volumes)


def random_system(rng: np.random.Generator, size: int, *, one_way: bool = False) -> System:
    """One of `size` zones; some without flow or removal, and with draughts that go one way if asked."""
    volumes = rng.uniform(10.0, 300.0, size).tolist()
    flows: list[tuple[int, int, float]] = []
    for zone in range(1, size):
        other = int(rng.integers(0, zone))
        flow = float(rng.choice([0.0, rng.uniform(1.0, 1000.0)])) / 3600.0
        flows += [(other, zone, flow), (zone, other, flow)]
        if one_way:
            flows.append((other, zone, float(rng.uniform(0.1, 5.0)) / 3600.0))
    removal = [(zone, float(rng.choice([0.0, 1e-7, rng.uniform(1e-4, 0.02)]))) for zone in range(size)]
    sources = rng.uniform(-1e-5, 1e-4, size).tolist()
    masses = rng.uniform(0.1, 80.0, size).tolist()
    return System(volumes, conductance_matrix(size, flows, removal), sources, masses)


def by_matrix_exponential(system: System, t: float) -> np.ndarray:
    linalg: Any = importlib.import_module("scipy.linalg")
    size = len(system.volumes)
    augmented = np.zeros((size + 1, size + 1))
    augmented[:size, :size] = system.matrix
    augmented[:size, size] = system.sources
    return (linalg.expm(augmented * t) @ np.append(system.masses, 1.0))[:size]


def by_ode_solver(systems: list[System], t: float) -> np.ndarray:
    """Masses at `t` of systems of one size, one a row, by steps of a Runge-Kutta method of eighth order."""
    integrate: Any = importlib.import_module("scipy.integrate")
    matrices = np.array([system.matrix for system in systems])
    sources = np.array([system.sources for system in systems])
    start = np.array([system.masses for system in systems])

    def rate(_: float, flat: np.ndarray) -> np.ndarray:
        masses = flat.reshape(start.shape)
        return (np.einsum("nij,nj->ni", matrices, masses) + sources).ravel()

    found = integrate.solve_ivp(rate, (0.0, t), start.ravel(), method="DOP853", rtol=1e-12, atol=1e-12)
    return found.y[:, -1].reshape(start.shape)


def _closed_forms() -> Mapping[str, float]:
    rng = np.random.default_rng(20261201)
    by_size: dict[int, list[System]] = {size: [] for size in range(2, 7)}
    for _ in range(SYSTEMS):
        size = int(rng.integers(2, 7))
        by_size[size].append(random_system(rng, size))
    ode, exponential = 0.0, 0.0
    for systems in by_size.values():
        for system, other in zip(systems, by_ode_solver(systems, ODE_SPAN), strict=True):
            ode = max(ode, float(np.max(np.abs(system.closed(ODE_SPAN) / other - 1.0))))
            t = float(rng.uniform(60.0, HORIZON))
            exact = by_matrix_exponential(system, t)
            error = float(np.max(np.abs(system.closed(t) - exact)) / np.max(np.abs(exact)))
            exponential = max(exponential, error)
    return {"systems": float(sum(map(len, by_size.values()))), "ODE solver": ode, "matrix exponential": exponential}


def _flights() -> list[tuple[str, sweep.Flyer]]:
    return [(name, flyer) for name in sweep.scenarios() for flyer in sweep.FLYERS]


def _no_ops() -> Mapping[str, float]:
    return {"largest difference": max(exactness.split_difference(*flight)[1] for flight in _flights())}


def _readings() -> Mapping[str, float]:
    return {"flights changed": float(sum(exactness.reading_differs(*flight) for flight in _flights()))}


@cache
def flight(name: str, flyer: sweep.Flyer) -> World:
    """A scenario flown to its end."""
    return sweep.fly(sweep.scenarios()[name], flyer)


@cache
def worst_ledgers(name: str, flyer: sweep.Flyer) -> Mapping[str, float]:
    """The largest residual of each account at any event of a flight."""
    world = flight(name, flyer)
    return ledgers.worst(world.base, world.now)


def _books() -> Mapping[str, float]:
    found = [worst_ledgers(*one) for one in _flights()]
    accounts = {account for books in found for account in books}
    return {
        "flights": float(len(found)),
        "accounts": float(len(accounts)),
        "largest residual": max(max(books.values()) for books in found),
    }


def masses(world: World, t: float) -> list[float]:
    """Every mass, volume and energy that is held at `t` and cannot be negative."""
    base = world.base
    held = [mass for track in base.air.tracks.values() for mass in track.masses(t)]
    held += [mass for track in cast("Toxics", base.part("toxics")).tracks.values() for mass in track.masses(t)]
    held += [base.air.tank(0, t), base.air.tank(1, t), base.power.battery(t)]
    eva, rovers = cast("Eva", base.part("eva")), cast("Rovers", base.part("rover"))
    for index in range(len(SUITS)):
        suit = stores(eva.suit(index, t), t)
        held += [suit.o2, suit.secondary, suit.battery, suit.water]
    held += [rovers.rover(index, t).energy for index in range(len(ROVERS))]
    return held


def _sane() -> Mapping[str, float]:
    flights = [flight(*one) for one in _flights()]
    least = min(min(masses(world, t)) for world in flights for t in ledgers.closing_times(world.base, world.now))
    per_kg = [
        flown(oga_kg_per_day=rate).state()["power"]["loads_kw"]["oga"] * 24.0 / rate
        for rate in (0.5, 2.3, 4.6, 6.9, 9.2)
    ]
    return {
        "OGA": min(per_kg),
        "least mass": 0.0 if abs(least) < ROUNDING else least,
        "cooling over the bound": max([_cooling(flown(24.0, thermal={"radiator_m2": 18.0})), *map(_cooling, flights)]),
    }


def _cooling(world: World) -> float:
    """The most heat taken out at any quarter of an hour, over what the radiator can shed then."""
    block = cast("Thermal", world.base.part("thermal"))
    times = [900.0 * n for n in range(int(world.now // 900) + 1)]
    return max(block.cooling(t) / block.exposure.bound(knot(t)) for t in times)


def _hundred_sols() -> Mapping[str, float]:
    """CPU time, the best of at most three flights: another process on the same core costs wall time alone."""
    oxygen = 4.92 * 3 / 6
    taken: list[float] = []
    events = 0
    while len(taken) < 3 and not (taken and min(taken) < 1.0):
        world = flown(crew=crew(3, exercise_h=(2.0,)), oga_kg_per_day=oxygen)
        start = time.process_time()
        world.advance(100 * SOL)
        taken.append(time.process_time() - start)
        events = len(world.base.events)
    return {"events": float(events), "CPU time": min(taken)}


CHECKS = (
    Check(
        key="24",
        name="Closed forms against other solvers",
        group="exact",
        source="scipy: DOP853 over an hour; the matrix exponential over up to 48 h",
        figures=(
            Figure("systems", "", exactly(SYSTEMS)),
            Figure("ODE solver", "relative", nothing(1e-8), under=1e-9),
            Figure("matrix exponential", "relative", nothing(1e-8), under=1e-10),
        ),
        measure=_closed_forms,
        how="Random systems of two to six zones with flows, removal and sources of a base's size; the largest error.",
    ),
    Check(
        key="25",
        name="Events that change nothing",
        group="exact",
        source="Identity",
        figures=(Figure("largest difference", "relative", nothing(1e-10), under=1e-10),),
        measure=_no_ops,
        how=f"Every scenario, flown by nobody and with each of its levers, against the same with {exactness.STOPS} "
        "moments at which every part is told afresh from its own state: all of the state at the end, and the log.",
    ),
    Check(
        key="26",
        name="Reading changes nothing",
        group="exact",
        source="Identity",
        figures=(Figure("flights changed", "", exactly(0)),),
        measure=_readings,
        how=f"The same flights left alone, and with {exactness.READINGS} readings of the present and the past, states, "
        "logs and forks on the way: equal digests, and equal readings of every channel in either order.",
    ),
    Check(
        key="27",
        name="Ledgers close at every event",
        group="exact",
        source="Identity",
        figures=(
            Figure("flights", "", at_least(2 * 37)),
            Figure("accounts", "", at_least(40)),
            Figure("largest residual", "relative", nothing(1e-9), under=1e-9),
        ),
        measure=_books,
        how="The same flights: each gas and element, tanks, cans, toxics, energy, charge, heat, coolant, the stores "
        "of suits and rovers, and accounts between them.",
    ),
    Check(
        key="28",
        name="Limits of the possible",
        group="exact",
        source="Thermodynamics: 237.1 kJ/mol of water; the radiator's balance",
        figures=(
            Figure("OGA", "kWh/kg", at_least(4.12)),
            Figure("least mass", "kg, J", at_least(0.0)),
            Figure("cooling over the bound", "", at_most(1.0 + 1e-9)),
        ),
        measure=_sane,
        how="Masses and cooling over the same flights, and over one with a radiator of 18 m2. The base keeps no "
        "account of water outside the air, so that there is no Sabatier yield to check.",
    ),
    Check(
        key="29",
        name="A hundred sols",
        group="exact",
        source="The design study's bar",
        figures=(
            Figure("events", "", at_least(1000)),
            Figure("CPU time", "s", at_most(1.0), under=1.0),
        ),
        measure=_hundred_sols,
        how="Three people with sleep and exercise; the best of at most three flights. `benchmarks/world.py` shows "
        "more.",
    ),
)
