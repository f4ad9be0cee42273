"""A run as decisions and reports read it: one outcome for each cell of the matrix."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from evals.candidate import parse_model
from evals.case import Case, Claim
from evals.clock import running
from evals.episode import Episode
from evals.grade import Grade, Result, Verdict
from evals.plan import Plan
from evals.store import RunHeader, Store


@dataclass(frozen=True)
class Outcome:
    """What a trial came to, by the run's own contract. `verdict` is None while it has no grade."""

    case: str
    candidate: str
    trial: int
    verdict: Verdict | None
    reason: str
    failed: list[Result]
    """The checks and criteria that failed, or that could not be judged where none failed."""
    wall_s: float
    usd: float | None
    thinking_s: float | None
    """Simulated seconds that passed while models thought; None under a clock that stood still."""
    judges: bool
    """Whether a judge had a part in the verdict."""


class Cell(NamedTuple):
    case: str
    candidate: str


@dataclass(frozen=True)
class Results:
    """All that a report needs. `cells` has the outcomes of every case and candidate of the plan, by trial."""

    file: str
    header: RunHeader
    cases: list[str]
    cells: dict[Cell, list[Outcome]]
    stale: list[str] = field(default_factory=list[str])
    """Cases flown under a running clock that expect numbers of a world that stood still while one thought."""

    @property
    def plan(self) -> Plan:
        return self.header.plan

    def of(self, candidate: str) -> list[Outcome]:
        """A candidate's outcomes in the plan's order of cases."""
        return [outcome for case in self.cases for outcome in self.cells[Cell(case, candidate)]]

    def verdicts(self, candidate: str) -> list[list[Verdict]]:
        """Verdicts of each case's trials; what has no grade is ungraded."""
        return [[o.verdict or "ungraded" for o in self.cells[Cell(case, candidate)]] for case in self.cases]

    @property
    def clocked(self) -> bool:
        """Whether thinking cost simulated time in any trial."""
        return any(o.thinking_s is not None for outcomes in self.cells.values() for o in outcomes)

    def missing(self) -> int:
        """How many trials of the plan have no grade yet."""
        planned = len(self.cases) * len(self.plan.candidates) * self.plan.trials
        return planned - sum(o.verdict is not None for outcomes in self.cells.values() for o in outcomes)


def load_results(store: Store, file: str) -> Results:
    """Read a run. `file` is its name in reports."""
    header, frozen = store.header(), store.cases()
    contracts = {item.case.id: item.contract_digest for item in frozen}
    names = [item.case.id for item in frozen]
    cells = {Cell(case, candidate.id): list[Outcome]() for case in names for candidate in header.plan.candidates}
    for episode in store.episodes():
        given = [g for g in store.grades(episode.key) if g.contract_digest == contracts[episode.key.case]]
        cells[Cell(episode.key.case, episode.key.candidate)].append(outcome(episode, given[0] if given else None))
    return Results(file, header, names, cells, [item.case.id for item in frozen if _stale(item.case, header.plan)])


def _stale(case: Case, plan: Plan) -> bool:
    clocks = [running(candidate.clock, plan.clock, None) for candidate in plan.candidates]
    return case.setup.clock is None and any(clocks) and any(isinstance(check, Claim) for check in case.expect.checks)


def outcome(episode: Episode, grade: Grade | None) -> Outcome:
    """An episode and its grade, in short."""
    key = episode.key
    results = grade.results if grade else []
    failed = [result for result in results if result.verdict == "fail"]
    return Outcome(
        case=key.case,
        candidate=key.candidate,
        trial=key.trial,
        verdict=grade.verdict if grade else None,
        reason=(grade.reason if grade else "not graded yet") or episode.status.reason,
        failed=failed or [result for result in results if result.verdict == "ungraded"],
        wall_s=episode.wall_s,
        usd=episode.usd,
        thinking_s=episode.thinking_s,
        judges=any(result.layer == "rubric" for result in results),
    )


def _is_pilot(model: str) -> bool:
    return parse_model(model).provider == "pilot"


def caveats(results: Results) -> list[str]:
    """What must be said beside every figure of a run: which parts of it are no model, which literals may not hold."""
    said: list[str] = []
    header = results.header
    models = {c.id: {c.model, *c.roles.values()} for c in header.plan.candidates}
    pilots = [name for name, used in models.items() if all(_is_pilot(model) for model in used)]
    mixed = [name for name, used in models.items() if name not in pilots and any(_is_pilot(model) for model in used)]
    if pilots:
        who = "All candidates are" if len(pilots) == len(models) else f"{', '.join(pilots)}: these candidates are"
        said.append(
            f"{who} pilots, rule-based programs. They prove that the instrument works; "
            "they say nothing about any model."
        )
    if mixed:
        said.append(
            f"{', '.join(mixed)}: some roles are flown by pilots, rule-based programs. "
            "The figures say nothing about a model in those roles."
        )
    if header.judge.stand_in:
        said.append(
            "The judge is an offline stand-in that matches patterns, no model. "
            "Its verdicts prove the instrument; they are no judgement of quality."
        )
    if results.stale:
        said.append(
            f"{', '.join(results.stale)}: the numbers expected here are those of a world that stands still while one "
            "thinks. Under this run's clock they move on with it: a claim can fail for being late, or for being right."
        )
    return said
