"""What drives the cabin's air from one event to the next: zones, beds, hatches, valves, people, openings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from mission.world.gases import Gas

CORE, LAB, AIRLOCK = 0, 1, 2
ZONES = ("core", "lab", "airlock")
Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class BedState:
    """One CO2 unit: `health` in [0, 1] scales its clean air; `capped` while its sorbent limits it."""

    running: bool
    health: float
    capped: bool = False
    repairing: bool = False
    runs_after: bool = False
    """Whether it runs again once repaired."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A hole or an open vent in a zone: its conductance was frozen when it, or the temperature, last changed."""

    zone: int
    kind: str
    diameter: float
    conductance: float


@dataclass(frozen=True, slots=True)
class Can:
    """An open LiOH can, and the CO2 dose of its zone when it was opened."""

    zone: int
    dose: float


class Config(NamedTuple):
    """All that drives the air from one event to the next: SI units, tuples by zone."""

    temperatures: Triple
    beds: tuple[BedState, BedState]
    imv: bool
    portable_fan: bool
    hatches: tuple[bool, bool]
    """core-lab open, core-airlock open."""
    makeup: str
    oga: float
    """kg/s"""
    crew: tuple[int, int, int]
    crew_o2: Triple
    crew_co2: Triple
    crew_h2o: Triple
    tanks: tuple[float, float]
    """kg of N2 and O2 at the time of the change."""
    n2_valve: bool = False
    o2_valve: bool = False
    o2_stuck: float = 0.0
    """kg/s that a stuck valve lets into the core from the oxygen tank."""
    o2_isolated: bool = False
    n2_dilution: float = 0.0
    """kg/s let into the core from the nitrogen tank by hand, to lower the share of oxygen."""
    breathing: tuple[int, int, int] = (0, 0, 0)
    """People who breathe a zone's air: not masked, not in a suit, not lost."""
    mask_o2: Triple = (0.0, 0.0, 0.0)
    """kg/s of oxygen that masks give off."""
    spilt_h2o: Triple = (0.0, 0.0, 0.0)
    """kg/s of water that evaporates from what has been spilt."""
    coil_c: float | None = None
    """Temperature of the condensing coil if it is not as designed."""
    coil_dry: bool = False
    walls_wet: tuple[bool, bool, bool] = (False, False, False)
    openings: tuple[Opening, ...] = ()
    cans: tuple[Can, ...] = ()


DRIVEN: Mapping[str, tuple[Gas, ...]] = {
    "crew": (),
    "breathing": (),
    "crew_o2": ("o2",),
    "mask_o2": ("o2",),
    "crew_co2": ("co2",),
    "crew_h2o": ("h2o",),
    "n2_valve": ("o2", "n2"),
    "o2_valve": ("o2", "n2"),
    "coil_dry": ("h2o",),
    "walls_wet": ("h2o",),
}
"""What changes all day long, and the gases whose flows it drives; it moves no air between zones. The two valves of
make-up share one line."""
REFLEXES = frozenset({"n2_valve", "o2_valve", "coil_dry", "walls_wet"})
"""What the air's own controls switch: it concerns nothing else."""
OF_PEOPLE = DRIVEN.keys() - REFLEXES
DRAWING = frozenset({"beds", "imv", "portable_fan", "oga"})
"""What draws power."""
GROUPS: Mapping[tuple[bool, bool], tuple[tuple[int, ...], ...]] = {
    (False, False): ((CORE,), (LAB,), (AIRLOCK,)),
    (True, False): ((CORE, LAB), (CORE, LAB), (AIRLOCK,)),
    (False, True): ((CORE, AIRLOCK), (LAB,), (CORE, AIRLOCK)),
    (True, True): ((CORE, LAB, AIRLOCK),) * 3,
}
"""By the hatches that are open, core-lab and core-airlock: the zones that each one shares its pressure with."""
