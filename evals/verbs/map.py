"""`simsup map`: draw the team from its real entry points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from evals.candidate import parse_model
from evals.cases import load_cases
from evals.errors import UserError
from evals.report.map import as_mermaid, as_text, team_map
from evals.system import Binding
from evals.workspace import Workspace, load_system


def draw(workspace: Workspace, form: Literal["text", "mermaid"], say: Callable[[str], None]) -> None:
    """Wire the team in a world of the first case, with a model that is never asked, and draw it."""
    from evals.models.scripted import scripted

    system = load_system(workspace)
    cases = load_cases(workspace)
    if not cases:
        raise UserError("this workspace has no case to open a world with", where="cases/", do="Write one.")
    case = next(iter(cases.values()))
    try:
        world = system.open(case.setup.world)
    except ValueError as error:
        raise UserError(f"setup: {error}", where=case.id) from error
    roles = system.roles()
    idle = parse_model("scripted/idle")
    team = system.team(world, {role: Binding(scripted(role, []), idle) for role in roles})
    nodes = team_map(team, roles)
    say(as_text(nodes) if form == "text" else as_mermaid(nodes))
