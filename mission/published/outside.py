"""Checks 14 to 19: suits, heat, rovers, radiation, and time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, cast

from mission.published.check import Check, Figure, above, at_most, near, within
from mission.published.flights import AWAKE, crew, flown
from mission.world import dose, marstime, suit, weather
from mission.world.engine import World
from mission.world.eva import Eva
from mission.world.suit import BTU_H
from mission.world.units import DAY, HOUR, MINUTE
from mission.world.weather import SOL

MOMENTS = {
    "2000": datetime(2000, 1, 6, tzinfo=UTC),
    "Spirit": datetime(2004, 1, 3, 13, 46, 31, tzinfo=UTC),
    "Curiosity": datetime(2012, 8, 6, 5, 17, 57, tzinfo=UTC),
}


def _at_work(btu_h: float, hours: float) -> World:
    """One person in a fresh suit, working at so many Btu/h from the start on."""
    outside = {"people": ["CM1"], "task": "radiator", "work_h": 7.0, "since_h": 0.0}
    world = flown(eva={"outside": outside})
    cast("Eva", world.base.part("eva")).work_hard("1", btu_h * BTU_H)
    world.advance(hours * HOUR)
    return world


@cache
def _lasts(btu_h: float) -> float:
    """Hours of primary oxygen at this work, by what the first hour uses."""
    world = _at_work(btu_h, 1.0)
    start = world.truth("suit_1.o2", 0.0)
    return start / (start - world.truth("suit_1.o2", HOUR))


def _emu() -> Mapping[str, float]:
    return {f"{btu:g} Btu/h": _lasts(btu) for btu in (1000.0, 850.0)}


def _apollo() -> Mapping[str, float]:
    hours = [_lasts(btu) for btu in (930.0, 1200.0, 1600.0)]
    ratios = [8.0 * lasts / hours[0] for lasts in hours[1:]]
    shortest = min(hours[0] - hours[1], hours[1] - hours[2])
    return {"1200 Btu/h": ratios[0], "1600 Btu/h": ratios[1], "shortest step of the order": shortest}


def _both_loops_lost() -> Mapping[str, float]:
    air = {"ppco2_mmhg": 2.7, "temperature_c": 22.0, "humidity_percent": 43.0}
    planted = [{"incident": "pump_trip", "onset_h": 0.0, "parameters": {"both_loops": True}}]
    zones = dict.fromkeys(("core", "lab", "airlock"), air)
    world = flown(3.0, zones=zones, sleep=AWAKE, thermal={"sink_swing_k": 0.0}, incidents=planted)
    marks = [e for e in world.log() if e["kind"] == "thermal" and e.get("mark_c") == 32.2 and e["zone"] == "core"]
    return {"to 90 F": marks[0]["t"] / HOUR}


def _moving_speed() -> float:
    """km/h over open ground: rover 1 drives home from the ridge."""
    start = {"at": "ridge", "people": ["CM1", "CM2"], "driving_to": "base"}
    world = flown(2.0, rover={"rovers": [start, {}]})
    arrived = next(e["t"] for e in world.log() if e["kind"] == "rover" and e["what"] == "arrived")
    return world.truth("rover_1.distance", 0.0) / (arrived / HOUR)


def _reach(hours: float) -> float:
    """km that can be walked back after so much work at 1000 Btu/h."""
    world = _at_work(1000.0, hours)
    return suit.reach(cast("Eva", world.base.part("eva")).suit(0, world.now), world.now) / 1000.0


def _traverses() -> Mapping[str, float]:
    walk = {f"way back on foot after {hours:g} h": _reach(hours) for hours in (2.0, 3.0)}
    return {"moving speed": _moving_speed()} | walk


def _cosmic_rays() -> Mapping[str, float]:
    world = flown(180 * SOL / HOUR, crew=crew(1))
    received = world.state()["radiation"]["dose_msv"]["CM1"]
    return {"dose of 180 sols": received, "dose against RAD's": received}


def _event(hours: float, **parameters: Any) -> World:
    planted = [{"incident": "solar_particles", "onset_h": 0.0, "parameters": parameters}]
    return flown(hours, incidents=planted)


def _solar_events() -> Mapping[str, float]:
    may = _event(120.0)
    received = may.state()["radiation"]["dose_mgy"]["CM1"] - dose.GCR_MGY_DAY * may.now / DAY
    september = _event(72.0, dose_mgy=0.33, rise_h=3.0, decay_h=20.0)
    rates = [september.truth("radiation.rate", 180.0 * n) / 1000.0 / dose.BACKGROUND for n in range(1440)]
    above = 0.05 * sum(rate >= 2.0 for rate in rates)
    return {"dose of May 2024": received, "peak of September 2017": max(rates), "hours at twice and more": above}


def _light() -> Mapping[str, float]:
    near_by, far = (flown(comms={"earth_au": au}).truth("comms.light_time") * MINUTE for au in (0.37, 2.67))
    return {"light time, 0.37 AU": near_by, "light time, 2.67 AU": far}


def _sols() -> Mapping[str, float]:
    """Lengths by the published series: a mean sol, and ten years between equal Ls."""
    start = marstime.days_since_j2000(MOMENTS["2000"])
    sol = DAY / (marstime.sol_date(start + 1.0) - marstime.sol_date(start))
    ten = start + 6868.0

    def past(days: float) -> float:
        return (marstime.solar_longitude(days) - marstime.solar_longitude(start) + 180.0) % 360.0 - 180.0

    low, high = ten, ten + 4.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if past(middle) >= 0.0 else (middle, high)
    return {"sol": sol, "year": (high - start) * DAY / sol / 10.0, "sol of the world": SOL}


def _mars24() -> Mapping[str, float]:
    days = {name: marstime.days_since_j2000(moment) for name, moment in MOMENTS.items()}
    ls = {f"Ls, {name}": marstime.solar_longitude(day) for name, day in days.items()}
    clock = {
        "time at 0 E, 2000": marstime.coordinated_time(days["2000"]),
        "true time, Spirit": (marstime.local_true_time(days["Spirit"], -184.702) + 12.0) % 24.0 - 12.0,
        "mean time, Curiosity": marstime.local_mean_time(days["Curiosity"], 137.44),
    }
    return ls | {name: 60.0 * hours for name, hours in clock.items()}


def _season() -> Mapping[str, float]:
    """The world's own orbit against the published series, every 20 sols of a year from Ls 186."""
    start = next(day / 10 for day in range(40_000, 60_000) if abs(marstime.solar_longitude(day / 10) - 186.0) < 0.03)
    first = marstime.solar_longitude(start)
    angles, minutes = list[float](), list[float]()
    for sols in range(0, 668, 20):
        t = sols * SOL
        ours, theirs = weather.solar_longitude(first, t), marstime.solar_longitude(start + t / DAY)
        angles.append(abs((ours - theirs + 180.0) % 360.0 - 180.0))
        drift = weather.equation_of_time(ours) * 60.0 - marstime.equation_of_time(start + t / DAY) * 4.0
        minutes.append(abs(drift))
    return {"Ls over a year": max(angles), "true time over a year": max(minutes)}


def _time() -> Mapping[str, float]:
    return {**_light(), **_sols(), **_mars24(), **_season()}


CHECKS = (
    Check(
        key="14",
        name="Oxygen of an EMU",
        group="independent",
        source="ISS EVA suit water intrusion mishap report, p. 40",
        figures=(
            Figure("1000 Btu/h", "h", near(7.0, rel=0.03)),
            Figure("850 Btu/h", "h", near(8.0, rel=0.03)),
        ),
        measure=_emu,
        how="A suit outside with 0.552 kg, by what an hour of work uses; 20.2 kJ for a litre of oxygen and the seals'"
        " leak of BVAD.",
    ),
    Check(
        key="15",
        name="Endurance of Apollo's suit",
        group="independent",
        source="A7LB: 8 h at 930, 6 h at 1200, 5 h at 1600 Btu/h (NASA SP-368, TP-2017-219457)",
        figures=(
            Figure("1200 Btu/h", "h for 8 h", near(6.0, rel=0.15)),
            Figure("1600 Btu/h", "h for 8 h", near(5.0, rel=0.15)),
            Figure("shortest step of the order", "h", above(0.0)),
        ),
        measure=_apollo,
        how="How our suit's oxygen lasts, scaled to 8 h at 930 Btu/h. Apollo's load would last longer than published:"
        " water and margin ended those EVAs, so order and ratio are compared.",
    ),
    Check(
        key="16",
        name="Both coolant loops lost",
        group="consistency",
        source="Shuttle: 90 F two hours after both water loops are lost (NSTS-12820)",
        figures=(Figure("to 90 F", "h", near(2.05, rel=0.1)),),
        measure=_both_loops_lost,
        how="From 22 C, six people awake, 12 kW kept on, an outside without day and night. The heat capacity is the "
        "shuttle's, scaled by volume.",
    ),
    Check(
        key="17",
        name="Rover traverses and the way back on foot",
        group="independent",
        source="LRV: 7.7 to 9.2 km/h moving, 7.6 km at the farthest, bounded by the walk back (Apollo 15 to 17)",
        figures=(
            Figure("moving speed", "km/h", within(7.7, 9.2)),
            *(Figure(f"way back on foot after {hours} h", "km", within(5.0, 7.6)) for hours in (2, 3)),
        ),
        measure=_traverses,
        how="A rover home from the ridge over open ground; the reach of FR-14 in a suit that has worked at 1000 Btu/h.",
    ),
    Check(
        key="18a",
        name="Galactic cosmic rays",
        group="independent",
        source="Hassler 2014, Science 343: 0.64 +/- 0.12 mSv a day; 115 +/- 22 mSv in 180 sols",
        figures=(
            Figure("dose of 180 sols", "mSv", near(118.4, rel=0.05)),
            Figure("dose against RAD's", "mSv", near(115.0, off=22.0)),
        ),
        measure=_cosmic_rays,
        how="One person, 180 sols flown. The rate is the published one; what is tested is the account of it in sols.",
    ),
    Check(
        key="18b",
        name="Solar particle events",
        group="consistency",
        source="NASA on the event of 20 May 2024; RAD on September 2017: 2 to 3 times background for about 12 h",
        figures=(
            Figure("dose of May 2024", "mGy", near(8.1, rel=0.05)),
            Figure("peak of September 2017", "background", within(2.0, 3.0)),
            Figure("hours at twice and more", "h", near(12.0, rel=0.25)),
        ),
        measure=_solar_events,
        how="The dose of May 2024 is the incident's default. For September 2017 a dose of 0.33 mGy was chosen, with "
        "rise and decay at the slow ends of their ranges.",
    ),
    Check(
        key="19",
        name="Light time, sols, seasons and local time",
        group="independent",
        source="GISS Mars24 and its worked examples; Allison and McEwen 2000; NASA on both landings",
        figures=(
            Figure("light time, 0.37 AU", "s", near(184.8, off=1.0)),
            Figure("light time, 2.67 AU", "s", near(1332.0, off=1.0)),
            Figure("sol", "s", near(88775.244, off=0.001)),
            Figure("year", "sols", near(668.593, off=0.01)),
            Figure("sol of the world", "s", near(88775.244, off=0.001)),
            Figure("Ls, 2000", "deg", near(277.18758, off=0.1)),
            Figure("Ls, Spirit", "deg", near(327.32416, off=0.1)),
            Figure("Ls, Curiosity", "deg", near(150.7, off=0.1)),
            Figure("time at 0 E, 2000", "min", near(1439.65, off=1.0)),
            Figure("true time, Spirit", "min", near(0.0, off=1.0)),
            Figure("mean time, Curiosity", "min", near(903.0, off=1.0)),
            Figure("Ls over a year", "deg", at_most(0.1)),
            Figure("true time over a year", "min", at_most(1.0)),
        ),
        measure=_time,
        how="Spirit's example is true midnight, 184.702 W; Curiosity touched down at 15:03 local mean time. The last "
        "two are the world's own orbit against the published series.",
    ),
)
