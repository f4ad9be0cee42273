"""Suits worn inside the base: their wearers breathe nothing of its air, so thin or foul air does them no harm.

They are the two suits of the EVA part. Inside, a wearer lives on the suit at the design work rate; what was used comes
from the oxygen tank when the suit is taken off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mission import rules
from mission.world.lookout import Watch, at
from mission.world.record import Record
from mission.world.spec import CommandSpec, Parameter, Part, Refusal
from mission.world.suit import O2_FULL
from mission.world.units import HOUR, MINUTE, at_or_after

if TYPE_CHECKING:
    from mission.world.base import Base

DON = 10 * MINUTE
"""Into a suit: under 10 min by suitport (SEV fact sheet)."""
USE = 0.0796 / HOUR
"""kg/s of oxygen at 1000 Btu/h, the suit's own leak included (design study 2.7)."""
OUTSIDE = 3


class IndoorSuitsSection(Record):
    pass


class IndoorSuits:
    """Who wears a suit inside, and since when."""

    def __init__(self, section: IndoorSuitsSection, base: Base) -> None:
        self._base = base
        self.since: dict[str, float] = {}

    def don(self, people: Sequence[str]) -> None:
        for person in people:
            self.since[person] = self._base.now()
            self._base.set_suited(person, on=True)
        self._base.changed("indoor_suits")

    def doff(self, person: str) -> None:
        """Out of it; the tank gives back what was used, as far as it can."""
        t, air = self._base.now(), self._base.air
        used = min(O2_FULL, USE * (t - self.since.pop(person)))
        self._base.set_suited(person, on=False)
        self._base.change(t, tanks=(air.tank(0, t), max(0.0, air.tank(1, t) - used)))
        self._base.changed("indoor_suits")

    def free(self) -> int:
        """Suits that nobody wears, inside or out."""
        return len(self._base.part("eva").free_suits()) - len(self.since)

    def watches(self) -> Sequence[Watch]:
        return [
            Watch(f"suit_{person}", start, at(at_or_after(start + O2_FULL / USE)), self._empty(person))
            for person, start in self.since.items()
        ]

    def loads(self) -> Mapping[str, float]:
        return {}

    def state(self, t: float) -> dict[str, Any]:
        return {"worn_by": sorted(self.since), "free": self.free()}

    def _empty(self, person: str) -> Callable[[float], None]:
        def fire(t: float) -> None:
            self.doff(person)
            self._base.log(t, "suit", person=person, event="empty, taken off")

        return fire


def _people(p: Mapping[str, object]) -> list[str]:
    return str(p["people"]).split(",")


def _block(base: Base) -> IndoorSuits:
    return base.part("indoor_suits")


def _may_don(base: Base, p: Mapping[str, object]) -> Refusal | None:
    people, states = _people(p), base.people
    away = [person for person in people if states[person].zone == OUTSIDE or states[person].activity == "lost"]
    if away:
        return Refusal(f"{', '.join(away)} outside or lost")
    sheltered = base.part("radiation").kept(people)
    if sheltered:
        return Refusal(f"{', '.join(sheltered)} in the shelter: leave_shelter first")
    donning = [person for task in base.tasks if task.command == "don_suits" for person in _people(task.parameters)]
    suited = [person for person in people if person in _block(base).since or person in donning]
    if suited:
        return Refusal(f"{', '.join(suited)} in a suit already, or getting into one")
    free = _block(base).free() - len(donning)
    return Refusal(f"{len(people)} suits are wanted and {free} are free") if len(people) > free else None


def _may_doff(base: Base, p: Mapping[str, object]) -> Refusal | None:
    bare = [person for person in _people(p) if person not in _block(base).since]
    if bare:
        return Refusal(f"{', '.join(bare)} in no suit")
    limit = rules.get("FR-04").numbers["critical"]
    thin = [person for person in _people(p) if base.air.pio2(base.people[person].zone, base.now()) < limit.value]
    return Refusal(f"PIO2 is below {limit} where {', '.join(thin)} would breathe", "FR-04") if thin else None


def _may_leave(base: Base, p: Mapping[str, object]) -> Refusal | None:
    """An EVA takes suits that nobody wears inside."""
    worn = bool(_block(base).since) or any(task.command == "don_suits" for task in base.tasks)
    return Refusal("suits are worn inside: doff_suits first") if worn else None


def _don(base: Base, p: Mapping[str, Any]) -> str:
    return f"{p['people']} are getting into suits"


def _donned(base: Base, p: Mapping[str, Any]) -> str:
    ready = [p for p in _people(p) if base.people[p].zone != OUTSIDE and base.people[p].activity != "lost"]
    _block(base).don(ready)
    return f"{', '.join(ready) or 'nobody'} in suits, good for {O2_FULL / USE / HOUR:.1f} h"


def _doff(base: Base, p: Mapping[str, Any]) -> str:
    for person in _people(p):
        _block(base).doff(person)
    return f"{p['people']} out of their suits"


_PEOPLE = Parameter(name="people", kind="people", description="ids separated by commas, or all")
PART = Part(
    name="indoor_suits",
    section=IndoorSuitsSection,
    make=IndoorSuits,
    commands=(
        CommandSpec(
            name="don_suits",
            description=(
                "People put on the EVA suits, two in all, inside the base: they then need none of its air, can be "
                f"behind a closed hatch and patch a hole there; good for {O2_FULL / USE / HOUR:.1f} h."
            ),
            parameters=(_PEOPLE,),
            duration_s=DON,
            gates=(
                "Refused without a free suit, and for people outside, lost, in the shelter, in a suit or getting into "
                "one."
            ),
        ),
        CommandSpec(
            name="doff_suits",
            description="People take their suits off; the oxygen used comes from the tank.",
            parameters=(_PEOPLE,),
            gates=(
                "Refused for people who wear none inside, and where PIO2 is below "
                f"{rules.get('FR-04').numbers['critical']} (FR-04)."
            ),
        ),
    ),
    begin={"don_suits": _don, "doff_suits": _doff},
    done={"don_suits": _donned},
    gates={"don_suits": _may_don, "doff_suits": _may_doff, "begin_eva": _may_leave},
)
