"""The base's own reflexes: make-up valves, bed capacity, condensing coil, cold walls, tanks and cans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mission.world.atmosphere import CORE, ZONES, Atmosphere, Can
from mission.world.crew import LETHAL_PPO2
from mission.world.gases import pascal_per_kg, saturation_pressure
from mission.world.lookout import BACK, Watch, at
from mission.world.sight import Sight, What
from mission.world.units import CLOCK_STEP, HOUR, KPA, at_or_after

Change = Callable[..., None]
"""change(t, **fields): the engine's one way to change the air."""
Log = Callable[..., None]
"""log(t, kind, **data)"""


class Controls:
    """Makes the watches of everything that switches by itself."""

    def __init__(self, air: Atmosphere, change: Change, lose: Callable[[int], None], log: Log) -> None:
        self._air = air
        self._change = change
        self._lose = lose
        self._log = log

    def watches(self, sight: Sight | None = None) -> list[Watch]:
        """All of them, or those alone that `sight` does not rule out."""
        return [
            *self._valves(sight),
            *self._tanks(),
            *self._caps(sight),
            *self._coil(sight),
            *self._walls(sight),
            *self._cans(),
            *self._lungs(sight),
        ]

    def _key(self, *gases: Any) -> tuple[object, ...]:
        config = self._air.config
        return (config.temperatures, config.hatches, *(self._air.tracks[gas].version for gas in gases))

    def _valves(self, sight: Sight | None) -> list[Watch]:
        air, config, design = self._air, self._air.config, self._air.design
        if config.makeup != "auto":
            return []
        watches: list[Watch] = []
        low, high = design.pressure_band_kpa
        level, rising = (high if config.n2_valve else low) * KPA, config.n2_valve
        if config.tanks[0] > 0.0 and not _out(sight, "total", CORE, level, rising):
            search = air.reach("total", CORE, level, rising=rising)
            key = (config.temperatures, config.hatches, air.version, rising)
            watches.append(Watch("n2_valve", key, search, lambda t: self._valve(t, "n2", not config.n2_valve)))
        low, high = design.ppo2_band_kpa
        level, rising = (high if config.o2_valve else low) * KPA, config.o2_valve
        if config.tanks[1] > 0.0 and not config.o2_isolated and not _out(sight, "o2", CORE, level, rising):
            search = air.reach("o2", CORE, level, rising=rising)
            key = (*self._key("o2"), rising)
            watches.append(Watch("o2_valve", key, search, lambda t: self._valve(t, "o2", not config.o2_valve)))
        return watches

    def _valve(self, t: float, gas: str, opened: bool) -> None:
        self._change(t, **{f"{gas}_valve": opened})
        self._log(t, "valve", gas=gas, open=opened)

    def _tanks(self) -> list[Watch]:
        air, config = self._air, self._air.config
        watches: list[Watch] = []
        for index, gas in enumerate(("n2", "o2")):
            flow = air.drain(config, index)
            if flow > 0.0:
                key = (gas, config.tanks, self._air.changed_at)
                empty = self._air.changed_at + config.tanks[index] / flow
                watches.append(Watch(f"{gas}_tank", key, at(empty), self._emptied(gas, index)))
        return watches

    def _emptied(self, gas: str, index: int) -> Callable[[float], None]:
        def fire(t: float) -> None:
            left = [self._air.tank(0, t), self._air.tank(1, t)]
            left[index] = 0.0
            shut = {"n2_valve": False, "n2_dilution": 0.0} if gas == "n2" else {"o2_valve": False, "o2_stuck": 0.0}
            self._change(t, **shut, tanks=(left[0], left[1]))
            self._log(t, "tank_empty", gas=gas)

        return fire

    def _caps(self, sight: Sight | None) -> list[Watch]:
        air, config = self._air, self._air.config
        watches: list[Watch] = []
        for index, (unit, bed) in enumerate(zip("AB", config.beds, strict=True)):
            if not bed.running or bed.health == 0.0:
                continue
            full = air.design.bed_capacity_kg_h / (bed.health * air.design.bed_flow_m3_h)
            level = full * (1.0 - BACK) if bed.capped else full
            level *= pascal_per_kg("co2", config.temperatures[CORE], 1.0)
            if _out(sight, "co2", CORE, level, not bed.capped):
                continue
            search = air.reach("co2", CORE, level, rising=not bed.capped)
            watches.append(Watch(f"cap_{unit}", (*self._key("co2"), level), search, self._cap(index, unit)))
        return watches

    def _cap(self, index: int, unit: str) -> Callable[[float], None]:
        def fire(t: float) -> None:
            beds = list(self._air.config.beds)
            beds[index] = replace(beds[index], capped=not beds[index].capped)
            self._change(t, beds=(beds[0], beds[1]))
            self._log(t, "mode", unit=f"bed_{unit.lower()}", at_capacity=beds[index].capped)

        return fire

    def _coil(self, sight: Sight | None) -> list[Watch]:
        air, dry = self._air, self._air.config.coil_dry
        level = air.coil_pressure if dry else air.coil_pressure * (1.0 - BACK)
        if _out(sight, "h2o", CORE, level, dry):
            return []
        search = air.reach("h2o", CORE, level, rising=dry)

        def fire(t: float) -> None:
            self._change(t, coil_dry=not dry)
            self._log(t, "mode", unit="condenser", dry=not dry)

        return [Watch("coil", (*self._key("h2o"), level), search, fire)]

    def _walls(self, sight: Sight | None) -> list[Watch]:
        found = [self._wall(zone, sight) for zone in range(len(ZONES))]
        return [watch for watch in found if watch is not None]

    def _wall(self, zone: int, sight: Sight | None) -> Watch | None:
        air, config = self._air, self._air.config
        wet = config.walls_wet[zone]
        level = saturation_pressure(config.temperatures[zone]) * (1.0 - BACK if wet else 1.0)
        if _out(sight, "h2o", zone, level, not wet):
            return None
        search = air.reach("h2o", zone, level, rising=not wet)

        def fire(t: float) -> None:
            walls = tuple(not state if index == zone else state for index, state in enumerate(config.walls_wet))
            self._change(t, walls_wet=walls)
            self._log(t, "mode", unit=f"{ZONES[zone]}_walls", wet=not wet)

        return Watch(f"walls_{ZONES[zone]}", (*self._key("h2o"), level), search, fire)

    def _lungs(self, sight: Sight | None) -> list[Watch]:
        config = self._air.config
        breathing = [zone for zone, rate in enumerate(config.crew_o2) if rate > 0.0 and config.breathing[zone]]
        return [self._last_breath(zone) for zone in breathing if not _out(sight, "o2", zone, LETHAL_PPO2, False)]

    def _last_breath(self, zone: int) -> Watch:
        search = self._air.reach("o2", zone, LETHAL_PPO2, rising=False)
        return Watch(f"lungs_{zone}", self._key("o2"), search, lambda t: self._lose(zone))

    def _cans(self) -> list[Watch]:
        return [
            Watch(f"can_{can.zone}_{can.dose!r}", self._key("co2"), self._spent(can), self._remove(can))
            for can in self._air.config.cans
        ]

    def _spent(self, can: Can) -> Callable[[float, float], float | None]:
        """Newton on the dose, which only grows; kept inside its bracket by halving."""

        def search(now: float, limit: float) -> float | None:
            air = self._air
            low, high = now, limit
            if air.can_left(can, limit) > 0.0:
                return None
            t = now
            for _ in range(100):
                left = air.can_left(can, t)
                low, high = (t, high) if left > 0.0 else (low, t)
                rate = air.design.lioh_flow_m3_h / HOUR * air.concentration("co2", can.zone, t)
                before, t = t, t + left / rate if rate > 0.0 else high
                t = t if low <= t <= high else 0.5 * (low + high)
                if abs(t - before) < CLOCK_STEP:
                    break
            spent = at_or_after(t)
            # Newton may come to rest a hair before the end.
            return spent if air.can_left(can, spent) <= 0.0 else spent + CLOCK_STEP

        return search

    def _remove(self, can: Can) -> Callable[[float], None]:
        def fire(t: float) -> None:
            cans = list(self._air.config.cans)
            cans.remove(can)
            self._change(t, cans=tuple(cans))
            self._log(t, "can_spent", zone=ZONES[can.zone])

        return fire


def _out(sight: Sight | None, what: What, zone: int, level: float, rising: bool) -> bool:
    """Whether a level is out of reach for as far as one can see."""
    return sight is not None and sight.excludes(what, zone, level, rising=rising)
