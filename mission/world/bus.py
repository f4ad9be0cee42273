"""What the bus does by itself: marks of the battery, protection at its floor, the trip at low voltage."""

from __future__ import annotations

from mission import rules
from mission.world.base import Base
from mission.world.power import DEFERRABLE, Mark, shed_to_fit


def pass_mark(base: Base, mark: Mark) -> None:
    """The battery has come to a mark, or the balance has turned; a mark that lies ahead only means to look again."""
    now = base.now()
    if mark.soc is not None and mark.t <= now:
        direction = "rising" if mark.rising else "falling"
        base.log(now, "battery", soc_percent=100.0 * mark.soc, direction=direction)
    base.power.rebase(now)
    if mark.soc == 1.0 and mark.t <= now:
        base.part("battery").full()


def protect(base: Base) -> None:
    """After every change of the balance: at its floor a battery gives nothing more, and deferrable loads go."""
    now, segment = base.now(), base.power.segment(base.now())
    if segment.unserved(now) > 0.0:
        tripped = 100.0 * base.power.soc(now) <= rules.number("FR-19", "trip") + 1e-6
        _shed(base, tripped=tripped)
    base.part("battery").watch_cold_charge()


def _shed(base: Base, *, tripped: bool) -> None:
    """Drop what exceeds the supply, in order; all that can be dropped if the bus has tripped."""
    now, segment = base.now(), base.power.segment(base.now())
    supply = segment.fission + segment.solar(now)
    dropped = [name for name in DEFERRABLE if name in segment.loads] if tripped else shed_to_fit(segment.loads, supply)
    if not dropped:
        return
    base.shed += dropped
    base.sync_power()
    why = "bus voltage at its trip" if tripped else "battery at its floor"
    base.log(now, "shed", loads=dropped, why=why)
