"""The candidate contract: one full configuration, a model for each role."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator

from evals.clock import Clock, unstated
from evals.contract import Contract

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
_MODEL = re.compile(r"^(?P<provider>[a-z0-9-]+)/(?P<name>[A-Za-z0-9._:-]+)(@(?P<effort>[a-z]+))?$")


class ModelRef(Contract):
    """A parsed model string: `provider/name` or `provider/name@effort`."""

    provider: str
    name: str
    effort: Effort | None = None

    def __str__(self) -> str:
        return f"{self.provider}/{self.name}" + (f"@{self.effort}" if self.effort else "")


def parse_model(text: str) -> ModelRef:
    """Parse `provider/name[@effort]`. Raises ValueError that says what a model string looks like."""
    match = _MODEL.match(text)
    if match is None:
        raise ValueError(f"model {text!r} is not of the form provider/name or provider/name@effort")
    effort = match["effort"]
    if effort is not None and effort not in EFFORTS:
        raise ValueError(f"model {text!r}: effort {effort!r} is not one of {', '.join(EFFORTS)}")
    return ModelRef.model_validate(match.groupdict())


class Candidate(Contract):
    """A model string for every role: `model` is the default, `roles` the exceptions.

    `clock` is what its thinking costs, where that is this candidate's own and not the plan's.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")
    model: str
    roles: dict[str, str] = {}
    note: str = ""
    clock: Clock | None = Field(default=None, exclude_if=unstated)

    @field_validator("model")
    @classmethod
    def _model_parses(cls, value: str) -> str:
        return str(parse_model(value))

    @field_validator("roles")
    @classmethod
    def _roles_parse(cls, value: dict[str, str]) -> dict[str, str]:
        return {role: str(parse_model(text)) for role, text in value.items()}

    def model_for(self, role: str) -> ModelRef:
        return parse_model(self.roles.get(role, self.model))
