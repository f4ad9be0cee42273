"""What has been heard of people and machines away from the base: readings come in while there is contact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mission.world.units import MINUTE

if TYPE_CHECKING:
    from mission.world.comms import Comms

RELAY_FIX = 5 * MINUTE
"""Standing under a relay, until its Doppler gives the position; ours. A rover that drives gets no fix by it."""
PRECISION = 1.0
"""s to which the moment is found at which somebody left the reach of local radio."""


def last_contact(comms: Comms, km: Callable[[float], float], changes: Sequence[float], t: float) -> float:
    """The last time up to `t` at which somebody at `km(t)` from the base was in reach; the start counts as one.

    `changes` are the times, ascending, between which the distance runs evenly. What was sampled before it is known,
    for it is kept aboard and sent as soon as there is contact.
    """
    if comms.reaches(t, km(t)):
        return t
    passed, right = comms.last_end(t), t
    for left in reversed([change for change in changes if change < t]):
        if right <= passed:
            break
        if km(left) <= comms.radio_km:
            return max(passed, _left(km, comms.radio_km, left, right))
        right = left
    return max(passed, 0.0)


def _left(km: Callable[[float], float], reach: float, inside: float, outside: float) -> float:
    """When the reach was left between two times, to PRECISION and on the side within."""
    while outside - inside > PRECISION:
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if km(middle) <= reach else (inside, middle)
    return inside


def relay_fix(comms: Comms, stood: float, last: float, now: float) -> tuple[float, float]:
    """(start of a pass, when it has fixed who stands since `stood`); not in the pass that began at `last`, nor late."""
    window = comms.pass_at_or_after(now)
    done = max(window.start, stood) + RELAY_FIX
    if window.start != last and done < window.end:
        return window.start, done
    window = comms.pass_at_or_after(window.end)
    return window.start, window.start + RELAY_FIX
