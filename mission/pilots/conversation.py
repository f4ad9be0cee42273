"""What a pilot knows: the conversation it was sent, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

JSON = Any


@dataclass(frozen=True)
class Exchange:
    """A tool call and what came back."""

    tool: str
    arguments: dict[str, JSON]
    output: JSON


@dataclass(frozen=True)
class Conversation:
    """A request's messages and finished tool calls, and the tools on offer."""

    text: str
    exchanges: tuple[Exchange, ...]
    tools: frozenset[str]
    trusting: bool

    def of(self, tool: str) -> list[Exchange]:
        return [exchange for exchange in self.exchanges if exchange.tool == tool]

    def called(self, tool: str) -> bool:
        return bool(self.of(tool))

    def mentions(self, *words: str) -> bool:
        """Whether the message that started this conversation has one of the words."""
        text = self.text.lower()
        return any(word in text for word in words)

    def reading(self, channel: str) -> dict[str, JSON] | None:
        """The latest reading received of a channel."""
        for exchange in reversed(self.of("read_telemetry")):
            for reading in _list(exchange.output, "readings"):
                if reading["channel"] == channel:
                    return reading
        return None

    def value(self, channel: str) -> float:
        """The value of the latest reading of a channel. Raises KeyError if none was received."""
        reading = self.reading(channel)
        if reading is None or reading["value"] is None:
            raise KeyError(channel)
        return float(reading["value"])

    def id_of(self, channel: str) -> str:
        reading = self.reading(channel)
        if reading is None:
            raise KeyError(channel)
        return str(reading["evidence_id"])

    def samples(self, channel: str) -> list[tuple[float, float]]:
        """The history received of a channel: hours of mission time, value."""
        reading = self.reading(channel)
        if reading is None:
            raise KeyError(channel)
        return [
            (hours(sample["time"]), float(sample["value"]))
            for sample in reading.get("history", {}).get("samples", [])
            if sample["value"] is not None
        ]

    def trend_id(self, channel: str) -> str:
        """Evidence id of a channel's history, or of its reading if none was asked for."""
        reading = self.reading(channel) or {}
        return str(reading.get("history", {}).get("evidence_id") or self.id_of(channel))

    def now(self) -> float:
        """Hours of mission time at the latest reading. Raises IndexError if nothing was read."""
        return hours(self.of("read_telemetry")[-1].output["time"])

    def reports(self, source: str) -> list[dict[str, JSON]]:
        """What people, the orbiter or the log have reported, as far as it was read."""
        read = [exchange.output for exchange in self.of("read_reports") if exchange.arguments.get("source") == source]
        return _list(read[-1], "reports") if read else []

    def check(self, name: str) -> dict[str, JSON] | None:
        """The result of the latest discriminating check of a name."""
        for exchange in reversed(self.of("run_check")):
            if exchange.arguments.get("check") == name and "error" not in exchange.output:
                return exchange.output
        return None

    def measured(self, name: str, quantity: str) -> float | None:
        """A figure of the latest check of a name; None if it was not made, or could not be."""
        result = self.check(name)
        return None if result is None else float(result["measured"][quantity])

    def calculation(self, expression: str) -> tuple[str, float] | None:
        """Evidence id and value of a calculation, once it was made."""
        for exchange in self.of("calculate"):
            if exchange.arguments.get("expression") == expression and "value" in exchange.output:
                return exchange.output["evidence_id"], float(exchange.output["value"])
        return None


def _list(output: JSON, key: str) -> list[dict[str, JSON]]:
    return cast("dict[str, Any]", output).get(key, []) if isinstance(output, dict) else []


def hours(mission_time: str) -> float:
    """Hours of a mission time such as T+06:30, T+06:30:15 or T-00:30."""
    parts = mission_time[2:].split(":")
    size = sum(float(part) / 60**power for power, part in enumerate(parts))
    return -size if mission_time.startswith("T-") else size


def read_conversation(items: str | list[JSON], tools: frozenset[str], trusting: bool) -> Conversation:
    """A model's input items as a conversation."""
    if isinstance(items, str):
        return Conversation(items, (), tools, trusting)
    outputs = {item["call_id"]: _parse(item["output"]) for item in items if item.get("type") == "function_call_output"}
    return Conversation(
        text="\n".join(_texts(items)),
        exchanges=tuple(
            Exchange(item["name"], _arguments(item["arguments"]), outputs[item["call_id"]])
            for item in items
            if item.get("type") == "function_call" and item["call_id"] in outputs
        ),
        tools=tools,
        trusting=trusting,
    )


def _texts(items: list[JSON]) -> Iterator[str]:
    for item in items:
        if item.get("role") == "user":
            content = item["content"]
            yield content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def _parse(output: JSON) -> JSON:
    try:
        return json.loads(output)
    except (TypeError, json.JSONDecodeError):
        return output


def _arguments(text: str) -> dict[str, JSON]:
    parsed = _parse(text)
    return cast("dict[str, JSON]", parsed) if isinstance(parsed, dict) else {}
