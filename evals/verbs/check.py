"""`simsup check`: prove every case on a response that must pass and on those that must fail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from evals.cases import load_cases, load_reference, select_cases
from evals.controls import Control, control
from evals.errors import UserError
from evals.harness.sdk import prepare
from evals.judge import STAND_IN
from evals.workspace import Workspace, load_system


def check(workspace: Workspace, patterns: Sequence[str], say: Callable[[str], None]) -> int:
    """Try the controls of the chosen cases (all of them by default). Returns how many do not hold."""
    system = load_system(workspace)
    cases = select_cases(load_cases(workspace), patterns or ["*"])
    prepare()

    async def try_all() -> list[Control]:
        found: list[Control] = []
        for case in cases:
            reference = load_reference(workspace, case)
            try:
                controls = await control(system, case, reference, STAND_IN)
            except ValueError as error:
                raise UserError(str(error), where=case.id) from error
            _tell(case.id, controls, say)
            found += controls
        return found

    controls = asyncio.run(try_all())
    broken = [one for one in controls if one.problem]
    say(f"{len(cases)} cases, {len(controls)} controls: {len(controls) - len(broken)} hold, {len(broken)} do not.")
    say("Judged offline by the stand-in judge (patterns, no model).")
    return len(broken)


def _tell(case: str, controls: list[Control], say: Callable[[str], None]) -> None:
    broken = [one for one in controls if one.problem]
    say(f"{'ok  ' if not broken else 'FAIL'} {case}: {len(controls)} controls")
    untried = sorted({name for one in controls for name in one.untried})
    if untried:
        say(f"     not tried: {', '.join(untried)}. Without stand_in patterns only a live judge can.")
    for one in broken:
        say(f"     {one.tried}: expected that it {one.expected}; {one.problem}")
