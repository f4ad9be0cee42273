"""Two rovers on the ground around the base: drives, fixes, stops, a safe haven, a rescue.

A drive goes leg by leg; on each everything is a closed form. The driver looks at sun and dust every half hour of
driving: that is when a fix by the sun is taken and the pace is set anew. A relay overhead gives a fix to a rover that
stands under it for five minutes. The driver stops where FR-16 says so; where to go is for those who plan.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mission import rules
from mission.world import cabin, terrain
from mission.world.cabin import BATTERY, FIX_ERROR, Rover
from mission.world.contact import last_contact, relay_fix
from mission.world.lookout import Watch, at
from mission.world.outdoors import dark, dust
from mission.world.rover_section import Plan, RoverSection, begun, described
from mission.world.terrain import Leg, Node, Place
from mission.world.units import CLOCK_STEP, HOUR, MINUTE, at_or_after

if TYPE_CHECKING:
    from mission.world.base import Base

ROVERS = ("1", "2")
TRANSFER = 30 * MINUTE
"""From one rover's suitports to the other's, for a whole crew; ours."""
HAIR = 1e-6
"""s or m: what a step of the clock can leave undone."""


class Rovers:
    """The rovers of one base."""

    def __init__(self, section: RoverSection, base: Base) -> None:
        self._base = base
        self.ways = section.ways
        self.home = terrain.place_at(section.ways, "base")
        unknown = [person for start in section.rovers for person in start.people if person not in base.people]
        if unknown:
            raise ValueError(f"scenario {base.scenario.id}: rover: {', '.join(unknown)} not in the crew")
        self._tracks = [[begun(start, self.node(start.at))] for start in section.rovers]
        self._plans: list[Plan | None] = [None, None]
        self._fixed_s = [-1.0, -1.0]
        """Start of the pass that last gave a fix."""
        self._stood_s = [0.0, 0.0]
        """Since when each stands, if it does."""
        self._blind: set[int] = set()
        """Rovers whose sun sensor is out."""
        self._told: set[tuple[int, float]] = set()
        self._feed()
        base.follow_loads(self._follow)
        for index, start in enumerate(section.rovers):
            for person in start.people:
                base.set_person(person, **_outside())
            if start.driving_to is not None:
                self._plans[index] = Plan("drive")
                legs = terrain.route(self.ways, self._tracks[index][0].place, self.node(start.driving_to))
                self._roll(index, legs, 0.0)

    def rover(self, index: int, t: float) -> Rover:
        """The segment of a rover that holds at `t`."""
        track = self._tracks[index]
        return track[max(bisect_right(track, t, key=lambda r: r.t0) - 1, 0)]

    def history(self, index: int) -> Sequence[Rover]:
        """The segments of a rover so far, in order of time."""
        return self._tracks[index]

    def plan(self, index: int) -> Plan | None:
        return self._plans[index]

    def node(self, name: Node) -> Place:
        return terrain.place_at(self.ways, name)

    def distance(self, index: int, t: float) -> float:
        """Of a rover from the base along the shortest way, m."""
        return terrain.length(terrain.route(self.ways, cabin.where(self.rover(index, t), t), self.home))

    def account(self, index: int, t: float) -> float:
        """The same by the navigation's own account, m."""
        return terrain.length(terrain.route(self.ways, cabin.account(self.rover(index, t), t), self.home))

    def heard(self, index: int, t: float) -> float:
        """The last time up to `t` at which a rover was in contact."""
        changes = [segment.t0 for segment in self._tracks[index]]
        return last_contact(self._base.part("comms"), lambda s: self.distance(index, s) / 1000.0, changes, t)

    def legs(self, index: int, goal: Place) -> list[Leg]:
        return terrain.route(self.ways, cabin.where(self.rover(index, self._base.now()), self._base.now()), goal)

    def known_legs(self, index: int, goal: Place) -> list[Leg]:
        """The way to a place from where the navigation takes the rover to be."""
        return terrain.route(self.ways, cabin.account(self.rover(index, self._base.now()), self._base.now()), goal)

    def board(self, index: int, people: Sequence[str]) -> None:
        for person in people:
            self._base.set_person(person, **_outside())
        crew = self.rover(index, self._base.now()).crew
        self._set(index, crew=(*crew, *people))

    def leave(self, index: int) -> None:
        """Everybody out of a docked rover and into the core."""
        self._come_in(index, self._base.now())
        self._update(self._base.now())

    def drive(self, index: int, goal: Node) -> None:
        t = self._base.now()
        self._plans[index] = Plan("drive")
        self._roll(index, self.legs(index, self.node(goal)), t)
        self._update(t)

    def rescue(self, index: int, target: int) -> None:
        """Drive to another rover, find it, take its crew aboard and bring everybody home."""
        t = self._base.now()
        self._plans[index] = Plan("out", target=target)
        self._roll(index, self.legs(index, cabin.where(self.rover(target, t), t)), t)
        self._update(t)

    def stop(self, index: int) -> None:
        t = self._base.now()
        self._halt(index, t, "ordered", None)
        self._update(t)

    def hold(self, index: int) -> None:
        """Stand for a while, the drive to be taken up again."""
        t, rover, plan = self._base.now(), self._tracks[index][-1], self._plans[index]
        if rover.leg is not None and plan is not None:
            leg = cabin.advanced(rover, t).leg
            self._plans[index] = replace(plan, legs=plan.legs if leg is None else (leg, *plan.legs), until=math.inf)
            self._stand(index, t)
            self._update(t)

    def drive_on(self, index: int) -> None:
        """Take a drive up again after a hold."""
        t, rover, plan = self._base.now(), self._tracks[index][-1], self._plans[index]
        if plan is not None and plan.legs and not rover.driving and not rover.dead:
            self._roll(index, plan.legs, t)
            self._update(t)

    def fix_by_sun(self, index: int) -> bool:
        """Take a fix now, if there is a sun to take it by."""
        t = self._base.now()
        if not self.sun(index, t):
            return False
        self._fix(index, t)
        self._update(t)
        return True

    def sun(self, index: int, t: float) -> bool:
        """Whether the sun sensor finds the sun."""
        return index not in self._blind and not dark(self._base, t) and dust(self._base, t) < cabin.SUN_TAU

    def dig_in(self, rover: str, slip: float, drag: float) -> None:
        """Wheels that lose a share of their way, and drives that drag beyond a sound one's friction."""
        index, t = ROVERS.index(rover), self._base.now()
        stuck = replace(cabin.advanced(self.rover(index, t), t), slip=slip, drag=drag)
        self._set(index, slip=slip, drag=drag, traction=cabin.pull(stuck.leg, stuck))

    def lose_position(self, rover: str, error: float, *, blind: bool) -> None:
        """So many m off the way without the navigation's knowing, and perhaps no sun sensor."""
        index = ROVERS.index(rover)
        if blind:
            self._blind.add(index)
        self._set(index, off=error)

    def slow_fan(self, rover: str, share: float) -> None:
        """The cabin's scrubber gets a share of its air."""
        self._set(ROVERS.index(rover), fan=share)

    def watches(self) -> Sequence[Watch]:
        watches: list[Watch] = []
        for index in range(len(ROVERS)):
            rover = self._tracks[index][-1]
            plan = self._plans[index]
            times = [*cabin.ends(rover), *([plan.until] if plan else []), *self._marks(index), *self._overhead(index)]
            soonest = min(times, default=math.inf)
            if soonest < math.inf:
                t = max(at_or_after(soonest), rover.t0 + CLOCK_STEP)
                watches.append(Watch(f"rover_{index}", t, at(t), self._update))
        return watches

    def loads(self) -> Mapping[str, float]:
        """The charger is in the base's own list, and draws nothing with nobody to feed."""
        fed = any(cabin.hungry(track[-1]) for track in self._tracks)
        return {} if fed or "rover_charge" in self._base.shed else {"rover_charge": 0.0}

    def state(self, t: float) -> dict[str, Any]:
        return {name: self._state(index, t) for index, name in enumerate(ROVERS)}

    def _state(self, index: int, t: float) -> dict[str, Any]:
        known = {"distance_m": self.distance(index, t), "account_m": self.account(index, t)}
        return known | described(self._tracks[index][-1], self._plans[index], t)

    def estimate(self, index: int, t: float) -> float:
        """Position error by the navigation's own account, m."""
        return cabin.advanced(self.rover(index, t), t).estimate

    def _marks(self, index: int) -> list[float]:
        rover = self._tracks[index][-1]
        found = [cabin.co2_time(rover, mark) for mark in cabin.CO2_MARKS if (index, mark) not in self._told]
        return [t for t in found if t is not None]

    def _overhead(self, index: int) -> list[float]:
        """When a relay next gives a fix to a rover that stands outside."""
        rover, now = self._tracks[index][-1], self._base.now()
        if rover.docked or rover.dead or rover.driving:
            return []
        return [max(now, relay_fix(self._base.part("comms"), self._stood_s[index], self._fixed_s[index], now)[1])]

    def _fixed_by_relay(self, index: int, t: float) -> None:
        rover = self._tracks[index][-1]
        if rover.docked or rover.dead or rover.driving:
            return
        start, done = relay_fix(self._base.part("comms"), self._stood_s[index], self._fixed_s[index], t)
        if done <= t:
            self._fixed_s[index] = start
            self._fix(index, t)

    def _set(self, index: int, **changes: Any) -> None:
        t = self._base.now()
        self._append(index, replace(cabin.advanced(self._tracks[index][-1], t), **changes))
        self._update(t)

    def _append(self, index: int, rover: Rover) -> None:
        track = self._tracks[index]
        if track[-1].t0 == rover.t0:
            track[-1] = rover
        else:
            track.append(rover)

    def _follow(self) -> None:
        """The loads have changed: the charger may have been switched."""
        if self._charges() != [track[-1].charge for track in self._tracks]:
            self._update(self._base.now())

    def _charges(self) -> list[float]:
        return cabin.charges([track[-1] for track in self._tracks], on="rover_charge" not in self._base.shed)

    def _update(self, t: float) -> None:
        """Settle every rover at `t` and let its driver act on what is met."""
        for index in range(len(ROVERS)):
            self._append(index, cabin.advanced(self._tracks[index][-1], t))
            self._meet(index, t)
        self._feed()
        self._base.changed("rover")

    def _feed(self) -> None:
        """Charge what is hungry, as far as the charger is on."""
        for index, charge in enumerate(self._charges()):
            if charge != self._tracks[index][-1].charge:
                self._append(index, replace(self._tracks[index][-1], charge=charge))

    def _meet(self, index: int, t: float) -> None:
        rover = self._tracks[index][-1]
        if not rover.docked and not rover.dead and (rover.energy <= 0.0 or rover.haven <= 0.0):
            self._die(index, t)
            return
        self._call_co2(index, t)
        self._fixed_by_relay(index, t)
        if rover.driving:
            self._drive_on(index, t)
        plan = self._plans[index]
        if plan is not None and plan.until <= t:
            self._next_phase(index, plan, t)

    def _drive_on(self, index: int, t: float) -> None:
        """What the driver meets on the way: a limit, half an hour gone, the end of a leg."""
        rover = self._tracks[index][-1]
        if rover.energy <= cabin.FLOOR * BATTERY * (1.0 + 1e-12):
            self._halt(index, t, "battery at its floor", None)
        elif rover.looked >= cabin.LOOK - HAIR:
            self._look(index, t)
        elif rover.driven >= rules.number("FR-16", "fix") * HOUR - HAIR:
            self._halt(index, t, "no fix for too long", "FR-16")
        elif rover.estimate >= rules.number("FR-16", "error") - HAIR:
            self._halt(index, t, "position error too large", "FR-16")
        elif rover.leg is not None and rover.leg.length <= HAIR:
            plan = self._plans[index]
            if plan is not None and plan.legs:
                self._roll(index, plan.legs, t)
            else:
                self._arrive(index, t)

    def _look(self, index: int, t: float) -> None:
        if self.sun(index, t):
            self._fix(index, t)
        rover, plan = replace(self._tracks[index][-1], looked=0.0), self._plans[index]
        self._append(index, rover)
        if rover.leg is not None and plan is not None:
            self._roll(index, (rover.leg, *plan.legs), t)
        self._drive_on_if_due(index, t)

    def _drive_on_if_due(self, index: int, t: float) -> None:
        if self._tracks[index][-1].driving:
            self._drive_on(index, t)

    def _roll(self, index: int, legs: Sequence[Leg], t: float) -> None:
        """Set out on the first leg, the others to follow, at the pace that ground and sky allow."""
        rover, plan = self._tracks[index][-1], self._plans[index]
        if not legs or plan is None:
            self._arrive(index, t)
            return
        tau = dust(self._base, t)
        wheels = cabin.pace(legs[0], tau, dark=dark(self._base, t))
        if wheels == 0.0:
            self._halt(index, t, f"tau {tau:.1f}", "FR-16")
            return
        self._plans[index] = replace(plan, legs=tuple(legs[1:]), until=math.inf)
        rover = cabin.advanced(rover, t)
        ahead = 1.0 if legs[0].end >= legs[0].start else -1.0
        rover = replace(rover, docked=False, leg=legs[0], wheels=wheels, charge=0.0, ahead=ahead)
        self._append(index, replace(rover, traction=cabin.pull(legs[0], rover)))

    def _stand(self, index: int, t: float) -> Rover:
        rover = cabin.advanced(self._tracks[index][-1], t)
        if rover.driving:
            self._stood_s[index] = t
        rover = replace(rover, place=cabin.where(rover, t), leg=None, wheels=0.0, traction=0.0)
        self._append(index, rover)
        return rover

    def _halt(self, index: int, t: float, why: str, rule: str | None) -> None:
        self._stand(index, t)
        self._plans[index] = None
        self._base.log(t, "rover", rover=ROVERS[index], what="stopped", why=why, rule=rule)

    def _arrive(self, index: int, t: float) -> None:
        rover, plan = self._stand(index, t), self._plans[index]
        if plan is not None and plan.phase == "out":
            other = self.rover(plan.target, t)
            on = terrain.route(self.ways, rover.place, cabin.where(other, t))
            if not other.docked and not other.driving and 1.0 < terrain.length(on) <= cabin.SIGHT:
                self._roll(index, on, t)
            else:
                self._search(index, plan, t)
            return
        self._plans[index] = None
        if terrain.node_of(rover.place) == "base":
            self._dock(index, t)
        self._base.log(t, "rover", rover=ROVERS[index], what="arrived", at=terrain.node_of(rover.place))

    def _dock(self, index: int, t: float) -> None:
        rover = self._tracks[index][-1]
        docked = replace(
            rover, place=self.home, docked=True, estimate=FIX_ERROR, drift=0.0, off=0.0, driven=0.0, looked=0.0
        )
        self._append(index, docked)
        self._come_in(index, t)
        self._append(index, replace(self._tracks[index][-1], haven=cabin.HAVEN))

    def _come_in(self, index: int, t: float) -> None:
        rover = cabin.advanced(self._tracks[index][-1], t)
        for person in rover.crew:
            if self._base.people[person].activity != "lost":
                self._base.set_person(person, zone=0, activity="nominal")
        self._append(index, replace(rover, crew=()))

    def _search(self, index: int, plan: Plan, t: float) -> None:
        """Once around the circle that the lost rover can be in."""
        error = cabin.spread(self.rover(plan.target, t), t)
        speed = cabin.pace(None, dust(self._base, t), dark=dark(self._base, t))
        if speed == 0.0:
            self._halt(index, t, "dust", "FR-16")
            return
        wheels = speed if error > FIX_ERROR else 0.0
        until = at_or_after(t + (2.0 * math.pi * error / speed if wheels else 0.0))
        self._plans[index] = replace(plan, phase="search", legs=(), until=until)
        rover = replace(self._tracks[index][-1], wheels=wheels)
        self._append(index, replace(rover, traction=cabin.pull(None, rover)))
        self._base.log(t, "rover", rover=ROVERS[index], what="searching", metres=2.0 * math.pi * error)
        if not wheels:
            self._next_phase(index, self._plans[index] or plan, t)

    def _next_phase(self, index: int, plan: Plan, t: float) -> None:
        """A phase of a rescue is over."""
        rover = self._stand(index, t)
        there = terrain.route(self.ways, rover.place, cabin.where(self.rover(plan.target, t), t))
        if terrain.length(there) > 1.0 or self.rover(plan.target, t).driving:
            self._halt(index, t, "nobody there", None)
        elif plan.phase == "search":
            self._plans[index] = replace(plan, phase="transfer", until=at_or_after(t + TRANSFER))
            self._base.log(t, "rover", rover=ROVERS[index], what="found", other=ROVERS[plan.target])
        else:
            other = cabin.advanced(self.rover(plan.target, t), t)
            self._append(plan.target, replace(other, crew=()))
            self._append(index, replace(rover, crew=(*rover.crew, *other.crew)))
            self._base.log(t, "rover", rover=ROVERS[index], what="taken aboard", people=list(other.crew))
            self._plans[index] = Plan("home", target=plan.target)
            self._roll(index, self.legs(index, self.home), t)

    def _fix(self, index: int, t: float) -> None:
        rover = cabin.advanced(self._tracks[index][-1], t)
        self._append(index, replace(rover, estimate=FIX_ERROR, drift=0.0, off=0.0, driven=0.0))
        self._base.log(t, "rover", rover=ROVERS[index], what="fix")

    def _die(self, index: int, t: float) -> None:
        rover = self._stand(index, t)
        self._plans[index] = None
        self._append(index, replace(rover, dead=True))
        why = "battery empty" if rover.energy <= 0.0 else "stores used up"
        self._base.log(t, "rover", rover=ROVERS[index], what="dead", why=why)
        for person in rover.crew:
            if self._base.people[person].activity != "lost":
                self._base.set_person(person, activity="lost")

    def _call_co2(self, index: int, t: float) -> None:
        level = cabin.ppco2(self._tracks[index][-1], t)
        for mark in cabin.CO2_MARKS:
            if level >= mark * (1.0 - 1e-9) and (index, mark) not in self._told:
                self._told.add((index, mark))
                self._base.log(t, "rover", rover=ROVERS[index], what="cabin CO2", level_mmhg=mark)
            elif level < 0.98 * mark:
                self._told.discard((index, mark))


def _outside() -> dict[str, Any]:
    from mission.world.base import OUTSIDE  # Base is made of its parts: it can only be asked once it is there.

    return {"zone": OUTSIDE, "activity": "away"}
