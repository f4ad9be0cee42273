"""Episodes of a run, as far as their worlds go: where the evaluator of the base meets the instrument's run files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.errors import UserError
from evals.grade import Verdict
from evals.store import Store
from evals.system import Wanted
from mission.system import MarsBase, read_scenarios
from mission.world.scenario import Scenario

__all__ = ["Recorded", "Wanted", "read_run", "scenario_of"]


@dataclass(frozen=True)
class Recorded:
    """One stored episode. `setup` is the case's own: scenario, seed, start, horizon; `verdict` is by the run's own
    contract, None while there is no grade."""

    case: str
    scope: str
    candidate: str
    trial: int
    setup: Mapping[str, Any]
    status: str
    verdict: Verdict | None
    state: Mapping[str, Any]
    log: Sequence[Mapping[str, Any]]
    digest: str
    scenario_digest: str = ""
    """Of the scenario's file on the day of the run; empty in runs that do not say."""


def read_run(run: Path) -> Iterator[Recorded]:
    """The episodes of a run, sorted by case, candidate and trial. Raises UserError for what is no run of this base."""
    with Store.open(run) as store:
        system = store.header().system
        if system != MarsBase.name:
            raise UserError(
                f"was flown in system {system!r}, and only worlds of {MarsBase.name!r} can be rebuilt here",
                where=str(run),
                do="Give a run of this workspace's own system.",
            )
        frozen = {item.case.id: item for item in store.cases()}
        for episode in store.episodes():
            key, item = episode.key, frozen[episode.key.case]
            grades = [one for one in store.grades(key) if one.contract_digest == item.contract_digest]
            yield Recorded(
                case=key.case,
                scope=item.case.scope,
                candidate=key.candidate,
                trial=key.trial,
                setup=item.case.setup.world,
                status=episode.status.kind,
                verdict=grades[0].verdict if grades else None,
                state=episode.state,
                log=episode.log,
                digest=episode.world_digest,
                scenario_digest=str(episode.knowledge.evaluator_only.get("scenario_digest", "")),
            )


def scenario_of(folder: Path, name: str) -> Scenario:
    """A scenario of the workspace of a folder, as it is today. Raises ValueError if there is none."""
    try:
        return read_scenarios(folder, [name])[0]
    except UserError as error:
        raise ValueError(str(error)) from error
