"""What a rover shows: its channels, and what its crew can find out about wheels and way."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from mission.channel import LIFE, POWER, WEATHER, Channel
from mission.world import cabin
from mission.world.field_work import error, spend
from mission.world.outdoors import dark
from mission.world.rover import ROVERS, Rovers
from mission.world.spec import CheckRefusedError, CheckSpec, Numbers, Truth
from mission.world.units import HOUR, KWH, MINUTE

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

COMPARE_MINUTES, FREE_WHEEL_MINUTES = 4.0, 3.0
"""Ours: both fit into one relay pass."""
BEARING_NOISE, DRIFT_NOISE, CURRENT_NOISE = 1.0, 10.0, 0.5
"""Degrees, m, A."""
BASELINE = 1500.0
"""m to the landmarks that bearings are taken of; with it 300 m off is 11 degrees; ours."""
FREE_WHEEL = 12.0
"""A with a wheel lifted: friction of a sound drive; ours."""


def rovers(base: Base) -> Rovers:
    return base.part("rover")


def unheard(base: Base, index: int, lasting: float = 0.0) -> str | None:
    """Why nobody in a rover can be spoken to now and for so many seconds, or None."""
    block, t = rovers(base), base.now()
    rover = block.rover(index, t)
    if rover.dead or not rover.crew:
        return f"nobody can drive rover {ROVERS[index]}"
    comms = base.part("comms")
    if block.distance(index, t) / 1000.0 <= comms.radio_km:
        return None
    window = comms.pass_at_or_after(t)
    if window.start <= t and t + lasting <= window.end:
        return None
    if window.start <= t:
        left = (window.end - t) / MINUTE
        return f"the relay over rover {ROVERS[index]} sets in {left:.0f} min, and this takes {lasting / MINUTE:g}"
    wait = (window.start - t) / MINUTE
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
            name=f"rover_{rover}.distance", unit="km",
            description=f"of rover {rover} from the base along the ways, by the navigation's own account",
            groups=(f"rover_{rover}", "rover", WEATHER), period_s=60.0, noise=0.05, resolution=0.1, low=0.0,
        )
        for rover in ROVERS
    )  # fmt: skip


def _distance(index: int, base: Base, t: float) -> float:
    return rovers(base).account(index, t) / 1000.0


def _heard(index: int, base: Base, t: float) -> float:
    return rovers(base).heard(index, t)


def _truths() -> dict[str, Truth]:
    shown: dict[str, Truth] = {
        f"rover_{rover}.{name}": partial(_of, entry[-1], index)
        for index, rover in enumerate(ROVERS)
        for name, entry in SHOWN.items()
    }
    return shown | {f"rover_{rover}.distance": partial(_distance, index) for index, rover in enumerate(ROVERS)}


def _crewed(world: World, rover: str, duration: float) -> None:
    why = unheard(world.base, ROVERS.index(rover), duration)
    if why:
        raise CheckRefusedError(why)


def _compare(world: World, rover: str, duration: float) -> Numbers:
    """Where landmarks put the rover, against where the wheels' account of the way does.

    `bearing_mismatch` is the angle at which the nearest landmarks are off.
    """
    _crewed(world, rover, duration)
    if dark(world.base, world.now):
        raise CheckRefusedError("no landmark can be seen by night")
    spend(world, "odometry_compare", 0.0, duration)
    index, t = ROVERS.index(rover), world.now
    now = cabin.advanced(rovers(world.base).rover(index, t), t)
    off = math.hypot(now.drift, now.off)
    bearing = math.degrees(math.atan2(off, BASELINE)) + error(world, "odometry_compare", rover, BEARING_NOISE)
    measured = {
        "bearing_mismatch": abs(bearing),
        "behind_account": now.drift + error(world, "odometry_compare", f"behind {rover}", DRIFT_NOISE),
        "off_way": abs(now.off + error(world, "odometry_compare", f"offset {rover}", DRIFT_NOISE)),
    }
    units = {"bearing_mismatch": "deg", "behind_account": "m", "off_way": "m"}
    return Numbers(measured, dict.fromkeys(measured, 0.0), units)


def _free_wheel(world: World, rover: str, duration: float) -> Numbers:
    """Current with the wheel off the ground: a sound drive draws little, whatever the ground does to it.

    A rover that drives stands for it and drives on.
    """
    _crewed(world, rover, duration)
    index, block = ROVERS.index(rover), rovers(world.base)
    now = block.rover(index, world.now)
    if now.driving and now.leg is None:
        raise CheckRefusedError(f"rover {rover} is on a search: wait until it stands")
    block.hold(index)
    spend(world, "free_wheel_current", 0.0, duration)
    block.drive_on(index)
    drag = rovers(world.base).rover(index, world.now).drag
    current = FREE_WHEEL * (1.0 + drag) + error(world, "free_wheel_current", rover, CURRENT_NOISE)
    return Numbers({"current": current}, {"current": FREE_WHEEL}, {"current": "A"})


CHANNELS = _channels()
TRUTHS = _truths()
HEARD: dict[str, Truth] = {
    channel.name: partial(_heard, ROVERS.index(channel.groups[0].removeprefix("rover_"))) for channel in CHANNELS
}
CHECKS = (
    CheckSpec(
        "odometry_compare",
        "Landmarks against the wheels' account of the way: how far the rover is behind it, and off the way. By day.",
        "rover",
        ROVERS,
        dict.fromkeys(ROVERS, COMPARE_MINUTES),
        0.0,
        _compare,
    ),
    CheckSpec(
        "free_wheel_current",
        "Current of a drive with its wheel off the ground; a rover that drives stands for it and drives on.",
        "rover",
        ROVERS,
        dict.fromkeys(ROVERS, FREE_WHEEL_MINUTES),
        0.0,
        _free_wheel,
    ),
)
