"""People outside in suits: prebreathe, airlock, way out, work, way back, and what the suits hold meanwhile.

An EVA goes through phases; in each of them every store of a suit is linear, so that redlines, turn-back and ends are
found exactly. The crew goes back by itself at the limits of FR-13 that it can see, and when seven hours are over; range
and turn-back (FR-14) are for those who plan. What is pumped back at an airlock cycle stays in the airlock's account;
what is lost leaves it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from mission import rules
from mission.world import airlock
from mission.world import suit as model
from mission.world.airlock import EGRESS, INGRESS, PUMP, SUIT_PURGE
from mission.world.contact import last_contact
from mission.world.eva_section import TASKS, Breath, EvaSection, Excursion, Outside, Phase, Task, Way, full_as
from mission.world.field_work import brush
from mission.world.lookout import Watch, at
from mission.world.suit import Stores, Suit
from mission.world.units import CLOCK_STEP, HOUR, MINUTE, at_or_after

if TYPE_CHECKING:
    from mission.world.base import Base, PersonState

SUITS = ("1", "2")
PREBREATHE = rules.number("FR-12", "prebreathe") * MINUTE
REPAID = rules.number("FR-12", "repaid")
HARD = rules.number("FR-13", "hard") * HOUR
DESIGN = 1000.0 * model.BTU_H
ALARMED = model.HELMET_PER_W * DESIGN / (rules.number("FR-13", "co2") - model.HELMET_FLOOR)
"""Share of flow, or of scrubbing, at which design work shows FR-13's CO2 limit."""
ROUNDING = model.ROUNDING


class Eva:
    """The suits of one base, and the people in them."""

    def __init__(self, section: EvaSection, base: Base) -> None:
        self._base = base
        self._section = section
        self._suits = [[Suit(stores=full_as(suit))] for suit in section.suits]
        self._way = [Way(0.0, 0.0, 0.0)]
        self._out: list[tuple[float, float]] = []
        """Times at which the hatch was opened and closed again."""
        self._breaths: dict[str, Breath] = {}
        self._told: set[tuple[int, str]] = set()
        self._resting: set[int] = set()
        self._fault_watts: dict[int, float] = {}
        self.excursion: Excursion | None = None
        if section.outside is not None:
            self._begin_outside(section.outside)

    def suit(self, index: int, t: float) -> Suit:
        """The segment of a suit that holds at `t`."""
        track = self._suits[index]
        return track[max(bisect_right(track, t, key=lambda s: s.t0) - 1, 0)]

    def history(self, index: int) -> Sequence[Suit]:
        """The segments of a suit so far, in order of time."""
        return self._suits[index]

    def distance(self, t: float) -> float:
        """From the airlock, m."""
        way = self._way[max(bisect_right(self._way, t, key=lambda w: w.t0) - 1, 0)]
        return max(0.0, way.distance + way.speed * (t - way.t0))

    def heard(self, t: float) -> float:
        """The last time up to `t` at which people in suits were in contact."""
        comms, changes = self._base.part("comms"), [way.t0 for way in self._way]
        return last_contact(comms, lambda s: self.distance(s) / 1000.0, changes, t)

    def elapsed(self, t: float) -> float:
        """Seconds since the hatch opened, of an EVA under way at `t`; 0 without one."""
        return next((t - start for start, end in self._out if start <= t < end), 0.0)

    def distance_to(self, task: Task) -> float:
        """m"""
        return 1000.0 * self._section.distance_km.get(task, TASKS[task][0])

    def owed(self, person: str, t: float) -> float:
        """Prebreathe that somebody still owes, s; a break is repaid twice, but a fresh start is never dearer."""
        breath = self._breaths.get(person)
        if breath is None:
            return PREBREATHE
        after = t - breath.t0
        return max(0.0, breath.owed - after) if breath.on else min(PREBREATHE, breath.owed + REPAID * after)

    def breathe(self, person: str, *, on: bool) -> None:
        t = self._base.now()
        self._breaths[person] = Breath(t, self.owed(person, t), on)

    def free_suits(self) -> list[int]:
        """Suits that nobody wears and that are fit to be worn."""
        worn = [index for index, _ in self.excursion.wearers] if self.excursion else []
        return [i for i, track in enumerate(self._suits) if i not in worn and not track[-1].lost]

    def begin(self, people: Sequence[str], task: Task, hours: float) -> None:
        """Into the lock, in the first free suits."""
        t = self._base.now()
        wearers = tuple(zip(self.free_suits(), people, strict=False))
        hatch = t + EGRESS
        back = at_or_after(hatch + hours * HOUR)
        self.excursion = Excursion(wearers, task, self.distance_to(task), back, hatch, "egress", hatch)
        self._told.clear()
        for person in people:
            self._base.set_person(person, **_outside())
        airlock.pump_down(self._base, t)
        self._update(t)

    def recall(self) -> None:
        """Everybody back, from wherever they are."""
        self._go_back(self._base.now())
        self._update(self._base.now())

    def pace(self, *, slow: bool) -> None:
        if self.excursion is not None:
            self.excursion = replace(self.excursion, slow=slow)
            self._update(self._base.now())

    def rest(self, index: int, *, on: bool) -> None:
        """Let a wearer stand still, or go on."""
        (self._resting.add if on else self._resting.discard)(index)
        self._update(self._base.now())

    def purge(self, index: int, *, on: bool) -> None:
        self._set(index, purge=on)

    def refill(self, index: int) -> bool:
        """Full stores again, the oxygen from the base's tank; False if that had not enough: the primary comes first."""
        held = self._suits[index][-1].stores
        primary, secondary = model.O2_FULL - held.o2, model.SECONDARY_FULL - held.secondary
        given = self._draw_oxygen(primary + secondary)
        if given >= primary + secondary:
            self._set(index, stores=Stores(), spent=0.0)
            return True
        first = min(given, primary)
        self._set(index, stores=Stores(o2=held.o2 + first, secondary=held.secondary + given - first), spent=0.0)
        return False

    def leak(self, suit: str, kg_h: float) -> None:
        """A suit loses `kg_h` of oxygen beyond its seals."""
        self._set(SUITS.index(suit), leak=kg_h / HOUR)

    def seep(self, suit: str, kg_h: float) -> None:
        """Feedwater gets into a helmet, `kg_h` of it."""
        self._set(SUITS.index(suit), seep=kg_h / HOUR)

    def weaken_fan(self, suit: str, minutes: float) -> None:
        """A fan runs down evenly, so that design work shows FR-13's CO2 limit after `minutes`."""
        self._set(SUITS.index(suit), fan_slope=(ALARMED - 1.0) / (minutes * MINUTE))

    def spend_canister(self, suit: str, minutes: float) -> None:
        """A canister turns out so full that design work shows FR-13's CO2 limit after `minutes`."""
        index = SUITS.index(suit)
        held = model.stores(self._suits[index][-1], self._base.now()).scrubber
        ahead = model.CO2_PER_J * DESIGN * minutes * MINUTE
        self._set(index, spent=max(0.0, model.load_for(ALARMED) - held - ahead))

    def work_hard(self, suit: str, watts: float) -> None:
        """Somebody works harder than the task asks, unless told to go slow."""
        self._fault_watts[SUITS.index(suit)] = watts
        self._update(self._base.now())

    def watches(self) -> Sequence[Watch]:
        trip = self.excursion
        if trip is None:
            return []
        watches = [Watch("phase", trip.until, at(trip.until), self._next_phase)]
        for index, _ in trip.wearers:
            suit = self._suits[index][-1]
            times = [*model.ends(suit), *self._limits(index, suit), *self._turn_back(index, suit)]
            if suit.worn and times:
                t = max(at_or_after(min(times)), suit.t0 + CLOCK_STEP)
                watches.append(Watch(f"suit_{index}", t, at(t), self._update))
        return watches

    def loads(self) -> Mapping[str, float]:
        pumping = self.excursion is not None and self.excursion.phase == "egress"
        return {"airlock_pump": PUMP} if pumping else {}

    def state(self, t: float) -> dict[str, Any]:
        trip = self.excursion
        return {
            "excursion": None if trip is None else asdict(trip) | {"distance_now_m": self.distance(t)},
            "suits": {name: model.described(self._suits[index][-1], t) for index, name in enumerate(SUITS)},
            "lost_outside": sorted(name for name, person in self._base.people.items() if _lost_outside(person)),
            "prebreathe_owed_s": {person: self.owed(person, t) for person in sorted(self._breaths)},
        }

    def _begin_outside(self, start: Outside) -> None:
        work, distance = start.work_h * HOUR, self.distance_to(start.task)
        unknown = [person for person in start.people if person not in self._base.people]
        if unknown:
            raise ValueError(f"scenario {self._base.scenario.id}: eva.outside: {', '.join(unknown)} not in the crew")
        hatch = -start.since_h * HOUR
        work = min(work, max(0.0, hatch + HARD - distance / model.SPEED))
        back = at_or_after(work + distance / model.SPEED)
        self._out.append((hatch, math.inf))
        wearers = tuple(enumerate(start.people))
        self.excursion = Excursion(wearers, start.task, distance, back, hatch, "work", at_or_after(work))
        self._way = [Way(0.0, distance, 0.0)]
        for person in start.people:
            self._base.set_person(person, **_outside())
        self._advance(0.0)

    def _limits(self, index: int, suit: Suit) -> list[float]:
        """When the limits that have not been called out yet are met."""
        times = [t for name, t in model.redlines(suit).items() if (index, name) not in self._told]
        marks = (model.helmet_time(suit, mark) for mark in model.CO2_MARKS if (index, f"co2 {mark}") not in self._told)
        return times + [t for t in marks if t is not None]

    def _turn_back(self, index: int, suit: Suit) -> list[float]:
        trip = self.excursion
        if trip is None or trip.phase not in ("walk_out", "work") or (index, "turn_back") in self._told:
            return []
        way = self._way[-1]
        found = model.turn_back(suit, way.distance + way.speed * (suit.t0 - way.t0), way.speed)
        return [] if found is None else [found]

    def _set(self, index: int, **changes: Any) -> None:
        t = self._base.now()
        self._append(index, replace(model.advanced(self._suits[index][-1], t), **changes))
        self._update(t)

    def _append(self, index: int, suit: Suit) -> None:
        track = self._suits[index]
        if track[-1].t0 == suit.t0:
            track[-1] = suit
        elif replace(track[-1], t0=0.0) != replace(suit, t0=0.0):
            track.append(suit)

    def _update(self, t: float) -> None:
        """Settle the suits at `t`, and let the crew heed what they show until there is no more news."""
        self._advance(t)
        while any(self._heed(index, person, t) for index, person in self._worn()):
            self._advance(t)
        self._base.changed("eva")

    def _worn(self) -> list[tuple[int, str]]:
        """Suits outside on their own stores, and who is in them."""
        wearers = self.excursion.wearers if self.excursion else ()
        return [(index, person) for index, person in wearers if self._suits[index][-1].worn]

    def _advance(self, t: float) -> None:
        trip = self.excursion
        wearers = dict(trip.wearers) if trip else {}
        for index in range(len(self._suits)):
            suit = model.advanced(self._suits[index][-1], t)
            worn = index in wearers and not suit.lost and trip is not None and trip.phase not in ("egress", "ingress")
            purge = suit.purge and worn and suit.stores.secondary > 0.0
            self._append(index, replace(suit, worn=worn, watts=self._watts(index) if worn else 0.0, purge=purge))

    def _watts(self, index: int) -> float:
        trip = self.excursion
        if trip is None or index in self._resting:
            return model.REST
        if trip.phase != "work":
            return model.WALK
        return model.SLOW if trip.slow else self._fault_watts.get(index, TASKS[trip.task][1] * model.BTU_H)

    def _heed(self, index: int, person: str, t: float) -> bool:
        """Call out what is newly met, and act on it; True if anything was."""
        suit = self._suits[index][-1]
        end = model.end_of_wearer(suit)
        if end is not None:
            self._lose(index, person, t, end)
            return True
        self._forget(index, suit)
        if suit.stores.helmet_water >= model.WET * (1.0 - 1e-12) and (index, "wet") not in self._told:
            self._tell(index, "wet", t)
        news = [name for name, when in model.redlines(suit).items() if when <= t and (index, name) not in self._told]
        for name in news:
            self._tell(index, name, t, rule="FR-13")
        marks = self._heed_helmet(index, suit, t)
        if self._turned(index, suit, t):
            self._tell(index, "turn_back", t, rule="FR-14")
        home = bool(news) or any(mark >= rules.number("FR-13", "co2") for mark in marks)
        if home:
            self._go_back(t)
        return home or bool(marks)

    def _heed_helmet(self, index: int, suit: Suit, t: float) -> list[float]:
        """The CO2 marks newly passed; at FR-13's unconditional one the wearer purges."""
        level = model.helmet(suit, t)
        marks = [m for m in model.CO2_MARKS if level >= m * (1.0 - ROUNDING) and (index, f"co2 {m}") not in self._told]
        for mark in marks:
            self._tell(index, f"co2 {mark}", t, rule="FR-13", level_mmhg=mark)
        if any(mark >= rules.number("FR-13", "purge") for mark in marks) and suit.stores.secondary > 0.0:
            self._append(index, replace(suit, purge=True))
        return marks

    def _forget(self, index: int, suit: Suit) -> None:
        """A mark that the helmet has fallen below again can be passed again."""
        level = model.helmet(suit, suit.t0)
        self._told -= {(index, f"co2 {mark}") for mark in model.CO2_MARKS if level < mark * (1.0 - 1e-9)}

    def _turned(self, index: int, suit: Suit, t: float) -> bool:
        return any(when <= t for when in self._turn_back(index, suit))

    def _tell(self, index: int, what: str, t: float, **said: Any) -> None:
        self._told.add((index, what))
        self._base.log(t, "suit", suit=SUITS[index], what=what, **said)

    def _lose(self, index: int, person: str, t: float, why: str) -> None:
        self._append(index, replace(self._suits[index][-1], lost=True, worn=False, watts=0.0))
        self._base.log(t, "suit", suit=SUITS[index], what=why)
        self._base.set_person(person, activity="lost")
        trip = self.excursion
        if trip is not None and all(self._suits[i][-1].lost for i, _ in trip.wearers):
            self._move(t, self.distance(t), 0.0)
            self._close(t)

    def _next_phase(self, t: float) -> None:
        trip = self.excursion
        if trip is None:
            return
        match trip.phase:
            case "egress":
                airlock.shut(self._base)
                self._draw_oxygen(SUIT_PURGE * len(trip.wearers))
                self._out.append((t, math.inf))
                self._enter(t, "walk_out", t + trip.distance / model.SPEED, 0.0, model.SPEED)
            case "walk_out":
                self._enter(t, "work", trip.back_s - trip.distance / model.SPEED, trip.distance, 0.0)
            case "work":
                if t + trip.distance / model.SPEED >= trip.hatch_s + HARD - CLOCK_STEP:
                    self._base.log(t, "rule", rule="FR-13", why="seven hours from hatch to hatch")
                self._go_back(t)
            case "walk_back":
                self._enter(t, "ingress", t + INGRESS, 0.0, 0.0)
            case "ingress":
                self._inside(t)
        self._update(t)

    def _go_back(self, t: float) -> None:
        trip = self.excursion
        if trip is None or trip.phase in ("walk_back", "ingress"):
            return
        if trip.phase == "egress":
            airlock.shut(self._base)
            self._enter(t, "ingress", t + INGRESS, 0.0, 0.0)
            return
        if trip.phase == "work":
            brush(self._base, trip.task, len(trip.wearers) * (t - self._way[-1].t0) / HOUR)
        distance = self.distance(t)
        self._enter(t, "walk_back", t + distance / model.SPEED, distance, -model.SPEED)

    def _enter(self, t: float, phase: Phase, until: float, distance: float, speed: float) -> None:
        if self.excursion is not None:
            self.excursion = replace(self.excursion, phase=phase, until=max(t, at_or_after(until)))
            self._move(t, distance, speed)
            self._base.log(t, "eva", phase=phase, task=self.excursion.task)

    def _move(self, t: float, distance: float, speed: float) -> None:
        if self._way[-1].t0 == t:
            self._way.pop()
        self._way.append(Way(t, distance, speed))

    def _inside(self, t: float) -> None:
        """Repressurised from the core: bulk flow evens out the lock. The living are in the core again."""
        trip, base = self.excursion, self._base
        if trip is None:
            return
        airlock.repressurise(base)
        for index, person in trip.wearers:
            if not self._suits[index][-1].lost:
                base.set_person(person, zone=0, activity="nominal")
                self._breaths.pop(person, None)
        self._close(t)
        base.log(t, "eva", phase="inside", task=trip.task)

    def _close(self, t: float) -> None:
        self.excursion = None
        self._out = [(start, t if end == math.inf else end) for start, end in self._out]

    def _draw_oxygen(self, kg: float) -> float:
        """Take oxygen from the base's tank; how much there was to take."""
        base, t = self._base, self._base.now()
        held = base.air.tank(1, t)
        given = min(kg, held)
        base.change(t, tanks=(base.air.tank(0, t), held - given))
        return given


def _lost_outside(person: PersonState) -> bool:
    return person.activity == "lost" and person.zone == _outside()["zone"]


def _outside() -> dict[str, Any]:
    from mission.world.base import OUTSIDE  # Base is made of its parts: it can only be asked once it is there.

    return {"zone": OUTSIDE, "activity": "away"}
