"""The workflow: assess, propose, authorize, execute, verify, and replan once.

Authority is bound to content: what is authorized is a plan's digest, and what runs is that plan. The outcome
is read from the world's state, never from what the crew says.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from mission import sensors
from mission.crew import Crew
from mission.desk import mission_time
from mission.report import Expectation, MissionPlan, PlanStep, plan_digest
from mission.world.engine import World

Emit = Callable[[str, str | None, dict[str, Any]], None]
RunAgent = Callable[[Any, str], Awaitable[Any]]


@dataclass(frozen=True)
class Authorization:
    """The human's word on one plan: the digest it is bound to, and the seconds it took."""

    decision: Literal["approve", "decline", "expire"]
    digest: str
    after_s: float = 0.0


Authorize = Callable[[MissionPlan, str], Awaitable[Authorization]]

ATTEMPTS = 2
"""The first plan and one replan."""


@dataclass(frozen=True)
class Flight:
    """All that a workflow needs: crew, horizon in simulated seconds, and its effects."""

    crew: Crew
    until: float
    run: RunAgent
    authorize: Authorize
    emit: Emit

    @property
    def world(self) -> World:
        return self.crew.world


async def fly(flight: Flight, request: str) -> dict[str, Any]:
    """Take a request to its verified end. Returns the outcome: what ended it, each attempt, and the reports kept."""
    attempts: list[dict[str, Any]] = []
    ended = "unverified"
    text = request
    for _ in range(ATTEMPTS):
        attempt = await _attempt(flight, text)
        attempts.append(attempt)
        ended = attempt["ended"]
        if ended not in ("unverified", "refused"):
            break
        text = _replan_request(request, attempt)
    _advance(flight.world, flight.until)
    return {
        "ended": ended,
        "attempts": attempts,
        "reports": flight.crew.assessment.reports,
        "failed": flight.crew.assessment.failed,
    }


async def _attempt(flight: Flight, text: str) -> dict[str, Any]:
    plan = await _propose(flight, text)
    if plan is None:
        return {"ended": "no-proposal", "failed": dict(flight.crew.assessment.failed)}
    shown = plan.model_dump(mode="json")
    content = plan_digest(plan)
    flight.emit("proposal", flight.crew.coordinator, {"plan": shown, "digest": content})
    word = await flight.authorize(plan, content)
    flight.emit(
        "authorization",
        None,
        {"decision": word.decision, "digest": word.digest, "after_s": word.after_s, "by": "human"},
    )
    _advance(flight.world, flight.world.now + word.after_s)
    base = {"plan": shown, "digest": content}
    if word.decision != "approve":
        return base | {"ended": {"decline": "declined", "expire": "expired"}[word.decision]}
    if word.digest != content:
        return base | {"ended": "not-authorized", "reason": "the authorization is bound to another plan"}
    start = flight.world.now
    steps = _execute(flight, plan, start)
    if not all(step["done"] for step in steps):
        return base | {"ended": "refused", "steps": steps}
    verdicts = _verify(flight, plan, start)
    verified = all(verdict["met"] for verdict in verdicts)
    return base | {"ended": "verified" if verified else "unverified", "steps": steps, "verification": verdicts}


async def _propose(flight: Flight, text: str) -> MissionPlan | None:
    """The plan that the Director submitted in this attempt, if it did."""
    assessment = flight.crew.assessment
    assessment.plan = None
    assessment.failed.clear()
    await flight.run(flight.crew.agents[flight.crew.coordinator], text)
    return None if assessment.failed else assessment.plan


def _execute(flight: Flight, plan: MissionPlan, start: float) -> list[dict[str, Any]]:
    """Run the steps in order of their start; the first abort or refusal ends the plan."""
    done: list[dict[str, Any]] = []
    for step in sorted(plan.steps, key=lambda one: one.start_min):
        _advance(flight.world, start + 60 * step.start_min)
        record = _step(flight, step)
        done.append(record)
        if not record["done"]:
            break
    completes = max((record["completes_s"] for record in done if record["done"]), default=start)
    _advance(flight.world, completes)
    return done


def _step(flight: Flight, step: PlanStep) -> dict[str, Any]:
    world = flight.world
    if step.abort_if is not None:
        reading = world.read(step.abort_if.channel)
        beyond = reading.value is not None and (
            reading.value > step.abort_if.value
            if step.abort_if.comparison == "above"
            else reading.value < step.abort_if.value
        )
        if beyond:
            why = f"{step.abort_if.channel} reads {reading.value:g}, {step.abort_if.comparison} {step.abort_if.value:g}"
            record = {
                "command": step.command,
                "done": False,
                "reason": f"aborted: {why}",
                "at": mission_time(world.now),
            }
            flight.emit("command", None, record)
            return record
    parameters = {parameter.name: parameter.value for parameter in step.parameters}
    result = world.command(step.command, parameters, by="authorized-plan")
    record = {
        "command": step.command,
        "parameters": parameters,
        "done": result.accepted,
        "reason": result.reason,
        "rule": result.rule,
        "at": mission_time(world.now),
        "completes_s": result.completes_s,
    }
    flight.emit("command", None, record)
    return record


def _verify(flight: Flight, plan: MissionPlan, start: float) -> list[dict[str, Any]]:
    """Hold each expectation to the world's true state at its time."""
    verdicts: list[dict[str, Any]] = []
    for item in sorted(plan.expected, key=lambda one: one.after_min):
        _advance(flight.world, start + 60 * item.after_min)
        verdicts.append(_verdict(flight.world, item))
    flight.emit("verification", None, {"expectations": verdicts})
    return verdicts


def _verdict(world: World, item: Expectation) -> dict[str, Any]:
    true = world.truth(item.quantity)
    unit = sensors.find(item.quantity).unit
    met = unit == item.unit and (true <= item.value if item.comparison == "at_most" else true >= item.value)
    return {
        "quantity": item.quantity,
        "comparison": item.comparison,
        "value": item.value,
        "unit": item.unit,
        "true": true,
        "true_unit": unit,
        "at": mission_time(world.now),
        "met": met,
    }


def _replan_request(request: str, attempt: dict[str, Any]) -> str:
    """The request again, with what came of the first plan; measured facts, no hint at a solution."""
    facts = [
        f"{step['command']} {step.get('parameters', '')}: {'done' if step['done'] else step['reason']}"
        for step in attempt.get("steps", [])
    ]
    facts += [_outcome(one) for one in attempt.get("verification", [])]
    return f"{request}\n\nAn earlier plan was executed and did not verify. What happened:\n- " + "\n- ".join(facts)


def _outcome(one: dict[str, Any]) -> str:
    bound = f"{one['comparison'].replace('_', ' ')} {one['value']:g} {one['unit']}"
    return f"expected {one['quantity']} {bound} at {one['at']}: {'met' if one['met'] else 'not met'}"


def _advance(world: World, until: float) -> None:
    if until > world.now:
        world.advance(until)
