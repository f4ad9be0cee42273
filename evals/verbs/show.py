"""`simsup show`: a run's matrix, or one of its episodes."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from evals.cases import near
from evals.episode import EpisodeKey
from evals.errors import UserError
from evals.outcomes import load_results
from evals.report.episode import print_episode
from evals.report.matrix import print_results
from evals.store import Store
from evals.workspace import Workspace


def show_run(workspace: Workspace, run: Path, console: Console) -> None:
    """Print the matrix of a run and what failed in it."""
    with Store.open(run) as store:
        results = load_results(store, workspace.show(run.resolve()))
    print_results(console, results)
    if results.missing():
        console.print(f"{results.missing()} trials of the plan are not flown and graded yet.")


def show_episode(run: Path, key: EpisodeKey, console: Console, *, full: bool) -> None:
    """Print one episode and its grades. Raises UserError with near names if the run does not have it."""
    with Store.open(run) as store:
        keys = [attempt.key for attempt in store.attempts()]
        _check(key.case, {item.case for item in keys}, "case", run)
        _check(key.candidate, {item.candidate for item in keys}, "candidate", run)
        print_episode(console, store.episode(key), store.grades(key), full)


def _check(name: str, known: set[str], what: str, run: Path) -> None:
    if name not in known:
        listed = ", ".join(sorted(known)) or "none yet"
        raise UserError(f"no {what} {name!r} in this run", where=str(run), do=near(name, known, f"It has {listed}."))
