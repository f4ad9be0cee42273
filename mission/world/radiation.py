"""Radiation: the rate outside, everybody's dose, alerts from Earth, and the shelter with its own air.

The shelter is part of the core. People in it breathe into its small volume; what they add stands above the core's mean
and is carried away by the shelter's fan. The excess x (kg/m3) obeys x' = S (1/Vs - 1/Vc) - (q/Vs) Vc/(Vc - Vs) x, so
that shelter and the rest of the core together hold the core's CO2. Two things are neglected: the units draw the
core's mean, not the leaner air beside the shelter, which is x/7 off; and oxygen is the core's everywhere.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field

from mission import rules
from mission.world import dose
from mission.world.exponential import ExpSum, combine, exp_sum, first_reach
from mission.world.gases import pascal_per_kg
from mission.world.lookout import BACK, Search, Watch, at, reach
from mission.world.record import Built, Positive
from mission.world.units import DAY, HOUR, MINUTE, MMHG, at_or_after, nearest

if TYPE_CHECKING:
    from mission.world.base import Base

CORE = 0
OUTSIDE = 3
"""Where people are who are in no zone: base.OUTSIDE, which cannot be imported here."""
FAN_W = 60.0
CO2_MARKS = tuple(rules.number("FR-03", name) for name in ("emergency", "leave", "abandon"))
"""mmHg in the shelter whose passing is logged."""
QUIET = rules.number("FR-21", "quiet") * dose.BACKGROUND
"""mGy/h"""
WAIT = rules.number("FR-21", "wait") * HOUR
RECALL, SHELTER = (rules.number("FR-21", name) * MINUTE for name in ("recall", "shelter"))
HORIZON = 30 * DAY
"""An alert for an event is stood down within this time."""


class RadiationSection(Built):
    shelter_m3: Positive = 25.0
    shelter_fan_m3_h: Positive = 60.0
    shelter_factor: float = Field(default=4.0, ge=1)
    """By which the shelter cuts protons: 3 to 5 with 10 g/cm2 (design study 2.8). It cuts no galactic rays."""
    cabin_factor: float = Field(default=1.0, ge=1)
    """By which the base's walls cut protons; suits and rovers cut none. Protons that have come through 20 g/cm2 of air
    take no notice of a thin wall; soil over it would change that."""
    before_msv: float = Field(default=150.0, ge=0)
    """Everybody's dose of the career so far, of the 600 mSv that NASA-STD-3001 allows."""
    fan_on: bool = True


@dataclass(frozen=True)
class Alert:
    """One alert from Earth: when it was sent, when it arrived, when its end arrives."""

    sent: float
    arrives: float
    ends: float


@dataclass(frozen=True)
class Stay:
    """One person from `t0` on: mGy of protons so far, and the factor of where they are."""

    t0: float
    protons: float
    factor: float


@dataclass(frozen=True)
class Excess:
    """CO2 of the shelter above the core's mean from `t0` on, kg/m3."""

    t0: float
    curve: ExpSum


class Radiation:
    """Events and alerts, where everybody is, and the air of the shelter."""

    def __init__(self, section: RadiationSection, base: Base) -> None:
        self.section = section
        self._base = base
        self.events: tuple[dose.Event, ...] = ()
        self.alerts: tuple[Alert, ...] = ()
        self.sheltered: tuple[str, ...] = ()
        self.fan, self.fan_failed = section.fan_on, False
        self.sorties: list[float] = []
        """When each task outside the shelter began."""
        self.above = False
        """Whether the rate is at or above twice the background."""
        self.marks = 0
        """How many of CO2_MARKS the shelter's air is above."""
        self.peak_ppco2 = 0.0
        """mmHg, at changes and passings so far, while somebody is inside."""
        self._upset: tuple[float, float] | None = None
        """When the base's own detector starts to read high, and by how many uGy/h."""
        self._room = [(0.0, 0, self.fan)]
        """(since, people, fan)"""
        self._stays = {person: [Stay(0.0, 0.0, section.cabin_factor)] for person in base.people}
        self._excess = [Excess(0.0, exp_sum(0.0, ()))]
        self._breath = 0.0
        self._told = -1.0
        """Up to when what alerts say has been logged."""
        self._outdoors: frozenset[str] = frozenset()
        base.follow_air(self._follow)

    def rate(self, t: float) -> float:
        """mGy/h outside."""
        return dose.rate(self.events, t)

    def protons(self, person: str, t: float) -> float:
        """mGy of solar protons that somebody has received by `t`."""
        stay = self._stays[person][max(bisect_right(self._stays[person], t, key=lambda s: s.t0) - 1, 0)]
        return stay.protons + (self._outside(t) - self._outside(stay.t0)) / stay.factor

    def total(self, person: str, t: float) -> tuple[float, float]:
        """mGy and mSv that somebody has received since the start: protons and galactic rays."""
        protons, days = self.protons(person, t), t / DAY
        return protons + dose.GCR_MGY_DAY * days, dose.PROTON_WEIGHT * protons + dose.GCR_MSV_DAY * days

    def alert_active(self, t: float) -> bool:
        """Whether an alert from Earth has arrived and stands."""
        return any(alert.arrives <= t < alert.ends for alert in self.alerts)

    def quiet_for(self, t: float) -> bool:
        """Whether the rate has been below FR-21's mark for as long as it asks."""
        return dose.highest(self.events, max(0.0, t - WAIT), t) < QUIET if t > 0.0 else self.rate(t) < QUIET

    def occupants(self, t: float) -> int:
        """People in the shelter."""
        return self._room_at(t)[1]

    def fan_at(self, t: float) -> bool:
        return self._room_at(t)[2]

    def _room_at(self, t: float) -> tuple[float, int, bool]:
        return self._room[max(bisect_right(self._room, t, key=lambda s: s[0]) - 1, 0)]

    def ppco2(self, t: float) -> float:
        """mmHg in the shelter."""
        segment = self._excess[max(bisect_right(self._excess, t, key=lambda s: s.t0) - 1, 0)]
        density = segment.curve(t - segment.t0) + self._base.air.concentration("co2", CORE, t)
        return density * self._pascal(t) / MMHG

    def flare(self, dose_mgy: float, warning_min: float, rise_h: float, decay_h: float) -> None:
        """A flare now, an alert by light, and particles after `warning_min`.

        The alert's end is sent when the rate has come down as far and as long as FR-21 asks.
        """
        start = nearest(self._base.now() + warning_min * MINUTE)
        event = dose.Event(start, dose_mgy, rise_h * HOUR, decay_h * HOUR)
        self.events = (*self.events, event)
        peak = event.t0 + event.peak
        after = first_reach(dose.curve(self.events, peak), QUIET, HORIZON, rising=False) or 0.0
        self._announce(peak + after + WAIT)
        self._base.changed("radiation")

    def false_alert(self, ends_h: float) -> None:
        """An alert that nothing follows, called off after `ends_h`."""
        self._announce(self._base.now() + ends_h * HOUR)
        self._base.changed("radiation")

    def _announce(self, ends: float) -> None:
        now, comms = self._base.now(), self._base.part("comms")
        arrives, over = comms.heard(now + comms.light), comms.heard(ends + comms.light)
        self.alerts = (*self.alerts, Alert(now, arrives, over))

    def upset_detector(self, minutes: float, offset: float) -> None:
        """From so many minutes from now on the base's own detector reads high by `offset` uGy/h."""
        self._upset = (nearest(self._base.now() + minutes * MINUTE), offset)
        self._base.changed("radiation")

    def _upsets(self, offset: float) -> Callable[[float], None]:
        def fire(t: float) -> None:
            self._upset = None
            self._base.part("instruments").spoil("radiation.rate", offset=offset)

        return fire

    def fail_fan(self) -> None:
        self.fan_failed = True
        self.set_fan(on=False)

    def set_fan(self, *, on: bool) -> None:
        self.fan = on and not self.fan_failed
        self._settle()
        self._base.changed("radiation")

    def kept(self, people: Iterable[str]) -> list[str]:
        """Of these people, those who are in the shelter or out of it for a task, after which they are back."""
        tasks = [task.parameters["people"] for task in self._base.tasks if task.command == "shelter_task"]
        return [person for person in people if person in (*self.sheltered, *tasks)]

    def put(self, people: Sequence[str], *, inside: bool) -> None:
        """Take people into the shelter or out of it."""
        t = self._base.now()
        kept = [p for p in self.sheltered if p not in people]
        self.sheltered = tuple(sorted([*kept, *people])) if inside else tuple(kept)
        for person in people:
            self._stay(person, t)
        self._settle()
        self._base.changed("radiation")

    def _stay(self, person: str, t: float) -> None:
        """What shields somebody from now on."""
        factor = self.section.cabin_factor
        if person in self.sheltered:
            factor = self.section.shelter_factor
        elif self._base.people[person].zone == OUTSIDE:
            factor = 1.0
        self._stays[person].append(Stay(t, self.protons(person, t), factor))

    def _go_out(self) -> None:
        """People have gone outside or come in."""
        out = frozenset(person for person, state in self._base.people.items() if state.zone == OUTSIDE)
        moved, self._outdoors = sorted(out ^ self._outdoors), out
        for person in moved:
            self._stay(person, self._base.now())

    def watches(self) -> Sequence[Watch]:
        ahead = [event.t0 for event in self.events if event.t0 > self._base.now()]
        begins = [Watch("begins", t, at(t), lambda _: None) for t in ahead[:1]]
        if self._upset:
            begins.append(Watch("upset", self._upset, at(self._upset[0]), self._upsets(self._upset[1])))
        level = QUIET * (1.0 - BACK) if self.above else QUIET
        rate = reach(lambda now: dose.curve(self.events, now), level, rising=not self.above)
        passing = Watch("rate", (self.events, self.above, len(ahead)), rate, self._pass_rate)
        return [*begins, *self._news(), passing, *self._stuffy(), *self._due()]

    def loads(self) -> Mapping[str, float]:
        return {"shelter_fan": FAN_W} if self.fan and self.sheltered else {}

    def state(self, t: float) -> dict[str, Any]:
        doses = {person: self.total(person, t) for person in sorted(self._stays)}
        return {
            "rate_mgy_h": self.rate(t),
            "alerts": [asdict(alert) for alert in self.alerts],
            "sheltered": list(self.sheltered),
            "shelter_fan": self.fan,
            "shelter_ppco2_mmhg": self.ppco2(t),
            "shelter_peak_mmhg": max(self.peak_ppco2, self.ppco2(t) if self.sheltered else 0.0),
            "dose_mgy": {person: total[0] for person, total in doses.items()},
            "dose_msv": {person: total[1] for person, total in doses.items()},
            "career_msv": {person: self.section.before_msv + total[1] for person, total in doses.items()},
        }

    def _outside(self, t: float) -> float:
        return sum(event.received(t) for event in self.events)

    def _pascal(self, t: float) -> float:
        return pascal_per_kg("co2", self._base.air.config_at(t).temperatures[CORE], 1.0)

    def _follow(self) -> None:
        """The air has changed: so may have what people in the shelter breathe out, and who is there or outside."""
        inside = sum(self._base.air.config.crew)
        if inside != len(self._stays) - len(self._outdoors):
            self._go_out()
        if not self.sheltered:
            return
        gone = [person for person in self.sheltered if self._base.people[person].zone != CORE]
        if gone:
            self.put(gone, inside=False)
            return
        self.peak_ppco2 = max(self.peak_ppco2, self.ppco2(self._base.now()))
        if self._breathed() != self._breath:
            self._settle()
        self._base.changed("radiation")

    def _breathed(self) -> float:
        """kg/s of CO2 from the people in the shelter."""
        people = [self._base.people[person] for person in self.sheltered]
        return sum(state.rates[state.activity].co2 for state in people)

    def _settle(self) -> None:
        """Start a new segment of the shelter's excess."""
        t = self._base.now()
        if self.sheltered:
            self.peak_ppco2 = max(self.peak_ppco2, self.ppco2(t))
        last = self._excess[-1]
        shelter, core = self.section.shelter_m3, self._base.air.volumes[CORE]
        self._breath = self._breathed()
        self._room.append((t, len(self.sheltered), self.fan))
        flow = self.section.shelter_fan_m3_h / HOUR if self.fan or not self.sheltered else 0.0
        decay, source = flow / shelter * core / (core - shelter), self._breath * (1.0 / shelter - 1.0 / core)
        start = last.curve(t - last.t0)
        fresh = Excess(t, exp_sum(start, [(decay, source - decay * start)]))
        if last.t0 == t:
            self._excess[-1] = fresh
        else:
            self._excess.append(fresh)
        self.marks = bisect_right(CO2_MARKS, self.ppco2(t))

    def _news(self) -> list[Watch]:
        """The next alert to come in, or to be over."""
        times = sorted({t for alert in self.alerts for t in (alert.arrives, alert.ends) if alert.arrives < alert.ends})
        ahead = [t for t in times if t > self._told]
        return [Watch("alert", ahead[0], at(ahead[0]), self._hear)] if ahead else []

    def _hear(self, t: float) -> None:
        for alert in self.alerts:
            for moment, what in ((alert.arrives, "arrives"), (alert.ends, "over")):
                if alert.arrives < alert.ends and self._told < moment <= t:
                    self._base.log(t, "radiation", alert=what, flare_s=alert.sent, rule="FR-21")
        self._told = t

    def _pass_rate(self, t: float) -> None:
        self.above = not self.above
        self._base.log(t, "radiation", level_mgy_h=QUIET, direction="rising" if self.above else "falling", rule="FR-21")

    def _due(self) -> list[Watch]:
        """When FR-21 wants people inside, and in the shelter, after an alert that still stands then."""
        ahead = {a.arrives + limit for a in self.alerts for limit in (RECALL, SHELTER) if a.arrives + limit < a.ends}
        return [Watch(f"due_{t!r}", t, at(t), self._look_round) for t in sorted(ahead) if t > self._base.now()]

    def _look_round(self, t: float) -> None:
        """Log who is not where FR-21 wants them, now that its time is up."""
        alive = {p: state.zone for p, state in sorted(self._base.people.items()) if state.activity != "lost"}
        outside = [person for person, zone in alive.items() if zone == OUTSIDE]
        unsheltered = [person for person in alive if person not in self.sheltered]
        due = (("not inside", RECALL, outside), ("not in the shelter", SHELTER, unsheltered))
        for why, limit, people in due:
            if people and any(at_or_after(alert.arrives + limit) == t for alert in self.alerts):
                self._base.log(t, "rule", rule="FR-21", why=why, people=people)

    def _stuffy(self) -> list[Watch]:
        """The next mark of FR-03 in the shelter."""
        if not self.sheltered or self.marks == len(CO2_MARKS):
            return []
        key = (self._base.air.tracks["co2"].version, self._excess[-1], self.marks)
        return [Watch("stuffy", key, self._fills(CO2_MARKS[self.marks]), self._pass_co2)]

    def _fills(self, level: float) -> Search:
        def after(now: float) -> ExpSum:
            segment = self._excess[-1]
            factor = self._pascal(now)
            core = self._base.air.partial_curve("co2", CORE, now)
            return combine([(1.0, core), (factor, segment.curve.shifted(now - segment.t0))])

        return reach(after, level * MMHG, rising=True)

    def _pass_co2(self, t: float) -> None:
        level = CO2_MARKS[self.marks]
        self.marks += 1
        self.peak_ppco2 = max(self.peak_ppco2, level)
        self._base.log(t, "crossing", quantity="shelter_ppco2", level=level, rule="FR-03")
