"""The check of a number that an output states, and of the evidence that it cites."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from evals.case import Claim
from evals.checks.material import Hand, Material, objects
from evals.checks.units import UnitError, convert, parse_unit
from evals.checks.verdict import failed, passed, shown
from evals.errors import UserError
from evals.grade import Result

JSON = Any
ROUNDING = 1e-9
"""Relative slack at the edge of a tolerance: a claim exactly at it must pass after a conversion of units."""


def validate(check: Claim, where: str) -> None:
    """Raises UserError for a unit that is none, and for a tolerance that is no interval."""
    try:
        parse_unit(check.unit)
    except UnitError as error:
        raise UserError(str(error), where=where, do="Write it like h, kg/d or mmHg.") from None
    if not math.isfinite(check.value) or tolerance(check) <= 0:
        raise UserError(
            f"{check.quantity} has no interval around {check.value:g}", where=where, do="Give a finite value and `abs`."
        )


def claim(check: Claim, material: Material) -> Result:
    """Passes if the output states the quantity, and each time it does, within tolerance and grounded.

    A claim is any object of the final output with `quantity` and `value`, wherever it stands. Two claims of one
    quantity that contradict each other cannot both be within tolerance.
    """
    output = material.output_of(check.role)
    author = check.role or material.role
    if output is None:
        return failed(check, f"{author or 'the candidate'} gave no final output")
    claims = [node for node in objects(output) if "quantity" in node and "value" in node]
    mine = [node for node in claims if node["quantity"] == check.quantity]
    if not mine:
        return failed(check, f"no claim of {check.quantity}{_others(claims)}")
    received = material.received_by(author)
    problems = [problem for node in mine for problem in _problems(check, node, author, received)]
    data: dict[str, Any] = {"claims": len(mine), "second_hand": _second_hand(mine, received)}
    return failed(check, "; ".join(problems), **data) if problems else passed(check, **data)


def tolerance(check: Claim) -> float:
    """The wider of the relative and the absolute tolerance, in the unit of the check."""
    return max((check.rel or 0.0) * abs(check.value), check.abs or 0.0)


def _problems(check: Claim, node: Mapping[str, JSON], author: str | None, received: Mapping[str, Hand]) -> list[str]:
    found = [_value_problem(check, node), _evidence_problem(node, author, received) if check.grounded else ""]
    return [problem for problem in found if problem]


def _value_problem(check: Claim, node: Mapping[str, JSON]) -> str:
    value, unit = _number(node["value"]), node.get("unit")
    if value is None:
        return f"{check.quantity} is {shown(node['value'])}, which is not a finite number"
    if not isinstance(unit, str):
        return f"{check.quantity} is {value:g} without a unit"
    try:
        converted = convert(value, unit, check.unit)
    except UnitError as error:
        return f"{check.quantity} is {value:g}, but {error}"
    off, allowed = abs(converted - check.value), tolerance(check)
    if off <= allowed * (1 + ROUNDING):
        return ""
    expected = f"expected {check.value:g} {check.unit} within {allowed:.4g}"
    return f"{check.quantity} is {converted:g} {check.unit}, {expected}: off by {off:.4g}"


def _number(value: JSON) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _evidence_problem(node: Mapping[str, JSON], author: str | None, received: Mapping[str, Hand]) -> str:
    cited = _cited(node)
    if cited is None:
        return f"the claim of {node['quantity']} cites no list of evidence ids"
    unknown = [name for name in cited if name not in received]
    if unknown:
        return (
            f"the claim of {node['quantity']} cites {shown(unknown[0])}, which {author or 'its author'} never received"
        )
    return ""


def _cited(node: Mapping[str, JSON]) -> list[str] | None:
    cited = node.get("evidence")
    if not isinstance(cited, list) or not cited:
        return None
    names = [name for name in cast(list[JSON], cited) if isinstance(name, str)]
    return names if len(names) == len(cast(list[JSON], cited)) else None


def _second_hand(claims: list[dict[str, JSON]], received: Mapping[str, Hand]) -> list[str]:
    return sorted({name for node in claims for name in _cited(node) or [] if received.get(name) == "second"})


def _others(claims: list[dict[str, JSON]]) -> str:
    names = sorted({node["quantity"] for node in claims if isinstance(node["quantity"], str)})
    return f"; the output claims {shown(names)}" if names else ""
