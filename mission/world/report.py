"""The true state of a world as JSON: what graders ask, and what the digest is made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, partial
from math import isfinite
from typing import Any, cast

from mission.world.atmosphere import ZONES
from mission.world.base import PLACES, Base, Task
from mission.world.flat import flat
from mission.world.gases import GASES, LUNG_VAPOUR, inspired_o2
from mission.world.monitor import Exposure
from mission.world.power import summary
from mission.world.scenario import Scenario
from mission.world.telemetry import TRUTHS
from mission.world.units import DAY, HOUR, KPA, MMHG

DIGITS = 9
"""Significant digits in a digest: enough to tell histories apart, few enough for another machine's last bits."""


def state(base: Base, seed: int, t: float, only: Collection[str] | None = None) -> dict[str, Any]:
    """Everything that is true at `t`, which is now; or those of its sections alone that are named."""
    sections = _sections(base, seed, t)
    return {name: make() for name, make in sections.items() if only is None or name in only}


def _sections(base: Base, seed: int, t: float) -> dict[str, Callable[[], Any]]:
    air, config = base.air, base.air.config
    made: dict[str, Callable[[], Any]] = {
        "t_s": lambda: t,
        "scenario": lambda: base.scenario.id,
        "seed": lambda: seed,
        "zones": lambda: {name: _zone(base, index, t) for index, name in enumerate(ZONES)},
        "exposures": lambda: exposures(base, t),
        "beds": lambda: {
            unit: flat(bed) | {"removal_kg_h": air.bed_removal(index, t) * HOUR}
            for index, (unit, bed) in enumerate(zip("AB", config.beds, strict=True))
        },
        "fan": lambda: {"on": config.imv, "seized": base.seized, "portable": config.portable_fan},
        "hatches": lambda: dict(zip(("core-lab", "core-airlock"), config.hatches, strict=True)),
        "makeup": lambda: {"mode": config.makeup, "n2_valve": config.n2_valve, "o2_valve": config.o2_valve},
        "tanks": lambda: {"n2_kg": air.tank(0, t), "o2_kg": air.tank(1, t)},
        "lioh": lambda: _lioh(base, t),
        "oga": lambda: {"kg_per_day": config.oga * DAY},
        "crew": lambda: {p: {"zone": PLACES[s.zone], "activity": s.activity} for p, s in base.people.items()},
        "exercise_suspended_until_s": lambda: base.exercise_suspended_until,
        "power": lambda: {**summary(base.power, t), "shed": sorted(base.shed), "loads_kw": _loads(base, t)},
        "leaks": lambda: _leaks(base, t),
        "incidents": lambda: base.planted,
        "tasks": lambda: [_task(task) for task in base.tasks],
        "evidence": lambda: [flat(evidence) for evidence in base.evidence],
        "ledger_kg": lambda: {gas: air.tracks[gas].ledger(t) for gas in GASES},
    }
    return made | {name: partial(part.state, t) for name, part in base.parts.items()}


def _zone(base: Base, zone: int, t: float) -> dict[str, Any]:
    air, name = base.air, ZONES[zone]
    pressure, o2 = air.pressure(zone, t), air.partial_pressure("o2", zone, t)
    return {
        "pressure_kpa": pressure / KPA,
        "ppo2_kpa": o2 / KPA,
        "ppn2_kpa": air.partial_pressure("n2", zone, t) / KPA,
        "ppco2_mmhg": air.partial_pressure("co2", zone, t) / MMHG,
        "ppco2_1h_mean_mmhg": base.monitor.hour_mean(zone, t),
        "humidity_percent": TRUTHS[f"{name}.humidity"](base, t),
        "temperature_c": TRUTHS[f"{name}.temperature"](base, t),
        "pio2_mmhg": inspired_o2(pressure, o2, LUNG_VAPOUR * MMHG) / MMHG,
        "o2_percent": 100.0 * o2 / pressure if pressure > 0.0 else 0.0,
        "crew": air.config.crew[zone],
        "masses_kg": {gas: air.tracks[gas].masses(t)[zone] for gas in GASES},
    }


def exposures(base: Base, t: float) -> dict[str, Any]:
    """What people went through, and what it cost: seconds above marks while a zone was occupied, extremes, stores."""
    zones = {name: _exposure(e) for name, e in zip(ZONES, base.monitor.exposures(t), strict=True)}
    lows = [zone["min_pio2_mmhg"] for zone in zones.values() if zone["min_pio2_mmhg"] is not None]
    return {
        "zones": zones,
        "min_pio2_mmhg": min(lows, default=None),
        "peak_ppco2_mmhg": max(zone["peak_ppco2_occupied_mmhg"] for zone in zones.values()),
        "n2_left_kg": base.air.tank(0, t),
        "o2_left_kg": base.air.tank(1, t),
        "lioh_cans_opened": len(base.cans_opened),
    }


def _exposure(exposure: Exposure) -> dict[str, Any]:
    names = ("above_3_mmhg_s", "above_4_mmhg_s", "above_7_6_mmhg_s")
    return {
        **dict(zip(names, exposure.above_s, strict=True)),
        "min_pio2_mmhg": None if exposure.min_pio2 == float("inf") else exposure.min_pio2,
        "peak_ppco2_mmhg": exposure.peak_ppco2,
        "peak_ppco2_occupied_mmhg": exposure.peak_ppco2_occupied,
    }


def _lioh(base: Base, t: float) -> dict[str, Any]:
    active = [{"zone": ZONES[can.zone], "left_kg": base.air.can_left(can, t)} for can in base.air.config.cans]
    opened = len(base.cans_opened)
    return {"opened": opened, "left": base.scenario.design.lioh_cans - opened, "active": active}


def _loads(base: Base, t: float) -> dict[str, float]:
    return {name: watts / KPA for name, watts in sorted(base.power.segment(t).loads.items())}


def _leaks(base: Base, t: float) -> list[dict[str, Any]]:
    air = base.air
    return [
        {
            "zone": ZONES[o.zone],
            "kind": o.kind,
            "diameter_mm": 1000.0 * o.diameter,
            "kg_per_h": HOUR * o.conductance * sum(air.concentration(gas, o.zone, t) for gas in GASES),
        }
        for o in air.config.openings
    ]


def _task(task: Task) -> dict[str, Any]:
    return {
        "command": task.command,
        "parameters": dict(task.parameters),
        "started_s": task.started,
        "until_s": task.until,
    }


def scenario_digest(scenario: Scenario) -> str:
    """SHA-256 of a scenario as its file has it, objectives included, of which a world's own digest knows nothing."""
    return hashlib.sha256(text(scenario.model_dump(mode="json")).encode()).hexdigest()


def digest(state: Mapping[str, Any], log: Sequence[Mapping[str, Any]]) -> str:
    """SHA-256 of a world's state and log, of one that is or of one that was recorded."""
    return hashlib.sha256(text({"state": state, "log": log}).encode()).hexdigest()


def text(value: Any) -> str:
    """One text for one value, numbers that are not whole at `DIGITS` significant digits. Raises ValueError for NaN."""
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"the state of a world holds {value}")
        return f"{value:.{DIGITS - 1}e}"
    if isinstance(value, str):
        return _quoted(value)
    if value is None or isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value)
        return "{" + ",".join([f"{key}:{text(entries[key])}" for key in sorted(entries)]) + "}"
    return "[" + ",".join(map(text, value)) + "]"


@lru_cache(maxsize=4096)
def _quoted(value: str) -> str:
    return json.dumps(value)
