"""I7: the oxygen supply valve is stuck open.

0.9 kg/h raise oxygen by 230 Pa/h and the pressure by 1.7 mmHg/h: from 19.3 kPa 21.1 kPa, which is 30 % of 70.3 kPa,
after 7.8 h; as a share of the risen pressure 30 % comes after 10.9 h. Warming by 1 K raises the pressure as much, but
all gases alike. With the manual valve closed and the generator off, people use up 52 Pa/h. Nitrogen lowers the share at
once and raises the pressure: 12.7 kg bring 70.3 kPa to the 74 kPa of FR-05 in 2.35 h, and 30 % to 28.5 %.
"""

from __future__ import annotations

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters


class OxygenEnrichment(Parameters):
    kg_per_h: float = Field(0.9, ge=1e-6, le=5.4)


def plant(base: Base, parameters: OxygenEnrichment) -> None:
    base.part("oxygen").stick_valve(parameters.kg_per_h)


INCIDENT = Incident(
    id="I7",
    name="oxygen_enrichment",
    title="Oxygen enrichment",
    parameters=OxygenEnrichment,
    plant=plant,
    truth="the automatic valve of the oxygen supply lets 0.9 kg/h through on its own.",
    shows=(
        "pressure rises 1.7 mmHg/h",
        "oxygen rises 230 Pa/h, as a share of the air too",
        "the oxygen tank falls 0.9 kg/h while nitrogen make-up stands",
    ),
    confusable_with=("warming: +1.8 mmHg per K, all gases", "an offset of the O2 flow meter", "more humidity"),
    discriminating_checks=("calibration_gas", "gauge_crosscheck", "pn2_trend"),
    right=(
        "close the manual oxygen valve",
        "stop ignition sources and oxygen purges; lower the generator's rate",
        "dilute with nitrogen, up to 74 kPa, once nothing more comes in: dilute_n2",
        "replace the valve, open the manual valve again",
    ),
    wrong=(
        "hold the share with nitrogen while the valve is open: 74 kPa are reached, and the share goes on rising",
        "have people exercise less",
    ),
    numbers={
        "ppo2_pa_h": 230.0,
        "pressure_mmhg_h": 1.7,
        "hours_to_21_1_kpa": 7.8,
        "hours_to_30_percent": 10.9,
        "ppo2_pa_h_closed_generator_off": -52.0,
        "dilution_hours_to_74_kpa": 2.35,
        "dilution_n2_kg": 12.7,
        "diluted_percent": 28.5,
    },
)
