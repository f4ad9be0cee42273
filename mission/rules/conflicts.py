"""Where flight rules pull in different directions, on purpose: what a crew has to weigh."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Conflict:
    """Two rules that cannot both be followed to the letter, and which of them yields, and how far."""

    rules: tuple[str, str]
    pull: str
    way_out: str


CONFLICTS: tuple[Conflict, ...] = (
    Conflict(
        ("FR-09", "FR-01"),
        "a smoke alarm stops the fan between the modules, and CO2 then fills the zone without a bed.",
        "people leave that zone; the fan runs again on one clean co_meter check, within 2.5 h.",
    ),
    Conflict(
        ("FR-18", "FR-04"),
        "step 8 of load shedding halves the oxygen generator, and inspired oxygen falls.",
        "tank oxygen makes up for it, 12 days at most; Life Support holds the second key.",
    ),
    Conflict(
        ("FR-21", "FR-01"),
        "six people in the shelter fill its 25 m3 by 4.3 mmHg/h when its fan stands.",
        "the shelter's fan, a look at its CO2 each 30 min; at 15 mmHg FR-03 comes first and they may leave.",
    ),
    Conflict(
        ("FR-12", "FR-17"),
        "a storm forbids the EVA that would clean the array or mend the radiator when power is short.",
        "nobody goes out: cleaning gains 10 to 18 % of little; loads come down instead.",
    ),
    Conflict(
        ("FR-10", "FR-22"),
        "one ammonia cue is to be acted on at once, and isolating a loop is an act that asks for two.",
        "FR-10 is immediate: masks, other zone, hatch, loop. Only the stand-down waits for two measurements.",
    ),
    Conflict(
        ("FR-06", "FR-04"),
        "inhibiting make-up shows the leak, and lets inspired oxygen fall meanwhile.",
        "30 min at most; below a PIO2 of 122 mmHg make-up comes first, without a trend.",
    ),
)
"""The design study's list, section 4. Each has an experiment in tests/mission/test_promises.py."""
