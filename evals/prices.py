"""What model calls cost: prices as data, never a default, unknown never zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import Field

from evals.candidate import ModelRef, parse_model
from evals.contract import Contract
from evals.errors import UserError
from evals.workspace import Workspace, read

FILE = "prices.yaml"
FREE_PROVIDERS = frozenset({"pilot", "scripted", "replay", "stand-in"})
"""Providers that cost nothing, known to be zero because no provider is called."""


class Price(Contract):
    """USD for one million tokens. Reasoning tokens are inside the output tokens."""

    input: float = Field(ge=0, le=1_000_000)
    cached: float = Field(ge=0, le=1_000_000)
    output: float = Field(ge=0, le=1_000_000)


class WorstCall(Contract):
    """The most tokens that one call is taken to use in an estimate."""

    input: int = Field(gt=0, le=1_000_000_000)
    output: int = Field(gt=0, le=1_000_000_000)


class Prices(Contract):
    """The price of each model, by `provider/name`."""

    prices: dict[str, Price]
    worst_call: WorstCall

    def of(self, model: str) -> Price:
        """The price of a model string. Raises UserError if it is not listed."""
        reference = parse_model(model)
        if reference.provider in FREE_PROVIDERS:
            return Price(input=0, cached=0, output=0)
        name = f"{reference.provider}/{reference.name}"
        if name not in self.prices:
            raise UserError(f"no price for {name}", where=FILE, do="Add its input, cached and output prices.")
        return self.prices[name]

    def cost(self, model: str, usage: Mapping[str, int]) -> float | None:
        """USD of recorded usage, by the fields of `Usage`; one that is left out is unknown.

        None if the price or a token count is unknown, or if the counts contradict each other.
        Formula: (input - cached) x input price + cached x cached price + output x output price.
        """
        reference = parse_model(model)
        if reference.provider in FREE_PROVIDERS or usage.get("requests") == 0:
            return 0.0
        price = self.prices.get(f"{reference.provider}/{reference.name}")
        tokens = [usage.get(name) for name in ("input_tokens", "cached_tokens", "output_tokens")]
        if price is None or any(count is None for count in tokens):
            return None
        given, cached, output = (count for count in tokens if count is not None)
        if cached > given:
            return None
        return self.function(reference)(given, cached, output)

    def function(self, reference: ModelRef) -> Callable[[int, int, int], float]:
        """USD of (input, cached, output) tokens of one model. Raises UserError if its price is not listed."""
        price = self.of(str(reference))
        return lambda given, cached, output: (
            ((given - cached) * price.input + cached * price.cached + output * price.output) / 1e6
        )

    def worst_cost(self, model: str, input_tokens: int | None = None, output_tokens: int | None = None) -> float:
        """USD that one call can cost at most, nothing cached; by default the estimate's worst call."""
        price = self.of(model)
        given = self.worst_call.input if input_tokens is None else input_tokens
        output = self.worst_call.output if output_tokens is None else output_tokens
        return (given * price.input + output * price.output) / 1e6


def is_paid(model: str) -> bool:
    """Whether a model string means calls to a provider that takes money."""
    return parse_model(model).provider not in FREE_PROVIDERS


def load_prices(workspace: Workspace) -> Prices:
    """The workspace's prices. Raises UserError."""
    return read(workspace.find(FILE), Prices, FILE)
