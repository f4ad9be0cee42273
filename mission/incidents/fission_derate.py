"""I12: the fission plant loses a pair of convertors, or scrams.

A pair is 2.5 kW of 10, in one step; the coolant's temperature rise stays as it is. With one restart in 2 h, half an
hour each, both convertors of the pair are back 2.5 h after the first order. A scram takes all: with 6 h of rest and 2
h of start-up it is out for 8 h. With the array at optical depth 5 the survival posture then lasts 30 h from a full
battery at dusk, down to its floor. The numbers are in NUMBERS, and tests fly them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission import rules
from mission.incidents.model import Base, Incident, Parameters


class FissionDerate(Parameters):
    kind: Literal["pair", "scram"] = "pair"
    pair: int = Field(1, ge=1, le=4)
    restartable: bool = True
    """Whether the convertors of the pair come back when restarted."""


def plant(base: Base, parameters: FissionDerate) -> None:
    plant = base.part("fission")
    if parameters.kind == "scram":
        plant.scram()
    else:
        plant.lose_pair(parameters.pair, restartable=parameters.restartable)


NUMBERS: dict[str, float] = {
    "rated_kw": 10.0,
    "pair_kw": 2.5,
    "derated_kw": 7.5,
    "hours_to_restart_a_pair": 2.5,
    "scram_hours": 8.0,
    "survival_hours_at_tau_5": 30.1,
}
_N = NUMBERS
_RULE = rules.get("FR-20").numbers
INCIDENT = Incident(
    id="I12",
    name="fission_derate",
    title="Fission derate or trip",
    parameters=FissionDerate,
    plant=plant,
    truth="a pair of convertors stops, or the reactor shuts down.",
    shows=(
        f"fission supply falls in one step, {_N['rated_kw']:.1f} to {_N['derated_kw']:g} kW or to none",
        "the coolant's temperature rise is unchanged; it goes only with a scram",
        "the battery's balance falls by as much; loads are unchanged",
    ),
    confusable_with=(
        "a rise of the loads: supply unchanged",
        "a power sensor that is wrong: the ledger of sources and loads does not close",
        "battery_fault: supply unchanged",
        "dust_storm at night: the array gives nothing anyway",
    ),
    discriminating_checks=("convertor_list", "string_compare"),
    right=(
        f"shed {_N['pair_kw']:g} kW of deferrable loads at once, in the order of FR-18",
        f"restart one convertor per {_RULE['restart']}",
        f"nobody within {_RULE['zone']} of the reactor",
        f"after a scram survival posture, and start the reactor after {_RULE['recovery']}",
    ),
    wrong=(
        "send two people to the reactor",
        "hold the science loads on the battery",
        "take it for a battery fault and isolate a healthy battery: the bus fails at night",
    ),
    numbers=NUMBERS,
)
