"""What the crew says, structured: specialist reports, risk reviews and plans."""

from __future__ import annotations

import hashlib
import json
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Status = Literal["nominal", "watch", "warning", "critical", "unknown"]

HORIZON_MIN = 24 * 60
"""How far ahead of its authorization a plan may reach, in minutes: what lies beyond a day is another plan's."""


class Said(BaseModel):
    """The base of what an agent says: closed, so that a misspelt field is an error; numbers are finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Finding(Said):
    """One statement of fact and the evidence ids it rests on."""

    statement: str
    evidence: list[str]


class Forecast(Said):
    """One number: what quantity, how much, in what unit, for when, from which evidence ids."""

    quantity: str
    value: float
    unit: str
    at: str = Field(description="When it holds, as mission time such as T+06:30, or 'steady state', or 'now'.")
    evidence: list[str]


class SpecialistReport(Said):
    """A specialist's answer to the Director."""

    status: Status
    findings: list[Finding]
    forecasts: list[Forecast]
    gaps: list[str] = Field(description="What is not known, and which check or reading would settle it.")
    recommendation: str


class RiskReview(Said):
    """Risk Review's answer: does the proposal stand on its evidence and the flight rules?"""

    verdict: Literal["concur", "object", "cannot-tell"]
    status: Status
    findings: list[Finding]
    forecasts: list[Forecast]
    gaps: list[str]
    recommendation: str


class Parameter(Said):
    name: str
    value: str | float | bool


class AbortCondition(Said):
    """Stop before this step if the channel reads beyond the value when its time comes, or has no fresh reading."""

    channel: str
    comparison: Literal["above", "below"]
    value: float


class Guard(Said):
    """Carry the step out only if the channel reads beyond the value when its time comes; else leave it out and go on.

    Without a fresh reading it is left out.
    """

    channel: str
    comparison: Literal["above", "below"]
    value: float


class PlanStep(Said):
    """One command: when it starts, what it waits for, and the readings that leave it out or stop the plan."""

    command: str
    parameters: list[Parameter]
    start_min: float = Field(ge=0, le=HORIZON_MIN, description="Minutes after authorization.")
    abort_if: AbortCondition | None
    id: str = Field(default="", max_length=40, description="A name, if another step is to wait for this one.")
    after: list[str] = Field(
        default=[],
        max_length=12,
        description="Ids of steps whose work must be done or that were left out before this one starts, however late. "
        "An EVA is done when everybody is inside, a drive when the rover stands.",
    )
    only_if: Guard | None = None


class Expectation(Said):
    """What the plan promises: a channel's true value, so many minutes after authorization."""

    quantity: str = Field(description="The channel name, such as core.ppco2.")
    comparison: Literal["at_most", "at_least"]
    value: float
    unit: str
    after_min: float = Field(gt=0, le=HORIZON_MIN)
    evidence: list[str]


class MissionPlan(Said):
    """What the Director proposes for authorization."""

    headline: str
    steps: list[PlanStep] = Field(max_length=12)
    rationale: str
    evidence: list[str]
    expected: list[Expectation]
    uncertainties: list[str]
    approval_covers: str = Field(description="What exactly the human authorizes, and until when.")


def plan_digest(plan: MissionPlan) -> str:
    """SHA-256 of the plan's canonical JSON: what an authorization is bound to."""
    text = json.dumps(plan.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


OUTPUTS: dict[str, type[Said]] = {
    "SpecialistReport": SpecialistReport,
    "RiskReview": RiskReview,
    "MissionPlan": MissionPlan,
}
"""Output types by the name a role card gives."""
