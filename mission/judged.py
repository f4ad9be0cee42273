"""What an episode's world came to by its scenario's objectives, and against the best that could have been done.

Judged is the time from where the case opens the world to where the episode left it. The best plan is searched for the
same time, so that like is held to like whether or not a case's watch is the scenario's own trial.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from mission.desk import mission_time
from mission.flight import called, ends
from mission.objectives import Outcome, evaluate, regret
from mission.oracle import Flown, solve
from mission.rebuild import rebuild
from mission.recorded import Recorded, scenario_of
from mission.system import watch
from mission.world.engine import Scenario
from mission.world.objective import RANKS, Rank
from mission.world.report import scenario_digest
from mission.world.units import HOUR, nearest

__all__ = ["Against", "Evaluator", "Judged"]


@dataclass(frozen=True)
class Against:
    """An outcome held to the best one of the scenario's levers: what was lost by rank and in margin."""

    lost: Mapping[str, float]
    best: Flown


@dataclass(frozen=True)
class Judged:
    """One episode's outcome. `broken` says why a recorded world could not be had again, `nothing` why there is nothing
    to judge, `incomparable` why there is no regret though it was asked for; `notes` what to keep in mind."""

    recorded: Recorded
    scenario: Scenario | None = None
    start: float = 0.0
    end: float = 0.0
    watch_ends: float = 0.0
    outcome: Outcome | None = None
    against: Against | None = None
    broken: str = ""
    nothing: str = ""
    incomparable: str = ""
    notes: tuple[str, ...] = ()

    @property
    def met(self) -> int:
        return sum(result.met for result in self.outcome.results) if self.outcome else 0

    @property
    def worst_missed(self) -> Rank | None:
        """The first of the ranks in which an objective was missed, or somebody lost."""
        missed = {rank for rank in RANKS if self.outcome and self.outcome.shortfall(rank) > 0.0}
        return next((rank for rank in RANKS if rank in missed), None)

    @property
    def violated_s(self) -> float:
        """Seconds on the wrong side, summed over the objectives; two at one time count twice."""
        return sum(result.violated_s for result in self.outcome.results) if self.outcome else 0.0

    @property
    def scenario_digest(self) -> str | None:
        """Of the scenario as it is today, its objectives included, which the world's own digest does not hold."""
        return None if self.scenario is None else scenario_digest(self.scenario)


@dataclass
class Evaluator:
    """Judges the episodes of a run; scenarios are read and solved once. `folder` is in the workspace."""

    folder: Path
    regret: bool = False
    _scenarios: dict[str, Scenario] = field(default_factory=dict[str, Scenario])
    _best: dict[tuple[str, float, float], Flown] = field(default_factory=dict[tuple[str, float, float], Flown])

    def judge(self, recorded: Recorded) -> Judged:
        """Rebuild an episode's world and judge it; what stands against that is said in the result."""
        blank = Judged(recorded)
        try:
            scenario = self._scenario(str(recorded.setup.get("scenario", "")))
            start, watch_ends = (nearest(t) for t in watch(recorded.setup))
            blank = replace(blank, scenario=scenario, start=start, watch_ends=watch_ends)
            if not scenario.objectives:
                return replace(blank, nothing=f"scenario {scenario.id} has no objectives")
            world = rebuild(scenario, recorded.state, recorded.log, recorded.digest)
            blank = replace(blank, end=world.now)
            if world.now <= start:
                return replace(blank, nothing=f"the world was left as it was opened, at {mission_time(start)}")
            outcome = evaluate(world, scenario.objectives, start, world.now)
        except ValueError as error:
            return replace(blank, broken=str(error).rstrip("."))
        judged = replace(blank, outcome=outcome, notes=tuple(_notes(scenario, blank)))
        return self._compared(judged, scenario, outcome) if self.regret else judged

    def _scenario(self, name: str) -> Scenario:
        if name not in self._scenarios:
            self._scenarios[name] = scenario_of(self.folder, name)
        return self._scenarios[name]

    def _compared(self, judged: Judged, scenario: Scenario, outcome: Outcome) -> Judged:
        if judged.end not in (judged.watch_ends, ends(scenario)):
            why = f"it ended at {mission_time(judged.end)}, and its watch at {mission_time(judged.watch_ends)}"
            return replace(judged, incomparable=why)
        if not scenario.trial.levers:
            return replace(judged, incomparable=f"scenario {scenario.id} has no levers to make a best plan of")
        best = self._solved(scenario, judged.start, judged.end)
        return replace(judged, against=Against(regret(outcome, best.outcome), best))

    def _solved(self, scenario: Scenario, start: float, end: float) -> Flown:
        """The best plan of one who is called at `start` and judged at `end` s."""
        key = (scenario.id, start, end)
        if key not in self._best:
            trial = scenario.trial.model_copy(update={"start_h": start / HOUR, "end_h": end / HOUR})
            self._best[key] = solve(scenario.model_copy(update={"trial": trial})).best
        return self._best[key]


def _notes(scenario: Scenario, judged: Judged) -> Iterator[str]:
    """Where the scenario is not the one that was flown, and where the time that was judged is not the one that its
    objectives were written for, or ends early."""
    flown = judged.recorded.scenario_digest
    if flown and flown != judged.scenario_digest:
        yield f"scenario {scenario.id} has changed since the run: these are its objectives of today"
    own = (called(scenario), ends(scenario))
    if (judged.start, judged.end) != own:
        yield (
            f"judged from {mission_time(judged.start)} to {mission_time(judged.end)}, and the objectives of "
            f"{scenario.id} are meant for {mission_time(own[0])} to {mission_time(own[1])}"
        )
    if judged.end < judged.watch_ends:
        yield f"flown to {mission_time(judged.end)} of a watch to {mission_time(judged.watch_ends)}"
