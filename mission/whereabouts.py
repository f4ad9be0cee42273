"""Where people were and what they did over a flight, as stretches of time."""

from __future__ import annotations

from collections.abc import Sequence

from mission.story import place
from mission.world.engine import World

__all__ = ["doings", "stays"]

_DOES = {"nominal": "up", "recovery": "rest after exercise"}


def stays(world: World, person: str) -> list[tuple[float, float, str]]:
    """(from, until, where) of somebody, s, the last until now."""
    changes = _changes(world, person)
    cuts = {t for t, _, _ in changes} | {float(e["t"]) for e in world.base.events if e["kind"] == "rover"}

    def where(t: float) -> str:
        _, zone, activity = [one for one in changes if one[0] <= t][-1]
        return "lost" if activity == "lost" else place(world, person, zone, t)

    return _joined([(t, where(t)) for t in sorted(cuts)], world.now)


def doings(world: World, person: str) -> list[tuple[float, float, str]]:
    """(from, until, activity) of somebody, s, the last until now."""
    return _joined([(t, _DOES.get(activity, activity)) for t, _, activity in _changes(world, person)], world.now)


def _changes(world: World, person: str) -> list[tuple[float, str, str]]:
    zone = next(one.zone for one in world.scenario.crew if one.id == person)
    told = [e for e in world.base.events if e["kind"] == "crew" and e["person"] == person and e["t"] <= world.now]
    return [(0.0, zone, "nominal"), *((e["t"], e["zone"], e["activity"]) for e in told)]


def _joined(states: Sequence[tuple[float, str]], end: float) -> list[tuple[float, float, str]]:
    found: list[tuple[float, float, str]] = []
    for t, what in states:
        if found and found[-1][2] == what:
            continue
        if found:
            found[-1] = (found[-1][0], t, found[-1][2])
        found.append((t, end, what))
    return [stay for stay in found if stay[1] > stay[0]]
