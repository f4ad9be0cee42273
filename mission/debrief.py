"""What a flight came to: objectives with margins, the crew, the stores, and whether the books close."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mission.curves import drawn_times
from mission.desk import mission_time
from mission.objectives import Outcome, Result
from mission.story import place
from mission.world.engine import World
from mission.world.gases import GASES
from mission.world.objective import RANKS, Objective
from mission.world.units import HOUR

__all__ = ["books", "crew", "lost_words", "regrets", "results", "stores"]


def results(outcome: Outcome, objectives: Sequence[Objective]) -> Iterator[str]:
    """A table of the objectives, those that were missed first as they are ranked, and a line that sums it up."""
    by_id = {objective.id: objective for objective in objectives}
    rows = [("", "rank", "objective", "value", "limit", "margin", "beyond it")]
    rows += [_row(result, by_id[result.id]) for result in sorted(outcome.results, key=_order)]
    widths = [max(len(row[column]) for row in rows) for column in range(7)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    met = sum(result.met for result in outcome.results)
    lives = f"; {outcome.lost} of the crew LOST" if outcome.lost else ""
    yield f"{met} of {len(outcome.results)} objectives met{lives}; smallest relative margin {outcome.margin:+.1%}"


def _order(result: Result) -> tuple[bool, int]:
    return result.met, RANKS.index(result.rank)


def _row(result: Result, objective: Objective) -> tuple[str, ...]:
    unit = "h" if objective.hours is not None else "" if objective.unit in ("1", "count") else objective.unit
    upper = objective.upper or objective.hours is not None
    late = objective.kind == "deadline" and not result.met
    value = "not in time" if late else f"{result.value:.4g} {unit}".rstrip()
    violated = ""
    if result.first_violation_s is not None:
        violated = f"{result.violated_s / HOUR:.2f} h from {mission_time(result.first_violation_s)}"
    return (
        "met" if result.met else "MISSED",
        result.rank,
        result.id,
        value,
        f"{'<=' if upper else '>='} {result.limit:g} {unit}".rstrip(),
        f"{result.margin:+.4g} ({result.relative:+.1%})",
        violated,
    )


def regrets(lost: Mapping[str, float], best: Sequence[object]) -> Iterator[str]:
    """What was lost against the best plan of the scenario's space: shortfall by rank, and margin."""
    yield f"regret   {lost_words(lost)}"
    yield f"         best plan: {'; '.join(str(step) for step in best) or 'leave it be'}"


def lost_words(lost: Mapping[str, float]) -> str:
    """What was lost, by rank and in margin; negative is what was won."""
    ranks = [f"{rank} {lost[rank]:.3g}" for rank in lost if rank != "margin" and abs(lost[rank]) > 1e-9]
    return f"shortfall: {', '.join(ranks) or 'none'}; smallest relative margin: {lost['margin']:.1%}"


def crew(world: World) -> Iterator[str]:
    """Who is where, who is lost, and what people have been through since the scenario's start."""
    people = world.base.people
    places: dict[str, list[str]] = {}
    for person, state in people.items():
        zone = ("core", "lab", "airlock", "outside")[state.zone]
        where = "LOST" if state.activity == "lost" else place(world, person, zone, world.now)
        places.setdefault(where, []).append(person)
    lost = len(places.get("LOST", ()))
    told = "; ".join(f"{where}: {' '.join(names)}" for where, names in sorted(places.items()))
    yield f"crew     {len(people) - lost} of {len(people)} alive; {told}"
    state = world.state()
    exposures, radiation = state["exposures"], state["radiation"]
    low = exposures["min_pio2_mmhg"]
    worst = max(radiation["dose_mgy"].values(), default=0.0)
    yield (
        f"         breathed in the base: ppCO2 up to {exposures['peak_ppco2_mmhg']:.3g} mmHg, "
        f"PIO2 down to {'-' if low is None else f'{low:.4g}'} mmHg; highest dose {worst:.3g} mGy"
    )

    outside = [*_breathed(world, "rover", "cabin_co2", "crew"), *_breathed(world, "suit", "co2", "metabolic")]
    if outside:
        yield f"         and outside: {'; '.join(outside)}"


def _breathed(world: World, what: str, air: str, sign: str) -> Iterator[str]:
    """The most CO2 in each rover or suit with somebody in it, which the exposures of the zones do not hold."""
    times = drawn_times(world)
    for number in (1, 2):
        manned = [t for t in times if world.truth(f"{what}_{number}.{sign}", t) > 0.0]
        if manned:
            peak = max(world.truth(f"{what}_{number}.{air}", t) for t in manned)
            yield f"{what} {number} ppCO2 up to {peak:.3g} mmHg"


def stores(world: World) -> Iterator[str]:
    """What is left of what was brought along."""
    state = world.state()
    tanks, lioh, power = state["tanks"], state["lioh"], state["power"]
    yield (
        f"stores   N2 {tanks['n2_kg']:.4g} kg, O2 {tanks['o2_kg']:.4g} kg, LiOH cans {lioh['left']}, "
        f"battery {power['soc_percent']:.3g} % of {power['capacity_kwh']:.4g} kWh"
    )


def books(world: World) -> Iterator[str]:
    """By how much mass by gas and energy fail to close, at worst over all events; 1e-9 of the whole is rounding."""
    times = sorted({0.0, world.now, *(float(event["t"]) for event in world.base.events if event["t"] <= world.now)})
    mass = max(abs(world.base.air.tracks[gas].residual(t)) for gas in GASES for t in times)
    energy = max(abs(world.base.power.residual(t)) for t in times)
    verdict = "close" if max(mass, energy) < 1e-9 else "DO NOT CLOSE"
    share = f"mass of {len(GASES)} gases to {mass:.1g}, energy to {energy:.1g}"
    yield f"ledgers  {verdict}: {share} (relative, {len(times)} times)"
