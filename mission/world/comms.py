"""Words with Earth and with those who are away: relay passes, a queue by priority, light time, local radio.

A relay passes a few times a sol for eight minutes. What waits is sent in order of priority, at the pass's own rate;
what does not fit waits for the next. Earth answers after it has read, and its answer comes in at a later pass, so that
advice is always older than twice the light time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import Field

from mission.channel import WEATHER, Channel, offset
from mission.world.lookout import Watch, at
from mission.world.record import Record
from mission.world.spec import CommandSpec, Parameter, Part, choice, number
from mission.world.units import HOUR, MINUTE, at_or_after, nearest

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
RADIO_KM = math.sqrt(2.0 * MARS_RADIUS * MAST) / 1000.0
"""8.2 km: the horizon of a 10 m mast, which local radio does not reach beyond."""
PRIORITIES = ("emergency", "priority", "routine")


class CommsSection(Record):
    earth_au: float = Field(default=1.5, ge=0.37, le=2.68)
    """Distance to Earth: light takes 3.1 to 22 min."""
    schedule: int = 1
    """The number that the pass schedule is drawn from."""
    first_pass_h: float | None = Field(default=None, ge=0, le=24)
    """Start of the first pass, if it is not to be drawn."""
    earth_desk_h: float = Field(default=1.0, ge=0, le=1000)
    """How long Earth thinks before it answers."""


@dataclass(frozen=True)
class Pass:
    """A relay above the horizon: s, s, bit/s."""

    start: float
    end: float
    rate: float


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

    def pass_at_or_after(self, t: float) -> Pass:
        """The pass that is on at `t`, or the next one."""
        while not self._passes or self._passes[-1].end <= t:
            self._passes.append(self._draw(len(self._passes)))
        return next(p for p in self._passes if p.end > t)

    def linked(self, t: float) -> bool:
        """A relay is above the horizon."""
        return self.pass_at_or_after(t).start <= t

    def reaches(self, t: float, km: float) -> bool:
        """Whether somebody `km` from the base can be spoken to: by local radio, or through a relay."""
        return km <= RADIO_KM or self.linked(t)

    def waiting(self, t: float) -> int:
        return sum(m.written_s <= t and (m.sent_s is None or m.sent_s > t) for m in self._messages)

    def advice_age(self, t: float) -> float:
        """Hours since the data that Earth's latest answer rests on; -1 before the first answer."""
        based = [m.written_s for m in self._messages if m.reply_s is not None and m.reply_s <= t]
        return (t - max(based)) / HOUR if based else -1.0

    def send(self, text: str, priority: str, megabits: float) -> Message:
        t = self._base.now()
        message = Message(len(self._messages) + 1, text, priority, megabits, t, megabits * MEGABIT)
        self._messages.append(message)
        self._next(t)
        return message

    def watches(self) -> Sequence[Watch]:
        now = self._base.now()
        window = self.pass_at_or_after(now)
        if self._sending is not None:
            done = self._since + self._messages[self._sending].left / window.rate
            watches = [self._watch("sent", min(at_or_after(done), window.end), self._sent)]
        elif self._queue():
            start = window.start if window.start > now else self.pass_at_or_after(window.end).start
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
        return Pass(start, start + PASS, RATE * 2.0 ** offset(1.0, "rate", *key))

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
        rate = self.pass_at_or_after(self._since).rate
        self._messages[self._sending] = replace(message, left=max(0.0, message.left - rate * (t - self._since)))
        self._sending = None

    def _next(self, t: float) -> None:
        """Send what is most urgent, if a relay is there."""
        self._settle(t)
        queue = self._queue()
        if queue and self.linked(t):
            self._sending, self._since = queue[0], t
        self._base.changed("comms")

    def _sent(self, t: float) -> None:
        """A message is through, or its pass is over."""
        index = self._sending
        self._settle(t)
        if index is not None and self._messages[index].left == 0.0:
            read = t + self.light
            reply = read + self._section.earth_desk_h * HOUR + self.light
            arrives = nearest(max(reply, self.pass_at_or_after(reply).start))
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
    window = _comms(base).pass_at_or_after(base.now())
    wait = max(0.0, window.start - base.now()) / MINUTE
    return f"message {message.number} is queued; the next pass starts in {wait:.0f} min"


def _channel(name: str, unit: str, description: str, **fields: Any) -> Channel:
    return Channel(
        name=f"comms.{name}", unit=unit, description=description, groups=("comms", WEATHER), period_s=60.0, **fields
    )


CHANNELS = (
    _channel("next_pass", "h", "hours until the next relay pass starts, 0 during one", resolution=0.01, low=0.0),
    _channel("link", "1", "1 while a relay is above the horizon", low=0.0, high=1.0),
    _channel("rate", "Mb/s", "rate of the pass that is on or comes next", resolution=0.01, low=0.0),
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
        "comms.next_pass": lambda base, t: max(0.0, _comms(base).pass_at_or_after(t).start - t) / HOUR,
        "comms.link": lambda base, t: float(_comms(base).linked(t)),
        "comms.rate": lambda base, t: _comms(base).pass_at_or_after(t).rate / MEGABIT,
        "comms.queue": lambda base, t: float(_comms(base).waiting(t)),
        "comms.light_time": lambda base, t: _comms(base).light / MINUTE,
        "comms.advice_age": lambda base, t: _comms(base).advice_age(t),
    },
    commands=(
        CommandSpec(
            name="send_message",
            description="Queue a message to Earth; it leaves with the next relay pass, the most urgent first.",
            parameters=(
                Parameter(name="text", kind="text", description="what it says", high=1000.0),
                choice("priority", "its place in the queue", *PRIORITIES),
                number("megabits", "its size with what is attached", 0.01, 1000.0),
            ),
        ),
    ),
    begin={"send_message": _send},
)
