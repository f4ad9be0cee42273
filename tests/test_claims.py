"""The numbers that cases expect, against the physics: the world itself is flown, and no agent has a word in it.

A wrong literal grades good candidates down and is the worst fault a suite can have. Each claim of a case, and each
forecast in its frozen reports, must be the truth within a third of the tolerance that it is checked with.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evals.case import Case, Claim
from evals.cases import load_cases
from evals.checks.claim import tolerance
from evals.workspace import find_workspace
from mission.system import MarsBase
from mission.world.engine import Scenario, World
from mission.world.weather import SOL

ROOT = Path(__file__).parents[1]
HOUR = 3600.0
PA_PER_MMHG = 133.322
MMHG_PER_KPA = 7.50062
DESIGN_LEAK_KG_H = 0.124 / 24
"""Design leak of the base as Risk Review is told it: 0.05 % a day of the air in 300 m3."""
FLOOR_PERCENT = 20.0
EVA_H, MARGIN_H = 2.0, 0.5
"""What the EVA case's task says: two hours of work, over half an hour before sunset."""


def start_of(case: Case) -> World:
    return system().open(case.setup.world).world


@cache
def system() -> MarsBase:
    return MarsBase(find_workspace(ROOT))


def wakeful(world: World) -> World:
    """The same world, had its people no need of sleep (four seconds of it, the least that a scenario takes)."""
    awake = {"sleep": {"start_h": 23.0, "length_h": 0.001}}
    scenario = Scenario.model_validate(world.scenario.model_dump() | awake)
    return World.rebuild(scenario, world.seed, [], world.now)


def hours_until(world: World, holds: Callable[[World, float], bool], limit_h: float) -> float:
    """Hours from now until a condition first holds, to a minute: one flight ahead, looked back on."""
    ahead = world.fork()
    ahead.advance(world.now + limit_h * HOUR)
    times = (world.now + 60.0 * minute for minute in range(int(limit_h * 60) + 1))
    return (next(t for t in times if holds(ahead, t)) - world.now) / HOUR


def leak_rate(world: World) -> float:
    return sum(leak["kg_per_h"] for leak in world.state()["leaks"])


def inspired_mmhg(world: World, zone: str, t: float) -> float:
    """Partial pressure of oxygen in the lungs' moist air: its share of what is left beside 47 mmHg of vapour."""
    pressure, oxygen = world.truth(f"{zone}.pressure", t), world.truth(f"{zone}.ppo2", t)
    return (pressure * MMHG_PER_KPA - 47.0) * oxygen / pressure


def until_thin_air(world: World) -> float:
    """With make-up off, till inspired oxygen is below 122 mmHg in the zone where it is lowest."""
    off = world.fork()
    assert off.command("set_makeup", {"mode": "off"}).accepted
    return hours_until(off, lambda flown, t: min(inspired_mmhg(flown, z, t) for z in ("core", "lab")) < 122.0, 24)


def until_nitrogen_is_gone(world: World) -> float:
    return hours_until(world, lambda flown, t: flown.truth("tank.n2", t) < 1e-6, 120)


def settled_co2(world: World, *commands: tuple[str, dict[str, Any]]) -> float:
    """ppCO2 in the Core after 100 h with everybody awake: seven time constants of the slowest case."""
    awake = wakeful(world)
    for name, parameters in commands:
        assert awake.command(name, parameters).accepted
    awake.advance(awake.now + 100 * HOUR)
    return awake.truth("core.ppco2")


def until_lab_limit(world: World) -> float:
    return hours_until(world, lambda flown, t: flown.truth("lab.ppco2", t) > 7.6, 8)


def bed_fraction(world: World) -> float:
    return 1.0 - world.truth("bed_a.outlet_ppco2") / world.truth("bed_a.inlet_ppco2")


def proposed(world: World, case: Case) -> World:
    """The world with the load that the case is about: bed B where bed A is degraded, else the loads as they stand."""
    if not world.scenario.id.startswith("bed-degraded"):
        return world
    loaded = world.fork()
    assert loaded.command("start_bed", {"unit": "B"}).accepted
    assert "bed" in case.task.lower() or "co2" in case.task.lower()
    return loaded


def until_floor(world: World, case: Case) -> float:
    loaded = proposed(world, case)
    return hours_until(loaded, lambda flown, t: flown.truth("battery.soc", t) < FLOOR_PERCENT + 0.01, 130)


def until_oxygen_is_gone(world: World) -> float:
    """Of the tank, which only ever falls."""
    ahead = world.fork()
    ahead.advance(world.now + 400 * HOUR)
    minutes = range(400 * 60)
    return bisect_left(minutes, True, key=lambda m: ahead.truth("tank.o2", world.now + 60.0 * m) < 1e-6) / 60


def until_fire_bound(world: World) -> float:
    """Till oxygen is 30 % of what the Core's pressure then is."""
    return hours_until(world, lambda flown, t: flown.truth("core.ppo2", t) / flown.truth("core.pressure", t) > 0.30, 12)


def rise(world: World, channel: str, seconds: float) -> float:
    """By how much the truth of a channel has risen in the last so many seconds."""
    return world.truth(channel) - world.truth(channel, world.now - seconds)


def until_particles(world: World, minutes: float) -> float:
    """Hours from now until so many minutes after the flare of the alert that stands."""
    (alert,) = world.state()["radiation"]["alerts"]
    return (alert["sent"] + 60.0 * minutes - world.now) / HOUR


def until_no_coolant(world: World) -> float:
    return hours_until(world, lambda flown, t: flown.truth("loop_a.accumulator_level", t) < 0.01, 24)


def until_warm_cabin(world: World) -> float:
    return hours_until(
        world, lambda flown, t: max(flown.truth(f"{zone}.temperature", t) for zone in ("core", "lab")) > 27.0, 12
    )


def until_dim(world: World) -> float:
    return hours_until(world, lambda flown, t: flown.truth("site.tau", t) > 2.0, 30)


def ground_speed(world: World) -> float:
    """km/h of rover 1 over the last ten minutes, by where it is and not by its own account."""
    rovers = world.base.part("rover")
    return (rovers.distance(0, world.now) - rovers.distance(0, world.now - 600.0)) / 1000.0 * HOUR / 600.0


def until_inside(world: World) -> float:
    """With the people in suits called back now."""
    called = world.fork()
    assert called.command("recall_eva", {}).accepted
    return hours_until(called, lambda flown, t: flown.truth("crew.outside", t) == 0.0, 6)


def until_rover_is_empty(world: World) -> float:
    """With rover 1 standing from now on."""
    standing = world.fork()
    assert standing.command("rover_stop", {"rover": "1"}).accepted
    return hours_until(standing, lambda flown, t: flown.truth("rover_1.energy", t) < 1e-6, 72)


def pressure_swing(world: World) -> float:
    """Largest less least pressure outside over the last six hours, every five minutes."""
    values = [world.truth("site.pressure", world.now - 300.0 * back) for back in range(73)]
    return (max(values) - min(values)) / PA_PER_MMHG


TRUTH: dict[str, Callable[[World, Case], float]] = {
    "leak_rate": lambda world, _: leak_rate(world),
    "hours_until_pio2_122": lambda world, _: until_thin_air(world),
    "hours_until_n2_empty": lambda world, _: until_nitrogen_is_gone(world),
    "ppco2_steady_state": lambda world, _: settled_co2(world),
    "ppco2_with_bed_b": lambda world, _: settled_co2(world, ("start_bed", {"unit": "B"})),
    "lab_ppco2_now": lambda world, _: world.truth("lab.ppco2"),
    "hours_until_ppco2_7_6": lambda world, _: until_lab_limit(world),
    "bed_removal_fraction": lambda world, _: bed_fraction(world),
    "makeup_over_design": lambda world, _: world.truth("makeup.n2_flow") / DESIGN_LEAK_KG_H,
    "net_power_kw": lambda world, case: proposed(world, case).truth("battery.net"),
    "hours_until_battery_floor": until_floor,
    "daylight_left_h": lambda world, _: world.truth("site.daylight_left"),
    "latest_start_h": lambda world, _: world.truth("site.daylight_left") - EVA_H - MARGIN_H,
    "site_pressure_swing": lambda world, _: pressure_swing(world),
    "coolant_loss_l_h": lambda world, _: -rise(world, "loop_a.accumulator_level", HOUR),
    "hours_until_accumulator_empty": lambda world, _: until_no_coolant(world),
    "hours_until_cabin_27": lambda world, _: until_warm_cabin(world),
    "fission_lost_kw": lambda world, _: world.truth("power.fission", 0.0) - world.truth("power.fission"),
    "battery_true_soc": lambda world, _: world.truth("battery.soc"),
    "tau_rise_per_sol": lambda world, _: rise(world, "site.tau", SOL),
    "hours_until_tau_2": lambda world, _: until_dim(world),
    "suit_leak_kg_h": lambda world, _: world.truth("suit_1.o2_rate") - world.truth("suit_2.o2_rate"),
    "suit_o2_left_h": lambda world, _: world.truth("suit_1.o2") / world.truth("suit_1.o2_rate"),
    "rover_from_base_km": lambda world, _: world.state()["rover"]["1"]["distance_m"] / 1000.0,
    "rover_ground_speed": lambda world, _: ground_speed(world),
    "rover_haven_h": lambda world, _: until_rover_is_empty(world),
    "sensor_drift_rate": lambda world, _: world.state()["instruments"]["faults"]["lab.ppco2"]["drift"],
    "hours_until_o2_empty": lambda world, _: until_oxygen_is_gone(world),
    "oga_hydrogen": lambda world, _: world.state()["oxygen"]["h2_percent"],
    "ppo2_rise_rate": lambda world, _: rise(world, "core.ppo2", HOUR),
    "hours_until_o2_30_percent": lambda world, _: until_fire_bound(world),
    "lab_co_rise_rate": lambda world, _: rise(world, "lab.co", 60.0),
    "lab_bus_rise": lambda world, _: rise(world, "lab.bus_current", 600.0),
    "inside_h": lambda world, _: until_inside(world),
    "earliest_arrival_h": lambda world, _: until_particles(world, 30.0),
    "latest_arrival_h": lambda world, _: until_particles(world, 90.0),
}

CASES = load_cases(find_workspace(ROOT))
CLAIMS = {
    f"{case.id}:{check.name}": (case, check)
    for case in CASES.values()
    for check in case.expect.checks
    if isinstance(check, Claim)
}
LOOSEST = {
    quantity: max(tolerance(check) / abs(check.value) for _, check in CLAIMS.values() if check.quantity == quantity)
    for quantity in {check.quantity for _, check in CLAIMS.values()}
}
FORECASTS = {
    f"{case.id}:{role}:{one['quantity']}": (case, one)
    for case in CASES.values()
    for role, frozen in case.setup.frozen.items()
    for one in frozen.report.get("forecasts", [])
}


@cache
def truth(case_id: str, quantity: str) -> float:
    case = CASES[case_id]
    return TRUTH[quantity](start_of(case), case)


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_that_a_case_expects_is_the_truth(name):
    case, check = CLAIMS[name]
    assert check.value == pytest.approx(truth(case.id, check.quantity), abs=tolerance(check) / 3, rel=0)


@pytest.mark.parametrize("name", FORECASTS)
def test_a_forecast_in_a_frozen_report_is_the_truth(name):
    case, forecast = FORECASTS[name]
    within = LOOSEST[forecast["quantity"]] / 3
    assert forecast["value"] == pytest.approx(truth(case.id, forecast["quantity"]), rel=within)


def test_no_claim_is_without_a_truth():
    assert {check.quantity for _, check in CLAIMS.values()} == set(TRUTH)
    assert len(CLAIMS) >= 15
