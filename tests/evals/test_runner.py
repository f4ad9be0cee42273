"""Running a plan: the same results at any concurrency, nothing lost or done twice, whatever stops it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import runpy
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evals.budget import SpendingLimitError
from evals.episode import Status
from evals.errors import UserError
from evals.runner import refuse_changes, run, to_do
from evals.store import RunCase, Store

PROGRAM = Path(__file__).with_name("fake_run.py")
fakes: Any = SimpleNamespace(**runpy.run_path(str(PROGRAM)))
CHANGED = fakes.make_case("b-1", task="Say something else.")
KILLS = int(os.environ.get("SIMSUP_KILLS", "5"))
"""How often the kill test kills; the acceptance run sets 20."""
LONGEST_WAIT_S = 0.03
"""A kill comes up to this long after a trial has ended: some ten trials later."""


def start(folder: Path, plan: Any = None, cases: Any = None) -> Store:
    plan = plan or fakes.make_plan()
    return Store.create(folder / "run.sqlite", fakes.make_header(plan), "text", cases or fakes.frozen())


def go(store: Store, concurrency: int = 2, progress: Any = lambda step: None, **changes: Any) -> Any:
    return asyncio.run(run(store, fakes.instrument(**changes), concurrency, progress))


def cells(store: Store) -> list[tuple[str, str, int]]:
    return [(a.key.case, a.key.candidate, a.key.trial) for a in store.attempts()]


def test_trials_go_first_ones_of_everything_first(tmp_path):
    with start(tmp_path, fakes.make_plan(trials=2), fakes.frozen(("a-1", "b-1"))) as store:
        left = to_do(store)
    assert [(t.key.case, t.key.candidate, t.key.trial) for t in left] == [
        ("a-1", "good", 0),
        ("a-1", "bad", 0),
        ("b-1", "good", 0),
        ("b-1", "bad", 0),
        ("a-1", "good", 1),
        ("a-1", "bad", 1),
        ("b-1", "good", 1),
        ("b-1", "bad", 1),
    ]


def test_every_trial_is_flown_and_graded_once(tmp_path):
    steps: list[Any] = []
    with start(tmp_path) as store:
        summary = go(store, progress=steps.append)
        assert summary.complete
        assert (summary.done, summary.total) == (6, 6)
        assert len(cells(store)) == 6
        assert [[g.verdict for g in store.grades(a.key)] for a in store.attempts()] == [["fail"], ["pass"]] * 3
    assert [(step.done, step.total) for step in steps] == [(n, 6) for n in range(1, 7)]


def test_concurrency_changes_nothing_in_the_results(tmp_path):
    digests: list[Any] = []
    for concurrency in (1, 8):
        folder = tmp_path / str(concurrency)
        with start(folder, fakes.make_plan(trials=3)) as store:
            go(store, concurrency)
            digests.append([(a.key, a.digest, [g.model_dump() for g in store.grades(a.key)]) for a in store.attempts()])
    assert len(digests[0]) == 18
    assert digests[0] == digests[1]


def test_no_more_than_the_given_number_fly_at_once(tmp_path):
    flying, most = 0, 0

    async def counted(case: Any, candidate: Any, trial: int) -> Any:
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        episode = await fakes.fly(case, candidate, trial)
        flying -= 1
        return episode

    with start(tmp_path, fakes.make_plan(trials=3)) as store:
        go(store, 4, fly=counted)
    assert most == 4


def test_an_error_of_ours_stores_nothing_and_stops_nobody(tmp_path):
    async def broken(case: Any, candidate: Any, trial: int) -> Any:
        if (case.id, candidate.id) == ("a-2", "good"):
            raise ZeroDivisionError("planted")
        return await fakes.fly(case, candidate, trial)

    with start(tmp_path) as store:
        summary = go(store, fly=broken)
        assert [(key.case, key.candidate, repr(error)) for key, error in summary.crashes] == [
            ("a-2", "good", "ZeroDivisionError('planted')")
        ]
        assert not summary.complete
        assert len(cells(store)) == 5
        assert ("a-2", "good", 0) not in cells(store)
        assert go(store).complete
        assert len(cells(store)) == 6


def test_an_episode_of_another_trial_is_refused(tmp_path):
    async def swapped(case: Any, candidate: Any, trial: int) -> Any:
        return fakes.make_episode("a-1", "good", trial)

    with start(tmp_path, cases=fakes.frozen(("a-1", "a-2"))) as store:
        summary = go(store, fly=swapped)
        assert cells(store) == [("a-1", "good", 0)]
        assert len(summary.crashes) == 3


def test_an_episode_without_its_grade_is_only_graded(tmp_path):
    async def no_judge(episode: Any, case: Any) -> Any:
        raise ConnectionError("planted")

    async def no_flying(case: Any, candidate: Any, trial: int) -> Any:
        raise AssertionError("flown again")

    with start(tmp_path) as store:
        assert len(go(store, grade=no_judge).crashes) == 6
        before = store.attempts()
        assert go(store, fly=no_flying).complete
        assert store.attempts() == before


@pytest.mark.parametrize("raised", [True, False])
def test_at_the_spending_limit_no_further_trial_starts_and_the_cut_one_is_not_kept(tmp_path, raised):
    flown: list[str] = []

    async def dear(case: Any, candidate: Any, trial: int) -> Any:
        flown.append(case.id)
        if len(flown) < 3:
            return await fakes.fly(case, candidate, trial)
        if raised:
            raise SpendingLimitError("nothing is left")
        status = Status(kind="stopped", layer="budget", reason="nothing is left")
        return fakes.make_episode(case.id, candidate.id, trial, status=status)

    with start(tmp_path) as store:
        summary = go(store, 1, fly=dear)
        assert summary.stopped == "nothing is left"
        assert (summary.done, len(flown), len(cells(store))) == (2, 3, 2)
        assert go(store).complete
        assert len(cells(store)) == 6


def test_cancelled_it_leaves_a_run_to_go_on_with(tmp_path):
    async def cancelled(store: Store) -> None:
        done = asyncio.Event()
        task = asyncio.create_task(run(store, fakes.instrument(), 2, lambda step: done.set()))
        await done.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with start(tmp_path, fakes.make_plan(trials=5)) as store:
        asyncio.run(cancelled(store))
        kept = store.attempts()
        assert 0 < len(kept) < 30
        assert go(store).complete
        assert len(cells(store)) == 30
        assert [attempt for attempt in store.attempts() if attempt in kept] == kept


def test_a_run_goes_on_with_what_it_was_started_with(tmp_path):
    with start(tmp_path) as store:
        refuse_changes(store, fakes.make_header(fakes.make_plan(), started="2027-01-01T00:00:00+00:00"), fakes.frozen())


@pytest.mark.parametrize(
    ("header", "cases", "changed"),
    [
        (fakes.make_header(fakes.make_plan(trials=2)), fakes.frozen(), "plan toy (trials)"),
        (fakes.make_header(fakes.make_plan(), system="other"), fakes.frozen(), "system (was toy)"),
        (fakes.make_header(fakes.make_plan(), live=True), fakes.frozen(), "live (was False)"),
        (
            fakes.make_header(fakes.make_plan(), versions={"role card clerk": "2"}),
            fakes.frozen(),
            "role card clerk",
        ),
        (
            fakes.make_header(fakes.make_plan(), versions={"role card clerk": "1", "tool look of clerk": "1"}),
            fakes.frozen(),
            "tool look of clerk",
        ),
        (fakes.make_header(fakes.make_plan()), fakes.frozen(("a-1", "a-2")), "case b-1"),
        (
            fakes.make_header(fakes.make_plan()),
            [
                *fakes.frozen(("a-1", "a-2")),
                RunCase.of(case := fakes.make_case("b-1", task="X"), fakes.contract_for(case)),
            ],
            "case b-1",
        ),
        (
            fakes.make_header(fakes.make_plan()),
            [RunCase.of(item.case, item.contract.model_copy(update={"grader_version": 2})) for item in fakes.frozen()],
            "grading of a-1, grading of a-2, grading of b-1",
        ),
    ],
)
def test_a_changed_run_is_refused_and_told_what_changed(tmp_path, header, cases, changed):
    with start(tmp_path) as store, pytest.raises(UserError) as told:
        refuse_changes(store, header, cases)
    assert str(told.value) == (
        f"{tmp_path / 'run.sqlite'}: cannot go on, since it started these changed: {changed}. "
        "Undo the change, or start a new run."
    )


def spawn(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(PROGRAM), *arguments]
    return subprocess.Popen(command, cwd=Path(__file__).parents[2], env=os.environ | {"PYTHONPATH": "."})


def noted(journal: Path) -> list[str]:
    return journal.read_text().splitlines() if journal.exists() else []


def test_killed_at_any_moment_it_loses_and_doubles_nothing(tmp_path):
    """SIGKILL again and again, each time at another moment, then finish; a journal beside the run is the witness."""
    run_file, journal = tmp_path / "run.sqlite", tmp_path / "journal"
    trials = 2 * KILLS
    program = (str(run_file), str(journal), str(trials))
    kept: list[Any] = []
    for kill in range(KILLS):
        had = len(noted(journal))
        process = spawn(*program, *(["--resume"] if run_file.exists() else []))
        while process.poll() is None and len(noted(journal)) == had:
            time.sleep(0.001)
        time.sleep(int(hashlib.sha256(f"moment {kill}".encode()).hexdigest()[:4], 16) / 65536 * LONGEST_WAIT_S)
        process.kill()
        assert process.wait() == -9, "the run ended before it was killed: give it more trials"
        with Store.open(run_file) as store:
            now = store.attempts()
            graded = {f"{a.key.case} {a.key.candidate} {a.key.trial}" for a in now if store.grades(a.key)}
        assert set(noted(journal)) <= graded, "a completed attempt is lost"
        assert [attempt for attempt in now if attempt in kept] == kept, "an attempt was changed"
        kept = now
    assert spawn(*program, "--resume").wait() == 0
    with Store.open(run_file) as store:
        assert cells(store) == sorted(product(fakes.BIG_CASES, ("good", "bad"), range(trials)))
        assert [attempt for attempt in store.attempts() if attempt in kept] == kept
        assert all(len(store.grades(attempt.key)) == 1 for attempt in store.attempts())
    assert sorted(noted(journal)) == sorted(set(noted(journal)))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["journal", "run.sqlite"]
