"""`simsup run`: fly a plan into a run file, or go on with one."""

from __future__ import annotations

import asyncio
import platform
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from evals.budget import Estimate, SpendLedger, estimate
from evals.candidate import Candidate, parse_model
from evals.case import Case
from evals.cases import find_plan, load_cases, load_plan, near, select_cases
from evals.contract import digest
from evals.episode import Episode
from evals.errors import InterruptedRunError, UserError
from evals.grade import Grade
from evals.plan import Plan
from evals.prices import load_prices
from evals.runner import Instrument, Progress, Summary, refuse_changes, run, to_do
from evals.store import RunCase, RunHeader, Store
from evals.workspace import Workspace, load_system

if TYPE_CHECKING:
    from evals.system import OpenWorld, System

Say = Callable[[str], None]
ProgressFor = Callable[[int], AbstractContextManager[Progress]]
"""Shows the progress of this many trials while it is open."""
SOFTWARE = ("simsup", "openai-agents", "openai", "pydantic")
"""Distributions whose versions a run records: what can change an episode or a grade."""


@dataclass(frozen=True)
class Options:
    """How to execute a plan; nothing here changes what an episode is."""

    concurrency: int = 4
    out: Path | None = None
    resume: Path | None = None
    live: bool = False
    limit_usd: float | None = None


@dataclass(frozen=True)
class Flight:
    """A plan made ready: everything is loaded and checked, and nothing has been flown."""

    plan: Plan
    plan_text: str
    header: RunHeader
    cases: list[RunCase]
    system: System
    cost: Estimate


def run_plan(workspace: Workspace, name: str, options: Options, progress: ProgressFor, say: Say) -> tuple[Path, int]:
    """Fly what a plan still lacks. Returns the run file, and 0 if everything was flown and graded, else 1.

    Raises UserError for anything wrong with what was asked, before any trial; InterruptedRunError on Ctrl-C.
    """
    if options.concurrency < 1:
        raise UserError("must be at least 1", where="--concurrency")
    flight = prepare(workspace, name, live=options.live)
    release(flight, options, say)
    if options.concurrency > 1 and _measures(flight.plan):
        say("Thinking is measured here, and trials that run together can slow one another: consider --concurrency 1.")
    with open_run(workspace, flight, options) as store:
        try:
            summary = _fly(workspace, flight, store, options, progress)
        except KeyboardInterrupt:
            again = f"simsup run {name} --resume {workspace.show(store.path)}"
            raise InterruptedRunError(f"interrupted; what had ended is kept. Go on with: {again}") from None
        tell(summary, f"simsup run {name} --resume {workspace.show(store.path)}", say)
        return store.path, 0 if summary.complete else 1


def _measures(plan: Plan) -> bool:
    return any(clock.measures for clock in (plan.clock, *(c.clock for c in plan.candidates)) if clock is not None)


def prepare(workspace: Workspace, name: str, *, live: bool) -> Flight:
    """Load and check a plan and all it names. Raises UserError."""
    from evals.grading import contract_for
    from evals.judge import STAND_IN, load_judge
    from evals.models.resolve import check_model

    path = find_plan(workspace, name)
    plan = load_plan(workspace, path)
    shown = workspace.show(path.resolve())
    system = load_system(workspace)
    cases = select_cases(load_cases(workspace), plan.cases, shown)
    _check_systems(cases, system)
    roles = system.roles()
    for candidate in plan.candidates:
        _check_roles(candidate, list(roles), shown)
        for role in roles:
            check_model(system, candidate.model_for(role))
    _check_clocks(system, plan, cases, shown)
    judge = load_judge(workspace.find("judge.yaml")) if live else STAND_IN
    frozen = [RunCase.of(case, contract_for(case, judge)) for case in cases]
    header = RunHeader(
        plan=plan,
        plan_digest=digest(plan),
        system=system.name,
        judge=judge,
        versions=_versions(system, cases[0]),
        software=software(),
        live=live,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    cost = estimate(plan, cases, list(roles), load_prices(workspace), judge)
    return Flight(plan, path.read_text(encoding="utf-8"), header, frozen, system, cost)


def release(flight: Flight, options: Options, say: Say) -> None:
    """Show what the plan can cost. Raises UserError for paid calls that were not released with a limit."""
    cost = flight.cost
    paid = f"estimated at most {cost.usd:.2f} USD in {cost.calls} paid calls" if cost.calls else "no paid calls"
    say(f"{flight.plan.id}: {cost.episodes} episodes, {paid}.")
    if options.live and options.limit_usd is None:
        enough = max(cost.usd, 0.01)
        raise UserError("--live needs a spending limit", do=f"Add --limit-usd, such as --limit-usd {enough:.2f}.")
    if options.limit_usd is not None and not options.limit_usd > 0:
        raise UserError("must be a number of USD above zero", where="--limit-usd")
    if cost.calls and not options.live:
        raise UserError("paid calls are on hold", do="Release them with --live --limit-usd USD, or choose pilots.")
    if cost.calls:
        from evals.models.live import client

        client()  # a missing key is told before there is a run file


def open_run(workspace: Workspace, flight: Flight, options: Options) -> Store:
    """The run file: a new one, or the one to go on with, unchanged in all that matters. Raises UserError."""
    if options.resume is None:
        path = options.out or next_free(workspace.results, flight.plan.id)
        return Store.create(path, flight.header, flight.plan_text, flight.cases)
    if options.out is not None:
        raise UserError("--out and --resume exclude each other", do="Give one of them.")
    store = Store.open(options.resume, write=True)
    try:
        refuse_changes(store, flight.header, flight.cases)
    except UserError:
        store.close()
        raise
    return store


def next_free(folder: Path, stem: str) -> Path:
    """The first of stem-1.sqlite, stem-2.sqlite, ... that does not exist."""
    number = 1
    while (folder / f"{stem}-{number}.sqlite").exists():
        number += 1
    return folder / f"{stem}-{number}.sqlite"


def tell(summary: Summary, resume: str, say: Say) -> None:
    """Say what did not go as planned: trials that ended in an exception, and a reached limit."""
    for key, error in summary.crashes:
        say(f"CRASHED {key.case} {key.candidate} trial {key.trial}: {type(error).__name__}: {error}")
    if summary.crashes:
        say("".join(traceback.format_exception(summary.crashes[0][1])).rstrip())
        say(f"{len(summary.crashes)} trials ended in an error of SimSup or of a case; nothing is stored for them.")
    if summary.stopped:
        say(f"Stopped at the spending limit: {summary.stopped}.")
    if not summary.complete:
        say(f"{summary.total - summary.done} of {summary.total} trials are left. Go on with: {resume}")


def software() -> dict[str, str]:
    """Versions of what can change a result, by distribution; those that are not installed are left out."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in SOFTWARE:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _fly(workspace: Workspace, flight: Flight, store: Store, options: Options, progress: ProgressFor) -> Summary:
    instrument = _instrument(workspace, flight, store, options)
    with progress(len(to_do(store))) as shown:
        return asyncio.run(run(store, instrument, options.concurrency, shown))


def _instrument(workspace: Workspace, flight: Flight, store: Store, options: Options) -> Instrument:
    """The real thing: trials by the adapters, grades by the contracts, paid models behind the ledger."""
    from evals.adapters.job import Job
    from evals.adapters.trial import run_trial
    from evals.grading import grade
    from evals.harness.sdk import prepare as prepare_sdk
    from evals.judge import live_ask
    from evals.models.resolve import resolver

    prepare_sdk()
    prices = load_prices(workspace)
    judge = flight.header.judge
    live, ask = None, None
    if options.live and options.limit_usd is not None and flight.cost.calls:
        from evals.models.live import live_models

        live = live_models(SpendLedger(options.limit_usd, store), prices.function)
        ask = live_ask(judge, live("judge", parse_model(judge.model)))
    model_for = resolver(flight.system, live)

    async def fly(case: Case, candidate: Candidate, trial: int) -> Episode:
        return await run_trial(
            Job(
                system=flight.system,
                case=case,
                candidate=candidate,
                trial=trial,
                model_for=model_for,
                price=prices.cost,
                software=flight.header.software,
                clock=flight.plan.clock,
            )
        )

    async def grade_by_contract(episode: Episode, case: Case, content: str) -> Grade:
        return await grade(episode, case, judge, ask, episode_digest=content)

    return Instrument(fly, grade_by_contract, time.time)


def _versions(system: System, case: Case) -> dict[str, str]:
    """Digests of the role cards, and of the tools as models see them, in the world of a case."""
    from evals.models.scripted import scripted
    from evals.record import describe_tools
    from evals.system import Binding

    roles = system.roles()
    idle = parse_model("scripted/idle")
    world = _open(system, case)
    team = system.team(world, {role: Binding(scripted(role, []), idle) for role in roles})
    tools = {
        f"tool {name} of {role}": value
        for role, agent in team.agents.items()
        for name, value in describe_tools(agent.tools).items()
    }
    return {**{f"role card {name}": role.digest for name, role in roles.items()}, **tools}


def _check_clocks(system: System, plan: Plan, cases: Sequence[Case], where: str) -> None:
    """Every clock that is to run can: its roles are there, and time can pass in the world."""
    from evals.adapters.trial import check_clock

    stated = [(plan.clock, where), *((c.clock, f"{where}: candidate {c.id}") for c in plan.candidates)]
    stated += [(case.setup.clock, case.id) for case in cases]
    clocks = [(clock, whose) for clock, whose in stated if clock is not None]
    world = _open(system, cases[0]) if clocks else None
    for clock, whose in clocks:
        try:
            check_clock(clock, system.name, cast("OpenWorld", world), system.roles())
        except ValueError as error:
            raise UserError(str(error), where=whose) from None


def _open(system: System, case: Case) -> OpenWorld:
    try:
        return system.open(case.setup.world)
    except ValueError as error:
        raise UserError(f"setup: {error}", where=case.id) from error


def _check_systems(cases: Sequence[Case], system: System) -> None:
    for case in cases:
        if case.system != system.name:
            raise UserError(
                f"system: is {case.system!r}, but this workspace flies {system.name!r}",
                where=case.id,
                do="Correct the case, or leave it out of the plan.",
            )


def _check_roles(candidate: Candidate, roles: Sequence[str], where: str) -> None:
    for role in candidate.roles:
        if role not in roles:
            do = near(role, roles, f"The roles are {', '.join(roles)}.")
            raise UserError(f"candidate {candidate.id} names no role of this system: {role!r}", where=where, do=do)
