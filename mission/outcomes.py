"""`simsup outcomes`: what the worlds of a run came to, as a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from documents.words import hint, short
from mission.debrief import lost_words, results
from mission.desk import mission_time
from mission.judged import Evaluator, Judged
from mission.looking import writable
from mission.objectives import Result
from mission.recorded import Recorded, Wanted, read_run
from mission.world.objective import Objective
from mission.world.units import HOUR

__all__ = ["Wish", "appraise", "document", "judge", "lines"]

HEAD = ("candidate", "case", "trial", "graded", "met", "worst missed", "margin", "violated (sum)", "judged")


@dataclass(frozen=True)
class Wish:
    """What is asked of a run, as the verb's options are; without a case or a candidate all of them are meant."""

    run: Path
    case: str | None = None
    candidate: str | None = None
    regret: bool = False
    out: Path | None = None
    trial: int | None = None


def appraise(wanted: Wanted) -> list[str]:
    """What `simsup show` and `simsup decide` say of a run's worlds beside pass or fail, as `simsup outcomes` does.

    Raises ValueError and UserError.
    """
    wish = Wish(wanted.run, wanted.case, wanted.candidate, wanted.regret, trial=wanted.trial)
    return [line for line in lines(judge(wanted.folder, wish), wish) if line]


def judge(folder: Path, wish: Wish, progress: Callable[[int, int], None] | None = None) -> list[Judged]:
    """Judge what is asked for of a run. `folder` is in the workspace whose scenarios it was flown in; `progress` is
    told how many episodes of how many are done.

    Raises ValueError, before anything is flown, for a file that cannot be written and for what the run does not have,
    and UserError for what is no run.
    """
    if wish.out is not None:
        writable(wish.out)
    recorded = list(read_run(wish.run))
    for what, name, known in (
        ("case", wish.case, {one.case for one in recorded}),
        ("candidate", wish.candidate, {one.candidate for one in recorded}),
    ):
        if name is not None and name not in known:
            there = hint(name, sorted(known)) if known else "it has no episodes yet"
            raise ValueError(f"{wish.run}: no {what} {short(name)} in this run; {there}")
    evaluator = Evaluator(folder, wish.regret)
    wanted = [one for one in recorded if _meant(one, wish)]
    found: list[Judged] = []
    for one in wanted:
        if progress is not None:
            progress(len(found), len(wanted))
        found.append(evaluator.judge(one))
    return found


def _meant(one: Recorded, wish: Wish) -> bool:
    asked = ((wish.case, one.case), (wish.candidate, one.candidate), (wish.trial, one.trial))
    return all(wished in (None, own) for wished, own in asked)


def lines(found: Sequence[Judged], wish: Wish) -> Iterator[str]:
    """What came of them, line by line: the table, every objective where one case of one candidate was asked for, what
    to keep in mind, and what could not be had. Writes the JSON file. Raises OSError."""
    yield from _table([one for one in found if one.outcome], regret=wish.regret)
    if wish.case and wish.candidate:
        for one in found:
            yield from _objectives(one)
    yield from _counted(found)
    yield from (f"NO FIGURES {_name(one)}: {one.broken}" for one in found if one.broken)
    if not found:
        yield "The run holds no such episode yet."
    if wish.out is not None:
        text = json.dumps(document(wish.run.name, found), indent=2, allow_nan=False)
        wish.out.write_text(text + "\n", encoding="utf-8")
        yield f"wrote {wish.out}: {len(found)} episodes"


def _objectives(one: Judged) -> Iterator[str]:
    if one.outcome and one.scenario:
        yield f"\n{_name(one)}"
        yield from results(one.outcome, one.scenario.objectives)
        yield ""


def _name(one: Judged) -> str:
    key = one.recorded
    return f"{key.case} {key.candidate} trial {key.trial}"


def _table(judged: Sequence[Judged], *, regret: bool) -> Iterator[str]:
    if not judged:
        return
    rows = [HEAD + (("regret",) if regret else ())]
    rows += [_row(one) + ((_regret(one),) if regret else ()) for one in judged]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _row(one: Judged) -> tuple[str, ...]:
    key, outcome = one.recorded, one.outcome
    if outcome is None:
        raise ValueError("an episode without an outcome has no row")
    return (
        key.candidate,
        key.case,
        str(key.trial),
        key.verdict or "-",
        f"{one.met} of {len(outcome.results)}",
        one.worst_missed or "-",
        f"{outcome.margin:+.1%}",
        f"{one.violated_s / HOUR:.2f} h",
        f"{mission_time(one.start)} to {mission_time(one.end)}",
    )


def _regret(one: Judged) -> str:
    return lost_words(one.against.lost) if one.against else "not comparable"


def _counted(found: Sequence[Judged]) -> Iterator[str]:
    """What holds for several episodes, each said once, with the candidates that it holds for."""
    yield from _said(found, lambda one: [f"Note: {note}" for note in one.notes])
    yield from _said(found, lambda one: [f"No regret: {one.incomparable}"] if one.incomparable else [])
    yield from _said(found, lambda one: [f"Best plan: {_plan(one)}"] if one.against else [])
    yield from _said(found, lambda one: [f"Not judged: {one.nothing}"] if one.nothing else [])


def _said(found: Sequence[Judged], words: Callable[[Judged], Sequence[str]]) -> Iterator[str]:
    groups: dict[str, dict[str, list[str]]] = {}
    for one in found:
        for line in words(one):
            who = groups.setdefault(line, {}).setdefault(one.recorded.case, [])
            if one.recorded.candidate not in who:
                who.append(one.recorded.candidate)
    for line, cases in groups.items():
        told = "; ".join(f"{case}: {', '.join(who)}" for case, who in cases.items())
        yield f"{line} ({told})"


def _plan(one: Judged) -> str:
    steps = one.against.best.plan if one.against else ()
    return "; ".join(str(step) for step in steps) or "to leave it be"


def document(run: str, found: Sequence[Judged]) -> dict[str, Any]:
    """All of it as JSON; times in simulated seconds, margins in each objective's own unit and relative."""
    return {"run": run, "episodes": [_episode(one) for one in found]}


def _episode(one: Judged) -> dict[str, Any]:
    key, scenario, outcome, against = one.recorded, one.scenario, one.outcome, one.against
    by_id = {objective.id: objective for objective in scenario.objectives} if scenario else {}
    return {
        "case": key.case,
        "scope": key.scope,
        "candidate": key.candidate,
        "trial": key.trial,
        "status": key.status,
        "graded": key.verdict,
        "scenario": scenario.id if scenario else key.setup.get("scenario"),
        "scenario_digest": one.scenario_digest,
        "world_digest": key.digest,
        "judged_from_s": one.start if outcome else None,
        "judged_to_s": one.end if outcome else None,
        "watch_ends_s": one.watch_ends if scenario else None,
        "no_figures": one.broken or one.nothing or None,
        "notes": list(one.notes),
        "objectives_met": one.met if outcome else None,
        "crew_lost": outcome.lost if outcome else None,
        "objectives": [_objective(result, by_id[result.id], one) for result in outcome.results] if outcome else [],
        "worst_rank_missed": one.worst_missed,
        "smallest_relative_margin": outcome.margin if outcome else None,
        "violated_s": one.violated_s if outcome else None,
        "regret": dict(against.lost) if against else None,
        "not_comparable": one.incomparable or None,
        "best_plan": [str(step) for step in against.best.plan] if against else None,
        "best_margin": against.best.outcome.margin if against else None,
    }


def _objective(result: Result, objective: Objective, one: Judged) -> dict[str, Any]:
    """A result as JSON. A deadline that never came has no value, and its margin is that of the end of the time."""
    never = objective.kind == "deadline" and result.value * HOUR > one.end - one.start
    limit: Mapping[str, Any] = {
        "unit": "h" if objective.hours is not None else objective.unit,
        "of": objective.of,
        "kind": objective.kind,
        "side": "at_most" if objective.upper or objective.hours is not None else "at_least",
    }
    return {**asdict(result), **limit, "value": None if never else result.value}
