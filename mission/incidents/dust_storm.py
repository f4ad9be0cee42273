"""I11: a dust storm begins, regional or global, with the profiles that were fitted to 2009, 2018 and 2022.

Regional: optical depth 0.5 to 2.6 in 4 sols and back at 0.9 within 5 sols of that. Global: 1.0 after 2 sols, 2.1 after
3, 10.8 after 8, and 1.3 ninety-nine sols after that. The array's energy falls by 10 % at a depth of 1, 30 % at 2.1, 43
% at 3, 64 % at 5, counted from 0.6 with the albedo rule for storms (with an albedo of 0.1: 11, 35, 49 and 68 %). The
pressure tide is the first sign: it doubles within a sol of the onset.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission import rules
from mission.incidents.model import Base, Incident, Parameters
from mission.rules import storm

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


NUMBERS: dict[str, float] = {
    "clear_tau": 0.5,
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
    "sight_km_at_0_5": 91.0,
    "sight_km_at_2": 23.0,
    "beam_percent_at_3": 10.0,
    "beam_percent_at_5": 2.0,
    "global_tau_after_2_more_sols": 4.0,
    "soiling_percent_sol": 0.2,
    "string_out_percent": 17.0,
    "plan_sols_least": 35.0,
    "plan_sols_most": 100.0,
    **{f"supply_kw_at_{tau:g}".replace(".", "_"): kw for tau, kw in storm.SUPPLY_KW.items()},
}
_N = NUMBERS
_RULE = rules.get("FR-17").numbers
INCIDENT = Incident(
    id="I11",
    name="dust_storm",
    title="Dust storm onset",
    parameters=DustStorm,
    plant=plant,
    truth="a storm begins: optical depth rises by the sol, wind and pressure tide with it, and power falls.",
    shows=(
        "the daily pressure tide doubles within a sol, before the dust comes",
        f"optical depth and its forecasts rise; sight along the horizon falls from {_N['sight_km_at_0_5']:g} to "
        f"{_N['sight_km_at_2']:g} km at a depth of 2",
        f"all strings of the array give less together: {_N['loss_percent_at_1']:g} % at a depth of 1, "
        f"{_N['loss_percent_at_2_1']:g} % at 2.1, {_N['loss_percent_at_3']:g} % at 3, "
        f"{_N['loss_percent_at_5']:g} % at 5",
        f"the share of direct light at noon falls to {_N['beam_percent_at_3']:g} % at 3 and "
        f"{_N['beam_percent_at_5']:g} % at 5",
        "the radiator is warmer by night and cooler by day, and dust stays on it",
    ),
    confusable_with=(
        f"dust on the array: {_N['soiling_percent_sol']:g} % a sol",
        f"a string out: {_N['string_out_percent']:g} % at once, on one string",
        "a dirty depth sensor: power unchanged",
        "haze of one morning",
        "a forecast that is a false alarm",
    ),
    discriminating_checks=("string_compare", "albedo_camera", "orbital_map"),
    right=(
        f"above {_RULE['tau']} and rising more than {_RULE['rise']}: EVA back, rovers home, battery to "
        f"{_RULE['charge']}, ISRU and rover charge off",
        f"at most {_RULE['storm_load']} above a depth of {_RULE['dim']}, {_RULE['reduced_load']} above {_RULE['dark']}",
        f"survival mode only with a fission derate or a battery below {_RULE['low']}",
        f"look again with every orbital map; plan {_N['plan_sols_least']:g} to {_N['plan_sols_most']:g} sols for a "
        "global storm",
    ),
    wrong=(
        f"wait for a certain forecast: two sols of a global storm are a depth of {_N['global_tau_after_2_sols']:g} to "
        f"{_N['global_tau_after_2_more_sols']:g}",
        "send an EVA to clean the array while the dust rises",
        f"reckon with the direct beam alone: at a depth of 5 that leaves {_N['beam_percent_at_5']:g} % of the light "
        "there is",
        "take it for dust on the array",
    ),
    numbers=NUMBERS,
)
