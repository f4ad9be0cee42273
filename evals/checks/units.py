"""Units as agents write them, converted with pint."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, cast

_LONGEST = 40
_FACTOR = re.compile(r"([A-Za-z°µμΩ%]+(?:_[A-Za-z]+)*)(?:(?:\^|\*\*)?(-?[1-9])|([²³]))?")
_BETWEEN = re.compile(r"\s*(/|·|\*(?!\*)|\bper\b)\s*|\s+")
_ALIASES = {
    "%": "percent",
    "pct": "percent",
    "dimensionless": "count",  # pint's name of the plain number
    "fraction": "count",
    "ratio": "count",
    "°C": "degC",
    "C": "degC",  # an agent that writes C means the temperature; no quantity here is in coulombs
    "°F": "degF",
    "psia": "psi",
    "ppmv": "ppm",
    "sols": "sol",
    "people": "count",
    "person": "count",
    "persons": "count",
    "crew": "count",
    "can": "count",
    "cans": "count",
}
_LOGARITHMIC = frozenset({"decade", "decibel", "decibelmicrowatt", "decibelmilliwatt", "neper", "octave"})
"""Units that pint cannot multiply or divide by others."""
_SOL = "sol = 88775.244 * second"
"""Mean solar day of Mars: Allison and McEwen, Planetary and Space Science 48 (2000) 215."""


class UnitError(ValueError):
    """A unit is unknown, or does not measure the same kind of quantity."""


def convert(value: float, unit: str, to: str) -> float:
    """`value` in `unit` as a number of `to`. Raises UnitError, which names the unit at fault."""
    if unit == to:
        return value
    source, target = parse_unit(unit), parse_unit(to)
    from pint.errors import PintError

    try:
        return float(_registry().Quantity(value, source).to(target).magnitude)
    except PintError:
        raise UnitError(f"{unit!r} cannot be converted to {to!r}") from None


@lru_cache(maxsize=1024)
def parse_unit(text: str) -> Any:
    """The pint unit that a text names: a product or quotient of unit names with whole powers.

    Raises UnitError. pint reads arithmetic as well, and would work out 10**10**10, so that only the names of
    units and small powers reach it.
    """
    return _registry().parse_units(_terms(text))


def _terms(text: str) -> str:
    """The text in pint's own notation. Raises UnitError for what is no product of powers."""
    rest = text.strip().replace("mm Hg", "mmHg")
    rest = re.sub(r"^1\s*/\s*", "count / ", rest)
    if rest in ("", "1"):
        return "count"
    if len(rest) > _LONGEST:
        raise UnitError(f"{rest[:_LONGEST]!r}... is not a unit")
    terms, sign = list[str](), "*"
    while rest:
        factor = _FACTOR.match(rest)
        if factor is None:
            raise UnitError(f"{text!r} is not a unit")
        power = int(factor[2] or {None: 1, "²": 2, "³": 3}[factor[3]])
        terms.append(f"{_name(factor[1], text)} ** {power if sign == '*' else -power}")
        rest = rest[factor.end() :]
        between = _BETWEEN.match(rest)
        if rest and (between is None or between.end() == len(rest)):
            raise UnitError(f"{text!r} is not a unit")
        if between is not None:
            sign = "/" if between[1] in ("/", "per") else "*"
            rest = rest[between.end() :]
    return " * ".join(terms)


def _name(written: str, text: str) -> str:
    """pint's full name of one unit; whole words may begin with a capital. Raises UnitError."""
    name = _ALIASES.get(written, written)
    tries = (name, name.lower()) if len(name) >= 4 else (name,)
    for found in (found for tried in tries for found in _registry().parse_unit_name(tried)):
        prefix, unit, _ = found
        if unit not in _LOGARITHMIC:
            return prefix + unit
    raise UnitError(f"{text!r} is not a unit")


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    registry = cast(Any, pint.UnitRegistry())
    registry.define(_SOL)
    return registry
