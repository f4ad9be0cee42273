"""Properties of the cabin's gases, the choked leak, and what a lung sees."""

from __future__ import annotations

import math
from typing import Literal

from mission.world.units import GAS_CONSTANT, ZERO_C

Gas = Literal["o2", "co2", "n2", "h2o"]
GASES: tuple[Gas, ...] = ("o2", "co2", "n2", "h2o")
MOLAR_MASS: dict[Gas, float] = {"o2": 31.998e-3, "co2": 44.0095e-3, "n2": 28.0134e-3, "h2o": 18.01528e-3}
"""kg/mol, CIAAW standard atomic weights."""

LUNG_VAPOUR = 47.0
"""mmHg: water vapour in the windpipe at body temperature, NASA-STD-3001 [V2 6003]."""
HEAT_RATIO = 1.4
"""Ratio of specific heats of a diatomic gas."""
SHARP_EDGE = 0.6
"""Discharge coefficient of a sharp-edged hole, shuttle flight rules, appendix."""


def pascal_per_kg(gas: Gas, temperature: float, volume: float) -> float:
    """Partial pressure of one kg of `gas` at `temperature` K in `volume` m3: the ideal gas law."""
    return GAS_CONSTANT * temperature / (MOLAR_MASS[gas] * volume)


def saturation_pressure(temperature: float) -> float:
    """Pa of water vapour over water at `temperature` K: Buck 1981, revised 1996; within 0.1 % from 0 to 50 C."""
    celsius = temperature - ZERO_C
    return 611.21 * math.exp((18.678 - celsius / 234.5) * (celsius / (257.14 + celsius)))


def inspired_o2(pressure: float, ppo2: float, vapour: float) -> float:
    """Partial pressure of oxygen in the windpipe, (P - vapour) * FO2, all in one unit: [V2 6003]. Never below 0."""
    return (pressure - vapour) * ppo2 / pressure if pressure > vapour else 0.0


def leak_conductance(diameter: float, temperature: float, molar_mass: float, discharge: float = SHARP_EDGE) -> float:
    """Air that a hole of `diameter` m lets out, m3/s at cabin conditions.

    Choked flow of an ideal gas; on Mars the outside is always below 0.528 of the cabin's pressure. The flow is
    proportional to the pressure and the same for every gas, so a leak does not change the air's composition.
    """
    area = math.pi / 4.0 * diameter * diameter
    sound = math.sqrt(HEAT_RATIO * GAS_CONSTANT * temperature / molar_mass)
    exponent = (HEAT_RATIO + 1.0) / (2.0 * (HEAT_RATIO - 1.0))
    return discharge * area * sound * (2.0 / (HEAT_RATIO + 1.0)) ** exponent
