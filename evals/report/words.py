"""How verdicts, rates and times are written, the same in every report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evals.clock import Clock, Drawn, Fixed, Off, Recorded, Thinking
from evals.grade import Verdict
from evals.outcomes import Outcome, Results
from evals.stats.intervals import Interval

WORDS: dict[Verdict | None, str] = {"pass": "+ pass", "fail": "x FAIL", "ungraded": "? ----", None: "  (not flown)"}
"""A symbol and a word for each state: readable without colour and without Unicode."""

STYLES: dict[Verdict | None, str] = {"pass": "green", "fail": "bold red", "ungraded": "yellow", None: "dim"}


def judge(results: Results) -> str:
    """The judge's name, labelled where it is a stand-in."""
    config = results.header.judge
    return f"{config.model} (a stand-in, no model)" if config.stand_in else config.model


def label(results: Results, candidate: str) -> str:
    """A candidate's name, labelled where it is a pilot."""
    model = next(c.model for c in results.plan.candidates if c.id == candidate)
    return f"{candidate} (pilot)" if model.startswith("pilot/") else candidate


def cell(outcomes: Sequence[Outcome]) -> str:
    """One cell of the matrix: the word, and with several trials how many passed."""
    if not outcomes:
        return WORDS[None].strip()
    verdict = worst(outcomes)
    word = WORDS[verdict].strip() if verdict else "(not graded)"
    passed = sum(outcome.verdict == "pass" for outcome in outcomes)
    return word if len(outcomes) == 1 else f"{word} {passed}/{len(outcomes)}"


def worst(outcomes: Sequence[Outcome]) -> Verdict | None:
    """The state of a case over its trials: a failure outweighs a missing verdict, and that a pass."""
    verdicts = {outcome.verdict for outcome in outcomes}
    order: tuple[Verdict | None, ...] = ("fail", None, "ungraded", "pass")
    return next((verdict for verdict in order if verdict in verdicts), None)


def rate(interval: Interval) -> str:
    """A rate and its interval: `83% (55..95)`."""
    return f"{percent(interval)} ({bounds(interval)})"


def percent(interval: Interval) -> str:
    return "no verdict" if interval.rate is None else f"{100 * interval.rate:.0f}%"


def bounds(interval: Interval) -> str:
    """An interval in percent: `55..95`."""
    return f"{100 * interval.low:.0f}..{100 * interval.high:.0f}"


def seconds(value: float) -> str:
    """A wall time with three significant digits."""
    return f"{value:.3g} s"


def simulated(value: float) -> str:
    """Simulated seconds as h:mm:ss."""
    whole = round(value)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def thought(value: float | None) -> str:
    """Simulated seconds of thinking as h:mm:ss; a clock that stood still has none."""
    return "-" if value is None else simulated(value)


def clocks(results: Results) -> list[str]:
    """Whose thinking costs what, where it costs anything: by plan, then by candidate."""
    plan = results.plan
    whose = {"every candidate": plan.clock, **{c.id: c.clock for c in plan.candidates}}
    stated = [f"Clock of {name}: {clock(value)}." for name, value in whose.items() if value is not None]
    return stated or (["Clock: as each case states it."] if results.clocked else [])


def clock(value: Clock) -> str:
    """What thinking costs, in words: `a model call costs 30 s; risk-review: 120 s`."""
    roles = [f"{role}: {_rule(rule)}" for role, rule in sorted(value.roles.items())]
    return "; ".join([f"a model call costs {_rule(value.thinking)}", *roles])


def _rule(rule: Thinking) -> str:
    match rule:
        case Off():
            return "no simulated time"
        case Fixed():
            return f"{rule.seconds:g} s"
        case Drawn(quantiles_s=None):
            return f"a lognormal time, median {rule.median_s:g} s, sigma {rule.sigma:g}, seed {rule.seed}"
        case Drawn():
            times = ", ".join(f"{second:g}" for second in rule.quantiles_s or [])
            return f"a time drawn by the quantiles {times} s, seed {rule.seed}"
        case Recorded():
            return "the time it took" + (f", times {rule.scale:g}" if rule.scale != 1 else "")


def usd(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4f} USD"


@dataclass
class Failure:
    """One check that did not pass, for one reason, in one or several trials of a case."""

    case: str
    candidate: str
    verdict: Verdict | None
    check: str
    reason: str
    trials: list[int]

    def which(self) -> str:
        """The trials: `#0 #2`, or how many where they are more than four."""
        numbers = " ".join(f"#{trial}" for trial in self.trials)
        return numbers if len(self.trials) <= 4 else f"{len(self.trials)} trials"


def failures(outcomes: Sequence[Outcome]) -> list[Failure]:
    """What did not pass, in the order of the outcomes; the same failure of several trials is one entry."""
    found: dict[tuple[object, ...], Failure] = {}
    for outcome in outcomes:
        if outcome.verdict == "pass":
            continue
        named = [(result.name, _line(result.reason)) for result in outcome.failed] or [("-", _line(outcome.reason))]
        for check, reason in named:
            head = (outcome.case, outcome.candidate, outcome.verdict, check, reason)
            found.setdefault(head, Failure(*head, trials=[])).trials.append(outcome.trial)
    return list(found.values())


def _line(text: str) -> str:
    return " ".join(text.split())
