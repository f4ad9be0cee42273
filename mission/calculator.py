"""A bounded calculator: arithmetic that is parsed, never evaluated as code."""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable

from documents.words import short

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
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "exp": math.exp,
    "ln": math.log,
    "log10": math.log10,
    "sqrt": math.sqrt,
}
_CHOICES: dict[str, Callable[[list[float]], float]] = {"max": max, "min": min}
_KNOWN = "numbers, + - * / ** and abs exp ln log10 max min sqrt"


def calculate(expression: str) -> float:
    """The value of an arithmetic expression of numbers, + - * / **, parentheses, abs exp ln log10 max min sqrt.

    Raises ValueError that says which part is not arithmetic, has no real value, or is out of bounds.
    """
    if len(expression) > MAX_LENGTH:
        raise ValueError(f"the expression is longer than {MAX_LENGTH} characters")
    if not expression.isprintable():
        raise ValueError(
            f"{short(expression)} is not an arithmetic expression: leave line breaks and odd characters out"
        )
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
            tree = ast.parse(expression.strip(), mode="eval")
        value = _value(tree.body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"{short(expression)} is not an arithmetic expression: use {_KNOWN}") from error
    if abs(value) > MAX_MAGNITUDE:
        raise ValueError(f"the value is beyond {MAX_MAGNITUDE:g}")
    return value


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=bool()):
            raise ValueError("true and false are not numbers")
        case ast.Constant(value=int() | float() as number):
            return _finite(node, float, number)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _finite(node, _BINARY[type(op)], _value(left), _value(right))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            return _UNARY[type(op)](_value(operand))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return _finite(node, _FUNCTIONS[name], _value(argument))
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as arguments, keywords=[]) if name in _CHOICES:
            return _CHOICES[name]([_value(argument) for argument in arguments])
        case _:
            raise ValueError(f"{short(ast.unparse(node))} is not arithmetic: use {_KNOWN}")


def _finite(node: ast.expr, compute: Callable[..., float], *numbers: float) -> float:
    """One step. An infinity would vanish again under a fraction line, so it is refused where it arises."""
    try:
        value = compute(*numbers)
    except ZeroDivisionError as error:
        raise ValueError(f"{short(ast.unparse(node))} divides by zero") from error
    except OverflowError as error:
        raise ValueError(f"{short(ast.unparse(node))} is too large") from error
    except ValueError as error:
        raise ValueError(f"{short(ast.unparse(node))} has no real value") from error
    if not math.isfinite(value):
        raise ValueError(f"{short(ast.unparse(node))} is too large")
    return value
