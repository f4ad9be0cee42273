"""The case contract: one test, as it is written in `cases/`."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from documents.words import short
from evals.clock import Clock, unstated
from evals.contract import Contract


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"/{pattern}/ is no regular expression: {error}") from None
    return pattern


def _is_written(day: Any) -> date:
    """A number is not a day, though pydantic would count it in seconds from 1970."""
    if isinstance(day, date):
        return day
    if isinstance(day, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", day):
        with suppress(ValueError):
            return date.fromisoformat(day)
    raise ValueError(f"should be a day such as 2026-12-01, not {short(day)}")


Pattern = Annotated[str, AfterValidator(_compiles)]
"""A regular expression."""
Day = Annotated[date, BeforeValidator(_is_written)]
Scope = Literal["tool", "agent", "handoff", "workflow"]
JSON = Any


class CheckBase(Contract):
    id: str | None = None
    """Name in reports and in `must_fail.on`; by default the kind of check."""

    @property
    def name(self) -> str:
        return self.id or str(getattr(self, "check"))  # noqa: B009


class Called(CheckBase):
    """A tool was called, `at_least` to `at_most` times, with `where` true of the call.

    `where` is CEL over `args`, `result` (parsed JSON where it is JSON), `error` (the call failed, or never came
    back) and `role`.
    """

    check: Literal["called"]
    tool: str
    role: str | None = None
    where: str | None = None
    at_least: int = Field(1, ge=1)
    at_most: int | None = None


class Forbidden(CheckBase):
    """No call of `tool` for which `where` is true."""

    check: Literal["forbidden"]
    tool: str
    role: str | None = None
    where: str | None = None


class FieldCheck(CheckBase):
    """A field of the final output: exactly one of `equals`, `one_of`, `where` (CEL over `value`, `output`)."""

    check: Literal["field"]
    path: str
    role: str | None = None
    equals: JSON = None
    one_of: list[JSON] | None = None
    where: str | None = None

    @model_validator(mode="after")
    def _one_test(self) -> Self:
        given = [name for name in ("equals", "one_of", "where") if name in self.model_fields_set]
        if len(given) != 1:
            raise ValueError(f"a field check takes exactly one of equals, one_of, where; got {given or 'none'}")
        return self


class Claim(CheckBase):
    """A number the output states: `quantity` within tolerance of `value`, in any unit convertible to `unit`.

    `grounded` asks that the claim cites evidence ids, and that its author received every one of them.
    """

    check: Literal["claim"]
    quantity: str
    unit: str
    value: float
    rel: float | None = Field(None, gt=0)
    abs: float | None = Field(None, gt=0)
    grounded: bool = True
    role: str | None = None

    @model_validator(mode="after")
    def _a_tolerance(self) -> Self:
        if self.rel is None and self.abs is None:
            raise ValueError("a claim needs a tolerance: rel, abs or both (the wider one counts)")
        return self


class State(CheckBase):
    """`where` (CEL over `state` and `log`) is true of the end state the episode left behind."""

    check: Literal["state"]
    where: str


class Call(Contract):
    tool: str
    where: str | None = None
    role: str | None = None


class Order(CheckBase):
    """Some call matching `first` comes before the first call matching `then`; `then` must occur."""

    check: Literal["order"]
    first: Call
    then: Call


class BudgetCheck(CheckBase):
    """The episode stayed within the case's budget (turns, tool calls, seconds, usd)."""

    check: Literal["budget"]


Check = Annotated[Called | Forbidden | FieldCheck | Claim | State | Order | BudgetCheck, Field(discriminator="check")]


class StandIn(Contract):
    """What the offline stand-in judge looks for: regular expressions, case-insensitive.

    Every one of `says` must match the response and none of `never`; the first match of `says[0]` is the quote.
    """

    says: list[Pattern] = Field(min_length=1)
    never: list[Pattern] = []


class Criterion(Contract):
    """One sentence of the rubric, judged alone."""

    id: str
    criterion: str
    stand_in: StandIn | None = None


class ScriptedCall(Contract):
    tool: str
    args: dict[str, JSON] = {}


class Step(Contract):
    """One scripted model response: tool calls, or the final output of a run."""

    calls: list[ScriptedCall] | None = None
    output: JSON = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.calls is None) == ("output" not in self.model_fields_set):
            raise ValueError("a step has either calls or an output")
        return self


Script = dict[str, list[Step]]
"""Scripted responses by role, in the order the role is asked."""


class Reference(Contract):
    """A response that must pass: a script for every live role of the case."""

    case: str
    roles: Script


class MustPass(Contract):
    reference: str


class MustFail(Contract):
    """A plausible response that must fail, on every check named in `on`.

    It is the reference with one difference: `steps` replaces whole scripts by role; `response` replaces the
    final output of the case's role (the consumer in a handoff); `patch` merges into final outputs by role (RFC 7396).
    """

    because: str
    on: list[str] = Field(min_length=1)
    steps: Script | None = None
    response: JSON = None
    patch: dict[str, JSON] | None = None

    @model_validator(mode="after")
    def _one_difference(self) -> Self:
        given = self.model_fields_set & {"steps", "response", "patch"}
        if len(given) != 1:
            raise ValueError("a must_fail entry takes exactly one of steps, response, patch")
        return self


class Expect(Contract):
    checks: list[Check] = Field(min_length=1)
    rubric: list[Criterion] = []
    must_pass: MustPass
    must_fail: list[MustFail] = Field(min_length=1)

    @model_validator(mode="after")
    def _names(self) -> Self:
        names = [check.name for check in self.checks] + [criterion.id for criterion in self.rubric]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two checks are called {', '.join(twice)}: give each an id of its own")
        for entry in self.must_fail:
            unknown = [name for name in entry.on if name not in names]
            if unknown:
                raise ValueError(f"must_fail names {', '.join(unknown)}; this case has {', '.join(names)}")
        return self


class Budget(Contract):
    """Hard limits of one episode. `turns` are model responses, over all roles that are live; a week is the longest."""

    turns: int = Field(ge=1, le=10_000)
    tool_calls: int = Field(ge=0, le=100_000)
    seconds: float = Field(gt=0, le=604_800)
    usd: float | None = Field(None, gt=0, le=1_000_000)


class FrozenReport(Contract):
    """A recorded report that stands in for a role.

    `answers` are regular expressions; a question that matches none of them is told that the recording
    cannot answer it. Left out, a question is answered if it shares a word of four letters with the report.
    """

    report: JSON
    answers: list[Pattern] | None = None


class Authorizer(Contract):
    """The controlled human of a workflow case."""

    decision: Literal["approve", "decline", "expire"] = "approve"
    after_s: float = Field(default=0.0, ge=0, le=604_800)


class Setup(Contract):
    """How the case starts. `frozen`, `authorizer`, `clock` are the instrument's; every other key is the system's own.

    `clock` is what thinking costs where neither the plan nor the candidate says so.
    """

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)

    frozen: dict[str, FrozenReport] = {}
    authorizer: Authorizer = Authorizer()
    clock: Clock | None = Field(default=None, exclude_if=unstated)

    @model_validator(mode="after")
    def _same_for_everyone(self) -> Self:
        if self.clock is not None and self.clock.measures:
            raise ValueError("the clock of a case is off, fixed or drawn: a measured one is a plan's or a candidate's")
        return self

    @property
    def world(self) -> dict[str, JSON]:
        """What the system is opened with: a scenario, a seed, whatever it takes. The system refuses any other."""
        return dict(self.model_extra or {})


class Boundary(Contract):
    """The boundary a handoff case tests."""

    producer: str
    consumer: str


class Tags(Contract):
    mechanism: str
    expects: Literal["act", "refrain", "report", "object"]
    difficulty: Literal["easy", "medium", "hard"]


class Provenance(Contract):
    source: Literal["authored", "generated", "promoted"]
    basis: str
    review: str
    reviewed: Day


class ToolCallInput(Contract):
    """The structured input of a tool-scope case."""

    tool: str
    args: dict[str, JSON] = {}
    role: str


class Case(Contract):
    """One test: input, setup, expected behaviour, budget, provenance, split."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    system: str
    scope: Scope
    role: str | None = None
    boundary: Boundary | None = None
    call: ToolCallInput | None = None
    task: str = Field(min_length=1)
    setup: Setup = Setup()
    expect: Expect
    budget: Budget
    tags: Tags
    provenance: Provenance
    split: Literal["dev", "heldout"] = "dev"

    @model_validator(mode="after")
    def _scope_has_what_it_needs(self) -> Self:
        needs = {"agent": "role", "handoff": "boundary", "tool": "call"}
        for scope, field in needs.items():
            if (self.scope == scope) != (getattr(self, field) is not None):
                verb = "needs" if self.scope == scope else "takes no"
                raise ValueError(f"a case of scope {self.scope} {verb} `{field}`")
        return self
