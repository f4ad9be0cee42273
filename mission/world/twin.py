"""A second copy of everything that a world can change, in one pass and without a copy of its unchanging past."""

from __future__ import annotations

import copy
from functools import cache
from operator import is_
from types import FunctionType, GeneratorType, MethodType
from typing import Any, cast

from pydantic import BaseModel

from mission.world.lookout import Watch

Memo = dict[int, Any]
"""Copies by the id of what they were made from; filled beforehand, it says what stands for what."""


def twin(value: Any, memo: Memo) -> Any:
    """A copy that shares what cannot change and nothing else.

    Frozen records are shared: what they hold is taken as frozen too. Methods are bound to the copy of their owner.
    Raises TypeError for what hides state where no copy can follow: closures, generators and watches.
    """
    kind = cast("type[Any]", type(value))
    if is_shared(kind):
        return value
    if id(value) in memo:
        return memo[id(value)]
    if kind is list:
        return _list(cast("list[Any]", value), memo)
    if kind is tuple:
        made = tuple(twin(item, memo) for item in cast("tuple[Any, ...]", value))
        return value if all(map(is_, made, value)) else made
    if kind is dict:
        copied: dict[Any, Any] = {}
        memo[id(value)] = copied
        copied.update((key, twin(item, memo)) for key, item in cast("dict[Any, Any]", value).items())
        return copied
    if kind is MethodType:
        return MethodType(value.__func__, twin(value.__self__, memo))
    return _other(value, kind, memo)


def _list(value: list[Any], memo: Memo) -> list[Any]:
    made: list[Any] = []
    memo[id(value)] = made
    made.extend(value if all(map(is_shared, set(map(type, value)))) else [twin(item, memo) for item in value])
    return made


def _other(value: Any, kind: type[Any], memo: Memo) -> Any:
    if kind is Watch or kind is GeneratorType or (kind is FunctionType and value.__closure__):
        raise TypeError(f"{value!r} is kept in the state of a world; only data and methods can be, or no fork is safe")
    if kind.__new__ is object.__new__ and hasattr(value, "__dict__") and not hasattr(kind, "__deepcopy__"):
        memo[id(value)] = made = object.__new__(kind)
        made.__dict__.update((key, twin(item, memo)) for key, item in value.__dict__.items())
        return made
    return copy.deepcopy(value, memo)


@cache
def is_shared(kind: type[Any]) -> bool:
    """Whether nothing of this type can change."""
    if kind in (type(None), bool, int, float, str, bytes, type):
        return True
    if kind is Watch or kind is tuple:
        return False
    if issubclass(kind, BaseModel):
        return bool(kind.model_config.get("frozen"))
    parameters = getattr(kind, "__dataclass_params__", None)
    return issubclass(kind, tuple) or (parameters is not None and parameters.frozen)
