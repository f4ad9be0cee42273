"""Flight rules of storms and power: FR-17 to FR-20."""

from __future__ import annotations

from mission.rules.model import Number, Rule

SUPPLY_KW: dict[float, float] = {0.5: 20.5, 2.0: 17.3, 5.0: 13.7, 10.8: 11.0}
"""kW of the reference base over a sol by optical depth: 10 of fission and the mean of 300 m2 of array at latitude -2
and Ls 186, a tenth of its light lost to dust, with the storm rule for the ground's albedo. Rules and incidents
quote it, and a test flies it. (The design study, with an albedo of 0.1, has 20.5, 16.8, 13.2 and 10.8.)"""

RULES: tuple[Rule, ...] = (
    Rule(
        id="FR-17",
        title="Storm posture",
        topics=("storm", "dust", "tau", "posture", "forecast", "power", "isru", "solar", "array"),
        trigger="optical depth above {tau} and rising more than {rise}, or a map that shows a storm within {distance}.",
        prerequisites="none; the forecast need not be certain, since dust can double in a sol.",
        permitted="charge the battery to {charge}, stop ISRU, call EVA crews back, bring rovers home within {home}. "
        "Above a depth of {dim} loads of {storm_load} at most; above {dark} reduced mode, {reduced_load}. Survival "
        "mode, {survival_load}, only with a fission derate or a state of charge below {low}.",
        max_duration="step back up once optical depth has fallen for {calm}.",
        authority="Weather and Navigation proposes, Power and Thermal executes, Mission Director.",
        numbers={
            "tau": Number(value=1.5, unit=""),
            "rise": Number(value=0.5, unit="a sol", source="growth of the storms of 2009 and 2018"),
            "distance": Number(value=500.0, unit="km"),
            "charge": Number(value=95.0, unit="%"),
            "home": Number(value=2.0, unit="h"),
            "dim": Number(value=2.0, unit=""),
            "storm_load": Number(value=13.0, unit="kW", source=f"supply of {SUPPLY_KW[2.0]:g} kW at a depth of 2"),
            "dark": Number(value=5.0, unit=""),
            "reduced_load": Number(value=9.0, unit="kW", source=f"supply of {SUPPLY_KW[5.0]:g} kW at a depth of 5"),
            "survival_load": Number(value=6.5, unit="kW"),
            "low": Number(value=30.0, unit="%"),
            "calm": Number(value=3.0, unit="sols"),
        },
    ),
    Rule(
        id="FR-18",
        title="Load shed order",
        topics=("load", "shed", "posture", "power", "isru", "rover charge", "lamps", "lab", "oga"),
        trigger="loads have to come down.",
        prerequisites="never without a second key: a CO2 bed in use, pumps, avionics, heaters, smoke and pressure "
        "sensing.",
        permitted="in this order: 1 ISRU, 2 rover charge, 3 plant lamps, 4 lab, 5 galley and lights (safety lamps run "
        "on cells of their own), 6 suit recharge, 7 water recovery and Sabatier, 8 oxygen generator to half, with tank "
        "O2 for {tank} at most. The base sheds in the same order by itself when the battery is at its floor; what "
        "follows then is in FR-19.",
        max_duration="step 7 for {standby}.",
        authority="Power and Thermal alone for steps 1 to 6; 7 and 8 with Life Support.",
        numbers={
            "tank": Number(value=12.0, unit="d", source="60 kg of O2 for six people"),
            "standby": Number(value=48.0, unit="h"),
        },
    ),
    Rule(
        id="FR-19",
        title="Battery",
        topics=("battery", "charge", "soc", "state of charge", "cold", "heater", "gauge", "voltage", "shed"),
        trigger="state of charge, by the lower of gauge and voltage, at {first}, {second} or {floor}; or cells below "
        "{cold}.",
        prerequisites="gauge and voltage compared; where they differ, an ocv_rest check of {rest}.",
        permitted="at {first} shed steps 1 to 4 of FR-18, at {second} steps 1 to 7, at {floor} bare survival, {bare}: "
        "survival posture, CO2 beds and oxygen generator off, LiOH and tank O2. "
        "The base gives nothing from a battery whose gauge shows {floor} or less, nor at a true {trip}, where the bus "
        "trips: all deferrable loads go and the coolant pumps stop. What the supply cannot carry after that is dropped "
        "too, in the order oxygen generator, CO2 beds, fans, pumps, and stays off until it is started again. "
        "It takes no more than a full charge in {charge} and gives no more than one in {discharge}; below {stiff} it "
        "gives nothing. No charging below {cold}: each sol with some costs {plating} of the capacity, and a "
        "charge_inhibit is not lifted below it. The gauge is set right by a full charge.",
        max_duration="below {floor}, down to the trip, {deep} at most (deep_discharge), with a second key.",
        authority="Power and Thermal.",
        numbers={
            "first": Number(value=40.0, unit="%"),
            "second": Number(value=30.0, unit="%"),
            "floor": Number(value=20.0, unit="%", enforced=True, source="depth of discharge 80 %"),
            "trip": Number(value=5.0, unit="%", enforced=True, source="24 V, as the MER low-power fault"),
            "cold": Number(value=0.0, unit="degC", enforced=True, source="lithium plating"),
            "stiff": Number(value=-20.0, unit="degC", enforced=True, source="JPL and NASA, lithium cells"),
            "plating": Number(value=3.0, unit="%", enforced=True),
            "charge": Number(value=3.0, unit="h", enforced=True, source="C/3, design study 1.5"),
            "discharge": Number(value=1.0, unit="h", enforced=True, source="1C, design study 1.5"),
            "rest": Number(value=30.0, unit="min", enforced=True),
            "bare": Number(value=3.5, unit="kW"),
            "deep": Number(value=2.0, unit="h", enforced=True),
        },
    ),
    Rule(
        id="FR-20",
        title="Fission",
        topics=("fission", "reactor", "convertor", "scram", "derate", "restart", "eva"),
        trigger="output below rating, or a scram.",
        prerequisites="no person within {zone} of the reactor.",
        permitted="restart one convertor per {restart}; a scrammed reactor is started after {recovery} or more, with "
        "Risk Review's concurrence. A derate of more than {derate} forbids EVA.",
        max_duration="none.",
        authority="Power and Thermal proposes, Risk Review concurs, Mission Director.",
        numbers={
            "zone": Number(value=1.0, unit="km", enforced=True),
            "restart": Number(value=2.0, unit="h", enforced=True),
            "recovery": Number(value=6.0, unit="h", enforced=True),
            "derate": Number(value=2.5, unit="kW", enforced=True),
        },
    ),
)
