"""Flight rules of emergencies: FR-08 to FR-11, FR-21."""

from __future__ import annotations

from mission.rules.model import Number, Rule

RULES: tuple[Rule, ...] = (
    Rule(
        id="FR-08",
        title="Rapid depressurisation",
        topics=("leak", "depress", "depressurisation", "pressure", "alarm", "hatch", "masks", "reserve time", "hiss"),
        trigger="pressure of core or lab falls by {rate} or faster, or the reserve time to PIO2 122 mmHg is below "
        "{reserve}: the alarm sounds; or a hiss.",
        prerequisites="none.",
        permitted="masks; count the crew; everybody to the safe zone and its hatch closed within {close}; make-up to "
        "the safe zone only.",
        max_duration="until the leak is isolated; the hole is searched for only behind a closed hatch.",
        authority="any member, at once; the Mission Director confirms afterwards.",
        numbers={
            "rate": Number(value=-0.08, unit="psi/min", enforced=True, source="shuttle flight rules, class 1 alarm"),
            "reserve": Number(value=60.0, unit="min", enforced=True),
            "close": Number(value=5.0, unit="min"),
        },
    ),
    Rule(
        id="FR-21",
        title="Solar particle event",
        topics=("radiation", "spe", "solar", "proton", "shelter", "dose", "alert", "eva"),
        trigger="a proton alert, or a dose rate of {quiet} times the background or more.",
        prerequisites="none; Risk Review may not delay it.",
        permitted="counted from the arrival of the alert, everybody inside within {recall} and in the shelter within "
        "{shelter}, which is one and the same half hour; the base logs who is not. Air to the shelter on, its CO2 "
        "looked at every {look}; one person at a time outside the shelter for {task}, once in {between}.",
        max_duration="the shelter is left when the rate has been below {quiet} times the background for {wait}; "
        "CO2 of FR-03 in the shelter comes first.",
        authority="Weather and Navigation gives the alert; the Mission Director orders.",
        numbers={
            "recall": Number(value=30.0, unit="min", enforced=True),
            "shelter": Number(
                value=30.0, unit="min", enforced=True, source="NASA-STD-3001, shelter ready within 30 min of onset"
            ),
            "look": Number(value=30.0, unit="min"),
            "task": Number(value=10.0, unit="min", enforced=True),
            "between": Number(value=4.0, unit="h", enforced=True),
            "quiet": Number(value=2.0, unit="", enforced=True),
            "wait": Number(value=2.0, unit="h", enforced=True),
        },
    ),
    Rule(
        id="FR-09",
        title="Fire",
        topics=("fire", "smoke", "co", "hcn", "hcl", "overheating", "masks", "extinguish", "imv", "bus", "dust"),
        trigger="a smoke detector at {smoke} (the fan between the modules then stops by itself), or CO, HCN, HCl, a "
        "bus current or sight that says fire. One cue alone is a fire for {search} while it is searched for.",
        prerequisites="before air is moved or a hatch opened again a co_meter check of the zone, made after the alarm "
        "and within {fresh}, shows CO below {co}, HCN below {hcn} and HCl below {hcl}.",
        permitted="masks ({mask} of oxygen each), zone bus off, extinguish, people out of the zone.",
        max_duration="the fan between the modules off for {fan_off} with people on both sides; then FR-03.",
        authority="any member acts; the Mission Director declares the end, Risk Review concurs.",
        numbers={
            "smoke": Number(value=0.033, unit="/m", enforced=True, source="1 %/ft obscuration, shuttle flight rules"),
            "search": Number(value=5.0, unit="min"),
            "mask": Number(value=7.0, unit="min", enforced=True, source="ISS portable breathing apparatus"),
            "co": Number(value=55.0, unit="ppm", enforced=True),
            "hcn": Number(value=4.0, unit="ppm", enforced=True, source="24-h SMAC, JSC 20584"),
            "hcl": Number(value=2.0, unit="ppm", enforced=True, source="24-h SMAC, JSC 20584"),
            "fresh": Number(value=60.0, unit="min", enforced=True),
            "fan_off": Number(value=2.5, unit="h"),
        },
    ),
    Rule(
        id="FR-10",
        title="Toxic coolant",
        topics=("ammonia", "nh3", "toxic", "coolant", "masks", "hatch", "loop", "isolate", "leak"),
        trigger="any ammonia cue: a detector at {alarm}, or a loop's accumulator and pressure rising together.",
        prerequisites="stand-down, which opens the hatch of a zone that has alarmed, only on {chips} nh3_chip checks "
        "of the zone below {clear}, {apart} apart.",
        permitted="masks within {don}, everybody to the other zone, hatch closed, loop isolated; chips after that.",
        max_duration="masks give {mask}; people are out of the zone by then.",
        authority="any member acts; the stand-down needs the Mission Director and Risk Review.",
        numbers={
            "alarm": Number(value=10.0, unit="ppm", enforced=True, source="7-180 d SMAC of 1994, NRC vol. 5"),
            "don": Number(value=1.0, unit="min"),
            "chips": Number(value=2.0, unit="", enforced=True),
            "clear": Number(value=10.0, unit="ppm", enforced=True, source="7-180 d SMAC of 1994, NRC vol. 5"),
            "apart": Number(value=30.0, unit="min", enforced=True),
            "mask": Number(value=7.0, unit="min", source="ISS portable breathing apparatus"),
        },
    ),
    Rule(
        id="FR-11",
        title="Coolant loss",
        topics=("coolant", "loop", "accumulator", "leak", "pump", "thermal", "cooling", "supply", "heat", "glycol"),
        trigger="an accumulator falling by more than {drop} beyond its thermal term, a pump that stands, or a supply "
        "below {cold}.",
        prerequisites="level_trend gives the fall with the thermal term taken off.",
        permitted="leak: isolate the loop's segment, move its loads to the other loop, top up by {top_up} at most in "
        "{between}. Pump: one restart per fault; each one more burns it out with {burn_out}. One loop carries {loop}: "
        "shed to {load} of heat. Cold supply: bypass its valve, heater on, or isolate before 0 C.",
        max_duration="none.",
        authority="Power and Thermal; Life Support is told.",
        numbers={
            "drop": Number(value=0.2, unit="L/h"),
            "cold": Number(value=2.0, unit="degC"),
            "top_up": Number(value=1.0, unit="L", enforced=True),
            "between": Number(value=8.0, unit="h", enforced=True),
            "burn_out": Number(value=15.0, unit="%", enforced=True),
            "loop": Number(value=6.0, unit="kW", enforced=True, source="design study 0.1: half of 12 kW"),
            "load": Number(value=9.0, unit="kW"),
        },
    ),
)
