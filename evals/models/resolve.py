"""From a model string to the model object that answers for a role."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from evals.candidate import ModelRef
from evals.errors import UserError
from evals.system import System

if TYPE_CHECKING:
    from agents import Model

LIVE_PROVIDERS = ("openai",)


def check_model(system: System, reference: ModelRef) -> None:
    """Refuse a model that nothing here can run. Raises UserError with the known ones."""
    if reference.provider == "pilot":
        if reference.name not in system.pilots():
            known = ", ".join(f"pilot/{name}" for name in system.pilots())
            raise UserError(f"unknown model {reference}", do=f"This system's pilots are {known}")
    elif reference.provider not in LIVE_PROVIDERS:
        known = ", ".join((*(f"pilot/{name}" for name in system.pilots()), "openai/<model>@<effort>"))
        raise UserError(f"unknown model {reference}", do=f"Known are {known}")


def resolver(system: System, live: Callable[[str, ModelRef], Model] | None) -> Callable[[str, ModelRef], Model]:
    """The models of a run: pilots from the system, paid ones from `live`.

    Raises UserError when asked for a paid model while `live` is None: paid calls are on hold.
    """

    def model_for(role: str, reference: ModelRef) -> Model:
        check_model(system, reference)
        if reference.provider == "pilot":
            return system.pilot(reference.name, role)
        if live is None:
            raise UserError(
                f"{reference} for role {role} is a paid model, and paid calls are on hold",
                do="Give --live and --limit-usd to release them",
            )
        return live(role, reference)

    return model_for
