"""A frozen record as JSON would have it."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any, cast


def flat(record: Any) -> dict[str, Any]:
    """The fields of a dataclass that holds nothing but numbers, words and flags: `asdict` without its deep copies."""
    return {name: getattr(record, name) for name in _names(cast("type[Any]", type(record)))}


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
