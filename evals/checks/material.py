"""What checks and judges look at: an episode read in the light of its case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast

from evals.case import Case
from evals.cel import Facts
from evals.episode import Episode, Event

JSON = Any
Hand = Literal["first", "second"]
"""How a role came by a datum: in the result of its own tool call, or quoted by someone else."""

_MARKED = re.compile(r"evidence_id[\"']?\s*[:=]\s*[\"']?([^\s\"',;)\]}]+)")
_ASKED = ("tool_call", "handoff")
_TOLD = ("tool_result", "report")


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool, consult tools included, and what came back.

    `result` is None where nothing did; `error` is true for that too, and for a call that the tool refused.
    """

    seq: int
    tool: str
    role: str | None
    args: JSON
    result: JSON
    error: bool

    def values(self) -> dict[str, JSON]:
        """What a `where` is asked of."""
        return {"args": self.args, "result": self.result, "error": self.error, "role": self.role}


@dataclass(frozen=True)
class Material:
    """An episode and its case. What is derived from them is worked out when it is first asked for."""

    case: Case
    episode: Episode

    @cached_property
    def role(self) -> str | None:
        """The role whose output the case is about; in a workflow, the role whose model had the last word."""
        case = self.case
        if case.scope == "handoff" and case.boundary is not None:
            frozen_consumer = case.boundary.consumer in case.setup.frozen
            return case.boundary.producer if frozen_consumer else case.boundary.consumer
        if case.scope == "tool" and case.call is not None:
            return case.call.role
        if case.scope == "agent":
            return case.role
        spoke = [event.role for event in self.episode.trace if event.kind == "model_response"]
        return spoke[-1] if spoke else None

    def output_of(self, role: str | None) -> JSON:
        """The final output of a role, by default of the case's own; None where it gave none."""
        return self.episode.output if role is None else self.episode.outputs.get(role)

    @cached_property
    def calls(self) -> tuple[ToolCall, ...]:
        """Every tool call, in order, with its result."""
        results = _results(self.episode.trace)
        return tuple(_call(event, results.get(event.seq)) for event in self.episode.trace if event.kind in _ASKED)

    @cached_property
    def world(self) -> Facts:
        """The end state and the log of the world, for conditions."""
        return Facts({"state": self.episode.state, "log": self.episode.log})

    @cached_property
    def received(self) -> Mapping[str, Mapping[str, Hand]]:
        """The evidence ids that each role received.

        First hand: any object with an `evidence_id` in a tool result that is no error. Second hand: any id under
        `evidence` or `evidence_id` in a report; in text that was put to the role, one marked `evidence_id: ...`,
        or one that is known in this episode and occurs as a whole word.
        """
        found: dict[str, dict[str, Hand]] = {}
        for event in self.episode.trace:
            if event.kind in _TOLD and event.role is not None and not event.data.get("error", False):
                for name, hand in _ids(event.data.get("output"), quoted=event.kind == "report"):
                    _note(found, event.role, name, hand)
        known = sorted({name for names in found.values() for name in names})
        for role, text in self.texts():
            marked = [name.rstrip(".") for name in _MARKED.findall(text)]
            for name in [*marked, *(name for name in known if _occurs(name, text))]:
                _note(found, role, name, "second")
        return found

    def received_by(self, role: str | None) -> Mapping[str, Hand]:
        """The evidence ids that a role received; nobody received none."""
        return self.received.get(role, {}) if role is not None else {}

    def texts(self) -> Iterator[tuple[str, str]]:
        """What was put to each role in words: the task, and what its runs were asked."""
        if self.role is not None:
            yield self.role, self.case.task
        for event in self.episode.trace:
            if event.kind == "model_request" and event.role is not None:
                yield from ((event.role, text) for text in asked(event))


def material_of(episode: Episode, case: Case) -> Material:
    """The material for grading one episode of one case. Raises ValueError if it is another case's episode."""
    if episode.key.case != case.id:
        raise ValueError(f"the episode is one of case {episode.key.case!r}, not of {case.id!r}")
    return Material(case, episode)


def asked(request: Event) -> list[str]:
    """The user's words in a recorded model request."""
    items = request.data.get("items", [])
    return [item["content"] for item in items if item.get("role") == "user" and isinstance(item.get("content"), str)]


def objects(value: JSON) -> Iterator[dict[str, JSON]]:
    """Every JSON object in a value, in document order, however deep."""
    stack: list[JSON] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            node = cast(dict[str, JSON], item)
            yield node
            stack.extend(reversed(list(node.values())))
        elif isinstance(item, list):
            stack.extend(reversed(cast(list[JSON], item)))


def strings(value: JSON) -> Iterator[str]:
    """Every string in a value, keys left out, in document order, however deep."""
    stack: list[JSON] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            stack.extend(reversed(list(cast(dict[str, JSON], item).values())))
        elif isinstance(item, list):
            stack.extend(reversed(cast(list[JSON], item)))


def _results(trace: list[Event]) -> dict[int, Event]:
    """The result of each call, by the seq of the call.

    Paired by role and call id, the latest call with that id: a report is caused by what the consulted role did
    last, and a call id is unique in one run only.
    """
    waiting: dict[tuple[str | None, str], int] = {}
    found: dict[int, Event] = {}
    for event in trace:
        if event.kind in _ASKED:
            waiting[event.role, event.data["call_id"]] = event.seq
        elif event.kind in _TOLD:
            seq = waiting.pop((event.role, event.data["call_id"]), None)
            if seq is not None:
                found[seq] = event
    return found


def _call(event: Event, told: Event | None) -> ToolCall:
    return ToolCall(
        seq=event.seq,
        tool=event.data["tool"],
        role=event.role,
        args=event.data["arguments"],
        result=None if told is None else told.data["output"],
        error=told is None or bool(told.data["error"]),
    )


def _ids(output: JSON, *, quoted: bool) -> Iterator[tuple[str, Hand]]:
    hand: Hand = "second" if quoted else "first"
    for node in objects(output):
        cited = node.get("evidence") if quoted else None
        several = cast(list[JSON], cited) if isinstance(cited, list) else []
        for name in [node.get("evidence_id"), *several]:
            if isinstance(name, str):
                yield name, hand


def _note(found: dict[str, dict[str, Hand]], role: str, name: str, hand: Hand) -> None:
    mine = found.setdefault(role, {})
    if hand == "first" or name not in mine:
        mine[name] = hand


def _occurs(name: str, text: str) -> bool:
    return name in text and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\d)", text) is not None
