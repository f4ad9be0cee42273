"""Words with Earth and with those who are away: relay passes, a direct link, a queue by priority, light time, radio.

A relay passes a few times a sol for eight minutes; for three hours a sol the base's own dish reaches Earth, slowly.
What waits is sent in order of priority, at the rate of the window that is open, a relay's before the dish's; what does
not fit waits for the next. Earth answers after it has read, and its answer comes in when a window is open, so that
advice is always older than twice the light time. With the sun between the planets nothing passes either way; relays go
on carrying words between base and rovers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field, model_validator

from mission.channel import WEATHER, Channel, offset
from mission.world.lookout import Watch, at
from mission.world.record import Record
from mission.world.spec import CommandSpec, Parameter, Part, choice, number
from mission.world.units import HOUR, MINUTE, at_or_after, nearest
from mission.world.weather import SOL

if TYPE_CHECKING:
    from mission.world.base import Base

LIGHT_S_PER_AU = 499.005
"""Design study 1.11."""
PASS = 8 * MINUTE
"""A low orbiter above the horizon (design study 1.11)."""
GAP_H, GAP_SPREAD_H = 7.0, 3.0
"""Between the starts of two passes: 3.5 a sol, inside the 2 to 4 useful ones of the design study; ours."""
RATE = 0.5e6
"""bit/s, the middle of 0.25 to 1 Mb/s: 120 to 480 Mbit a pass, as MRO, Odyssey and MAVEN bring."""
MEGABIT = 1e6
MARS_RADIUS = 3389.5e3
MAST = 10.0
"""m, the base's antenna."""
DIRECT_H, DIRECT_RATE = 3.0, 8e3
"""Hours a sol and bit/s from the base straight to Earth: 86 Mbit a sol (design study 1.11)."""
DIRECT_LTST_H = 10.0
"""When that window opens, local true solar time: Earth stands by day, within 47 degrees of the sun; ours."""
FAR_SIDE_AU = 2.3
"""At a conjunction Earth is at least this far."""
WHOLE_BIT = 1e-3
"""bit: less than this is nothing left to send."""
PRIORITIES = ("emergency", "priority", "routine")


def horizon_km(mast_m: float) -> float:
    """How far local radio reaches from an antenna that high."""
    return math.sqrt(2.0 * MARS_RADIUS * mast_m) / 1000.0


RADIO_KM = horizon_km(MAST)
"""8.2 km: the horizon of a 10 m mast, which local radio does not reach beyond."""


class CommsSection(Record):
    earth_au: float = Field(default=1.5, ge=0.37, le=2.68)
    """Distance to Earth: light takes 3.1 to 22 min."""
    schedule: int = 1
    """The number that the pass schedule is drawn from."""
    first_pass_h: float | None = Field(default=None, ge=0, le=1000)
    """Start of the first pass, if it is not to be drawn."""
    silent_passes: tuple[Annotated[int, Field(ge=1)], ...] = ()
    """Passes, counted from 1, in which the relay rises as foretold and carries nothing: it is in safe mode."""
    earth_desk_h: float = Field(default=1.0, ge=0, le=1000)
    """How long Earth thinks before it answers."""
    mast_m: float = Field(default=MAST, ge=0, le=100)
    """Height of the base's antenna: local radio ends at its horizon."""
    direct_h: float = Field(default=DIRECT_H, ge=0, le=12)
    """Hours a sol with a direct link to Earth; 0 for a dish out of order."""
    direct_ltst_h: float = Field(default=DIRECT_LTST_H, ge=0, lt=24)
    direct_bit_s: float = Field(default=DIRECT_RATE, ge=1e-6, le=32e3)
    conjunction_h: tuple[float, float] | None = None
    """From when to when the sun stands between the planets, hours since the start; every 780 d for 10 to 14 d."""

    @model_validator(mode="after")
    def _behind_the_sun(self) -> Self:
        if self.conjunction_h is None:
            return self
        start, end = self.conjunction_h
        if not start < end:
            raise ValueError(f"conjunction_h: it ends at {end:g} h, not after its start at {start:g} h")
        if self.earth_au < FAR_SIDE_AU:
            raise ValueError(f"conjunction_h: Earth is then at least {FAR_SIDE_AU:g} AU away; earth_au is less")
        return self


@dataclass(frozen=True)
class Pass:
    """A relay above the horizon, or another window to Earth: s, s, bit/s."""

    start: float
    end: float
    rate: float
    silent: bool = False


@dataclass(frozen=True)
class Message:
    """`left` is what is still to be sent, in bits; times are None until they have come."""

    number: int
    text: str
    priority: str
    megabits: float
    written_s: float
    left: float
    sent_s: float | None = None
    read_s: float | None = None
    """When it is read on Earth."""
    reply_s: float | None = None
    """When Earth's answer, based on what was true at `written_s`, comes in."""


def light_time(au: float) -> float:
    """One way, s."""
    return LIGHT_S_PER_AU * au


class Comms:
    """The queue and the schedule of one base."""

    def __init__(self, section: CommsSection, base: Base) -> None:
        self._base = base
        self._section = section
        self._passes: list[Pass] = []
        self._messages: list[Message] = []
        self._sending: int | None = None
        self._since = 0.0
        self._told = 0
        self.light = light_time(section.earth_au)
        self.radio_km = horizon_km(section.mast_m)
        dark = section.conjunction_h
        self._dark = None if dark is None else (nearest(dark[0] * HOUR), nearest(dark[1] * HOUR))

    def pass_at_or_after(self, t: float) -> Pass:
        """The pass that carries words at `t`, or the next one that does."""
        return next(p for p in self._from(t) if not p.silent)

    def due_at_or_after(self, t: float) -> Pass:
        """The pass that is on at `t` by the almanac, or the next one, whether it carries words or not."""
        return next(self._from(t))

    def _from(self, t: float) -> Iterator[Pass]:
        """The passes that end after `t`, drawn as they are asked for."""
        index = 0
        while True:
            if index == len(self._passes):
                self._passes.append(self._draw(index))
            if self._passes[index].end > t:
                yield self._passes[index]
            index += 1

    def last_end(self, t: float) -> float:
        """When the last pass before `t` was over; 0 before the first."""
        self.pass_at_or_after(t)
        return max((p.end for p in self._passes if p.end <= t and not p.silent), default=0.0)

    def linked(self, t: float) -> bool:
        """A relay is above the horizon and answers."""
        return self.pass_at_or_after(t).start <= t

    def reaches(self, t: float, km: float) -> bool:
        """Whether somebody `km` from the base can be spoken to: by local radio, or through a relay."""
        return km <= self.radio_km or self.linked(t)

    def earth_at_or_after(self, t: float) -> Pass:
        """The window to Earth that is open at `t`, or the next one: the relay's if there are two."""
        window = self._window(t)
        if self._dark is None or window.end <= self._dark[0] or window.start >= self._dark[1] or t >= self._dark[1]:
            return window
        begins, ends = self._dark
        if max(t, window.start) < begins:
            return replace(window, end=begins)
        window = self._window(ends)
        return replace(window, start=max(window.start, ends))

    def earth_linked(self, t: float) -> bool:
        """A window to Earth is open."""
        return self.earth_at_or_after(t).start <= t

    def heard(self, t: float) -> float:
        """When an alert that would come in at `t` does: Earth's beacon needs no window, but no sun between."""
        return self._dark[1] if self._dark is not None and self._dark[0] <= t < self._dark[1] else t

    def _window(self, t: float) -> Pass:
        """As earth_at_or_after, without a conjunction."""
        relay, direct = self.pass_at_or_after(t), self.direct_at_or_after(t)
        if direct is None or relay.start <= max(t, direct.start):
            return relay
        return replace(direct, end=min(direct.end, relay.start))

    def direct_at_or_after(self, t: float) -> Pass | None:
        """The direct window that is open at `t`, or the next one, whatever relays and sun do; None without a dish."""
        section = self._section
        if section.direct_h == 0.0:
            return None
        first = (section.direct_ltst_h - self._base.scenario.site.ltst_h) % 24.0 * SOL / 24.0
        length = section.direct_h * HOUR
        sol = math.floor((t - first - length) / SOL)
        starts = (nearest(first + (sol + later) * SOL) for later in range(3))
        windows = (Pass(start, nearest(start + length), section.direct_bit_s) for start in starts)
        return next(window for window in windows if window.end > t)

    def waiting(self, t: float) -> int:
        return sum(m.written_s <= t and (m.sent_s is None or m.sent_s > t) for m in self._messages)

    def advice_age(self, t: float) -> float:
        """Hours since the data that Earth's latest answer rests on; -1 before the first answer."""
        based = [m.written_s for m in self.answered(t)]
        return (t - max(based)) / HOUR if based else -1.0

    def answered(self, t: float) -> list[Message]:
        """The messages whose answer has come in by `t`, in the order in which they did."""
        came = [m for m in self._messages if m.reply_s is not None and m.reply_s <= t]
        return sorted(came, key=lambda m: (m.reply_s, m.number))

    def send(self, text: str, priority: str, megabits: float) -> Message:
        t = self._base.now()
        message = Message(len(self._messages) + 1, text, priority, megabits, t, megabits * MEGABIT)
        self._messages.append(message)
        self._next(t)
        return message

    def watches(self) -> Sequence[Watch]:
        now = self._base.now()
        window = self.earth_at_or_after(now)
        if self._sending is not None:
            done = self._since + self._messages[self._sending].left / window.rate
            watches = [self._watch("sent", min(at_or_after(done), window.end), self._sent)]
        elif self._queue():
            start = window.start if window.start > now else self.earth_at_or_after(window.end).start
            watches = [self._watch("pass", start, self._next)]
        else:
            watches = []
        replies = [m.reply_s for m in self._messages if m.reply_s is not None]
        return watches + [self._watch("reply", t, self._reply) for t in sorted(replies)[self._told : self._told + 1]]

    def loads(self) -> Mapping[str, float]:
        """The radio is among the avionics."""
        return {}

    def state(self, t: float) -> dict[str, Any]:
        window = self.pass_at_or_after(t)
        return {
            "linked": self.linked(t),
            "next_pass_s": window.start,
            "pass_rate_bit_s": window.rate,
            "earth_linked": self.earth_linked(t),
            "light_time_s": self.light,
            "sending": self._sending is not None,
            "messages": [asdict(message) for message in self._messages],
        }

    def _draw(self, index: int) -> Pass:
        section = self._section
        key = ("relay", section.schedule, index)
        if index == 0:
            drawn = 0.5 * GAP_H + offset(0.5 * GAP_H, *key)
            start = (drawn if section.first_pass_h is None else section.first_pass_h) * HOUR
        else:
            start = self._passes[-1].start + (GAP_H + offset(GAP_SPREAD_H, *key)) * HOUR
        start = nearest(start)
        return Pass(start, start + PASS, RATE * 2.0 ** offset(1.0, "rate", *key), index + 1 in section.silent_passes)

    @staticmethod
    def _watch(name: str, t: float, fire: Any) -> Watch:
        return Watch(name, t, at(t), fire)

    def _queue(self) -> list[int]:
        """Places of the messages still to be sent, the most urgent first, then the oldest."""
        unsent = [index for index, message in enumerate(self._messages) if message.sent_s is None]
        return sorted(unsent, key=lambda index: (PRIORITIES.index(self._messages[index].priority), index))

    def _settle(self, t: float) -> None:
        """Count what has been sent of the message under way."""
        if self._sending is None:
            return
        message = self._messages[self._sending]
        left = message.left - self.earth_at_or_after(self._since).rate * (t - self._since)
        self._messages[self._sending] = replace(message, left=left if left > WHOLE_BIT else 0.0)
        self._sending = None

    def _next(self, t: float) -> None:
        """Send what is most urgent, if a window is open."""
        self._settle(t)
        queue = self._queue()
        if queue and self.earth_linked(t):
            self._sending, self._since = queue[0], t
        self._base.changed("comms")

    def _sent(self, t: float) -> None:
        """A message is through, or its window is over."""
        index = self._sending
        self._settle(t)
        if index is not None and self._messages[index].left == 0.0:
            read = t + self.light
            reply = read + self._section.earth_desk_h * HOUR + self.light
            arrives = nearest(max(reply, self.earth_at_or_after(reply).start))
            message = replace(self._messages[index], sent_s=t, read_s=read, reply_s=arrives)
            self._messages[index] = message
            self._base.log(t, "message_sent", number=message.number, priority=message.priority, read_s=read)
        self._next(t)

    def _reply(self, t: float) -> None:
        answered = sorted((m for m in self._messages if m.reply_s is not None), key=lambda m: (m.reply_s, m.number))
        message = answered[self._told]
        self._told += 1
        age = (t - message.written_s) / MINUTE
        self._base.log(t, "earth_reply", number=message.number, based_on_s=message.written_s, age_min=age)
        self._base.changed("comms")


def _comms(base: Base) -> Comms:
    return base.part("comms")


def _send(base: Base, p: Mapping[str, Any]) -> str:
    message = _comms(base).send(p["text"], p["priority"], p["megabits"])
    window = _comms(base).earth_at_or_after(base.now())
    wait = max(0.0, window.start - base.now()) / MINUTE
    return f"message {message.number} is queued; the next window to Earth opens in {wait:.0f} min"


def _next_direct(base: Base, t: float) -> float:
    """Hours; -1 without a dish."""
    window = _comms(base).direct_at_or_after(t)
    return -1.0 if window is None else max(0.0, window.start - t) / HOUR


def _channel(name: str, unit: str, description: str, **fields: Any) -> Channel:
    return Channel(
        name=f"comms.{name}", unit=unit, description=description, groups=("comms", WEATHER), period_s=60.0, **fields
    )


CHANNELS = (
    _channel("next_pass", "h", "hours until the next relay pass is due, 0 during one", resolution=0.01, low=0.0),
    _channel("link", "1", "1 while a relay above the horizon answers", low=0.0, high=1.0),
    _channel("rate", "Mb/s", "rate of the pass that is on or comes next", resolution=0.01, low=0.0),
    _channel("next_direct", "h", "hours until the base's dish reaches Earth, 0 while it does, -1 without", low=-1.0),
    _channel("earth", "1", "1 while words pass to and from Earth, by relay or directly", low=0.0, high=1.0),
    _channel("queue", "count", "messages still to be sent", low=0.0),
    _channel("light_time", "min", "light time to Earth, one way", resolution=0.01, low=0.0),
    _channel("advice_age", "h", "age of the data that Earth's latest answer rests on; -1 without one", low=-1.0),
)
PART = Part(
    name="comms",
    section=CommsSection,
    make=Comms,
    channels=CHANNELS,
    truths={
        "comms.next_pass": lambda base, t: max(0.0, _comms(base).due_at_or_after(t).start - t) / HOUR,
        "comms.link": lambda base, t: float(_comms(base).linked(t)),
        "comms.rate": lambda base, t: _comms(base).pass_at_or_after(t).rate / MEGABIT,
        "comms.next_direct": _next_direct,
        "comms.earth": lambda base, t: float(_comms(base).earth_linked(t)),
        "comms.queue": lambda base, t: float(_comms(base).waiting(t)),
        "comms.light_time": lambda base, t: _comms(base).light / MINUTE,
        "comms.advice_age": lambda base, t: _comms(base).advice_age(t),
    },
    commands=(
        CommandSpec(
            name="send_message",
            description=(
                "Queue a message to Earth; it leaves with the next relay pass or direct window, the most urgent first."
            ),
            parameters=(
                Parameter(name="text", kind="text", description="what it says", high=1000.0),
                choice("priority", "its place in the queue", *PRIORITIES),
                number("megabits", "its size with what is attached", 0.01, 1000.0),
            ),
        ),
    ),
    begin={"send_message": _send},
)
