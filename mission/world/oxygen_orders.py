"""The oxygen part of the base as people meet it: its channels, commands and gates, and the second hydrogen sensor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mission import rules
from mission.channel import LIFE, Channel, gauss
from mission.world.oxygen import CORE, PURGE_N2, SOUND, TRIP, Oxygen, OxygenSection
from mission.world.spec import Act, CheckSpec, CommandSpec, Gate, Numbers, Parameter, Part, Refusal, Truth, number
from mission.world.units import HOUR, KPA, MINUTE

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

WATER_PER_O2 = 1.125
"""kg of water for one of oxygen: ISS OGA, and 18.015 / 16.000."""
FRESH = 60 * MINUTE
"""How long a reading of the second hydrogen sensor counts."""
SECOND_NOISE = 0.03
"""% of hydrogen"""
CHECK_W = 20.0
DILUTION = rules.get("FR-05").numbers["dilution"]


WORK = ("repair_oga", "restart_oga")


def worked_on(base: Base) -> Refusal | None:
    """Nothing else is done to the generator while somebody works on it or it is being purged."""
    if base.part("oxygen").purging:
        return Refusal("the generator is being purged")
    under_way = next((task.command for task in base.tasks if task.command in WORK), None)
    return Refusal(f"the generator is being worked on: {under_way} is under way") if under_way else None


def _not_tripped(base: Base) -> Refusal | None:
    part: Oxygen = base.part("oxygen")
    if part.purging:
        return Refusal("the generator is being purged")
    return None if part.tripped else Refusal("the generator has not tripped")


def _purge_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    part: Oxygen = base.part("oxygen")
    refusal = worked_on(base)
    if refusal:
        return refusal
    if base.air.config.oga > 0.0:
        return Refusal("the generator runs: it is purged at a stand")
    left = base.air.tank(0, base.now())
    return None if left >= part.section.purge_n2_kg else Refusal(f"only {left:.2f} kg of nitrogen left")


def _restart_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    part: Oxygen = base.part("oxygen")
    refusal = worked_on(base) or _not_tripped(base)
    if refusal or parameters["bypass"]:
        return refusal
    if part.restarts:
        return Refusal("it has been restarted once since its last repair")
    if not part.purged:
        return Refusal("it has not been purged since the trip")
    if part.shown(base.now()) >= TRIP:
        return Refusal(f"hydrogen sensor A reads {TRIP:g} % or more")
    if part.second is None or base.now() - part.second[0] > FRESH:
        return Refusal(f"the second hydrogen sensor has not been read within {FRESH / MINUTE:g} min")
    return None if part.second[1] < TRIP else Refusal(f"the second hydrogen sensor read {part.second[1]:.1f} %")


def _repair_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    refusal = worked_on(base)
    if refusal:
        return refusal
    return Refusal("the generator runs: stop it first") if base.air.config.oga > 0.0 else None


def _valve_gate(closed: bool) -> Gate:
    def gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
        if base.part("oxygen").isolated is not closed:
            return None if closed else _valve_in_work(base)
        return Refusal(f"the manual oxygen valve is {'closed' if closed else 'open'} already")

    return gate


def _valve_in_work(base: Base) -> Refusal | None:
    under_way = any(task.command == "repair_o2_valve" for task in base.tasks)
    return Refusal("the supply valve is being replaced") if under_way else None


def _mend_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    refusal = _valve_in_work(base)
    if refusal:
        return refusal
    return None if base.part("oxygen").isolated else Refusal("close the manual oxygen valve first")


def _purge(base: Base, parameters: Mapping[str, Any]) -> str:
    part: Oxygen = base.part("oxygen")
    n2, o2 = (base.air.tank(index, base.now()) for index in (0, 1))
    base.change(base.now(), tanks=(n2 - part.section.purge_n2_kg, o2))
    part.purge(on=True)
    return "nitrogen flows through the stack"


def _purged(base: Base, parameters: Mapping[str, Any]) -> str:
    base.part("oxygen").purge(on=False)
    return "the stack is purged"


def _restart(base: Base, parameters: Mapping[str, Any]) -> str:
    return "starting" + (" with the hydrogen trip bypassed" if parameters["bypass"] else "")


def _restarted(base: Base, parameters: Mapping[str, Any]) -> str:
    if _not_tripped(base):
        return "the generator was not there to be started"
    base.part("oxygen").restart(bypass=parameters["bypass"])
    return "the generator runs at the rate it had"


def _repair(base: Base, parameters: Mapping[str, Any]) -> str:
    return "the spare stack is being fitted"


def _repaired(base: Base, parameters: Mapping[str, Any]) -> str:
    base.part("oxygen").repair()
    return "the spare stack is in; the generator runs at the rate it had"


def _valve(closed: bool) -> Act:
    def act(base: Base, parameters: Mapping[str, Any]) -> str:
        base.part("oxygen").isolate(closed=closed)
        return f"the manual valve of the oxygen supply is {'closed' if closed else 'open'}"

    return act


def _walk(base: Base, parameters: Mapping[str, Any]) -> str:
    return "somebody is on the way to the manual valve"


def _mend(base: Base, parameters: Mapping[str, Any]) -> str:
    return "the supply valve is being replaced"


def _mended(base: Base, parameters: Mapping[str, Any]) -> str:
    base.part("oxygen").mend_valve()
    return "the supply valve is replaced; the manual valve is as it was"


def _no_purge(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    """FR-05: suits are purged with oxygen in the lock, and not while the air is rich."""
    t, limit = base.now(), rules.number("FR-05", "fire")
    share = 100.0 * base.air.partial_pressure("o2", CORE, t) / base.air.pressure(CORE, t)
    return (
        Refusal(f"O2 is {share:.1f} % of the air, above {limit:g} %: no suit purge", "FR-05") if share > limit else None
    )


def _dilute_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    if base.air.tank(0, base.now()) <= 0.0:
        return Refusal("no nitrogen is left")
    stands, wanted = base.air.pressure(CORE, base.now()) / KPA, float(str(parameters["to_kpa"]))
    return Refusal(f"the core stands at {stands:.2f} kPa already") if stands >= wanted else None


def _dilute(base: Base, parameters: Mapping[str, Any]) -> str:
    base.part("oxygen").dilute(parameters["to_kpa"] * KPA)
    return f"nitrogen flows into the core until it stands at {parameters['to_kpa']:g} kPa"


def _stop_dilution(base: Base, parameters: Mapping[str, Any]) -> str:
    was = base.part("oxygen").dilute_to
    base.part("oxygen").dilute(0.0)
    return "no more nitrogen is let in by hand" if was else "no nitrogen was being let in by hand"


def _second_sensor(world: World, choice: str, duration: float) -> Numbers:
    base = world.base
    base.set_extra_load("check_second_h2_sensor", CHECK_W)
    world.advance(world.now + duration)
    base.set_extra_load("check_second_h2_sensor", 0.0)
    part: Oxygen = base.part("oxygen")
    noise = SECOND_NOISE * gauss(world.seed, "check", "second_h2_sensor", world.now)
    value = max(0.0, part.h2(world.now) + noise)
    part.second = (world.now, value)
    return Numbers({"hydrogen": value}, {"hydrogen": SOUND}, {"hydrogen": "%"})


_BYPASS = Parameter(name="bypass", kind="flag", description="true overrides the hydrogen trip and its conditions")
_TRUTHS: dict[str, Truth] = {
    "oga.h2": lambda base, t: base.part("oxygen").h2(t),
    "oga.water_inlet": lambda base, t: WATER_PER_O2 * base.air.config_at(t).oga * HOUR,
}
PART = Part(
    name="oxygen",
    section=OxygenSection,
    make=Oxygen,
    channels=(
        Channel(
            name="oga.h2", unit="%", description="hydrogen in the product oxygen, sensor A; trips the generator at 1 %",
            groups=("oxygen", LIFE), period_s=60.0, noise=0.02, bias=0.03, resolution=0.01, low=0.0, high=10.0,
        ),
        Channel(
            name="oga.water_inlet", unit="kg/h", description="water into the oxygen generator",
            groups=("oxygen", LIFE), period_s=60.0, noise=0.002, resolution=0.001, low=0.0,
        ),
    ),
    truths=_TRUTHS,
    commands=(
        CommandSpec(
            name="purge_h2",
            description=f"Purge the stopped oxygen generator with {PURGE_N2:g} kg of nitrogen from the tank.",
            duration_s=30 * MINUTE,
            power_w=100.0,
            gates="Refused while the generator runs, is being purged or is being worked on.",
        ),
        CommandSpec(
            name="restart_oga",
            description="Start the oxygen generator after a trip, at the rate it had.",
            parameters=(_BYPASS,),
            duration_s=15 * MINUTE,
            power_w=469.0,
            gates=(
                "Refused unless it has tripped, and while it is being purged or worked on. Without bypass also: "
                f"once between repairs, purged since the trip, "
                f"sensor A under {TRIP:g} %, and a second_h2_sensor check under {TRIP:g} % within "
                f"{FRESH / MINUTE:g} min."
            ),
        ),
        CommandSpec(
            name="repair_oga",
            description="Fit the spare stack of the oxygen generator; it then runs at the rate it had.",
            duration_s=6 * HOUR,
            power_w=200.0,
            gates="Refused while the generator runs, is being purged or is being worked on.",
        ),
        CommandSpec(
            name="close_o2_valve",
            description="Close the manual valve of the oxygen supply: nothing comes from the oxygen tank any more.",
            duration_s=5 * MINUTE,
            gates="Refused while it is closed.",
        ),
        CommandSpec(
            name="open_o2_valve",
            description="Open the manual valve of the oxygen supply.",
            duration_s=5 * MINUTE,
            gates="Refused while it is open, and while the automatic valve is being replaced.",
        ),
        CommandSpec(
            name="repair_o2_valve",
            description="Replace the automatic valve of the oxygen supply.",
            duration_s=HOUR,
            power_w=50.0,
            gates="Refused while the manual valve is open, and while it is being replaced already.",
        ),
        CommandSpec(
            name="dilute_n2",
            description=(
                "Let nitrogen from the tank into the core at 5.4 kg/h until it stands at a pressure: it lowers the "
                "share of oxygen, not its partial pressure."
            ),
            parameters=(number("to_kpa", f"kPa, at most FR-05's {DILUTION}", 70.0, DILUTION.value),),
            gates=f"FR-05: up to {DILUTION}. Refused at or above the pressure wanted, and without nitrogen.",
        ),
        CommandSpec(name="stop_dilution", description="Stop letting nitrogen in by hand."),
    ),
    begin={
        "purge_h2": _purge, "restart_oga": _restart, "repair_oga": _repair, "close_o2_valve": _walk,
        "open_o2_valve": _walk, "repair_o2_valve": _mend,
        "dilute_n2": _dilute, "stop_dilution": _stop_dilution,
    },
    done={
        "purge_h2": _purged, "restart_oga": _restarted, "repair_oga": _repaired, "close_o2_valve": _valve(True),
        "open_o2_valve": _valve(False), "repair_o2_valve": _mended,
    },
    gates={
        "purge_h2": _purge_gate, "restart_oga": _restart_gate, "repair_oga": _repair_gate,
        "close_o2_valve": _valve_gate(True), "open_o2_valve": _valve_gate(False), "repair_o2_valve": _mend_gate,
        "dilute_n2": _dilute_gate, "begin_eva": _no_purge,
    },
    checks=(
        CheckSpec(
            "second_h2_sensor", "Hydrogen in the product oxygen by a second sensor, independent of the one that trips.",
            None, (), {"": 10.0}, CHECK_W, _second_sensor,
        ),
    ),
)  # fmt: skip
