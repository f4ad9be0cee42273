"""One suit: what it holds, uses and shows, linear in the wearer's metabolic power from event to event.

Design study 1.8 and 2.7, an EMU. SI units; the helmet's CO2 is in mmHg. Everything here is a function of its arguments.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mission import rules
from mission.world.flat import flat
from mission.world.units import HOUR, MINUTE

BTU_H = 0.29307107
"""W in one Btu/h."""
O2_FULL, SECONDARY_FULL, WATER_FULL = 0.552, 1.18, 4.5
"""kg: primary and secondary oxygen and feedwater of an EMU (EVA23 p. 40; BVAD 5.2.2)."""
SCRUBBER = 0.67
"""kg of CO2 that a METOX canister holds."""
BATTERY = 500.0 * HOUR
"""J, inside the 450 to 540 Wh of the design study; with 450 the battery limit would cut the 6.5 h of FR-13 short."""
POWER = 65.0
"""W: the design study's 450 Wh in 7 h."""
O2_PER_J = 0.000254 / HOUR
"""kg of O2 for a joule of metabolic work: 20.2 kJ/L."""
CO2_PER_J = 0.000315 / HOUR
"""kg of CO2, at a respiratory quotient of 0.9."""
SEAL_LEAK = 0.005 / HOUR
"""kg/s through the seals of a sound suit (BVAD 5.2.2)."""
SECONDARY_FLOW = SECONDARY_FULL / (rules.number("FR-13", "secondary") * MINUTE)
"""kg/s: the secondary pack feeds an open purge."""
LATENT = 2.44e6
"""J/kg of water in the sublimator."""
OWN_HEAT = 93.0
"""W beside the wearer's: electronics and what leaks in; with it 1000 Btu/h use the 0.57 kg/h of BVAD."""
HEAT_LIMIT = 316e3
"""J of stored body heat after which nobody works on: 300 Btu; ours."""
WET, DROWNED = 0.1, 1.0
"""kg of water in a helmet that its wearer feels, and that leaves no air to breathe. In July 2013 1 to 1.5 L came close
(EVA23); the marks are ours."""
PRESSURE = 29.6e3
"""Pa"""
REGULATOR = 0.5 / HOUR
"""kg/s that the regulator passes at full pressure; ours."""
HELMET_FLOOR = 0.2
"""mmHg behind a fresh scrubber; ours."""
HELMET_PER_W = 0.5 * CO2_PER_J * 8.314 * 300.0 / (0.04401 * 0.00283) / 133.322
"""mmHg/W: half of what 170 L/min carry off at 300 K, the mean between the fresh and the used air."""
TIRED, WORN_OUT = 0.75, 0.2
"""Scrubber load at which it begins to fail, and its effect when full."""
FAN_STALL = 0.1
"""Share of the flow that a failed fan still gives."""
WALK = 1600.0 * BTU_H
"""W: walking, the rate that FR-14 plans with."""
REST, SLOW = 120.0, 700.0 * BTU_H
CO2_MARKS = (rules.number("FR-13", "quiet"), rules.number("FR-13", "co2"), rules.number("FR-13", "purge"), 15.2)
"""mmHg; 15.2 is the limit of heavy work (CONK)."""
ROUNDING = 1e-12
"""Relative distance at which a level counts as reached."""
FREE_VOLUME = 0.05
"""m3 of gas in a worn suit; ours."""
HEART = ((0.0, 55.0), (105.0, 62.0), (293.0, 95.0), (469.0, 150.0), (700.0, 185.0))
"""W and beats a minute."""


@dataclass(frozen=True, slots=True)
class Stores:
    """kg, kg, kg of CO2 taken up, J, kg, J of body heat, kg; or all of them per second."""

    o2: float = O2_FULL
    secondary: float = SECONDARY_FULL
    scrubber: float = 0.0
    battery: float = BATTERY
    water: float = WATER_FULL
    heat: float = 0.0
    helmet_water: float = 0.0


STILL = Stores(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
FLOORS = (("o2", 0.0), ("secondary", 0.0), ("battery", 0.0), ("water", 0.0))
CEILINGS = (("heat", HEAT_LIMIT), ("helmet_water", WET), ("helmet_water", DROWNED))


@dataclass(frozen=True)
class Suit:
    """A suit from `t0` on. `worn` while it lives on its own stores; `fan` falls by `fan_slope` a second."""

    t0: float = 0.0
    stores: Stores = Stores()
    worn: bool = False
    lost: bool = False
    watts: float = 0.0
    leak: float = 0.0
    """kg/s beyond the seals."""
    fan: float = 1.0
    fan_slope: float = 0.0
    seep: float = 0.0
    """kg/s of feedwater that gets into the helmet."""
    spent: float = 0.0
    """kg by which the canister is fuller than the count of what it took up says."""
    purge: bool = False

    @property
    def open_loop(self) -> bool:
        """It lives on the secondary pack: purging, or with the primary empty."""
        return self.purge or self.stores.o2 <= 0.0

    @property
    def room(self) -> float:
        """What the canister holds by its count when it is full, kg."""
        return SCRUBBER - self.spent

    @cached_property
    def rates(self) -> Stores:
        """How fast each store changes, per second."""
        if not self.worn or self.lost:
            return STILL
        held, open_loop = self.stores, self.open_loop
        cooled = held.water > 0.0 and held.battery > 0.0
        warm = self.watts + OWN_HEAT
        seep = self.seep if held.water > 0.0 else 0.0
        return Stores(
            o2=0.0 if open_loop else -use(self.watts, self.leak),
            secondary=-SECONDARY_FLOW if open_loop and held.secondary > 0.0 else 0.0,
            scrubber=0.0 if open_loop or held.scrubber >= self.room else CO2_PER_J * self.watts,
            battery=-POWER if held.battery > 0.0 else 0.0,
            water=-(warm / LATENT if cooled else 0.0) - seep,
            heat=0.0 if cooled else warm,
            helmet_water=seep,
        )


def demand(watts: float, leak: float) -> float:
    """Oxygen that a metabolic power, seals and leak call for, kg/s."""
    return O2_PER_J * watts + SEAL_LEAK + leak


def use(watts: float, leak: float) -> float:
    """Primary oxygen used, kg/s: what is called for, as far as the regulator passes it."""
    return min(REGULATOR, demand(watts, leak))


def stores(suit: Suit, t: float) -> Stores:
    """What it holds at `t`; a store never passes its end by the step of the clock."""
    after, held, rate = t - suit.t0, suit.stores, suit.rates
    return Stores(
        o2=max(0.0, held.o2 + rate.o2 * after),
        secondary=max(0.0, held.secondary + rate.secondary * after),
        scrubber=min(max(suit.room, held.scrubber), held.scrubber + rate.scrubber * after),
        battery=max(0.0, held.battery + rate.battery * after),
        water=max(0.0, held.water + rate.water * after),
        heat=held.heat + rate.heat * after,
        helmet_water=held.helmet_water + rate.helmet_water * after,
    )


def fan(suit: Suit, t: float) -> float:
    """Share of the full flow; a stalled share without battery."""
    if stores(suit, t).battery <= 0.0:
        return FAN_STALL
    return max(FAN_STALL, suit.fan + suit.fan_slope * (t - suit.t0))


def effect(load: float) -> float:
    """What a scrubber loaded with `load` kg still does, 1 to 0.2, falling from three quarters on."""
    share = min(1.0, max(0.0, (load / SCRUBBER - TIRED) / (1.0 - TIRED)))
    return 1.0 - (1.0 - WORN_OUT) * share


def load_for(share: float) -> float:
    """kg in a canister that still does that share of its work, 0.2 to 1."""
    return SCRUBBER * (TIRED + (1.0 - TIRED) * (1.0 - share) / (1.0 - WORN_OUT))


def helmet(suit: Suit, t: float) -> float:
    """ppCO2 in the helmet, mmHg, at rest with what drives it."""
    if not suit.worn or suit.lost or suit.open_loop:
        return HELMET_FLOOR
    return HELMET_FLOOR + HELMET_PER_W * suit.watts / (fan(suit, t) * effect(stores(suit, t).scrubber + suit.spent))


def pressure(suit: Suit) -> float:
    """Suit pressure, Pa: the set point while the regulator keeps up with what is used."""
    if not suit.worn or suit.lost:
        return 0.0
    return PRESSURE * min(1.0, REGULATOR / demand(suit.watts, suit.leak))


def heart_rate(watts: float) -> float:
    """Beats a minute at a metabolic power, between the points of HEART."""
    at = min(max(bisect_right([w for w, _ in HEART], watts), 1), len(HEART) - 1)
    (w0, b0), (w1, b1) = HEART[at - 1], HEART[at]
    return b0 + (b1 - b0) * min(1.0, (watts - w0) / (w1 - w0))


def redline(suit: Suit, t: float) -> float:
    """Seconds of primary oxygen left at the present rate, beyond the reserve of FR-13."""
    return stores(suit, t).o2 / use(suit.watts, suit.leak) - rules.number("FR-13", "reserve") * MINUTE


def end_of_wearer(suit: Suit) -> str | None:
    """What has killed the wearer at t0, or None."""
    held = suit.stores
    if held.o2 <= 0.0 and held.secondary <= 0.0:
        return "out of oxygen"
    if held.heat >= HEAT_LIMIT * (1.0 - ROUNDING):
        return "overheated"
    return "drowned" if held.helmet_water >= DROWNED * (1.0 - ROUNDING) else None


def reach(suit: Suit, t: float) -> float:
    """Metres that can be walked before the first redline, at FR-14's speed and work rate; negative beyond it."""
    held = stores(suit, t)
    oxygen = held.o2 / use(WALK, suit.leak) - rules.number("FR-14", "reserve") * MINUTE
    charge = (held.battery - rules.number("FR-13", "battery") / 100.0 * BATTERY) / POWER
    water = held.water / ((WALK + OWN_HEAT) / LATENT + suit.seep)
    return min(oxygen, charge, water) * SPEED


SPEED = rules.number("FR-14", "speed") * 1000.0 / HOUR
"""m/s on foot."""


def reach_slopes(suit: Suit) -> tuple[tuple[float, float], ...]:
    """(value at t0, slope) of every term of `reach`, m and m/s."""
    held, rate = suit.stores, suit.rates
    o2, water = use(WALK, suit.leak), (WALK + OWN_HEAT) / LATENT + suit.seep
    spare = rules.number("FR-13", "battery") / 100.0 * BATTERY
    reserve = rules.number("FR-14", "reserve") * MINUTE
    return (
        (SPEED * (held.o2 / o2 - reserve), SPEED * rate.o2 / o2),
        (SPEED * (held.battery - spare) / POWER, SPEED * rate.battery / POWER),
        (SPEED * held.water / water, SPEED * rate.water / water),
    )


def turn_back(suit: Suit, distance: float, speed: float) -> float | None:
    """When the way home, `distance` m at t0 and growing by `speed` m/s, is as long as the reach; None if never.

    A time that is not after t0 is one already past.
    """
    times: list[float] = []
    for value, slope in reach_slopes(suit):
        if speed - slope > 0.0:
            times.append(suit.t0 + (value - distance) / (speed - slope))
        elif value <= distance:
            times.append(suit.t0)
    return min(times, default=None)


def ends(suit: Suit) -> Iterable[float]:
    """When each store comes to an end, or a scrubber begins to fail, while nothing changes."""
    rate = suit.rates
    canister = (("scrubber", suit.room - (1.0 - TIRED) * SCRUBBER), ("scrubber", suit.room))
    for name, level in (*FLOORS, *CEILINGS, *canister):
        slope, gap = getattr(rate, name), level - getattr(suit.stores, name)
        if slope != 0.0 and gap / slope > 0.0:
            yield suit.t0 + gap / slope
    if suit.fan_slope < 0.0:
        yield suit.t0 + (FAN_STALL - suit.fan) / suit.fan_slope


def redlines(suit: Suit) -> dict[str, float]:
    """When each of FR-13's limits is met while nothing changes, by name; a time before t0 is one already past."""
    found: dict[str, float] = {}
    if not suit.worn or suit.lost:
        return found
    rate = suit.rates
    if rate.o2 < 0.0:
        found["o2"] = suit.t0 + redline(suit, suit.t0)
    elif suit.stores.o2 <= 0.0:
        found["o2"] = suit.t0
    spare = suit.stores.battery - rules.number("FR-13", "battery") / 100.0 * BATTERY
    if rate.battery < 0.0 or spare <= 0.0:
        found["battery"] = suit.t0 + spare / POWER
    if suit.stores.water <= 0.0:
        found["water"] = suit.t0
    if pressure(suit) < rules.number("FR-13", "pressure") * 1000.0:
        found["pressure"] = suit.t0
    return found


def helmet_time(suit: Suit, level: float) -> float | None:
    """When the helmet's ppCO2 reaches `level` mmHg while nothing changes: flow times effect has fallen far enough.

    Both are linear between the ends of the suit's stores, so their product is a quadratic at most.
    """
    if helmet(suit, suit.t0) >= level:
        return suit.t0
    if not suit.worn or suit.lost or suit.open_loop or suit.stores.battery <= 0.0:
        return None
    load = suit.stores.scrubber + suit.spent
    slope = 0.0
    if TIRED * SCRUBBER <= load < SCRUBBER:
        slope = -(1.0 - WORN_OUT) / (1.0 - TIRED) / SCRUBBER * suit.rates.scrubber
    needed = HELMET_PER_W * suit.watts / (level - HELMET_FLOOR)
    after = _falls_to(suit.fan, suit.fan_slope, effect(load), slope, needed)
    return None if after is None else suit.t0 + after


def _falls_to(a: float, da: float, b: float, db: float, level: float) -> float | None:
    """First x >= 0 at which (a + da x)(b + db x), both falling and positive, is `level`."""
    constant, linear, square = a * b - level, a * db + b * da, da * db
    if linear == 0.0:
        return None
    root = math.sqrt(max(0.0, linear * linear - 4.0 * square * constant))
    return 2.0 * constant / (root - linear)


def advanced(suit: Suit, t: float) -> Suit:
    """The same suit, told from `t` on."""
    held = stores(suit, t)
    flow = suit.fan + suit.fan_slope * (t - suit.t0)
    stalled = flow <= FAN_STALL
    return replace(
        suit, t0=t, stores=held, fan=FAN_STALL if stalled else flow, fan_slope=0.0 if stalled else suit.fan_slope
    )


def described(suit: Suit, t: float) -> dict[str, Any]:
    """The state of a suit as JSON."""
    return flat(stores(suit, t)) | {
        "worn": suit.worn,
        "lost": suit.lost,
        "watts": suit.watts,
        "leak_kg_h": suit.leak * HOUR,
        "fan": fan(suit, t),
        "spent_kg": suit.spent,
        "seep_kg_h": suit.seep * HOUR,
        "purge": suit.purge,
        "helmet_co2_mmhg": helmet(suit, t),
        "pressure_kpa": pressure(suit) / 1000.0,
    }
