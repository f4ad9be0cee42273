"""Errors that a person caused and can mend: one line, exit code 2, never a traceback."""

from __future__ import annotations

from documents.words import clip

LONGEST = 2000
"""Characters of a line: it may say somebody's words again."""


class UserError(Exception):
    """What is wrong, where, and what to do about it; `str()` is the one line to show."""

    def __init__(self, what: str, *, where: str = "", do: str = "") -> None:
        line = f"{where}: {what}" if where else what
        super().__init__(clip(" ".join((f"{line}. {do}" if do else line).splitlines()), LONGEST))


class InterruptedRunError(Exception):
    """A run was stopped on purpose and can be resumed."""
