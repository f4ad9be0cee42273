"""Who does the work: a repair takes a pair of hands until it is done, and nobody in the shelter or outside has any.

Nobody is named for it; the base counts those who could. That a sleeper gets up for it at no cost is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mission.world.air_config import ZONES
from mission.world.spec import Act, Gate, Refusal

if TYPE_CHECKING:
    from mission.world.base import Base

OUTSIDE = len(ZONES)
"""Beyond the zones of the base."""
WORK = frozenset(
    (
        "repair_bed", "repair_fan", "deploy_portable_fan", "patch_leak", "open_lioh", "service_sensor", "repair_oga",
        "close_o2_valve", "open_o2_valve", "repair_o2_valve", "repair_shelter_fan", "service_suit", "swap_loads",
        "top_up", "extinguish", "start_filter", "stop_filter",
    )
)  # fmt: skip
"""Commands that somebody has to carry out by hand; all others are given from a console, by radio, or to people."""
AT_ONCE = frozenset(("open_lioh", "extinguish", "start_filter", "stop_filter"))
"""What everybody puts other work down for."""
IN_SHELTER = frozenset(("repair_shelter_fan",))
"""Work that those in the shelter can do as well."""
BY_HAND = frozenset(
    (
        "handheld_co2", "fan_check", "hatch_dwell", "gauge_crosscheck", "calibration_gas", "pump_dp",
        "loop_compare", "level_trend", "co_meter", "nh3_chip", "second_detector",
    )
)  # fmt: skip
"""Checks that somebody makes on the spot; all others are read at a console, by those who wear the suit or drive."""


def able(base: Base, command: str = "") -> int:
    """How many could do it: alive, inside the base, and out of the shelter where the work is not in it."""
    sheltered = () if command in IN_SHELTER else base.part("radiation").sheltered
    return sum(
        state.zone != OUTSIDE and state.activity != "lost" and person not in sheltered
        for person, state in base.people.items()
    )


def short(base: Base, command: str) -> str:
    """Why nobody can take this up now; empty if somebody can."""
    there, busy = able(base, command), sum(task.command in WORK for task in base.tasks)
    if there > busy or (there and command in AT_ONCE):
        return ""
    if not there:
        return "nobody has hands for it: all are outside, in the shelter or lost"
    return f"nobody has hands for it: {there} could, and {busy} pieces of work are under way"


def gate(command: str) -> Gate:
    def refuse(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
        why = short(base, command)
        return Refusal(why) if why else None

    return refuse


def attended(command: str, done: Act, undone: Act | None) -> Act:
    """What comes of the work at its end: nothing, if by then everybody has gone where they cannot do it."""

    def act(base: Base, parameters: Mapping[str, object]) -> str:
        if able(base, command):
            return done(base, parameters)
        left = f"; {undone(base, parameters)}" if undone else ""
        return f"everybody left before it was done{left}"

    return act
