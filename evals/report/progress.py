"""Progress of a run on stderr: a bar on a terminal, else a plain line for each trial."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from evals.report import words
from evals.runner import Progress as ShowStep
from evals.runner import Step


def line(step: Step) -> str:
    """A trial's end on one line."""
    key = step.key
    return f"{step.done}/{step.total} {words.WORDS[step.grade.verdict].strip()} {key.case} {key.candidate}"


@contextmanager
def progress(console: Console, total: int) -> Generator[ShowStep, None, None]:
    """Shows the trials of a run as they end."""
    if not console.is_terminal:
        yield lambda step: console.print(line(step), soft_wrap=True)
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda step: bar.update(task, completed=step.done, description=line(step).split(" ", 1)[1])
