"""Progress on stderr: of a run a bar on a terminal, else a plain line for each trial; of other work a count."""

from __future__ import annotations

from collections.abc import Callable, Generator
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
def counted(console: Console, what: str) -> Generator[Callable[[int, int], None], None, None]:
    """Shows on one line of a terminal, and nowhere else, how many of how many are done, and takes it away again."""

    def shown(done: int, of: int) -> None:
        if console.is_terminal:
            console.file.write(f"\r\x1b[K{what} {done} of {of}")
            console.file.flush()

    try:
        yield shown
    finally:
        if console.is_terminal:
            console.file.write("\r\x1b[K")
            console.file.flush()


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
