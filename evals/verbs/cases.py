"""`simsup cases`: what there is to fly."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from evals.case import Case
from evals.cases import load_cases, select_cases
from evals.workspace import Workspace


def list_cases(workspace: Workspace, patterns: Sequence[str]) -> Table:
    """A table of the chosen cases, all of them by default. Raises UserError."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("case", "scope", "role", "expects", "mechanism", "split"):
        table.add_column(title, overflow="fold")
    for case in select_cases(load_cases(workspace), patterns or ["*"]):
        table.add_row(case.id, case.scope, _who(case), case.tags.expects, case.tags.mechanism, case.split)
    return table


def _who(case: Case) -> str:
    if case.boundary is not None:
        return f"{case.boundary.producer} > {case.boundary.consumer}"
    return case.role or (case.call.role if case.call else "the team")
