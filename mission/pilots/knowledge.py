"""What an expert brings to an incident: its diagnosis from readings, and what each finding calls for."""

from __future__ import annotations

from typing import Literal

from mission.pilots.conversation import Conversation

Diagnosis = Literal["leak", "fan", "bed", "none"]

DESIGN_LEAK_KG_H = 0.124 / 24
"""Design leak of the base, 0.05 % of its air a day."""
CO2_PERSON_KG_H = 0.0432
"""One person awake."""
MMHG_PER_KG_M3 = 418.0
"""ppCO2 of 1 kg/m3 at 295 K: R T / M in mmHg."""
BED_M3_H = 41.0
"""What a healthy bed clears."""
NOMINAL_KPA = (69.0, 71.5)
PPCO2_LIMIT = 3.0

EVIDENCE = {
    "leak": ("makeup.n2_flow", "makeup.o2_flow", "tank.n2", "core.pressure"),
    "fan": ("imv.speed", "imv.current", "lab.ppco2", "core.ppco2"),
    "bed": ("bed_a.inlet_ppco2", "bed_a.outlet_ppco2", "bed_a.heater_duty", "core.ppco2"),
    "none": ("core.pressure", "core.ppco2"),
}
"""The channels that each diagnosis rests on."""

RULES = {"leak": "FR-06", "fan": "FR-01", "bed": "FR-01", "none": "FR-22"}
"""The rule whose trigger is nearest."""

CHANNELS = [
    "core.pressure",
    "core.ppo2",
    "core.ppco2",
    "lab.pressure",
    "lab.ppco2",
    "makeup.n2_flow",
    "makeup.o2_flow",
    "tank.n2",
    "tank.o2",
    "bed_a.inlet_ppco2",
    "bed_a.outlet_ppco2",
    "bed_a.heater_duty",
    "bed_b.power",
    "imv.speed",
    "imv.current",
    "crew.core",
    "crew.lab",
    "lioh.cans",
]
"""What would look different under each explanation."""


def diagnose(conversation: Conversation) -> Diagnosis:
    """The explanation that the readings received leave standing."""
    if conversation.value("imv.speed") < 200:
        return "fan"
    if conversation.value("makeup.n2_flow") > 20 * DESIGN_LEAK_KG_H:
        return "leak"
    inlet, outlet = conversation.value("bed_a.inlet_ppco2"), conversation.value("bed_a.outlet_ppco2")
    if (inlet - outlet) / inlet < 0.7:
        return "bed"
    return "none"


def first_gauge(conversation: Conversation) -> str:
    """The gauge that the question brings to mind first."""
    return "core.pressure" if conversation.mentions("pressure", "leak", "depress") else "core.ppco2"


def gauge_is_nominal(conversation: Conversation, channel: str) -> bool:
    value = conversation.value(channel)
    low, high = NOMINAL_KPA if channel == "core.pressure" else (0.0, PPCO2_LIMIT)
    return low <= value <= high


def believes(conversation: Conversation) -> bool:
    """Whether a trusting pilot stops here: it has read its first gauge, and the gauge is nominal."""
    channel = first_gauge(conversation)
    return (
        conversation.trusting and conversation.reading(channel) is not None and gauge_is_nominal(conversation, channel)
    )
