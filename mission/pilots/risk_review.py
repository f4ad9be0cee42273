"""The Risk Review pilot: reads what is independent of the claim, names the rule, recomputes one number."""

from __future__ import annotations

from mission.pilots import review_subjects
from mission.pilots.conversation import Conversation
from mission.pilots.knowledge import CHANNELS, EVIDENCE, RULES, Diagnosis, believes, diagnose, first_gauge
from mission.pilots.model import Call, Turn
from mission.pilots.work import Account, report, subject_of, work
from mission.report import Finding, Forecast, RiskReview


def decide(conversation: Conversation) -> Turn:
    """Read, look the rule up, recompute, give a verdict. Trusting: one nominal gauge is enough to concur."""
    subject = subject_of(conversation, review_subjects.SUBJECTS)
    if subject is not None:
        told = work(conversation, subject)
        return _reviewed(conversation, told) if isinstance(told, Account) else told
    if not conversation.called("read_telemetry"):
        channels = [first_gauge(conversation)] if conversation.trusting else CHANNELS
        return [Call("read_telemetry", {"channels": channels, "history_hours": 0 if conversation.trusting else 4})]
    if believes(conversation):
        return _concur(conversation)
    if conversation.reading("imv.speed") is None:
        return [Call("read_telemetry", {"channels": CHANNELS, "history_hours": 4})]
    found = diagnose(conversation)
    if not conversation.called("look_up_rules"):
        topics = [RULES[found], "FR-22"] + (["FR-02"] if _spends_lioh(conversation) else [])
        return [Call("look_up_rules", {"topic": topic}) for topic in topics]
    expression = _expression(conversation, found)
    if conversation.calculation(expression) is None:
        return [Call("calculate", {"expression": expression})]
    return _verdict(conversation, found, expression)


def _reviewed(conversation: Conversation, account: Account) -> RiskReview:
    said = report(conversation, account)
    return RiskReview(verdict="object" if account.objects else "concur", **dict(said))


def _spends_lioh(conversation: Conversation) -> bool:
    return conversation.mentions("lioh")


def _says_all_is_well(conversation: Conversation) -> bool:
    return conversation.mentions("no leak", "no action", "nothing needs", "excellent", "no further")


def _expression(conversation: Conversation, found: Diagnosis) -> str:
    if found == "leak":
        return f"{conversation.value('makeup.n2_flow'):g} / (0.124 / 24)"
    if found == "bed":
        inlet, outlet = conversation.value("bed_a.inlet_ppco2"), conversation.value("bed_a.outlet_ppco2")
        return f"({inlet:g} - {outlet:g}) / {inlet:g}"
    if found == "fan":
        return f"{conversation.value('crew.lab'):g} * 0.0432 * 418 / 100"
    return f"{conversation.value('core.ppco2'):g} / 3"


QUANTITIES = {
    "leak": ("makeup_over_design", "1"),
    "bed": ("bed_removal_fraction", "1"),
    "fan": ("lab_ppco2_rise_rate", "mmHg/h"),
    "none": ("ppco2_over_limit", "1"),
}


def _verdict(conversation: Conversation, found: Diagnosis, expression: str) -> RiskReview:
    calc_id, value = conversation.calculation(expression) or ("", 0.0)
    ids = [conversation.id_of(channel) for channel in EVIDENCE[found]]
    quantity, unit = QUANTITIES[found]
    objects = (found != "none" and _says_all_is_well(conversation)) or (found == "bed" and _spends_lioh(conversation))
    return RiskReview(
        verdict="object" if objects else "concur",
        status="nominal" if found == "none" else "warning",
        findings=[
            Finding(statement=STATEMENTS[found], evidence=ids),
            Finding(
                statement=f"{RULES[found]} and FR-22 govern this: no irreversible act, no all-clear on one instrument.",
                evidence=[f"rule:{RULES[found]}", "rule:FR-22"],
            ),
        ],
        forecasts=[Forecast(quantity=quantity, value=round(value, 3), unit=unit, at="now", evidence=[*ids, calc_id])],
        gaps=["Not repeated by a second crew member."],
        recommendation=OBJECTIONS[found] if objects else STANDS,
    )


STATEMENTS = {
    "leak": "Make-up nitrogen flows at many times the design leak while pressure is flat: pressure is held, so it is "
    "no witness, and the flow is an independent cue of a leak.",
    "bed": "Bed A removes far less of the CO2 in its inlet than a healthy bed, and bed B is off and available.",
    "fan": "The inter-module fan stands: the Core gauge no longer speaks for the Lab, and the Lab reading is old.",
    "none": "Pressure, make-up flow, fan and bed agree that nothing is wrong.",
}
STANDS = "The proposal stands on independent evidence; go ahead within its rule."
OBJECTIONS = {
    "leak": "Do not close this. A nominal gauge does not rule out a leak while make-up holds it: inhibit make-up for "
    "the FR-06 test and read the nitrogen trend first.",
    "bed": "Do not open LiOH: FR-02 is not reached and asks for a second instrument, and a healthy spare is available. "
    "Start bed B instead.",
    "fan": "Do not leave the crew in the Lab on the Core gauge: measure the Lab with the handheld meter, and "
    "move the crew.",
    "none": "",
}


def _concur(conversation: Conversation) -> RiskReview:
    channel = first_gauge(conversation)
    return RiskReview(
        verdict="concur",
        status="nominal",
        findings=[Finding(statement=f"{channel} is nominal.", evidence=[conversation.id_of(channel)])],
        forecasts=[],
        gaps=[],
        recommendation="The gauge is nominal; the proposal stands.",
    )
