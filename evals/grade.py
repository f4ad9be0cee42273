"""The grade contract: the verdict of one contract on one episode, in three states."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import model_validator

from evals.case import Check, Criterion
from evals.contract import Contract, digest

Verdict = Literal["pass", "fail", "ungraded"]


class JudgeConfig(Contract):
    """The one judge of a run. `model` `stand-in/patterns` is the offline stand-in: no model at all."""

    model: str
    prompt: str
    version: int
    stand_in: bool


class GradingContract(Contract):
    """What grades a case: versioned by its digest, which is stored beside every grade."""

    checks: list[Check]
    rubric: list[Criterion]
    judge: JudgeConfig
    rule: Literal["deterministic-and-rubric"] = "deterministic-and-rubric"
    grader_version: int = 1

    def digest(self) -> str:
        return digest(self)


class Result(Contract):
    """The verdict of one check or criterion. `reason` says why it is not `pass`; `quote` is a judge's evidence."""

    name: str
    kind: str
    layer: Literal["deterministic", "rubric"]
    verdict: Verdict
    reason: str = ""
    quote: str = ""
    data: dict[str, Any] = {}

    @model_validator(mode="after")
    def _a_reason(self) -> Self:
        if self.verdict != "pass" and not self.reason:
            raise ValueError("a verdict that is not pass needs a reason")
        return self


class Grade(Contract):
    """All results of one contract on one episode, and the verdict its rule gives."""

    contract_digest: str
    episode_digest: str
    judge: str
    results: list[Result]
    verdict: Verdict
    reason: str = ""

    def failed(self) -> list[str]:
        return [result.name for result in self.results if result.verdict == "fail"]
