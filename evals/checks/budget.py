"""The check of the case's budget: turns, tool calls, seconds, dollars."""

from __future__ import annotations

from evals.candidate import parse_model
from evals.case import BudgetCheck
from evals.checks.material import Material
from evals.checks.verdict import failed, passed, ungraded
from evals.grade import Result

OFFLINE = frozenset({"pilot", "scripted", "replay"})
"""Providers that call no one, so that there is nothing to pay."""


def budget(check: BudgetCheck, material: Material) -> Result:
    """Passes if every limit of the case's budget was kept.

    A cost that is unknown leaves it ungraded where a limit on dollars is set and a model that is paid for ran:
    unknown is not zero.
    """
    used = _used(material)
    limits = material.case.budget.model_dump(exclude_none=True)
    over = [
        f"{name} {used[name]:g} of {limit:g}, over by {used[name] - limit:.4g}"
        for name, limit in limits.items()
        if name in used and used[name] > limit
    ]
    if over:
        return failed(check, "; ".join(over), **used)
    paid = _paid(material)
    if "usd" in limits and "usd" not in used and paid:
        return ungraded(check, f"the cost of {', '.join(paid)} is unknown, and the budget limits it", **used)
    return passed(check, **used)


def _used(material: Material) -> dict[str, float]:
    kinds = [event.kind for event in material.episode.trace]
    used: dict[str, float] = {
        "turns": kinds.count("model_response"),
        "tool_calls": kinds.count("tool_call") + kinds.count("handoff"),
        "seconds": material.episode.wall_s,
    }
    return used if material.episode.usd is None else used | {"usd": material.episode.usd}


def _paid(material: Material) -> list[str]:
    """The models that ran and cost something, known or not."""
    episode = material.episode
    ran = sorted({model for role, model in episode.resolved.models.items() if role in episode.usage})
    return [model for model in ran if parse_model(model).provider not in OFFLINE]
