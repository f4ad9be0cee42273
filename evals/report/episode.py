"""An episode as a person reads it: who did what, when in simulated time, and what brought it about."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from rich.console import Console
from rich.text import Text

from evals.episode import Episode, Event
from evals.grade import Grade
from evals.report import words

LIMIT = 400
"""Characters of an event's summary that are shown; what is left out is counted. `--full` shows all of the event."""


def print_episode(console: Console, episode: Episode, grades: Sequence[Grade], full: bool = False) -> None:
    """Print the head of an episode, its trace and its grades."""
    key, status = episode.key, episode.status
    console.print(Text(f"{key.case}  {key.candidate}  trial {key.trial}", style="bold"))
    ended = f" in layer {status.layer}: {status.reason}" if status.layer else ""
    console.print(
        f"{status.kind}{ended}; simulated {words.simulated(episode.sim_s)}{_thinking(episode)}, "
        f"took {words.seconds(episode.wall_s)}, "
        f"cost {words.usd(episode.usd)}",
        soft_wrap=True,
    )
    models = ", ".join(f"{role} {model}" for role, model in sorted(episode.resolved.models.items()))
    console.print(f"models: {models}\ndigest: {episode.content_digest()}\n", soft_wrap=True)
    for line in trace(episode.trace, full):
        console.print(Text(line), soft_wrap=True)
    for grade in grades:
        _print_grade(console, grade)


def _thinking(episode: Episode) -> str:
    thought = episode.thinking_s
    return "" if thought is None else f", of which {words.simulated(thought)} in thought"


def trace(events: Sequence[Event], full: bool = False) -> list[str]:
    """A line for each event: number, simulated time, role, kind, cause and content.

    A role is indented below the role that first brought it in.
    """
    depth: dict[str | None, int] = {None: -1}
    lines: list[str] = []
    for event in events:
        asked_by = events[event.cause].role if event.cause is not None else None
        below = depth.setdefault(event.role, depth[asked_by] + 1)
        cause = f" <- {event.cause}" if event.cause is not None else ""
        head = f"{event.seq:>4}  {words.simulated(event.sim_s)}  {'    ' * max(below, 0)}{event.role or '-'}"
        lines.append(f"{head}  {event.kind}{cause}  {_json(event.data) if full else cut(summary(event), LIMIT)}")
    return lines


def summary(event: Event) -> str:
    """What an event comes to, on one line: what was asked, said, called or told."""
    data = event.data
    match event.kind:
        case "model_request":
            asked = [text for item in data.get("items", []) for text in _texts(item.get("content"))]
            return " / ".join(asked) or "(goes on)"
        case "model_response":
            said = [text for item in data.get("output", []) for text in _texts(item.get("content"))]
            calls = [f"calls {item['name']}" for item in data.get("output", []) if "name" in item]
            return " / ".join(said + calls) or "(nothing)"
        case "thinking":
            return f"{data.get('seconds', 0):g} s" + (", given up" if data.get("given_up") else "")
        case "tool_call" | "handoff":
            return f"{data.get('tool')} {_json(data.get('arguments'))}"
        case "tool_result" | "report":
            return ("ERROR " if data.get("error") else "") + _json(data.get("output"))
        case _:
            return _json(data)


def cut(text: str, limit: int) -> str:
    """A text of at most `limit` characters; it says how many were left out."""
    return text if len(text) <= limit else f"{text[:limit]} ... ({len(text) - limit} more characters)"


def _texts(content: Any) -> list[str]:
    """The texts of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return [" ".join(content.split())]
    parts = cast("list[dict[str, Any]]", content) if isinstance(content, list) else []
    return [" ".join(str(part["text"]).split()) for part in parts if "text" in part]


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _print_grade(console: Console, grade: Grade) -> None:
    title = f"\n{words.WORDS[grade.verdict].strip()}  judge {grade.judge}, contract {grade.contract_digest[:12]}"
    console.print(Text(title, style=words.STYLES[grade.verdict]))
    for result in grade.results:
        reason = f": {result.reason}" if result.reason else ""
        line = f"  {words.WORDS[result.verdict].strip()}  {result.name} ({result.layer}){reason}"
        console.print(Text(line, style=words.STYLES[result.verdict]), soft_wrap=True)
        if result.quote:
            console.print(Text(f'      quoted: "{result.quote}"'), soft_wrap=True)
