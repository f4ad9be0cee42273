"""Who wears a mask, how long it lasts, and what each person has breathed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mission import rules
from mission.world.atmosphere import ZONES
from mission.world.lookout import Watch, at
from mission.world.units import MINUTE, at_or_after

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


class Masks:
    """Doses are time integrals of density, kg s/m3; who is outside or masked breathes nothing of the base's air."""

    def __init__(self, people: Mapping[str, PersonState], masks: int, doses: Doses) -> None:
        self._doses = doses
        self._people = {p: Breathing(0.0, state.zone, masks, None, {}, {}) for p, state in people.items()}

    def left(self, person: str) -> int:
        return self._people[person].masks_left

    def masked(self, person: str) -> bool:
        return self._people[person].masked_until is not None

    def settle(self, people: Mapping[str, PersonState], t: float) -> None:
        """Note who has gone elsewhere."""
        for person, state in people.items():
            if state.zone != self._people[person].zone:
                self._change(person, t, zone=state.zone)

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
        if own.masked_until is None and own.zone < len(ZONES):
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
            base.log(t, "mask", person=person, event="empty")

        return fire

    def _change(self, person: str, t: float, **changes: Any) -> None:
        own = replace(self._people[person], since=t, breathed=self.breathed(person, t), **changes)
        passed = self._doses(own.zone, t) if own.zone < len(ZONES) else {}
        self._people[person] = replace(own, passed=passed)

    def state(self, t: float) -> dict[str, Any]:
        return {
            person: {
                "masked": own.masked_until is not None,
                "masks_left": own.masks_left,
                "breathed_mg_h_m3": {k: v * 1e6 / 3600.0 for k, v in sorted(self.breathed(person, t).items())},
            }
            for person, own in self._people.items()
        }
