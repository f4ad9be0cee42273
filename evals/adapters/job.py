"""What one trial is made of."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evals.candidate import Candidate, ModelRef
from evals.case import Case
from evals.clock import Clock
from evals.system import System

if TYPE_CHECKING:
    from agents import Model

ModelFor = Callable[[str, ModelRef], "Model"]
"""The model object that answers for a role."""


@dataclass(frozen=True)
class Job:
    """One cell of the matrix, with all it needs. `wall` is the wall clock, in seconds.

    `clock` is the plan's. `measured` has what each model call took, for a replay: wall seconds by role and number.
    """

    system: System
    case: Case
    candidate: Candidate
    trial: int
    model_for: ModelFor
    wall: Callable[[], float] = time.monotonic
    price: Callable[[str, Mapping[str, int]], float | None] | None = None
    software: Mapping[str, str] = field(default_factory=dict[str, str])
    clock: Clock | None = None
    measured: Mapping[tuple[str, int], float] | None = None
