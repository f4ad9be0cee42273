"""The Power & Thermal pilot."""

from __future__ import annotations

from mission.pilots import power_subjects
from mission.pilots.conversation import Conversation
from mission.pilots.model import Call, Turn
from mission.pilots.work import Account, report, subject_of, work
from mission.report import Finding, Forecast, SpecialistReport

CHANNELS = ["power.fission", "power.load", "battery.net", "battery.soc", "battery.energy", "bed_b.power"]
BED_MEAN_KW = 0.86
FLOOR_KWH = 24.0
DISCHARGE_EFFICIENCY = 0.949


def decide(conversation: Conversation) -> Turn:
    """Read the balance, compute it with what is proposed, report."""
    subject = subject_of(conversation, power_subjects.SUBJECTS)
    if subject is not None:
        told = work(conversation, subject)
        return report(conversation, told) if isinstance(told, Account) else told
    if not conversation.called("read_telemetry"):
        return [
            Call("read_telemetry", {"channels": CHANNELS, "history_hours": 0}),
            Call("look_up_rules", {"topic": "FR-01"}),
        ]
    net = _net(conversation)
    made = conversation.calculation(net)
    if made is None:
        return [Call("calculate", {"expression": net})]
    net_id, net_kw = made
    hours = _hours(conversation, net_kw)
    until = conversation.calculation(hours)
    if net_kw < 0 and until is None:
        return [Call("calculate", {"expression": hours})]
    return _report(conversation, net_id, net_kw, until)


def _extra(conversation: Conversation) -> float:
    return BED_MEAN_KW if conversation.mentions("bed b", "second bed", "second co2 bed", "start_bed") else 0.0


def _net(conversation: Conversation) -> str:
    fission, load = conversation.value("power.fission"), conversation.value("power.load")
    return f"{fission:g} - {load:g} - {_extra(conversation):g}"


def _hours(conversation: Conversation, net_kw: float) -> str:
    energy = conversation.value("battery.energy")
    return f"({energy:g} - {FLOOR_KWH:g}) * {DISCHARGE_EFFICIENCY:g} / {abs(net_kw):.4g}"


def _report(
    conversation: Conversation, net_id: str, net_kw: float, until: tuple[str, float] | None
) -> SpecialistReport:
    ids = [conversation.id_of(channel) for channel in ("power.fission", "power.load")]
    battery = [conversation.id_of(channel) for channel in ("battery.energy", "battery.soc")]
    forecasts = [
        Forecast(quantity="net_power_kw", value=round(net_kw, 3), unit="kW", at="now", evidence=[*ids, net_id])
    ]
    carried = "with bed B running" if _extra(conversation) else "as it is"
    if until is None:
        advice = f"The balance {carried} is positive: no load needs shedding."
        status = "nominal"
    else:
        forecasts.append(
            Forecast(
                quantity="hours_until_battery_floor",
                value=round(until[1], 2),
                unit="h",
                at="from now",
                evidence=[*ids, *battery, until[0]],
            )
        )
        advice = (
            f"The balance {carried} is negative, and the battery carries it for {until[1]:.0f} h to the 20 % floor: "
            f"accept for 24 h. Then shed lights or galley first. Do not shed the CO2 bed in use, pumps or avionics."
        )
        status = "watch"
    return SpecialistReport(
        status=status,
        findings=[
            Finding(statement=f"Fission less load {carried} is {net_kw:.2f} kW.", evidence=[*ids, net_id]),
            Finding(statement=f"The battery stands at {conversation.value('battery.soc'):.0f} %.", evidence=battery),
        ],
        forecasts=forecasts,
        gaps=["Loads that may be switched on later are not in this balance."],
        recommendation=advice,
    )
