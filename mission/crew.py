"""The crew: role cards become openai-agents agents, specialists become consult tools of the Director."""

from __future__ import annotations

import copy
import functools
import inspect
import json
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agents import (
    Agent,
    AgentOutputSchema,
    FunctionTool,
    FunctionToolResult,
    Model,
    ModelSettings,
    RunContextWrapper,
    RunResult,
    ToolsToFinalOutputResult,
    function_tool,
)
from agents.tool_context import ToolContext
from openai.types.shared import Reasoning
from pydantic import BaseModel, Field, ValidationError

from mission.cards import RoleCard, consult_name
from mission.desk import Assessment, Desk
from mission.report import OUTPUTS
from mission.tools import TOOLS, explain
from mission.world.engine import World


class Consultation(BaseModel):
    """What the Director asks a specialist."""

    question: str = Field(description="One precise question: what you need to know, over what period, in what unit.")
    known: str = Field(
        description="What the specialist cannot see and needs: times, places, other findings. May be empty."
    )


@dataclass(frozen=True)
class Seat:
    """The model that a role runs on, and its reasoning effort (None: the model has none)."""

    model: Model
    effort: str | None


@dataclass(frozen=True)
class Crew:
    """A crew wired for one world."""

    agents: dict[str, Agent[Any]]
    coordinator: str
    consult_tools: dict[str, str]
    assessment: Assessment
    world: World


def build_crew(world: World, cards: Mapping[str, RoleCard], seats: Mapping[str, Seat]) -> Crew:
    """Wire the crew of role cards for one world. Raises ValueError for a card that names an unknown tool or role."""
    assessment = Assessment()
    agents = {
        role: _agent(Desk(world, role, assessment, card.limits.tool_calls), card, seats[role])
        for role, card in cards.items()
    }
    coordinator = next(card for card in cards.values() if card.kind == "coordinator")
    consults = {consult_name(role): role for role in coordinator.consults}
    for name, role in consults.items():
        if role not in agents:
            raise ValueError(f"agents/{coordinator.role}.md: consults {role}, and there is no such role card")
        agents[coordinator.role].tools.append(_consult_tool(name, agents[role], cards[role], assessment))
    return Crew(agents, coordinator.role, consults, assessment, world)


def _agent(desk: Desk, card: RoleCard, seat: Seat) -> Agent[Any]:
    coordinates = card.kind == "coordinator"
    return Agent(
        name=card.title,
        instructions=card.instructions,
        model=seat.model,
        model_settings=_settings(seat.effort),
        tools=[sdk_tool(name, desk, card) for name in card.tools],
        output_type=None if coordinates else _output(card),
        tool_use_behavior=_until_accepted if coordinates else "run_llm_again",
    )


def _settings(effort: str | None) -> ModelSettings:
    """Calls without state at the provider: reasoning comes back encrypted and is sent on with the next turn, as a
    model that is not shown its own reasoning again starts to think anew after every tool call."""
    if effort is None:
        return ModelSettings(parallel_tool_calls=True)
    return ModelSettings(
        reasoning=Reasoning.model_validate({"effort": effort}),
        parallel_tool_calls=True,
        store=False,
        response_include=["reasoning.encrypted_content"],
    )


@functools.cache
def _output_schema(name: str) -> AgentOutputSchema:
    return AgentOutputSchema(OUTPUTS[name])


def _output(card: RoleCard) -> AgentOutputSchema:
    if card.output not in OUTPUTS:
        raise ValueError(f"agents/{card.role}.md: output {card.output!r} is not one of {', '.join(OUTPUTS)}")
    return _output_schema(card.output)


def _until_accepted(_context: Any, results: list[FunctionToolResult]) -> ToolsToFinalOutputResult:
    """The Director is done when a plan is accepted; the plan is its output, as JSON text (the SDK str()s all else).

    Of two that were accepted in one turn the later counts, as it does for the desk.
    """
    for result in reversed(results):
        output: Any = _json(result.output)
        if result.tool.name == DECIDES and isinstance(output, dict) and "plan" in output:
            plan = json.dumps(output["plan"], ensure_ascii=False)
            return ToolsToFinalOutputResult(is_final_output=True, final_output=plan)
    return ToolsToFinalOutputResult(is_final_output=False)


def sdk_tool(name: str, desk: Desk, card: RoleCard) -> FunctionTool:
    """A tool for one desk: the shared definition, called with this desk as its context."""
    if name not in TOOLS:
        raise ValueError(f"agents/{card.role}.md: tools: {name!r} is not one of {', '.join(TOOLS)}")
    template = _template(name)
    tool = copy.copy(template)

    async def invoke(context: ToolContext[Any], arguments: str) -> Any:
        if name != DECIDES:
            try:
                desk.take_call()
            except ValueError as error:
                return json.dumps({"error": str(error)})
        seated = copy.copy(context)
        seated.context = desk
        return await template.on_invoke_tool(seated, arguments)

    tool.on_invoke_tool = invoke
    return tool


DECIDES = "submit_plan"
"""The tool that ends an assessment: a role that has used its calls up may still decide."""


@functools.cache
def _template(name: str) -> FunctionTool:
    """The SDK's definition of a tool: made once, as making its schema takes milliseconds."""
    return function_tool(with_context(TOOLS[name]), name_override=name, failure_error_function=tell_error)


def with_context(tool: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    """The tool as the SDK calls it: the desk arrives as the run's context, the result leaves as JSON text."""
    hints = typing.get_type_hints(tool)
    signature = inspect.signature(tool)
    first, *others = signature.parameters.values()

    async def call(context: RunContextWrapper[Any], *args: Any, **kwargs: Any) -> str:
        return json.dumps(tool(context.context, *args, **kwargs), ensure_ascii=False)

    call.__name__ = tool.__name__
    call.__doc__ = tool.__doc__
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[first.replace(name="context", annotation=RunContextWrapper[Any]), *others], return_annotation=str
    )
    call.__annotations__ = {
        "context": RunContextWrapper[Any],
        **{parameter.name: hints[parameter.name] for parameter in others},
        "return": str,
    }
    return call


def tell_error(_context: RunContextWrapper[Any], error: Exception) -> str:
    """What the model is told of a failed call: the reason, as JSON."""
    cause = error.__cause__ if isinstance(error.__cause__, ValidationError) else error
    said = explain(cause)
    if said.startswith("Invalid JSON input") and ":" not in said:
        said += ": send one JSON object with the tool's arguments"
    return json.dumps({"error": said}, ensure_ascii=False)


def _consult_tool(name: str, specialist: Agent[Any], card: RoleCard, assessment: Assessment) -> FunctionTool:
    """The specialist as a tool; its report is kept, and its failure blocks the proposal."""

    async def report(result: RunResult | Any) -> str:
        said = result.final_output
        if not isinstance(said, BaseModel):
            raise TypeError(f"{card.title} gave no report")
        assessment.reports.setdefault(card.role, []).append(said.model_dump(mode="json"))
        assessment.failed.pop(card.role, None)
        return said.model_dump_json()

    def failure(context: RunContextWrapper[Any], error: Exception) -> str:
        if not _was_asked(context):
            return tell_error(context, error)
        assessment.failed[card.role] = f"{type(error).__name__}: {error}"
        return json.dumps({"error": f"{card.title} gave no report: {assessment.failed[card.role]}"}, ensure_ascii=False)

    def too_slow(context: RunContextWrapper[Any], error: Exception) -> str:
        return failure(context, TimeoutError(f"no report within {card.limits.seconds:g} s"))

    tool = specialist.as_tool(
        tool_name=name,
        tool_description=f"Ask {card.title} one question. It reads its own instruments and gives a structured report.",
        custom_output_extractor=report,
        parameters=Consultation,
        input_builder=_input,
        max_turns=card.limits.turns,
        failure_error_function=failure,
    )
    tool.timeout_seconds = card.limits.seconds
    tool.timeout_error_function = too_slow
    return tool


def _was_asked(context: RunContextWrapper[Any]) -> bool:
    """Whether the call reached the specialist: a call with wrong arguments is the Director's mistake alone."""
    try:
        Consultation.model_validate_json(getattr(context, "tool_arguments", ""))
    except ValidationError:
        return False
    return True


def _input(options: Any) -> str:
    asked = Consultation.model_validate(options["params"])
    return f"{asked.question}\n\nKnown to the Director: {asked.known}" if asked.known.strip() else asked.question


def _json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except json.JSONDecodeError:
        return value
