"""Conditions of cases, in CEL: compiled once and checked when loaded, asked of JSON values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evals.errors import UserError

if TYPE_CHECKING:
    import cel

JSON = Any

_STRING = re.compile(r"'''.*?'''|\"\"\".*?\"\"\"|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_MACRO = re.compile(r"\.\s*(?:all|exists|exists_one|existsOne|map|filter)\s*\(\s*([A-Za-z_]\w*)\s*,")
_SYNTAX = re.compile(r"<input>:\d+:(\d+): (.*)")

TYPES = frozenset({"bool", "bytes", "double", "int", "list", "map", "null_type", "string", "uint"})
FUNCTIONS = frozenset(
    {"bytes", "contains", "double", "duration", "dyn", "endsWith", "int", "matches", "size", "startsWith", "string"}
    | {"timestamp", "type", "uint", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear"}
    | {"getHours", "getMilliseconds", "getMinutes", "getMonth", "getSeconds"}
)
"""The named functions of the CEL core that the library has; its operators have names that are no identifiers."""


class ConditionError(Exception):
    """A condition has no answer for these values: a key is missing, types do not fit, the answer is no boolean."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Facts:
    """Values that several conditions are asked of, each converted to CEL once and only if a condition names it."""

    def __init__(self, values: Mapping[str, JSON]) -> None:
        self._values = values
        self._context: cel.Context | None = None
        self._added: set[str] = set()

    def context(self, names: Iterable[str]) -> cel.Context:
        """The CEL context with at least these names. Raises ValueError for a value that is no JSON."""
        import cel

        if self._context is None:
            self._context = cel.Context()
        for name in names:
            if name not in self._added:
                self._context.add_variable(name, self._values[name])
                self._added.add(name)
        return self._context


@dataclass(frozen=True)
class Condition:
    """A compiled condition; `names` are the variables that it mentions."""

    text: str
    names: tuple[str, ...]
    program: cel.Program

    def holds(self, values: Mapping[str, JSON] | Facts) -> bool:
        """Whether the condition is true of these values.

        Raises ConditionError where there is no answer; a value that is not a boolean is none.
        """
        try:
            if isinstance(values, Facts):
                answer = self.program.execute(values.context(self.names))
            else:
                answer = self.program.execute({name: values[name] for name in self.names})
        except KeyError as error:
            raise ConditionError(f"there is no key {error}") from None
        except (TypeError, ValueError, ArithmeticError, IndexError, RuntimeError) as error:
            raise ConditionError(_first_sentence(error)) from None
        if not isinstance(answer, bool):
            raise ConditionError(f"the condition gives {type(answer).__name__}, not true or false")
        return answer


@lru_cache(maxsize=4096)
def compile_condition(text: str, variables: frozenset[str], where: str) -> Condition:
    """The condition in `text`, over the names in `variables`. `where` says where it is written, for errors.

    Raises UserError for text that is no CEL, and for a name or function that does not exist: left to the
    evaluation, these would look like a fault of what is judged.
    """
    import cel

    try:
        program = cel.compile(text)
    except ValueError as error:
        raise UserError(_syntax(text, error), where=where, do="Correct the condition.") from None
    bound = frozenset(_MACRO.findall(_STRING.sub("''", text)))
    names = program.variables()
    _refuse(where, "name", [name for name in names if name not in variables | bound | TYPES], variables)
    named = [name for name in program.functions() if name.isidentifier() and not name.startswith("_")]
    _refuse(where, "function", [name for name in named if name not in FUNCTIONS], FUNCTIONS)
    return Condition(text, tuple(name for name in names if name in variables), program)


def _refuse(where: str, kind: str, unknown: list[str], known: frozenset[str]) -> None:
    if unknown:
        raise UserError(f"unknown {kind} {unknown[0]!r}", where=where, do=f"Known here: {', '.join(sorted(known))}.")


def _syntax(text: str, error: ValueError) -> str:
    found = _SYNTAX.search(str(error))
    if found is None:
        return f"{text!r} is no CEL condition"
    problem = found[2].removeprefix("Syntax error: ").partition(" expecting ")[0]
    return f"{text!r} is no CEL condition: {problem} at character {found[1]}"


def _first_sentence(error: Exception) -> str:
    first = str(error).split("\n", 1)[0].split(". ", 1)[0].rstrip(".")
    return first[:1].lower() + first[1:]
