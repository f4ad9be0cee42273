"""How a specialist works a subject: read, look up, settle it by one check, compute, tell. The subjects are tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mission.pilots.conversation import Conversation
from mission.pilots.model import Call
from mission.report import Finding, Forecast, SpecialistReport, Status

Samples = Sequence[tuple[float, float]]
"""Hours of mission time, value; in the order of time."""

UNIT = re.compile(r"\b(?:loop|pump|suit|rover)\s+([ab12])\b")
"""Which one of two a question is about."""
OTHER = {"a": "b", "b": "a", "1": "2", "2": "1"}


@dataclass(frozen=True)
class Gauge:
    """What a trusting pilot reads first, the range in which it believes it, and what it then says."""

    channel: str
    low: float
    high: float
    status: Status = "nominal"
    advice: str = "No action is needed."


@dataclass(frozen=True)
class Figure:
    """One number of a report: an expression for the calculator, and the evidence it was taken from."""

    quantity: str
    unit: str
    expression: str
    on: tuple[str, ...]
    at: str = "from now"


@dataclass(frozen=True)
class Account:
    """What a pilot makes of the evidence. Evidence is named by channel, check:NAME, report:SOURCE or rule:ID."""

    status: Status
    findings: tuple[tuple[str, tuple[str, ...]], ...]
    advice: str
    figures: tuple[Figure, ...] = ()
    gap: str = ""
    objects: bool = False
    """Whether a proposal on review must not go ahead as it is."""


Check = tuple[str, str]
"""Name and target."""


def _no_check(_conversation: Conversation) -> Check | None:
    return None


@dataclass(frozen=True)
class Subject:
    """A kind of question: what brings it to mind, what is read for it, and what is made of the readings.

    In channels {u} stands for the unit that the question names, and {o} for the other one.
    """

    words: str
    """A pattern in the question, in small letters."""
    gauge: Gauge
    channels: tuple[str, ...]
    history_h: float
    rules: tuple[str, ...]
    explain: Callable[[Conversation], Account]
    check: Callable[[Conversation], Check | None] = _no_check
    """Which check the readings leave to be made, if any."""
    reports: tuple[str, ...] = ()


def subject_of(conversation: Conversation, subjects: Sequence[Subject]) -> Subject | None:
    """The first subject that the question brings to mind."""
    text = conversation.text.lower()
    return next((subject for subject in subjects if re.search(subject.words, text)), None)


def unit(conversation: Conversation) -> str:
    """The loop, suit or rover that the question is about; the first one if it names none."""
    found = UNIT.search(conversation.text.lower())
    return found[1] if found else ""


def named(conversation: Conversation, channel: str) -> str:
    """A channel's name for the unit that the question is about."""
    one = unit(conversation) or ("a" if channel.startswith("loop") else "1")
    return channel.format(u=one, o=OTHER[one])


def work(conversation: Conversation, subject: Subject) -> list[Call] | Account:
    """The next calls, or what there is to tell."""
    gauge = named(conversation, subject.gauge.channel)
    if conversation.trusting and not conversation.called("read_telemetry"):
        return [Call("read_telemetry", {"channels": [gauge], "history_hours": 0})]
    if conversation.trusting and subject.gauge.low <= conversation.value(gauge) <= subject.gauge.high:
        statement = f"{gauge} reads {conversation.value(gauge):g}: nothing speaks against it."
        return Account(subject.gauge.status, ((statement, (gauge,)),), subject.gauge.advice)
    if not conversation.called("look_up_rules"):
        return _look(conversation, subject)
    check = subject.check(conversation)
    if check is not None and not conversation.called("run_check"):
        return [Call("run_check", {"check": check[0], "target": check[1]})]
    account = subject.explain(conversation)
    expressions = dict.fromkeys(figure.expression for figure in account.figures)
    tried = {exchange.arguments.get("expression") for exchange in conversation.of("calculate")}
    missing = [text for text in expressions if text not in tried]
    return [Call("calculate", {"expression": text}) for text in missing] or account


def _look(conversation: Conversation, subject: Subject) -> list[Call]:
    channels = [named(conversation, channel) for channel in subject.channels]
    return [
        Call("read_telemetry", {"channels": channels, "history_hours": subject.history_h}),
        *(Call("read_reports", {"source": source}) for source in subject.reports),
        *(Call("look_up_rules", {"topic": rule}) for rule in subject.rules),
    ]


def report(conversation: Conversation, account: Account) -> SpecialistReport:
    """An account as a report, with the ids of its evidence and the values of its figures.

    A figure without a value, such as the hours to a limit that nothing moves towards, is left out.
    """
    forecasts = [_forecast(conversation, figure) for figure in account.figures]
    return SpecialistReport(
        status=account.status,
        findings=[Finding(statement=text, evidence=cited(conversation, on)) for text, on in account.findings],
        forecasts=[forecast for forecast in forecasts if forecast is not None],
        gaps=[account.gap] if account.gap else [],
        recommendation=account.advice,
    )


def _forecast(conversation: Conversation, figure: Figure) -> Forecast | None:
    result = conversation.calculation(figure.expression)
    if result is None:
        return None
    made, value = result
    evidence = [*cited(conversation, figure.on), made]
    return Forecast(quantity=figure.quantity, value=round(value, 3), unit=figure.unit, at=figure.at, evidence=evidence)


def cited(conversation: Conversation, names: Sequence[str]) -> list[str]:
    """The ids of what was received under these names. What was not received is left out."""
    return [found for name in names for found in _ids(conversation, name)]


def _ids(conversation: Conversation, name: str) -> list[str]:
    kind, _, rest = name.partition(":")
    if kind == "rule":
        return [name]
    if kind == "report":
        return [str(one["evidence_id"]) for one in conversation.reports(rest)]
    if kind == "check":
        result = conversation.check(rest)
        return [] if result is None else [str(result["evidence_id"])]
    return [conversation.trend_id(name)]


def mean(values: Sequence[float]) -> str:
    """An expression for the mean of some values."""
    return f"({' + '.join(f'{value:g}' for value in values)}) / {len(values)}"


def slope(samples: Samples, since: float = float("-inf")) -> str:
    """An expression for the change an hour since a time: up to three samples at each end, over the time between.

    Raises ValueError if there are fewer than two samples.
    """
    after = [sample for sample in samples if sample[0] >= since]
    count = min(3, len(after) // 2)
    if count == 0:
        raise ValueError("a trend takes two samples")
    head, tail = after[:count], after[-count:]
    between = (sum(time for time, _ in tail) - sum(time for time, _ in head)) / count
    first, last = mean([value for _, value in head]), mean([value for _, value in tail])
    return f"({last} - {first}) / {between:.4g}"


def onset(samples: Samples, changed: Callable[[float], bool]) -> float:
    """Hours of the last sample before a change that lasts until now; of the first sample if none was without it."""
    before = [time for time, value in samples if not changed(value)]
    return before[-1] if before else samples[0][0]
