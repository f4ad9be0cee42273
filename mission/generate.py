"""New scenarios from shipped ones: drawn by seed, kept if as hard as was asked; and pairs that flip the answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import annotated_types
import yaml
from pydantic.fields import FieldInfo

from mission import incidents
from mission.channel import uniform
from mission.examination import examine
from mission.flight import called, ends, fly_plan
from mission.objectives import evaluate
from mission.oracle import Solution, solve
from mission.world.engine import Scenario

__all__ = ["BANDS", "Drawn", "Pair", "draw", "free", "generate", "pairs", "to_yaml", "write"]

BANDS: Mapping[str, tuple[float, float]] = {
    "easy": (0.20, math.inf),
    "medium": (0.10, 0.20),
    "hard": (0.02, 0.10),
}
"""Smallest relative margin of the best plan, by difficulty; under 0.02 a scenario hangs on the last digit."""
SPREAD = 2.0
"""A number is drawn from its template's value over this to times this, evenly in its logarithm."""
ONSET_H = 3.0
"""An onset moves by up to this many hours, and stays before the call."""
TRIES = 40
"""Draws in a row that are not kept, before giving up."""


@dataclass(frozen=True)
class Drawn:
    scenario: Scenario
    margin: float
    acceptable: int
    plans: int
    draw: int


@dataclass(frozen=True)
class Pair:
    """Two scenarios of one text that differ in one fact; every plan that is right in one is wrong in the other."""

    first: Scenario
    second: Scenario
    fact: str


def generate(
    template: Scenario,
    seed: int,
    count: int,
    band: tuple[float, float],
    progress: Callable[[str], None] | None = None,
) -> Iterator[Drawn]:
    """Scenarios like the template, sound to the linter, in which the best plan's margin lies in `band`, as they are
    found. Equal arguments give equal scenarios, and a larger count those of a smaller one first.

    `progress` is told how far it has come. Raises ValueError once many draws in a row were not kept, and for a template
    without incidents, objectives or levers.
    """
    if not template.incidents:
        raise ValueError(f"scenario {template.id} has no incident to draw")
    kept, last, number, margins = 0, 0, 0, list[float]()
    while kept < count and number - last < TRIES:
        scenario = draw(template, seed, number, kept + 1)
        number += 1
        found = _fits(scenario, band, margins) if scenario is not None else None
        if scenario is not None and found is not None:
            kept, last = kept + 1, number
            yield Drawn(scenario, found.best.outcome.margin, len(found.acceptable), len(found.flown), number - 1)
        if progress is not None:
            progress(f"draw {number}, {kept} of {count} found")
    if kept < count:
        seen = f"; theirs went from {min(margins):.3f} to {max(margins):.3f}" if margins else ""
        raise ValueError(
            f"{number} draws from {template.id} gave {kept} of {count} scenarios with a margin from "
            f"{band[0]:g} to {band[1]:g}{seen}; ask for another difficulty or seed"
        )


def _fits(scenario: Scenario, band: tuple[float, float], margins: list[float]) -> Solution | None:
    """The solution, if doing nothing fails, the best plan meets all with such a margin, and the linter finds nothing.

    A template that says nothing of what it could be mistaken for is not asked to. What the margin was, if there is a
    plan that meets all, is added to `margins`.
    """
    idle = evaluate(fly_plan(scenario, ()), scenario.objectives, called(scenario), ends(scenario))
    if idle.met:
        return None
    solution = solve(scenario)
    if not solution.feasible:
        return None
    margins.append(solution.best.outcome.margin)
    if not band[0] <= margins[-1] < band[1]:
        return None
    asked = scenario.trial.fairness is not None
    findings = [one for one in examine(scenario, solution).findings if asked or one.rule != "fairness"]
    return None if findings else solution


def draw(template: Scenario, seed: int, attempt: int, number: int) -> Scenario | None:
    """One draw, keyed by seed, template and attempt; None if the incident refuses the parameters."""
    planted: list[dict[str, Any]] = []
    for index, one in enumerate(template.incidents):
        identity = (seed, template.id, attempt, index)
        latest = max(template.trial.start_h, one.onset_h)
        onset = one.onset_h + ONSET_H * (2.0 * uniform(*identity, "onset") - 1.0)
        model = incidents.find(one.incident).parameters
        given = model.model_validate(one.parameters).model_dump()
        drawn = {name: _number(model.model_fields[name], value, *identity, name) for name, value in given.items()}
        planted.append(
            {"incident": one.incident, "onset_h": round(min(max(onset, 0.0), latest), 2), "parameters": drawn}
        )
    changes = {"id": f"{template.id}-{seed}-{number}", "incidents": planted}
    try:
        return Scenario.model_validate(template.model_dump() | changes)
    except ValueError:
        return None


def _number(field: FieldInfo, value: Any, *identity: object) -> Any:
    """A number near the template's and within the field's bounds, at three digits; anything else stays."""
    if isinstance(value, bool) or not isinstance(value, float):
        return value
    drawn = value * SPREAD ** (2.0 * uniform(*identity) - 1.0)
    low, high = _bounds(field)
    return float(f"{min(max(drawn, low), high):.3g}")


def _bounds(field: FieldInfo) -> tuple[float, float]:
    low, high = -math.inf, math.inf
    for rule in field.metadata:
        match rule:
            case annotated_types.Ge(ge=bound) | annotated_types.Gt(gt=bound):
                low = float(bound)  # pyright: ignore[reportArgumentType]
            case annotated_types.Le(le=bound) | annotated_types.Lt(lt=bound):
                high = float(bound)  # pyright: ignore[reportArgumentType]
            case _:
                pass
    return low, high


def pairs(template: Scenario, seed: int, count: int, progress: Callable[[str], None] | None = None) -> list[Pair]:
    """Up to `count` pairs that changing one fact of the template makes, the facts tried in an order drawn by the seed.

    The facts are what an incident's parameters can be besides numbers, and the switches of the base at the start.
    Raises ValueError if no fact flips the answer.
    """
    first = _solved(template)
    facts = sorted(_facts(template), key=lambda fact: uniform(seed, template.id, fact[0]))
    found: list[Pair] = []
    for number, (fact, changes) in enumerate(facts if first else (), 1):
        second = _solved(Scenario.model_validate(template.model_dump() | changes))
        if first and second and _fails(first, second[1]) and _fails(second, first[1]):
            names = (f"{template.id}-{seed}-{len(found) + 1}{side}" for side in "ab")
            named = [one[0].model_copy(update={"id": name}) for one, name in zip((first, second), names, strict=True)]
            found.append(Pair(named[0], named[1], fact))
        if progress is not None:
            progress(f"fact {number} of {len(facts)}, {len(found)} of {count} found")
        if len(found) == count:
            break
    if not found:
        raise ValueError(f"no single fact of scenario {template.id} flips what is right")
    return found


def _solved(scenario: Scenario) -> tuple[Scenario, Solution] | None:
    solution = solve(scenario)
    return (scenario, solution) if solution.feasible else None


def _fails(solved: tuple[Scenario, Solution], other: Solution) -> bool:
    """No plan that is acceptable in the other scenario does in this one."""
    scenario = solved[0]
    start, end = called(scenario), ends(scenario)
    tried = (fly_plan(scenario, one.plan) for one in other.acceptable)
    return not any(evaluate(world, scenario.objectives, start, end).met for world in tried)


def _facts(template: Scenario) -> Iterator[tuple[str, dict[str, Any]]]:
    """(what changes, the fields that change) of every single fact."""
    dumped = template.model_dump()
    for index, one in enumerate(template.incidents):
        model = incidents.find(one.incident).parameters
        given = model.model_validate(one.parameters).model_dump()
        for name, field in model.model_fields.items():
            for value in _others(field.annotation, given[name]):
                planted = [dict(entry) for entry in dumped["incidents"]]
                planted[index]["parameters"] = given | {name: value}
                yield f"{one.incident}.{name}: {given[name]} -> {value}", {"incidents": planted}
    for name in ("imv_on", "core_lab_open", "core_airlock_open"):
        yield f"{name}: {dumped[name]} -> {not dumped[name]}", {name: not dumped[name]}


def _others(annotation: Any, value: Any) -> tuple[Any, ...]:
    if annotation is bool:
        return (not value,)
    if get_origin(annotation) is Literal:
        return tuple(choice for choice in get_args(annotation) if choice != value)
    return ()


def to_yaml(scenario: Scenario) -> str:
    """The scenario as a file: what differs from the defaults, in the order of the fields."""
    data = scenario.model_dump(mode="json", exclude_defaults=True)
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)


def free(names: Iterable[str], folder: Path) -> None:
    """Raises ValueError if there is a file of one of these scenarios, or no folder could be made."""
    for path in (folder, *folder.parents):
        if path.exists() and not path.is_dir():
            raise ValueError(f"{path} is a file; name a folder")
    for name in names:
        if (folder / f"{name}.yaml").exists():
            raise ValueError(f"{folder / f'{name}.yaml'} is there already; remove it, or give another seed or folder")


def write(scenarios: Sequence[Scenario], folder: Path) -> list[Path]:
    """Write each scenario to its file. Raises ValueError before anything is written if one of the files is there."""
    free((scenario.id for scenario in scenarios), folder)
    paths = [folder / f"{scenario.id}.yaml" for scenario in scenarios]
    folder.mkdir(parents=True, exist_ok=True)
    for scenario, path in zip(scenarios, paths, strict=True):
        path.write_text(to_yaml(scenario), encoding="utf-8")
    return paths
