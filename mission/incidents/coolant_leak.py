"""I9: coolant is where it should not be, or an instrument says so.

glycol: 0.5 L/h of water and glycol leak into the cabin; 8 L last 16 h, then the pump trips and nothing drives the
leak any more; the lab is 10 % more humid after some hours. ammonia: an interface heat exchanger is breached; 50 mg/s
of ammonia come in and push the loop's fluid up: 4.4 g in the whole base are 30 ppm, so the lab's detector stands at
10 ppm within 12 s and at 30 ppm within a minute; those in it have breathed the 1-h SMAC after 10 min and are lost
after 23, those in the core after 26 and 50. 2 kg are behind it. mdm: one multiplexer adds to level and pressure of a
loop; there is no ammonia, and the right first act is the same. Its second cue is self-made: six masks and a loop that
is isolated raise the core's pressure by 1.8 mmHg in a quarter of an hour and by 4.4 in two hours.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission import rules
from mission.incidents.model import Base, Incident, Parameters

MDM_LEVEL_L, MDM_PRESSURE_KPA = 0.6, 40.0
"""What the multiplexer adds: as much as fluid that has come in for an hour."""


class CoolantLeak(Parameters):
    variant: Literal["glycol", "ammonia", "mdm"] = "glycol"
    loop: Literal["a", "b"] = "a"
    zone: Literal["core", "lab"] = "lab"
    leak_l_h: float = Field(0.5, ge=1e-6, le=20)
    """How much leaks, or for ammonia how fast the accumulator rises."""
    ammonia_mg_s: float = Field(50.0, ge=1e-6, le=5000)
    ammonia_kg: float = Field(2.0, ge=1e-6, le=50)
    """All that is behind the heat exchanger, ours: in the whole base 1 kg is 6800 ppm."""


def plant(base: Base, parameters: CoolantLeak) -> None:
    zone, toxics, rate = parameters.zone, base.part("toxics"), parameters.leak_l_h / 3600.0
    match parameters.variant:
        case "glycol":
            toxics.leaks_into(parameters.loop, zone)
            base.part("thermal").change_loop(parameters.loop, leak=rate)
        case "ammonia":
            base.part("thermal").change_loop(parameters.loop, ingress=rate)
            toxics.release("nh3", zone, parameters.ammonia_mg_s, parameters.loop, parameters.ammonia_kg)
        case "mdm":
            instruments = base.part("instruments")
            instruments.spoil(f"loop_{parameters.loop}.accumulator_level", offset=MDM_LEVEL_L)
            instruments.spoil(f"loop_{parameters.loop}.pressure", offset=MDM_PRESSURE_KPA)
            toxics.alarm_ammonia(zone, "accumulator and pressure rise together")


NUMBERS: dict[str, float] = {
    "leak_l_h": 0.5,
    "hours_to_empty": 16.0,
    "nh3_g_for_30_ppm": 4.4,
    "nh3_g_for_100_ppm": 14.6,
    "nh3_g_for_300_ppm": 43.9,
    "minutes_to_300_ppm_everywhere": 15.0,
    "contraction_l_per_10_k": -0.24,
    "minutes_to_smac_in_the_lab": 9.7,
    "minutes_to_smac_in_the_core": 26.2,
    "minutes_to_lost_in_the_lab": 23.2,
    "minutes_to_lost_in_the_core": 50.4,
    "humidity_percent_more_in_the_lab": 10.0,
    "own_response_mmhg": 1.8,
}
_N = NUMBERS
_RULE = rules.get("FR-10").numbers
INCIDENT = Incident(
    id="I9",
    name="coolant_leak",
    title="Coolant leak, ammonia breach, or a false ammonia alarm",
    parameters=CoolantLeak,
    plant=plant,
    truth="a loop loses coolant into a zone, ammonia comes in from outside, or one multiplexer reads high.",
    shows=(
        f"glycol: accumulator down {_N['leak_l_h']:g} L/h whatever its temperature, glycol and damp in the zone's air",
        "ammonia: accumulator and pressure up, ammonia detector up within a minute",
        "ammonia: above 30 ppm a sharp smell, then eyes that burn",
        "mdm: level and pressure of one loop jump together; ammonia detector at zero",
        "after masks and isolation the cabin pressure rises, ammonia or not",
    ),
    confusable_with=(
        f"glycol with thermal contraction: 10 K less are {_N['contraction_l_per_10_k']:g} L",
        "mdm with ammonia: the first cue is the same",
        "the accumulator's rise when heat is lost to one loop",
    ),
    discriminating_checks=("level_trend", "loop_compare", "nh3_chip"),
    right=(
        f"ammonia cue: masks within {_RULE['don']}, everybody to the other zone, hatch closed, loop isolated; "
        "then chips",
        f"mdm: the same, until {_RULE['chips']} chips {_RULE['apart']} apart say otherwise",
        f"glycol: isolate the segment, cold plate to the other loop, {rules.get('FR-11').numbers['top_up']} of top-up "
        "at most",
    ),
    wrong=(
        f"wait for a second cue before masking: {_N['nh3_g_for_300_ppm']:.0f} g, 300 ppm in the whole base, are in "
        f"after {_N['minutes_to_300_ppm_everywhere']:g} min",
        "take what one's own isolation causes for a confirmation",
        "glycol: top up every shift and feed the leak",
    ),
    numbers=NUMBERS,
)
