"""No number stands in an incident's prose that its table of numbers, a rule or a parameter does not hold."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mission import incidents, rules
from mission.incidents.model import Incident

CHECKED = ("pump_trip", "coolant_leak", "dust_storm", "fission_derate", "battery_fault")
NUMBER = re.compile(r"(?<![A-Za-z\d.-])-?\d+(?:\.\d+)?(?![\d-])")
SAID = {"coolant_leak": {300.0}}
"""The level that a figure is about, "44 g, 300 ppm in the whole base", where the table has it in a name."""


def prose(incident: Incident) -> str:
    return " ".join((incident.truth, *incident.shows, *incident.confusable_with, *incident.right, *incident.wrong))


def held(incident: Incident) -> list[float]:
    """Every value that the incident's table, the rules and its parameters' defaults hold."""
    defaults: dict[str, Any] = incident.parameters().model_dump()
    numbers = [float(v) for v in defaults.values() if isinstance(v, int | float)]
    numbers += incident.numbers.values()
    return numbers + [number.value for rule in rules.RULES for number in rule.numbers.values()]


def shown(value: float, text: str) -> bool:
    """Whether `text` is `value` to the digits it gives."""
    digits = len(text.partition(".")[2])
    return abs(value - float(text)) <= 0.5 * 10.0**-digits + 1e-12


@pytest.mark.parametrize("name", CHECKED)
def test_every_number_in_the_prose_is_held_somewhere(name: str) -> None:
    incident = incidents.find(name)
    text = re.sub(r"FR-\d+", "", prose(incident))
    loose = [
        found
        for found in NUMBER.findall(text)
        if float(found) not in SAID.get(name, set()) and not any(shown(value, found) for value in held(incident))
    ]
    assert not loose


def test_a_number_that_nobody_holds_is_found() -> None:
    assert NUMBER.findall("falls to 16.8 / 13.2 kW at -4 C") == ["16.8", "13.2", "-4"]
    assert not any(shown(value, "16.8") for value in held(incidents.find("dust_storm")))
