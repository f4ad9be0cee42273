"""What a flight rule is: its numbers, and sentences that take every number from them."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator


class Number(BaseModel):
    """One number of a rule. The base itself holds people to it if `enforced`; else it is for them to keep."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: float
    unit: str
    enforced: bool = False
    source: str = "house rule"

    def __str__(self) -> str:
        return f"{self.value:g} {self.unit}".rstrip()


class Rule(BaseModel):
    """One flight rule. In its sentences `{name}` stands for the number of that name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str
    topics: tuple[str, ...]
    trigger: str
    prerequisites: str
    permitted: str
    max_duration: str
    authority: str
    numbers: dict[str, Number]

    @model_validator(mode="after")
    def _every_number_is_said(self) -> Self:
        said = " ".join((self.trigger, self.prerequisites, self.permitted, self.max_duration))
        silent = [name for name in self.numbers if f"{{{name}}}" not in said]
        if silent:
            raise ValueError(f"{self.id}: no sentence says {', '.join(silent)}")
        said.format_map(self.numbers)
        return self

    def text(self) -> str:
        """The rule in words, with its numbers, what the base enforces, and where the numbers come from."""
        enforced = ", ".join(f"{n} ({name})" for name, n in self.numbers.items() if n.enforced) or "nothing"
        sources = "; ".join(f"{name}: {n.source}" for name, n in self.numbers.items()) or "house rule"
        lines = [
            f"{self.id} {self.title}",
            f"Trigger: {self.trigger}",
            f"Prerequisites: {self.prerequisites}",
            f"Permitted: {self.permitted}",
            f"Maximum duration: {self.max_duration}",
            f"Authority: {self.authority}",
        ]
        body = "\n".join(lines).format_map(self.numbers)
        return f"{body}\nEnforced by the base: {enforced}\nSources: {sources}"
