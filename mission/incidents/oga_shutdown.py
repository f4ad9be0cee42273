"""I6: the oxygen generator trips on hydrogen, falsely or truly.

Without make-up oxygen falls 52 Pa/h and the pressure 0.39 mmHg/h: 18.6 kPa after 13.4 h, nitrogen flat. With make-up
the oxygen tank gives 0.205 kg/h, 60 kg in 12 days. So there is time: a second hydrogen sensor tells a moist sensor
(0.1 %) from a leaking membrane (1 %). Restarted with a leak the generator trips again within 5 min; with the trip
bypassed it passes 4 %, where hydrogen burns, after half an hour.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters


class OgaShutdown(Parameters):
    cause: Literal["false-trip", "cross-leak"] = "false-trip"
    """Three false trips come to two true ones (design study I6)."""
    sensor_offset: float = Field(1.4, ge=1, le=5)
    """% that moisture adds to sensor A in a false trip."""


def plant(base: Base, parameters: OgaShutdown) -> None:
    if parameters.cause == "false-trip":
        base.part("oxygen").false_trip(parameters.sensor_offset)
    else:
        base.part("oxygen").cross_leak()


INCIDENT = Incident(
    id="I6",
    name="oga_shutdown",
    title="Oxygen generator shutdown",
    parameters=OgaShutdown,
    plant=plant,
    truth="sensor A reads moisture as hydrogen, or the membrane leaks; the interlock stops the generator.",
    shows=(
        "generator rate, power and water inlet at zero; sensor A at 1 % or more",
        "oxygen falls 52 Pa/h, or the make-up draws 0.205 kg/h of it; nitrogen stays",
    ),
    confusable_with=("masked_leak", "more consumption by exercise", "sensor_fault"),
    discriminating_checks=("second_h2_sensor", "pn2_trend"),
    right=(
        "tank oxygen for 12 days: there is no hurry",
        "read the second sensor; if both are under 1 %, purge and restart once, +1.8 kW",
        "with a true leak, no restart: fit the spare stack",
    ),
    wrong=(
        "bypass the hydrogen trip: with a leak, 4 % after half an hour",
        "hunt a leak with hatches for hours",
    ),
    numbers={
        "ppo2_pa_h_without_makeup": -52.0,
        "pressure_mmhg_h_without_makeup": -0.39,
        "hours_to_18_6_kpa_without_makeup": 13.4,
        "o2_makeup_kg_h": 0.205,
        "o2_tank_days": 12.2,
        "minutes_to_second_trip": 4.3,
        "minutes_to_4_percent_bypassed": 32.0,
        "restart_kw": 1.8,
    },
)
