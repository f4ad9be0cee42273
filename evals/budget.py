"""Money: what a plan can cost at most, and a ledger that reserves the worst case before each call."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from evals.candidate import Candidate
from evals.case import Case
from evals.grade import JudgeConfig
from evals.plan import Plan
from evals.prices import Prices, is_paid

NANO = 1_000_000_000
"""Money is kept as whole billionths of a dollar: the cheapest token costs ten, and sums are exact."""


class SpendingLimitError(Exception):
    """The next call could cost more than what is left of the limit; it was not made."""


class SpendBook(Protocol):
    """Where reservations are kept, so that a crash keeps them. Amounts are billionths of a dollar."""

    def add_spend(self, what: str, worst: int) -> int: ...

    def settle_spend(self, reservation: int, actual: int) -> None: ...

    def total_spend(self) -> int:
        """What was spent and what is reserved, together."""
        ...


class SpendLedger:
    """Holds spending to a limit in USD: what was spent and what is reserved never exceed it.

    A call reserves its worst case first and commits what it did cost after. A call that was cut off, or whose
    usage is unknown, keeps its reservation. Safe to use from threads and tasks.
    """

    def __init__(self, limit_usd: float, book: SpendBook) -> None:
        self._limit = _nano(limit_usd, "limit")
        self._book = book
        self._lock = threading.Lock()

    def reserve(self, worst_usd: float, what: str = "") -> int:
        """Set the worst cost of a call aside and give the reservation's number.

        Raises SpendingLimitError if the limit does not cover it; ValueError for an amount that is no amount.
        """
        worst = _nano(worst_usd, "worst cost")
        with self._lock:
            left = self._limit - self._book.total_spend()
            if worst > left:
                raise SpendingLimitError(
                    f"the next call may cost {worst / NANO:.4f} USD and {max(left, 0) / NANO:.4f} USD of the limit of "
                    f"{self._limit / NANO:.2f} USD is left"
                )
            return self._book.add_spend(what, worst)

    def commit(self, reservation: int, actual_usd: float | None) -> None:
        """Replace a reservation by what the call did cost; None, unknown, leaves it as it is."""
        if actual_usd is None:
            return
        with self._lock:
            self._book.settle_spend(reservation, _nano(actual_usd, "actual cost"))

    def spent_usd(self) -> float:
        """What was spent and what is reserved, together, in USD."""
        with self._lock:
            return self._book.total_spend() / NANO


@dataclass(frozen=True)
class Estimate:
    """The most a plan can cost, in USD. `calls` counts paid model calls, the judge's among them."""

    usd: float
    calls: int
    episodes: int
    by_candidate: Mapping[str, float]
    judge_usd: float


def estimate(plan: Plan, cases: Sequence[Case], roles: Sequence[str], prices: Prices, judge: JudgeConfig) -> Estimate:
    """The worst case: every turn of every budget is used, on the dearest live model, by the worst call of prices.yaml.

    The ledger, not the estimate, is what holds: it reserves by the size of each request. Raises UserError for a
    paid model without a price.
    """
    by_candidate: dict[str, float] = {}
    calls = 0
    for candidate in plan.candidates:
        total = 0.0
        for case in cases:
            paid = [model for model in _live_models(case, candidate, roles) if is_paid(model)]
            dearest = max((prices.worst_cost(model) for model in paid), default=0.0)
            total += plan.trials * case.budget.turns * dearest
            calls += plan.trials * case.budget.turns if paid else 0
        by_candidate[candidate.id] = total
    episodes = len(cases) * len(plan.candidates) * plan.trials
    judged = 0 if judge.stand_in else sum(len(case.expect.rubric) for case in cases)
    judge_calls = judged * len(plan.candidates) * plan.trials
    judge_usd = judge_calls * prices.worst_cost(judge.model) if judge_calls else 0.0
    return Estimate(sum(by_candidate.values()) + judge_usd, calls + judge_calls, episodes, by_candidate, judge_usd)


def live_roles(case: Case, roles: Sequence[str]) -> list[str]:
    """The roles of a case that a model answers for: those in its scope that are not frozen."""
    if case.boundary is not None:
        named = [case.boundary.producer, case.boundary.consumer]
    elif case.role is not None:
        named = [case.role]
    else:
        named = list(roles) if case.scope == "workflow" else []
    return [role for role in named if role not in case.setup.frozen]


def _live_models(case: Case, candidate: Candidate, roles: Sequence[str]) -> list[str]:
    return [str(candidate.model_for(role)) for role in live_roles(case, roles)]


def _nano(usd: float, name: str) -> int:
    if not (math.isfinite(usd) and usd >= 0):
        raise ValueError(f"the {name} must be a number of USD, zero or more, not {usd}")
    return round(usd * NANO)
