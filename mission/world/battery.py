"""The battery beside its content: cell temperature, heaters, a gauge that can be wrong, and what cold charging costs.

The content is the ledger's (power.py). Its losses fall in the converters, so that they do not warm the cells. The cells
stand in two equal strings; one of them can rest while the other carries what there is. The bay
feels the day through the berm it lies in: a sinusoid with the period of a sol, coldest at 6 h (ours; the design study
1.5 asks that 150 W keep it above 0 C).
"""

from __future__ import annotations

import cmath
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from mission import rules
from mission.world.exponential import ExpSum
from mission.world.lookout import Watch, at
from mission.world.record import Built, Positive
from mission.world.storm import KNOT, knot
from mission.world.units import HOUR, at_or_after
from mission.world.wave import OMEGA, Wave, when
from mission.world.weather import SOL

if TYPE_CHECKING:
    from mission.world.base import Base

EMPTY_VOLTS, FULL_VOLTS = 24.0, 32.0
"""At rest, in a straight line between: eight lithium cells in series; 24 V is where the MER rovers' bus tripped."""
OHMS = 0.003
COLD_OHMS = 0.03
"""By how much the resistance grows for each K below 20 C."""
WARM = 0.1
"""C: below 0 C is left again here, so that rounding cannot toggle it."""
FLOOR, TRIP = (rules.number("FR-19", name) / 100.0 for name in ("floor", "trip"))
CHARGE_H, DISCHARGE_H = (rules.number("FR-19", name) for name in ("charge", "discharge"))
COLD, STIFF = (rules.number("FR-19", name) for name in ("cold", "stiff"))
GAUGE_CAP = 0.15
"""The most that the gauge is out (design study, I13)."""
Mode = Literal["held", "heating", "off"]
Heater = Literal["A", "B", "off"]


class BatterySection(Built):
    setpoint_c: float = Field(default=5.0, gt=0.2, lt=40)
    bay_mean_c: float = Field(default=-55.0, gt=-120, lt=0)
    bay_swing_k: float = Field(default=10.0, ge=0, le=60)
    heat_capacity_j_k: Positive = 5.4e5
    """600 kg of cells at 900 J/(kg K): 120 kWh at 200 Wh/kg."""
    conductance_w_k: Positive = 2.0
    heater_w: Positive = 150.0
    """Of each of two heaters; part of the load `heaters`."""
    gauge_error_percent: float = Field(default=0.0, ge=0, le=15)
    """How much more the gauge shows than there is."""
    gauge_drift_percent_sol: float = Field(default=0.0, ge=0, le=5)
    """What it gains each sol since the last full charge, in steps of a quarter sol."""

    @model_validator(mode="after")
    def _heater_suffices(self) -> Self:
        if self.heater_w < self.conductance_w_k * (self.setpoint_c - self.bay_mean_c + self.bay_swing_k):
            raise ValueError("the battery's heater cannot hold its setpoint on the coldest morning")
        if self.bay_mean_c + self.bay_swing_k >= self.setpoint_c:
            raise ValueError("the battery's bay is warmer than its setpoint; it has no cooler")
        return self


@dataclass(frozen=True)
class Warmth:
    """Cell temperature in C from some time on, and how the heater works."""

    wave: Wave
    mode: Mode


class Battery:
    """The battery of one base, with the history of its temperature and of its gauge."""

    def __init__(self, section: BatterySection, base: Base) -> None:
        self.section = section
        self._base = base
        self.heater: Heater = "A"
        self.broken: set[str] = set()
        self.inhibited = False
        self.resting = False
        self.capacity = base.power.capacity
        self.plated: list[float] = []
        self.below = False
        self.stiff = False
        """Too cold to give anything."""
        self.deep_until: float | None = None
        """Until when it may be emptied below its floor, or was."""
        self._warmth = [Warmth(Wave(0.0, ExpSum(section.setpoint_c, (), ())), "held")]
        self._starts = [0.0]
        self.drift = section.gauge_drift_percent_sol / 100.0
        self._errors = [section.gauge_error_percent / 100.0]
        self._error_starts = [0.0]
        base.supply(self._terms)

    def _terms(self) -> Mapping[str, Any]:
        now = self._base.now()
        at_work = self.capacity / HOUR / (2.0 if self.resting else 1.0)
        return {
            "charging": not self.inhibited,
            "floor": TRIP if self.deep(now) else max(TRIP, FLOOR - self.gauge_error(now)),
            "capacity": self.capacity,
            "most_in": at_work / CHARGE_H,
            "most_out": 0.0 if self.stiff else at_work / DISCHARGE_H,
        }

    def deep(self, t: float) -> bool:
        """Whether it may be emptied below its floor."""
        return self.deep_until is not None and t < self.deep_until

    def shown(self, t: float) -> float:
        """State of charge on the gauge, without its noise."""
        return self._base.power.soc(t) + self.gauge_error(t)

    def temperature(self, t: float) -> float:
        """C"""
        return self._at(t).wave(t)

    def heater_power(self, t: float) -> float:
        """W that the heater draws; what holds the setpoint is what the bay takes."""
        section = self.section
        match self._at(t).mode:
            case "off":
                return 0.0
            case "heating":
                return section.heater_w
            case "held":
                return section.conductance_w_k * (section.setpoint_c - self._bay(t).real - section.bay_mean_c)

    def gauge_error(self, t: float) -> float:
        """How much more than the true state of charge the gauge shows, as a share."""
        return self._errors[max(bisect_right(self._error_starts, t) - 1, 0)]

    def volts(self, t: float) -> float:
        """Of the battery under its current; the resistance is that of its temperature."""
        power = self._base.power
        rest = open_circuit(power.soc(t))
        ohms = OHMS * (1.0 + COLD_OHMS * max(0.0, 20.0 - self.temperature(t)))
        return rest + power.segment(t).stored(t) / rest * ohms

    def set_heater(self, heater: Heater) -> None:
        self.heater = heater
        self._rewarm(self._base.now())

    def break_heater(self, heater: str) -> None:
        """This heater gives nothing any more."""
        self.broken.add(heater)
        self._rewarm(self._base.now())

    def chill(self, celsius: float) -> None:
        """The cells are at this temperature now: their heater failed some time ago."""
        self._rewarm(self._base.now(), celsius)

    def inhibit(self, *, on: bool) -> None:
        self.inhibited = on
        self._base.changed("battery")

    def rest(self, *, on: bool) -> None:
        """One string off the bus, so that its voltage settles; the other takes and gives half as much at most."""
        self.resting = on
        self._base.changed("battery")

    def deepen(self, *, on: bool) -> None:
        """Let it be emptied below its floor, for as long as FR-19 has it."""
        now = self._base.now()
        self.deep_until = at_or_after(now + rules.number("FR-19", "deep") * HOUR) if on else now
        self._base.changed("battery")

    def bias(self, error: float, drift: float) -> None:
        """The gauge shows `error` too much, and `drift` more each sol."""
        self.drift = drift
        self._set_error(min(error, GAUGE_CAP))

    def full(self) -> None:
        """A full charge sets the gauge right."""
        if self.gauge_error(self._base.now()) > 0.0:
            self._set_error(0.0)

    def watch_cold_charge(self) -> None:
        """Charging below 0 C plates lithium; counted once in a sol at most."""
        now, power = self._base.now(), self._base.power
        if not self.below or power.segment(now).stored(now) <= 0.0:
            return
        if self.plated and now < self._next_plating():
            return
        self.plated.append(now)
        share = rules.number("FR-19", "plating") / 100.0
        self.capacity *= 1.0 - share
        self._base.log(now, "plating", temperature_c=self.temperature(now), capacity_lost_percent=100.0 * share)
        self._base.changed("battery")

    def watches(self) -> Sequence[Watch]:
        index, warmth = len(self._warmth), self._warmth[-1]
        found: list[Watch] = []
        if warmth.mode == "heating":
            search = when(warmth.wave, self.section.setpoint_c, rising=True)
            found.append(Watch("setpoint", index, search, self._reached))
        if warmth.mode != "held" or self.below:
            level = WARM if self.below else COLD
            search = when(warmth.wave, level, rising=self.below)
            found.append(Watch("freezing", (index, self.below), search, self._froze))
        if warmth.mode != "held" or self.stiff:
            level = STIFF + (WARM if self.stiff else 0.0)
            search = when(warmth.wave, level, rising=self.stiff)
            found.append(Watch("stiff", (index, self.stiff), search, self._stiffened))
        if self.deep(self._base.now()):
            until = self.deep_until or 0.0
            found.append(Watch("deep", until, at(until), self._deep_over))
        if self.drift > 0.0 and self._errors[-1] < GAUGE_CAP:
            step = (knot(self._base.now()) + 1) * KNOT
            found.append(Watch("gauge", step, at(step), self._drifted))
        if self.below and self.plated and self._base.now() < self._next_plating():
            found.append(Watch("plating", len(self.plated), at(self._next_plating()), self._sol_over))
        return found

    def loads(self) -> Mapping[str, float]:
        return {}

    def state(self, t: float) -> dict[str, Any]:
        return {
            "temperature_c": self.temperature(t),
            "heater": self.heater,
            "broken_heaters": sorted(self.broken),
            "heater_w": self.heater_power(t),
            "gauge_error_percent": 100.0 * self.gauge_error(t),
            "charge_inhibited": self.inhibited,
            "too_cold_to_give": self.stiff,
            "deep_until_s": self.deep_until,
            "plating_s": list(self.plated),
            "volts": self.volts(t),
        }

    def _at(self, t: float) -> Warmth:
        return self._warmth[max(bisect_right(self._starts, t) - 1, 0)]

    def _bay(self, t: float) -> complex:
        """The bay's swing about its mean as a turning arrow: K."""
        phase = 2.0 * math.pi * (self._base.sky.ltst - 6.0) / 24.0
        return -self.section.bay_swing_k * cmath.exp(1j * (OMEGA * t + phase))

    def _rewarm(self, t: float, celsius: float | None = None) -> None:
        """A new curve from now on: first order towards the bay, with the heater's power if it works."""
        section, now = self.section, self.temperature(t) if celsius is None else celsius
        works = self.heater != "off" and self.heater not in self.broken
        if works and now >= section.setpoint_c:
            self._warm(t, Warmth(Wave(t, ExpSum(section.setpoint_c, (), ())), "held"))
            return
        rate = section.conductance_w_k / section.heat_capacity_j_k
        swing = self._bay(t) * rate / (rate + 1j * OMEGA)
        rest = section.bay_mean_c + (section.heater_w / section.conductance_w_k if works else 0.0)
        away = now - rest - swing.real
        decay = ExpSum(rest + away, (rate,), (-away * rate,))
        self._warm(t, Warmth(Wave(t, decay, swing), "heating" if works else "off"))

    def _warm(self, t: float, warmth: Warmth) -> None:
        if self._starts[-1] == t:
            self._warmth[-1] = warmth
        else:
            self._starts.append(t)
            self._warmth.append(warmth)
        if not self.below and self.temperature(t) < COLD:
            self.below = True
        if not self.stiff and self.temperature(t) < STIFF:
            self.stiff = True
        self._base.changed("battery")
        self.watch_cold_charge()

    def _next_plating(self) -> float:
        """From when on cold charging counts again."""
        return at_or_after(self.plated[-1] + SOL)

    def _sol_over(self, t: float) -> None:
        self.watch_cold_charge()
        self._base.changed("battery")

    def _reached(self, t: float) -> None:
        self._warm(t, Warmth(Wave(t, ExpSum(self.section.setpoint_c, (), ())), "held"))

    def _froze(self, t: float) -> None:
        self.below = not self.below
        self._base.log(t, "battery_cells", temperature_c=self.temperature(t), below_zero=self.below)
        self._base.changed("battery")
        self.watch_cold_charge()

    def _stiffened(self, t: float) -> None:
        self.stiff = not self.stiff
        self._base.log(t, "battery_cells", temperature_c=self.temperature(t), too_cold_to_give=self.stiff)
        self._base.changed("battery")

    def _deep_over(self, t: float) -> None:
        self._base.log(t, "rule", rule="FR-19", why="the battery's floor holds again")
        self._base.changed("battery")

    def _drifted(self, t: float) -> None:
        self._set_error(min(GAUGE_CAP, self.gauge_error(t) + self.drift * KNOT / SOL))

    def _set_error(self, error: float) -> None:
        now = self._base.now()
        if self._error_starts[-1] == now:
            self._errors[-1] = error
        else:
            self._error_starts.append(now)
            self._errors.append(error)
        self._base.changed("battery")


def open_circuit(soc: float) -> float:
    """V at rest."""
    return EMPTY_VOLTS + (FULL_VOLTS - EMPTY_VOLTS) * soc


def soc_of(volts: float) -> float:
    """State of charge that a voltage at rest means."""
    return (volts - EMPTY_VOLTS) / (FULL_VOLTS - EMPTY_VOLTS)
