"""The null pilot: the least that has the right shape, at once."""

from __future__ import annotations

from mission.pilots.model import Call, Decide, Turn
from mission.report import MissionPlan, SpecialistReport


def decider(role: str) -> Decide:
    """The null pilot of a role."""
    return lambda _conversation: _least(role)


def _least(role: str) -> Turn:
    """An empty plan, an empty review or an empty report."""
    if role == "director":
        plan = MissionPlan(
            headline="", steps=[], rationale="", evidence=[], expected=[], uncertainties=[], approval_covers=""
        )
        return [Call("submit_plan", {"plan": plan.model_dump(mode="json")})]
    report = SpecialistReport(status="unknown", findings=[], forecasts=[], gaps=[], recommendation="")
    if role == "risk-review":
        return '{"verdict": "cannot-tell", ' + report.model_dump_json()[1:]
    return report
