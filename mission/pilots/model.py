"""A pilot behind the SDK's Model interface: stateless, deciding from the conversation alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents import FunctionTool, Model, ModelResponse, Usage
from agents.testing import assistant_message, function_call
from pydantic import BaseModel

from mission.pilots.conversation import Conversation, read_conversation

JSON = Any


@dataclass(frozen=True)
class Call:
    """One tool call a pilot wants to make."""

    tool: str
    arguments: dict[str, JSON]


Turn = list[Call] | BaseModel | str
"""A pilot's next move: tool calls, or its final output."""

Decide = Callable[[Conversation], Turn]


class PilotModel(Model):
    """Answers with what its rules make of the conversation."""

    def __init__(self, role: str, decide: Decide, *, trusting: bool = False) -> None:
        self._role = role
        self._decide = decide
        self._trusting = trusting

    async def get_response(  # type: ignore[override]
        self,
        system_instructions: str | None,
        input: str | list[Any],  # noqa: A002
        model_settings: Any,
        tools: list[Any],
        *args: Any,
        **kwargs: Any,
    ) -> ModelResponse:
        names = frozenset(tool.name for tool in tools if isinstance(tool, FunctionTool))
        conversation = read_conversation(input, names, self._trusting)
        items = self.items(conversation)
        return ModelResponse(output=items, usage=Usage(), response_id=None)

    def items(self, conversation: Conversation) -> list[Any]:
        """The response items of the pilot's next move; call ids are unique in a conversation."""
        turn = self._decide(conversation)
        number = len(conversation.exchanges)
        lineage = hashlib.sha256(conversation.text.encode()).hexdigest()[:6]
        if isinstance(turn, list):
            return [
                function_call(call.tool, call.arguments, call_id=f"{self._role}-{lineage}-{number + index}")
                for index, call in enumerate(turn)
            ]
        text = turn if isinstance(turn, str) else json.dumps(turn.model_dump(mode="json"), ensure_ascii=False)
        return [assistant_message(text, item_id=f"{self._role}-{lineage}-{number}")]

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("pilots do not stream")
