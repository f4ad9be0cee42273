"""Results of checks, and how values are shown in their reasons."""

from __future__ import annotations

import json
from typing import Any

from evals.case import Check
from evals.grade import Result, Verdict

SHOWN = 80
"""Characters of a value in a reason: one line of a report has room for little more."""


def passed(check: Check, **data: Any) -> Result:
    return _result(check, "pass", "", data)


def failed(check: Check, reason: str, **data: Any) -> Result:
    return _result(check, "fail", reason, data)


def ungraded(check: Check, reason: str, **data: Any) -> Result:
    return _result(check, "ungraded", reason, data)


def _result(check: Check, verdict: Verdict, reason: str, data: dict[str, Any]) -> Result:
    return Result(name=check.name, kind=check.check, layer="deterministic", verdict=verdict, reason=reason, data=data)


def shown(value: Any) -> str:
    """A value as JSON for a reason; one that is too long says how long it is."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text)} characters)"
