"""The null pilot: the least that has the right shape, at once."""

from __future__ import annotations

from mission.pilots.conversation import Conversation
from mission.pilots.model import Call, Turn
from mission.report import MissionPlan, SpecialistReport


def decide(conversation: Conversation) -> Turn:
    """An empty plan, an empty review or an empty report, by the tools on offer."""
    if "submit_plan" in conversation.tools:
        plan = MissionPlan(
            headline="", steps=[], rationale="", evidence=[], expected=[], uncertainties=[], approval_covers=""
        )
        return [Call("submit_plan", {"plan": plan.model_dump(mode="json")})]
    report = SpecialistReport(status="unknown", findings=[], forecasts=[], gaps=[], recommendation="")
    if {"run_check", "list_commands"} <= conversation.tools:
        return '{"verdict": "cannot-tell", ' + report.model_dump_json()[1:]
    return report
