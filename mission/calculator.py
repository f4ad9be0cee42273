"""A bounded calculator: arithmetic that is parsed, never evaluated as code."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

MAX_LENGTH = 400
MAX_MAGNITUDE = 1e15

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b,
    ast.Pow: math.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "exp": math.exp,
    "ln": math.log,
    "log10": math.log10,
    "max": max,
    "min": min,
    "sqrt": math.sqrt,
}


def calculate(expression: str) -> float:
    """The value of an arithmetic expression of numbers, + - * / **, parentheses, abs exp ln log10 max min sqrt.

    Raises ValueError that says which part is not arithmetic, or that the value is out of bounds.
    """
    if len(expression) > MAX_LENGTH:
        raise ValueError(f"the expression is longer than {MAX_LENGTH} characters")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        value = _value(tree.body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"{expression!r} is not an arithmetic expression") from error
    except ZeroDivisionError as error:
        raise ValueError("division by zero") from error
    except (OverflowError, TypeError) as error:
        raise ValueError(f"{expression!r} cannot be computed: {error}") from error
    if not math.isfinite(value) or abs(value) > MAX_MAGNITUDE:
        raise ValueError(f"the value is beyond {MAX_MAGNITUDE:g}")
    return value


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=bool()):
            raise ValueError("true and false are not numbers")
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left), _value(right))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            return _UNARY[type(op)](_value(operand))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS and args:
            return float(_FUNCTIONS[name](*(_value(arg) for arg in args)))
        case _:
            raise ValueError(
                f"{ast.unparse(node)!r} is not arithmetic: use numbers, + - * / ** and {', '.join(_FUNCTIONS)}"
            )
