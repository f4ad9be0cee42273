"""What can be asked of people in suits: commands, channels, a check. Their gates are in eva_gates.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from mission import rules
from mission.channel import LIFE, WEATHER, Channel
from mission.world import eva_gates as gates
from mission.world import suit as model
from mission.world.airlock import EGRESS, INGRESS
from mission.world.eva import SUITS, Eva
from mission.world.eva_gates import eva, names
from mission.world.eva_section import TASKS, EvaSection, Task
from mission.world.field_work import BRUSH, error, spend
from mission.world.spec import (
    CheckRefusedError,
    CheckSpec,
    CommandSpec,
    Numbers,
    Parameter,
    Part,
    Truth,
    choice,
    number,
)
from mission.world.units import HOUR, MINUTE

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

DECAY_MINUTES = 3.0
DECAY_WATTS = 5.0
DECAY_NOISE = 0.05
"""kPa, of a difference of two readings."""
GAS_CONSTANT, SUIT_KELVIN, O2_MOLAR = 8.314462618, 300.0, 0.031998
SERVICE = 4 * HOUR
"""Recharge of battery, oxygen and water and a fresh canister; ours."""
_PEOPLE = Parameter(name="people", kind="people", description="ids separated by commas, or all")
_ON = Parameter(name="on", kind="flag", description="true to start, false to stop")
_SUIT = choice("suit", "suit", *SUITS)


def _begin_prebreathe(base: Base, p: Mapping[str, Any]) -> str:
    for person in names(p):
        eva(base).breathe(person, on=True)
    owed = max(eva(base).owed(person, base.now()) for person in names(p)) / MINUTE
    return f"{p['people']} on the mask; {owed:.0f} min to go"


def _stop_prebreathe(base: Base, p: Mapping[str, Any]) -> str:
    for person in names(p):
        eva(base).breathe(person, on=False)
    return f"{p['people']} off the mask"


def _begin(base: Base, p: Mapping[str, Any]) -> str:
    eva(base).begin(names(p), p["task"], p["hours"])
    km = eva(base).distance_to(p["task"]) / 1000.0
    return f"{p['people']} in the airlock; hatch opens in {EGRESS / MINUTE:.0f} min, site at {km:g} km"


def _recall(base: Base, p: Mapping[str, Any]) -> str:
    eva(base).recall()
    left = eva(base).distance(base.now()) / model.SPEED / MINUTE
    return f"on the way back, {left:.0f} min on foot"


def _pace(base: Base, p: Mapping[str, Any]) -> str:
    eva(base).pace(slow=p["pace"] == "slow")
    return f"work goes on at a {p['pace']} pace"


def _purge(base: Base, p: Mapping[str, Any]) -> str:
    eva(base).purge(SUITS.index(p["suit"]), on=p["on"])
    return f"purge of suit {p['suit']} is {'open' if p['on'] else 'closed'}"


def _service(base: Base, p: Mapping[str, Any]) -> str:
    return f"suit {p['suit']} is being serviced"


def _serviced(base: Base, p: Mapping[str, Any]) -> str:
    full = eva(base).refill(SUITS.index(p["suit"]))
    return f"suit {p['suit']} is full" if full else f"suit {p['suit']} is not full: the oxygen tank is empty"


def _of_suit(value: Callable[[model.Suit, float], float], index: int, base: Base, t: float) -> float:
    return value(eva(base).suit(index, t), t)


def _oxygen_rate(suit: model.Suit, t: float) -> float:
    rate = suit.rates
    return -(rate.o2 + rate.secondary) * HOUR


SHOWN: dict[str, tuple[str, str, float, float, float, Callable[[model.Suit, float], float]]] = {
    "o2": ("kg", "primary oxygen", 0.003, 0.005, 0.001, lambda s, t: model.stores(s, t).o2),
    "secondary": ("kg", "oxygen of the secondary pack", 0.005, 0.01, 0.001, lambda s, t: model.stores(s, t).secondary),
    "o2_rate": ("kg/h", "oxygen used, leaks included", 0.003, 0.003, 0.001, _oxygen_rate),
    "co2": ("mmHg", "ppCO2 in the helmet", 0.1, 0.3, 0.1, model.helmet),
    "fan": ("krpm", "fan speed", 0.1, 0.1, 0.1, lambda s, t: 25.0 * model.fan(s, t) if s.worn else 0.0),
    "battery": ("%", "charge", 0.3, 0.5, 0.1, lambda s, t: 100.0 * model.stores(s, t).battery / model.BATTERY),
    "water": ("kg", "feedwater", 0.02, 0.05, 0.01, lambda s, t: model.stores(s, t).water),
    "scrubber": (
        "%", "CO2 capacity left", 0.5, 2.0, 1.0,
        lambda s, t: 100.0 * (1.0 - model.stores(s, t).scrubber / model.SCRUBBER),
    ),
    "pressure": ("kPa", "suit pressure", 0.03, 0.1, 0.01, lambda s, t: model.pressure(s) / 1000.0),
    "heart_rate": ("bpm", "heart rate", 3.0, 5.0, 1.0, lambda s, t: model.heart_rate(s.watts) if s.worn else 0.0),
    "metabolic": ("W", "metabolic power by the cooling loop", 12.0, 15.0, 1.0, lambda s, t: s.watts),
}  # fmt: skip
"""Unit, what it is, noise, bias, resolution, truth; the rates of design study 1.8, the errors ours."""


def _channels() -> tuple[Channel, ...]:
    suits = [
        Channel(
            name=f"suit_{suit}.{name}", unit=unit, description=f"{what}, suit {suit}",
            groups=(f"suit_{suit}", "eva", LIFE, WEATHER), period_s=30.0, noise=noise, bias=bias,
            resolution=resolution, low=0.0,
        )
        for suit in SUITS
        for name, (unit, what, noise, bias, resolution, _) in SHOWN.items()
    ]  # fmt: skip
    way = [
        Channel(
            name=name, unit=unit, description=what, groups=("eva", LIFE, WEATHER), period_s=30.0, noise=noise,
            resolution=0.01, low=0.0,
        )
        for name, unit, what, noise in (
            ("eva.distance", "km", "distance of the people in suits from the airlock", 0.02),
            ("eva.elapsed", "h", "time since the hatch opened, 0 with nobody outside in a suit", 0.0),
            ("crew.outside", "count", "people outside, in suits and rovers", 0.0),
        )
    ]  # fmt: skip
    return (*suits, *way)


def _truths() -> dict[str, Truth]:
    suits: dict[str, Truth] = {
        f"suit_{suit}.{name}": partial(_of_suit, shown[-1], index)
        for index, suit in enumerate(SUITS)
        for name, shown in SHOWN.items()
    }
    way: dict[str, Truth] = {
        "eva.distance": lambda base, t: eva(base).distance(t) / 1000.0,
        "eva.elapsed": lambda base, t: eva(base).elapsed(t) / HOUR,
        "crew.outside": lambda base, t: float(len(base.people) - sum(base.air.config_at(t).crew)),
    }
    return suits | way


_CHANNELS = _channels()


def _heard(base: Base, t: float) -> float:
    return eva(base).heard(t)


def _decay(world: World, choice: str, duration: float) -> Numbers:
    """Work stops, the bottle is shut, and the suit's own gas feeds wearer, seals and leak."""
    index, base = SUITS.index(choice), world.base
    worn = eva(base).suit(index, world.now).worn
    if worn and (refusal := gates.unheard(base)) is not None:
        raise CheckRefusedError(refusal.reason)
    if worn:
        eva(base).rest(index, on=True)
    spend(world, "suit_pressure_decay", DECAY_WATTS, duration)
    suit = eva(base).suit(index, world.now)
    if worn:
        eva(base).rest(index, on=False)
    per_kg = GAS_CONSTANT * SUIT_KELVIN / O2_MOLAR / model.FREE_VOLUME / 1000.0
    wearer = model.REST if worn else 0.0
    fall, sound = (per_kg * model.demand(wearer, leak) * duration for leak in (suit.leak, 0.0))
    fall += error(world, "suit_pressure_decay", choice, DECAY_NOISE)
    return Numbers({"pressure_change": -fall}, {"pressure_change": -sound}, {"pressure_change": "kPa"})


def _limit(rule: str, name: str) -> str:
    return str(rules.get(rule).numbers[name])


COMMANDS = (
    CommandSpec(
        name="begin_prebreathe",
        description=f"Put people on pure oxygen: {_limit('FR-12', 'prebreathe')} before an EVA.",
        parameters=(_PEOPLE,),
        gates="Refused for people who are outside, asleep, at exercise or lost.",
    ),
    CommandSpec(
        name="stop_prebreathe",
        description=f"Take people off the mask; a break is repaid {_limit('FR-12', 'repaid')} its length.",
        parameters=(_PEOPLE,),
        gates="Refused for people who are outside, asleep, at exercise or lost.",
    ),
    CommandSpec(
        name="begin_eva",
        description=(
            "Send people out to a task: "
            + ", ".join(f"{task} {km:g} km" for task, (km, _) in TASKS.items())
            + f". {EGRESS / MINUTE:.0f} min in the lock, which loses 2.4 kg of air; then `hours` from hatch to hatch."
            f" At solar_array and radiator each of them brushes {BRUSH:g} m2 an hour free of dust."
        ),
        parameters=(_PEOPLE, choice("task", "what to do", *get_args(Task)), number("hours", "hatch to hatch", 0.1, 8)),
        gates=(
            f"FR-12: tau at most {_limit('FR-12', 'tau')} and risen by no more than {_limit('FR-12', 'growth')}, wind "
            f"at most {_limit('FR-12', 'wind')}, no particle alert, "
            f"base battery at {_limit('FR-12', 'power')}, scrubbers at {_limit('FR-12', 'scrubber')}, "
            f"{_limit('FR-12', 'inside')} people inside, prebreathe complete. FR-13: at most "
            f"{_limit('FR-13', 'plan')}. FR-14: at most {_limit('FR-14', 'limit')} and within the walk-back. "
            f"FR-05: not above {_limit('FR-05', 'fire')} of O2. "
            f"FR-20: not within {_limit('FR-20', 'zone')} of the reactor, nor with fission more than "
            f"{_limit('FR-20', 'derate')} below its rating. Refused with the core-airlock hatch open, people in the "
            "airlock, an EVA under way, people in the shelter, or beyond local radio with no relay meanwhile."
        ),
    ),
    CommandSpec(
        name="recall_eva",
        description=(
            f"Call the people in suits back; they walk at 2.7 km/h and take {INGRESS / MINUTE:.0f} min in the lock."
        ),
        gates="Refused when nobody is outside, they are on the way back, or no radio reaches them.",
    ),
    CommandSpec(
        name="set_eva_pace",
        description="How hard the people outside work: normal, or slow at 700 Btu/h.",
        parameters=(choice("pace", "pace", "normal", "slow"),),
        gates="Refused when nobody is outside in a suit, or no radio reaches them.",
    ),
    CommandSpec(
        name="suit_purge",
        description=(
            "Open or close a helmet purge: it washes CO2 out and lives on the secondary pack, which lasts "
            f"{_limit('FR-13', 'secondary')}."
        ),
        parameters=(_SUIT, _ON),
        gates="Refused for a suit that is not in use or beyond radio, or with the secondary pack empty.",
    ),
    CommandSpec(
        name="service_suit",
        description="Recharge a suit's battery, oxygen and water and change its scrubber; it mends nothing.",
        parameters=(_SUIT,),
        duration_s=SERVICE,
        power_w=1200.0,
        gates="Refused for a suit in use, lost or being serviced.",
    ),
)
PART = Part(
    name="eva",
    section=EvaSection,
    make=Eva,
    channels=_CHANNELS,
    truths=_truths(),
    heard={channel.name: _heard for channel in _CHANNELS if not channel.name.startswith("crew.")},
    commands=COMMANDS,
    begin={
        "begin_prebreathe": _begin_prebreathe,
        "stop_prebreathe": _stop_prebreathe,
        "begin_eva": _begin,
        "recall_eva": _recall,
        "set_eva_pace": _pace,
        "suit_purge": _purge,
        "service_suit": _service,
    },
    done={"service_suit": _serviced},
    gates={
        "begin_prebreathe": gates.inside,
        "stop_prebreathe": gates.inside,
        "begin_eva": gates.go,
        "recall_eva": gates.going_back,
        "set_eva_pace": gates.out,
        "suit_purge": gates.purgeable,
        "service_suit": gates.serviceable,
        "open_hatch": gates.open_hatch,
        "equalize_hatch": gates.open_hatch,
    },
    checks=(
        CheckSpec(
            "suit_pressure_decay",
            "Fall of a suit's pressure in 3 min with work stopped and the bottle shut.",
            "suit",
            SUITS,
            dict.fromkeys(SUITS, DECAY_MINUTES),
            DECAY_WATTS,
            _decay,
        ),
    ),
)
