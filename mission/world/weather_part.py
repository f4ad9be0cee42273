"""The weather part: what the instruments outside show, storms that begin, the sol's forecast and the orbital map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from mission.channel import WEATHER, Channel, gauss
from mission.world.forecast import ERRORS, forecast
from mission.world.lookout import Watch
from mission.world.record import Fraction, Record
from mission.world.spec import CheckSpec, Numbers, Part, Truth
from mission.world.storm import Outside, Season, Storm
from mission.world.weather import SOL

if TYPE_CHECKING:
    from mission.world.base import Base
    from mission.world.engine import World

MAP_REACH = 5000.0
"""km that the orbital map shows; this is what it says when no storm is on it."""
MAP_MINUTES, MAP_WATTS = 90.0, 60.0
"""Until the next pass is down and drawn; the receiver's power."""


class WeatherSection(Record):
    """The clear season beside what `site` says, and how good the forecast is."""

    clear: Literal["site", "viking-1"] = "site"
    tau_noise: float = Field(default=0.0, ge=0, le=0.3)
    """Standard deviation; 0.05 is usual (design study 2.6)."""
    gusty: bool = False
    seed: int = 0
    """Keys what is drawn; a scenario's weather is the same for every seed of its instruments."""
    forecast_lag_sols: float = Field(default=0.5, ge=0, le=4)
    false_alarm: Fraction = 0.0


class Weather:
    """The weather of one base: it changes when a storm begins, and then for all time to come."""

    def __init__(self, section: WeatherSection, base: Base) -> None:
        self.section = section
        self._base = base
        site = base.scenario.site
        season = Season(
            site.tau, section.clear == "viking-1", section.tau_noise, site.wind_m_s, section.gusty, section.seed
        )
        self.outside = Outside(base.sky, season)

    def begin_storm(self, kind: Literal["regional", "global"], **profile: float) -> None:
        """A storm begins now; its profile as the fields of Storm."""
        storm = Storm(self._base.now(), kind, **profile)
        self.outside = Outside(self.outside.sky, self.outside.season, (*self.outside.storms, storm))
        self._base.changed("weather")
        self._base.part("solar").refresh()

    def watches(self) -> Sequence[Watch]:
        return ()

    def loads(self) -> Mapping[str, float]:
        return {}

    def state(self, t: float) -> dict[str, Any]:
        outside = self.outside
        return {
            "tau": outside.tau(t),
            "tau_rate_per_sol": outside.tau_rate(t),
            "wind_m_s": outside.wind(t),
            "gust_m_s": outside.gust(t),
            "visibility_km": outside.visibility(t),
            "pressure_pa": outside.pressure(t),
            "temperature_c": outside.temperature(t),
            "storm_distance_km": outside.front(t, MAP_REACH),
            "storms": [asdict(storm) for storm in outside.storms],
        }


def _outside(quantity: Callable[[Outside, float], float]) -> Truth:
    return lambda base, t: quantity(base.part("weather").outside, t)


def _forecast(base: Base, t: float) -> Any:
    weather = base.part("weather")
    return forecast(weather.outside, t, weather.section.forecast_lag_sols, weather.section.false_alarm)


def _lead(lead: int) -> Truth:
    return lambda base, t: _forecast(base, t).tau[lead]


def _map(world: World, choice: str, duration: float) -> Numbers:
    """Distances as seen when the pass was taken, which is when it has come down."""
    base = world.base
    base.set_extra_load("check_orbital_map", MAP_WATTS)
    world.advance(world.now + duration)
    base.set_extra_load("check_orbital_map", 0.0)
    outside: Outside = base.part("weather").outside
    noise = [gauss(world.seed, "check", "orbital_map", what, world.now) for what in ("front", "tau")]
    front = outside.front(world.now, MAP_REACH)
    measured = {
        "storm_distance": min(MAP_REACH, max(0.0, front + 30.0 * noise[0])) if front < MAP_REACH else MAP_REACH,
        "tau": max(0.0, outside.tau(world.now) * (1.0 + 0.1 * noise[1])),
    }
    return Numbers(
        measured,
        {"storm_distance": MAP_REACH, "tau": outside.clear_tau(world.now)},
        {"storm_distance": "km", "tau": "1"},
    )


def _channel(name: str, unit: str, description: str, period: float, noise: float, resolution: float) -> Channel:
    group = name.partition(".")[0]
    return Channel(
        name=name, unit=unit, description=description, groups=(group, WEATHER), period_s=period, noise=noise,
        resolution=resolution, low=0.0,
    )  # fmt: skip


_TRUTHS: dict[str, Truth] = {
    "site.pressure": _outside(Outside.pressure),
    "site.temperature": _outside(Outside.temperature),
    "site.tau": _outside(Outside.tau),
    "site.wind": _outside(Outside.wind),
    "site.gust": _outside(Outside.gust),
    "site.visibility": _outside(Outside.visibility),
    **{f"forecast.tau_{lead}_sol": _lead(lead) for lead in ERRORS},
    "forecast.storm_chance": lambda base, t: _forecast(base, t).storm_percent,
}
_CHANNELS = (
    _channel("site.gust", "m/s", "strongest gust of the hour", 300.0, 0.5, 0.1),
    _channel("site.visibility", "km", "sight along the horizon, from its contrast", 3600.0, 2.0, 0.1),
    *(
        _channel(
            f"forecast.tau_{lead}_sol", "1", f"optical depth forecast {lead} sol ahead, once a sol; error {error:g}",
            SOL, 0.0, 0.01,
        )
        for lead, error in ERRORS.items()
    ),
    _channel(
        "forecast.storm_chance", "%", "forecast chance of an optical depth above 2 within 4 sols, issued once a sol",
        SOL, 0.0, 1.0,
    ),
)  # fmt: skip
PART = Part(
    name="weather",
    section=WeatherSection,
    make=Weather,
    channels=_CHANNELS,
    truths=_TRUTHS,
    checks=(
        CheckSpec(
            "orbital_map", "Dust as the next orbiter pass maps it: distance of the nearest storm front, depth here.",
            None, (), {"": MAP_MINUTES}, MAP_WATTS, _map,
        ),
    ),
)  # fmt: skip
