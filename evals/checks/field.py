"""The check of one field of a final output."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, cast

from evals.case import FieldCheck
from evals.cel import ConditionError, compile_condition
from evals.checks.material import Material
from evals.checks.verdict import failed, passed, shown
from evals.errors import UserError
from evals.grade import Result

JSON = Any
VARIABLES = frozenset({"value", "output"})
_PATH = re.compile(r"[^.\[\]]+(\[-?\d+\])*(\.[^.\[\]]+(\[-?\d+\])*)*")
_PART = re.compile(r"\[(-?\d+)\]|([^.\[\]]+)")


def validate(check: FieldCheck, where: str) -> None:
    """Raises UserError for a path or a condition that cannot be read."""
    parse_path(check.path, where)
    if check.where is not None:
        compile_condition(check.where, VARIABLES, where)


def field(check: FieldCheck, material: Material) -> Result:
    """Passes if the field has the value, one of the values, or a value for which `where` is true.

    Numbers are equal as numbers (1 and 1.0), and true is no number. A field that is missing, and a condition
    that has no answer for the value given, are the candidate's fault: its output has the wrong shape.
    """
    output = material.output_of(check.role)
    if output is None:
        return failed(check, f"{check.role or material.role or 'the candidate'} gave no final output")
    try:
        value = look_up(output, parse_path(check.path, material.case.id))
    except LookupError:
        return failed(check, f"the output has no field {check.path}")
    reason = _mismatch(check, value, output, material.case.id)
    return failed(check, reason) if reason else passed(check)


def _mismatch(check: FieldCheck, value: JSON, output: JSON, where: str) -> str:
    if check.where is not None:
        condition = compile_condition(check.where, VARIABLES, where)
        try:
            holds = condition.holds({"value": value, "output": output})
        except ConditionError as error:
            return f"{check.path} is {shown(value)}, for which the condition has no answer: {error.reason}"
        return "" if holds else f"{check.path} is {shown(value)}, for which the condition is false: {check.where}"
    if check.one_of is not None:
        known = any(same(value, other) for other in check.one_of)
        return "" if known else f"{check.path} is {shown(value)}, expected one of {shown(check.one_of)}"
    return "" if same(value, check.equals) else f"{check.path} is {shown(value)}, expected {shown(check.equals)}"


@lru_cache(maxsize=1024)
def parse_path(path: str, where: str) -> tuple[str | int, ...]:
    """`steps[0].command` as ("steps", 0, "command"). Raises UserError for anything else."""
    if _PATH.fullmatch(path) is None:
        raise UserError(f"path {path!r} cannot be read", where=where, do="Write it like status or steps[0].command.")
    return tuple(int(index) if index else name for index, name in _PART.findall(path))


def look_up(value: JSON, path: tuple[str | int, ...]) -> JSON:
    """The value at a path; a negative index counts from the end. Raises LookupError if there is none."""
    for part in path:
        fits = isinstance(value, list if isinstance(part, int) else dict)
        if not fits:
            raise LookupError(part)
        value = value[part]
    return value


def same(left: JSON, right: JSON) -> bool:
    """Whether two JSON values are equal, with true and 1 kept apart."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        a, b = cast(dict[str, JSON], left), cast(dict[str, JSON], right)
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(left, list) and isinstance(right, list):
        c, d = cast(list[JSON], left), cast(list[JSON], right)
        return len(c) == len(d) and all(map(same, c, d))
    return left == right
