"""Cases, references and plans: found, read, selected."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from evals.case import Case, Reference
from evals.errors import UserError
from evals.plan import Plan
from evals.workspace import Workspace, is_there, read

NOT_CASES = ("references", "scenarios")
"""Folders below `cases/` that hold what cases use."""


def load_cases(workspace: Workspace) -> dict[str, Case]:
    """Every case of the workspace by id, sorted. Raises UserError for the first file that is wrong."""
    found: dict[str, tuple[str, Case]] = {}
    for relative, path in workspace.files("cases", "*.yaml").items():
        if PurePosixPath(relative).parts[0] in NOT_CASES:
            continue
        shown = f"cases/{relative}"
        case = read(path, Case, shown)
        if case.id != path.stem:
            raise UserError(
                f"id: is {case.id!r}, but the file is called {path.stem!r}",
                where=shown,
                do=f"Call the file {case.id}.yaml, or correct the id.",
            )
        if case.id in found:
            raise UserError(f"the case {case.id!r} is also in {found[case.id][0]}", where=shown, do="Rename one.")
        found[case.id] = (shown, case)
    return {name: found[name][1] for name in sorted(found)}


def select_cases(cases: Mapping[str, Case], patterns: Sequence[str], where: str = "") -> list[Case]:
    """The cases that ids or shell patterns name, in the order named, each once.

    Raises UserError for a pattern that names none, with ids that are near.
    """
    if not cases:
        raise UserError("this workspace has no cases", where="cases/", do="Write one.")
    chosen: dict[str, Case] = {}
    for pattern in patterns:
        names = [name for name in cases if fnmatch.fnmatchcase(name, pattern)]
        if not names:
            raise UserError(f"no case {pattern!r}", where=where, do=near(pattern, cases, "`simsup cases` lists them."))
        chosen |= {name: cases[name] for name in names}
    return list(chosen.values())


def load_reference(workspace: Workspace, case: Case) -> Reference:
    """The response of a case that must pass. Raises UserError if it is missing, wrong, or another case's."""
    shown = f"cases/{case.expect.must_pass.reference}"
    reference = read(workspace.find(shown), Reference, shown)
    if reference.case != case.id:
        raise UserError(f"case: is {reference.case!r}, but {case.id!r} refers to it", where=shown, do="Correct it.")
    return reference


def find_plan(workspace: Workspace, name: str) -> Path:
    """A plan by the path of its file or folder, or by the name of its decision. Raises UserError if there is none."""
    for path in (Path(name), Path(name) / "plan.yaml"):
        if is_there(path) and path.is_file():
            return path
    plans = {
        PurePosixPath(relative).parts[0]: path for relative, path in workspace.files("decisions", "plan.yaml").items()
    }
    if name in plans:
        return plans[name]
    raise UserError(f"no plan {name!r}", do=near(name, plans, f"The plans here: {', '.join(plans) or 'none'}."))


def load_plan(workspace: Workspace, path: Path) -> Plan:
    """The plan in a file. Raises UserError."""
    return read(path, Plan, workspace.show(path.resolve()))


def near(name: str, known: Iterable[str], otherwise: str) -> str:
    """What to do about an unknown name: the names it may have meant, else `otherwise`."""
    matches = difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f"Did you mean {' or '.join(matches)}?" if matches else otherwise
