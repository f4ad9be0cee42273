"""Checks 21 to 23: the habitat of another simulator, simoc-abm 1.1.2, with its own constants in our solver.

simoc-abm steps by the hour; its units switch at the whole hour after their condition, ours at the crossing. Its
first step changes nothing. What is expected was seen when it ran (presets 4h and 1h, 240 steps); `seen` runs it again
where it is installed.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from mission.published.check import Band, Check, Figure, near
from mission.world.exponential import ExpSum, first_crossing
from mission.world.gases import MOLAR_MASS
from mission.world.linear import conductance_matrix, solve
from mission.world.units import HOUR

CREW_O2, CREW_CO2 = 0.037083, 0.045
"""kg/h a person, simoc-abm's agent_desc.json."""
SAWD, SFWE, SFWE_WATER = 0.085, 0.367, 0.413
"""kg/h: CO2 that one of its removal units takes out; O2 that its electrolyser makes, and the water it takes."""
SFWE_BELOW = 0.195
"""Share of O2 in the air's mass under which its electrolyser runs."""
SAWD_ABOVE, SAWD_WAIT = 0.001, 8.0
"""Share of CO2 in the air's mass above which its removal units run, and the hours that they wait first."""
HABITAT = 1000.0
"""m3"""
START = {"o2": 261.825, "co2": 0.51665, "n2": 976.05, "h2o": 12.5}
"""kg at the start of both presets; its water swings by 4 kg, which moves a threshold by 0.3 %."""
HOURS = 239.0
"""What 240 of its steps come to: the first changes nothing."""
CO2_OF_FOUR = {48: 3.0267, 72: 3.2667, 120: 3.7482}
O2_OF_FOUR = {48: 254.8534, 72: 251.2934, 120: 244.1730}
FOUR_AT_24 = {"co2": 2.7867, "o2": 258.4134, "n2": 976.05, "h2o": 12.3066}
"""kg by hour, preset 4h as it ran."""
ONE_O2, ONE_LOW, ONE_HIGH = 252.9992, 1.1566, 1.6066
"""kg of O2 at hour 239, and of CO2 at least and at most from hour 24 on, preset 1h as it ran."""


class Span(NamedTuple):
    """Hours for which the removal units ran, and CO2 in kg at their switching."""

    hours: float
    levels: tuple[float, ...]


def line(kg: float, kg_per_h: float) -> ExpSum:
    """kg over seconds in the habitat, by our solver."""
    return solve([HABITAT], conductance_matrix(1, [], []), [kg_per_h / HOUR], [kg])[0]


def habitat(people: int, units: int, start: Mapping[str, float], hours: float) -> dict[str, float]:
    """CO2 and O2, kg, `hours` after `start` with the removal units on."""
    co2 = line(start["co2"], people * CREW_CO2 - units * SAWD)
    o2 = line(start["o2"], -people * CREW_O2)
    others = sum(kg for gas, kg in start.items() if gas != "o2")
    low = others * SFWE_BELOW / (1.0 - SFWE_BELOW)
    starts = first_crossing(o2, low, hours * HOUR) if low < start["o2"] else 0.0
    made = 0.0 if starts is None else SFWE * (hours - starts / HOUR)
    return {"co2": co2(hours * HOUR), "o2": o2(hours * HOUR) + made}


def removal(people: int, units: int, hours: float = HOURS) -> Span:
    """The units' own control from the start on: on so long after their threshold is passed, off below it."""
    level = SAWD_ABOVE * sum(START.values())
    t, kg, ran, running, levels = 0.0, START["co2"], 0.0, False, [START["co2"]]
    while t < hours:
        curve = line(kg, people * CREW_CO2 - units * SAWD * running)
        crossing = first_crossing(curve, level, (hours - t) * HOUR) if kg != level else 0.0
        span = hours - t if crossing is None else crossing / HOUR + (0.0 if running else SAWD_WAIT)
        span = min(span, hours - t)
        t, kg, ran = t + span, curve(span * HOUR), ran + span * running
        kg = level if running and t < hours else kg
        running = not running
        levels.append(kg)
    return Span(ran, tuple(levels))


def seen(preset: str) -> dict[str, Any]:
    """What simoc-abm records by agent in ten days of a preset. Raises ImportError where it is not installed."""
    library: Any = importlib.import_module("simoc_abm.agent_model")
    files: Any = importlib.import_module("simoc_abm.util")
    model = library.AgentModel.from_config(**files.load_data_file(f"config_{preset}.json"))
    model.run(max_steps=240)
    return model.get_records()["agents"]


def _four() -> Mapping[str, float]:
    ours = {hour: habitat(4, 2, FOUR_AT_24, hour - 24.0) for hour in CO2_OF_FOUR}
    day = habitat(4, 2, FOUR_AT_24, 24.0)
    return {
        **{f"CO2, hour {hour}": gas["co2"] for hour, gas in ours.items()},
        **{f"O2, hour {hour}": gas["o2"] for hour, gas in ours.items()},
        "CO2 a day": day["co2"] - FOUR_AT_24["co2"],
        "O2 a day": day["o2"] - FOUR_AT_24["o2"],
    }


def _one() -> Mapping[str, float]:
    o2 = habitat(1, 0, START, HOURS - 1.0)["o2"]
    levels = removal(1, 1).levels[1:-1]
    return {
        "O2, hour 239": o2,
        "O2 a day": (o2 - START["o2"]) * 24.0 / (HOURS - 1.0),
        "CO2 at least": min(levels),
        "CO2 at most": max(levels),
    }


def _flows() -> Mapping[str, float]:
    removed = removal(4, 2).hours * 2 * SAWD / 10.0
    return {
        "CO2 given off": 4 * CREW_CO2 * 24.0,
        "CO2 removed": removed,
        "O2 per water": MOLAR_MASS["o2"] / (2.0 * MOLAR_MASS["h2o"]),
    }


BETWEEN = Band(0.99, 1.616, "1.0 to 1.6", "1 %")
SOURCE = "simoc-abm 1.1.2, preset {}, as it ran"
CHECKS = (
    Check(
        key="21",
        name="SIMOC's habitat with four people",
        group="simoc",
        source=SOURCE.format("4h"),
        figures=(
            *(Figure(f"CO2, hour {hour}", "kg", near(kg, rel=0.01)) for hour, kg in CO2_OF_FOUR.items()),
            *(Figure(f"O2, hour {hour}", "kg", near(kg, rel=0.01)) for hour, kg in O2_OF_FOUR.items()),
            Figure("CO2 a day", "kg", near(0.24, rel=0.01)),
            Figure("O2 a day", "kg", near(-3.56, rel=0.01)),
        ),
        measure=_four,
        how="From its own state at hour 24, two removal units on. After hour 120 its electrolyser goes on and off by "
        "the hour, which is control and not physics.",
    ),
    Check(
        key="22",
        name="SIMOC's habitat with one person",
        group="simoc",
        source=SOURCE.format("1h"),
        figures=(
            Figure("O2, hour 239", "kg", near(ONE_O2, rel=0.01)),
            Figure("O2 a day", "kg", near(-0.89, rel=0.01)),
            Figure("CO2 at least", "kg", BETWEEN),
            Figure("CO2 at most", "kg", BETWEEN),
        ),
        measure=_one,
        how="From its start, with the removal unit's own control. From hour 24 on 1.157 to 1.607 kg were seen: it "
        "switches by the hour, ours where the threshold is crossed.",
    ),
    Check(
        key="23",
        name="SIMOC's flows",
        group="simoc",
        source=SOURCE.format("4h"),
        figures=(
            Figure("CO2 given off", "kg/d", near(4.32, rel=0.005)),
            Figure("CO2 removed", "kg/d", near(3.876, rel=0.005)),
            Figure("O2 per water", "", near(SFWE / SFWE_WATER, rel=0.005)),
        ),
        measure=_flows,
        how="38.76 kg in its 240 hours, over ten days; ours removes from the crossing on and eight hours of waiting. "
        "Its electrolyser makes 0.367 kg of O2 from 0.413 kg of water; ours is the ratio of our molar masses.",
    ),
)
