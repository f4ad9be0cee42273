"""A model that follows a script from a case's reference: calls, then an output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agents import Model, ModelResponse
from agents.testing import ScriptedModel, UnexpectedModelCall, assistant_message, function_call

from evals.case import Step
from evals.record import StoppedError


class _Script(ScriptedModel):
    """The SDK's scripted model; one that is asked for more than its script has stops the trial, as the case's fault."""

    def __init__(self, role: str, steps: Sequence[Step]) -> None:
        super().__init__([_items(role, number, step) for number, step in enumerate(steps)])
        self._of = f"the script of {role} has {len(steps)} steps, and {role} was asked once more"

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        try:
            return await super().get_response(*args, **kwargs)
        except UnexpectedModelCall:
            raise StoppedError("simulator", self._of) from None


def scripted(role: str, steps: Sequence[Step]) -> Model:
    """The SDK's scripted model, answering with `steps` in order; call ids are `<role>-<step>-<call>`."""
    return _Script(role, steps)


def _items(role: str, number: int, step: Step) -> list[Any]:
    if step.calls is None:
        text = step.output if isinstance(step.output, str) else json.dumps(step.output, ensure_ascii=False)
        return [assistant_message(text, item_id=f"{role}-{number}")]
    return [
        function_call(call.tool, call.args, call_id=f"{role}-{number}-{index}") for index, call in enumerate(step.calls)
    ]
