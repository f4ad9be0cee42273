"""What may come of hostile input: a legal result, or one clear line, within bounds of time. All else is a fault."""

from __future__ import annotations

import json
import re
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

LONGEST = 2500
"""Characters of a refusal: what there is can be listed, a dump of the input cannot."""
CPU_S = 10.0
"""Of one example: the heaviest sound ones take a tenth of it."""


class FaultError(AssertionError):
    """Hostile input did what it must not."""


class SlowError(BaseException):
    """The time of an example is used up; no handler of ours may swallow it."""


@contextmanager
def guard(seconds: float = CPU_S) -> Iterator[None]:
    """Stops what takes more than its CPU time. Raises FaultError."""

    def late(_signal: int, _frame: Any) -> None:
        raise SlowError

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    except SlowError as error:
        where = " < ".join(f"{Path(one.filename).name}:{one.lineno}" for one in _stack(error)[:-9:-1])
        raise FaultError(f"it took more than {seconds:g} s of CPU: {where}") from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def _stack(error: BaseException) -> traceback.StackSummary:
    return traceback.extract_tb(error.__traceback__)


def refused(line: str, because: str = "") -> str:
    """The kind of a refusal. Raises FaultError for one that is not one clear line."""
    if not line.strip() or len(line.splitlines()) != 1 or len(line) > LONGEST:
        raise FaultError(f"a refusal must be one line of 1 to {LONGEST} characters, not {line!r}")
    for trace in ("Traceback", 'File "', "pydantic.dev", "object at 0x", "Error("):
        if trace in line and trace not in because:
            raise FaultError(f"a refusal must be in words, without {trace!r}: {line!r}")
    return f"refused: {kind(line)}"


def kind(line: str) -> str:
    """A refusal without what is special to it: one word for each name, number and quoted text."""
    line = re.sub(r"^\S*\.(yaml|md)(:\d+)?: ", "", line)
    line = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "X", line)
    line = re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", "0", line)
    return line.partition("; near")[0].partition("; there are")[0].partition(", not ")[0][:70].strip()


def legal(value: object) -> str:
    """JSON text of a result. Raises FaultError for what JSON cannot hold: NaN, infinity, or objects."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise FaultError(f"a result must be JSON: {error}") from error


Drive = Callable[[Any], str]
"""Gives an example to what it is for; returns `accepted`, or the kind of refusal. Raises for a fault."""
