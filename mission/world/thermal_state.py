"""The true state of heat and coolant as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mission.world import coolant
from mission.world.coolant import LOOPS
from mission.world.flat import flat
from mission.world.storm import knot
from mission.world.units import KW, ZERO_C

if TYPE_CHECKING:
    from mission.world.thermal import Thermal


def describe(block: Thermal, t: float) -> dict[str, Any]:
    segment = block.segment(t)
    zones = {
        name: {
            "mode": segment.modes[z],
            "air_c": segment.response.air[z](t) - ZERO_C,
            "shell_c": segment.response.shell[z](t) - ZERO_C,
            "heat_kw": segment.gains[z] / KW,
            "cooling_kw": segment.cooling[z](t) / KW,
        }
        for z, name in enumerate(("core", "lab"))
    }
    return {
        "zones": zones,
        "radiator_bound_kw": block.exposure.bound(knot(t)) / KW,
        "loops": {name: _loop(block, name, t) for name in LOOPS},
        "cold_plate": {"loop": block.plate.loop, "temperature_c": block.plate.temperature(t)},
        "store_l": block.store,
        "ledger_mj": {key: value / 1e6 for key, value in flat(block.ledger(t)).items()},
    }


def _loop(block: Thermal, name: str, t: float) -> dict[str, Any]:
    loop = block.loops[name].at(t)
    supply, back = block.supply_and_return(name, t)
    kept = {key: value for key, value in flat(loop).items() if key not in ("t0", "cabin", "air")}
    now = {"supply": supply, "return": back, "line": block.line(name, t)(t), "content": coolant.content(loop, t)}
    return kept | now
