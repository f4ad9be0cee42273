"""The plan contract: a question, its candidates and cases, and the policy that will answer it."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from evals.candidate import Candidate
from evals.clock import Clock, unstated
from evals.contract import Contract

Measure = Literal["complete_passes", "median_episode_s", "lower_effort", "usd"]


class Gate(Contract):
    """What the winner must reach before it may be chosen.

    `min_pass_rate` is of graded episodes; `max_ungraded` is the greatest share of episodes without a verdict.
    """

    min_pass_rate: float = Field(ge=0, le=1)
    max_ungraded: float = Field(0.0, ge=0, le=1)


class Policy(Contract):
    """How candidates are ranked: by the first measure, ties by the next."""

    order: list[Measure] = Field(min_length=1)
    gate: Gate

    @model_validator(mode="after")
    def _no_repeats(self) -> Self:
        if len(set(self.order)) != len(self.order):
            raise ValueError("policy.order names a measure twice")
        return self


class Plan(Contract):
    """What a run executes, written before it. `cases` are case ids or shell patterns over them.

    `clock` is what thinking costs in every trial, whatever a case says; a candidate may state its own.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    question: str
    candidates: list[Candidate] = Field(min_length=1)
    cases: list[str] = Field(min_length=1)
    trials: int = Field(1, ge=1, le=10_000)
    harness: Literal["sdk"] = "sdk"
    clock: Clock | None = Field(default=None, exclude_if=unstated)
    policy: Policy

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        ids = [candidate.id for candidate in self.candidates]
        if len(set(ids)) != len(ids):
            raise ValueError("two candidates have the same id")
        return self
