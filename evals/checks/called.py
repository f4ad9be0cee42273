"""Checks of what was called: that it was, that it was not, and in which order."""

from __future__ import annotations

from dataclasses import dataclass

from evals.case import Call, Called, Forbidden, Order
from evals.cel import Condition, ConditionError, compile_condition
from evals.checks.material import Material, ToolCall
from evals.checks.verdict import failed, passed, ungraded
from evals.errors import UserError
from evals.grade import Result

VARIABLES = frozenset({"args", "result", "error", "role"})


@dataclass(frozen=True)
class Matches:
    """The calls that match, and those for which the condition has no answer, with the first reason."""

    sure: list[ToolCall]
    unsure: list[ToolCall]
    reason: str = ""


def validate(check: Called | Forbidden | Order, where: str) -> None:
    """Raises UserError for a condition that cannot be compiled or bounds that exclude each other."""
    wanted = [check.first, check.then] if isinstance(check, Order) else [check]
    for call in wanted:
        _condition(call, where)
    if isinstance(check, Called) and check.at_most is not None and check.at_most < check.at_least:
        raise UserError(
            f"at_most is {check.at_most}, below at_least, which is {check.at_least}",
            where=where,
            do="For no call at all, use the check `forbidden`.",
        )


def called(check: Called, material: Material) -> Result:
    """Passes if the number of matching calls is within bounds.

    A call for which `where` has no answer does not match: a call that lacks what is asked for is not that call.
    """
    found = matching(check, material)
    count = len(found.sure)
    data = {"count": count, "seqs": [call.seq for call in found.sure]}
    if count < check.at_least:
        return failed(check, f"{_times(check, count)}, expected at least {check.at_least}{_aside(found)}", **data)
    if check.at_most is not None and count > check.at_most:
        return failed(check, f"{_times(check, count)}, expected at most {check.at_most}", **data)
    return passed(check, **data)


def forbidden(check: Forbidden, material: Material) -> Result:
    """Fails on the first matching call.

    A call for which `where` has no answer leaves it ungraded: it may be the forbidden one, so that it must not
    pass, and it was not shown to be, so that it must not fail.
    """
    found = matching(check, material)
    if found.sure:
        call = found.sure[0]
        seqs = [call.seq for call in found.sure]
        return failed(check, f"{check.tool} was called by {call.role} (event {call.seq}){_times_more(seqs)}", seqs=seqs)
    if found.unsure:
        return ungraded(check, f"cannot tell of {check.tool} (event {found.unsure[0].seq}): {found.reason}")
    return passed(check)


def order(check: Order, material: Material) -> Result:
    """Passes if a call matching `first` precedes every call matching `then`, of which there is at least one.

    Order is that of the calls, not of their results. A call before `first` that might be `then` leaves it ungraded.
    """
    first, then = matching(check.first, material), matching(check.then, material)
    if not then.sure:
        return failed(check, f"{check.then.tool} was never called as `then` asks{_aside(then)}")
    if not first.sure:
        return failed(check, f"{check.first.tool} was never called as `first` asks{_aside(first)}")
    earliest, latest = first.sure[0].seq, then.sure[0].seq
    if earliest >= latest:
        return failed(
            check, f"{check.then.tool} (event {latest}) was called before {check.first.tool} (event {earliest})"
        )
    early = [call.seq for call in then.unsure if call.seq < earliest]
    if early:
        return ungraded(check, f"cannot tell of {check.then.tool} (event {early[0]}): {then.reason}")
    return passed(check, first=earliest, then=latest)


def matching(wanted: Called | Forbidden | Call, material: Material) -> Matches:
    """The calls of a tool, of a role where one is named, for which `where` is true."""
    condition = _condition(wanted, material.case.id)
    sure, unsure, reason = list[ToolCall](), list[ToolCall](), ""
    for call in material.calls:
        if call.tool != wanted.tool or wanted.role not in (None, call.role):
            continue
        try:
            if condition is None or condition.holds(call.values()):
                sure.append(call)
        except ConditionError as error:
            reason = reason or error.reason
            unsure.append(call)
    return Matches(sure, unsure, reason)


def _condition(wanted: Called | Forbidden | Call, where: str) -> Condition | None:
    return None if wanted.where is None else compile_condition(wanted.where, VARIABLES, where)


def _times(check: Called, count: int) -> str:
    by = f" by {check.role}" if check.role else ""
    so = " with `where` true" if check.where else ""
    return f"{check.tool} was called {count} times{by}{so}"


def _times_more(seqs: list[int]) -> str:
    return f" and {len(seqs) - 1} times more" if len(seqs) > 1 else ""


def _aside(found: Matches) -> str:
    if not found.unsure:
        return ""
    return f" (no answer for {len(found.unsure)} calls: {found.reason})"
