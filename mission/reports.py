"""What the crew, the orbiter and the maintenance log say: text made from what its author could observe.

Every report says how its author knows, and which channels have the same sensor behind them: a report that shares a
sensor is no second witness. Reading reports costs nothing and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from documents.words import hint, short
from mission import rules
from mission.channel import gauss
from mission.desk import mission_time
from mission.world import field_words
from mission.world.atmosphere import CORE, ZONES
from mission.world.base import Base
from mission.world.engine import World
from mission.world.gases import LUNG_VAPOUR, inspired_o2
from mission.world.instruments import pressure_rate
from mission.world.substances import PARTICLES
from mission.world.telemetry import TRUTHS
from mission.world.units import DAY, HOUR, MMHG

Source = Literal["crew", "orbital", "maintenance"]
HISS = 0.004
"""m: diameter of a hole that can be heard over the fans."""
EARS = 20.0
"""mmHg/h of pressure change that ears feel."""
HEADACHE, HEADACHE_SD, LEAST = 4.5, 0.8, 3.0
"""mmHg of CO2 over an hour that give a headache: mean of people, their spread, and nobody below. ISS practice: over
4000 to 4500 ppm (3.0 to 3.4 mmHg at sea level), with a wide spread between persons."""
HAZE = rules.number("FR-09", "smoke")
"""1/m: what sets the smoke detector off is seen as haze across a zone, be it smoke or dust."""
STING = 30.0
"""ppm of ammonia that are smelt without doubt (design study, I9); noses differ, so less is not reported."""
HOT_SMELL = 0.1 * HAZE
"""1/m of smoke, ours: overheated insulation is smelt before it is seen. Dust has no smell."""
BREATHLESS = 115.0
"""mmHg of inspired oxygen under which effort is felt."""
COLD, WARM = 18.0, 27.0
"""degC, NASA-STD-3001."""
EARTH_SEES = ("core.pressure", "core.ppo2", "core.ppco2", "battery.soc", "site.tau", "radiation.rate")
"""Channels that go to Earth with a message, and that its answer rests on."""
SURVEY = 6 * HOUR
"""An orbiter looks at the site this often; its optical depth is good to a tenth."""
SURVEY_ERROR = 0.1


class Report(BaseModel):
    """One report. `shares` names the channels with the same sensor; empty for one that stands on its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Source
    author: str
    observed_s: float
    received_s: float
    text: str
    basis: str
    shares: tuple[str, ...] = ()


def reports(world: World, source: str) -> list[Report]:
    """Every report of one source so far, the newest last. Raises ValueError for an unknown source."""
    if source not in get_args(Source):
        raise ValueError(f"no reports from {short(source)}; {hint(source, get_args(Source), cutoff=0.4)}")
    return sorted(_SOURCES[source](world), key=lambda report: report.received_s)


def _crew(world: World) -> Iterator[Report]:
    base, now = world.base, world.now
    awake = [p for p, s in sorted(base.people.items()) if s.activity not in ("sleep", "lost")]
    for zone, name in enumerate(ZONES):
        here = [person for person in awake if base.people[person].zone == zone]
        if not here:
            continue
        bare = [person for person in here if not base.people[person].suited]
        said = [
            f"{', '.join(here)} in the {name}, awake.",
            *_hidden(base, here),
            *_heard(base, zone),
            *_smelt(base, zone, bare),
            *_felt(world, zone, bare),
        ]
        yield Report(
            source="crew", author=here[0], observed_s=now, received_s=now, text=" ".join(said), basis="own senses"
        )
        yield _panel(world, name, here[0])
    for person, said in field_words.words(base):
        yield Report(
            source="crew", author=person, observed_s=now, received_s=now, text=said, basis="own senses, by radio"
        )
    if not awake:
        yield Report(
            source="crew", author="nobody", observed_s=now, received_s=now, text="Nobody is awake.", basis="no answer"
        )


def _hidden(base: Base, people: list[str]) -> Iterator[str]:
    suited = [person for person in people if base.people[person].suited]
    if suited:
        yield f"{', '.join(suited)} of them in a suit."
    inside = [person for person in people if person in base.part("radiation").sheltered]
    if inside:
        yield f"{', '.join(inside)} of them in the shelter."


def _heard(base: Base, zone: int) -> Iterator[str]:
    config = base.air.config
    if zone < 2:
        yield f"The fan in the passage {'can be heard' if config.imv else 'is silent'}."
    if any(o.zone == zone and o.kind == "hole" and o.diameter >= HISS for o in config.openings):
        yield "Something hisses."
    if abs(pressure_rate(zone, base, base.now())) >= EARS:
        yield "Ears pop."
    if zone < 2 and TRUTHS[f"{ZONES[zone]}.smoke"](base, base.now()) >= HAZE:
        yield "The air is hazy."
    if config.walls_wet[zone]:
        yield "The walls are wet."


def _smelt(base: Base, zone: int, people: list[str]) -> Iterator[str]:
    """What those without a mask smell. An oven that bakes a suit's scrubber out smells as hot insulation does."""
    toxics, now = base.part("toxics"), base.now()
    if all(toxics.masks.masked(person) for person in people):
        return
    baking = zone == CORE and any(task.command == "service_suit" for task in base.tasks)
    if baking or PARTICLES["smoke"] * toxics.density("smoke", zone, now) >= HOT_SMELL:
        yield "There is a hot smell."
    if toxics.ppm("nh3", zone, now) >= STING:
        yield "There is a sharp smell of ammonia."


def _hurt(base: Base, people: list[str], zone: int) -> Iterator[str]:
    """What toxic gases have done to people, as it shows, and who does not answer."""
    gases = {e["person"]: e["gas"] for e in base.events if e["kind"] == "harm"}
    for gas, text in (
        ("nh3", "eyes burn and they cough"),
        ("hcl", "eyes burn and they cough"),
        ("co", "dizzy"),
        ("hcn", "dizzy"),
    ):
        hurt = [person for person in people if gases.get(person) == gas]
        if hurt:
            yield f"{', '.join(hurt)}: {text}."
    silent = [p for p, s in sorted(base.people.items()) if s.zone == zone and s.activity == "lost"]
    if silent:
        yield f"{', '.join(silent)} do not answer."


def _felt(world: World, zone: int, people: list[str]) -> Iterator[str]:
    base, now = world.base, world.now
    yield from _hurt(base, people, zone)
    celsius = TRUTHS[f"{ZONES[zone]}.temperature"](base, now)
    if people and not COLD <= celsius <= WARM:
        yield f"It is {'cold' if celsius < COLD else 'warm'}."
    aching = [person for person in people if _co2_of(base, person, zone) >= _bears(world.seed, person)]
    if aching:
        yield f"{', '.join(aching)}: headache."
    pressure, o2 = base.air.pressure(zone, now), base.air.partial_pressure("o2", zone, now)
    if people and inspired_o2(pressure, o2, LUNG_VAPOUR * MMHG) / MMHG < BREATHLESS:
        yield "Out of breath after any effort."


def _co2_of(base: Base, person: str, zone: int) -> float:
    """mmHg that somebody has breathed over the last hour; in the shelter, what is there now."""
    radiation = base.part("radiation")
    return radiation.ppco2(base.now()) if person in radiation.sheltered else base.monitor.hour_mean(zone, base.now())


def _bears(seed: int, person: str) -> float:
    return max(LEAST, HEADACHE + HEADACHE_SD * gauss(seed, "headache", person))


def _panel(world: World, zone: str, author: str) -> Report:
    channels = tuple(f"{zone}.{name}" for name in ("pressure", "ppo2", "ppco2"))
    readings = [world.read(channel) for channel in channels]
    shown = "; ".join(f"{r.channel} {'no value' if r.value is None else f'{r.value:g} {r.unit}'}" for r in readings)
    return Report(
        source="crew", author=author, observed_s=min(r.t_s for r in readings), received_s=world.now,
        text=f"The panel in the {zone} shows {shown}.", basis="a panel that shows the base's own sensors",
        shares=channels,
    )  # fmt: skip


def _orbital(world: World) -> Iterator[Report]:
    base, number = world.base, int(world.now // SURVEY)
    seen = number * SURVEY
    tau = TRUTHS["site.tau"](base, seen) * (1.0 + SURVEY_ERROR * gauss(world.seed, "orbital survey", number))
    yield Report(
        source="orbital", author="orbiter", observed_s=seen, received_s=seen,
        text=f"Dust over the site at {mission_time(seen)}: optical depth {tau:.2f} from above.",
        basis="the orbiter's own imager",
    )  # fmt: skip
    for alert in base.part("radiation").alerts:
        flare = mission_time(alert.sent)
        if alert.arrives <= world.now:
            text = (
                f"Proton alert: X-ray flare at {flare}. Particles can arrive 30 to 90 min after a flare. About one "
                "such alert in four is followed by nothing."
            )
            yield _from_earth(alert.sent, alert.arrives, text)
        if alert.ends <= world.now:
            light = alert.arrives - alert.sent
            yield _from_earth(alert.ends - light, alert.ends, f"The proton alert of {flare} is over.")
    yield from _answers(world)


def _answers(world: World) -> Iterator[Report]:
    """What Earth says to a message: what it saw in the telemetry that went with it, as old as that is."""
    for message in world.base.part("comms").answered(world.now):
        seen = [world.read(channel, message.written_s) for channel in EARTH_SEES]
        shown = "; ".join(f"{r.channel} {'no value' if r.value is None else f'{r.value:g} {r.unit}'}" for r in seen)
        written = mission_time(message.written_s)
        yield Report(
            source="orbital", author="Earth", observed_s=message.written_s, received_s=message.reply_s or world.now,
            text=f"Answer to message {message.number}: at {written} you had {shown}. What came later we do not know.",
            basis=f"the base's own telemetry of {written}", shares=EARTH_SEES,
        )  # fmt: skip


def _from_earth(sent: float, received: float, text: str) -> Report:
    basis = "solar observatories, by way of Earth"
    return Report(
        source="orbital", author="Earth", observed_s=sent, received_s=received, text=text, basis=basis,
        shares=("radiation.alert",),
    )  # fmt: skip


def _maintenance(world: World) -> Iterator[Report]:
    for entry in world.scenario.instruments.history:
        t = -entry.days_ago * DAY
        yield _logged(t, f"{entry.days_ago:g} days before: {entry.text}", "the maintenance log")
    for event in world.log():
        if event["kind"] == "completed":
            where = ", ".join(str(value) for value in event["parameters"].values())
            text = f"{mission_time(event['t'])} {event['command']}{f' ({where})' if where else ''}: {event['result']}."
            yield _logged(event["t"], text, "who did the work")
    left = world.scenario.design.lioh_cans - len(world.base.cans_opened)
    yield _logged(world.now, f"LiOH cans in the rack: {left}.", "counted by hand")


def _logged(t: float, text: str, basis: str) -> Report:
    return Report(source="maintenance", author="maintenance log", observed_s=t, received_s=t, text=text, basis=basis)


_SOURCES: dict[str, Callable[[World], Iterator[Report]]] = {
    "crew": _crew,
    "orbital": _orbital,
    "maintenance": _maintenance,
}
