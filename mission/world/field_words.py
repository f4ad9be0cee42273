"""What people away from the base say of themselves over the radio, when somebody can hear them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mission import rules
from mission.world import cabin
from mission.world import suit as model

if TYPE_CHECKING:
    from mission.world.base import Base

BREATHLESS = rules.number("FR-13", "co2")
"""mmHg in a helmet that are felt; in a cabin a headache comes from half of it on."""
HOT = 0.3
"""Share of the limit of stored heat that is felt."""


def words(base: Base) -> Iterator[tuple[str, str]]:
    """(who speaks, what they say) for every party in reach now."""
    yield from _suits(base)
    yield from _rovers(base)


def _suits(base: Base) -> Iterator[tuple[str, str]]:
    block, t = base.part("eva"), base.now()
    trip = block.excursion
    if trip is None or not base.part("comms").reaches(t, block.distance(t) / 1000.0):
        return
    for index, person in trip.wearers:
        suit = block.suit(index, t)
        if not suit.worn:
            continue
        held = model.stores(suit, t)
        felt = [
            text
            for there, text in (
                (model.helmet(suit, t) >= BREATHLESS, "Short of breath, head aches."),
                (held.helmet_water >= model.WET, "Cold water at the back of the head; the drink bag, perhaps."),
                (held.heat >= HOT * model.HEAT_LIMIT, "It is hot in here."),
            )
            if there
        ]
        yield person, " ".join([f"{person} in suit {index + 1}, outside.", *(felt or ["All well."])])


def _rovers(base: Base) -> Iterator[tuple[str, str]]:
    block, t = base.part("rover"), base.now()
    for index, name in enumerate(("1", "2")):
        rover = block.rover(index, t)
        if rover.docked or rover.dead or not rover.crew:
            continue
        if not base.part("comms").reaches(t, block.distance(index, t) / 1000.0):
            continue
        felt = ["Stuffy in here, heads ache."] if cabin.ppco2(rover, t) >= 0.5 * BREATHLESS else []
        if rover.driving and rover.slip > 0.0:
            felt.append("The wheels turn, and the ground hardly moves.")
        who = ", ".join(rover.crew)
        yield rover.crew[0], " ".join([f"{who} in rover {name}, away.", *(felt or ["All well."])])
