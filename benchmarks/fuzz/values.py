"""Strategies: values from a JSON schema, junk of every kind, and a tree with something wrong in it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

HUGE = (1e300, -1e300, 1e15, -1e15, 1e6, 1e-300, 1e-9, 2**63, -(2**63), 10**30, 0, -0.0, -1, 0.1, 1, 3, 90)
WORDS = (
    "", " ", "core", "lab", "airlock", "A", "B", "1", "all", "CM1", "CM1,CM2", "base", "rim", "true", "nan", "inf",
    "-inf", "1e999", "12:30", "2026-12-01", "Europe/Paris", "UTC+25:00", "state.", "state.air", "evidence.fan_check",
    "core.ppco2", "core.pio2", "start_bed", "masked_leak", "ignore all rules", "../../etc/passwd", "{{7*7}}", "${HOME}",
    "\u0000", "\u202e", "\ud7ff", "e\u0301", "\U0001f680", "'", '"', "\n", "a\nb", "%s%n", "x" * 3000,
)  # fmt: skip
"""Words that mean something somewhere, and words that have broken programs."""

words = st.sampled_from(WORDS) | st.text(max_size=12)
numbers = st.sampled_from(HUGE) | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | words
junk: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3), max_leaves=6
)


def from_schema(
    schema: Mapping[str, Any], root: Mapping[str, Any] | None = None, depth: int = 0
) -> st.SearchStrategy[Any]:
    """Values that a JSON schema allows, its limits among them; optional fields mostly left out."""
    root = schema if root is None else root
    if "$ref" in schema:
        return from_schema(root["$defs"][schema["$ref"].rpartition("/")[2]], root, depth)
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")]))
    choices = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if choices:
        return st.one_of([from_schema(choice, root, depth) for choice in choices])
    make = _KINDS.get(str(schema.get("type")))
    return make(schema, root, depth) if make else junk


def _object(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
    fields, required = schema.get("properties", {}), schema.get("required", [])
    if not fields:
        inner = schema.get("additionalProperties")
        return st.dictionaries(
            words, from_schema(inner, root, depth + 1) if isinstance(inner, dict) else junk, max_size=2
        )

    @st.composite
    def whole(draw: st.DrawFn) -> dict[str, Any]:
        chosen = draw(st.lists(st.sampled_from(sorted(fields)), max_size=2 if depth else 5, unique=True))
        return {
            name: draw(from_schema(fields[name], root, depth + 1)) for name in fields if name in {*required, *chosen}
        }

    return whole()


def _array(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
    if "prefixItems" in schema:
        return st.tuples(*(from_schema(item, root, depth + 1) for item in schema["prefixItems"])).map(list)
    low = schema.get("minItems", 0)
    return st.lists(
        from_schema(schema.get("items", {}), root, depth + 1),
        min_size=low,
        max_size=max(low, schema.get("maxItems", 3)),
    )


def _number(schema: Mapping[str, Any], _root: Mapping[str, Any], _depth: int) -> st.SearchStrategy[Any]:
    low, high = (
        schema.get("minimum", schema.get("exclusiveMinimum")),
        schema.get("maximum", schema.get("exclusiveMaximum")),
    )
    near = [edge for edge in (low, high) if edge is not None]
    near += [low + 1e-9, low + 1] if low is not None else [0.0]
    near += [high - 1e-9, high / 2] if high is not None else [1.0, 24.0, 1e4]
    if schema["type"] == "integer":
        return st.sampled_from([int(edge) for edge in near]) | st.integers(0, 10)
    wide = st.floats(low if low is not None else -1e3, high if high is not None else 1e3, allow_nan=False)
    return st.sampled_from(near) | wide


_KINDS: dict[str, Any] = {
    "object": _object,
    "array": _array,
    "number": _number,
    "integer": _number,
    "boolean": lambda *_: st.booleans(),
    "null": lambda *_: st.none(),
    "string": lambda schema, *_: st.sampled_from(("CM1", "cm-1", "a", "x0")) if "pattern" in schema else words,
}


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path into a tree of lists and tables."""
    inside = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [path, *(place for key, value in inside for place in places(value, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn, trees: st.SearchStrategy[Any], most: int = 3) -> Any:
    """A tree with one to `most` things wrong in it."""
    tree = copy.deepcopy(draw(trees))
    for _ in range(draw(st.integers(1, most))):
        tree = _mutate(draw, tree)
    return tree


def _mutate(draw: st.DrawFn, tree: Any) -> Any:
    known = places(tree)
    path = draw(st.sampled_from(known))
    if not path:
        return draw(junk) if draw(st.integers(0, 9)) == 0 else tree
    holder: Any = tree
    for key in path[:-1]:
        holder = holder[key]
    key, value = path[-1], holder[path[-1]]
    how = draw(st.sampled_from(("junk", "scale", "drop", "swap", "wrap", "word", "entry", "entry")))
    if how == "drop":
        del holder[key]
    elif how == "scale" and isinstance(value, int | float):
        holder[key] = value * draw(st.sampled_from((-1, 0, 1e-3, 0.5, 2, 10, 1e3, 1e9)))
    elif how == "swap":
        holder[key] = copy.deepcopy(_at(tree, draw(st.sampled_from(known))))
    elif how == "wrap":
        holder[key] = [value]
    elif how == "entry":
        _change_entries(draw, holder, key)
    else:
        holder[key] = draw(words if how == "word" else junk)
    return tree


def _change_entries(draw: st.DrawFn, holder: Any, key: Any) -> None:
    """Rename or add a field, or repeat an entry."""
    if isinstance(holder, list):
        holder.extend(copy.deepcopy([holder[key]] * draw(st.sampled_from((1, 2, 8)))))
    elif draw(st.booleans()):
        holder[draw(st.sampled_from((str(key)[1:], f"{key}s", str(key).upper(), "x")))] = holder.pop(key)
    else:
        holder[draw(words)] = draw(junk)


def _at(tree: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        tree = tree[step] if _has(tree, step) else tree
    return tree


def _has(tree: Any, step: Any) -> bool:
    return (
        step in tree
        if isinstance(tree, dict)
        else isinstance(tree, list) and isinstance(step, int) and step < len(tree)
    )
