"""How sure a pass rate is: intervals over cases, and pass^k."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev

from evals.grade import Verdict

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A pass rate with its two-sided interval. Without any graded trial the rate is None and the interval 0 to 1."""

    rate: float | None
    low: float
    high: float
    method: str
    n: int
    """How many independent observations it rests on: cases with at least one graded trial."""
    graded: int
    """Graded trials."""
    ungraded: int
    """Trials without a verdict: left out of the rate, never counted as passes or failures."""


def wilson(rate: float, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's score interval of a proportion from n observations (E. B. Wilson, JASA 22, 1927).

    Raises ValueError for n below 1 or a rate outside 0..1.
    """
    if n < 1 or not 0 <= rate <= 1:
        raise ValueError(f"a proportion needs n >= 1 and a rate in 0..1, not {rate} of {n}")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return (0.0 if rate == 0 else centre - half), (1.0 if rate == 1 else centre + half)


def pass_rate(cases: Sequence[Sequence[Verdict]], confidence: float = CONFIDENCE) -> Interval:
    """Pass rate over cases, from the verdicts of each case's trials; the cases are a sample of all such cases.

    With one trial a case: Wilson. With more: Student's t interval of the case means, which are what is independent
    (E. Miller, arXiv:2411.00640). Where all case means are equal, and a t interval would have no width, Wilson with
    n = number of cases.
    """
    graded = [[verdict == "pass" for verdict in trials if verdict != "ungraded"] for trials in cases]
    ungraded = sum(len(trials) for trials in cases) - sum(map(len, graded))
    means = [fmean(trials) for trials in graded if trials]
    total = sum(map(len, graded))
    if not means:
        return Interval(None, 0.0, 1.0, "no graded trial", 0, 0, ungraded)
    rate = fmean(means)
    if total == len(means) or len(set(means)) == 1:
        low, high = wilson(rate, len(means), confidence)
        return Interval(rate, low, high, "Wilson", len(means), total, ungraded)
    half = _t_quantile(confidence, len(means) - 1) * stdev(means) / math.sqrt(len(means))
    low, high = max(0.0, rate - half), min(1.0, rate + half)
    return Interval(rate, low, high, "t of case means", len(means), total, ungraded)


def pass_hat_k(counts: Sequence[tuple[int, int]], k: int) -> float:
    """The chance that k trials of a case all pass, mean over cases, without bias: C(c, k) / C(n, k).

    `counts` are (passes, trials) by case (tau-bench, arXiv:2406.12045). Raises ValueError where a case has fewer
    than k trials: there is no unbiased estimate then.
    """
    if k < 1 or not counts:
        raise ValueError("pass^k needs k >= 1 and at least one case")
    short = [n for _, n in counts if n < k]
    if short:
        raise ValueError(f"pass^{k} needs {k} graded trials of every case; one has {min(short)}")
    return fmean(math.comb(c, k) / math.comb(n, k) for c, n in counts)


def failure_bound(n: int, confidence: float = CONFIDENCE) -> float:
    """How large the failure rate may still be when n observations had none: one-sided, 1 - (1 - confidence)^(1/n)."""
    if n < 1:
        raise ValueError("a bound needs at least one observation")
    return 1 - (1 - confidence) ** (1 / n)


def _t_quantile(confidence: float, degrees: int) -> float:
    from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

    return float(stdtrit(degrees, (1 + confidence) / 2))
