"""Paid models: the SDK's Responses client, with each call's worst case reserved before it starts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from agents import Model, ModelResponse, ModelSettings
from agents.models.openai_responses import OpenAIResponsesModel
from openai import AsyncOpenAI

from evals.candidate import ModelRef
from evals.errors import UserError
from evals.record import StoppedError
from evals.usage import usage_of

if TYPE_CHECKING:
    from evals.episode import Usage

MAX_OUTPUT_TOKENS = 16_000
"""Output bound of one call, reasoning included: what makes its worst case known."""

FRAMING_TOKENS = 1_000
"""Room for what a provider adds around a request. A token is at least one byte, so bytes bound the rest."""


class Spending(Protocol):
    """The ledger that paid calls go through. `reserve` raises an exception when the limit would be passed."""

    def reserve(self, worst_usd: float) -> int: ...

    def commit(self, reservation: int, actual_usd: float | None) -> None: ...


Price = Callable[[int, int, int], float]
"""Dollars of (input, cached, output) tokens."""


def client() -> AsyncOpenAI:
    """The provider's client, from OPENAI_API_KEY and OPENAI_BASE_URL; retries are the harness's. Raises UserError."""
    if not os.environ.get("OPENAI_API_KEY"):
        raise UserError("OPENAI_API_KEY is not set", do="Export it, or choose pilot models, which need no key")
    return AsyncOpenAI(max_retries=0)


class PaidModel(Model):
    """A provider's model behind the spending limit."""

    def __init__(self, inner: Model, price: Price, spending: Spending) -> None:
        self.inner = inner
        self.price = price
        self.spending = spending

    async def get_response(  # type: ignore[override]
        self,
        system_instructions: str | None,
        input: str | list[Any],  # noqa: A002
        model_settings: ModelSettings,
        tools: list[Any],
        output_schema: Any,
        handoffs: list[Any],
        tracing: Any,
        **rest: Any,
    ) -> ModelResponse:
        bounded = model_settings.resolve(ModelSettings(max_tokens=model_settings.max_tokens or MAX_OUTPUT_TOKENS))
        size = request_bytes(system_instructions, input, tools, output_schema)
        worst = self.price(size + FRAMING_TOKENS, 0, bounded.max_tokens or MAX_OUTPUT_TOKENS)
        reservation = self._reserve(worst)
        response = await self.inner.get_response(
            system_instructions, input, bounded, tools, output_schema, handoffs, tracing, **rest
        )
        self.spending.commit(reservation, self._actual(usage_of(response)))
        return response

    def _reserve(self, worst: float) -> int:
        from evals.budget import SpendingLimitError

        try:
            return self.spending.reserve(worst)
        except SpendingLimitError as error:
            raise StoppedError("budget", str(error)) from error

    def _actual(self, usage: Usage) -> float | None:
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return self.price(usage.input_tokens, usage.cached_tokens or 0, usage.output_tokens)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("paid calls are made without streaming")

    async def close(self) -> None:
        await self.inner.close()


def request_bytes(instructions: str | None, items: str | list[Any], tools: list[Any], schema: Any) -> int:
    """Size of what a request sends, in bytes of JSON."""
    schemas = [[tool.name, tool.description, tool.params_json_schema] for tool in tools]
    output = schema.json_schema() if schema is not None and not schema.is_plain_text() else None
    return len(json.dumps([instructions, items, schemas, output], ensure_ascii=False, default=str).encode())


def live_models(spending: Spending, price_of: Callable[[ModelRef], Price]) -> Callable[[str, ModelRef], Model]:
    """Makes the paid model of a reference, for any role; one client serves them all."""
    provider = client()

    def model_for(_role: str, reference: ModelRef) -> Model:
        inner = OpenAIResponsesModel(model=reference.name, openai_client=provider)
        return PaidModel(inner, price_of(reference), spending)

    return model_for
