"""Somebody's words as they may be said to them again: on one line, short, and with what they may have meant."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

MAX_SHOWN = 60
"""Characters of somebody's value that are shown to them again."""


def short(value: object) -> str:
    """Somebody's value as they may be shown it again: on one line, and not all of a long one."""
    if isinstance(value, int) and abs(value) >= 10**MAX_SHOWN:
        return "a number of many digits"
    return clip(repr(value))


def clip(text: str, most: int = MAX_SHOWN) -> str:
    """Text on one line, and not all of a long one."""
    text = "".join(char if char.isprintable() else "?" for char in text)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def hint(name: str, known: Collection[str], *, cutoff: float = 0.5, most: int = 12) -> str:
    """What a name may have been meant to be: `near: a, b`, or, with nothing like it, up to `most` that there are."""
    near = get_close_matches(name[:MAX_SHOWN], known, n=4, cutoff=cutoff)
    if near:
        return f"near: {', '.join(near)}"
    listed = list(known)[:most]
    return f"there are {', '.join(listed)}{' and others' if len(known) > most else ''}"
