"""The `sdk` harness: drives an agent with the openai-agents Runner, as the product does."""

from __future__ import annotations

import json
import logging
import os
from typing import Any

from pydantic import BaseModel

from evals.record import Recorder, StoppedError, parse

JSON = Any

SETTINGS = {
    "OPENAI_AGENTS_DONT_LOG_TOOL_DATA": "0",
    "OPENAI_AGENTS_DONT_LOG_MODEL_DATA": "0",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
}
"""Environment that changes what a model is told or what leaves the machine: the same in every run."""


def prepare() -> None:
    """Fix what the SDK tells a model and what it sends away: full tool errors, no trace upload.

    The SDK reads its environment once, when it is imported, and nothing says who imported it first. So its own
    switches are set, too.
    """
    os.environ.update(SETTINGS)
    from agents import _debug, set_trace_processors, set_tracing_disabled

    _debug.DONT_LOG_TOOL_DATA = False
    _debug.DONT_LOG_MODEL_DATA = False
    set_tracing_disabled(True)
    set_trace_processors([])
    log = logging.getLogger("openai.agents")
    if not log.handlers:  # what a tool refused is in the trace; without a handler Python prints it, payload and all
        log.addHandler(logging.NullHandler())


def run_config() -> Any:
    """The run settings of every trial: tools one at a time in call order, unknown tools told to the model."""
    from agents import RunConfig
    from agents.run_config import ToolExecutionConfig

    return RunConfig(
        tracing_disabled=True,
        tool_not_found_behavior="return_error_to_model",
        tool_execution=ToolExecutionConfig(max_function_tool_concurrency=1),
    )


async def run_agent(agent: Any, text: str, *, max_turns: int, recorder: Recorder) -> JSON:
    """Run one agent on one input to its final output, as JSON.

    Raises StoppedError with the layer at fault: a model that runs out of turns, refuses, or answers out of its
    output type or out of Unicode is the candidate's; a provider that fails is infrastructure; a misuse of the SDK
    is ours.
    """
    import agents

    try:
        result = await agents.Runner.run(agent, text, max_turns=max_turns, run_config=run_config())
    except StoppedError as stop:
        raise recorder.halt(stop.layer, stop.reason) from stop
    except agents.MaxTurnsExceeded as error:
        raise recorder.halt("candidate", f"out of turns: {error}") from error
    except (agents.ModelBehaviorError, agents.ModelRefusalError, UnicodeEncodeError) as error:
        raise recorder.halt("candidate", f"{type(error).__name__}: {error}") from error
    except agents.UserError as error:
        raise recorder.halt("simulator", f"{type(error).__name__}: {error}") from error
    if recorder.stop is not None:
        raise recorder.stop
    return as_json(result.final_output)


def as_json(value: Any) -> JSON:
    """A final output as JSON: a model's fields (NaN is null), parsed JSON text, or the text itself."""
    return json.loads(value.model_dump_json()) if isinstance(value, BaseModel) else parse(value)
