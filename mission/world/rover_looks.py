"""What a rover shows: its channels, and what its crew can find out about wheels and way."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from mission.channel import LIFE, POWER, WEATHER, Channel
from mission.world import cabin
from mission.world.field_work import error, spend
from mission.world.rover import ROVERS, Rovers
from mission.world.spec import CheckRefusedError, CheckSpec, Numbers, Truth
from mission.world.units import HOUR, KWH, MINUTE

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

COMPARE_MINUTES, FREE_WHEEL_MINUTES = 10.0, 5.0
BEARING_NOISE, DRIFT_NOISE, CURRENT_NOISE = 1.0, 10.0, 0.5
"""Degrees, m, A."""
BASELINE = 1500.0
"""m to the landmarks that bearings are taken of; with it 300 m off is 11 degrees; ours."""
FREE_WHEEL = 12.0
"""A with a wheel lifted: friction of a sound drive; ours."""


def rovers(base: Base) -> Rovers:
    return base.part("rover")


def unheard(base: Base, index: int) -> str | None:
    """Why nobody in a rover can be spoken to now, or None."""
    block, t = rovers(base), base.now()
    rover = block.rover(index, t)
    if rover.dead or not rover.crew:
        return f"nobody can drive rover {ROVERS[index]}"
    comms = base.part("comms")
    if comms.reaches(t, block.distance(index, t) / 1000.0):
        return None
    wait = (comms.pass_at_or_after(t).start - t) / MINUTE
    return f"rover {ROVERS[index]} is beyond local radio; the next relay pass starts in {wait:.0f} min"


def _of(value: Callable[[cabin.Rover, float], float], index: int, base: Base, t: float) -> float:
    return value(rovers(base).rover(index, t), t)


SHOWN: dict[str, tuple[str, str, float, float, float, Callable[[cabin.Rover, float], float]]] = {
    "soc": ("%", "state of charge", 0.3, 0.5, 0.1, cabin.soc),
    "energy": ("kWh", "energy in the battery", 0.3, 0.5, 0.1, lambda r, t: cabin.soc(r, t) / 100 * cabin.BATTERY / KWH),
    "position_error": ("m", "position error by the navigation's own account", 0.0, 0.0, 1.0,
                       lambda r, t: cabin.advanced(r, t).estimate),
    "slip": ("%", "slip of the wheels, by the cameras", 4.0, 3.0, 1.0, lambda r, t: 100.0 * r.slip * r.driving),
    "current": ("A", "current of the drives", 1.0, 0.5, 0.1, lambda r, t: r.traction / cabin.BUS),
    "speed": ("km/h", "speed of the wheels", 0.05, 0.0, 0.1, lambda r, t: r.wheels * HOUR / 1000.0),
    "odometer": ("km", "way rolled by the wheels", 0.0, 0.0, 0.01, lambda r, t: cabin.advanced(r, t).odometer / 1000.0),
    "cabin_co2": ("mmHg", "ppCO2 in the cabin", 0.05, 0.3, 0.1, cabin.ppco2),
    "crew": ("count", "people aboard", 0.0, 0.0, 1.0, lambda r, t: float(len(r.crew))),
}  # fmt: skip
"""Unit, what it is, noise, bias, resolution, truth; errors are ours."""


def _groups(name: str) -> tuple[str, ...]:
    return (LIFE,) if name in ("cabin_co2", "crew") else (WEATHER, POWER) if name in ("soc", "energy") else (WEATHER,)


def _channels() -> tuple[Channel, ...]:
    return tuple(
        Channel(
            name=f"rover_{rover}.{name}", unit=unit, description=f"{what}, rover {rover}",
            groups=(f"rover_{rover}", "rover", *_groups(name)), period_s=60.0, noise=noise, bias=bias,
            resolution=resolution, low=0.0,
        )
        for rover in ROVERS
        for name, (unit, what, noise, bias, resolution, _) in SHOWN.items()
    ) + tuple(
        Channel(
            name=f"rover_{rover}.distance", unit="km", description=f"of rover {rover} from the base, by the ways",
            groups=(f"rover_{rover}", "rover", WEATHER), period_s=60.0, noise=0.05, resolution=0.1, low=0.0,
        )
        for rover in ROVERS
    )  # fmt: skip


def _distance(index: int, base: Base, t: float) -> float:
    return rovers(base).distance(index, t) / 1000.0


def _truths() -> dict[str, Truth]:
    shown: dict[str, Truth] = {
        f"rover_{rover}.{name}": partial(_of, entry[-1], index)
        for index, rover in enumerate(ROVERS)
        for name, entry in SHOWN.items()
    }
    return shown | {f"rover_{rover}.distance": partial(_distance, index) for index, rover in enumerate(ROVERS)}


def _crewed(world: World, rover: str) -> None:
    why = unheard(world.base, ROVERS.index(rover))
    if why:
        raise CheckRefusedError(why)


def _compare(world: World, rover: str, duration: float) -> Numbers:
    """Landmark bearings against those that the wheels' account of the way foretells."""
    _crewed(world, rover)
    spend(world, "odometry_compare", 0.0, duration)
    index, t = ROVERS.index(rover), world.now
    drift = cabin.advanced(rovers(world.base).rover(index, t), t).drift
    bearing = math.degrees(math.atan2(drift, BASELINE)) + error(world, "odometry_compare", rover, BEARING_NOISE)
    names = ("bearing_mismatch", "track_offset")
    offset = drift + error(world, "odometry_compare", f"offset {rover}", DRIFT_NOISE)
    units = {"bearing_mismatch": "deg", "track_offset": "m"}
    return Numbers({"bearing_mismatch": abs(bearing), "track_offset": abs(offset)}, dict.fromkeys(names, 0.0), units)


def _free_wheel(world: World, rover: str, duration: float) -> Numbers:
    """Current with the wheel off the ground: a sound drive draws little, whatever the ground does to it."""
    _crewed(world, rover)
    index = ROVERS.index(rover)
    if rovers(world.base).rover(index, world.now).driving:
        raise CheckRefusedError(f"rover {rover} is driving: stop it first")
    spend(world, "free_wheel_current", 0.0, duration)
    drag = rovers(world.base).rover(index, world.now).drag
    current = FREE_WHEEL * (1.0 + drag) + error(world, "free_wheel_current", rover, CURRENT_NOISE)
    return Numbers({"current": current}, {"current": FREE_WHEEL}, {"current": "A"})


CHANNELS = _channels()
TRUTHS = _truths()
CHECKS = (
    CheckSpec(
        "odometry_compare",
        "Bearings of landmarks against those that the wheels' account of the way foretells, and the offset they give.",
        "rover",
        ROVERS,
        dict.fromkeys(ROVERS, COMPARE_MINUTES),
        0.0,
        _compare,
    ),
    CheckSpec(
        "free_wheel_current",
        "Current of a drive with its wheel off the ground, rover standing.",
        "rover",
        ROVERS,
        dict.fromkeys(ROVERS, FREE_WHEEL_MINUTES),
        0.0,
        _free_wheel,
    ),
)
