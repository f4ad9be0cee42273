"""The radiator: what it sheds at a temperature, and at which temperature it sheds a heat (design study 1.6)."""

from __future__ import annotations

from mission.world.thermal_section import ThermalSection

SIGMA = 5.670374419e-8
"""W/(m2 K4), CODATA 2018."""
EMISSIVITY, CONVECTION = 0.9, 1.0
"""The latter in W/(m2 K)."""
HOTTEST = 290.0
"""K: 377 W/m2 under a sky of 180 K and air of 220 K, without sun."""
DUST_DOUBLES = 0.11
"""Share of dust that doubles the absorptance."""


def shed(section: ThermalSection, kelvin: float) -> float:
    """W that a radiator at `kelvin` gives off; negative if it takes heat in."""
    radiated = EMISSIVITY * SIGMA * (kelvin**4 - section.sky_k**4)
    sun = section.absorbed_sun_w_m2 * (1.0 + section.radiator_dust / DUST_DOUBLES)
    return section.radiator_m2 * (radiated + CONVECTION * (kelvin - section.ambient_k) - sun)


def bound(section: ThermalSection) -> float:
    """W that it sheds at most."""
    return max(0.0, shed(section, HOTTEST))


def temperature(section: ThermalSection, heat: float) -> float:
    """K at which it sheds `heat` W: Newton's method, from above, on a balance that bends upwards."""
    kelvin = HOTTEST
    for _ in range(30):
        slope = section.radiator_m2 * (4.0 * EMISSIVITY * SIGMA * kelvin**3 + CONVECTION)
        step = (shed(section, kelvin) - heat) / slope
        kelvin -= step
        if abs(step) < 1e-9:
            break
    return kelvin
