"""Freezing: a recorded report stands in for a role, behind the same tool, with the application untouched."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from agents import Agent, FunctionTool
from agents.tool_context import ToolContext

from evals.case import FrozenReport
from evals.record import parse, replace_invoke

_WORD = re.compile(r"[a-z0-9]{4,}")


def freeze(agent: Agent[Any], consult_tools: Mapping[str, str], reports: Mapping[str, FrozenReport]) -> None:
    """Replace an agent's consult tools by name: with the role's frozen report, or by word that none is recorded.

    Raises ValueError for a frozen role that the agent has no tool to consult.
    """
    reachable = {consult_tools[tool.name] for tool in agent.tools if tool.name in consult_tools}
    unreachable = sorted(set(reports) - reachable)
    if unreachable:
        raise ValueError(
            f"no tool of {agent.name} consults {', '.join(unreachable)}; it can consult {sorted(reachable)}"
        )
    agent.tools = [
        frozen_tool(tool, consult_tools[tool.name], reports.get(consult_tools[tool.name]))
        if isinstance(tool, FunctionTool) and tool.name in consult_tools
        else tool
        for tool in agent.tools
    ]


def frozen_tool(tool: FunctionTool, role: str, report: FrozenReport | None) -> FunctionTool:
    """The consult tool answering from the recording."""

    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        return json.dumps(answer(role, report, question_of(parse(arguments))), ensure_ascii=False)

    return replace_invoke(tool, invoke)


def question_of(arguments: Any) -> str:
    """All the text of a consult call's arguments."""
    match arguments:
        case dict():
            return " ".join(question_of(value) for value in cast("dict[str, Any]", arguments).values())
        case list():
            return " ".join(question_of(value) for value in cast("list[Any]", arguments))
        case _:
            return str(arguments)


def answer(role: str, frozen: FrozenReport | None, question: str) -> Any:
    """The recorded report, or an object that says why there is no answer to this question."""
    if frozen is None:
        return {"unavailable": f"No report of {role} is recorded in this exercise. Decide without it."}
    if covers(frozen, question):
        return frozen.report
    return {"unavailable": f"The recorded report of {role} cannot answer this question. It is not consulted live here."}


def covers(frozen: FrozenReport, question: str) -> bool:
    """Whether the recording can answer: by its own patterns, else by a shared word."""
    if frozen.answers is not None:
        return any(re.search(pattern, question, re.IGNORECASE) for pattern in frozen.answers)
    words = set(_WORD.findall(question.lower()))
    return bool(words & set(_WORD.findall(json.dumps(frozen.report).lower())))
