"""`simsup decide`: answer a plan's question from a run, by the policy fixed before it, and write the record."""

from __future__ import annotations

from pathlib import Path

from evals.appraisal import appraise
from evals.cases import find_plan, load_plan
from evals.decide import Choice, check_plan, decide
from evals.outcomes import Results, load_results
from evals.report.record import record
from evals.store import Store
from evals.system import Wanted
from evals.workspace import Workspace


def decide_plan(
    workspace: Workspace, name: str, run: Path, target: Path | None = None, *, regret: bool = False
) -> tuple[Results, Choice, Path]:
    """Decide, and write the record: to `target`, by default record.md beside the plan. With `regret` the record tells
    what the worlds came to as well.

    Returns what was measured, the choice and the record's path.

    Raises UserError if the run is another plan's, or is not complete.
    """
    path = find_plan(workspace, name)
    plan = load_plan(workspace, path)
    with Store.open(run) as store:
        results = load_results(store, workspace.show(run.resolve()))
    check_plan(results, plan)
    choice = decide(results)
    target = target or record_path(workspace, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    worlds = appraise(workspace, Wanted(workspace.home, run, regret=True)) if regret else []
    target.write_text(record(results, choice, worlds), encoding="utf-8")
    return results, choice, target


def record_path(workspace: Workspace, plan: Path) -> Path:
    """Where a plan's record goes: beside the plan, or in the person's own decisions/ if the plan is built in."""
    folder = plan.resolve().parent
    built_in = [root for root in workspace.roots() if root != workspace.home and folder.is_relative_to(root)]
    if built_in:
        return workspace.home / folder.relative_to(built_in[0]) / "record.md"
    return folder / "record.md"
