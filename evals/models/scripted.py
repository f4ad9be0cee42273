"""A model that follows a script from a case's reference: calls, then an output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agents import Model
from agents.testing import ScriptedModel, assistant_message, function_call

from evals.case import Step


def scripted(role: str, steps: Sequence[Step]) -> Model:
    """The SDK's scripted model, answering with `steps` in order; call ids are `<role>-<step>-<call>`."""
    return ScriptedModel([_items(role, number, step) for number, step in enumerate(steps)])


def _items(role: str, number: int, step: Step) -> list[Any]:
    if step.calls is None:
        text = step.output if isinstance(step.output, str) else json.dumps(step.output, ensure_ascii=False)
        return [assistant_message(text, item_id=f"{role}-{number}")]
    return [
        function_call(call.tool, call.args, call_id=f"{role}-{number}-{index}") for index, call in enumerate(step.calls)
    ]
