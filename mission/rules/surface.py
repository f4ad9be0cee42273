"""Flight rules of rovers: FR-15, FR-16."""

from __future__ import annotations

from mission.rules.model import Number, Rule

RULES: tuple[Rule, ...] = (
    Rule(
        id="FR-15",
        title="Rover excursion",
        topics=("rover", "drive", "excursion", "radius", "range", "battery", "soc", "energy"),
        trigger="a rover is to drive away from the base.",
        prerequisites=(
            "at most {radius} of path from the base; at most {outbound} of the usable energy on the way out; {back} or "
            "more state of charge left on return. Beyond {walk_back} on foot the second rover is out too, or stands at "
            "the base with {ready} or more."
        ),
        permitted="the drive.",
        max_duration="as long as the energy for the return is there.",
        authority="Weather and Navigation and Power and Thermal; the Mission Director orders.",
        numbers={
            "radius": Number(value=25.0, unit="km", enforced=True),
            "outbound": Number(value=40.0, unit="%", enforced=True),
            "back": Number(value=30.0, unit="%", enforced=True),
            "walk_back": Number(value=5.0, unit="km", enforced=True, source="FR-14"),
            "ready": Number(value=80.0, unit="%", enforced=True),
        },
    ),
    Rule(
        id="FR-16",
        title="Rover in dust",
        topics=("rover", "drive", "dust", "tau", "fix", "navigation", "position", "safe haven", "rescue"),
        trigger="tau above {caution}; or tau above {stop}, no fix for {fix} of driving, or a position error above "
        "{error}.",
        prerequisites=(
            "a rescue rover leaves only with tau below {rescue}, a state of charge of {ready} or more, and a word with "
            "the crew it goes to."
        ),
        permitted=(
            "above {caution} drive at no more than {slow}; above {stop}, without a fix or lost: stop and wait as a "
            "safe haven."
        ),
        max_duration="a safe haven keeps two people for {haven}.",
        authority="Weather and Navigation proposes, Risk Review concurs, the Mission Director orders.",
        numbers={
            "caution": Number(value=3.0, unit="", enforced=True),
            "slow": Number(value=4.0, unit="km/h", enforced=True),
            "stop": Number(value=6.0, unit="", enforced=True),
            "fix": Number(value=2.0, unit="h", enforced=True),
            "error": Number(value=200.0, unit="m", enforced=True),
            "haven": Number(value=72.0, unit="h", enforced=True, source="NASA SEV fact sheet"),
            "rescue": Number(value=4.0, unit="", enforced=True),
            "ready": Number(value=80.0, unit="%", enforced=True),
        },
    ),
)
