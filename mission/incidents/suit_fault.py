"""I14: a suit uses oxygen too fast, or its helmet fills with CO2: a leak or hard work, a weak fan or a spent canister.

An EMU with 0.552 kg of oxygen lasts 6.95 h at design work (0.079 kg/h). A leak of 0.05 kg/h (0.129) leaves 4.27 h and
a heart rate of 94; work at 1600 Btu/h (0.124) leaves 4.45 h and a heart rate of 150. With work stopped and the bottle
shut for 3 min a sound suit falls 2.8 kPa, a leaking one 6.7. A fan that runs down shows 8 mmHg after 40 min, at normal
oxygen; so does a canister that is fuller than its count says, at full fan speed. The secondary pack, once open, lasts
30 min: 1.35 km on foot. Water that seeps into a helmet is felt after 0.1 kg and taken for the drink bag, whose litre is
not missed from the feedwater; 1 kg leaves no air to breathe, 100 min after 0.6 kg/h begin.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters


class SuitFault(Parameters):
    suit: Literal["1", "2"] = "1"
    kind: Literal["leak", "fan", "scrubber", "work", "water"] = "leak"
    leak_kg_h: float = Field(0.05, ge=1e-6, le=1.0)
    minutes_to_8_mmhg: float = Field(40.0, ge=1e-6, le=600)
    """Of design work, until a weak fan or a spent canister lets the helmet reach 8 mmHg."""
    water_kg_h: float = Field(0.6, ge=1e-6, le=3.0)
    """Feedwater that gets into the helmet."""
    work_w: float = Field(469.0, ge=1e-6, le=700)


def plant(base: Base, parameters: SuitFault) -> None:
    suits = base.part("eva")
    match parameters.kind:
        case "leak":
            suits.leak(parameters.suit, parameters.leak_kg_h)
        case "fan":
            suits.weaken_fan(parameters.suit, parameters.minutes_to_8_mmhg)
        case "scrubber":
            suits.spend_canister(parameters.suit, parameters.minutes_to_8_mmhg)
        case "water":
            suits.seep(parameters.suit, parameters.water_kg_h)
        case "work":
            suits.work_hard(parameters.suit, parameters.work_w)


INCIDENT = Incident(
    id="I14",
    name="suit_fault",
    title="EVA suit: oxygen leak, weak fan, spent canister, or hard work",
    parameters=SuitFault,
    plant=plant,
    truth=(
        "a suit leaks ten times its seals' rate, or its fan runs down, or its canister is nearly full though its count "
        "says otherwise, or its wearer works at 1600 Btu/h."
    ),
    shows=(
        "oxygen use of 0.129 kg/h with a leak and 0.124 with hard work, against 0.079 at design work",
        "heart rate 94 with a leak, 150 with hard work; metabolic power follows the work alone",
        "helmet CO2 moves with fan and canister, fan speed with the fan alone; 8 mmHg after 40 min",
        "water in the helmet: the wearer says so, and the feedwater falls by 0.6 kg/h more than work calls for",
        "suit pressure falls only once the leak exceeds the regulator",
    ),
    confusable_with=("a leak", "hard work", "a weak fan", "a failing scrubber", "a drink bag that leaks"),
    discriminating_checks=("suit_pressure_decay",),
    right=(
        "an unexplained leak above 0.02 kg/h: recall the EVA (FR-13)",
        "helmet CO2 above 8 mmHg: purge, and back; below 3 nothing",
        "water in the helmet: back at once (FR-13)",
        "hard work: a slow pace is enough",
    ),
    wrong=(
        "slow down to save oxygen with a leak: it goes on leaking",
        "open the secondary pack early: it lasts 30 min, 1.35 km on foot",
        "blame the drink bag, and finish the work",
        "ask Earth: 6 to 44 min for question and answer",
    ),
    numbers={
        "sound_o2_kg_h": 0.0794,
        "leak_o2_kg_h": 0.129,
        "work_o2_kg_h": 0.124,
        "sound_hours_of_o2": 6.95,
        "leak_hours_of_o2": 4.27,
        "work_hours_of_o2": 4.45,
        "leak_heart_rate_bpm": 94.0,
        "work_heart_rate_bpm": 150.0,
        "fan_minutes_to_8_mmhg": 40.0,
        "sound_decay_kpa": -2.77,
        "leak_decay_kpa": -6.66,
        "secondary_reach_km": 1.35,
        "water_felt_min": 10.0,
        "water_drowned_min": 100.0,
    },
)
