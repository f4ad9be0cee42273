"""The Life Support pilot: reads widely, looks the rule up, settles it with one check, forecasts, reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mission.pilots import air_subjects
from mission.pilots.conversation import Conversation
from mission.pilots.knowledge import (
    BED_M3_H,
    CHANNELS,
    CO2_PERSON_KG_H,
    EVIDENCE,
    MMHG_PER_KG_M3,
    RULES,
    Diagnosis,
    believes,
    diagnose,
    first_gauge,
)
from mission.pilots.model import Call, Turn
from mission.pilots.work import Account, report, subject_of, work
from mission.report import Finding, Forecast, SpecialistReport, Status

HISTORY_H = 6
CHECKS: Mapping[Diagnosis, tuple[str, str]] = {
    "leak": ("pn2_trend", ""),
    "fan": ("handheld_co2", "lab"),
    "bed": ("bed_balance", "A"),
}
LAB_M3 = 100
VOLUME_M3 = 300
MMHG_PER_KPA = 7.50062
N2_KG_PER_KPA_M3 = 0.011421
"""M / (R T) of nitrogen at 295 K, in kg per kPa and m3."""
AIR_KG_PER_KPA_M3 = 0.011835
"""The same of cabin air, 29.03 g/mol."""


def decide(conversation: Conversation) -> Turn:
    """Read, look up, check, compute, report. Trusting: a nominal first gauge is the report."""
    subject = subject_of(conversation, air_subjects.SUBJECTS)
    if subject is not None:
        told = work(conversation, subject)
        return report(conversation, told) if isinstance(told, Account) else told
    if not conversation.called("read_telemetry"):
        channels = [first_gauge(conversation)] if conversation.trusting else CHANNELS
        return [_read(channels)]
    if believes(conversation):
        return _all_is_well(conversation)
    if conversation.reading("imv.speed") is None:
        return [_read(CHANNELS)]
    found = diagnose(conversation)
    if not conversation.called("look_up_rules"):
        return [Call("look_up_rules", {"topic": RULES[found]})]
    if found == "none":
        return _all_is_well(conversation)
    check, target = CHECKS[found]
    if conversation.check(check) is None:
        return [Call("run_check", {"check": check, "target": target})]
    expressions = EXPRESSIONS[found](conversation)
    missing = [text for text in expressions.values() if conversation.calculation(text) is None]
    if missing:
        return [Call("calculate", {"expression": text}) for text in missing]
    return _report(conversation, found, expressions)


def _read(channels: list[str]) -> Call:
    return Call("read_telemetry", {"channels": channels, "history_hours": HISTORY_H})


def _measured(conversation: Conversation, check: str, name: str) -> float:
    result = conversation.check(check)
    if result is None:
        raise KeyError(check)
    return float(result["measured"][name])


def _leak(conversation: Conversation) -> dict[str, str]:
    """From the nitrogen trend: the time constant, and from it the flow, and how long gas and people have."""
    pressure, ppo2 = conversation.value("core.pressure"), conversation.value("core.ppo2")
    drop = -_measured(conversation, "pn2_trend", "mean_change")
    nitrogen = (pressure - ppo2 - 1.4) * MMHG_PER_KPA
    tau = f"{nitrogen:.2f} * 0.5 / {drop:g}"
    limit = f"(47 + 122 * {pressure:g} / {ppo2:g})"
    return {
        "leak_rate": f"{pressure:g} * {VOLUME_M3} * {AIR_KG_PER_KPA_M3} / ({tau})",
        "hours_until_n2_empty": f"{conversation.value('tank.n2'):g} / "
        f"({nitrogen / MMHG_PER_KPA:.3f} * {VOLUME_M3} * {N2_KG_PER_KPA_M3} / ({tau}))",
        "hours_until_pio2_122": f"({tau}) * ln({pressure:g} * {MMHG_PER_KPA} / {limit})",
    }


def _fan(conversation: Conversation) -> dict[str, str]:
    """From the handheld meter: where the Lab stands and when it meets its limit."""
    now = _measured(conversation, "handheld_co2", "ppco2")
    rise = f"{conversation.value('crew.lab'):g} * {CO2_PERSON_KG_H} * {MMHG_PER_KG_M3:g} / {LAB_M3}"
    return {
        "lab_ppco2_now": f"{now:g} * 1",
        "lab_ppco2_rise_rate": rise,
        "hours_until_ppco2_7_6": f"(7.6 - {now:g}) / ({rise})",
    }


def _bed(conversation: Conversation) -> dict[str, str]:
    """From the bed's balance: where CO2 settles, and where it would with the spare bed."""
    flow = _measured(conversation, "bed_balance", "effective_flow")
    people = conversation.value("crew.core") + conversation.value("crew.lab")
    source = f"{people:g} * {CO2_PERSON_KG_H} * {MMHG_PER_KG_M3:g}"
    return {
        "bed_effective_flow": f"{flow:g} * 1",
        "ppco2_steady_state": f"{source} / {flow:g}",
        "ppco2_with_bed_b": f"{source} / ({flow:g} + {BED_M3_H:g})",
    }


EXPRESSIONS: Mapping[Diagnosis, Callable[[Conversation], dict[str, str]]] = {"leak": _leak, "fan": _fan, "bed": _bed}
UNITS = {
    "leak_rate": "kg/h",
    "hours_until_n2_empty": "h",
    "hours_until_pio2_122": "h",
    "lab_ppco2_now": "mmHg",
    "lab_ppco2_rise_rate": "mmHg/h",
    "hours_until_ppco2_7_6": "h",
    "bed_effective_flow": "m3/h",
    "ppco2_steady_state": "mmHg",
    "ppco2_with_bed_b": "mmHg",
}
STATUS: Mapping[Diagnosis, Status] = {"leak": "warning", "fan": "critical", "bed": "warning"}
STATEMENTS: Mapping[Diagnosis, str] = {
    "leak": "Pressure is flat because make-up holds it; make-up nitrogen flows at many times the design leak and the "
    "tank falls: a flat gauge does not rule out a leak.",
    "fan": "The inter-module fan stands still, Core ppCO2 falls and the Lab reading is stale: the Lab is unmixed, and "
    "the Core gauge does not speak for it.",
    "bed": "ppCO2 rises in both zones, and bed A takes far less than it should: removal is lost, not mixing.",
}
CONFIRMED: Mapping[Diagnosis, str] = {
    "leak": "With make-up inhibited nitrogen falls in both zones, which no cooling, drying or oxygen loss can do.",
    "fan": "The handheld meter, independent of the sampling line, shows where the Lab really stands.",
    "bed": "The balance over an hour shows about half of a healthy bed's flow.",
}
ADVICE: Mapping[Diagnosis, str] = {
    "leak": "Move everybody to the Core and close the core-lab hatch within the hour (FR-07), then search and patch "
    "the Lab. Advise against raising make-up, which only feeds the leak.",
    "fan": "Move everybody out of the Lab now and set up the portable fan (FR-01). Advise against bed B: more "
    "removal in the Core does nothing for the Lab.",
    "bed": "Start bed B within two hours and repair bed A (FR-01). Advise against LiOH: a healthy spare is available.",
}
GAPS: Mapping[Diagnosis, str] = {
    "leak": "Where in the Lab the hole is; a search would settle it.",
    "fan": "Whether the fan can be repaired; a look at its motor would settle it.",
    "bed": "Whether the heater or a valve failed; a repair would settle it.",
}


def _report(conversation: Conversation, found: Diagnosis, expressions: dict[str, str]) -> SpecialistReport:
    check, _ = CHECKS[found]
    result = conversation.check(check) or {}
    ids = [conversation.id_of(channel) for channel in EVIDENCE[found]]
    forecasts: list[Forecast] = []
    for quantity, text in expressions.items():
        calc_id, value = conversation.calculation(text) or ("", 0.0)
        at = "from now" if quantity.startswith("hours") else "now"
        evidence = [str(result["evidence_id"]), calc_id, *ids[:2]]
        forecasts.append(
            Forecast(quantity=quantity, value=round(value, 3), unit=UNITS[quantity], at=at, evidence=evidence)
        )
    return SpecialistReport(
        status=STATUS[found],
        findings=[
            Finding(statement=STATEMENTS[found], evidence=ids),
            Finding(statement=CONFIRMED[found], evidence=[str(result["evidence_id"])]),
        ],
        forecasts=forecasts,
        gaps=[GAPS[found]],
        recommendation=ADVICE[found],
    )


def _all_is_well(conversation: Conversation) -> SpecialistReport:
    channel = first_gauge(conversation)
    return SpecialistReport(
        status="nominal",
        findings=[
            Finding(
                statement=f"{channel} reads {conversation.value(channel):g}: nominal.",
                evidence=[conversation.id_of(channel)],
            )
        ],
        forecasts=[],
        gaps=[],
        recommendation="No action is needed.",
    )
