"""The Weather & Navigation pilot."""

from __future__ import annotations

from mission.pilots import outside_subjects
from mission.pilots.conversation import Conversation
from mission.pilots.model import Call, Turn
from mission.pilots.work import Account, report, subject_of, work
from mission.report import Finding, Forecast, SpecialistReport

CHANNELS = ["site.pressure", "site.temperature", "site.tau", "site.wind", "site.ltst", "site.daylight_left"]
MARS_HOUR_H = 3698.97 / 3600
MARGIN_H = 0.5
EVA_H = 2.0
TAU_LIMIT = 2.0
PA_PER_MMHG = 133.322


def decide(conversation: Conversation) -> Turn:
    """Read the site with a history, compute what was asked, report."""
    subject = subject_of(conversation, outside_subjects.SUBJECTS)
    if subject is not None:
        told = work(conversation, subject)
        return report(conversation, told) if isinstance(told, Account) else told
    if not conversation.called("read_telemetry"):
        return [
            Call("read_telemetry", {"channels": CHANNELS, "history_hours": 6}),
            Call("look_up_rules", {"topic": "leak"}),
        ]
    expressions = [_swing(conversation), _latest(conversation)]
    missing = [text for text in expressions if conversation.calculation(text) is None]
    if missing:
        return [Call("calculate", {"expression": text}) for text in missing]
    return _report(conversation, *expressions)


def _swing(conversation: Conversation) -> str:
    values = [value for _, value in conversation.samples("site.pressure")]
    return f"({max(values):g} - {min(values):g}) / {PA_PER_MMHG:g}"


def _latest(conversation: Conversation) -> str:
    return f"{conversation.value('site.daylight_left'):g} - {EVA_H:g} - {MARGIN_H:g}"


def _report(conversation: Conversation, swing: str, latest: str) -> SpecialistReport:
    swing_id, swing_mmhg = conversation.calculation(swing) or ("", 0.0)
    latest_id, latest_h = conversation.calculation(latest) or ("", 0.0)
    pressure = [f"{conversation.id_of('site.pressure')}-6h", swing_id]
    daylight = conversation.id_of("site.daylight_left")
    tau = conversation.value("site.tau")
    go = latest_h > 0 and tau < TAU_LIMIT
    return SpecialistReport(
        status="nominal" if go else "watch",
        findings=[
            Finding(
                statement=f"Outside pressure moved by {swing_mmhg:.2f} mmHg in six hours; a leak out of the cabin is "
                "choked, so the outside cannot explain a cabin reading.",
                evidence=pressure,
            ),
            Finding(
                statement=f"Optical depth is {tau:.2f}, the wind {conversation.value('site.wind'):.0f} m/s.",
                evidence=[conversation.id_of("site.tau"), conversation.id_of("site.wind")],
            ),
        ],
        forecasts=[
            Forecast(
                quantity="daylight_left_h",
                value=round(conversation.value("site.daylight_left"), 2),
                unit="h",
                at="now",
                evidence=[daylight],
            ),
            Forecast(
                quantity="latest_start_h",
                value=round(latest_h, 2),
                unit="h",
                at="from now",
                evidence=[daylight, latest_id],
            ),
            Forecast(
                quantity="site_pressure_swing",
                value=round(swing_mmhg, 3),
                unit="mmHg",
                at="last 6 h",
                evidence=pressure,
            ),
        ],
        gaps=["No orbital map was read."],
        recommendation=(
            f"Weather is no explanation for an indoor trend. For two hours outside: {'go' if go else 'no-go'}, start "
            f"within {latest_h:.1f} h to end half an hour before sunset."
        ),
    )
