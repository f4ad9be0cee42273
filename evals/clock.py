"""The clock contract: what an agent's thinking costs in simulated time, fixed before a run.

Nothing here knows the order of calls or the time of day: a call's cost follows from whose call it is, or from the
time it was measured to take, which is recorded with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import exp, floor
from statistics import NormalDist
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from evals.contract import Contract, canonical

QUANTUM_S = 2.0**-10
"""Costs are multiples of this, about a millisecond: sums of them are exact, and far finer than any measurement."""

Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]


class Off(Contract):
    """Thinking costs nothing: the world stands still meanwhile."""

    kind: Literal["off"]


class Fixed(Contract):
    """Every model call costs the same."""

    kind: Literal["fixed"]
    seconds: Seconds


class Drawn(Contract):
    """Every model call's cost is drawn, by identity: lognormal, or by quantiles between which it is linear.

    `median_s` and `sigma` (standard deviation of the logarithm) make it lognormal. `quantiles_s` are evenly spaced
    from the least to the greatest: five of them are the least, the quartiles and the greatest.
    """

    kind: Literal["drawn"]
    median_s: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] | None = None
    sigma: Annotated[float, Field(ge=0, le=3)] | None = None
    quantiles_s: list[Seconds] | None = Field(None, min_length=2)
    seed: int = 0

    @model_validator(mode="after")
    def _one_distribution(self) -> Self:
        lognormal = (self.median_s is not None, self.sigma is not None)
        if lognormal not in ((True, True), (False, False)) or lognormal[0] == (self.quantiles_s is not None):
            raise ValueError("a drawn cost takes either median_s and sigma, or quantiles_s")
        if self.quantiles_s is not None and sorted(self.quantiles_s) != self.quantiles_s:
            raise ValueError("quantiles_s must not fall")
        return self


class Recorded(Contract):
    """A model call costs the wall time it was measured to take, times `scale`. A replay takes it from the recording."""

    kind: Literal["recorded"]
    scale: Annotated[float, Field(gt=0, le=10_000)] = 1.0


def _by_name(value: Any) -> Any:
    """A kind that needs no more said may be written as its name alone: `thinking: off`."""
    return {"kind": value} if isinstance(value, str) else value


Thinking = Annotated[Off | Fixed | Drawn | Recorded, Field(discriminator="kind"), BeforeValidator(_by_name)]


class Clock(Contract):
    """What each model call costs in simulated time: `thinking` is the default, `roles` the exceptions."""

    thinking: Thinking
    roles: dict[str, Thinking] = {}

    def for_role(self, role: str) -> Off | Fixed | Drawn | Recorded:
        return self.roles.get(role, self.thinking)

    @property
    def runs(self) -> bool:
        """Whether any role's thinking can cost time."""
        return any(rule.kind != "off" for rule in self._rules)

    @property
    def measures(self) -> bool:
        """Whether any cost is measured, so that two live runs differ by more than what the models say."""
        return any(rule.kind == "recorded" for rule in self._rules)

    @property
    def _rules(self) -> list[Off | Fixed | Drawn | Recorded]:
        return [self.thinking, *self.roles.values()]


def unstated(clock: Clock | None) -> bool:
    """Whether a contract says nothing of its clock: then it is left out, so that its digest is what it always was."""
    return clock is None


def running(candidate: Clock | None, plan: Clock | None, case: Clock | None) -> Clock | None:
    """The clock of a trial: the candidate's own, else the plan's, else the case's. None if it stands still.

    The first that is stated counts whole; `off` is a statement, too.
    """
    stated = next((clock for clock in (candidate, plan, case) if clock is not None), None)
    return stated if stated is not None and stated.runs else None


@dataclass(frozen=True)
class Pace:
    """What the model calls of one trial cost, and the world that this time passes in.

    `think` lets so many simulated seconds pass, and gives how many did: fewer where the world came to its end.
    `measured` has wall seconds by role and number of the call, where a replay must not measure anew.
    """

    clock: Clock
    case: str
    trial: int
    think: Callable[[float], float]
    measured: Mapping[tuple[str, int], float] | None = field(default=None)

    def cost(self, role: str, call: int, wall_s: float) -> float | None:
        """Simulated seconds of a role's `call`-th model call (from 1), which took `wall_s`; None if it costs nothing.

        Raises KeyError for a call that was not measured.
        """
        rule = self.clock.for_role(role)
        match rule:
            case Off():
                return None
            case Fixed():
                return quantized(rule.seconds)
            case Drawn():
                return quantized(drawn(rule, share(rule.seed, self.case, self.trial, role, call)))
            case Recorded():
                return quantized(rule.scale * (wall_s if self.measured is None else self.measured[role, call]))


def share(seed: int, case: str, trial: int, role: str, call: int) -> float:
    """A number between 0 and 1, neither included, that is this call's alone.

    The candidate has no part in it: candidates that call alike are drawn alike, so that a difference between them is
    theirs and not the draw's.
    """
    key = canonical(["thinking", seed, case, trial, role, call])
    return ((int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 12) + 0.5) / 2**52


def drawn(rule: Drawn, at: float) -> float:
    """The quantile of a distribution at a share of 0 to 1, in seconds."""
    if rule.quantiles_s is not None:
        place = at * (len(rule.quantiles_s) - 1)
        index = min(floor(place), len(rule.quantiles_s) - 2)
        low, high = rule.quantiles_s[index : index + 2]
        return low + (place - index) * (high - low)
    return float(rule.median_s or 0.0) * exp(float(rule.sigma or 0.0) * NormalDist().inv_cdf(at))


def quantized(seconds: float) -> float:
    """The nearest multiple of QUANTUM_S."""
    return round(seconds / QUANTUM_S) * QUANTUM_S
