"""What the worlds of a run came to, by whatever measure the system brings: shown beside pass or fail, never graded."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from evals.errors import UserError
from evals.system import Appraise, Wanted
from evals.workspace import MARKER, Workspace, importable, load_attribute

__all__ = ["appraise"]


def appraise(workspace: Workspace, wanted: Wanted) -> list[str]:
    """Lines for people, or none if the system brings no measure. Raises UserError if there is nothing to judge by."""
    if not workspace.appraise:
        return []
    importable(workspace)
    judged = cast(Appraise, load_attribute(workspace.appraise, MARKER, "appraise"))
    try:
        return judged(replace(wanted, folder=workspace.home))
    except ValueError as error:
        raise UserError(str(error).rstrip(".")) from error
