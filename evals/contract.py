"""The base of every contract on disk, its canonical JSON and its digest."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A frozen, closed record: an unknown field is an error, never ignored; so is NaN for a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def canonical(value: Any) -> str:
    """The one JSON text of a value: sorted keys, no spaces, no NaN.

    Half a surrogate pair, which a model can write and no file can hold, becomes a question mark. Raises ValueError
    for NaN or infinity and TypeError for what JSON cannot hold.
    """
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode(errors="replace").decode()


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()
