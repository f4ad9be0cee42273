"""The base of everything that a scenario file holds: closed and frozen."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[float, Field(ge=1e-6, le=1e9)]
"""Of any unit that scenario files use: beyond these bounds a number is a slip of the pen, and quotients overflow."""
Fraction = Annotated[float, Field(ge=0, le=1)]


class Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
