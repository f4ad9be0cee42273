"""The base as a thing that can be acted on: air, power, people, hardware. Its only clock is the one it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from mission.world.air_config import DRAWING, REFLEXES
from mission.world.atmosphere import ZONES, Atmosphere, BedState, Config, Opening, Triple
from mission.world.crew import MASK_O2, Activity, Rates, body_scale, person_rates
from mission.world.gases import Gas, pascal_per_kg, saturation_pressure
from mission.world.monitor import Monitor
from mission.world.parts import PARTS
from mission.world.power import DEFERRABLE, ESSENTIAL, LOADS, Power, oga_power
from mission.world.scenario import Scenario
from mission.world.spec import Block
from mission.world.units import DAY, KPA, KW, KWH, MMHG, ZERO_C
from mission.world.weather import Sky

PLACES = (*ZONES, "outside")
"""Where somebody can be; who is outside, in a suit or a rover, has no part in the base's air."""
OUTSIDE = PLACES.index("outside")
VENT_DIAMETER = 0.040
"""m: empties the lab to 7 % in the half hour that venting takes."""
PORTABLE_FAN = 60.0
"""W"""


class PersonState(NamedTuple):
    zone: int
    activity: Activity
    scale: float
    rates: Mapping[Activity, Rates]
    masked: bool = False
    suited: bool = False
    """In a suit inside the base: no part in its air either."""


@dataclass(frozen=True)
class Evidence:
    """A check that was completed: what counts as a cue."""

    t: float
    check: str
    place: str


@dataclass(frozen=True)
class Task:
    """Work under way; `number` keeps two of a kind apart."""

    number: int
    command: str
    parameters: Mapping[str, Any]
    started: float
    until: float

    @property
    def load(self) -> str:
        """Name of what it draws, among the loads."""
        return f"{self.command}_{self.number}"


def initial_masses(scenario: Scenario) -> dict[Gas, Triple]:
    """kg by gas and zone at the start; nitrogen fills up to the total pressure."""
    zones = (scenario.zones.core, scenario.zones.lab, scenario.zones.airlock)
    by_gas: dict[Gas, list[float]] = {"o2": [], "co2": [], "n2": [], "h2o": []}
    for zone, volume in zip(zones, scenario.design.volumes, strict=True):
        kelvin = zone.temperature_c + ZERO_C
        pressure: dict[Gas, float] = {
            "o2": zone.ppo2_kpa * KPA,
            "co2": zone.ppco2_mmhg * MMHG,
            "h2o": zone.humidity_percent / 100.0 * saturation_pressure(kelvin),
        }
        pressure["n2"] = zone.pressure_kpa * KPA - sum(pressure.values())
        if pressure["n2"] < 0.0:
            raise ValueError(f"scenario {scenario.id}: the other gases exceed the total pressure of a zone")
        for gas, masses in by_gas.items():
            masses.append(pressure[gas] / pascal_per_kg(gas, kelvin, volume))
    return {gas: (m[0], m[1], m[2]) for gas, m in by_gas.items()}


def initial_config(scenario: Scenario) -> Config:
    """How everything that drives the air stands at the start; nobody is in it yet."""
    zones, beds = scenario.zones, scenario.beds
    return Config(
        temperatures=(
            zones.core.temperature_c + ZERO_C,
            zones.lab.temperature_c + ZERO_C,
            zones.airlock.temperature_c + ZERO_C,
        ),
        beds=(BedState(beds["A"].running, beds["A"].health), BedState(beds["B"].running, beds["B"].health)),
        imv=scenario.imv_on,
        portable_fan=False,
        hatches=(scenario.core_lab_open, scenario.core_airlock_open),
        makeup=scenario.makeup,
        oga=scenario.oga_kg_per_day / DAY,
        crew=(0, 0, 0),
        crew_o2=(0.0, 0.0, 0.0),
        crew_co2=(0.0, 0.0, 0.0),
        crew_h2o=(0.0, 0.0, 0.0),
        tanks=(scenario.design.n2_kg, scenario.design.o2_kg),
    )


class Base:
    """Air, power, people and hardware, changed only through its methods, each at the time `now()`."""

    def __init__(self, scenario: Scenario, now: Callable[[], float], notify: Callable[[str], None]) -> None:
        self.scenario = scenario
        self.now = now
        self._notify = notify
        self._suppliers: list[Callable[[], Mapping[str, Any]]] = []
        self._followers: list[Callable[[], None]] = []
        self._load_followers: list[Callable[[], None]] = []
        self.events: list[dict[str, Any]] = []
        self.people = {
            person.id: PersonState(
                ZONES.index(person.zone),
                "nominal",
                body_scale(person.mass_kg),
                person_rates(person.mass_kg, scenario.metabolism),
            )
            for person in scenario.crew
        }
        config = initial_config(scenario)._replace(**self._crew())
        self.air = Atmosphere(scenario.design, config, initial_masses(scenario))
        self.monitor = Monitor(self.air, self.log)
        self.parts: dict[str, Block] = {}
        self.shed = list(scenario.power.shed)
        self.extra_loads: dict[str, float] = {}
        capacity = scenario.power.battery_kwh * KWH
        content = capacity * scenario.power.battery_percent / 100.0
        self.power = Power(scenario.power.fission_kw * KW, capacity, content, self.loads())
        self.seized = False
        self.cans_opened: list[float] = []
        self.exercise_suspended_until = 0.0
        self.inhibited_until: float | None = None
        self.evidence: list[Evidence] = []
        self.tasks: list[Task] = []
        self.planted: list[dict[str, Any]] = []
        site = scenario.site
        self.sky = Sky(
            site.latitude_deg, site.ls_deg, site.ltst_h, site.pressure_pa, site.tide_fraction, site.air_mean_c,
            site.air_range_k,
        )  # fmt: skip

        for part in PARTS:
            self.parts[part.name] = part.make(getattr(scenario, part.name), self)
        self.sync_power()

    def part(self, name: str) -> Any:
        """A part of the base by name, as its own type. Raises KeyError."""
        return self.parts[name]

    def changed(self, part: str) -> None:
        """A part's future has changed: it is watched afresh, and its loads are drawn."""
        self.watch(part)
        self.sync_power()

    def watch(self, part: str) -> None:
        """A part's future has changed, but not what it draws."""
        self._notify(part)

    def log(self, t: float, kind: str, **data: Any) -> None:
        self.events.append({"t": t, "kind": kind, **data})

    def change(self, t: float, **changes: Any) -> None:
        """Change what drives the air, settle accounts up to `t` first, and pass the news on."""
        if all(getattr(self.air.config, name) == value for name, value in changes.items()):
            return
        self.monitor.close(t)
        if self.air.change(t, **changes):
            self._notify("air")
            if not changes.keys().isdisjoint(DRAWING):
                self.sync_power()
            if not changes.keys() <= REFLEXES:
                for follower in self._followers:
                    follower()

    def follow_air(self, follower: Callable[[], None]) -> None:
        """Call `follower` after every change of the air but its own reflexes; it must not change the air."""
        self._followers.append(follower)

    def follow_loads(self, follower: Callable[[], None]) -> None:
        """Call `follower` after every change of the loads; it must not change the air."""
        self._load_followers.append(follower)

    def loads(self) -> dict[str, float]:
        """W of every load that runs now."""
        config = self.air.config
        loads = {name: LOADS[name] for name in ESSENTIAL}
        loads |= {name: LOADS[name] for name in DEFERRABLE if name not in self.shed}
        for name, bed in zip(("bed_a", "bed_b"), config.beds, strict=True):
            if bed.running:
                loads[name] = LOADS[name]
        if config.imv:
            loads["imv"] = LOADS["imv"]
        if config.portable_fan:
            loads["portable_fan"] = PORTABLE_FAN
        if config.oga > 0.0:
            loads["oga"] = oga_power(config.oga * DAY)
        for part in self.parts.values():
            loads |= part.loads()
        return loads | self.extra_loads

    def supply(self, supplier: Callable[[], Mapping[str, Any]]) -> None:
        """Ask `supplier` for its terms of the energy balance (fields of power.Terms) whenever that may have changed."""
        self._suppliers.append(supplier)

    def sync_power(self) -> None:
        terms = {name: value for supplier in self._suppliers for name, value in supplier().items()}
        if self.power.change(self.now(), self.loads(), **terms):
            self._notify("power")
            for follower in self._load_followers:
                follower()

    def set_extra_load(self, name: str, watts: float) -> None:
        """A load beside the list: work or a check under way; 0 ends it."""
        self.extra_loads.pop(name, None)
        if watts > 0.0:
            self.extra_loads[name] = watts
        self.sync_power()

    def set_person(self, person: str, **changes: Any) -> None:
        """Change where somebody is (`zone`) or what they do (`activity`)."""
        self.set_people({person: changes})

    def set_people(self, people: Mapping[str, Mapping[str, Any]]) -> None:
        """The same for several people at once: the air changes once."""
        for person, changes in people.items():
            self.people[person] = self.people[person]._replace(**changes)
        self.change(self.now(), **self._crew())
        for person in people:
            state = self.people[person]
            self.log(self.now(), "crew", person=person, zone=PLACES[state.zone], activity=state.activity)

    def set_mask(self, person: str, *, on: bool) -> None:
        """Somebody opens a mask, or takes it off."""
        self.people[person] = self.people[person]._replace(masked=on)
        self.change(self.now(), **self._crew())

    def set_suited(self, person: str, *, on: bool) -> None:
        """Somebody is in a suit inside the base, or out of it again."""
        self.people[person] = self.people[person]._replace(suited=on)
        self.change(self.now(), **self._crew())

    def lose_people(self, zone: int) -> None:
        """Nobody can breathe in a zone any more."""
        for person, state in self.people.items():
            if state.zone == zone and state.activity != "lost" and not (state.suited or state.masked):
                self.set_person(person, activity="lost")

    def _crew(self) -> dict[str, Any]:
        counts, breathing, masks = [0, 0, 0], [0, 0, 0], [0.0, 0.0, 0.0]
        rates = {"o2": [0.0] * 3, "co2": [0.0] * 3, "h2o": [0.0] * 3}
        for state in self.people.values():
            if state.zone == OUTSIDE or state.suited:
                continue
            counts[state.zone] += 1
            masks[state.zone] += MASK_O2 if state.masked else 0.0
            breathing[state.zone] += not state.masked and state.activity != "lost"
            for gas, by_zone in rates.items():
                by_zone[state.zone] += getattr(state.rates[state.activity], gas)
        fixed = {"crew": tuple(counts), "breathing": tuple(breathing), "mask_o2": tuple(masks)}
        return fixed | {f"crew_{gas}": tuple(by_zone) for gas, by_zone in rates.items()}

    def set_bed(self, unit: str, **changes: Any) -> None:
        beds = list(self.air.config.beds)
        index = "AB".index(unit)
        beds[index] = replace(beds[index], **changes)
        self.change(self.now(), beds=(beds[0], beds[1]))

    def bed(self, unit: str) -> BedState:
        return self.air.config.beds["AB".index(unit)]

    def set_hatch(self, hatch: str, *, opened: bool) -> None:
        hatches = list(self.air.config.hatches)
        hatches[("core-lab", "core-airlock").index(hatch)] = opened
        self.change(self.now(), hatches=(hatches[0], hatches[1]))

    def across(self, hatch: str) -> float:
        """Pa by which the core's pressure is above that of the zone behind a hatch."""
        zone = ("core-lab", "core-airlock").index(hatch) + 1
        return self.air.pressure(0, self.now()) - self.air.pressure(zone, self.now())

    def equalize(self, hatch: str) -> None:
        """Let air through the valve of a closed hatch until both sides stand alike; what is in it goes along."""
        t, zone = self.now(), ("core-lab", "core-airlock").index(hatch) + 1
        self.monitor.close(t)
        giver, share = self.air.equalize(zone, t)
        self.part("toxics").carry(giver, 0 if giver else zone, share)
        self._notify("air")
        for follower in self._followers:
            follower()

    def hatch_open(self, hatch: str) -> bool:
        return self.air.config.hatches[("core-lab", "core-airlock").index(hatch)]

    def set_makeup(self, mode: str) -> None:
        self.inhibited_until = None
        self.change(self.now(), makeup=mode, n2_valve=False, o2_valve=False)

    def set_temperature(self, zone: int, kelvin: float) -> None:
        temperatures = list(self.air.config.temperatures)
        temperatures[zone] = kelvin
        self.change(self.now(), temperatures=(temperatures[0], temperatures[1], temperatures[2]))

    def open_vent(self, zone: int) -> None:
        vent = self.air.opening(zone, "vent", VENT_DIAMETER, self.now())
        self.change(self.now(), openings=(*self.air.config.openings, vent))

    def remove_openings(self, zone: int, kind: str) -> list[Opening]:
        """Close every opening of one kind in a zone, and say which there were."""
        gone = [o for o in self.air.config.openings if o.zone == zone and o.kind == kind]
        self.change(self.now(), openings=tuple(o for o in self.air.config.openings if o not in gone))
        return gone

    def degrade_bed(self, unit: str, health: float) -> None:
        self.set_bed(unit, health=health, capped=False)

    def stop_fan(self, *, seized: bool) -> None:
        self.seized = seized
        self.change(self.now(), imv=False)

    def make_hole(self, zone: str, diameter_mm: float) -> None:
        hole = self.air.opening(ZONES.index(zone), "hole", diameter_mm / 1000.0, self.now())
        self.change(self.now(), openings=(*self.air.config.openings, hole))

    def freeze_sensor(self, channel: str, note: str) -> None:
        self.part("instruments").freeze(channel, note)
