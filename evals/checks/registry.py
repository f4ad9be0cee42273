"""Every kind of check, and the function that evaluates it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evals.case import BudgetCheck, Called, Case, Check, CheckBase, Claim, FieldCheck, Forbidden, Order, State
from evals.checks import budget, called, claim, field, state
from evals.checks.material import Material
from evals.grade import Result

EVALUATE: Mapping[type[CheckBase], Callable[[Any, Material], Result]] = {
    Called: called.called,
    Forbidden: called.forbidden,
    Order: called.order,
    FieldCheck: field.field,
    Claim: claim.claim,
    State: state.state,
    BudgetCheck: budget.budget,
}
VALIDATE: Mapping[type[CheckBase], Callable[[Any, str], None]] = {
    Called: called.validate,
    Forbidden: called.validate,
    Order: called.validate,
    FieldCheck: field.validate,
    Claim: claim.validate,
    State: state.validate,
}
"""What can be wrong with a check before there is an episode. A budget check has nothing of its own."""


def evaluate(check: Check, material: Material) -> Result:
    """The result of one check, a pure function of check and material. Raises UserError where `validate` would."""
    return EVALUATE[type(check)](check, material)


def validate(case: Case) -> None:
    """Raises UserError for the first check of a case that cannot be evaluated, naming case and check."""
    for check in case.expect.checks:
        if type(check) in VALIDATE:
            VALIDATE[type(check)](check, f"{case.id}: check {check.name}")
