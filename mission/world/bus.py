"""What the bus does by itself: marks of the battery, protection at its floor, the trip at low voltage, brown-out."""

from __future__ import annotations

from mission import rules
from mission.world.base import Base
from mission.world.coolant import LOOPS
from mission.world.power import DEFERRABLE, Mark, shed_to_fit

BROWN_OUT = ("oga", "bed_b", "bed_a", "portable_fan", "imv", "pumps")
"""What goes, in this order, when nothing deferrable is left: FR-19, from step 8 of FR-18 on. The avionics and the
heaters hold on to the last: what they then lack is in the ledger as unserved."""


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
    """After every change of the balance: at its floor a battery gives nothing more, and loads go."""
    now, segment = base.now(), base.power.segment(base.now())
    if segment.unserved(now) > 0.0:
        tripped = 100.0 * base.power.soc(now) <= rules.number("FR-19", "trip") + 1e-6
        _shed(base, tripped=tripped)
        _brown_out(base)
    base.part("battery").watch_cold_charge()


def _shed(base: Base, *, tripped: bool) -> None:
    """Drop what exceeds the supply, in order; all that can be dropped, and the pumps, if the bus has tripped."""
    now, segment = base.now(), base.power.segment(base.now())
    supply = segment.load - segment.unserved(now)
    dropped = [name for name in DEFERRABLE if name in segment.loads] if tripped else shed_to_fit(segment.loads, supply)
    if tripped and "pumps" in segment.loads:
        _drop(base, "pumps")
    if not dropped:
        return
    base.shed += dropped
    base.sync_power()
    why = "bus voltage at its trip" if tripped else "battery at its floor"
    base.log(now, "shed", loads=dropped, why=why)


def _brown_out(base: Base) -> None:
    """What the supply still cannot carry stops, one thing after the other, until the rest fits."""
    dropped: list[str] = []
    for name in BROWN_OUT:
        segment = base.power.segment(base.now())
        if segment.unserved(base.now()) <= 0.0:
            break
        if name in segment.loads:
            _drop(base, name)
            dropped.append(name)
    if dropped:
        base.log(base.now(), "brown_out", loads=dropped)


def _drop(base: Base, name: str) -> None:
    """Stop one thing that only an order starts again."""
    match name:
        case "bed_a" | "bed_b":
            base.set_bed(name[-1].upper(), running=False)
        case "oga":
            base.change(base.now(), oga=0.0)
        case "imv" | "portable_fan":
            base.change(base.now(), **{name: False})
        case _:
            thermal = base.part("thermal")
            for loop in LOOPS:
                if thermal.loops[loop].last.pump == "ok":
                    thermal.change_loop(loop, pump="tripped", restartable=True, attempts=0)
                    base.log(base.now(), "coolant", loop=loop, event="pump without power")
