"""The workflow: assess, propose, authorize, execute, verify, and replan once.

Authority is bound to content: what is authorized is a plan's digest, and what runs is that plan. The outcome
is read from the world's state, never from what the crew says.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mission import sensors
from mission.crew import Crew
from mission.desk import mission_time
from mission.report import AbortCondition, Expectation, Guard, MissionPlan, PlanStep, plan_digest
from mission.world.engine import World
from mission.world.ongoing import OPEN_ENDED, prebreathed, under_way

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
GOES_ON = ("begun", "left-out")
"""How a step can turn out without ending its plan."""
REPLANNED = ("unverified", "aborted", "refused")
"""How an authorized plan can end so that another is asked for."""
OUT_OF_TIME = "out-of-time"
"""How an attempt ends that the end of the watch overtakes: what fell due later has not happened."""


@dataclass(frozen=True)
class Flight:
    """All that a workflow needs: crew, the end of the watch in simulated seconds, and its effects."""

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
    text = request
    for _ in range(ATTEMPTS):
        attempts.append(await _attempt(flight, text))
        if attempts[-1]["ended"] not in REPLANNED:
            break
        text = _replan_request(request, attempts[-1])
    _advance(flight.world, flight.until)
    return {
        "ended": attempts[-1]["ended"],
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
    base = {"plan": shown, "digest": content}
    if not _reach(flight, flight.world.now + word.after_s):
        return base | {"ended": OUT_OF_TIME, "reason": "the watch ended before the human had decided"}
    if word.decision != "approve":
        return base | {"ended": {"decline": "declined", "expire": "expired"}[word.decision]}
    if word.digest != content:
        return base | {"ended": "not-authorized", "reason": "the authorization is bound to another plan"}
    return base | _carry_out(flight, plan)


async def _propose(flight: Flight, text: str) -> MissionPlan | None:
    """The plan that the Director submitted in this attempt, if it did."""
    assessment = flight.crew.assessment
    assessment.begin()
    await flight.run(flight.crew.agents[flight.crew.coordinator], text)
    return None if assessment.failed else assessment.plan


def _carry_out(flight: Flight, plan: MissionPlan) -> dict[str, Any]:
    """Follow an authorized plan in time: each step when it falls due, each expectation held to the world at its time.

    The first abort, refusal or unmet expectation ends it, as what comes later was authorized on the strength of what
    comes before. A plan that expects nothing cannot be verified. What falls due after the watch does not happen: the
    minutes of a plan count from its authorization, so that a plan made late is late.
    """
    start = flight.world.now
    ended = "verified" if plan.expected else "unverified"
    steps: list[dict[str, Any]] = []
    verdicts: list[dict[str, Any]] = []
    done: dict[str, float] = {}
    going: dict[str, PlanStep] = {}
    left = _timeline(plan, start)
    while left:
        done |= _over(flight.world, going, done)
        index = _next(left, done)
        moment = _ready(*left[index], done)
        waits = any(name not in done for name in going) and flight.world.next_due < moment
        if not _reach(flight, flight.world.next_due if waits else moment):
            ended = OUT_OF_TIME
            break
        if waits:
            continue
        _, item = left.pop(index)
        if isinstance(item, PlanStep):
            steps.append(_step(flight.world, item))
            flight.emit("command", None, steps[-1])
            failed = steps[-1]["outcome"] if steps[-1]["outcome"] not in GOES_ON else None
            if steps[-1]["outcome"] == "begun" and item.command in OPEN_ENDED:
                going[item.id] = item
            else:
                done[item.id] = _done_at(flight.world, item, steps[-1])
        else:
            verdicts.append(_verdict(flight.world, item))
            flight.emit("verification", None, verdicts[-1])
            failed = None if verdicts[-1]["met"] else "unverified"
        if failed is not None:
            ended = failed
            break
    return {"ended": ended, "steps": steps, "verification": verdicts}


def _done_at(world: World, step: PlanStep, record: Mapping[str, Any]) -> float:
    """When the work of a step is done that says so at its beginning, or has not begun."""
    if record["outcome"] == "begun" and step.command == "begin_prebreathe":
        return prebreathed(world.base, record["parameters"])
    return record.get("completes_s", world.now)


def _over(world: World, going: Mapping[str, PlanStep], done: Mapping[str, float]) -> dict[str, float]:
    """What goes on without a stated end and has ended by now."""
    return {
        name: world.now
        for name, step in going.items()
        if name not in done and not under_way(world.base, step.command, {p.name: p.value for p in step.parameters})
    }


def _timeline(plan: MissionPlan, start: float) -> list[tuple[float, PlanStep | Expectation]]:
    """Steps and expectations by their time; those of one instant in the plan's order, steps first."""
    due: list[tuple[float, PlanStep | Expectation]] = [(start + 60 * step.start_min, step) for step in plan.steps]
    due += [(start + 60 * item.after_min, item) for item in plan.expected]
    return sorted(due, key=lambda entry: entry[0])


def _ready(due: float, item: PlanStep | Expectation, done: Mapping[str, float]) -> float:
    """When an item comes: at its time, or once the last step that it waits for is done; inf while that is not known."""
    waits = item.after if isinstance(item, PlanStep) else ()
    return max([due, *(done.get(name, math.inf) for name in waits)])


def _next(left: Sequence[tuple[float, PlanStep | Expectation]], done: Mapping[str, float]) -> int:
    """The item that comes first: one at least waits for nothing or for what goes on, as no plan waits for itself."""
    return min(range(len(left)), key=lambda index: _ready(*left[index], done))


def _step(world: World, step: PlanStep) -> dict[str, Any]:
    """Give one command, unless its abort condition holds or its guard does not. `begun` means accepted; what it did,
    the world shows."""
    parameters = {parameter.name: parameter.value for parameter in step.parameters}
    record: dict[str, Any] = {"command": step.command, "parameters": parameters, "at": mission_time(world.now)}
    why = _abort(world, step.abort_if) if step.abort_if else ""
    if why:
        return record | {"outcome": "aborted", "reason": why}
    if step.only_if is not None and not _reads(world, step.only_if)[0]:
        return record | {"outcome": "left-out", "reason": _reads(world, step.only_if)[1]}
    result = world.command(step.command, parameters, by="authorized-plan")
    said = {"reason": result.reason, "rule": result.rule, "completes_s": result.completes_s}
    return record | {"outcome": "begun" if result.accepted else "refused"} | said


def _abort(world: World, condition: AbortCondition) -> str:
    """Why a step must not begin; empty if nothing stands against it. An instrument that cannot tell stops it."""
    holds, said = _reads(world, condition)
    return said if holds is not False else ""


def _reads(world: World, condition: AbortCondition | Guard) -> tuple[bool | None, str]:
    """Whether a channel reads beyond a value, and what it reads; None when it cannot tell."""
    reading = world.read(condition.channel)
    if reading.value is None or reading.quality != "good":
        note = f": {reading.note}" if reading.note else ""
        return None, f"{condition.channel} cannot tell: {reading.quality}{note}"
    holds = reading.value > condition.value if condition.comparison == "above" else reading.value < condition.value
    word = condition.comparison if holds else f"not {condition.comparison}"
    return holds, f"{condition.channel} reads {reading.value:g} {reading.unit}, {word} {condition.value:g}"


def _verdict(world: World, item: Expectation) -> dict[str, Any]:
    """An expectation held to the true state now. One in another unit than the channel's is not met."""
    true = world.truth(item.quantity)
    unit = sensors.find(item.quantity).unit
    reason = f"the channel is in {unit}" if unit != item.unit else ""
    holds = true <= item.value if item.comparison == "at_most" else true >= item.value
    return {
        "quantity": item.quantity,
        "comparison": item.comparison,
        "value": item.value,
        "unit": item.unit,
        "true": true,
        "true_unit": unit,
        "at": mission_time(world.now),
        "met": holds and not reason,
        "reason": reason,
    }


def _replan_request(request: str, attempt: dict[str, Any]) -> str:
    """The request again, with what came of the first plan; measured facts, no hint at a solution."""
    facts = [_done(step) for step in attempt["steps"]] + [_outcome(one) for one in attempt["verification"]]
    if attempt["ended"] == "unverified" and not attempt["verification"]:
        facts.append("the plan gave no expected value, so nothing could be verified")
    head = f"An earlier plan was authorized and ended {attempt['ended']}. What happened:"
    return "\n- ".join([f"{request}\n\n{head}", *facts])


def _done(step: dict[str, Any]) -> str:
    given = ", ".join(f"{name}={value}" for name, value in step["parameters"].items())
    return f"{step['at']} {step['command']}({given}): {step['outcome']}; {step['reason']}"


def _outcome(one: dict[str, Any]) -> str:
    bound = f"{one['comparison'].replace('_', ' ')} {one['value']:g} {one['unit']}"
    met = "met" if one["met"] else "not met"
    return f"{one['at']} expected {one['quantity']} {bound}: {met}{'; ' if one['reason'] else ''}{one['reason']}"


def _reach(flight: Flight, moment: float) -> bool:
    """Let time pass to a moment, or to the end of the watch where that comes first; whether it was reached."""
    _advance(flight.world, min(moment, flight.until))
    return moment <= flight.until


def _advance(world: World, until: float) -> None:
    if until > world.now:
        world.advance(until)
