"""The solar array: what light, dust and its strings make of the sun; stowed unless a scenario sets it up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import Field

from mission.channel import POWER, Channel, gauss, uniform
from mission.world import solar, weather
from mission.world.knots import KNOT, PER_DAY, Curve
from mission.world.lookout import Watch
from mission.world.record import Fraction, Record
from mission.world.spec import CheckRefusedError, CheckSpec, Numbers, Part
from mission.world.storm import Outside
from mission.world.units import DAY, KW, KWH, MINUTE
from mission.world.weather import SOL

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

STRINGS = 6
CLEANING_GAINS = (1.05, 1.30)
"""What a gust leaves of the light lost to dust: 5 to 30 % more power (design study 1.5)."""
STRIDE = 8
"""Knots between two looks at the dust."""
COMPARE_MINUTES, COMPARE_WATTS, COMPARE_NOISE = 10.0, 30.0, 0.01
CAMERA_MINUTES, CAMERA_WATTS = 15.0, 20.0


class SolarSection(Record):
    area_m2: float = Field(default=0.0, ge=0, le=2000)
    """0 is stowed; the reference base has 300."""
    efficiency: Fraction = 0.22
    dust: Fraction = 0.1
    """Share of the light that dust on the array takes at the start."""
    dust_per_sol: float = Field(default=0.002, ge=0, le=0.02)
    """0.2 % a sol is usual, 0.05 to 2 % the range (Lorenz 2021)."""
    storm_dust: float = Field(default=3.0, ge=1, le=4)
    """How many times faster dust settles just after a storm's peak."""
    cleanings_per_sol: Fraction = 0.0
    """Chance of a gust that cleans the array, at noon of a sol; 1/60 is usual."""
    albedo: float | None = Field(default=None, ge=0.1, le=0.4)
    """Of the ground; by the rule for storms if not given."""
    rover_correction: bool = False
    """Also lose what the MER rovers lost in dust, exp(-0.08 (tau - 0.6))."""
    strings: tuple[Fraction, ...] = Field(default=(1.0,) * STRINGS, min_length=STRINGS, max_length=STRINGS)
    """Health of each string, a sixth of the array."""


@dataclass(frozen=True)
class Light:
    """The array under the weather that is known of: everything its power depends on."""

    section: SolarSection
    outside: Outside
    gain: float = 1.0
    """What brushing has brought."""
    _shares: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]], repr=False)

    def clear_share(self, t: float) -> float:
        """Share of the light that gets through the dust on the array."""
        sol = math.floor(t / SOL - 0.5)
        while len(self._shares) <= sol + 1:
            self._settle()
        start, share = self._shares[sol + 1]
        return min(1.0, self.gain * share * self.kept(start, t))

    def _settle(self) -> None:
        """One more noon: the share after it, with its cleaning if there is one."""
        if not self._shares:
            self._shares.append((0.0, 1.0 - self.section.dust))
            return
        (start, share), index = self._shares[-1], len(self._shares) - 1
        noon, seed = (index + 0.5) * SOL, self.outside.season.seed
        share *= self.kept(start, noon)
        if uniform(seed, "array", "cleaning", index) < self.section.cleanings_per_sol:
            low, high = CLEANING_GAINS
            share = min(1.0, share * (low + (high - low) * uniform(seed, "array", "gain", index)))
        self._shares.append((noon, share))

    def kept(self, a: float, b: float) -> float:
        """What the dust that settles between two times leaves of a surface that was clean before it."""
        extra = sum(storm.fallout(b) - storm.fallout(a) for storm in self.outside.storms)
        return math.exp(-self.section.dust_per_sol * ((b - a) / SOL + (self.section.storm_dust - 1.0) * extra))

    def string_power(self, t: float, ls: float, ltst: float, tau: float) -> float:
        """W of one healthy string under an optical depth."""
        cosine = solar.zenith_cosine(self.outside.sky.latitude, ls, ltst)
        return self._string(cosine, ls, tau) * self.clear_share(t)

    def _string(self, cosine: float, ls: float, tau: float) -> float:
        """W of one healthy, clean string, by the cosine of the sun's zenith angle."""
        light = solar.irradiance(cosine, ls, tau, self.section.albedo)
        if self.section.rover_correction:
            light *= solar.rover_correction(tau)
        return light * self.section.area_m2 / STRINGS * self.section.efficiency

    def knots(self, day: int) -> list[float]:
        """W of the array at the knots of a day. Within it Ls and local time run straight; dust is seen every 20 min."""
        start, sky = day * DAY, self.outside.sky
        ls = [weather.solar_longitude(sky.ls, t) for t in (start, start + DAY)]
        ls_step = (ls[1] - ls[0]) % 360.0 / PER_DAY
        hour = weather.local_time(sky, start)
        step = ((weather.local_time(sky, start + DAY) - hour + 12.0) % 24.0 + 12.0) / PER_DAY
        dust = [self._dust(start + index * STRIDE * KNOT) for index in range(PER_DAY // STRIDE + 2)]
        powers: list[float] = []
        for cell in range(PER_DAY + 1):
            longitude = ls[0] + ls_step * cell
            cosine = solar.zenith_cosine(sky.latitude, longitude, hour + step * cell)
            if cosine <= 0.0:
                powers.append(0.0)
                continue
            index, share = cell // STRIDE, cell % STRIDE / STRIDE
            (tau, kept), (tau_after, kept_after) = dust[index], dust[index + 1]
            clean = self._string(cosine, longitude, tau + (tau_after - tau) * share)
            powers.append(clean * (kept + (kept_after - kept) * share))
        return powers

    def _dust(self, t: float) -> tuple[float, float]:
        """Optical depth, and how many clean strings the array is worth."""
        return self.outside.tau(t), self.clear_share(t) * sum(self.section.strings)


class Array:
    """The array of one base; a new storm gives it a new curve from then on."""

    def __init__(self, section: SolarSection, base: Base) -> None:
        self.section = section
        self._base = base
        self.gain = 1.0
        self.light = Light(section, base.part("weather").outside)
        self._curve = self._new_curve()
        base.supply(self._terms)

    def refresh(self) -> None:
        """The weather has changed."""
        self.light = Light(self.section, self._base.part("weather").outside, self.gain)
        self._curve = self._new_curve()
        self._base.changed("solar")

    def brush(self, m2: float) -> None:
        """Somebody has taken the dust off so much of it."""
        clean = self.light.clear_share(self._base.now())
        if self.section.area_m2 > 0.0:
            self.gain *= brushed(clean, m2 / self.section.area_m2) / clean
            self.refresh()

    def _new_curve(self) -> Curve | None:
        return Curve(self.light.knots) if self.section.area_m2 > 0.0 else None

    def _terms(self) -> Mapping[str, Any]:
        return {"solar": self._curve}

    def watches(self) -> Sequence[Watch]:
        return ()

    def loads(self) -> Mapping[str, float]:
        return {}

    def state(self, t: float) -> dict[str, Any]:
        return {
            "power_kw": array_power(self._base, t),
            "energy_last_sol_kwh": last_sol(self._base, t),
            "clear_share": self.light.clear_share(t),
            "strings": list(self.section.strings),
            "beyond_tables": self.section.area_m2 > 0.0 and solar.extrapolated(self.light.outside.tau(t)),
        }


def brushed(clean: float, share: float) -> float:
    """How clean a surface is once a share of it has been brushed; the brush takes nine tenths of the dust (ours)."""
    return 1.0 - (1.0 - clean) * (1.0 - 0.9 * min(1.0, share))


def array_power(base: Base, t: float) -> float:
    """kW"""
    return base.power.segment(t).solar(t) / KW


def last_sol(base: Base, t: float) -> float:
    """kWh in the sol before `t`, or since the start."""
    return (base.power.ledger(t).solar - base.power.ledger(max(0.0, t - SOL)).solar) / KWH


def _lit(base: Base) -> Array:
    array: Array = base.part("solar")
    if array.section.area_m2 == 0.0:
        raise CheckRefusedError("the array is stowed")
    return array


def _sun(base: Base, t: float) -> tuple[float, float]:
    """Ls and local true solar time."""
    return weather.solar_longitude(base.sky.ls, t), weather.local_time(base.sky, t)


def _compare(world: World, choice: str, duration: float) -> Numbers:
    base, array = world.base, _lit(world.base)
    if array_power(base, world.now) == 0.0:
        raise CheckRefusedError("there is no light on the array to compare its strings by")
    _pass(world, "string_compare", COMPARE_WATTS, duration)
    t, outside = world.now, array.light.outside
    ls, ltst = _sun(base, t)
    each = array.light.string_power(t, ls, ltst, outside.tau(t)) / KW
    clear = array.light.string_power(t, ls, ltst, outside.clear_tau(t))
    names = [f"string_{number}" for number in range(1, STRINGS + 1)]
    noise = [1.0 + COMPARE_NOISE * gauss(world.seed, "check", "string_compare", name, t) for name in names]
    measured = {name: h * each * n for name, h, n in zip(names, array.section.strings, noise, strict=True)}
    return Numbers(measured, dict.fromkeys(names, clear / KW), dict.fromkeys(names, "kW"))


def _camera(world: World, choice: str, duration: float) -> Numbers:
    base = world.base
    if solar.zenith_cosine(base.sky.latitude, *_sun(base, world.now + duration)) <= 0.05:
        raise CheckRefusedError("the sun is too low for the albedo camera")
    _pass(world, "albedo_camera", CAMERA_WATTS, duration)
    t, outside = world.now, base.part("weather").outside
    ls, ltst = _sun(base, t)
    zenith = math.degrees(math.acos(solar.zenith_cosine(base.sky.latitude, ls, ltst)))
    noise = [gauss(world.seed, "check", "albedo_camera", what, t) for what in ("beam", "contrast")]
    calm = Outside(outside.sky, outside.season)
    return Numbers(
        {
            "beam_share": max(0.0, 100.0 * solar.beam_share(zenith, outside.tau(t)) + 0.5 * noise[0]),
            "visibility": max(0.0, outside.visibility(t) * (1.0 + 0.05 * noise[1])),
        },
        {
            "beam_share": 100.0 * solar.beam_share(zenith, outside.clear_tau(t)),
            "visibility": calm.visibility(t),
        },
        {"beam_share": "%", "visibility": "km"},
    )


def _pass(world: World, check: str, watts: float, duration: float) -> None:
    """Let a check's time pass with its load on the bus."""
    world.base.set_extra_load(f"check_{check}", watts)
    world.advance(world.now + duration)
    world.base.set_extra_load(f"check_{check}", 0.0)


PART = Part(
    name="solar",
    section=SolarSection,
    make=Array,
    channels=(
        Channel(
            name="solar.power", unit="kW", description="power of the solar array", groups=("power", "solar", POWER),
            period_s=60.0, noise=0.02, bias=0.05, resolution=0.01, low=0.0,
        ),
        Channel(
            name="solar.energy_sol", unit="kWh", description="energy of the solar array in the last sol",
            groups=("power", "solar", POWER), period_s=5 * MINUTE, noise=0.2, resolution=0.1, low=0.0,
        ),
    ),
    truths={"solar.power": array_power, "solar.energy_sol": last_sol},
    checks=(
        CheckSpec(
            "string_compare", "Power of each string of the array, and of a healthy one as dusty under a clear sky.",
            None, (), {"": COMPARE_MINUTES}, COMPARE_WATTS, _compare,
        ),
        CheckSpec(
            "albedo_camera", "Share of direct light and sight along the horizon, by the albedo camera; needs the sun.",
            None, (), {"": CAMERA_MINUTES}, CAMERA_WATTS, _camera,
        ),
    ),
)  # fmt: skip
