"""Each published check notices a fault that is planted in the simulator: a constant or a law of it is bent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from mission.incidents import dust_storm
from mission.published import CHECKS, air, exact, exactness, outside, people, simoc, sun, sweep
from mission.world import (
    array,
    cabin,
    comms,
    coolant,
    crew,
    dose,
    gases,
    linear,
    marstime,
    power,
    solar,
    suit,
    telemetry,
    thermal,
    weather,
)

Patch = pytest.MonkeyPatch
BY_KEY = {check.key: check for check in CHECKS}


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    """Nothing that was measured before, or is measured here, counts for another test."""
    own = (air, exact, exactness, outside, people, simoc, sun)
    caches = [value for module in own for value in vars(module).values() if hasattr(value, "cache_clear")]
    yield from _cleared([cache for cache in caches if cache.__module__.startswith("mission.published")])


def _cleared(caches: list[Any]) -> Iterator[None]:
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def scaled(module: Any, name: str, by: float) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(module, name, getattr(module, name) * by)


def breathes(**by: float) -> Callable[[Patch], None]:
    """People awake breathe, sweat or warm so many times as much."""

    def plant(patch: Patch) -> None:
        rates = crew.RATES["nominal"]
        bent = replace(rates, **{name: getattr(rates, name) * factor for name, factor in by.items()})
        patch.setitem(crew.RATES, "nominal", bent)

    return plant


def storms(kind: str, **by: float) -> Callable[[Patch], None]:
    profile = dust_storm.PROFILES[kind]
    bent = profile | {name: profile[name] * factor for name, factor in by.items()}
    return lambda patch: patch.setitem(dust_storm.PROFILES, kind, bent)


def beam_only(patch: Patch) -> None:
    """Light is what the dust has not touched."""
    patch.setattr(solar, "_normalised", lambda _, zenith, tau: math.exp(-tau / math.cos(math.radians(zenith))))


def heavier_air(patch: Patch) -> None:
    hull = thermal.Hull
    patch.setattr(thermal, "Hull", lambda a, *rest: hull(1.2 * a, *rest))


def off_by(module: Any, share: float) -> Callable[[Patch], None]:
    """A solver whose sources are a share too large."""
    solve = linear.solve

    def plant(patch: Patch) -> None:
        patch.setattr(exact, "SYSTEMS", 40)
        patch.setattr(module, "solve", lambda v, c, s, m: solve(v, c, [x * (1 + share) for x in s], m))

    return plant


def only(*names: str) -> Callable[[Patch], None]:
    """The sweep over scenarios is cut down to these."""
    kept = {name: sweep.scenarios()[name] for name in names}
    return lambda patch: patch.setattr(sweep, "scenarios", lambda: kept)


def forgetful_loop(patch: Patch) -> None:
    told = coolant.supply

    def supply(loop: coolant.Loop, cabin_c: float, t: float) -> float:
        still = cabin_c + (loop.supply - cabin_c) * math.exp(-(t - loop.t0) / coolant.STAGNANT_TAU)
        return told(loop, cabin_c, t) if loop.flowing else still

    only("pump-trip")(patch)
    patch.setattr(coolant, "supply", supply)


def worn_by_reading(patch: Patch) -> None:
    measurable = telemetry.measurable

    def measure(base: Any, channel: str, t: float) -> float | None:
        base.cans_opened.append(0.0)
        return measurable(base, channel, t)

    only("nominal")(patch)
    patch.setattr(telemetry, "measurable", measure)


def stored_twice(patch: Patch) -> None:
    only("nominal")(patch)
    patch.setattr(power, "CHARGING", replace(power.CHARGING, stored=0.99))


def cheap_oxygen(patch: Patch) -> None:
    only("nominal")(patch)
    patch.setattr(power, "OGA_PER_KG_DAY", 50.0)


def radiator_ignored(patch: Patch) -> None:
    only("nominal")(patch)
    patch.setattr(thermal.Thermal, "capacity", lambda block: 2.0 * block.section.loop_kw * 1000.0)


def negative_mass(patch: Patch) -> None:
    only("nominal")(patch)
    held = exact.masses
    patch.setattr(exact, "masses", lambda world, t: [*held(world, t), world.base.air.tank(0, t) - 80.0])


def slow_clock(patch: Patch) -> None:
    ticks = iter(range(0, 100, 2))
    patch.setattr(exact.time, "process_time", lambda: float(next(ticks)))


FAULTS: list[tuple[str, str, Callable[[Patch], None]]] = [
    ("1", "O2 used", breathes(o2=1.03)),
    ("1", "CO2 given off", breathes(co2=1.03)),
    ("2", "water", breathes(h2o=1.1)),
    ("2", "heat awake", breathes(heat=1.06)),
    ("2", "heat, mean", breathes(heat=0.98)),
    ("3", "CO2, 82 kg", lambda patch: patch.setattr(crew, "DAY_CO2", tuple(1.05 * kg for kg in crew.DAY_CO2))),
    ("3", "O2, 82 kg", scaled(crew, "O2_MASS", 1.05)),
    ("4", "rise", breathes(co2=1.03)),
    ("5", "can at 120 lb/h of air", breathes(co2=1.3)),
    ("5", "can as in the base", breathes(co2=0.6)),
    ("6", "rate at 3 mmHg", scaled(gases, "GAS_CONSTANT", 1.15)),
    ("6", "six people", breathes(co2=0.9)),
    ("7", "at 2 torr", scaled(gases, "GAS_CONSTANT", 1.02)),
    ("8", "air lost", lambda patch: patch.setattr(gases, "HEAT_RATIO", 1.67)),
    ("8", "to 8 psi, 0.25 in", lambda patch: patch.setattr(gases, "HEAT_RATIO", 1.67)),
    ("9", "pressure", scaled(gases, "GAS_CONSTANT", 1.08)),
    ("10", "largest error", scaled(solar, "MEAN_BEAM", 1.02)),
    ("10", "Ls 290", scaled(solar, "OBLIQUITY", 1.05)),
    ("11a", "tau 10.8, albedo 0.1", beam_only),
    ("11b", "tau 10.8", lambda patch: patch.setattr(solar, "rover_correction", lambda tau: math.exp(0.6 - tau))),
    ("12a", "highest tau", storms("regional", height=1.2)),
    ("12a", "sols from there to tau 0.9", storms("regional", decay=2.0)),
    ("12b", "energy of the worst sol", storms("regional", height=0.8)),
    ("13", "growth", storms("global", rate=0.7)),
    ("13", "decay", storms("global", decay=1.3)),
    ("14", "1000 Btu/h", scaled(suit, "O2_PER_J", 1.05)),
    ("15", "1600 Btu/h", scaled(suit, "SEAL_LEAK", 20.0)),
    ("16", "to 90 F", heavier_air),
    ("17", "moving speed", scaled(cabin, "SPEED", 1.2)),
    ("17", "way back on foot after 2 h", scaled(suit, "SPEED", 1.2)),
    ("18a", "dose of 180 sols", scaled(dose, "GCR_MSV_DAY", 1.06)),
    ("18b", "peak of September 2017", scaled(dose, "BACKGROUND", 2.0)),
    ("19", "light time, 0.37 AU", scaled(comms, "LIGHT_S_PER_AU", 0.99)),
    ("19", "sol", scaled(marstime, "SOL_DAYS", 1.00001)),
    ("19", "Ls over a year", scaled(weather, "ECCENTRICITY", 1.05)),
    ("20", "loss", scaled(array, "SOL", 0.5)),
    ("21", "CO2, hour 120", off_by(simoc, 0.05)),
    ("22", "O2 a day", off_by(simoc, 0.05)),
    ("23", "CO2 removed", off_by(simoc, -0.05)),
    ("24", "ODE solver", off_by(exact, 1e-4)),
    ("24", "matrix exponential", off_by(exact, 1e-4)),
    ("25", "largest difference", forgetful_loop),
    ("26", "flights changed", worn_by_reading),
    ("27", "largest residual", stored_twice),
    ("28", "OGA", cheap_oxygen),
    ("28", "least mass", negative_mass),
    ("28", "cooling over the bound", radiator_ignored),
    ("29", "CPU time", slow_clock),
]


@pytest.mark.parametrize(("key", "figure", "plant"), FAULTS, ids=[f"{key}-{name}" for key, name, _ in FAULTS])
def test_a_planted_fault_is_out_of_tolerance(
    monkeypatch: Patch, key: str, figure: str, plant: Callable[[Patch], None]
) -> None:
    check = BY_KEY[key]
    plant(monkeypatch)
    (band,) = (one.band for one in check.figures if one.name == figure)
    assert not band.holds(check.measure()[figure])


def test_every_check_has_a_fault_planted() -> None:
    assert {key for key, _, _ in FAULTS} == set(BY_KEY)
