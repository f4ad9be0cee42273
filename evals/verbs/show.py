"""`simsup show`: a run's matrix, or one of its episodes."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from evals.appraisal import appraise
from evals.cases import near
from evals.episode import EpisodeKey
from evals.errors import UserError
from evals.outcomes import load_results
from evals.report.episode import print_episode
from evals.report.matrix import print_results
from evals.store import Store
from evals.system import Wanted
from evals.workspace import Workspace

REGRET = "--regret adds what was lost against the best that could have been done; it searches, for seconds."


def show_run(workspace: Workspace, run: Path, console: Console, *, regret: bool = False) -> None:
    """Print the matrix of a run and what failed in it; with `regret` what its worlds came to, too."""
    with Store.open(run) as store:
        results = load_results(store, workspace.show(run.resolve()))
    print_results(console, results)
    if results.missing():
        console.print(f"{results.missing()} trials of the plan are not flown and graded yet.")
    if regret:
        _print_worlds(console, appraise(workspace, Wanted(workspace.home, run, regret=True)), "")


def show_episode(
    workspace: Workspace, run: Path, key: EpisodeKey, console: Console, *, full: bool = False, regret: bool = False
) -> None:
    """Print one episode, its grades, and what its world came to; with `regret` held to the best plan there is.

    Raises UserError with near names if the run does not have it.
    """
    with Store.open(run) as store:
        keys = [attempt.key for attempt in store.attempts()]
        _check(key.case, {item.case for item in keys}, "case", run)
        _check(key.candidate, {item.candidate for item in keys}, "candidate", run)
        print_episode(console, store.episode(key), store.grades(key), full)
    wanted = Wanted(workspace.home, run, key.case, key.candidate, key.trial, regret)
    try:
        _print_worlds(console, appraise(workspace, wanted), "" if regret else REGRET)
    except UserError as error:
        console.print(f"\nNothing is known of its world: {error}", soft_wrap=True)


def _print_worlds(console: Console, lines: list[str], last: str) -> None:
    if not lines:
        return
    console.print("\nWhat the world came to, by the objectives of its scenario:", soft_wrap=True)
    for line in [*lines, last] if last else lines:
        console.print(Text(line), soft_wrap=True)


def _check(name: str, known: set[str], what: str, run: Path) -> None:
    if name not in known:
        listed = ", ".join(sorted(known)) or "none yet"
        raise UserError(f"no {what} {name!r} in this run", where=str(run), do=near(name, known, f"It has {listed}."))
