"""The check of the end state: what is true in the world, whatever anyone says of it."""

from __future__ import annotations

from evals.case import State
from evals.cel import ConditionError, compile_condition
from evals.checks.material import Material
from evals.checks.verdict import failed, passed, ungraded
from evals.grade import Result

VARIABLES = frozenset({"state", "log"})


def validate(check: State, where: str) -> None:
    """Raises UserError for a condition that cannot be compiled."""
    compile_condition(check.where, VARIABLES, where)


def state(check: State, material: Material) -> Result:
    """Passes if the condition is true of the end state.

    No answer leaves it ungraded: the state is the world's own, so that it is the case that asks the wrong thing.
    """
    condition = compile_condition(check.where, VARIABLES, material.case.id)
    try:
        holds = condition.holds(material.world)
    except ConditionError as error:
        return ungraded(check, f"the condition has no answer for this state: {error.reason}")
    return passed(check) if holds else failed(check, f"false of the end state: {check.where}")
