"""What does not belong into the air: fire gases, smoke, dust, ammonia and glycol, and what protects people from them.

Each substance is a linear system on the air block's own exchange flows, leaks and vents, re-based whenever those
change. A substance that was never let loose has no system and costs nothing. Smoke and dust settle, the core's
particle filters take them, portable filter units take everything; ammonia and glycol leave no other way (design
study 2.8). The oxygen that a small fire takes is neglected.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mission import rules
from mission.world.atmosphere import CORE, ZONES, Flow, Track
from mission.world.exponential import combine
from mission.world.lookout import BACK, Watch, at, reach
from mission.world.masks import Masks
from mission.world.substances import (
    ALARMS,
    BUS_LOADS,
    GASES,
    GLYCOL_VAPOUR,
    MONITORED,
    PARTICLES,
    RACK_EXCESS,
    RACK_HALF_TIME,
    WATER_PER_GLYCOL,
    Fire,
    Heat,
    Source,
)
from mission.world.toxics_section import ToxicsSection
from mission.world.units import GAS_CONSTANT, HOUR

if TYPE_CHECKING:
    from mission.world.base import Base

QUIET = 0.9
"""Share of its level under which a gas alarm falls silent, ours; without a gap it would chatter in thinning air."""
SAME = 1e-6
VACUUM = 1.0
"""Pa: thinner air counts as this, so that a share of it can be stated and is no rounding error."""


class Toxics:
    def __init__(self, section: ToxicsSection, base: Base) -> None:
        self.section = section
        self.base = base
        self.tracks: dict[str, Track] = {}
        self.fires: list[Fire] = []
        self.sources: list[Source] = []
        self.filters: list[int] = []
        self.masks = Masks(base.people, section.masks_per_person, self.doses)
        self.racks: dict[int, list[Heat]] = {ZONES.index(name): [Heat()] for name in MONITORED}
        self.alarmed: set[tuple[int, str]] = set()
        """What is above its alarm now, by zone."""
        self.smoke_alarms: dict[int, float] = {}
        """When a zone last alarmed; all over once the fan between the modules runs again."""
        self.ammonia_alarms: dict[int, float] = {}
        """When a zone last alarmed and nobody has stood down since."""
        self._first_alarms: dict[int, float] = {}
        """When a zone alarmed for ammonia for the first time."""
        self._sounding: list[tuple[float, bool]] = [(0.0, False)]
        """Whether the ammonia alarm sounds, from when on."""
        self.gas_checks: list[tuple[float, str, dict[str, float]]] = []
        self.chips: list[tuple[float, str, float]] = []
        self._leaks: dict[str, int] = {}
        """Zones that coolant loops leak into."""
        self._version = 0
        base.follow_air(self._followed)
        base.follow_loads(self._followed)

    def density(self, substance: str, zone: int, t: float) -> float:
        """kg/m3"""
        track = self.tracks.get(substance)
        return track.mass(zone, t) / track.volumes[zone] if track else 0.0

    def ppm(self, gas: str, zone: int, t: float) -> float:
        """Parts per million by volume of the zone's air as it is."""
        density = self.density(gas, zone, t)
        return density * self._ppm_per_density(gas, zone, t) if density else 0.0

    def extinction(self, zone: int, t: float) -> float:
        """1/m of smoke and dust."""
        return sum(PARTICLES[kind] * self.density(kind, zone, t) for kind in PARTICLES)

    def doses(self, zone: int, t: float) -> dict[str, float]:
        """Time integral of the density in a zone, kg s/m3, by substance."""
        return {kind: track.dose(t)[zone] for kind, track in self.tracks.items()}

    def powered(self, zone: int) -> bool:
        return any(load not in self.base.shed for load in BUS_LOADS[ZONES[zone]])

    def rack_excess(self, zone: int, t: float) -> float:
        """K above what it is in a healthy cabin; the cable's heat reaches the rack's sensor within minutes."""
        heat = next(h for h in reversed(self.racks[zone]) if h.t0 <= t)
        return heat.end + (heat.start - heat.end) * 2.0 ** (-(t - heat.t0) / RACK_HALF_TIME)

    def ignite(self, zone: str, *, fuel_g: float, rate_mg_s: float, **fire: Any) -> None:
        """A cable overheats, with the other fields of `Fire`; without power on its bus it does nothing."""
        place = ZONES.index(zone)
        if self.powered(place):
            self.fires.append(Fire(place, self.base.now(), fuel_g * 1e-3, rate_mg_s * 1e-6, **fire))
            self._heat_rack(place, RACK_EXCESS)
            self._rebase()

    def release(self, substance: str, zone: str, mg_s: float, loop: str = "", kg: float = math.inf) -> None:
        """From now on something comes into a zone, until `kg` of it have."""
        until = self.base.now() + kg / (mg_s * 1e-6)
        self.sources.append(Source(substance, ZONES.index(zone), mg_s * 1e-6, loop, until))
        self._rebase()

    def carry(self, giver: int, taker: int, share: float) -> None:
        """A share of a zone's air goes to another one at once."""
        for kind, track in sorted(self.tracks.items()):
            masses = list(track.masses(self.base.now()))
            masses[taker] += masses[giver] * share
            masses[giver] -= masses[giver] * share
            track.update(self.base.now(), self._flows(kind), self._exchange(), tuple(masses))
        if self.tracks:
            self._rebase()

    def leaks_into(self, loop: str, zone: str) -> None:
        """Where the coolant goes that a loop loses."""
        self._leaks[loop] = ZONES.index(zone)

    def coolant_leaks(self, loop: str, litres_per_s: float) -> None:
        """A loop loses so much coolant from now on: glycol and water for the air of its zone.

        The loop says when it is empty; there is no second reckoning of that here.
        """
        if loop not in self._leaks:
            return
        kept = [s for s in self.sources if not (s.loop == loop and s.substance == "glycol")]
        fresh = Source("glycol", self._leaks[loop], GLYCOL_VAPOUR * litres_per_s, loop)
        sources = [*kept, fresh] if litres_per_s > 0.0 else kept
        if sources != self.sources:
            self.sources = sources
            self._wet()
            self._rebase()

    def _wet(self) -> None:
        """The water of the coolant that has leaked goes where its glycol goes."""
        rates = [0.0] * len(ZONES)
        for source in self.sources:
            if source.substance == "glycol":
                rates[source.zone] += source.rate * WATER_PER_GLYCOL
        self.base.change(self.base.now(), spilt_h2o=tuple(rates))

    def puff(self, substance: str, zone: str, grams: float) -> None:
        """Something comes into a zone at once."""
        self._track(substance).put(self.base.now(), "released", ZONES.index(zone), grams * 1e-3)
        self._rebase()

    def coolant_isolated(self, loop: str) -> None:
        """Nothing comes out of a loop any more."""
        self._end([source for source in self.sources if source.loop == loop])

    def _end(self, sources: Sequence[Source]) -> None:
        self.sources = [source for source in self.sources if source not in sources]
        self._wet()
        self._rebase()

    def _ends(self, source: Source) -> Callable[[float], None]:
        def fire(t: float) -> None:
            self._end([source])
            if source.substance == "nh3" and source.loop:
                self.base.part("thermal").change_loop(source.loop, ingress=0.0)
            self.base.log(t, "toxic", zone=ZONES[source.zone], substance=source.substance, event="source empty")

        return fire

    def put_out(self, zone: int, *, flaming: bool) -> int:
        """End the fires of a zone, those that burn without power too if `flaming`; how many there were."""
        gone = [f for f in self.fires if f.zone == zone and (flaming or not f.flaming)]
        if gone:
            self.fires = [fire for fire in self.fires if fire not in gone]
            self._heat_rack(zone, 0.0)
            self._rebase()
        return len(gone)

    def set_filter(self, zone: int, *, on: bool) -> None:
        self.filters = sorted(({*self.filters} | {zone}) if on else ({*self.filters} - {zone}))
        self._rebase()

    def stand_down(self) -> None:
        """Nobody fears ammonia any more."""
        if self.ammonia_alarms:
            self.ammonia_alarms.clear()
            self._sounding.append((self.base.now(), False))

    def ammonia_alarm(self, t: float) -> bool:
        return self._sounding[bisect_right(self._sounding, t, key=lambda entry: entry[0]) - 1][1]

    def alarm_ammonia(self, zone: str, why: str) -> None:
        """An ammonia alarm of a zone, by its detector or by another cue."""
        t = self.base.now()
        self.ammonia_alarms[ZONES.index(zone)] = t
        self._first_alarms.setdefault(ZONES.index(zone), t)
        self._sounding.append((t, True))
        self.base.log(t, "toxic", zone=zone, substance="nh3", event="alarm", why=why, rule="FR-10")

    def watches(self) -> Sequence[Watch]:
        found = [*self.masks.watches(self.base), *self.masks.harm_watches(self.base, self.tracks, self._version)]
        for index, source in enumerate(self.sources):
            if source.until < math.inf:
                found.append(Watch(f"source_{index}", source, at(source.until), self._ends(source)))
        for index, fire in enumerate(self.fires):
            found.append(Watch(f"fuel_{index}", (self._version, fire.t0), at(fire.until), self._spent(fire)))
        for name in MONITORED:
            zone = ZONES.index(name)
            found += self._smoke_watch(zone)
            for gas, rule, number in ALARMS:
                if gas in self.tracks:
                    found.append(self._gas_watch(zone, gas, rule, rules.number(rule, number)))
        return found

    def loads(self) -> Mapping[str, float]:
        loads = {f"filter_{ZONES[zone]}": self.section.filter_w for zone in self.filters}
        for fire in self.fires:
            if self.powered(fire.zone) and fire.overload:
                loads[f"fault_{ZONES[fire.zone]}"] = fire.overload
        return loads

    def _smoke_watch(self, zone: int) -> list[Watch]:
        kinds = [kind for kind in PARTICLES if kind in self.tracks]
        if not kinds:
            return []
        above = (zone, "smoke") in self.alarmed
        level = rules.number("FR-09", "smoke") * (1.0 - BACK if above else 1.0)
        parts = [(PARTICLES[kind], kind) for kind in kinds]

        def curve(now: float) -> Any:
            return combine([(weight, self._curve(kind, zone, now)) for weight, kind in parts])

        def fire(t: float) -> None:
            self._alarm(t, zone, "smoke", "FR-09", above)

        return [Watch(f"smoke_{zone}", (self._version, above), reach(curve, level, rising=not above), fire)]

    def _gas_watch(self, zone: int, gas: str, rule: str, ppm: float) -> Watch:
        above = (zone, gas) in self.alarmed
        level = ppm / self._ppm_per_density(gas, zone, self.base.now()) * (QUIET if above else 1.0)

        def fire(t: float) -> None:
            if above and self._curve(gas, zone, t)(0.0) * self._ppm_per_density(gas, zone, t) > ppm * QUIET * (
                1.0 + SAME
            ):
                return  # the air has thinned with the gas: its share of it has not fallen, and is looked at again
            self._alarm(t, zone, gas, rule, above)

        search = reach(lambda now: self._curve(gas, zone, now), level, rising=not above)
        return Watch(f"{gas}_{zone}", (self._version, above, level), search, fire)

    def _alarm(self, t: float, zone: int, substance: str, rule: str, above: bool) -> None:
        key = (zone, substance)
        if above:
            self.alarmed.discard(key)
            self.base.log(t, "toxic", zone=ZONES[zone], substance=substance, event="clear", rule=rule)
            return
        self.alarmed.add(key)
        if substance == "nh3":
            self.alarm_ammonia(ZONES[zone], "detector")
            return
        self.base.log(t, "toxic", zone=ZONES[zone], substance=substance, event="alarm", rule=rule)
        if substance == "smoke":
            self.smoke_alarms[zone] = t
            if self.base.air.config.imv:
                self.base.change(t, imv=False)
                self.base.log(t, "rule", rule="FR-09", zone=ZONES[zone], why="smoke alarm stops the fan")

    def _spent(self, fire: Fire) -> Callable[[float], None]:
        def done(t: float) -> None:
            self.fires.remove(fire)
            self._heat_rack(fire.zone, 0.0)
            self._rebase()
            self.base.log(t, "toxic", zone=ZONES[fire.zone], event="burnt out")

        return done

    def _followed(self) -> None:
        """The air's flows, the loads or somebody's place have changed."""
        moved = self.masks.settle(self.base.people, self.base.now())
        if self.smoke_alarms and self.base.air.config.imv:
            self.smoke_alarms.clear()
        for fire in self.fires:
            if not fire.flaming and not self.powered(fire.zone):
                self.put_out(fire.zone, flaming=False)
                self.base.log(self.base.now(), "toxic", zone=ZONES[fire.zone], event="out without power")
                return
        if self.tracks and (self._update() or moved):
            self.base.changed("toxics")

    def _rebase(self) -> None:
        self._update()
        self._version += 1
        self.base.changed("toxics")

    def _update(self) -> bool:
        """Bring every track up to date; whether any has changed."""
        t, exchange = self.base.now(), self._exchange()
        kinds = {source.substance for source in self.sources}.union(*(fire.yields for fire in self.fires))
        for kind in sorted(kinds):
            self._track(kind)
        changed = [track.update(t, self._flows(kind), exchange) for kind, track in sorted(self.tracks.items())]
        self._version += any(changed)
        return any(changed)

    def _track(self, substance: str) -> Track:
        if substance not in self.tracks:
            volumes = self.base.air.volumes
            self.tracks[substance] = Track(volumes, (0.0,) * len(volumes))
        return self.tracks[substance]

    def _exchange(self) -> tuple[tuple[int, int, float], ...]:
        return self.base.air.exchange(self.base.air.config)

    def _flows(self, substance: str) -> tuple[Flow, ...]:
        air, section = self.base.air, self.section
        flows = list(air.leaks(air.config))
        flows += [Flow("filter", zone, 0.0, section.filter_m3_h / HOUR) for zone in self.filters]
        if substance in PARTICLES:
            settling = section.smoke_settling_per_h if substance == "smoke" else section.dust_settling_per_h
            flows += [Flow("settled", zone, 0.0, settling / HOUR * volume) for zone, volume in enumerate(air.volumes)]
            flows.append(Flow("hepa", CORE, 0.0, section.hepa_m3_h / HOUR))
        flows += [Flow("released", s.zone, s.rate, 0.0) for s in self.sources if s.substance == substance]
        made = [(fire.zone, fire.rate * fire.yields.get(substance, 0.0)) for fire in self.fires]
        return tuple(flows + [Flow("fire", zone, rate, 0.0) for zone, rate in made if rate])

    def _curve(self, substance: str, zone: int, now: float) -> Any:
        """Density over time after `now`."""
        segment = self.tracks[substance].segment(now)
        return segment.masses[zone].shifted(now - segment.t0, 1.0 / self.tracks[substance].volumes[zone])

    def _ppm_per_density(self, gas: str, zone: int, t: float) -> float:
        air = self.base.air
        molar = GAS_CONSTANT * air.config_at(t).temperatures[zone] / max(air.pressure(zone, t), VACUUM)
        return 1e6 * molar / GASES[gas]

    def _heat_rack(self, zone: int, end: float) -> None:
        t = self.base.now()
        self.racks[zone].append(Heat(t, self.rack_excess(zone, t), end))

    def state(self, t: float) -> dict[str, Any]:
        return {
            "zones": {
                name: {f"{gas}_ppm": self.ppm(gas, zone, t) for gas in GASES}
                | {"extinction_per_m": self.extinction(zone, t)}
                for zone, name in enumerate(ZONES)
            },
            "fires": [{"zone": ZONES[f.zone], "left_kg": f.fuel - f.rate * (t - f.t0)} for f in self.fires],
            "filters": [ZONES[zone] for zone in self.filters],
            "people": (people := self.masks.state(self.tracks, t)),
            "harmed_people": sum(bool(person["beyond"]) for person in people.values()),
            "worst_smac_hours": max(person["smac_hours"] for person in people.values()),
            "smoke_alarms": {ZONES[zone]: at for zone, at in sorted(self.smoke_alarms.items())},
            "ammonia_alarms": {ZONES[zone]: at for zone, at in sorted(self.ammonia_alarms.items())},
            "bare_s": max((self.masks.bare(zone, at, t) for zone, at in self._first_alarms.items()), default=0.0),
            "ledger_kg": {kind: track.ledger(t) for kind, track in sorted(self.tracks.items())},
        }
