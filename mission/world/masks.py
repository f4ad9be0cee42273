"""Who wears a mask, how long it lasts, what each person has breathed, and what that did to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mission import rules
from mission.world.atmosphere import ZONES, Track
from mission.world.harm import LIMITS, MOLAR, Limit, Load, Span
from mission.world.lookout import Search, Watch, at
from mission.world.units import HOUR, MINUTE, at_or_after

if TYPE_CHECKING:
    from mission.world.base import Base, PersonState

Doses = Callable[[int, float], dict[str, float]]


@dataclass(frozen=True, slots=True)
class Breathing:
    """One person since `since`: where, until when masked, and what was breathed and had passed by then."""

    since: float
    zone: int
    masks_left: int
    masked_until: float | None
    breathed: Mapping[str, float]
    passed: Mapping[str, float]
    lost: bool = False
    suited: bool = False
    spans: tuple[Span, ...] = ()
    """Where they have breathed from the start on."""
    beyond: tuple[tuple[str, float], ...] = ()
    """Which limits of exposure they have passed, and when."""

    @property
    def exposed(self) -> bool:
        """They breathe the base's air."""
        return self.masked_until is None and self.zone < len(ZONES) and not self.lost and not self.suited


class Masks:
    """Doses are time integrals of density, kg s/m3; who is outside or masked breathes nothing of the base's air."""

    def __init__(self, people: Mapping[str, PersonState], masks: int, doses: Doses) -> None:
        self._doses = doses
        self._people = {
            p: Breathing(0.0, state.zone, masks, None, {}, {}, spans=(_span(0.0, state.zone),))
            for p, state in people.items()
        }

    def left(self, person: str) -> int:
        return self._people[person].masks_left

    def masked(self, person: str) -> bool:
        return self._people[person].masked_until is not None

    def settle(self, people: Mapping[str, PersonState], t: float) -> bool:
        """Note who has gone elsewhere, and who is lost or in a suit; whether anybody has or is."""
        news = False
        for person, state in people.items():
            own, lost = self._people[person], state.activity == "lost"
            if (state.zone, lost, state.suited) != (own.zone, own.lost, own.suited):
                self._change(person, t, zone=state.zone, lost=lost, suited=state.suited)
                news = True
        return news

    def don(self, person: str, t: float) -> None:
        until = at_or_after(t + rules.number("FR-09", "mask") * MINUTE)
        left = self._people[person].masks_left - 1
        self._change(person, t, masked_until=until, masks_left=left)

    def doff(self, person: str, t: float) -> None:
        self._change(person, t, masked_until=None)

    def breathed(self, person: str, t: float) -> dict[str, float]:
        """kg s/m3 by substance so far."""
        own = self._people[person]
        total = dict(own.breathed)
        if own.exposed:
            for kind, dose in self._doses(own.zone, t).items():
                total[kind] = total.get(kind, 0.0) + dose - own.passed.get(kind, 0.0)
        return total

    def watches(self, base: Base) -> list[Watch]:
        return [
            Watch(f"mask_{person}", own.masked_until, at(own.masked_until), self._used_up(base, person))
            for person, own in self._people.items()
            if own.masked_until is not None
        ]

    def _used_up(self, base: Base, person: str) -> Callable[[float], None]:
        def fire(t: float) -> None:
            self.doff(person, t)
            base.set_mask(person, on=False)
            base.log(t, "mask", person=person, event="empty")

        return fire

    def _change(self, person: str, t: float, **changes: Any) -> None:
        own = replace(self._people[person], since=t, breathed=self.breathed(person, t), **changes)
        passed = self._doses(own.zone, t) if own.zone < len(ZONES) else {}
        spans = (*own.spans, _span(t, own.zone if own.exposed else OWN_AIR))
        self._people[person] = replace(own, passed=passed, spans=spans)

    def harm_watches(self, base: Base, tracks: Mapping[str, Track], version: int) -> list[Watch]:
        """Who passes a limit of exposure next, if everybody stays where they are."""
        if not any(gas in tracks for gas in MOLAR):
            return []
        found: list[Watch] = []
        loads: dict[tuple[str, tuple[Span, ...]], tuple[Load, Search]] = {}
        for person, own in self._people.items():
            passed = {name for name, _ in own.beyond}
            for limit in () if own.lost else LIMITS:
                if limit.name not in passed:
                    if (limit.name, own.spans) not in loads:
                        load = Load(limit, tracks, own.spans)
                        loads[limit.name, own.spans] = load, _search(load)
                    load, search = loads[limit.name, own.spans]
                    fire = self._passes(base, person, limit, load)
                    found.append(Watch(f"{limit.name}_{person}", (version, own.spans), search, fire))
        return found

    def _passes(self, base: Base, person: str, limit: Limit, load: Load) -> Callable[[float], None]:
        def fire(t: float) -> None:
            own = self._people[person]
            self._people[person] = replace(own, beyond=(*own.beyond, (limit.name, t)))
            base.log(t, "harm", person=person, event=limit.event, limit=limit.name, gas=load.most(t))
            if limit.event == "incapacitated":
                base.set_person(person, activity="lost")
            base.changed("toxics")

        return fire

    def harmed(self, person: str) -> bool:
        """They have passed a limit of exposure."""
        return bool(self._people[person].beyond)

    def bare(self, zone: int, since: float, t: float) -> float:
        """The longest time, s, that somebody who was in a zone at `since` has stayed there without air of their own."""
        return max((_left(own.spans, zone, since, t) - since for own in self._people.values()), default=0.0)

    def smac_hours(self, person: str, tracks: Mapping[str, Track], t: float) -> float:
        """Hours at the 1-h SMAC that would be as much as they have breathed so far."""
        return Load(LIMITS[0], tracks, self._people[person].spans).integral(0.0, t) / HOUR

    def state(self, tracks: Mapping[str, Track], t: float) -> dict[str, Any]:
        return {
            person: {
                "masked": own.masked_until is not None,
                "masks_left": own.masks_left,
                "breathed_mg_h_m3": {k: v * 1e6 / HOUR for k, v in sorted(self.breathed(person, t).items())},
                "smac_hours": self.smac_hours(person, tracks, t),
                "beyond": dict(own.beyond),
            }
            for person, own in self._people.items()
        }


OWN_AIR = -1
"""The zone of a span in which somebody breathes no air of the base."""


def _left(spans: Sequence[Span], zone: int, since: float, t: float) -> float:
    """When somebody first left a zone or its air from `since` on: `t` if not yet, `since` if they were not in it."""
    there = next(span for span in reversed(spans) if span.t0 <= since)
    if there.zone != zone:
        return since
    return next((span.t0 for span in spans if span.t0 > since and span.zone != zone), t)


def _span(t: float, zone: int) -> Span:
    return Span(t, zone if zone < len(ZONES) else OWN_AIR)


def _search(load: Load) -> Search:
    """One search for all who have been in the same air: asked again, for no longer, it knows."""
    known: list[tuple[float, float, float | None]] = []

    def search(now: float, limit: float) -> float | None:
        for start, end, t in known:
            if start == now and limit <= end:
                return t if t is not None and t <= limit else None
        reached = load.reach(now, limit)
        t = None if reached is None else at_or_after(reached)
        known.append((now, limit, t))
        return t

    return search
