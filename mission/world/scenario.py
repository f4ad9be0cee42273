"""The scenario contract: how a world starts, and its YAML loader. Units are in the field names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationError, field_validator, model_validator

from documents.explain import explain
from documents.reader import load
from mission import incidents
from mission.world.array import SolarSection
from mission.world.battery import BatterySection
from mission.world.comms import CommsSection
from mission.world.crew import Metabolism
from mission.world.eva_section import EvaSection
from mission.world.fission import FissionSection
from mission.world.gases import saturation_pressure
from mission.world.indoor_suits import IndoorSuitsSection
from mission.world.instruments import InstrumentsSection
from mission.world.objective import LONGEST_H, Objective, Trial
from mission.world.oxygen import OxygenSection
from mission.world.power import DEFERRABLE
from mission.world.radiation import RadiationSection
from mission.world.record import Built, Fraction, Positive, Record
from mission.world.rover_section import RoverSection
from mission.world.thermal_section import ThermalSection
from mission.world.toxics_section import ToxicsSection
from mission.world.units import KPA, MMHG, ZERO_C
from mission.world.weather_part import WeatherSection

ZoneName = Literal["core", "lab", "airlock"]


NARROWEST = 0.005
"""kPa: a valve that kept to less would do nothing else."""


def _is_band(band: tuple[float, float]) -> tuple[float, float]:
    low, high = band
    if high - low < NARROWEST:
        raise ValueError(
            f"give the lower and the upper end, at least {NARROWEST:g} kPa apart, not {low:g} and {high:g}"
        )
    return band


Pressure = Annotated[float, Field(ge=0.1, le=200)]
"""kPa"""
Band = Annotated[tuple[Pressure, Pressure], AfterValidator(_is_band)]


class Design(Built):
    """The base as built: design study 0.1 and 1.3; values without a source there are ours."""

    core_m3: Positive = 200.0
    lab_m3: Positive = 100.0
    airlock_m3: Positive = 15.0
    bed_flow_m3_h: Positive = 41.0
    """Clean air of one healthy CO2 unit: 4.71 kg/d at 2 torr (ICES-2021-71)."""
    bed_air_m3_h: Positive = 44.2
    """Air through one unit: 26 scfm (ICES-2021-71)."""
    bed_capacity_kg_h: Positive = 0.6
    """Most CO2 that one unit's sorbent takes up, however rich the air: about three times the rated rate."""
    imv_m3_h: Positive = 238.0
    portable_fan_m3_h: Positive = 60.0
    hatch_m3_h: Positive = 1000.0
    """Exchange through an open airlock hatch."""
    condenser_m3_h: Positive = 273.0
    """Air over the coil; holds six people awake at 40 % relative humidity in the core."""
    coil_c: float = Field(default=4.4, ge=-20, le=40)
    wall_m3_h: Positive = 1000.0
    """Air that deposits water on cold walls once a zone is saturated."""
    makeup_max_kg_h: Positive = 5.4
    """Of both gases together: ISS pressure control, 0.09 kg/min."""
    pressure_band_kpa: Band = (70.28, 70.32)
    ppo2_band_kpa: Band = (19.29, 19.31)
    """Narrow bands: a valve opens often and briefly, so that the flow meter's hourly mean says what is lost."""
    n2_kg: float = Field(default=80.0, ge=0)
    o2_kg: float = Field(default=60.0, ge=0)
    lioh_cans: int = Field(default=24, ge=0)
    lioh_can_kg: Positive = 1.92
    lioh_flow_m3_h: Positive = 60.0
    """Clean air of one can: 120 lb/h of air (shuttle flight rules) take up 45 m3/h at sea level, 66 at 70.3 kPa."""
    design_leak_per_day: float = Field(default=0.0005, ge=0)

    @property
    def volumes(self) -> tuple[float, float, float]:
        return self.core_m3, self.lab_m3, self.airlock_m3


class ZoneStart(Record):
    """The air of one zone at the start; nitrogen fills up to the total pressure."""

    pressure_kpa: float = Field(default=70.3, ge=1e-6, le=200)
    ppo2_kpa: Positive = 19.3
    ppco2_mmhg: float = Field(default=2.65, ge=0)
    humidity_percent: float = Field(default=40.0, ge=0, le=100)
    temperature_c: float = Field(default=21.85, gt=-40, lt=60)

    @model_validator(mode="after")
    def _room_for_nitrogen(self) -> Self:
        vapour = self.humidity_percent / 100.0 * saturation_pressure(self.temperature_c + ZERO_C)
        others = self.ppo2_kpa * KPA + self.ppco2_mmhg * MMHG + vapour
        if others > self.pressure_kpa * KPA:
            raise ValueError(
                f"oxygen, CO2 and water come to {others / KPA:.1f} kPa, more than {self.pressure_kpa:g} in all"
            )
        return self


class Zones(Record):
    core: ZoneStart = ZoneStart()
    lab: ZoneStart = ZoneStart()
    airlock: ZoneStart = ZoneStart()


class Person(Record):
    id: str = Field(pattern=r"^[A-Za-z0-9-]+$")
    zone: Literal["core", "lab"] = "core"
    mass_kg: float = Field(default=82.0, ge=30, le=200)
    exercise_h: tuple[Annotated[float, Field(ge=0, le=22.5)], ...] = ()
    """Hours of the day at which a half hour of exercise starts; an hour of recovery follows within the day."""


class Sleep(Record):
    start_h: float = Field(default=16.0, ge=0, lt=24)
    length_h: float = Field(default=8.0, ge=0, le=24)
    """0: nobody sleeps, and without exercise everybody's rates are the same all day."""

    @model_validator(mode="after")
    def _inside_the_day(self) -> Self:
        if self.start_h + self.length_h > 24.0:
            raise ValueError("sleep must end within the day it starts in")
        return self


class Bed(Record):
    running: bool
    health: Fraction = 1.0


class PowerStart(Record):
    fission_kw: float = Field(default=10.0, ge=0, le=1000)
    battery_kwh: float = Field(default=120.0, ge=1, le=10_000)
    battery_percent: float = Field(default=80.0, ge=20, le=100)
    shed: tuple[str, ...] = ("plant_lamps", "suit_recharge", "rover_charge", "isru")

    @field_validator("shed")
    @classmethod
    def _deferrable(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in value if name not in DEFERRABLE]
        if unknown:
            raise ValueError(f"no deferrable load {', '.join(unknown)}; there are {', '.join(DEFERRABLE)}")
        return value


class Site(Record):
    """The clear season outside, as given conditions: design study 1.7 and 2.6."""

    latitude_deg: float = Field(default=-2.0, gt=-90, lt=90)
    ls_deg: float = Field(default=186.0, ge=0, lt=360)
    ltst_h: float = Field(default=7.0, ge=0, lt=24)
    tau: float = Field(default=0.5, ge=0.01, le=20)
    wind_m_s: float = Field(default=4.5, ge=0, le=100)
    pressure_pa: float = Field(default=640.0, ge=50, le=2000)
    """Mean of the year."""
    tide_fraction: Fraction = 0.02
    air_mean_c: float = Field(default=-55.0, ge=-140, le=40)
    air_range_k: float = Field(default=70.0, ge=0, le=200)


class TemperatureChange(Record):
    """A zone's air temperature as given: it steps to `temperature_c` at `at_h`."""

    zone: ZoneName
    at_h: float = Field(ge=0, le=LONGEST_H)
    temperature_c: float = Field(gt=-40, lt=60)


class Planted(Record):
    """One incident of the scenario."""

    incident: str
    onset_h: float = Field(ge=0, le=LONGEST_H)
    parameters: dict[str, Any] = {}

    @model_validator(mode="after")
    def _known(self) -> Self:
        contract = incidents.find(self.incident).parameters
        try:
            contract.model_validate(self.parameters)
        except ValidationError as error:
            raise ValueError(f"parameters.{explain(error, contract, most=1)}") from None
        return self


class Scenario(Record):
    """How a world starts: conditions, crew, planted incidents. The seed is given when the world is made."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    title: str
    description: str = ""
    horizon_h: float = Field(default=24.0, ge=1e-6, le=LONGEST_H)
    design: Design = Design()
    zones: Zones = Zones()
    site: Site = Site()
    crew: tuple[Person, ...] = Field(min_length=1, max_length=8)
    sleep: Sleep = Sleep()
    metabolism: Metabolism = "bvad15"
    beds: dict[Literal["A", "B"], Bed] = {"A": Bed(running=True), "B": Bed(running=False)}
    imv_on: bool = True
    core_lab_open: bool = True
    core_airlock_open: bool = False
    makeup: Literal["auto", "off"] = "auto"
    oga_kg_per_day: float = Field(default=4.92, ge=0, le=9.2)
    power: PowerStart = PowerStart()
    temperature_changes: tuple[TemperatureChange, ...] = ()
    incidents: tuple[Planted, ...] = ()
    instruments: InstrumentsSection = InstrumentsSection()
    thermal: ThermalSection = ThermalSection()
    toxics: ToxicsSection = ToxicsSection()
    oxygen: OxygenSection = OxygenSection()
    radiation: RadiationSection = RadiationSection()
    weather: WeatherSection = WeatherSection()
    solar: SolarSection = SolarSection()
    fission: FissionSection = FissionSection()
    battery: BatterySection = BatterySection()
    comms: CommsSection = CommsSection()
    eva: EvaSection = EvaSection()
    rover: RoverSection = RoverSection()
    indoor_suits: IndoorSuitsSection = IndoorSuitsSection()
    objectives: tuple[Objective, ...] = ()
    trial: Trial = Trial()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [person.id for person in self.crew]
        if len(set(names)) != len(names):
            raise ValueError("two crew members have the same id")
        asked = [objective.id for objective in self.objectives]
        if len(set(asked)) != len(asked):
            raise ValueError("two objectives have the same id")
        if set(self.beds) != {"A", "B"}:
            raise ValueError("beds must give both A and B")
        away = [
            *(self.eva.outside.people if self.eva.outside else ()),
            *(p for r in self.rover.rovers for p in r.people),
        ]
        for person in away:
            if person not in names:
                raise ValueError(f"{person!r} is outside and not in the crew; there are {', '.join(names)}")
            if away.count(person) > 1:
                raise ValueError(f"{person!r} is outside in two places")
        return self


def load_scenario(path: Path) -> Scenario:
    """Read a scenario file. Raises ValueError with the file, the line, the field and what is wrong, in one line."""
    scenario = load(path, Scenario)
    if scenario.id != path.stem:
        raise ValueError(f"{path}: id is {scenario.id!r}; it must be the file's name, {path.stem!r}")
    return scenario
