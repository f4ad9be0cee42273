"""I11: a dust storm begins, regional or global, with the profiles that were fitted to 2009, 2018 and 2022.

Regional: optical depth 0.5 to 2.6 in 4 sols and back at 0.9 within 5 sols of that. Global: 1.0 after 2 sols, 2.1 after
3, 10.8 after 8, and 1.3 ninety-nine sols after that. The array's energy falls by 10 % at a depth of 1, 30 % at 2.1, 43
% at 3, 64 % at 5, counted from 0.6 with the albedo rule for storms (with an albedo of 0.1: 11, 35, 49 and 68 %). The
pressure tide is the first sign: it doubles within a sol of the onset.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters

PROFILES: dict[str, dict[str, float]] = {
    "regional": {"height": 2.2, "rate": 1.5, "middle": 2.0, "peak": 4.0, "decay": 3.0, "wind": 2.0},
    "global": {"height": 10.3, "rate": 1.35, "middle": 4.3, "peak": 8.0, "decay": 37.0, "wind": 2.5},
}
"""Sols and rates a sol: regional as Spirit saw it in 2009, global as Opportunity saw it in 2018 (design study 2.6)."""


class DustStorm(Parameters):
    kind: Literal["regional", "global"] = "regional"
    height: float | None = Field(None, ge=0.5, le=12)
    """Optical depth that it adds at its height; the profile's own if not given."""
    growth: float | None = Field(None, ge=0.5, le=3)
    """Logistic rate a sol."""
    middle_sols: float | None = Field(None, ge=0.5, le=8)
    """From the onset to half the height."""
    decay_sols: float | None = Field(None, ge=1, le=60)


def plant(base: Base, parameters: DustStorm) -> None:
    given = {
        "height": parameters.height,
        "rate": parameters.growth,
        "middle": parameters.middle_sols,
        "decay": parameters.decay_sols,
    }
    profile = PROFILES[parameters.kind] | {name: value for name, value in given.items() if value is not None}
    base.part("weather").begin_storm(parameters.kind, **profile)


INCIDENT = Incident(
    id="I11",
    name="dust_storm",
    title="Dust storm onset",
    parameters=DustStorm,
    plant=plant,
    truth="a storm begins: optical depth rises by the sol, wind and pressure tide with it, and power falls.",
    shows=(
        "the daily pressure tide doubles within a sol, before the dust comes",
        "optical depth and its forecasts rise; sight along the horizon falls from 91 to 23 km at a depth of 2",
        "all strings of the array give less together: 10 % at a depth of 1, 30 % at 2.1, 43 % at 3, 64 % at 5",
        "the share of direct light falls to a tenth at 3 and a fiftieth at 5",
    ),
    confusable_with=(
        "dust on the array: 0.2 % a sol",
        "a string out: a sixth at once, on one string",
        "a dirty depth sensor: power unchanged",
        "haze of one morning",
        "a forecast that is a false alarm",
    ),
    discriminating_checks=("string_compare", "albedo_camera", "orbital_map"),
    right=(
        "above 1.5 and rising more than 0.5 a sol: EVA back, rovers home, battery to 95 %, ISRU and rover charge off",
        "at most 13 kW above a depth of 2, 9 kW above 5",
        "survival mode only with a fission derate or a battery below 30 %",
        "look again with every orbital map; plan 35 to 100 sols for a global storm",
    ),
    wrong=(
        "wait for a certain forecast: two sols of growth are a depth of 1 to 4",
        "send an EVA to clean the array while the dust rises",
        "reckon with the direct beam alone: at a depth of 5 that leaves a fiftieth of the light there is",
        "take it for dust on the array",
    ),
    numbers={
        "regional_peak_tau": 2.6,
        "regional_sols_to_peak": 4.0,
        "regional_sols_from_peak_to_0_9": 5.0,
        "global_tau_after_2_sols": 1.0,
        "global_tau_after_3_sols": 2.1,
        "global_peak_tau": 10.8,
        "global_tau_99_sols_later": 1.3,
        "loss_percent_at_1": 10.0,
        "loss_percent_at_2_1": 30.0,
        "loss_percent_at_3": 43.0,
        "loss_percent_at_5": 64.0,
        "supply_kw_at_0_5": 20.5,
        "supply_kw_at_2": 17.3,
        "supply_kw_at_5": 13.7,
        "supply_kw_at_10_8": 11.0,
    },
)
