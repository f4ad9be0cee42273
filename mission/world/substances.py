"""What toxics are made of: substances, their weights and alarms, zone buses, and records of fires and sources."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

GASES: dict[str, float] = {
    "co": 28.010e-3,
    "hcn": 27.0253e-3,
    "hcl": 36.458e-3,
    "nh3": 17.0305e-3,
    "glycol": 62.068e-3,
}
"""kg/mol, CIAAW standard atomic weights."""
PARTICLES: dict[str, float] = {"smoke": 7600.0, "dust": 1000.0}
"""Extinction, m2/kg: smoke 7.6 m2/g (NASA); dust of some 10 um, ours."""
SUBSTANCES = (*GASES, *PARTICLES)
MONITORED = ("core", "lab")
"""Zones with detectors."""
BUS_LOADS: dict[str, tuple[str, ...]] = {
    "core": ("lights", "galley", "suit_recharge"),
    "lab": ("lab", "plant_lamps", "water_recovery", "sabatier"),
}
"""What hangs on a zone's bus, ours; essential loads, beds and generator have feeds of their own."""
ALARMS = (("co", "FR-09", "co"), ("hcn", "FR-09", "hcn"), ("hcl", "FR-09", "hcl"), ("nh3", "FR-10", "alarm"))
"""Substance, rule and number of each gas alarm."""
GLYCOL_VAPOUR = 0.002 * 0.55
"""kg of glycol vapour for 1 L of coolant that leaks: half of it is glycol, of which 0.2 % evaporates at once; ours."""
WATER_PER_GLYCOL = 0.5 / GLYCOL_VAPOUR
"""The other half is water, and all of it ends in the air as it leaks: 0.25 kg/h of vapour for 0.5 L/h; ours."""
RACK_EXCESS = 10.0
"""K that an overheating cable warms its rack in the end; +5 K (design study, I8) when 20 g at 50 mg/s are burnt."""
RACK_HALF_TIME = 400.0


@dataclass(frozen=True)
class Fire:
    """Pyrolysis at a constant rate from `t0` until its fuel is gone: kg, kg/s, and yields by substance."""

    zone: int
    t0: float
    fuel: float
    rate: float
    yields: Mapping[str, float]
    overload: float
    """W that the faulty cable draws."""
    flaming: bool
    """It burns on without power."""

    @property
    def until(self) -> float:
        return self.t0 + self.fuel / self.rate


@dataclass(frozen=True)
class Source:
    """Something that comes into a zone until it is gone: kg/s. `loop` names the coolant loop it comes from."""

    substance: str
    zone: int
    rate: float
    loop: str = ""
    until: float = math.inf


@dataclass(frozen=True)
class Heat:
    """How much warmer than the cabin a zone's rack is, from `t0` on."""

    t0: float = 0.0
    start: float = 0.0
    end: float = 0.0
