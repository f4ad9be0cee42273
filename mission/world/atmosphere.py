"""The cabin's air: four gases in three zones, in closed form between events.

Each gas is a linear system of its own (linear.py), assembled from named flows; the same flows drive its ledger. A gas
is re-based only when one of its flows really changes. Zones joined by an open hatch share one total pressure: bulk
flow evens it out at once, and the displacement it causes (under 2 % of the air) is neglected, except for the steady
draught that feeds a leak, which is a one-way exchange.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Set
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from mission.world.air_config import (
    AIRLOCK,
    CORE,
    DRIVEN,
    GROUPS,
    LAB,
    OF_PEOPLE,
    ZONES,
    BedState,
    Can,
    Config,
    Opening,
    Triple,
)
from mission.world.exponential import Enclosure, ExpSum, exp_sum
from mission.world.gases import (
    GASES,
    LUNG_VAPOUR,
    MOLAR_MASS,
    Gas,
    inspired_o2,
    leak_conductance,
    pascal_per_kg,
    saturation_pressure,
)
from mission.world.lookout import Search, reach
from mission.world.scenario import Design
from mission.world.track import Flow, Track
from mission.world.units import DAY, GAS_CONSTANT, HOUR, MMHG, ZERO_C

__all__ = [
    "AIRLOCK",
    "CORE",
    "LAB",
    "ZONES",
    "Atmosphere",
    "BedState",
    "Can",
    "Config",
    "Flow",
    "Opening",
    "Track",
    "Triple",
]


class Atmosphere:
    """The one owner of the air: every change of an input goes through `change`."""

    def __init__(self, design: Design, config: Config, masses: dict[Gas, Triple]) -> None:
        self.design = design
        self.volumes = design.volumes
        self.version = 0
        """Counts re-bases of any gas: what depends on all of them holds while this stays."""
        self.regime = 0
        """Counts changes of anything but what people breathe in and out."""
        self.makeup_rate = design.makeup_max_kg_h / HOUR
        leak = design.design_leak_per_day / DAY
        self._leaks = [Flow("design_leak", zone, 0.0, leak * volume) for zone, volume in enumerate(self.volumes)]
        self._starts = [0.0]
        self._configs = [config]
        self._curves: dict[tuple[str, int, float], ExpSum] = {}
        """Curves worked out since the last change, by what and when they start."""
        self._enclosures: dict[tuple[str, int, float, float], Enclosure] = {}
        self._fixed: dict[Gas, tuple[Flow, ...]] = {gas: self._steady(config, gas) for gas in GASES}
        """What does not come from people, as the configuration has it."""
        self.tracks: dict[Gas, Track] = {gas: Track(self.volumes, masses[gas]) for gas in GASES}
        for gas, track in self.tracks.items():
            track.update(0.0, self.flows(config, gas), self.exchange(config))

    @property
    def config(self) -> Config:
        return self._configs[-1]

    @property
    def changed_at(self) -> float:
        """When the configuration last changed."""
        return self._starts[-1]

    def changes(self, a: float, b: float) -> list[float]:
        """When the configuration changed, strictly between `a` and `b`."""
        return self._starts[bisect_right(self._starts, a) : bisect_left(self._starts, b)]

    def config_at(self, t: float) -> Config:
        return self._configs[max(bisect_right(self._starts, t) - 1, 0)]

    def tank(self, index: int, t: float) -> float:
        """kg in the nitrogen (0) or oxygen (1) tank at `t`."""
        at = max(bisect_right(self._starts, t) - 1, 0)
        config = self._configs[at]
        return max(0.0, config.tanks[index] - self.drain(config, index) * (t - self._starts[at]))

    def _makeup(self, config: Config) -> float:
        """kg/s of one open make-up valve: both feed one line, which passes no more for two gases than for one."""
        return self.makeup_rate / (config.n2_valve + config.o2_valve)

    def drain(self, config: Config, index: int) -> float:
        """kg/s that leave the nitrogen (0) or oxygen (1) tank."""
        flow = self._makeup(config) if (config.n2_valve, config.o2_valve)[index] else 0.0
        return flow + (config.o2_stuck if index else config.n2_dilution)

    def joined(self, config: Config, zone: int) -> tuple[int, ...]:
        """The zones that share one total pressure with `zone`."""
        return GROUPS[config.hatches][zone]

    def partial_pressure(self, gas: Gas, zone: int, t: float) -> float:
        mass = self.tracks[gas].mass(zone, t)
        return mass * pascal_per_kg(gas, self.config_at(t).temperatures[zone], self.volumes[zone])

    def pressure(self, zone: int, t: float) -> float:
        """Total pressure of a zone, Pa; one value for all zones joined by open hatches."""
        config = self.config_at(t)
        group = self.joined(config, zone)
        total = room = 0.0
        for z in group:
            moles = sum([self.tracks[gas].mass(z, t) / MOLAR_MASS[gas] for gas in GASES])
            total += moles * GAS_CONSTANT * config.temperatures[z]
            room += self.volumes[z]
        return total / room

    def pio2(self, zone: int, t: float) -> float:
        """Inspired oxygen of a zone, mmHg: of moist air at body temperature, [V2 6003]."""
        pressure, ppo2 = self.pressure(zone, t), self.partial_pressure("o2", zone, t)
        return inspired_o2(pressure, ppo2, LUNG_VAPOUR * MMHG) / MMHG

    def concentration(self, gas: Gas, zone: int, t: float) -> float:
        return self.tracks[gas].mass(zone, t) / self.volumes[zone]

    def partial_curve(self, gas: Gas, zone: int, t: float) -> ExpSum:
        """Partial pressure over time after `t`, Pa, in the segment that holds at `t`."""
        key = (gas, zone, t)
        if key not in self._curves:
            segment = self.tracks[gas].segment(t)
            factor = pascal_per_kg(gas, self.config_at(t).temperatures[zone], self.volumes[zone])
            self._curves[key] = segment.masses[zone].shifted(t - segment.t0, factor)
        return self._curves[key]

    def pressure_curve(self, zone: int, t: float) -> ExpSum:
        """Total pressure over time after `t`, Pa, while nothing changes."""
        group = self.joined(self.config_at(t), zone)
        key = ("total", group[0], t)
        if key not in self._curves:
            self._curves[key] = self._total_curve(group, t)
        return self._curves[key]

    def _total_curve(self, group: tuple[int, ...], t: float) -> ExpSum:
        volume = sum([self.volumes[z] for z in group])
        kelvin = self.config_at(t).temperatures
        start, terms = 0.0, dict[float, float]()
        for gas in GASES:
            segment = self.tracks[gas].segment(t)
            after = t - segment.t0
            for z in group:
                weight = pascal_per_kg(gas, kelvin[z], volume)
                curve = segment.masses[z]
                start += weight * (curve(after) if after else curve.start)
                for rate, slope in zip(curve.rates, curve.slopes, strict=True):
                    now = weight * slope * (math.exp(-rate * after) if after else 1.0)
                    terms[rate] = terms.get(rate, 0.0) + now
        return exp_sum(start, terms.items())

    def enclose(self, what: Gas | Literal["total"], zone: int, a: float, b: float) -> Enclosure:
        """A partial pressure, or the total one, on [a, b], while nothing changes."""
        key = (what, zone, a, b)
        if key not in self._enclosures:
            curve = self.pressure_curve(zone, a) if what == "total" else self.partial_curve(what, zone, a)
            self._enclosures[key] = curve.enclose(0.0, b - a)
        return self._enclosures[key]

    def reach(self, what: Gas | Literal["total"], zone: int, level: float, *, rising: bool) -> Search:
        """A search for the time at which a partial pressure, or the total one, reaches `level` Pa."""
        curve = partial(self.pressure_curve, zone) if what == "total" else partial(self.partial_curve, what, zone)
        return reach(curve, level, rising=rising)

    def bed_removal(self, unit: int, t: float) -> float:
        """CO2 that a unit takes out at `t`, kg/s."""
        bed = self.config_at(t).beds[unit]
        if not bed.running:
            return 0.0
        if bed.capped:
            return self.design.bed_capacity_kg_h / HOUR
        return bed.health * self.design.bed_flow_m3_h / HOUR * self.concentration("co2", CORE, t)

    def can_left(self, can: Can, t: float) -> float:
        """kg of CO2 that an open can still takes up."""
        passed = self.tracks["co2"].dose(t)[can.zone] - can.dose
        return self.design.lioh_can_kg - self.design.lioh_flow_m3_h / HOUR * passed

    def opening(self, zone: int, kind: str, diameter: float, t: float) -> Opening:
        """A hole or vent of `diameter` m made at `t`, with the conductance of the air it then meets."""
        config = self.config_at(t)
        masses: dict[Gas, float] = {gas: self.tracks[gas].mass(zone, t) for gas in GASES}
        moles = sum(mass / MOLAR_MASS[gas] for gas, mass in masses.items())
        conductance = leak_conductance(diameter, config.temperatures[zone], sum(masses.values()) / moles)
        return Opening(zone, kind, diameter, conductance)

    def change(self, t: float, **changes: Any) -> bool:
        """Replace fields of the configuration at `t`; False if that is nothing new."""
        before = self.config
        if all(getattr(before, name) == value for name, value in changes.items()):
            return False
        tanks = changes.get("tanks") or (self.tank(0, t), self.tank(1, t))
        config = before._replace(**(changes | {"tanks": tanks}))
        if changes.get("temperatures", self.config.temperatures) != self.config.temperatures:
            config = config._replace(openings=self._refrozen(config, t))
        self.regime += not changes.keys() <= OF_PEOPLE
        if changes.keys() <= DRIVEN.keys():
            self._redrive(t, config, changes.keys())
        else:
            settled, exchange = self._settled(config, t), self.exchange(config)
            self._fixed = {gas: self._steady(config, gas) for gas in GASES}
            for gas, track in self.tracks.items():
                self.version += track.update(t, self.flows(config, gas), exchange, settled.get(gas))
        self._record(t, config)
        return True

    def _redrive(self, t: float, config: Config, changed: Set[str]) -> None:
        """The flows of those gases alone that what has changed drives."""
        exchange = self.tracks["n2"].last.exchange
        driven: list[Gas] = [gas for gas in GASES if any(gas in DRIVEN[name] for name in changed)]
        for gas in driven:
            if not changed <= OF_PEOPLE:
                self._fixed[gas] = self._steady(config, gas)
            self.version += self.tracks[gas].update(t, self.flows(config, gas), exchange)

    def _record(self, t: float, config: Config) -> None:
        self._curves.clear()
        self._enclosures.clear()
        if self._starts[-1] == t:
            self._configs[-1] = config
            return
        self._starts.append(t)
        self._configs.append(config)

    def _refrozen(self, config: Config, t: float) -> tuple[Opening, ...]:
        scale = [(new / old) ** 0.5 for new, old in zip(config.temperatures, self.config.temperatures, strict=True)]
        return tuple(replace(o, conductance=o.conductance * scale[o.zone]) for o in config.openings)

    def equalize(self, leaf: int, t: float) -> tuple[int, float]:
        """Let air through until core and `leaf` stand at one pressure: which zone gave, and what share of its air."""
        masses: dict[Gas, list[float]] = {gas: list(self.tracks[gas].masses(t)) for gas in GASES}
        kelvin, group = self.config.temperatures, self.joined(self.config, CORE)
        room = sum(self.volumes[zone] / kelvin[zone] for zone in group)
        own, own_room = self._own_pressure(masses, leaf), self.volumes[leaf] / kelvin[leaf]
        self.regime += 1
        gave = self._even(masses, leaf, (self.pressure(CORE, t) * room + own * own_room) / (room + own_room))
        for gas, track in self.tracks.items():
            of = masses[gas]
            self.version += track.update(
                t, self.flows(self.config, gas), self.exchange(self.config), (of[0], of[1], of[2])
            )
        tanks = (self.tank(0, t), self.tank(1, t))
        self._record(t, self.config._replace(tanks=tanks))
        return gave

    def _own_pressure(self, masses: dict[Gas, list[float]], zone: int) -> float:
        """Pa of a zone's own gas, whatever it is joined to."""
        return sum(
            masses[g][zone] * pascal_per_kg(g, self.config.temperatures[zone], self.volumes[zone]) for g in GASES
        )

    def _even(self, masses: dict[Gas, list[float]], leaf: int, level: float) -> tuple[int, float]:
        """Move air between the core and `leaf` so that `leaf` stands at `level`: the giver, and its share moved."""
        gap = (level - self._own_pressure(masses, leaf)) * self.volumes[leaf] / self.config.temperatures[leaf]
        giver, taker = (CORE, leaf) if gap > 0.0 else (leaf, CORE)
        share = abs(gap) / sum(masses[g][giver] * pascal_per_kg(g, 1.0, 1.0) for g in GASES)
        for gas in GASES:
            moved = masses[gas][giver] * share
            masses[gas][giver] -= moved
            masses[gas][taker] += moved
        return giver, share

    def _settled(self, config: Config, t: float) -> dict[Gas, Triple]:
        """Masses after a hatch closed at `t`: bulk flow had kept one pressure on both sides until then."""
        closing = [leaf for leaf in (LAB, AIRLOCK) if self.config.hatches[leaf - 1] and not config.hatches[leaf - 1]]
        if not closing:
            return {}
        masses: dict[Gas, list[float]] = {gas: list(self.tracks[gas].masses(t)) for gas in GASES}
        level = self.pressure(CORE, t)
        for leaf in closing:
            self._even(masses, leaf, level)
        return {gas: (values[0], values[1], values[2]) for gas, values in masses.items()}

    def exchange(self, config: Config) -> tuple[tuple[int, int, float], ...]:
        """Air that moves between zones, (from, to, m3/s)."""
        flows: list[tuple[int, int, float]] = []
        lab = self.design.imv_m3_h * config.imv + self.design.portable_fan_m3_h * config.portable_fan
        for leaf, flow in ((LAB, lab), (AIRLOCK, self.design.hatch_m3_h)):
            if config.hatches[leaf - 1]:
                if flow > 0.0:
                    flows += [(CORE, leaf, flow / HOUR), (leaf, CORE, flow / HOUR)]
                flows += self._draught(config, leaf)
        return tuple(flows)

    def _draught(self, config: Config, leaf: int) -> list[tuple[int, int, float]]:
        """The one-way flow that keeps a leaking zone at the common pressure.

        While make-up in the core holds the pressure, the core feeds the whole leak; otherwise all joined zones lose
        pressure at one rate, and each leaf draws what its own volume does not give.
        """
        group = self.joined(config, leaf)
        loss = [sum(o.conductance for o in config.openings if o.zone == zone) for zone in range(len(ZONES))]
        held = config.makeup == "auto" and config.tanks[0] > 0.0
        rate = 0.0 if held else sum(loss[z] for z in group) / sum(self.volumes[z] for z in group)
        flow = loss[leaf] - self.volumes[leaf] * rate
        if flow == 0.0:
            return []
        return [(CORE, leaf, flow)] if flow > 0.0 else [(leaf, CORE, -flow)]

    def leaks(self, config: Config) -> tuple[Flow, ...]:
        """The flows that every gas has: what the hull and its openings let out."""
        openings = [Flow(f"{o.kind}_{ZONES[o.zone]}", o.zone, 0.0, o.conductance) for o in config.openings]
        return (*self._leaks, *openings)

    def flows(self, config: Config, gas: Gas) -> tuple[Flow, ...]:
        """Every named flow of one gas: what is fixed until the configuration changes, and what people make of it."""
        return (*self._fixed[gas], *self._breath(config, gas))

    def _steady(self, config: Config, gas: Gas) -> tuple[Flow, ...]:
        """The flows that do not come from people."""
        own = {"o2": self._oxygen, "co2": self._carbon_dioxide, "n2": self._nitrogen, "h2o": self._water}
        return (*self.leaks(config), *own[gas](config))

    def _breath(self, config: Config, gas: Gas) -> list[Flow]:
        """What people and their masks take from the air and give to it."""
        if gas == "o2":
            flows = [Flow("crew", zone, -rate, 0.0) for zone, rate in enumerate(config.crew_o2) if rate]
            return flows + [Flow("masks", zone, rate, 0.0) for zone, rate in enumerate(config.mask_o2) if rate]
        rates = {"co2": config.crew_co2, "h2o": config.crew_h2o}.get(gas, ())
        return [Flow("crew", zone, rate, 0.0) for zone, rate in enumerate(rates) if rate]

    def _oxygen(self, config: Config) -> list[Flow]:
        flows = [Flow("oga", CORE, config.oga, 0.0)]
        if config.o2_stuck:
            flows.append(Flow("stuck_valve", CORE, config.o2_stuck, 0.0))
        return flows + ([Flow("makeup", CORE, self._makeup(config), 0.0)] if config.o2_valve else [])

    def _nitrogen(self, config: Config) -> list[Flow]:
        flows = [Flow("dilution", CORE, config.n2_dilution, 0.0)] if config.n2_dilution else []
        return flows + ([Flow("makeup", CORE, self._makeup(config), 0.0)] if config.n2_valve else [])

    def _carbon_dioxide(self, config: Config) -> list[Flow]:
        flows: list[Flow] = []
        for name, bed in zip(("bed_a", "bed_b"), config.beds, strict=True):
            if bed.running and bed.capped:
                flows.append(Flow(name, CORE, -self.design.bed_capacity_kg_h / HOUR, 0.0))
            elif bed.running:
                flows.append(Flow(name, CORE, 0.0, bed.health * self.design.bed_flow_m3_h / HOUR))
        return flows + [Flow("lioh", can.zone, 0.0, self.design.lioh_flow_m3_h / HOUR) for can in config.cans]

    def _water(self, config: Config) -> list[Flow]:
        flows = [Flow("spilt", zone, rate, 0.0) for zone, rate in enumerate(config.spilt_h2o) if rate]
        if not config.coil_dry:
            floor = self._coil_pressure(config)
            flows.append(self._condensing(config, CORE, "condenser", floor, self.design.condenser_m3_h))
        for zone, wet in enumerate(config.walls_wet):
            if wet:
                floor = saturation_pressure(config.temperatures[zone])
                flows.append(self._condensing(config, zone, "walls", floor, self.design.wall_m3_h))
        return flows

    @property
    def coil_pressure(self) -> float:
        """Water vapour that the coil cannot take out, Pa."""
        return self._coil_pressure(self.config)

    def _coil_pressure(self, config: Config) -> float:
        celsius = self.design.coil_c if config.coil_c is None else config.coil_c
        return saturation_pressure(celsius + ZERO_C)

    def _condensing(self, config: Config, zone: int, name: str, floor: float, flow: float) -> Flow:
        density = floor / pascal_per_kg("h2o", config.temperatures[zone], 1.0)
        return Flow(name, zone, flow / HOUR * density, flow / HOUR)
