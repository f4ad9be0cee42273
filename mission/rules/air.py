"""The flight rules. Sources: [V2 n] is NASA-STD-3001 Vol 2; TB-004 is OCHMO-TB-004 Rev D; A13, A17 are NSTS-12820."""

from __future__ import annotations

from mission.rules.model import Number, Rule

RULES: tuple[Rule, ...] = (
    Rule(
        id="FR-01",
        title="CO2 caution",
        topics=("co2", "ppco2", "carbon dioxide", "bed", "exercise", "ventilation", "imv"),
        trigger="mean ppCO2 of {window} above {caution} in any occupied zone.",
        prerequisites="Power and Thermal confirms {bed_mean} (peak {bed_peak}) before a second bed is started.",
        permitted="start the second CO2 bed, raise inter-module ventilation, rotate crew; exercise stays.",
        max_duration="{limit} above {caution}; after that FR-02 applies.",
        authority="Life Support alone; Power and Thermal confirms the power.",
        numbers={
            "caution": Number(value=3.0, unit="mmHg", enforced=True, source="[V2 6004], TB-004"),
            "window": Number(value=1.0, unit="h", enforced=True, source="[V2 6004]"),
            "limit": Number(value=24.0, unit="h", enforced=True),
            "bed_mean": Number(value=0.86, unit="kW", source="ISS CDRA, Outpost ch. 19"),
            "bed_peak": Number(value=1.49, unit="kW", source="ISS CDRA, Outpost ch. 19"),
        },
    ),
    Rule(
        id="FR-02",
        title="CO2 warning",
        topics=("co2", "ppco2", "lioh", "exercise", "cross-check"),
        trigger="ppCO2 above {day_level} as a 24-h mean, or above {instant} at any time; the base logs when "
        "either level is passed, the mean is for people to work out.",
        prerequisites="before LiOH, a second instrument (handheld_co2) has measured the zone within {cross_check}.",
        permitted="suspend exercise and EVA preparation; open LiOH, one can ({can}) per {can_interval} for six people.",
        max_duration="{limit} at no more than {ceiling}.",
        authority="Life Support and Mission Director.",
        numbers={
            "day_level": Number(value=4.0, unit="mmHg", source="ISS practice since 2010"),
            "instant": Number(value=5.0, unit="mmHg"),
            "cross_check": Number(value=60.0, unit="min", enforced=True),
            "can": Number(value=1.92, unit="kg CO2", enforced=True, source="A17-157"),
            "can_interval": Number(value=7.4, unit="h", source="1.92 kg over 0.259 kg/h"),
            "limit": Number(value=7.0, unit="d"),
            "ceiling": Number(value=7.6, unit="mmHg", source="TB-004"),
        },
    ),
    Rule(
        id="FR-03",
        title="CO2 emergency",
        topics=("co2", "ppco2", "lioh", "evacuate", "masks"),
        trigger="ppCO2 of {emergency} or more for {sustained}.",
        prerequisites="none.",
        permitted=(
            "minimal activity; all LiOH, without cross-check or further cues; evacuate the zone. At {leave} leave the "
            "zone or don masks at once; at {abandon} abandon it."
        ),
        max_duration="none; cans for 48 h at {emergency} are as many as people.",
        authority="Life Support proposes; the crew commander may act.",
        numbers={
            "emergency": Number(value=7.6, unit="mmHg", enforced=True, source="A13-52, TB-004"),
            "sustained": Number(value=1.0, unit="h", enforced=True),
            "leave": Number(value=15.0, unit="mmHg", enforced=True, source="A13-52"),
            "abandon": Number(value=20.0, unit="mmHg", source="TB-004"),
        },
    ),
    Rule(
        id="FR-04",
        title="O2 low",
        topics=("o2", "oxygen", "pio2", "ppo2", "make-up", "makeup", "masks"),
        trigger="inspired O2 (PIO2) below {caution}: caution; below {warning}: warning; below {absolute}: masks; "
        "below {critical}: emergency.",
        prerequisites="before make-up is put back to auto from off, the N2 trend has been read within {trend}, which "
        "rules out or sizes a leak; not below {absolute}.",
        permitted="make-up of O2 from the tank.",
        max_duration="none.",
        authority="Life Support; the Mission Director is told at {warning}.",
        numbers={
            "caution": Number(value=129.0, unit="mmHg"),
            "warning": Number(value=127.0, unit="mmHg", source="[V2 6003], where it is a 1-h mean"),
            "absolute": Number(value=122.0, unit="mmHg", enforced=True, source="[V2 6003]"),
            "critical": Number(value=100.0, unit="mmHg", source="[V2 6003]"),
            "trend": Number(value=24.0, unit="h", enforced=True),
        },
    ),
    Rule(
        id="FR-05",
        title="O2 high",
        topics=("o2", "oxygen", "fire", "enrichment", "oga"),
        trigger="O2 above {caution} of the air: caution; above {fire} at 70 kPa: fire bound.",
        prerequisites="Risk Review concurs on any deliberate rise above {caution}.",
        permitted="above {caution}, close O2 make-up and raise no O2 rate; above {fire}, no ignition source, no suit "
        "purge in cabin or lock, and so no begin_eva; N2 dilution (dilute_n2) up to {dilution}.",
        max_duration="none.",
        authority="Life Support; Risk Review concurs.",
        numbers={
            "caution": Number(value=28.5, unit="%", enforced=True),
            "fire": Number(value=30.0, unit="%", enforced=True, source="shuttle flight rules, 10.2 psia"),
            "dilution": Number(value=74.0, unit="kPa", enforced=True),
        },
    ),
    Rule(
        id="FR-06",
        title="Leak suspicion",
        topics=("leak", "n2", "nitrogen", "make-up", "makeup", "inhibit", "pressure", "trend"),
        trigger="d(pN2/T)/dt beyond {rate} for {hold}, or N2 make-up above {makeup} (twice the design leak).",
        prerequisites="temperature and humidity corrected for.",
        permitted="inhibit make-up to see the trend.",
        max_duration="{inhibit} inhibited; make-up then resumes by itself.",
        authority="Life Support.",
        numbers={
            "rate": Number(value=-0.3, unit="mmHg/h"),
            "hold": Number(value=2.0, unit="h"),
            "makeup": Number(value=0.25, unit="kg/d"),
            "inhibit": Number(value=30.0, unit="min", enforced=True),
        },
    ),
    Rule(
        id="FR-07",
        title="Leak isolation",
        topics=("leak", "isolate", "hatch", "dwell", "reserve time", "t_res", "pressure"),
        trigger="a leak is confirmed.",
        prerequisites="compute the reserve time to PIO2 122 mmHg and to {pressure}, and use the smaller.",
        permitted="reserve time above {slow}: hatch dwell test in the order airlock ({dwell_airlock}), lab "
        "({dwell_lab}), core ({dwell_core}), nobody in the closed zone; {fast} to {slow}: close the split between "
        "occupied and unoccupied zones now; below {fast}: masks, close hatches, safe zone.",
        max_duration="a dwell takes no longer than half the time for {lock}: above {lock} the pressure holds the hatch "
        "shut, and it is equalized first (equalize_hatch).",
        authority="Life Support and the crew commander; the Mission Director is told.",
        numbers={
            "pressure": Number(value=52.4, unit="kPa"),
            "slow": Number(value=8.0, unit="h"),
            "fast": Number(value=1.0, unit="h"),
            "dwell_airlock": Number(value=1.0, unit="min", enforced=True),
            "dwell_lab": Number(value=4.0, unit="min", enforced=True),
            "dwell_core": Number(value=8.0, unit="min", enforced=True),
            "lock": Number(value=1.0, unit="mmHg", enforced=True, source="ISS practice"),
        },
    ),
    Rule(
        id="FR-22",
        title="Evidence and commands",
        topics=("evidence", "cues", "irreversible", "vent", "lioh", "hatch", "authority"),
        trigger="an irreversible act: venting more than {vent} of air, more than {cans} of LiOH, a scram, closing a "
        "hatch with people on its far side.",
        prerequisites="{cues} or more independent cues: different checks, completed within {age}. Immediate items of "
        "FR-03 are exempt. A hatch is not closed on people at all, except on people in suits.",
        permitted="the act, its cues on record; every order says who, what, value, until when, abort condition.",
        max_duration="cues and advice older than {age} are checked again.",
        authority="Mission Director and Risk Review.",
        numbers={
            "vent": Number(value=5.0, unit="kg", enforced=True),
            "cans": Number(value=2.0, unit="cans", enforced=True),
            "cues": Number(value=2.0, unit="", enforced=True),
            "age": Number(value=60.0, unit="min", enforced=True),
        },
    ),
)
