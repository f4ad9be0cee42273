"""I12: the fission plant loses a pair of convertors, or scrams.

A pair is 2.5 kW of 10, in one step; the coolant's temperature rise stays as it is. With one restart in 2 h, half an
hour each, both convertors of the pair are back 2.5 h after the first order. A scram takes all: with 6 h of rest and 2
h of start-up it is out for 8 h. At 6.5 kW with an array at optical depth 5 (3.6 kW mean) the battery lasts 31 h from
full.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

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


INCIDENT = Incident(
    id="I12",
    name="fission_derate",
    title="Fission derate or trip",
    parameters=FissionDerate,
    plant=plant,
    truth="a pair of convertors stops, or the reactor shuts down.",
    shows=(
        "fission supply falls in one step, 10.0 to 7.5 kW or to none",
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
        "shed 2.5 kW of deferrable loads at once, in the order of FR-18",
        "restart one convertor per 2 h",
        "nobody within 1 km of the reactor",
        "after a scram survive on 6.5 kW and start the reactor after 6 h",
    ),
    wrong=(
        "send two people to the reactor",
        "hold the science loads on the battery",
        "take it for a battery fault and isolate a healthy battery: the bus fails at night",
    ),
    numbers={
        "pair_kw": 2.5,
        "hours_to_restart_a_pair": 2.5,
        "scram_hours": 8.0,
        "survival_hours_at_tau_5": 31.0,
    },
)
