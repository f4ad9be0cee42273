"""Checks 10 to 13 and 20: light on the ground, storms, and dust on the array."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from statistics import fmean
from typing import Any, cast

from mission.published.check import Band, Check, Figure, at_most, exactly, factor, near, within
from mission.published.flights import flown
from mission.world.array import Array
from mission.world.engine import World
from mission.world.solar import rows_of
from mission.world.units import HOUR, KWH
from mission.world.weather import SOL

VL1 = 22.3
"""Degrees north, Viking Lander 1."""
HALF_SOL = 0.26
"""Degrees of Ls in half a sol: the day is flown from midnight so that its noon has the Ls that is asked for."""
NAMED = ((0.0, 3235.6), (140.0, 4180.7), (210.0, 1806.4), (290.0, 934.9))
"""Ls and Wh/m2 of four of the published days."""
STORM_2018 = {1.0: 0.73, 2.1: 0.54, 4.12: 0.40, 5.0: 0.21, 10.8: 0.034}
"""Opportunity's energy a sol over its 645 Wh at tau 0.6, by optical depth."""
IN_TABLES = tuple(tau for tau in STORM_2018 if tau <= 6.0)


def _array(sols: float, **changes: Any) -> World:
    """A square metre of perfect and clean array from midnight on."""
    solar = {"area_m2": 1.0, "efficiency": 1.0, "dust": 0.0, "dust_per_sol": 0.0} | changes.pop("solar", {})
    site = {"ltst_h": 0.0} | changes.pop("site", {})
    return flown(sols * SOL / HOUR, solar=solar, site=site, **changes)


def _wh(world: World, start: float = 0.0) -> float:
    """Wh in the sol from `start` sols on."""
    power = world.base.power
    return 1000.0 * (power.ledger((start + 1.0) * SOL).solar - power.ledger(start * SOL).solar) / KWH


@cache
def _day(latitude: float, ls: float, tau: float, albedo: float | None, correction: bool = False) -> float:
    site = {"latitude_deg": latitude, "ls_deg": (ls - HALF_SOL) % 360.0, "tau": tau}
    return _wh(_array(1.0, site=site, solar={"albedo": albedo, "rover_correction": correction}))


@cache
def published_days() -> tuple[tuple[float, float], ...]:
    """Ls and Wh/m2 of the 72 published days."""
    text = resources.files("mission.published").joinpath("data", "vl1_daily.csv").read_text(encoding="utf-8")
    return tuple((float(row["Ls"]), float(row["Hh"])) for row in csv.DictReader(text.splitlines()))


def _viking() -> Mapping[str, float]:
    tau = {row[0]: row[1] for row in rows_of("vl1_tau.csv")}
    ours = {ls: _day(VL1, ls, tau[ls], 0.1) for ls, _ in published_days()}
    errors = [100.0 * (ours[ls] / wh - 1.0) for ls, wh in published_days()]
    named = {f"Ls {ls:g}": ours[ls] for ls, _ in NAMED}
    return {"days": float(len(errors)), "largest error": max(map(abs, errors)), "mean error": fmean(errors)} | named


def _ratio(tau: float, albedo: float | None, correction: bool = False) -> float:
    return _day(-2.0, 186.0, tau, albedo, correction) / _day(-2.0, 186.0, 0.6, albedo, correction)


def _opportunity() -> Mapping[str, float]:
    dark = {f"tau {tau:g}, albedo 0.1": _ratio(tau, 0.1) for tau in STORM_2018}
    return dark | {f"tau {tau:g}, storm albedo": _ratio(tau, None) for tau in IN_TABLES}


def _corrected() -> Mapping[str, float]:
    return {f"tau {tau:g}": _ratio(tau, None, True) for tau in STORM_2018}


@cache
def _stormy(kind: str, sols: float, correction: bool = False) -> World:
    planted = [{"incident": "dust_storm", "onset_h": 0.0, "parameters": {"kind": kind}}]
    site = {"tau": 0.6 if kind == "global" else 0.5}
    return _array(sols, incidents=planted, site=site, solar={"rover_correction": correction})


def _taus(world: World, sols: Sequence[float]) -> list[float]:
    return [world.truth("site.tau", sol * SOL) for sol in sols]


def _regional() -> Mapping[str, float]:
    tenths = [n / 10 for n in range(140)]
    taus = _taus(_stormy("regional", 14.0), tenths)
    peak = max(taus)
    at = taus.index(peak)
    gone = next((sol for sol, tau in zip(tenths[at:], taus[at:], strict=True) if tau <= 0.9), math.inf)
    return {"highest tau": peak, "sols from there to tau 0.9": gone - tenths[at]}


def _power_lost() -> Mapping[str, float]:
    """Of the sol around the peak, against the same array without a storm."""
    clear = _wh(_array(1.0, site={"tau": 0.5}, solar={"rover_correction": True}))
    stormy = _stormy("regional", 14.0, correction=True)
    return {"energy of the worst sol": 100.0 * (min(_wh(stormy, sol / 4) for sol in range(52)) / clear - 1.0)}


def _global() -> Mapping[str, float]:
    world = _stormy("global", 108.0)
    taus = _taus(world, (2.0, 3.0, 8.0, 107.0))
    names = ("tau after 2 sols", "tau after 3 sols", "tau after 8 sols", "tau 99 sols later")
    decay = 60.0 / math.log((world.truth("site.tau", 20 * SOL) - 0.6) / (world.truth("site.tau", 80 * SOL) - 0.6))
    logit = [math.log(rise / (10.3 - rise)) for rise in (tau - 0.6 for tau in _taus(world, (3.0, 5.0)))]
    return dict(zip(names, taus, strict=True)) | {"growth": (logit[1] - logit[0]) / 2.0, "decay": decay}


def _soiling() -> Mapping[str, float]:
    light = cast("Array", flown(solar={"area_m2": 300.0, "dust": 0.0}).base.part("solar")).light
    left = {sols: light.clear_share(sols * SOL) for sols in (100.0, 1240.0)}
    return {
        "loss": -100.0 * math.log(left[1240.0]) / 1240.0,
        "left after 100 sols": left[100.0],
        "left after 1240 sols": left[1240.0],
    }


TABLES = "Appelbaum and Flood, NASA TM-102299; Appelbaum, Landis and Sherman, NASA TM-103623"
MER = "Planetary Society and JPL, Opportunity updates 2007 and 2018"
CHECKS = (
    Check(
        key="10",
        name="Daily insolation at Viking Lander 1",
        group="independent",
        source=TABLES,
        figures=(
            Figure("days", "", exactly(72)),
            Figure("largest error", "%", at_most(1.0)),
            Figure("mean error", "%", Band(-1.0, 1.0, "0", "1")),
            *(Figure(f"Ls {ls:g}", "Wh/m2", near(wh, rel=0.01)) for ls, wh in NAMED),
        ),
        measure=_viking,
        how="72 sols, each flown from midnight under a clean square metre of perfect array at 22.3 N with the "
        "published optical depth and an albedo of 0.1. One misprint of the flux table is repaired first.",
    ),
    Check(
        key="11a",
        name="A rover's energy in the storm of 2018",
        group="independent",
        source=MER,
        figures=(
            *(Figure(f"tau {tau:g}, albedo 0.1", "", factor(seen, 2.4)) for tau, seen in STORM_2018.items()),
            *(Figure(f"tau {tau:g}, storm albedo", "", factor(STORM_2018[tau], 2.4)) for tau in IN_TABLES),
        ),
        measure=_opportunity,
        how="Energy of a sol over that at tau 0.6, latitude -2, Ls 186. The tables end at tau 6; beyond it ln f is "
        "carried on. There the albedo rule for storms, on by default, gives 0.100, 2.9 times what was seen, and "
        "no bar is claimed for it.",
    ),
    Check(
        key="11b",
        name="The same with the rovers' own correction",
        group="consistency",
        source=MER,
        figures=tuple(Figure(f"tau {tau:g}", "", factor(seen, 1.4)) for tau, seen in STORM_2018.items()),
        measure=_corrected,
        how="With `rover_correction: true`, exp(-0.08 (tau - 0.6)), which was fitted on these five points; albedo by "
        "the rule for storms.",
    ),
    Check(
        key="12a",
        name="A regional storm's profile",
        group="consistency",
        source="Spirit 2009 (Planetary Society), Jezero 2022 (ESSOAr 598070)",
        figures=(
            Figure("highest tau", "", within(2.0, 2.6)),
            Figure("sols from there to tau 0.9", "sols", within(4.0, 6.0)),
        ),
        measure=_regional,
        how="The profile of `dust_storm` was fitted on these storms; flown for 14 sols from tau 0.5.",
    ),
    Check(
        key="12b",
        name="What a regional storm takes of the power",
        group="independent",
        source="Spirit 2009: two thirds lost at the peak; the design study asks for 45 to 65 %",
        figures=(Figure("energy of the worst sol", "%", within(-65.0, -45.0)),),
        measure=_power_lost,
        how="The same storm on a clean array with the rovers' correction, which was fitted on another rover and storm.",
    ),
    Check(
        key="13",
        name="The global storm of 2018",
        group="consistency",
        source=MER,
        figures=(
            Figure("tau after 2 sols", "", near(1.0, rel=0.2)),
            Figure("tau after 3 sols", "", near(2.1, rel=0.2)),
            Figure("tau after 8 sols", "", near(10.8, rel=0.2)),
            Figure("tau 99 sols later", "", near(1.3, rel=0.2)),
            Figure("growth", "1/sol", near(1.35, rel=0.2)),
            Figure("decay", "sols", near(37.0, rel=0.2)),
        ),
        measure=_global,
        how="The profile of `dust_storm` was fitted on this storm; flown for 108 sols from tau 0.6.",
    ),
    Check(
        key="20",
        name="Dust on an array",
        group="independent",
        source="InSight: 5000 to 500 Wh a sol in 1240 sols (NASA); Lorenz 2020, 10.1029/2019EA000992",
        figures=(
            Figure("loss", "%/sol", within(0.1, 0.3)),
            Figure("left after 100 sols", "", near(0.82, off=0.01)),
            Figure("left after 1240 sols", "", near(0.1, off=0.03)),
        ),
        measure=_soiling,
        how="The array's default, 0.2 % a sol (Lorenz), from clean, without gusts and storms.",
    ),
)
