"""Deterministic checks, one module a family; each is a pure function of a check and the material."""

from evals.checks.material import Material, ToolCall, material_of
from evals.checks.registry import evaluate, validate

__all__ = ("Material", "ToolCall", "evaluate", "material_of", "validate")
