"""Hostile plans with their policies, prices and judges, made ready as `simsup run --live` does."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from evals.judge import JudgeFile
from evals.plan import Plan
from evals.prices import Prices
from fuzz.texts import files, text
from fuzz.values import from_schema
from fuzz.workspace import NAME, ROOT, make, simsup, tree

READY = "--live needs a spending limit"
"""What is said of a plan that is ready to fly, before anything is flown."""
SCHEMAS = {
    "plan": Plan.model_json_schema(),
    "prices": Prices.model_json_schema(),
    "judge": JudgeFile.model_json_schema(),
}
_THINKING = st.sampled_from((
    "off",
    "drawn",
    {"kind": "fixed", "seconds": 5},
    {"kind": "drawn", "median_s": 20, "sigma": 0.5, "seed": 3},
    {"kind": "recorded", "scale": 2},
))  # fmt: skip
_MODELS = st.sampled_from(("pilot/expert", "openai/gpt-6-luna@low", "openai/gpt-6-sol", "pilot/none", "a/b@c", "x"))
_CLOCK = st.fixed_dictionaries({"thinking": _THINKING})
_CANDIDATE = st.fixed_dictionaries(
    {"id": st.sampled_from(("a", "b", "c")), "model": _MODELS}, optional={"clock": _CLOCK}
)
_SECTIONS = st.fixed_dictionaries(
    {},
    optional={
        "candidates": st.lists(_CANDIDATE, min_size=1, max_size=3),
        "policy": from_schema(SCHEMAS["plan"]["$defs"]["Policy"], SCHEMAS["plan"]),
        "clock": _CLOCK,
        "trials": st.sampled_from((1, 3, 10_000, 10**30, 0, -1, 1.5, True)),
    },
)


@cache
def shipped() -> dict[str, Any]:
    plan = tree(ROOT / "decisions" / "first-flight" / "plan.yaml")
    known = {name: tree(ROOT / f"{name}.yaml") for name in ("prices", "judge")}
    return known | {"plan": plan | {"id": NAME, "cases": ["*"]}}


@st.composite
def decisions(draw: st.DrawFn) -> dict[str, bytes]:
    """A plan, prices and a judge by name, with something wrong in one of them, or sections of any kind."""
    sound = shipped() | {"plan": shipped()["plan"] | draw(_SECTIONS)}
    written = {name: text(one).encode() for name, one in sound.items()}
    which = draw(st.sampled_from(("plan", "plan", "plan", "prices", "judge", "none")))
    if which != "none":
        written[which] = draw(files(sound[which], SCHEMAS[which], {"id": NAME} if which == "plan" else {}))
    return written


def drive(folder: Path, example: dict[str, bytes]) -> str:
    """Read and check a plan and all it names; nothing is flown without a spending limit."""
    root = make(folder)
    before = {path: path.read_bytes() for path in (root / "prices.yaml", root / "judge.yaml")}
    try:
        for name, data in example.items():
            (root / (f"decisions/{NAME}/plan.yaml" if name == "plan" else f"{name}.yaml")).write_bytes(data)
        _, refusal = simsup(root, "run", NAME, "--live", because=[*example.values()])
    finally:
        for path, data in before.items():
            path.write_bytes(data)
    return "accepted" if READY in refusal else refusal
