"""`simsup replay`: rebuild every episode of a run from its recorded responses and compare digests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from evals.harness.sdk import prepare
from evals.replay import no_network, replay
from evals.store import Store
from evals.workspace import Workspace, load_system


def replay_run(
    workspace: Workspace, run: Path, say: Callable[[str], None], shown: Callable[[int, int], None] | None = None
) -> int:
    """Replay a run file with the network closed. Returns how many episodes came out different.

    `shown` is told how many episodes of how many are done.
    """
    system = load_system(workspace)
    prepare()
    different = 0
    with Store.open(run) as store:
        plan = store.header().plan
        candidates = {candidate.id: candidate for candidate in plan.candidates}
        cases = {item.case.id: item.case for item in store.cases()}
        attempts = store.attempts()

        async def replay_all() -> int:
            wrong = 0
            for done, attempt in enumerate(attempts):
                if shown is not None:
                    shown(done, len(attempts))
                recorded = store.episode(attempt.key)
                case, candidate = cases[recorded.key.case], candidates[recorded.key.candidate]
                again = await replay(system, case, candidate, recorded, plan.clock)
                if again.difference:
                    wrong += 1
                    key = recorded.key
                    say(f"DIFFERS {key.case} {key.candidate} trial {key.trial}: {again.difference}")
            return wrong

        with no_network():
            different = asyncio.run(replay_all())
    say(f"{len(attempts)} episodes replayed, {len(attempts) - different} as recorded, {different} not.")
    return different
