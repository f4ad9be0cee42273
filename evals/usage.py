"""Tokens of model calls: what a response used, and sums in which unknown stays unknown."""

from __future__ import annotations

from agents import ModelResponse

from evals.episode import Usage


def usage_of(response: ModelResponse) -> Usage:
    """Usage of one response; a provider that reported no tokens leaves it unknown, as no call uses none."""
    raw = response.usage
    if raw.total_tokens == 0:
        return Usage(requests=1)
    return Usage(
        requests=max(raw.requests, 1),
        input_tokens=raw.input_tokens,
        cached_tokens=raw.input_tokens_details.cached_tokens,
        output_tokens=raw.output_tokens,
        reasoning_tokens=raw.output_tokens_details.reasoning_tokens,
    )


def add_usage(left: Usage | None, right: Usage) -> Usage:
    """Sum of two usages; an unknown part makes its sum unknown."""
    if left is None:
        return right

    def both(a: int | None, b: int | None) -> int | None:
        return None if a is None or b is None else a + b

    return Usage(
        requests=left.requests + right.requests,
        input_tokens=both(left.input_tokens, right.input_tokens),
        cached_tokens=both(left.cached_tokens, right.cached_tokens),
        output_tokens=both(left.output_tokens, right.output_tokens),
        reasoning_tokens=both(left.reasoning_tokens, right.reasoning_tokens),
    )
