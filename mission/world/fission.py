"""The fission plant: eight convertors in opposed pairs on one reactor. A pair runs only if both of it can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from mission import rules
from mission.channel import POWER, Channel, gauss
from mission.world.lookout import Watch
from mission.world.record import Record
from mission.world.spec import CheckSpec, CommandSpec, Numbers, Part, Refusal, choice
from mission.world.units import HOUR, KW, MINUTE

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

CONVERTORS = 8
NUMBERS = tuple(str(number) for number in range(1, CONVERTORS + 1))
COOLANT_STEP = 60.0
"""K over the reactor at power; the same however many convertors run, since the plant follows its load."""
FULL_CURRENT = 25.0
"""A of one convertor at 50 V."""
STARTUP = 2.0 * HOUR
"""From the order to full power; with the rest that FR-20 asks for, the 6 to 12 h of the design study 1.5."""
LIST_MINUTES, LIST_WATTS = 5.0, 20.0


class FissionSection(Record):
    """Its rated power is the scenario's `power.fission_kw`."""

    lost_pairs: tuple[Annotated[int, Field(ge=1, le=4)], ...] = ()
    """Pairs of convertors that are out at the start, and can be restarted."""


class Fission:
    """The plant of one base. `well` says of each convertor whether it can run; pairs are 1-2, 3-4, 5-6, 7-8."""

    def __init__(self, section: FissionSection, base: Base) -> None:
        self.section = section
        self._base = base
        self.rated = base.scenario.power.fission_kw * KW
        self.well = [index // 2 + 1 not in section.lost_pairs for index in range(CONVERTORS)]
        self.worn: set[int] = set()
        """Convertors, by index, that no restart brings back."""
        self.scrammed: float | None = None
        self.restarted: float | None = None
        base.supply(self._terms)

    def runs(self, index: int) -> bool:
        return self.scrammed is None and self.well[index] and self.well[index ^ 1]

    def output(self) -> float:
        """W"""
        return self.rated / CONVERTORS * sum(self.runs(index) for index in range(CONVERTORS))

    def lose_pair(self, pair: int, *, restartable: bool) -> None:
        """Both convertors of a pair (1 to 4) stop."""
        both = {2 * pair - 2, 2 * pair - 1}
        for index in both:
            self.well[index] = False
        self.worn |= set() if restartable else both
        self._base.changed("fission")

    def scram(self) -> None:
        """The reactor shuts down at once."""
        self.scrammed = self._base.now()
        self._base.changed("fission")

    def started(self) -> None:
        self.scrammed = None
        self._base.changed("fission")

    def restart(self, index: int) -> bool:
        """Whether a restarted convertor can run."""
        self.well[index] = index not in self.worn
        self._base.changed("fission")
        return self.well[index]

    def _terms(self) -> Mapping[str, Any]:
        return {"fission": self.output()}

    def watches(self) -> Sequence[Watch]:
        return ()

    def loads(self) -> Mapping[str, float]:
        return {}

    def state(self, t: float) -> dict[str, Any]:
        return {
            "rated_kw": self.rated / KW,
            "output_kw": self.output() / KW,
            "well": list(self.well),
            "worn": sorted(self.worn),
            "scrammed_s": self.scrammed,
            "last_restart_s": self.restarted,
        }


def _plant(base: Base) -> Fission:
    return base.part("fission")


def _coolant(base: Base, t: float) -> float:
    return COOLANT_STEP if base.power.segment(t).fission > 0.0 else 0.0


def _restart_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    plant, hours = _plant(base), rules.number("FR-20", "restart")
    if plant.scrammed is not None:
        return Refusal("the reactor is scrammed: start it first")
    if plant.restarted is not None and base.now() - plant.restarted < hours * HOUR:
        left = hours * HOUR - (base.now() - plant.restarted)
        return Refusal(f"one convertor restart in {hours:g} h; the next in {left / MINUTE:.0f} min", "FR-20")
    return None


def _scram_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    return Refusal("the reactor is scrammed already") if _plant(base).scrammed is not None else None


def _start_gate(base: Base, parameters: Mapping[str, object]) -> Refusal | None:
    plant, hours = _plant(base), rules.number("FR-20", "recovery")
    if plant.scrammed is None:
        return Refusal("the reactor runs")
    if any(task.command == "start_reactor" for task in base.tasks):
        return Refusal("the reactor is being started already")
    left = plant.scrammed + hours * HOUR - base.now()
    if left <= 0.0:
        return None
    return Refusal(f"a scrammed reactor rests {hours:g} h before it is started; {left / HOUR:.1f} h left", "FR-20")


def _begin_restart(base: Base, p: Mapping[str, Any]) -> str:
    _plant(base).restarted = base.now()
    return f"convertor {p['convertor']} is being restarted"


def _restarted(base: Base, p: Mapping[str, Any]) -> str:
    index = int(p["convertor"]) - 1
    plant = _plant(base)
    if not plant.restart(index):
        return f"convertor {p['convertor']} does not start"
    return f"convertor {p['convertor']} is ready; its pair {'runs' if plant.runs(index) else 'waits for the other'}"


def _scram(base: Base, p: Mapping[str, Any]) -> str:
    _plant(base).scram()
    return "the reactor is shut down"


def _begin_start(base: Base, p: Mapping[str, Any]) -> str:
    return "the reactor is being started"


def _started(base: Base, p: Mapping[str, Any]) -> str:
    _plant(base).started()
    return f"the reactor gives {_plant(base).output() / KW:g} kW"


def _list(world: World, choice: str, duration: float) -> Numbers:
    base, plant = world.base, _plant(world.base)
    base.set_extra_load("check_convertor_list", LIST_WATTS)
    world.advance(world.now + duration)
    base.set_extra_load("check_convertor_list", 0.0)
    measured: dict[str, float] = {}
    for index, number in enumerate(NUMBERS):
        noise = gauss(world.seed, "check", "convertor_list", number, world.now)
        share = float(plant.runs(index))
        measured[f"amplitude_{number}"] = max(0.0, 100.0 * share + 0.5 * noise)
        measured[f"current_{number}"] = max(0.0, FULL_CURRENT * share + 0.1 * noise)
    nominal = {name: 100.0 if name.startswith("amplitude") else FULL_CURRENT for name in measured}
    return Numbers(measured, nominal, {name: "%" if name.startswith("amplitude") else "A" for name in measured})


_RULE = rules.get("FR-20").numbers
PART = Part(
    name="fission",
    section=FissionSection,
    make=Fission,
    channels=(
        Channel(
            name="fission.coolant_step", unit="K", description="temperature rise of the coolant over the reactor",
            groups=("power", "fission", POWER), period_s=60.0, noise=0.5, resolution=0.1, low=0.0,
        ),
    ),
    truths={"fission.coolant_step": _coolant},
    commands=(
        CommandSpec(
            name="restart_convertor",
            description="Restart one of the eight convertors; a pair (1-2, 3-4, 5-6, 7-8) runs when both can.",
            parameters=(choice("convertor", "convertor", *NUMBERS),),
            duration_s=30 * MINUTE,
            power_w=100.0,
            gates=f"FR-20: one restart per {_RULE['restart']}; refused while the reactor is scrammed.",
        ),
        CommandSpec(
            name="scram_reactor",
            description="Shut the reactor down at once.",
            gates=(
                f"FR-22: {rules.get('FR-22').numbers['cues']} different checks of its convertors, the array, the "
                f"battery or the dose outside within {rules.get('FR-22').numbers['age']}. Refused if it is down."
            ),
        ),
        CommandSpec(
            name="start_reactor",
            description="Start a scrammed reactor; it gives power when done.",
            duration_s=STARTUP,
            power_w=200.0,
            gates=f"FR-20: only {_RULE['recovery']} or more after the scram.",
        ),
    ),
    begin={"restart_convertor": _begin_restart, "scram_reactor": _scram, "start_reactor": _begin_start},
    done={"restart_convertor": _restarted, "start_reactor": _started},
    gates={"restart_convertor": _restart_gate, "scram_reactor": _scram_gate, "start_reactor": _start_gate},
    checks=(
        CheckSpec(
            "convertor_list", "Amplitude and current of each convertor.", None, (), {"": LIST_MINUTES}, LIST_WATTS,
            _list,
        ),
    ),
)  # fmt: skip
