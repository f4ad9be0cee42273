"""Pilots: an offline crew of rule-based models. They prove the instrument and say nothing about any model.

`expert` works an incident the way its role card asks: what the question brings to mind picks a subject (`work`), and a
table says for each what is read, looked up, checked and computed, and what is made of it. `trusting` does the same, but
believes the gauge it reads first when that gauge is nominal, or as a proposal quotes it. `null` answers at once with
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mission.pilots.names import NAMES

if TYPE_CHECKING:
    from agents import Model


def pilot(name: str, role: str) -> Model:
    """The pilot of a role. Raises KeyError for an unknown pilot or role."""
    from mission.pilots import director, life_support, null, power_thermal, risk_review, weather_navigation
    from mission.pilots.model import PilotModel

    if name not in NAMES:
        raise KeyError(name)
    if name == "null":
        return PilotModel(role, null.decider(role))
    brains = {
        "director": director.decide,
        "life-support": life_support.decide,
        "power-thermal": power_thermal.decide,
        "weather-navigation": weather_navigation.decide,
        "risk-review": risk_review.decide,
    }
    return PilotModel(role, brains[role], trusting=name == "trusting")
