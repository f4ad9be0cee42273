"""Discriminating checks: what the crew can find out at the cost of time and power. They measure; they do not judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from documents.words import hint, short
from mission import rules, sensors
from mission.world import acts, hands
from mission.world.atmosphere import AIRLOCK, CORE, LAB, ZONES
from mission.world.base import Evidence
from mission.world.gases import GASES, pascal_per_kg
from mission.world.gates import HATCH_OF, locked
from mission.world.parts import PARTS
from mission.world.spec import CheckRefusedError, CheckSpec, Numbers
from mission.world.telemetry import FAN_CURRENT, FAN_SPEED
from mission.world.units import DAY, HOUR, KPA, KWH, MINUTE, MMHG

if TYPE_CHECKING:
    from mission.world.engine import World

TREND_TEMPERATURE = 295.0
"""K at which pN2/T is stated as a pressure."""
HANDHELD_NOISE = 0.05
HANDHELD_BIAS = 0.1
"""mmHg: the hand-held meter, calibrated before use."""
DIFFERENCE_NOISE = 0.01
"""mmHg: one gauge read twice and averaged, so that its bias cancels."""
SECOND_GAUGE_BIAS = 0.05
"""kPa"""
BALANCE_NOISE = 0.01
"""Relative: an hour's mean of inlet and outlet."""


class CheckResult(BaseModel):
    """What a check measured, what it measures on a healthy base, and what it cost. It holds no verdict."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    check: str
    parameters: dict[str, str]
    measured: dict[str, float]
    nominal: dict[str, float]
    units: dict[str, str]
    duration_s: float
    energy_kwh: float
    started_s: float


def perform(world: World, name: str, parameters: Mapping[str, str]) -> CheckResult:
    """Do a check now. Raises ValueError for an unknown one and CheckRefusedError for one that cannot be done."""
    spec, choice = _parse(name, parameters)
    started, duration = world.now, spec.minutes[choice] * MINUTE
    base = world.base
    if name in hands.BY_HAND and not hands.able(base):
        raise CheckRefusedError("nobody can make it: all are outside, in the shelter or lost")
    numbers = spec.run(world, choice, duration)
    result = CheckResult(
        check=name,
        parameters=dict(parameters),
        measured={key: round(value, 6) for key, value in numbers.measured.items()},
        nominal={key: round(value, 6) for key, value in numbers.nominal.items()},
        units=numbers.units,
        duration_s=duration,
        energy_kwh=spec.watts * duration / KWH,
        started_s=started,
    )
    base.evidence.append(Evidence(world.now, name, choice))
    base.log(world.now, "check", **result.model_dump())
    return result


def _parse(name: str, parameters: Mapping[str, str]) -> tuple[CheckSpec, str]:
    if name not in CHECKS:
        raise ValueError(f"no check {short(name)}; {hint(name, CHECKS, cutoff=0.4)}")
    spec = CHECKS[name]
    if set(parameters) != ({spec.parameter} if spec.parameter else set()):
        raise ValueError(
            f"{name} takes {spec.parameter or 'no parameters'}; got {', '.join(map(short, parameters)) or 'none'}"
        )
    choice = parameters[spec.parameter] if spec.parameter else ""
    if choice not in spec.minutes:
        raise ValueError(f"{name}: {spec.parameter} must be one of {', '.join(spec.choices)}; not {short(choice)}")
    return spec, choice


def _wait(world: World, name: str, duration: float) -> None:
    """Let the check's time pass with its load on the bus."""
    world.base.set_extra_load(f"check_{name}", CHECKS[name].watts)
    world.advance(world.now + duration)
    world.base.set_extra_load(f"check_{name}", 0.0)


def _noise(world: World, *identity: object) -> float:
    return sensors.gauss(world.seed, "check", *identity, world.now)


def _reachable(world: World, zone: int) -> None:
    if zone != CORE and not world.base.hatch_open(HATCH_OF[zone]) and not world.base.air.config.crew[zone]:
        raise CheckRefusedError(f"nobody can get to the {ZONES[zone]}: its hatch is closed")


def _handheld(world: World, choice: str, duration: float) -> Numbers:
    zone = ZONES.index(choice)
    _reachable(world, zone)
    _wait(world, "handheld_co2", duration)
    true = world.base.air.partial_pressure("co2", zone, world.now) / MMHG
    bias = sensors.offset(HANDHELD_BIAS, world.seed, "handheld_co2")
    value = max(0.0, true + bias + HANDHELD_NOISE * _noise(world, "handheld_co2", choice))
    return Numbers({"ppco2": value}, {"ppco2": 2.65}, {"ppco2": "mmHg"})


def _balance(world: World, unit: str, duration: float) -> Numbers:
    base, name = world.base, f"bed_{unit.lower()}"
    if not base.bed(unit).running:
        raise CheckRefusedError(f"unit {unit} does not run: there is nothing to balance")
    track, start = base.air.tracks["co2"], world.now
    removed, dose = track.ledger(start).get(name, 0.0), track.dose(start)[CORE]
    _wait(world, "bed_balance", duration)
    rate = (removed - track.ledger(world.now).get(name, 0.0)) / duration
    mean = (track.dose(world.now)[CORE] - dose) / duration
    rate *= 1.0 + BALANCE_NOISE * _noise(world, "bed_balance", unit)
    nominal = base.scenario.design.bed_flow_m3_h / HOUR
    factor = pascal_per_kg("co2", base.air.config.temperatures[CORE], 1.0) / MMHG
    return Numbers(
        {"removal": rate * HOUR, "effective_flow": rate / mean * HOUR, "mean_inlet_ppco2": mean * factor},
        {"removal": nominal * mean * HOUR, "effective_flow": nominal * HOUR},
        {"removal": "kg/h", "effective_flow": "m3/h", "mean_inlet_ppco2": "mmHg"},
    )


def _fan(world: World, choice: str, duration: float) -> Numbers:
    _wait(world, "fan_check", duration)
    turning = float(world.base.air.config.imv)
    measured = {
        "current": turning * FAN_CURRENT + 0.01 * _noise(world, "fan_current"),
        "speed": turning * FAN_SPEED + 2.0 * _noise(world, "fan_speed"),
    }
    measured = {key: max(0.0, value) for key, value in measured.items()}
    return Numbers(measured, {"current": FAN_CURRENT, "speed": FAN_SPEED}, {"current": "A", "speed": "rpm"})


def _inhibit(world: World, duration: float) -> bool:
    """Close the make-up valves for a test; True if they are to open again after it."""
    base = world.base
    if base.air.config.makeup == "inhibited":
        left = (base.inhibited_until or world.now) - world.now
        if left < duration:
            raise CheckRefusedError(
                f"FR-06 leaves {left / MINUTE:.1f} min of inhibited make-up and the test takes {duration / MINUTE:g}; "
                "set make-up to auto first"
            )
        return False
    if base.air.config.makeup == "off":
        return False
    acts.BEGIN["set_makeup"](base, {"mode": "inhibited"})
    world.resume_makeup_later()
    return True


def _nitrogen(world: World) -> tuple[float, float]:
    """pN2/T of lab and core as mmHg at 295 K: it depends on the mass alone."""
    masses = world.base.air.tracks["n2"].masses(world.now)
    volumes = world.base.air.volumes
    lab, core = (masses[z] * pascal_per_kg("n2", TREND_TEMPERATURE, volumes[z]) / MMHG for z in (LAB, CORE))
    return lab, core


def _trend(world: World, choice: str, duration: float) -> Numbers:
    again = _inhibit(world, duration)
    before, design = _nitrogen(world), world.base.scenario.design
    _wait(world, "pn2_trend", duration)
    if again and world.base.air.config.makeup == "inhibited":
        world.base.set_makeup("auto")
    change = [
        after - start + DIFFERENCE_NOISE * _noise(world, "pn2_trend", zone)
        for zone, start, after in zip(("lab", "core"), before, _nitrogen(world), strict=True)
    ]
    lab, core = design.lab_m3, design.core_m3
    mean = (change[0] * lab + change[1] * core) / (lab + core)
    nominal = -design.design_leak_per_day * duration / DAY * before[1]
    names = ("lab_change", "core_change", "mean_change")
    return Numbers(
        dict(zip(names, (*change, mean), strict=True)),
        dict.fromkeys(names, nominal),
        dict.fromkeys(names, "mmHg at 295 K"),
    )


def _tight_change(world: World, zone: int, duration: float) -> float:
    """Pa by which the closed zone's pressure moves without a hole: generator, beds, coil, design leak."""
    air, change = world.base.air, 0.0
    for gas in GASES:
        density = air.concentration(gas, zone, world.now)
        for flow in air.tracks[gas].last.flows:
            if flow.zone == zone and not flow.name.startswith("hole"):
                rate = flow.constant - flow.conductance * density
                change += rate * pascal_per_kg(gas, air.config.temperatures[zone], air.volumes[zone])
    return change * duration


def _dwell(world: World, choice: str, duration: float) -> Numbers:
    zone, base = ZONES.index(choice), world.base
    inside = [person for person, state in base.people.items() if state.zone == zone]
    if inside:
        raise CheckRefusedError(f"{', '.join(inside)} in the {choice}: move them before its hatch is closed (FR-22)")
    hatch = HATCH_OF[AIRLOCK if zone == AIRLOCK else LAB]
    again, was_open = _inhibit(world, duration), base.hatch_open(hatch)
    base.set_hatch(hatch, opened=False)
    nominal, before = _tight_change(world, zone, duration), base.air.pressure(zone, world.now)
    _wait(world, "hatch_dwell", duration)
    change = base.air.pressure(zone, world.now) - before
    if was_open and locked(base, hatch) is None:
        base.set_hatch(hatch, opened=True)
    elif was_open:
        base.log(world.now, "hatch", hatch=hatch, why="held shut by the pressure across it", rule="FR-07")
    if again and base.air.config.makeup == "inhibited":
        base.set_makeup("auto")
    value = change / MMHG + DIFFERENCE_NOISE * _noise(world, "hatch_dwell", choice)
    name = "pressure_change"
    return Numbers({name: value}, {name: nominal / MMHG}, {name: "mmHg"})


def _gauge(world: World, choice: str, duration: float) -> Numbers:
    zone = ZONES.index(choice)
    _reachable(world, zone)
    _wait(world, "gauge_crosscheck", duration)
    true = world.base.air.pressure(zone, world.now) / KPA
    bias = sensors.offset(SECOND_GAUGE_BIAS, world.seed, "second gauge", choice)
    second = true + bias + 0.01 * _noise(world, "gauge_crosscheck", choice)
    first = world.read(f"{choice}.pressure").value
    low, high = world.base.scenario.design.pressure_band_kpa
    return Numbers(
        {"second_gauge": second, "first_gauge": 0.0 if first is None else first},
        {"second_gauge": 0.5 * (low + high), "first_gauge": 0.5 * (low + high)},
        {"second_gauge": "kPa", "first_gauge": "kPa"},
    )


_DWELL = {zone: rules.number("FR-07", f"dwell_{zone}") for zone in ("airlock", "lab", "core")}
_SPECS = (
    CheckSpec(
        "handheld_co2", "ppCO2 of a zone by the hand-held meter, independent of the base's analyser.",
        "zone", ZONES, dict.fromkeys(ZONES, 5.0), 20.0, _handheld,
    ),
    CheckSpec(
        "bed_balance", "CO2 that a unit removes, from inlet and outlet over an hour, against 41 m3/h of clean air.",
        "unit", ("A", "B"), dict.fromkeys(("A", "B"), 60.0), 100.0, _balance,
    ),
    CheckSpec("fan_check", "Current and speed of the inter-module fan at its motor.", None, (), {"": 2.0}, 50.0, _fan),
    CheckSpec(
        "pn2_trend", "Change of pN2/T in lab and core over 30 min with make-up inhibited (FR-06).",
        None, (), {"": rules.number("FR-06", "inhibit")}, 100.0, _trend,
    ),
    CheckSpec(
        "hatch_dwell", "Pressure change of one zone while its hatch is closed and nobody is inside (FR-07).",
        "zone", tuple(_DWELL), _DWELL, 50.0, _dwell,
    ),
    CheckSpec(
        "gauge_crosscheck", "Total pressure of a zone by a second gauge.",
        "zone", ZONES, dict.fromkeys(ZONES, 1.0), 20.0, _gauge,
    ),
)  # fmt: skip
CHECKS: Mapping[str, CheckSpec] = {
    spec.name: spec for spec in (*_SPECS, *(spec for part in PARTS for spec in part.checks))
}
