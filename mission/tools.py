"""What an agent can do, as plain typed functions of its desk; every datum returned carries an evidence id.

The functions raise ValueError, with one line that says what to do, for arguments that make no sense. None of them
changes the world except `run_check`, which costs simulated time and power.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from documents import explain as fields
from documents.words import clip, short
from mission import calculator, reports, rules, sensors
from mission.desk import Desk, mission_time, stamp
from mission.report import Expectation, MissionPlan, PlanStep, plan_digest
from mission.world.checks import CHECKS
from mission.world.commands import COMMANDS, parse

MAX_CHANNELS = 24
MAX_HISTORY_H = 24.0
HISTORY_POINTS = 13
MAX_PROBLEMS = 6
"""That a rejected plan is told of at once."""
MAX_TOLD = 1800
"""Characters of them."""
MAX_QUERY = 200
"""Characters of a query or a topic."""


def list_channels(desk: Desk, query: str = "") -> dict[str, Any]:
    """List the telemetry channels that match a zone, a subsystem, a role or a word of their name, with each one's data
    sheet as an instrument in order: errors in the channel's unit; what a sheet does not name is none.

    cadence_s: seconds between samples. noise_sd: one standard deviation. bias_within: a constant offset of at most
    this, either way. drift_a_day_within: an offset that grows by at most this a day. behind_s: how old what is measured
    is. step: what readings are rounded to. range: where readings end. lost_share: of the samples.

    Args:
        query: For example "lab", "makeup", "co2", "life-support"; empty lists every channel.
    """
    shown = {"name", "unit", "description", "groups"}
    return {
        "evidence_id": f"channels:{' '.join(_words(query)) or 'all'}",
        "channels": [
            channel.model_dump(mode="json", include=shown) | {"instrument": _data_sheet(channel)}
            for channel in _matching(query)
        ],
    }


def _data_sheet(channel: sensors.Channel) -> dict[str, Any]:
    """What the maker says of an instrument: the same in every scenario, so it tells nothing of a fault."""
    errors = {
        "noise_sd": channel.noise,
        "bias_within": channel.bias,
        "drift_a_day_within": channel.drift,
        "behind_s": channel.delay_s,
        "step": channel.resolution,
        "lost_share": channel.dropout,
    }
    known = {name: value for name, value in errors.items() if value}
    return {"cadence_s": channel.period_s, **known, "range": [channel.low, channel.high]}


def _words(query: str) -> list[str]:
    return query.lower().replace(",", " ").split()


def _matching(query: str) -> list[sensors.Channel]:
    """The channels with every word of the query in their name, description or groups. Raises ValueError for none."""
    words = _words(_bounded("query", query))
    found = [
        channel
        for channel in sensors.channels()
        if all(word in f"{channel.name} {channel.description} {' '.join(channel.groups)}".lower() for word in words)
    ]
    if not found:
        groups = sorted({group for channel in sensors.channels() for group in channel.groups})
        near = get_close_matches(query.lower(), [*groups, *sensors.CATALOGUE], n=4, cutoff=0.6)
        hint = f"near: {', '.join(near)}" if near else f"groups are {', '.join(groups)}"
        raise ValueError(f"no channel matches {short(query)}; {hint}")
    return found


def _bounded(name: str, text: str) -> str:
    if len(text) > MAX_QUERY:
        raise ValueError(f"{name} has more than {MAX_QUERY} characters: give an id or a few words")
    return text


def read_telemetry(desk: Desk, channels: list[str], history_hours: float = 0.0) -> dict[str, Any]:
    """Read instruments now, and their history. Reading costs nothing and changes nothing.

    Args:
        channels: Channel names, as list_channels gives them; at most 24.
        history_hours: How far back to look as well, 0 to 24 hours; 0 gives the present reading only.
    """
    if not 1 <= len(channels) <= MAX_CHANNELS:
        raise ValueError(f"give 1 to {MAX_CHANNELS} channels; got {len(channels)}")
    if not 0 <= history_hours <= MAX_HISTORY_H:
        raise ValueError(f"history_hours is from 0 to {MAX_HISTORY_H:g}; got {history_hours:g}")
    return {"time": mission_time(desk.world.now), "readings": [_read(desk, name, history_hours) for name in channels]}


def _read(desk: Desk, name: str, history_hours: float) -> dict[str, Any]:
    reading = desk.world.read(name)
    shown: dict[str, Any] = {
        "evidence_id": f"{name}@{stamp(desk.world.now)}",
        "channel": name,
        "value": reading.value,
        "unit": reading.unit,
        "sampled": mission_time(reading.t_s),
        "quality": reading.quality,
    }
    if reading.note:
        shown["note"] = reading.note
    if history_hours > 0:
        past = desk.world.history(name, history_hours, HISTORY_POINTS)
        shown["history"] = {
            "evidence_id": f"{name}@{stamp(desk.world.now)}-{history_hours:g}h",
            "samples": [_sample(one) for one in past],
        }
    return shown


def _sample(reading: sensors.Reading) -> dict[str, Any]:
    sample = {"time": mission_time(reading.t_s), "value": reading.value}
    return sample if reading.quality == "good" else sample | {"quality": reading.quality}


def read_reports(desk: Desk, source: reports.Source) -> dict[str, Any]:
    """Read what people and the orbiter have reported so far. Reading costs nothing and changes nothing.

    A report says how its author knows; `shares` names the channels with the same sensor behind them, and such a
    report is no second witness.

    Args:
        source: "crew" (what they hear, feel and read off), "orbital" (passes overhead), "maintenance" (the log).
    """
    found = reports.reports(desk.world, source)
    return {
        "reports": [
            {
                "evidence_id": f"report:{source}:{number}@{mission_time(one.received_s)}",
                **one.model_dump(mode="json", exclude={"observed_s", "received_s"}),
                "observed": mission_time(one.observed_s),
                "received": mission_time(one.received_s),
            }
            for number, one in enumerate(found, 1)
        ]
    }


def look_up_rules(desk: Desk, topic: str) -> dict[str, Any]:
    """Look up flight rules by id ("FR-06") or by words of their subject ("leak", "co2 warning").

    Args:
        topic: A rule id or words. Several rules can match; no match lists what there is.
    """
    found = rules.find(_bounded("topic", topic))
    if not found:
        known = ", ".join(f"{rule.id} {rule.title}" for rule in rules.RULES)
        raise ValueError(f"no flight rule about {short(topic)}; there are {known}")
    return {"rules": [{"evidence_id": f"rule:{rule.id}", "id": rule.id, "text": rules.text(rule.id)} for rule in found]}


def list_checks(desk: Desk) -> dict[str, Any]:
    """List every discriminating check the crew can make: what it measures, its targets, minutes and power."""
    return {
        "checks": [
            {
                "evidence_id": f"check-spec:{name}",
                "name": name,
                "description": spec.description,
                "targets": list(spec.choices),
                "minutes": dict(spec.minutes) if spec.parameter else spec.minutes[""],
                "watts": spec.watts,
            }
            for name, spec in CHECKS.items()
        ]
    }


def run_check(desk: Desk, check: str, target: str = "") -> dict[str, Any]:
    """Have the crew carry out a discriminating check. It costs simulated time and power, and time goes on meanwhile.

    Args:
        check: Which check, as list_checks gives them.
        target: What it is made on, where list_checks gives targets; else empty.
    """
    result = desk.world.check(check, _target(check, target))
    return {
        "evidence_id": f"check:{check}{':' + target if target else ''}@{stamp(desk.world.now)}",
        **result.model_dump(mode="json", exclude={"started_s", "duration_s"}),
        "started": mission_time(result.started_s),
        "finished": mission_time(desk.world.now),
    }


def _target(check: str, target: str) -> dict[str, str]:
    spec = CHECKS.get(check)
    if spec is not None and spec.parameter:
        return {spec.parameter: target}
    if target and spec is not None:
        raise ValueError(f"{check} takes no target; leave out {short(target)}")
    return {}


def calculate(desk: Desk, expression: str) -> dict[str, Any]:
    """Compute an arithmetic expression: numbers, + - * / **, parentheses, abs exp ln log10 max min sqrt.

    Args:
        expression: For example "(5.29 - 4.0) / (5.29 - 2.64)" or "221 * ln(70.3 / 52.4)".
    """
    value = calculator.calculate(expression)
    name = hashlib.sha256(expression.encode()).hexdigest()[:8]
    return {"evidence_id": f"calc:{name}", "expression": expression, "value": value}


def list_commands(desk: Desk) -> dict[str, Any]:
    """List every command a plan may use: what it does, its parameters, how long it takes, what it draws, its gates."""
    return {
        "commands": [
            {"evidence_id": f"command:{name}", **spec.model_dump(mode="json")} for name, spec in COMMANDS.items()
        ]
    }


def submit_plan(desk: Desk, plan: MissionPlan) -> dict[str, Any]:
    """Submit the plan for human authorization. A rejected plan is told what is wrong with it and may be mended.

    Args:
        plan: The whole plan; nothing outside of it will be authorized.
    """
    if desk.assessment.failed:
        who = "; ".join(f"{role}: {why}" for role, why in sorted(desk.assessment.failed.items()))
        raise ValueError(f"the assessment is incomplete, so nothing can be proposed: no report from {who}")
    people = tuple(person.id for person in desk.world.scenario.crew)
    found = [problem for number, step in enumerate(plan.steps, 1) for problem in _problems(number, step, people)]
    found += _order_problems(plan.steps)
    found += [problem for item in plan.expected for problem in _unfit(item)]
    if found:
        raise ValueError(f"the plan is rejected: {_listed(found)}")
    desk.assessment.plan = plan
    return {"accepted": True, "plan_digest": plan_digest(plan), "plan": plan.model_dump(mode="json")}


def _listed(problems: Sequence[str]) -> str:
    """As many problems as fit one line that can be read."""
    room = [len("; ".join(problems[: count + 1])) <= MAX_TOLD for count in range(MAX_PROBLEMS)]
    told = problems[: max(1, sum(room))]
    more = len(problems) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more else "")


def _problems(number: int, step: PlanStep, people: tuple[str, ...]) -> list[str]:
    names = [parameter.name for parameter in step.parameters]
    found = [f"step {number}: {name} is given twice" for name in sorted({n for n in names if names.count(n) > 1})]
    try:
        parse(step.command, {parameter.name: parameter.value for parameter in step.parameters}, people)
    except ValueError as error:
        found.append(f"step {number}: {error}")
    for field, condition in (("abort_if", step.abort_if), ("only_if", step.only_if)):
        try:
            sensors.find(condition.channel if condition is not None else next(iter(sensors.CATALOGUE)))
        except ValueError as error:
            found.append(f"step {number} {field}: {error}")
    return found


def _order_problems(steps: Sequence[PlanStep]) -> list[str]:
    """Ids that two steps share, and steps that wait for what there is not, or for each other."""
    named = [step.id for step in steps if step.id]
    found = [
        f"id {short(name)} belongs to {named.count(name)} steps"
        for name in dict.fromkeys(named)
        if named.count(name) > 1
    ]
    for number, step in enumerate(steps, 1):
        for name in step.after:
            if name not in named:
                found.append(f"step {number} after: no step has the id {short(name)}; {_ids(named)}")
    left, done = list(enumerate(steps, 1)), set[str]()
    while ready := [entry for entry in left if {name for name in entry[1].after if name in named} <= done]:
        left = [entry for entry in left if entry not in ready]
        done |= {step.id for _, step in ready}
    if len(left) == 1:
        found.append(f"step {left[0][0]} waits for itself and can never start")
    elif left:
        found.append(f"steps {', '.join(str(number) for number, _ in left)} wait for each other and can never start")
    return found


def _ids(named: Sequence[str]) -> str:
    return f"ids are {', '.join(short(name) for name in named)}" if named else "give the step that it waits for an id"


def _unfit(item: Expectation) -> list[str]:
    """What is wrong with an expectation: a channel that there is not, or another unit than the channel's."""
    try:
        unit = sensors.find(item.quantity).unit
    except ValueError as error:
        return [f"expected {clip(item.quantity)}: {error}"]
    return (
        [] if item.unit == unit else [f"expected {item.quantity}: the channel is in {unit}, not in {clip(item.unit)}"]
    )


TOOLS = {
    tool.__name__: tool
    for tool in (
        list_channels,
        read_telemetry,
        read_reports,
        look_up_rules,
        list_checks,
        run_check,
        calculate,
        list_commands,
        submit_plan,
    )
}
"""Every tool by name; a role card lists which of them the role has."""


def explain(error: Exception) -> str:
    """One line for the model about a failed call."""
    if isinstance(error, ValidationError):
        return fields.explain(error, MissionPlan)
    return str(error)
