"""The Director pilot: asks, weighs the reports, and submits a plan."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from mission.pilots.conversation import Conversation
from mission.pilots.knowledge import DESIGN_LEAK_KG_H, RULES, Diagnosis
from mission.pilots.model import Call, Turn
from mission.report import AbortCondition, Expectation, Guard, MissionPlan, Parameter, PlanStep

JSON = Any


def decide(conversation: Conversation) -> Turn:
    """Consult Life Support, then Risk Review, then Power if a load is added; look up; submit.

    Trusting: a first report that says nominal ends the matter. Under a depressurisation alarm the first report is
    enough, if it is critical and gives the size of a leak: FR-08 asks for no further evidence.
    """
    alarm = conversation.mentions("depressuri")
    if alarm and not conversation.called("consult_life_support"):
        ask = _ask("consult_life_support", conversation.text)
        return [ask, Call("look_up_rules", {"topic": "FR-08"}), Call("list_commands", {})]
    if not conversation.called("consult_life_support"):
        return [_ask("consult_life_support", conversation.text)]
    first = _object(conversation.of("consult_life_support")[0].output)
    if conversation.trusting and first.get("status") == "nominal":
        return [_submit(_nothing(conversation))]
    if alarm and first.get("status") == "critical" and diagnosis(conversation) == "leak":
        return [_submit(_made(conversation, _puncture(conversation)))]
    if not conversation.called("consult_risk_review"):
        return [
            _ask("consult_risk_review", f"Does this stand? {_recommendation(first)} Asked about: {conversation.text}")
        ]
    found = diagnosis(conversation)
    if found == "bed" and not conversation.called("consult_power_thermal"):
        return [_ask("consult_power_thermal", "Can the base carry bed B (start_bed) for 24 h, and until when?")]
    if not conversation.called("list_commands"):
        return [Call("look_up_rules", {"topic": RULES[found]}), Call("list_commands", {})]
    return [_submit(_nothing(conversation) if found == "none" else _plan(conversation, found))]


def _ask(tool: str, question: str) -> Call:
    return Call(tool, {"question": question, "known": ""})


def _submit(plan: MissionPlan) -> Call:
    return Call("submit_plan", {"plan": plan.model_dump(mode="json")})


def _object(output: JSON) -> dict[str, JSON]:
    return cast("dict[str, JSON]", output) if isinstance(output, dict) else {}


def _recommendation(report: dict[str, JSON]) -> str:
    return str(report.get("recommendation", ""))


def reports(conversation: Conversation) -> list[dict[str, JSON]]:
    """Every report received, in order."""
    return [
        _object(exchange.output)
        for exchange in conversation.exchanges
        if exchange.tool.startswith("consult_") and "findings" in _object(exchange.output)
    ]


SIGNS: dict[Diagnosis, str] = {
    "leak": r"leak_rate|makeup_over_design",
    "fan": r"lab_ppco2_now|lab_ppco2_rise_rate",
    "bed": r"ppco2_steady_state|bed_removal_fraction",
}
"""Quantities that only one explanation has reports forecast."""


def diagnosis(conversation: Conversation) -> Diagnosis:
    """The explanation with a number behind it in any report: a measured disturbance outweighs a nominal gauge."""
    for report in reports(conversation):
        text = json.dumps([forecast["quantity"] for forecast in report.get("forecasts", [])])
        for found, sign in SIGNS.items():
            if re.search(sign, text):
                return found
    return "none"


def evidence(conversation: Conversation, *prefixes: str) -> list[str]:
    """Evidence ids that the reports cite, of channels or checks with these prefixes; each once, in order."""
    cited: dict[str, None] = {}
    for report in reports(conversation):
        for part in (*report.get("findings", []), *report.get("forecasts", [])):
            cited |= dict.fromkeys(part.get("evidence", []))
    return [name for name in cited if not prefixes or name.startswith(prefixes)]


def _nothing(conversation: Conversation) -> MissionPlan:
    return MissionPlan(
        headline="No action",
        steps=[],
        rationale="The reports say that all is nominal.",
        evidence=evidence(conversation),
        expected=[],
        uncertainties=[],
        approval_covers="Nothing is commanded.",
    )


def _step(
    command: str, start_min: float, abort: AbortCondition | None = None, **parameters: str | float | bool
) -> PlanStep:
    given = [Parameter(name=name, value=value) for name, value in parameters.items()]
    return PlanStep(command=command, parameters=given, start_min=start_min, abort_if=abort)


def _expect(
    conversation: Conversation, quantity: str, comparison: Any, value: float, unit: str, after: float
) -> Expectation:
    return Expectation(
        quantity=quantity,
        comparison=comparison,
        value=value,
        unit=unit,
        after_min=after,
        evidence=evidence(conversation)[:3],
    )


Parts = tuple[list[PlanStep], list[Expectation], str, str]
"""Steps, what is expected of them, headline, rationale."""


def _plan(conversation: Conversation, found: Diagnosis) -> MissionPlan:
    return _made(conversation, {"leak": _leak, "fan": _fan, "bed": _bed}[found](conversation))


def _made(conversation: Conversation, parts: Parts) -> MissionPlan:
    steps, expected, headline, why = parts
    return MissionPlan(
        headline=headline,
        steps=steps,
        rationale=why,
        evidence=evidence(conversation),
        expected=expected,
        uncertainties=["The extent of the damage is known from instruments only."],
        approval_covers="Exactly these commands, once each, within the next 12 hours; anything else needs a new plan.",
    )


def _leak(conversation: Conversation) -> Parts:
    """Patched while make-up lasts; two hours of search and one of the flow's mean later the Lab is shut if it leaks."""
    low = AbortCondition(channel="core.pressure", comparison="below", value=60.0)
    still = Guard(channel="makeup.n2_flow", comparison="above", value=20 * DESIGN_LEAK_KG_H)
    steps = [
        _step("patch_leak", 0, zone="lab"),
        _step("move_crew", 190, people="all", to="core").model_copy(update={"only_if": still}),
        _step("close_hatch", 196, low, hatch="core-lab").model_copy(update={"only_if": still}),
    ]
    expected = [
        _expect(conversation, "tank.n2", "at_least", 60.0, "kg", 300),
        _expect(conversation, "core.pressure", "at_least", 69.0, "kPa", 300),
    ]
    why = (
        "Make-up holds the pressure while it spends nitrogen: the flow, the tank and the nitrogen trend with make-up "
        "inhibited show a leak that the gauge cannot. Make-up lasts for days: the hole is searched for and patched, "
        "and the Lab is shut if it leaks on (FR-07)."
    )
    return steps, expected, "Patch the leaking Lab", why


def _puncture(conversation: Conversation) -> Parts:
    """As for a leak, without waiting: everybody is through after 5 min, and the hatch shuts behind them."""
    steps = [_step("move_crew", 0, people="all", to="core"), _step("close_hatch", 5, hatch="core-lab")]
    expected = [
        _expect(conversation, "core.pressure", "at_least", 68.0, "kPa", 60),
        _expect(conversation, "tank.n2", "at_least", 70.0, "kg", 120),
    ]
    why = (
        "Both gauges fall together with make-up on: a large hole, and people have less than an hour. FR-08 asks for "
        "everybody in the Core and the hatch shut at once; the hole is looked for behind it."
    )
    return steps, expected, "Everybody to the Core, the Lab shut", why


def _fan(conversation: Conversation) -> Parts:
    steps = [_step("move_crew", 0, people="all", to="core"), _step("deploy_portable_fan", 5, zone="lab")]
    expected = [_expect(conversation, "lab.ppco2", "at_most", 4.0, "mmHg", 360)]
    why = (
        "The inter-module fan stopped, so the Lab is not mixed with the Core where CO2 is removed. The Core gauge "
        "looks better. People out, then a portable fan; more removal in the Core would do nothing for the Lab (FR-01)."
    )
    return steps, expected, "Crew out of the Lab, portable fan in", why


def _bed(conversation: Conversation) -> Parts:
    steps = [_step("start_bed", 0, unit="B"), _step("repair_bed", 180, unit="A")]
    expected = [_expect(conversation, f"{zone}.ppco2", "at_most", 3.0, "mmHg", 360) for zone in ("core", "lab")]
    why = (
        "Bed A removes half of its share; the spare bed B brings CO2 within its limit at 0.86 kW, which the battery "
        "carries for a day. Bed A is repaired once CO2 is down, for it is off meanwhile. No LiOH: a healthy spare is "
        "there, and FR-02 is not reached (FR-01)."
    )
    return steps, expected, "Start bed B, repair bed A", why
