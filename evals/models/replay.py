"""A model that gives recorded responses again, and refuses any request but the recorded one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from agents import Model, ModelResponse
from agents.usage import Usage as SdkUsage
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails
from pydantic import TypeAdapter

from evals.episode import Event, Usage
from evals.record import StoppedError


class ReplayModel(Model):
    """Answers a role's n-th request with its n-th recorded response.

    Raises StoppedError(simulator) when the request differs from the recorded one or none is left.
    """

    def __init__(self, role: str, trace: Iterable[Event]) -> None:
        events = [event for event in trace if event.role == role]
        self.role = role
        self._requests = [event.data["digest"] for event in events if event.kind == "model_request"]
        self._responses = [event.data for event in events if event.kind == "model_response"]
        self._next = 0
        self._asked = ""

    def expect(self, request_digest: str) -> None:
        self._asked = request_digest

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        index = self._next
        if index >= len(self._responses):
            raise StoppedError("simulator", f"replay: {self.role} made request {index + 1}; {index} are recorded")
        if self._requests[index] != self._asked:
            raise StoppedError("simulator", f"replay: {self.role} request {index + 1} differs from the recorded one")
        self._next += 1
        return response_from(self._responses[index])

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("episodes are replayed without streaming")


def response_from(data: dict[str, Any]) -> ModelResponse:
    """A recorded `model_response` event's data as the SDK's response object."""
    return ModelResponse(
        output=_items().validate_python(data["output"]),
        usage=sdk_usage(Usage.model_validate(data["usage"])),
        response_id=data["response_id"],
    )


def sdk_usage(usage: Usage) -> SdkUsage:
    """Recorded usage in the SDK's form; unknown stays an empty usage."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return SdkUsage()
    return SdkUsage(
        requests=usage.requests,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.input_tokens + usage.output_tokens,
        input_tokens_details=InputTokensDetails(cached_tokens=usage.cached_tokens or 0, cache_write_tokens=0),
        output_tokens_details=OutputTokensDetails(reasoning_tokens=usage.reasoning_tokens or 0),
    )


@lru_cache(maxsize=1)
def _items() -> TypeAdapter[list[Any]]:
    from openai.types.responses import ResponseOutputItem

    return TypeAdapter(list[ResponseOutputItem])
