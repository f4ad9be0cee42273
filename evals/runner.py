"""From a plan to episodes and grades: what to fly, in which order, how many at a time, and what is left to do.

Nothing here knows how an episode is flown or graded; an `Instrument` is passed in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.budget import SpendingLimitError
from evals.candidate import Candidate
from evals.case import Case
from evals.episode import Episode, EpisodeKey
from evals.errors import UserError
from evals.grade import Grade
from evals.plan import Plan
from evals.store import RunCase, RunHeader, Store

Fly = Callable[[Case, Candidate, int], Awaitable[Episode]]
"""Executes one trial. A failure of the candidate is an episode; an exception is a fault of SimSup or a case."""
GradeEpisode = Callable[[Episode, Case, str], Awaitable[Grade]]
"""Grades an episode of a case; the text is its content digest."""


@dataclass(frozen=True)
class Instrument:
    """How this run flies and grades. `clock` gives seconds since the epoch."""

    fly: Fly
    grade: GradeEpisode
    clock: Callable[[], float]


@dataclass(frozen=True)
class Task:
    """One trial to do. `recorded`: its episode is in the run, and only its grade is missing."""

    item: RunCase
    candidate: Candidate
    trial: int
    recorded: bool

    @property
    def key(self) -> EpisodeKey:
        return EpisodeKey(case=self.item.case.id, candidate=self.candidate.id, trial=self.trial)


@dataclass(frozen=True)
class Step:
    """Progress: a trial ended with this grade, the `done`-th of `total`."""

    grade: Grade
    key: EpisodeKey
    done: int
    total: int


Progress = Callable[[Step], None]


@dataclass
class Summary:
    """How a run went. `crashes` are trials that ended in an exception: nothing was stored for them."""

    total: int
    done: int = 0
    crashes: list[tuple[EpisodeKey, BaseException]] = field(default_factory=list[tuple[EpisodeKey, BaseException]])
    stopped: str = ""
    """Why no further trial was started, where the spending limit was reached."""

    @property
    def complete(self) -> bool:
        return self.done == self.total


def tasks(plan: Plan, cases: Sequence[RunCase]) -> list[tuple[RunCase, Candidate, int]]:
    """The cells of the matrix in the order they are flown: first trials of everything, then second ones.

    So candidates share good and bad hours of a provider, and a run that is cut short is balanced.
    """
    return [(item, candidate, trial) for trial in range(plan.trials) for item in cases for candidate in plan.candidates]


def to_do(store: Store) -> list[Task]:
    """What the run still lacks: trials without an episode, and episodes without the run's grade."""
    recorded = {_cell(attempt.key) for attempt in store.attempts()}
    left: list[Task] = []
    for item, candidate, trial in tasks(store.header().plan, store.cases()):
        task = Task(item, candidate, trial, recorded=(item.case.id, candidate.id, trial) in recorded)
        if not task.recorded or not _graded(store, task):
            left.append(task)
    return left


async def run(store: Store, instrument: Instrument, concurrency: int, progress: Progress) -> Summary:
    """Do what the run lacks, `concurrency` trials at a time; each is in the file when it ends.

    Which trials run together changes nothing in what they are. An exception in one is kept in the summary and the
    others go on; when the spending limit is reached no further trial starts. Cancelled, it leaves a run that can
    be resumed.
    """
    left = to_do(store)
    summary = Summary(total=len(left))

    def ended(task: Task, result: asyncio.Task[Grade]) -> None:
        error = asyncio.CancelledError("cancelled from within") if result.cancelled() else result.exception()
        if error is None:
            summary.done += 1
            progress(Step(result.result(), task.key, summary.done, summary.total))
        elif isinstance(error, SpendingLimitError):
            summary.stopped = str(error)
        else:
            summary.crashes.append((task.key, error))

    await _drain(left, lambda task: _do(store, instrument, task), concurrency, ended, lambda: bool(summary.stopped))
    summary.crashes.sort(key=lambda crash: (crash[0].trial, crash[0].case, crash[0].candidate))
    return summary


async def _do(store: Store, instrument: Instrument, task: Task) -> Grade:
    case = task.item.case
    if task.recorded:
        episode = store.episode(task.key)
        content = episode.content_digest()
    else:
        started = instrument.clock()
        episode = await instrument.fly(case, task.candidate, task.trial)
        if episode.key != task.key:
            raise RuntimeError(f"the episode of {task.key} came back as {episode.key}")
        if episode.status.layer == "budget":
            raise SpendingLimitError(episode.status.reason)  # not kept, so that a resumed run flies it whole
        content = store.add_episode(episode, started, instrument.clock())
    grade = await instrument.grade(episode, case, content)
    store.add_grade(task.key, grade, task.item.contract)
    return grade


async def _drain(
    left: Iterable[Task],
    work: Callable[[Task], Coroutine[Any, Any, Grade]],
    concurrency: int,
    ended: Callable[[Task, asyncio.Task[Grade]], None],
    stop: Callable[[], bool],
) -> None:
    queue = iter(left)
    running: dict[asyncio.Task[Grade], Task] = {}
    try:
        while True:
            while len(running) < concurrency and not stop() and (task := next(queue, None)) is not None:
                running[asyncio.create_task(work(task))] = task
            if not running:
                return
            finished, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for result in [result for result in running if result in finished]:
                ended(running.pop(result), result)
    finally:
        for result in running:
            result.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def refuse_changes(store: Store, header: RunHeader, cases: Sequence[RunCase]) -> None:
    """Compare a run with what it would go on with. Raises UserError that names everything that changed."""
    before = store.header()
    if before.plan.id != header.plan.id:
        raise UserError(
            f"is a run of the plan {before.plan.id}, not of {header.plan.id}",
            where=str(store.path),
            do=f"Go on with it by `simsup run {before.plan.id}`, or start a new run.",
        )
    changed: list[str] = []
    if before.plan_digest != header.plan_digest:
        changed.append(f"plan {header.plan.id}" + _fields(before.plan, header.plan))
    for name in ("system", "judge", "live"):
        if getattr(before, name) != getattr(header, name):
            changed.append(f"{name} (was {_short(getattr(before, name))})")
    old, new = _case_digests(store.cases()), _case_digests(cases)
    changed += [f"case {name}" for name in _differing(old[0], new[0])]
    same_cases = {name: value for name, value in new[1].items() if old[0].get(name) == new[0].get(name)}
    changed += [f"grading of {name}" for name in _differing({k: old[1][k] for k in same_cases}, same_cases)]
    changed += _differing(before.versions, header.versions)
    if changed:
        raise UserError(
            f"cannot go on, since it started these changed: {', '.join(changed)}",
            where=str(store.path),
            do="Undo the change, or start a new run.",
        )


def _cell(key: EpisodeKey) -> tuple[str, str, int]:
    return key.case, key.candidate, key.trial


def _graded(store: Store, task: Task) -> bool:
    return any(grade.contract_digest == task.item.contract_digest for grade in store.grades(task.key))


def _case_digests(cases: Sequence[RunCase]) -> tuple[dict[str, str], dict[str, str]]:
    return {c.case.id: c.case_digest for c in cases}, {c.case.id: c.contract_digest for c in cases}


def _differing(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    return [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]


def _fields(old: Plan, new: Plan) -> str:
    names = [name for name in Plan.model_fields if getattr(old, name) != getattr(new, name)]
    return f" ({', '.join(names)})" if names else ""


def _short(value: object) -> str:
    return str(getattr(value, "model", value))
