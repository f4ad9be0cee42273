"""Hostile cases and references, proved as `simsup check` does."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from evals.case import Case, Reference
from fuzz.texts import files, text
from fuzz.workspace import CASES, NAME, make, pair, simsup


@cache
def shipped() -> tuple[tuple[Any, Any], ...]:
    return tuple(pair(path) for path in CASES)


@cache
def _schemas() -> tuple[dict[str, Any], dict[str, Any]]:
    return Case.model_json_schema(), Reference.model_json_schema()


@st.composite
def pairs(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A case and its reference, with something wrong in one of them."""
    case, reference = draw(st.sampled_from(shipped()))
    of_case, of_reference = _schemas()
    if draw(st.integers(0, 2)):
        return draw(files(case, of_case, {"id": NAME})), text(reference).encode()
    return text(case).encode(), draw(files(reference, of_reference, {"case": NAME}))


def drive(folder: Path, example: tuple[bytes, bytes]) -> str:
    """Read a case and its reference, fly and grade its controls."""
    root = make(folder)
    written = [root / f"cases/agent/{NAME}.yaml", root / f"cases/references/{NAME}.yaml"]
    for path, data in zip(written, example, strict=True):
        path.write_bytes(data)
    try:
        code, refusal = simsup(root, "check", NAME, because=example)
    finally:
        for path in written:
            path.unlink()
    return {0: "accepted, and its controls hold", 1: "accepted, and its controls do not hold"}.get(code, refusal)
