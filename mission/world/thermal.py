"""Heat and cooling of core and lab: held, saturated or lost, with exact times for every change of mode.

Each zone's cooler takes its share (by volume) of what the two loops carry, at most what the radiator sheds. While
the demand is within it the air's temperature is held; above it the cooler gives all it has and the air warms; below
zero it gives nothing and the air cools. Equipment's heat is spread by volume; people's is where they are.

The air block is told of a new temperature whenever the true one has moved by 0.25 K since, which is at most 60 Pa of
pressure. The airlock keeps its temperature; its heater is in the load list.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mission.world import cabin_heat, coolant
from mission.world.atmosphere import ZONES
from mission.world.cabin_heat import Hull, Outside
from mission.world.coil import Coil
from mission.world.cold_plate import ColdPlate
from mission.world.coolant import LOOPS, History, Loop
from mission.world.exposure import Exposure
from mission.world.heat_course import HeatCourse
from mission.world.lookout import BACK, Watch, at
from mission.world.power import LOADS
from mission.world.storm import knot
from mission.world.thermal_section import ThermalSection
from mission.world.thermal_segment import (
    AIR_HEAT,
    MARKS,
    MARKS_C,
    OUTSIDE_LOADS,
    STEP,
    WARMED,
    Drive,
    Ledger,
    Mode,
    Segment,
    band,
    begin,
    go_on,
)
from mission.world.thermal_state import describe
from mission.world.units import HOUR, KW, ZERO_C
from mission.world.wave import Wave, when
from mission.world.weather import SOL

if TYPE_CHECKING:
    from mission.world.base import Base


class Thermal:
    def __init__(self, section: ThermalSection, base: Base) -> None:
        self.section = section
        self.base = base
        design, site = base.scenario.design, base.scenario.site
        volumes = design.volumes[:WARMED]
        self.shares = tuple(volume / sum(volumes) for volume in volumes)
        outer = 1.0 / (1.0 / section.loss_w_k - 1.0 / section.inner_w_k)
        self.hulls = tuple(
            Hull(s * section.air_mj_k * 1e6, s * section.shell_mj_k * 1e6, s * section.inner_w_k, s * outer)
            for s in self.shares
        )
        self._coldest = -cmath.exp(2j * math.pi * (site.ltst_h - 6.0) / 24.0)
        """Phasor at the start of a day of amplitude 1 that is coldest at 6 h."""
        self.told = list(base.air.config.temperatures[:WARMED])
        self._set_points = list(self.told)
        self._bands = [band(kelvin) for kelvin in self.told]
        self._version = 0
        self.loops = {name: History(Loop(0.0, section.accumulator_l)) for name in LOOPS}
        self.store = section.coolant_store_l
        self.topped_up: dict[str, float] = {}
        self.coil = Coil(design.coil_c)
        self.plate = ColdPlate()
        self.exposure = Exposure(section, base)
        self.course = HeatCourse(self.hulls, self._outside)
        self._inputs: tuple[Any, ...] = ()
        air = tuple(self.told)
        shell = tuple(
            cabin_heat.settled(hull, self._outside(0.0), kelvin) for hull, kelvin in zip(self.hulls, air, strict=True)
        )
        self._rebase(0.0, ("held",) * WARMED, air, shell)
        base.follow_air(self._followed)
        base.follow_loads(self._followed)

    @property
    def last(self) -> Segment:
        return self.course.last

    def segment(self, t: float) -> Segment:
        return self.course.at(t)

    def temperature(self, zone: int, t: float) -> float:
        """K of a zone's air."""
        return self.segment(t).response.air[zone](t)

    def cooling(self, t: float) -> float:
        """W taken out of core and lab."""
        return sum(wave(t) for wave in self.segment(t).cooling)

    def capacity(self) -> float:
        """W that the loops can carry now, at most what the radiator sheds."""
        return self._capacity(knot(self.base.now()))

    def _capacity(self, knot: int) -> float:
        return min(self._loops(), self.exposure.bound(knot))

    def _loops(self) -> float:
        """W that the loops can carry, whatever the radiator sheds."""
        return sum([self.loops[name].last.share() for name in LOOPS]) * self.section.loop_kw * KW

    def brush(self, m2: float) -> None:
        """Somebody has taken the dust off so much of the radiator."""
        self.exposure.brush(m2)
        self.rebase()

    def heat(self) -> tuple[float, ...]:
        """W into the air of each zone now."""
        loads = self.base.power.segment(self.base.now()).loads
        spread = sum(w for name, w in loads.items() if name not in OUTSIDE_LOADS) + self.section.unlisted_kw * KW
        people = [0.0] * WARMED
        for state in self.base.people.values():
            if state.zone < WARMED:
                people[state.zone] += state.rates[state.activity].heat
        return tuple(share * spread + own for share, own in zip(self.shares, people, strict=True))

    def change_loop(self, name: str, **changes: Any) -> None:
        """A loop goes on otherwise from now; its temperatures and its content go on from where they are."""
        t, history = self.base.now(), self.loops[name]
        now, cabin = history.last, self._cabin(t)
        news = any(getattr(now, field) != value for field, value in changes.items())
        changes = {
            "supply": coolant.supply(now, cabin, t),
            "cabin": cabin,
            "line": self.line(name, t)(t),
            "content": coolant.content(now, t),
            "air": self.exposure.air(knot(t)),
        } | changes
        history.change(t, **changes)
        self.base.part("toxics").coolant_leaks(name, history.last.loss())
        self.settle_plate()
        self.rebase()
        if news:
            self._settle_coil()

    def line(self, name: str, t: float) -> Wave:
        """C of a loop's external line, as its state at `t` has it."""
        loop = self.loops[name].at(t)
        return coolant.line(loop, self._phasor(loop.t0))

    def settle_plate(self) -> None:
        """The avionics' cold plate goes on with or without a flow."""
        self.plate.change(self.base.now(), flowing=self.loops[self.plate.loop].last.flowing)

    def _settle_coil(self) -> None:
        t, loops = self.base.now(), {name: history.last for name, history in self.loops.items()}
        self.base.change(t, coil_c=self.coil.settle(loops, self._cabin(t), t))

    def _coil_step(self, name: str, supply: float) -> Callable[[float], None]:
        def fire(t: float) -> None:
            self._settle_coil()
            self.coil.told[name] = supply
            self.base.changed("thermal")

        return fire

    def rebase(self, modes: tuple[Mode, ...] | None = None) -> None:
        """Work everything out afresh from now on: an input has changed."""
        t = self.base.now()
        response = self.segment(t).response
        air, shell = tuple(wave(t) for wave in response.air), tuple(wave(t) for wave in response.shell)
        self._rebase(t, modes or self.last.modes, air, shell)
        self.base.changed("thermal")

    def loads(self) -> Mapping[str, float]:
        heaters = {f"loop_{n}_heater": coolant.HEATER_W for n in LOOPS if self.loops[n].last.heater}
        turning = sum(self.loops[n].last.duty for n in LOOPS)
        return heaters | ({"pumps": LOADS["pumps"] * turning / len(LOOPS)} if turning else {})

    def supply_and_return(self, name: str, t: float) -> tuple[float, float]:
        """C of a loop; it returns with its share of the heat."""
        loop = self.loops[name].at(t)
        supply = coolant.supply(loop, self._cabin(t), t)
        if not loop.flowing:
            return supply, supply
        carried = loop.share() / sum(self.loops[n].at(t).share() for n in LOOPS)
        return supply, supply + self.cooling(t) * carried / coolant.FLOW_W_K

    def ledger(self, t: float) -> Ledger:
        return self.course.ledger(t)

    def stored(self, t: float) -> float:
        """J in air, equipment and structure above absolute zero."""
        response = self.segment(t).response
        return sum(
            hull.air * air(t) + hull.shell * shell(t)
            for hull, air, shell in zip(self.hulls, response.air, response.shell, strict=True)
        )

    def watches(self) -> Sequence[Watch]:
        found: list[Watch] = []
        for zone in range(WARMED):
            found += self._zone_watches(zone)
        for name in LOOPS:
            found += self._loop_watches(name)
        warm = self.plate.warm_at()
        if warm is not None and not self.plate.warned:
            found.append(Watch("plate", warm, at(warm), self._plate_warm))
        key = (self._version, self.exposure.key)
        return [*found, Watch("weather", key, self._next_weather, self._weather)]

    def _next_weather(self, now: float, limit: float) -> float | None:
        """From when on the radiator or a line that stands meets another sky, if that matters."""
        if knot(limit) == knot(now):
            return None
        capacity, lines, enough = self.capacity(), self._standing(), self._enough()
        if not lines and min(self._loops(), self.exposure.least(knot(now) + 1, knot(limit))) > enough:
            return None

        def differs(index: int) -> bool:
            air = self.exposure.air(index) if lines else None
            if any(self.loops[name].last.air != air for name in lines):
                return True
            there = self._capacity(index)
            return there != capacity and there <= enough

        return self.exposure.next_change(now, limit, differs)

    def _enough(self) -> float:
        """W of capacity above which another one changes nothing: what the zones, while they are held, never need."""
        segment = self.last
        if any(mode != "held" for mode in segment.modes):
            return math.inf
        most = [wave.ever()[1] * (1.0 + BACK) for wave in segment.cooling]
        if any(need >= cap for need, cap in zip(most, segment.caps, strict=True)):
            return math.inf
        return max(need / share for need, share in zip(most, self.shares, strict=True))

    def _weather(self, t: float) -> None:
        for name in self._standing():
            self.change_loop(name)
        self.rebase()

    def _standing(self) -> list[str]:
        """Loops whose external line stands and can still freeze."""
        return [n for n in LOOPS if not (self.loops[n].last.flowing or self.loops[n].last.frozen)]

    def _watch(self, name: str, wave: Wave, level: float, rising: bool, fire: Callable[[float], None]) -> Watch:
        return Watch(name, (self._version, level), when(wave, level, rising=rising), fire)

    def _zone_watches(self, zone: int) -> list[Watch]:
        segment = self.last
        if segment.modes[zone] == "held":
            need, cap = segment.cooling[zone], segment.caps[zone]
            low, high = need.ever()
            within = BACK * cap
            if within < low and high < cap - within:
                return []
            return [
                self._watch(f"full_{zone}", need, cap, True, self._enter(zone, "saturated")),
                self._watch(f"idle_{zone}", need, 0.0, False, self._enter(zone, "off")),
            ]
        air, told = segment.response.air[zone], self.told[zone]
        rising = segment.modes[zone] == "off"
        # Held a hair beside its set point, a zone must leave where it is, or it would be back at once, for ever.
        start = air(segment.t0)
        set_point = max(self._set_points[zone], start) * (1.0 + BACK)
        if not rising:
            set_point = min(self._set_points[zone], start) * (1.0 - BACK)
        band = self._bands[zone]
        found = [
            self._watch(f"back_{zone}", air, set_point, rising, self._enter(zone, "held")),
            self._watch(f"up_{zone}", air, told + STEP, True, self._tell),
            self._watch(f"down_{zone}", air, told - STEP, False, self._tell),
        ]
        if band < len(MARKS):
            found.append(self._watch(f"above_{zone}", air, MARKS[band], True, self._pass(zone, 1)))
        if band > 0:
            found.append(self._watch(f"below_{zone}", air, MARKS[band - 1] * (1 - BACK), False, self._pass(zone, -1)))
        return found

    def _loop_watches(self, name: str) -> list[Watch]:
        loop, key = self.loops[name].last, (name, self._version)
        found: list[Watch] = []
        step = self.coil.next_step(name, loop)
        if step is not None:
            found.append(Watch(f"coil_{name}", (*key, step), at(step[0]), self._coil_step(name, step[1])))
        rate, end = coolant.supply_drift(loop)
        if loop.flowing and end <= coolant.WATER_FREEZES:
            ice = loop.t0 + (loop.supply - coolant.WATER_FREEZES) / rate
            found.append(Watch(f"ice_{name}", key, at(ice), self._freeze(name, "exchanger")))
        if not loop.flowing and not loop.frozen:
            search = when(self.line(name, loop.t0), coolant.AMMONIA_FREEZES, rising=False)
            found.append(Watch(f"line_{name}", key, search, self._freeze(name, "line")))
        if loop.loss() > 0.0:
            found.append(Watch(f"dry_{name}", key, at(loop.t0 + loop.content / loop.loss()), self._dry(name)))
        return found

    def _freeze(self, name: str, where: str) -> Callable[[float], None]:
        def fire(t: float) -> None:
            self.change_loop(name, frozen=True)
            self.base.log(t, "coolant", loop=name, event="frozen", where=where)

        return fire

    def _dry(self, name: str) -> Callable[[float], None]:
        def fire(t: float) -> None:
            self.change_loop(name, pump="tripped", restartable=False, content=0.0, leak=0.0)
            self.base.log(t, "coolant", loop=name, event="accumulator empty, pump tripped")

        return fire

    def _plate_warm(self, t: float) -> None:
        self.plate.warned = True
        self.base.log(t, "thermal", event="cold plate warm", temperature_c=self.plate.temperature(t))

    def _enter(self, zone: int, mode: Mode) -> Callable[[float], None]:
        def fire(t: float) -> None:
            modes = list(self.last.modes)
            modes[zone] = mode
            self.rebase(tuple(modes))
            self.base.log(t, "mode", unit=f"cooler_{zone}", cooling=mode)
            if mode == "held":
                self._tell(t)

        return fire

    def _tell(self, t: float) -> None:
        """Both zones at once, so that the air is re-based once."""
        self.told = [self.temperature(zone, t) for zone in range(WARMED)]
        self.base.change(t, temperatures=(*self.told, *self.base.air.config.temperatures[WARMED:]))

    def _pass(self, zone: int, step: int) -> Callable[[float], None]:
        def fire(t: float) -> None:
            mark = MARKS_C[self._bands[zone] - (step < 0)]
            self._bands[zone] += step
            self.base.log(t, "thermal", zone=ZONES[zone], mark_c=mark, rising=step > 0)

        return fire

    def _followed(self) -> None:
        """The air or the loads have changed; does that concern heat?"""
        t, given = self.base.now(), self.base.air.config.temperatures[:WARMED]
        heat = self.heat()
        inputs = (heat, self._exchange())
        if inputs == self._inputs and list(given) == self.told:
            return
        told = list(self.told)
        modes, air = list(self.last.modes), [self.temperature(zone, t) for zone in range(WARMED)]
        brought = 0.0
        for zone, kelvin in enumerate(given):
            if kelvin != self.told[zone]:
                brought += self.hulls[zone].air * (kelvin - air[zone])
                self.told[zone] = self._set_points[zone] = air[zone] = kelvin
                self._bands[zone] = band(kelvin)
                modes[zone] = "held"
        self._inputs = inputs
        on = go_on(self.last, t, Drive(heat, self._caps(), inputs[1])) if list(given) == told else None
        if on is not None:
            self._append(on)
        else:
            shell = tuple(wave(t) for wave in self.segment(t).response.shell)
            self._rebase(t, tuple(modes), tuple(air), shell, heat, brought)
        self.base.watch("thermal")

    def _caps(self) -> tuple[float, ...]:
        """W that each zone's cooler gives at most now."""
        capacity = self.capacity()
        return tuple([share * capacity for share in self.shares])

    def _rebase(
        self,
        t: float,
        modes: tuple[Mode, ...],
        air: tuple[float, ...],
        shell: tuple[float, ...],
        heat: tuple[float, ...] | None = None,
        given: float = 0.0,
    ) -> None:
        drive = Drive(heat or self.heat(), self._caps(), self._exchange())
        fresh = begin(t, self.hulls, self._outside(t), drive, modes, air, shell)
        self._append(replace(fresh, given=given) if given else fresh)

    def _append(self, segment: Segment) -> None:
        self._version += 1
        self.course.append(segment)

    def _exchange(self) -> float:
        """W/K that the fans carry between core and lab."""
        config, design = self.base.air.config, self.base.air.design
        flow = design.imv_m3_h * config.imv + design.portable_fan_m3_h * config.portable_fan
        return AIR_HEAT * flow / HOUR if config.hatches[0] else 0.0

    def _phasor(self, t: float) -> complex:
        return self._coldest * cmath.exp(2j * math.pi * t / SOL)

    def _outside(self, t: float) -> Outside:
        return Outside(self.section.sink_c + ZERO_C, self._phasor(t) * self.section.sink_swing_k)

    def _cabin(self, t: float) -> float:
        """C of the core."""
        return self.temperature(0, t) - ZERO_C

    def state(self, t: float) -> dict[str, Any]:
        return describe(self, t)
