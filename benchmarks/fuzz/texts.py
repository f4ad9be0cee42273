"""Hostile YAML: sound trees with things wrong in them, whole ones from a schema, and text of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml
from hypothesis import strategies as st

from fuzz.values import from_schema, mutated, words

PIECES = (
    "\n", "\t", "\n\t", ": ", "- ", "#", "{", "}", "[", "]", "&a ", "*a", "!!binary ", "!!python/object:a.b ", "!!str ",
    "! ", "? ", "|\n", ">\n", "---\n", "...\n", "%YAML 1.1\n", "%TAG ! tag:a,1:\n", "<<: *a\n", ".nan", ".inf", "nan",
    "1e999", "0x1f", "1_000", "012", "yes", "true", "~", "2026-01-01", "null: 1\n", "7: 1\n", "\u0000", "\ufeff",
    "\x85", "\u2028", "\r", "\r\n", '"\\ud800"', "9" * 400, "9" * 5000, "[" * 40, "[" * 4000, "{a: " * 500,
    "- " * 3000, "x" * 300_000,
    "\na: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b]\n"
    "d: &d [*c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d]\n",
    "\nsite: &s {tau: *s}\n", "id: fuzzed\n",
)  # fmt: skip


def text(tree: Any) -> str:
    return yaml.safe_dump(tree, sort_keys=False, allow_unicode=True)


def raw(texts: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    return texts.map(lambda one: one.encode("utf-8", "surrogatepass"))


@st.composite
def torn(draw: st.DrawFn, whole: str) -> str:
    """A text cut, doubled, or with a piece of something else in it."""
    at = draw(st.integers(0, len(whole)))
    piece = draw(st.sampled_from(PIECES) | words)
    match draw(st.sampled_from(("cut", "insert", "twice", "replace", "value"))):
        case "cut":
            return whole[:at]
        case "insert":
            return whole[:at] + piece + whole[at:]
        case "twice":
            lines = whole.splitlines()
            return "\n".join([*lines, draw(st.sampled_from(lines))])
        case "value":
            lines = whole.splitlines()
            number = draw(st.sampled_from([number for number, line in enumerate(lines) if ": " in line]))
            lines[number] = f"{lines[number].partition(': ')[0]}: {piece}"
            return "\n".join(lines)
        case _:
            return whole[:at] + piece + whole[at + len(piece) :]


def files(sound: Any, schema: Mapping[str, Any], fixed: Mapping[str, Any]) -> st.SearchStrategy[bytes]:
    """Files like a sound one, and whole ones from its schema; `fixed` are fields of those that are not drawn."""
    trees = st.just(sound)
    return st.one_of(
        raw(mutated(trees, 1).map(text)),
        raw(mutated(trees).map(text)),
        raw(from_schema(schema).map(lambda tree: text({**tree, **fixed} if isinstance(tree, dict) else tree))),
        raw(torn(text(sound))),
        raw(torn(text(sound))),
        st.binary(max_size=40),
    )
