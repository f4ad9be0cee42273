"""The Mars base as a System: the one module where it meets the instrument."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from documents.words import short
from evals.cases import near
from evals.episode import Knowledge
from evals.errors import UserError
from evals.system import Authorize, Binding, Emit, Observation, OpenWorld, Role, RunAgent, Team
from evals.workspace import Workspace, find_workspace
from mission import sensors
from mission.cards import RoleCard, consult_name, load_cards
from mission.desk import Assessment, Desk
from mission.report import MissionPlan

if TYPE_CHECKING:
    from agents import Model

    from mission.world.engine import World
    from mission.world.scenario import Scenario

WATCH = 24 * 3600.0
"""How long a watch lasts by default, in simulated seconds."""
LONGEST_H = 20_000.0
"""A Mars year and more; the same as of scenario files, which are not loaded for this."""
_DURATION = re.compile(r"^PT(?:(?P<h>\d+(?:\.\d+)?)H)?(?:(?P<m>\d+(?:\.\d+)?)M)?$")


class MarsWorld:
    """A Mars base opened for one trial; `horizon` is where its watch ends, in simulated seconds."""

    def __init__(self, world: World, horizon: float) -> None:
        self.world = world
        self.horizon = horizon

    def now(self) -> float:
        return self.world.now

    def think(self, seconds: float) -> float:
        """Let the base go on while somebody thinks, till the watch ends; gives the seconds that passed."""
        before = self.world.now
        if before + seconds <= self.horizon:
            self.world.advance(before + seconds)
            return seconds
        self.world.advance(max(before, self.horizon))
        return self.world.now - before

    def observe(self) -> Observation:
        state = self.world.state()
        return Observation(state, self.world.log(), self.world.digest(state))

    def knowledge(self) -> Knowledge:
        from mission.world.report import scenario_digest

        scenario = self.world.scenario
        return Knowledge(
            retrievable={"channels": [channel.name for channel in sensors.channels()]},
            evaluator_only={
                "scenario": scenario.id,
                "scenario_digest": scenario_digest(scenario),
                "incidents": [incident.model_dump(mode="json") for incident in scenario.incidents],
            },
        )


class MarsBase:
    """The built-in system."""

    name = "mars"

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        try:
            self._cards = load_cards(workspace.files("agents", "*.md").values())
        except ValueError as error:
            raise UserError(str(error)) from error

    @property
    def cards(self) -> Mapping[str, RoleCard]:
        return self._cards

    def roles(self) -> Mapping[str, Role]:
        return {role: _role(card) for role, card in self._cards.items()}

    def open(self, setup: Mapping[str, Any]) -> MarsWorld:
        """A fresh world at the start of a trial; what led there is flown once in a process, and copied."""
        unknown = set(setup) - {"scenario", "seed", "start", "horizon"}
        if unknown or "scenario" not in setup:
            raise ValueError(f"setup takes scenario, seed, start, horizon; got {', '.join(sorted(setup)) or 'nothing'}")
        seed = setup.get("seed", 0)
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise ValueError(f"seed must be a whole number, not {short(seed)}")  # noqa: TRY004 - a file is at fault
        path = self._scenario(str(setup["scenario"]))
        start, horizon = watch(setup)
        world = _flown(path, start).fork(seed)
        return MarsWorld(world, horizon)

    def _scenario(self, name: str) -> Path:
        known = {path.stem: path for path in self._workspace.files("cases/scenarios", "*.yaml").values()}
        if name not in known:
            raise ValueError(f"there is no scenario {name!r}; there are {', '.join(sorted(known))}")
        return known[name]

    def team(self, world: OpenWorld, bindings: Mapping[str, Binding]) -> Team:
        from mission.crew import Seat, build_crew
        from mission.workflow import Authorization, Flight, fly

        if not isinstance(world, MarsWorld):
            raise TypeError("the Mars crew works in a Mars world")
        seats = {role: Seat(binding.model, binding.ref.effort) for role, binding in bindings.items()}
        crew = build_crew(world.world, self._cards, seats)

        async def whole(task: str, run: RunAgent, authorize: Authorize, emit: Emit) -> Any:
            async def ask(plan: MissionPlan, digest: str) -> Authorization:
                word = await authorize(plan.model_dump(mode="json"), digest)
                return Authorization(word.decision, word.digest, word.after_s)  # type: ignore[arg-type]

            return await fly(Flight(crew, world.horizon, run, ask, emit), task)

        return Team(agents=crew.agents, coordinator=crew.coordinator, consult_tools=crew.consult_tools, fly=whole)

    def pilot(self, name: str, role: str) -> Model:
        from mission.pilots import pilot

        return pilot(name, role)

    def pilots(self) -> list[str]:
        from mission.pilots.names import NAMES

        return list(NAMES)


def open_desk(folder: Path, scenario: str, role: str, seed: int, start: str) -> tuple[Desk, RoleCard]:
    """A role's desk in a scenario of the workspace of a folder. Raises UserError."""
    base = MarsBase(find_workspace(folder))
    if role not in base.cards:
        raise UserError(f"there is no role {role!r}", where="--role", do=f"Roles are {', '.join(base.cards)}")
    try:
        opened = base.open({"scenario": scenario, "seed": seed, "start": start})
    except ValueError as error:
        raise UserError(str(error)) from error
    return Desk(opened.world, role, Assessment()), base.cards[role]


@lru_cache(maxsize=64)
def _flown(path: Path, start: float) -> World:
    """A scenario's world at `start` s, uncommanded: nobody works in it, forks of it are opened."""
    from mission.world.engine import World, load_scenario

    world = World(load_scenario(path), 0)
    world.advance(start)
    return world


def watch(setup: Mapping[str, Any]) -> tuple[float, float]:
    """From when to when a setup's watch lasts, in simulated seconds; one that nobody set an end to ends with the first
    day, or a day after a later start. Raises ValueError for times that make no sense."""
    start = seconds(str(setup.get("start", "PT0H")))
    if "horizon" not in setup:
        return start, WATCH if start < WATCH else start + WATCH
    horizon = seconds(str(setup["horizon"]))
    if horizon <= start:
        raise ValueError(f"horizon {setup['horizon']} is not after start {setup.get('start', 'PT0H')}")
    return start, horizon


def seconds(duration: str) -> float:
    """Seconds of an ISO 8601 duration of hours and minutes, such as PT1H30M. Raises ValueError for any other."""
    match = _DURATION.match(duration)
    if match is None or duration == "PT":
        raise ValueError(f"{duration!r} is not a duration such as PT6H or PT1H30M")
    found = 3600 * float(match["h"] or 0) + 60 * float(match["m"] or 0)
    if found > LONGEST_H * 3600:
        raise ValueError(f"{duration!r} is longer than the {LONGEST_H:g} h that a flight may take")
    return found


def _role(card: RoleCard) -> Role:
    return Role(
        name=card.role,
        kind=card.kind,
        tools=[*card.tools, *(consult_name(role) for role in card.consults)],
        consults=card.consults,
        output=card.output,
        turns=card.limits.turns,
        tool_calls=card.limits.tool_calls,
        seconds=card.limits.seconds,
        default_model=f"{card.model}@{card.effort}",
        digest=card.digest,
    )


def read_scenarios(folder: Path, names: Sequence[str] = ()) -> list[Scenario]:
    """Scenarios of the workspace of a folder, by name; all of them if none is named. Raises UserError."""
    from mission.world.scenario import load_scenario

    files = find_workspace(folder).files("cases/scenarios", "*.yaml").values()
    known = {path.stem: path for path in files}
    unknown = [name for name in names if name not in known]
    if unknown:
        there = f"There are {', '.join(sorted(known))}."
        raise UserError(f"there is no scenario {unknown[0]!r}", do=near(unknown[0], sorted(known), there))
    try:
        return [load_scenario(known[name]) for name in names or sorted(known)]
    except ValueError as error:
        raise UserError(str(error)) from error
