"""Why people in suits are not sent out, called back or served: the gates of FR-12 to FR-14 and FR-20."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from mission import rules
from mission.world import suit as model
from mission.world.airlock import AIRLOCK, EGRESS
from mission.world.eva import SUITS, Eva
from mission.world.eva_section import FROM_REACTOR, Task
from mission.world.outdoors import dust, growth, particle_alert, wind
from mission.world.spec import Refusal
from mission.world.units import HOUR, KW, MINUTE

if TYPE_CHECKING:
    from mission.world.base import Base


def eva(base: Base) -> Eva:
    return base.part("eva")


def names(p: Mapping[str, object]) -> list[str]:
    return str(p["people"]).split(",")


def inside(base: Base, p: Mapping[str, object]) -> Refusal | None:
    """Everybody named is in the base, alive and awake."""
    for person in names(p):
        state = base.people[person]
        if state.activity not in ("nominal", "recovery"):
            return Refusal(f"{person} cannot: {state.activity}")
    return None


def _unsheltered(base: Base, p: Mapping[str, object]) -> Refusal | None:
    sheltered = base.part("radiation").kept(names(p))
    return Refusal(f"{', '.join(sheltered)} in the shelter: leave_shelter first") if sheltered else None


def go(base: Base, p: Mapping[str, object]) -> Refusal | None:
    """FR-12 to FR-14 and FR-20, one after the other."""
    asked = (inside, _unsheltered, _crewed, _lock, _weather, _radio, _reactor, _ready, _range)
    return next((refusal for gate in asked if (refusal := gate(base, p)) is not None), None)


def _crewed(base: Base, p: Mapping[str, object]) -> Refusal | None:
    block, people = eva(base), names(p)
    if block.excursion is not None:
        return Refusal("an EVA is under way")
    if len(people) > len(block.free_suits()):
        return Refusal(f"{len(people)} people, but {len(block.free_suits())} suits fit to be worn")
    if any(task.command == "service_suit" for task in base.tasks):
        return Refusal("a suit is being serviced")
    staying = sum(base.air.config.crew) - len(people) - sum(s.activity == "lost" for s in base.people.values())
    needed = rules.number("FR-12", "inside")
    return Refusal(f"{staying} people would stay inside; {needed:g} must", "FR-12") if staying < needed else None


def _lock(base: Base, p: Mapping[str, object]) -> Refusal | None:
    if base.hatch_open("core-airlock"):
        return Refusal("the core-airlock hatch is open")
    return Refusal("there are people in the airlock") if base.air.config.crew[AIRLOCK] else None


def _weather(base: Base, p: Mapping[str, object]) -> Refusal | None:
    t = base.now()
    if dust(base, t) > rules.number("FR-12", "tau"):
        return Refusal(f"tau is {dust(base, t):.1f}, above {rules.number('FR-12', 'tau'):g}", "FR-12")
    if growth(base, t) > rules.number("FR-12", "growth"):
        rise = f"tau has risen by {growth(base, t):.2f} a sol"
        return Refusal(f"{rise}, above {rules.number('FR-12', 'growth'):g}", "FR-12")
    if wind(base, t) > rules.number("FR-12", "wind"):
        return Refusal(f"wind is {wind(base, t):.0f} m/s, above {rules.number('FR-12', 'wind'):g}", "FR-12")
    return Refusal("a solar particle alert is active", "FR-12") if particle_alert(base, t) else None


def _radio(base: Base, p: Mapping[str, object]) -> Refusal | None:
    """FR-12: local radio reaches the site, or a relay passes while people are out."""
    comms, hatch = base.part("comms"), base.now() + EGRESS
    if _site_km(base, p) <= comms.radio_km:
        return None
    back = hatch + float(str(p["hours"])) * HOUR
    if comms.pass_at_or_after(hatch).start < back:
        return None
    return Refusal(f"local radio ends at {comms.radio_km:.1f} km and no relay passes while they are out", "FR-12")


def _site_km(base: Base, p: Mapping[str, object]) -> float:
    return eva(base).distance_to(cast("Task", p["task"])) / 1000.0


def _reactor(base: Base, p: Mapping[str, object]) -> Refusal | None:
    """FR-20: nobody near the reactor, and nobody out while it is far below its rating."""
    plant = base.part("fission")
    near = (FROM_REACTOR | base.scenario.eva.from_reactor_km).get(cast("Task", p["task"]))
    zone, derate = rules.number("FR-20", "zone"), rules.number("FR-20", "derate")
    if near is not None and near < zone:
        return Refusal(f"{p['task']} is {near:g} km from the reactor; {zone:g} km is closed to people", "FR-20")
    missing = (plant.rated - plant.output()) / KW
    return Refusal(f"fission is {missing:g} kW below its rating", "FR-20") if missing > derate else None


def _ready(base: Base, p: Mapping[str, object]) -> Refusal | None:
    block, t = eva(base), base.now()
    if 100.0 * base.power.soc(t) < rules.number("FR-12", "power"):
        return Refusal(f"the battery is below {rules.number('FR-12', 'power'):g} %", "FR-12")
    for index in block.free_suits()[: len(names(p))]:
        left = 100.0 * (1.0 - block.suit(index, t).stores.scrubber / model.SCRUBBER)
        if left < rules.number("FR-12", "scrubber"):
            return Refusal(f"scrubber of suit {SUITS[index]} at {left:.0f} %: service the suit", "FR-12")
    owing = {person: block.owed(person, t) / MINUTE for person in names(p)}
    behind = [f"{person} {minutes:.1f} min" for person, minutes in owing.items() if minutes > 0.0]
    return Refusal(f"prebreathe still to do: {', '.join(behind)}", "FR-12") if behind else None


def _range(base: Base, p: Mapping[str, object]) -> Refusal | None:
    block, task, hours = eva(base), str(p["task"]), float(str(p["hours"]))
    distance = block.distance_to(task)  # pyright: ignore[reportArgumentType]
    if hours > rules.number("FR-13", "plan"):
        return Refusal(f"{hours:g} h is more than {rules.number('FR-13', 'plan'):g}", "FR-13")
    if distance > 1000.0 * rules.number("FR-14", "limit"):
        return Refusal(f"{distance / 1000.0:g} km is more than {rules.number('FR-14', 'limit'):g}", "FR-14")
    walks = 2.0 * distance / model.SPEED / HOUR
    if hours <= walks:
        return Refusal(f"the way there and back takes {walks:.1f} h already")
    reach = min(model.reach(block.suit(i, base.now()), base.now()) for i in block.free_suits()[: len(names(p))])
    if reach < 2.0 * distance:
        return Refusal(f"the suits reach {reach / 1000.0:.1f} km of walking; there and back is more", "FR-14")
    return None


def out(base: Base, p: Mapping[str, object]) -> Refusal | None:
    return Refusal("nobody is outside in a suit") if eva(base).excursion is None else unheard(base)


def unheard(base: Base) -> Refusal | None:
    """People in suits who cannot be spoken to now."""
    comms, t = base.part("comms"), base.now()
    if comms.reaches(t, eva(base).distance(t) / 1000.0):
        return None
    wait = (comms.pass_at_or_after(t).start - t) / MINUTE
    return Refusal(f"the people in suits are beyond local radio; the next relay pass starts in {wait:.0f} min")


def going_back(base: Base, p: Mapping[str, object]) -> Refusal | None:
    trip = eva(base).excursion
    if trip is not None and trip.phase in ("walk_back", "ingress"):
        return Refusal("they are on the way back already")
    return out(base, p)


def purgeable(base: Base, p: Mapping[str, object]) -> Refusal | None:
    suit = eva(base).suit(SUITS.index(str(p["suit"])), base.now())
    if not suit.worn:
        return Refusal(f"suit {p['suit']} is not in use")
    if (refusal := unheard(base)) is not None:
        return refusal
    left = model.stores(suit, base.now()).secondary
    return Refusal("the secondary pack is empty") if p["on"] and left <= 0.0 else None


def serviceable(base: Base, p: Mapping[str, object]) -> Refusal | None:
    if SUITS.index(str(p["suit"])) not in eva(base).free_suits():
        return Refusal(f"suit {p['suit']} is in use or lost")
    busy = any(task.command == "service_suit" and task.parameters["suit"] == p["suit"] for task in base.tasks)
    return Refusal(f"suit {p['suit']} is being serviced") if busy else None


def open_hatch(base: Base, p: Mapping[str, object]) -> Refusal | None:
    """Neither the hatch nor the valve in it while the lock is pumped down or filled."""
    trip = eva(base).excursion
    if p["hatch"] == "core-airlock" and trip is not None and trip.phase in ("egress", "ingress"):
        return Refusal("the airlock is cycling")
    return None
