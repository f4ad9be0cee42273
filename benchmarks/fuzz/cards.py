"""Hostile role cards, wired into a team as `simsup map` does."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml
from hypothesis import strategies as st

from fuzz.texts import files, raw, torn
from fuzz.workspace import ROOT, make, simsup
from mission.cards import FrontMatter

SCHEMA = FrontMatter.model_json_schema()


@cache
def shipped() -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted((ROOT / "agents").glob("*.md"))}


@st.composite
def cards(draw: st.DrawFn) -> tuple[str, bytes]:
    """The name of a card of the crew, and what it is to be."""
    name = draw(st.sampled_from([*shipped()]))
    whole = shipped()[name]
    _, front, instructions = whole.split("---\n", 2)
    if draw(st.integers(0, 4)) == 0:
        return name, draw(raw(torn(whole)))
    fixed = {"role": name.removesuffix(".md")} if draw(st.booleans()) else {}
    written = draw(files(yaml.safe_load(front), SCHEMA, fixed))
    made = b"---\n" + written + (b"" if written.endswith(b"\n") else b"\n") + b"---\n" + instructions.encode()
    return name, made.replace(b"\n", b"\r\n") if draw(st.integers(0, 9)) == 0 else made


def drive(folder: Path, example: tuple[str, bytes]) -> str:
    """Read the crew's cards with this one among them, wire the team and draw it."""
    name, data = example
    root = make(folder)
    try:
        (root / "agents" / name).write_bytes(data)
        code, refusal = simsup(root, "map", because=[data])
    finally:
        (root / "agents" / name).write_text(shipped()[name])
    return "accepted" if code == 0 else refusal
