"""Tool scope: structured input to one tool, no model."""

from __future__ import annotations

import json
from typing import Any

from agents import FunctionTool
from agents.tool_context import ToolContext

from evals.adapters.trial import Trial
from evals.record import instrument, parse


async def run(trial: Trial) -> Any:
    """The tool's output for the case's arguments, called as the role's agent would call it."""
    call = trial.case.call
    if call is None or call.role not in trial.team.agents:
        raise ValueError(f"case {trial.case.id} names no tool of a role in the team ({', '.join(trial.team.agents)})")
    agent = trial.team.agents[call.role]
    instrument({call.role: agent}, trial.team.consult_tools, trial.recorder)
    tools = {tool.name: tool for tool in agent.tools if isinstance(tool, FunctionTool)}
    if call.tool not in tools:
        raise ValueError(f"case {trial.case.id}: {call.role} has no tool {call.tool!r}; it has {', '.join(tools)}")
    arguments = json.dumps(call.args)
    context = ToolContext(context=None, tool_name=call.tool, tool_call_id="call-0", tool_arguments=arguments)
    output = parse(await tools[call.tool].on_invoke_tool(context, arguments))
    trial.recorder.outputs[call.role] = output
    return output
