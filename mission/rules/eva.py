"""Flight rules of extravehicular activity: FR-12 to FR-14. Sources: EVA23 is the 2013 suit water intrusion report;
OUT is "Operating an Outpost" ch. 17; CONK is Conkin, NTRS 20200002093."""

from __future__ import annotations

from mission.rules.model import Number, Rule

RULES: tuple[Rule, ...] = (
    Rule(
        id="FR-12",
        title="EVA go or no-go",
        topics=("eva", "suit", "go", "no-go", "tau", "dust", "wind", "prebreathe", "airlock", "scrubber"),
        trigger="people are to go outside.",
        prerequisites=(
            "tau at most {tau} and rising by no more than {growth}; wind at most {wind}; no solar particle alert; "
            "a relay pass in the EVA, or local radio; every suit's scrubber at {scrubber} or more; battery of the base "
            "at {power} or more; {inside} or more people stay inside; prebreathe of {prebreathe} complete, a break in "
            "it repaid {repaid} its length."
        ),
        permitted="the EVA.",
        max_duration="FR-13.",
        authority="Weather and Navigation and Life Support; the Mission Director orders.",
        numbers={
            "tau": Number(value=2.0, unit="", enforced=True),
            "growth": Number(value=0.5, unit="/sol", enforced=True),
            "wind": Number(value=20.0, unit="m/s", enforced=True),
            "scrubber": Number(value=90.0, unit="%", enforced=True),
            "power": Number(value=30.0, unit="%", enforced=True),
            "inside": Number(value=2.0, unit="", enforced=True),
            "prebreathe": Number(value=40.0, unit="min", enforced=True, source="shuttle flight rules, from 10.2 psia"),
            "repaid": Number(value=2.0, unit="times", enforced=True, source="OUT"),
        },
    ),
    Rule(
        id="FR-13",
        title="EVA duration",
        topics=("eva", "suit", "o2", "oxygen", "co2", "helmet", "leak", "battery", "terminate", "purge", "sop"),
        trigger=(
            "O2 for {reserve} left at the rate of use ({design} at design use, {hard_work} at 1600 Btu/h); helmet CO2 "
            "at {co2}; an unexplained O2 leak above {leak}; suit battery at {battery}; water in the helmet; suit "
            "pressure below {pressure}."
        ),
        prerequisites="none: any one of them is enough.",
        permitted=(
            "go back at once. Helmet purge at {co2} or symptoms; at {purge} without asking. Below {quiet} CO2 calls "
            "for nothing. The secondary pack stays untouched: once open it lasts {secondary}."
        ),
        max_duration="{plan} planned, {hard} at most, from hatch to hatch.",
        authority="the crew, whoever is inside, or Life Support.",
        numbers={
            "plan": Number(value=6.5, unit="h", enforced=True),
            "hard": Number(value=7.0, unit="h", enforced=True, source="EVA23"),
            "reserve": Number(value=30.0, unit="min", enforced=True),
            "design": Number(value=0.040, unit="kg", source="0.0794 kg/h, leak included"),
            "hard_work": Number(value=0.062, unit="kg", source="0.124 kg/h, leak included"),
            "co2": Number(value=8.0, unit="mmHg", enforced=True, source="CONK"),
            "purge": Number(value=12.4, unit="mmHg", enforced=True, source="CONK"),
            "quiet": Number(value=3.0, unit="mmHg", source="CONK"),
            "leak": Number(value=0.02, unit="kg/h"),
            "battery": Number(value=10.0, unit="%", enforced=True),
            "pressure": Number(value=27.6, unit="kPa", enforced=True),
            "secondary": Number(value=30.0, unit="min", enforced=True, source="EVA23"),
        },
    ),
    Rule(
        id="FR-14",
        title="EVA range on foot",
        topics=("eva", "suit", "walk", "walk-back", "range", "distance", "turn-back"),
        trigger="people are on foot outside.",
        prerequisites=(
            "distance from the airlock at most {speed} times the time to the O2 redline at 1600 Btu/h, less {reserve}; "
            "never more than {limit}."
        ),
        permitted="work within that range; at its edge turn back.",
        max_duration="worked out again every {again}.",
        authority="Weather and Navigation.",
        numbers={
            "speed": Number(value=2.7, unit="km/h", enforced=True, source="Apollo 17, 1.7 mph"),
            "reserve": Number(value=30.0, unit="min", enforced=True),
            "limit": Number(value=5.0, unit="km", enforced=True),
            "again": Number(value=30.0, unit="min"),
        },
    ),
)
