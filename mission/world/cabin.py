"""One rover from event to event: charge, way, navigation, cabin air; every value a closed form of time.

Design study 1.9. SI units; ppCO2 in mmHg. Everything here is a function of its arguments.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mission import rules
from mission.world.crew import RATES
from mission.world.gases import pascal_per_kg
from mission.world.terrain import DRIVE_EFFICIENCY, PACE, Leg, Place, energy, force
from mission.world.units import HOUR, KW, KWH, MINUTE, MMHG

MASS = 5000.0
"""kg"""
BATTERY = 100.0 * KWH
FLOOR = 0.2
"""Share of the battery below which a rover does not drive: 80 kWh of 100 are usable."""
SPEED = 8.0 * KW / HOUR
"""m/s: 8 km/h."""
HOTEL_DRIVING, HOTEL_QUIET = 1.2 * KW, 0.8 * KW
CHARGER = 3.0 * KW
"""The load `rover_charge` of the base's list; it draws this while a rover stands at the base and is not full."""
CHARGE_EFFICIENCY = 0.949
BUS = 100.0
"""V; ours."""
CABIN = 10.8
"""m3"""
CABIN_KELVIN = 295.0
SCRUBBER = 15.0 / HOUR
"""m3/s of clean air: holds two people at 2.4 mmHg; ours."""
SEATS = 4
HAVEN = 2.0 * rules.number("FR-16", "haven") * HOUR
"""Person-seconds of oxygen, water and food aboard."""
DRIFT = 0.02
"""Position error for each metre of path."""
FIX_ERROR = 20.0
"""m, after a fix; ours."""
LOOK = 30 * MINUTE
"""Of driving between two looks at sun and dust; ours."""
SIGHT = 3000.0
"""m at which one rover sees another on the way: the horizon of eyes at 1.3 m; ours."""
SUN_TAU = 3.8
"""Above it the beam is under 5 % of the light and the sun sensor finds nothing (design study 2.7)."""
NIGHT = 0.5
"""Share of full speed in the lights of the rover, after sunset; ours."""
STUCK_CURRENT = 1.6
"""Wheels that dig in draw 60 % more."""
CO2_MARKS = (3.0, rules.number("FR-03", "emergency"), rules.number("FR-03", "leave"))
FLAT_CRR = 0.15
"""Of the ground searched around a lost rover."""
_MMHG_PER_DENSITY = pascal_per_kg("co2", CABIN_KELVIN, 1.0) / MMHG


@dataclass(frozen=True, slots=True)
class Rover:
    """A rover from `t0` on. `wheels` is what the wheels roll and `speed` what it moves, m/s."""

    t0: float
    place: Place
    energy: float = BATTERY
    crew: tuple[str, ...] = ()
    docked: bool = True
    leg: Leg | None = None
    wheels: float = 0.0
    slip: float = 0.0
    """Share of the wheels' way that is lost; stuck if not 0."""
    drag: float = 0.0
    """Friction of the drives beyond a sound one's, as a share of it."""
    traction: float = 0.0
    charge: float = 0.0
    odometer: float = 0.0
    estimate: float = FIX_ERROR
    """Position error by the navigation's own account, m: 2 % of the way since the last fix."""
    drift: float = 0.0
    """How far that account has run ahead of the truth along the way, m: slip."""
    off: float = 0.0
    """How far it is off the way, m, and does not know of it."""
    ahead: float = 1.0
    """Direction of the last leg along its way: 1 from `a` to `b`, -1 back."""
    driven: float = 0.0
    """Seconds of driving since the last fix."""
    looked: float = 0.0
    """Seconds of driving since the last look."""
    co2: float = 0.0
    """kg/m3 in the cabin."""
    fan: float = 1.0
    """Share of the scrubber's flow."""
    haven: float = HAVEN
    dead: bool = False

    @property
    def speed(self) -> float:
        return self.wheels * (1.0 - self.slip)

    @property
    def driving(self) -> bool:
        return self.wheels > 0.0

    @property
    def hotel(self) -> float:
        if self.docked or self.dead:
            return 0.0
        return HOTEL_DRIVING if self.driving else HOTEL_QUIET

    @property
    def net(self) -> float:
        """W into the battery."""
        return self.charge - self.hotel - self.traction


def advanced(rover: Rover, t: float) -> Rover:
    """The same rover, told from `t` on."""
    after = t - rover.t0
    going = after if rover.driving else 0.0
    rolled = rover.wheels * after
    return replace(
        rover,
        t0=t,
        energy=min(BATTERY, max(0.0, rover.energy + rover.net * after)),
        place=where(rover, t),
        leg=None if rover.leg is None else replace(rover.leg, start=where(rover, t).along),
        odometer=rover.odometer + rolled,
        estimate=rover.estimate + DRIFT * rolled,
        drift=rover.drift + rolled * rover.slip,
        driven=rover.driven + going,
        looked=rover.looked + going,
        co2=density(rover, t),
        haven=max(0.0, rover.haven - draw(rover) * after),
    )


def where(rover: Rover, t: float) -> Place:
    if rover.leg is None:
        return rover.place
    return rover.leg.place(min(rover.leg.length, rover.speed * (t - rover.t0)))


def soc(rover: Rover, t: float) -> float:
    """Percent"""
    return 100.0 * min(BATTERY, max(0.0, rover.energy + rover.net * (t - rover.t0))) / BATTERY


def account(rover: Rover, t: float) -> Place:
    """Where its navigation takes it to be: what the wheels roll counts in full, as far as the way goes."""
    place, drift = where(rover, t), rover.drift + rover.wheels * rover.slip * (t - rover.t0)
    return replace(place, along=min(max(place.along + rover.ahead * drift, 0.0), 1000.0 * place.edge.km))


def spread(rover: Rover, t: float) -> float:
    """Radius in which it is to be looked for off its way, m; along it, whoever comes that way meets it."""
    return rover.estimate + rover.off + DRIFT * rover.wheels * (t - rover.t0)


def error(rover: Rover, t: float) -> float:
    """True position error, m."""
    now = advanced(rover, t)
    return now.estimate + math.hypot(now.drift, now.off)


def hungry(rover: Rover) -> bool:
    """It stands at the base and is not full."""
    return rover.docked and rover.energy < BATTERY


def charges(rovers: Sequence[Rover], *, on: bool) -> list[float]:
    """W into each rover: the charger is shared by those that it can feed."""
    fed = [on and hungry(rover) for rover in rovers]
    return [CHARGER * CHARGE_EFFICIENCY / sum(fed) if one else 0.0 for one in fed]


def draw(rover: Rover) -> float:
    """People who live on the rover's own stores."""
    return 0.0 if rover.docked else float(len(rover.crew))


def _flow(rover: Rover) -> float:
    """Clean air, m3/s; docked it is the base's."""
    return SCRUBBER * (1.0 if rover.docked else rover.fan)


def _settled(rover: Rover) -> float:
    """CO2 that the cabin tends to, kg/m3."""
    return draw(rover) * RATES["nominal"].co2 / _flow(rover)


def density(rover: Rover, t: float) -> float:
    """CO2 in the cabin, kg/m3: an exponential towards what source and scrubber settle at."""
    end = _settled(rover)
    return end + (rover.co2 - end) * math.exp(-_flow(rover) * (t - rover.t0) / CABIN)


def ppco2(rover: Rover, t: float) -> float:
    """mmHg"""
    return density(rover, t) * _MMHG_PER_DENSITY


def co2_time(rover: Rover, level: float) -> float | None:
    """When the cabin's ppCO2, rising, reaches `level` mmHg while nothing changes; None if never."""
    end, aim = _settled(rover), level / _MMHG_PER_DENSITY
    if not rover.co2 < aim < end:
        return None
    return rover.t0 + CABIN / _flow(rover) * math.log((end - rover.co2) / (end - aim))


def ends(rover: Rover) -> Iterable[float]:
    """When something about it comes to an end while nothing changes."""
    t0 = rover.t0
    if rover.net < 0.0:
        levels = [0.0, FLOOR * BATTERY] if rover.driving else [0.0]
        yield from (t0 + (level - rover.energy) / rover.net for level in levels if level < rover.energy)
    if rover.net > 0.0 and rover.energy < BATTERY:
        yield t0 + (BATTERY - rover.energy) / rover.net
    if draw(rover) > 0.0 and rover.haven > 0.0:
        yield t0 + rover.haven / draw(rover)
    if rover.driving:
        yield t0 + max(0.0, LOOK - rover.looked)
        yield t0 + max(0.0, rules.number("FR-16", "fix") * HOUR - rover.driven)
        yield t0 + max(0.0, rules.number("FR-16", "error") - rover.estimate) / (DRIFT * rover.wheels)
        if rover.leg is not None:
            yield t0 + rover.leg.length / rover.speed


def pace(leg: Leg | None, tau: float, *, dark: bool = False) -> float:
    """m/s on a leg (or searching) under a sky: the ground's, less by night, halved and bounded in dust (FR-16)."""
    if tau > rules.number("FR-16", "stop"):
        return 0.0
    full = SPEED * (1.0 if leg is None else PACE[leg.edge.hazard]) * (NIGHT if dark else 1.0)
    slow = rules.number("FR-16", "slow") * KW / HOUR
    return min(slow, 0.5 * full) if tau > rules.number("FR-16", "caution") else full


def pull(leg: Leg | None, rover: Rover) -> float:
    """W of traction at the wheels' speed: more when they dig in or drag."""
    resistance = force(MASS, FLAT_CRR, 0.0) if leg is None else force(MASS, leg.edge.crr, leg.slope)
    return resistance * rover.wheels / DRIVE_EFFICIENCY * (STUCK_CURRENT if rover.slip else 1.0 + rover.drag)


def search_cost(metres: float, tau: float, *, dark: bool = False) -> float:
    """J for once around a circle with that radius."""
    if metres <= FIX_ERROR:
        return 0.0
    speed, way = pace(None, tau, dark=dark), 2.0 * math.pi * metres
    return math.inf if speed == 0.0 else energy(MASS, FLAT_CRR, 0.0, way) + HOTEL_DRIVING * way / speed


def cost(legs: Iterable[Leg], tau: float, *, dark: bool = False) -> float:
    """J for a drive at the pace of that sky, hotel load included; infinite where nobody drives."""
    total = 0.0
    for leg in legs:
        speed = pace(leg, tau, dark=dark)
        if speed == 0.0:
            return math.inf
        total += energy(MASS, leg.edge.crr, leg.slope, leg.length) + HOTEL_DRIVING * leg.length / speed
    return total
