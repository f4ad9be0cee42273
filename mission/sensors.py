"""What can be known of the base: instruments with cadence, delay, noise, bias, drift, dropout and resolution.

A reading is a function of the seed, the channel and the time bin it was sampled in. So reading changes nothing, and
reading twice gives the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from difflib import get_close_matches

from documents.words import MAX_SHOWN, hint, short
from mission.channel import LIFE, POWER, WEATHER, Channel, Fault, Quality, Reading, gauss, offset, uniform
from mission.world.parts import PARTS

__all__ = ["CATALOGUE", "Channel", "Fault", "Quality", "Reading", "channels", "find", "gauss", "late", "offset", "read"]

DAY = 86400.0


def read(
    channel: Channel,
    seed: int,
    at: float,
    truth: Callable[[float], float | None],
    fault: Fault | None = None,
) -> Reading:
    """What the instrument says at `at`: its last sample at or before, with its own error.

    `truth(t)` is the true value, or None when there is nothing to measure.
    """
    stuck = fault is not None and fault.frozen and at >= fault.t
    newest = math.floor(at / channel.period_s)
    taken = math.floor(fault.t / channel.period_s) if fault is not None and stuck else newest
    announced = fault is not None and fault.announced
    sampled = (taken if announced else newest) * channel.period_s
    value, quality, note = None, "no-data", "no sample"
    if not _lost(channel, seed, newest, fault):
        value = _sample(channel, seed, taken, truth, fault)
        quality, note = ("stale" if announced else "good"), ""
        if value is None:
            quality, note = "no-data", "the unit does not run"
    if fault is not None and (announced or fault.dropout) and quality != "good":
        note = fault.note or note
    return Reading(channel=channel.name, value=value, unit=channel.unit, t_s=sampled, quality=quality, note=note)


def late(reading: Reading) -> Reading:
    """A reading that is the last to have come in by radio."""
    quality = "no-data" if reading.value is None else "stale"
    return reading.model_copy(update={"quality": quality, "note": "out of radio reach since"})


def _lost(channel: Channel, seed: int, bin_index: int, fault: Fault | None) -> bool:
    share = max(channel.dropout, fault.dropout if fault is not None else 0.0)
    return share > 0.0 and uniform(seed, channel.name, "dropout", bin_index) < share


def _sample(
    channel: Channel, seed: int, bin_index: int, truth: Callable[[float], float | None], fault: Fault | None
) -> float | None:
    """The sample of one bin, rounded and kept in range; None where there is nothing to measure."""
    sampled = bin_index * channel.period_s
    delay = channel.delay_s + (fault.delay_s if fault is not None else 0.0)
    value = truth(max(0.0, sampled - delay))
    if value is None:
        return None
    value += channel.noise * gauss(seed, channel.name, bin_index) + offset(channel.bias, seed, channel.name)
    if channel.drift:
        value += offset(channel.drift, seed, channel.name, "drift") * sampled / DAY
    if fault is not None:
        value += fault.error(sampled)
    if channel.resolution:
        value = round(value / channel.resolution) * channel.resolution
    return round(min(max(value, channel.low), channel.high), 6)


def channels(group: str | None = None) -> list[Channel]:
    """The catalogue, or one group of it: a zone, a subsystem, or a role. Raises ValueError for an unknown group."""
    if group is None:
        return list(CATALOGUE.values())
    known = sorted({name for channel in CATALOGUE.values() for name in channel.groups})
    if group not in known:
        raise ValueError(f"no channel group {short(group)}; {hint(group, known, cutoff=0.6)}")
    return [channel for channel in CATALOGUE.values() if group in channel.groups]


def find(name: str) -> Channel:
    """The channel of that name. Raises ValueError that lists near names."""
    if name in CATALOGUE:
        return CATALOGUE[name]
    near = get_close_matches(name[:MAX_SHOWN], CATALOGUE, n=4, cutoff=0.4)
    groups = sorted({channel.groups[0] for channel in channels()})
    raise ValueError(
        f"no channel {short(name)}; " + (f"near: {', '.join(near)}" if near else f"groups: {', '.join(groups)}")
    )


def _zone(zone: str) -> Iterable[Channel]:
    """The mass spectrometer visits a zone every two minutes; errors of the design study 1.3.

    Its water reading lags, for water clings to the line; drifts and the lag's length are ours.
    """
    groups = (zone, "atmosphere", LIFE)
    two = 120.0
    yield Channel(
        name=f"{zone}.pressure", unit="kPa", description="total pressure", groups=groups, period_s=60.0,
        noise=0.01, bias=0.13, resolution=0.02, low=0.0,
    )  # fmt: skip
    yield Channel(
        name=f"{zone}.ppo2", unit="kPa", description="partial pressure of oxygen", groups=groups, period_s=two,
        noise=0.02, bias=0.15, drift=0.005, resolution=0.01, low=0.0,
    )  # fmt: skip
    yield Channel(
        name=f"{zone}.ppco2", unit="mmHg", description="partial pressure of carbon dioxide", groups=groups,
        period_s=two, noise=0.05, bias=0.3, drift=0.02, resolution=0.01, low=0.0,
    )  # fmt: skip
    yield Channel(
        name=f"{zone}.humidity", unit="%", description="relative humidity", groups=groups, period_s=two,
        noise=0.5, bias=2.0, resolution=0.1, low=0.0, high=100.0, delay_s=2 * two,
    )  # fmt: skip
    yield Channel(
        name=f"{zone}.temperature", unit="degC", description="air temperature", groups=(*groups, POWER),
        period_s=60.0, noise=0.05, bias=0.2, resolution=0.1,
    )  # fmt: skip


def _bed(unit: str) -> Iterable[Channel]:
    groups = ("co2-removal", "core", LIFE)
    error = {"period_s": 60.0, "noise": 0.03, "bias": 0.1, "resolution": 0.01, "low": 0.0}
    for side in ("inlet", "outlet"):
        yield Channel.model_validate(
            {"name": f"bed_{unit}.{side}_ppco2", "unit": "mmHg", "groups": groups,
             "description": f"ppCO2 at the {side} of CO2 unit {unit.upper()}", **error}
        )  # fmt: skip
    yield Channel(
        name=f"bed_{unit}.heater_duty", unit="%", description=f"duty of the heater of CO2 unit {unit.upper()}",
        groups=(*groups, POWER), period_s=60.0, noise=1.0, resolution=1.0, low=0.0, high=100.0,
    )  # fmt: skip
    yield Channel(
        name=f"bed_{unit}.power", unit="kW", description=f"power of CO2 unit {unit.upper()}",
        groups=(*groups, "power", POWER), period_s=60.0, noise=0.01, resolution=0.01, low=0.0,
    )  # fmt: skip


_ONE = (
    ("makeup.n2_flow", "kg/h", "N2 make-up, mean of the last hour", ("makeup", LIFE), 60.0, 0.01, 0.01),
    ("makeup.o2_flow", "kg/h", "O2 make-up, mean of the last hour", ("makeup", LIFE), 60.0, 0.01, 0.01),
    ("tank.n2", "kg", "nitrogen in the tank", ("makeup", LIFE), 60.0, 0.05, 0.1),
    ("tank.o2", "kg", "oxygen in the tank", ("makeup", LIFE), 60.0, 0.05, 0.1),
    ("imv.current", "A", "current of the inter-module fan", ("ventilation", LIFE, POWER), 10.0, 0.02, 0.01),
    ("imv.speed", "rpm", "speed of the inter-module fan", ("ventilation", LIFE), 10.0, 5.0, 10.0),
    ("oga.rate", "kg/d", "rate of the oxygen generator", ("oxygen", LIFE), 60.0, 0.02, 0.01),
    ("oga.power", "kW", "power of the oxygen generator", ("oxygen", "power", LIFE, POWER), 60.0, 0.01, 0.01),
    ("lioh.cans", "count", "LiOH cans left", ("co2-removal", LIFE), 60.0, 0.0, 1.0),
    ("battery.soc", "%", "state of charge", ("power", POWER), 60.0, 0.2, 0.1),
    ("battery.energy", "kWh", "energy in the battery", ("power", POWER), 60.0, 0.2, 0.1),
    ("battery.net", "kW", "supply minus load; positive charges", ("power", POWER), 60.0, 0.01, 0.01),
    ("power.fission", "kW", "fission supply", ("power", POWER), 60.0, 0.01, 0.01),
    ("power.load", "kW", "sum of loads", ("power", POWER), 60.0, 0.01, 0.01),
    ("crew.core", "count", "people in the core", ("crew", "core", LIFE), 60.0, 0.0, 1.0),
    ("crew.lab", "count", "people in the lab", ("crew", "lab", LIFE), 60.0, 0.0, 1.0),
    ("site.pressure", "Pa", "pressure outside", ("site", WEATHER), 300.0, 0.5, 0.1),
    ("site.temperature", "degC", "air temperature outside", ("site", WEATHER), 300.0, 0.5, 0.1),
    ("site.tau", "1", "optical depth of dust", ("site", WEATHER), 3600.0, 0.02, 0.01),
    ("site.wind", "m/s", "wind", ("site", WEATHER), 300.0, 0.5, 0.1),
    ("site.ltst", "h", "local true solar time, Mars hours", ("site", WEATHER), 60.0, 0.0, 0.01),
    ("site.daylight_left", "h", "hours until sunset, 0 at night", ("site", WEATHER), 60.0, 0.0, 0.01),
)
_SIGNED = {"battery.net", "site.temperature"}


def _single() -> Iterable[Channel]:
    for name, unit, description, groups, period, noise, resolution in _ONE:
        yield Channel(
            name=name, unit=unit, description=description, groups=groups, period_s=period, noise=noise,
            resolution=resolution, low=-math.inf if name in _SIGNED else 0.0,
        )  # fmt: skip


RANGES: dict[str, tuple[float, float]] = {
    "%": (0, 120), "1": (0, 20), "1/m": (0, 10), "A": (0, 200), "K": (0, 500), "L": (0, 20), "Mb/s": (0, 100),
    "Pa": (0, 2000), "V": (0, 60), "W": (0, 5000), "bpm": (0, 250), "count": (0, 1000), "degC": (-200, 250),
    "h": (-1, 2400), "kPa": (0, 500), "kW": (-300, 300), "kWh": (0, 10_000), "kg": (0, 10_000), "kg/d": (0, 50),
    "kg/h": (0, 1000), "km": (0, 1000), "km/h": (0, 50), "krpm": (0, 50), "m": (0, 1e6), "m/s": (0, 150),
    "mGy": (0, 10_000), "min": (0, 60), "mmHg": (0, 150), "mmHg/h": (-50_000, 50_000), "ppm": (0, 20_000),
    "rpm": (0, 20_000), "uGy/h": (0, 1e6),
}  # fmt: skip
"""Where an instrument of a unit ends, if its own channel does not say; ours, wider than what any should meet."""


def _ranged(channel: Channel) -> Channel:
    low, high = RANGES[channel.unit]
    ends = {"low": max(channel.low, low), "high": min(channel.high, high)}
    return channel.model_copy(update=ends)


CATALOGUE: dict[str, Channel] = {
    channel.name: _ranged(channel)
    for source in (
        *(_zone(zone) for zone in ("core", "lab", "airlock")),
        _bed("a"),
        _bed("b"),
        _single(),
        *(part.channels for part in PARTS),
    )
    for channel in source
}
