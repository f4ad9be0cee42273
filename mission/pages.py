"""Which courses are drawn together: a page a block, a panel a quantity, every channel once."""

from __future__ import annotations

from dataclasses import dataclass

from mission.curves import Curve, curves
from mission.world.engine import Scenario

__all__ = ["Page", "Panel", "overview", "pages"]

MOST = 4
"""Curves in one panel: as many as there are colours with dashes of their own."""
TITLES = {
    "air": "Air",
    "life-support": "CO2 removal, oxygen, ventilation and tanks",
    "power": "Power",
    "thermal": "Heat and coolant",
    "toxics": "Fire and toxics",
    "weather": "Outside",
    "eva": "Suits and EVA",
    "rovers": "Rovers",
    "comms": "Communications",
    "crew": "Crew, radiation and shelter",
    "other": "Whatever else there is",
}
"""The blocks in the order of their pages."""
_BLOCK = {
    "bed": "life-support", "makeup": "life-support", "tank": "life-support", "imv": "life-support",
    "oga": "life-support", "lioh": "life-support", "battery": "power", "power": "power", "solar": "power",
    "fission": "power", "loop": "thermal", "thermal": "thermal", "site": "weather", "forecast": "weather",
    "suit": "eva", "eva": "eva", "rover": "rovers", "comms": "comms", "radiation": "crew", "shelter": "crew",
}  # fmt: skip
_TOXIC = ("co", "hcn", "hcl", "nh3", "glycol", "smoke", "bus_current", "rack_temperature")
_ZONES = ("core", "lab", "airlock")
_ALARM = {"alarm.depress": "air", "alarm.smoke": "toxics", "alarm.ammonia": "toxics"}
_JOINT = {
    "n2": "gas left", "o2": "gas left", "n2_flow": "flow", "o2_flow": "flow", "temperature_2": "temperature",
    "gust": "wind", "h2_shown": "h2", "tau_1_sol": "tau", "tau_2_sol": "tau", "tau_4_sol": "tau",
}  # fmt: skip
"""Of one place: what shares a panel."""
_NUMBERED = ("bed", "loop", "suit", "rover")
_WORDS = {
    "ppco2": "ppCO2", "ppo2": "ppO2", "pio2": "PIO2, inspired oxygen", "o2_share": "O2 share",
    "ppco2_1h_mean": "ppCO2, mean of an hour", "co": "CO", "hcn": "HCN", "hcl": "HCl", "nh3": "NH3",
    "o2": "oxygen", "o2_rate": "oxygen used", "secondary": "secondary oxygen", "co2": "helmet ppCO2",
    "ltst": "local true solar time", "soc": "state of charge", "cabin_co2": "cabin ppCO2", "inlet_ppco2": "inlet ppCO2",
    "outlet_ppco2": "outlet ppCO2", "smoke": "smoke, extinction", "tau": "optical depth", "wind": "wind and gusts",
    "h2": "hydrogen",
}  # fmt: skip
VITAL = (
    "core.ppco2", "core.pio2", "core.pressure", "core.temperature", "battery.soc", "power.load",
    "thermal.coldplate_temperature", "radiation.rate",
)  # fmt: skip
"""What the first page shows beside the objectives, so that it is never empty."""
FIRST = 8
"""Panels of the first page at least."""


@dataclass(frozen=True)
class Panel:
    """Courses of one unit that share an axis."""

    title: str
    unit: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Page:
    """One picture; `name` is its file's."""

    name: str
    title: str
    panels: tuple[Panel, ...]


def pages() -> list[Page]:
    """A page a block. Every channel, and every derived course, is in one panel."""
    found: dict[str, dict[tuple[str, str], list[Curve]]] = {name: {} for name in TITLES}
    for curve in curves().values():
        block, kind = _place(curve)
        found[block].setdefault((kind, curve.unit), []).append(curve)
    made: list[Page] = []
    for block, panels in found.items():
        cut = [
            Panel(_title(kind), unit, tuple(members[start : start + MOST]))
            for (kind, unit), members in panels.items()
            for start in range(0, len(members), MOST)
        ]
        if cut:
            made.append(Page(block, TITLES[block], tuple(cut)))
    return made


def overview(scenario: Scenario) -> Page:
    """What the scenario is judged by, what tells, and vital signs until the page is full and its columns even."""
    known = curves()
    shown: dict[str, Panel] = {}
    fairness = scenario.trial.fairness
    telling = (*fairness.first_look, *fairness.channels) if fairness else ()
    for name in (objective.of for objective in scenario.objectives):
        if name in known:
            _add(shown, known[name])
    for name in (*telling, *VITAL):
        if name in known and (len(shown) < FIRST or len(shown) % 2):
            _add(shown, known[name])
    return Page("overview", "Overview", tuple(shown.values()))


def _add(shown: dict[str, Panel], curve: Curve) -> None:
    kin = _kin(curve)
    shown.setdefault(kin[0].name, Panel(_title(_place(curve)[1]), curve.unit, kin))


def _kin(curve: Curve) -> tuple[Curve, ...]:
    """The panel a course stands in on its page."""
    return next(panel.curves for page in pages() for panel in page.panels if curve.name in names(panel))


def _place(curve: Curve) -> tuple[str, str]:
    """(block, what is shown): courses of one place and unit share a panel."""
    thing, _, what = curve.name.partition(".")
    if curve.name in _ALARM:
        return _ALARM[curve.name], "alarm" if thing == "alarm" else what
    if thing in _ZONES:
        return ("toxics" if what in _TOXIC else "air"), what
    base = thing.rpartition("_")[0] or thing
    if base in _NUMBERED:
        return _BLOCK[base], f"{base} {what}"
    if thing == "crew":
        return ("eva", "crew outside") if what == "outside" else ("crew", "crew by zone")
    return _BLOCK.get(base, "other"), f"{thing} {_JOINT.get(what, what)}"


def _title(kind: str) -> str:
    thing, _, what = kind.partition(" ")
    if not what:
        return _WORDS.get(thing, thing.replace("_", " "))
    return f"{thing}: {_WORDS.get(what, what.replace('_', ' '))}"


def names(panel: Panel) -> tuple[str, ...]:
    """Of the courses in a panel."""
    return tuple(curve.name for curve in panel.curves)
