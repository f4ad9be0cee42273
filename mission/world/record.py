"""The base of everything that a scenario file holds: closed and frozen."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Positive = Annotated[float, Field(ge=1e-6, le=1e9)]
"""Of any unit that scenario files use: beyond these bounds a number is a slip of the pen, and quotients overflow."""
Fraction = Annotated[float, Field(ge=0, le=1)]


class Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


FACTOR = 100.0


class Built(Record):
    """Figures of the base as it is built: each is 0, where it may be, or within a factor of 100 of its default.

    Beyond that the base is another thing, and the physics of this one says nothing of it.
    """

    @model_validator(mode="after")
    def _like_this_base(self) -> Self:
        for name, field in type(self).model_fields.items():
            usual, value = field.default, getattr(self, name)
            if isinstance(usual, float) and usual > 0.0 and value and not usual / FACTOR <= value <= usual * FACTOR:
                raise ValueError(f"{name} must be within a factor of {FACTOR:g} of {usual:g}, not {value:g}")
        return self
