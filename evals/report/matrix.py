"""The matrix of a run for a terminal: cases by candidates in three states, rates, and what failed."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evals.decide import standing
from evals.outcomes import Cell, Results, caveats
from evals.report import words


def print_results(console: Console, results: Results) -> None:
    """Everything a person needs to read a run: what it is, the matrix, the failures, and what it cannot show."""
    plan = results.plan
    console.print(Text(plan.question, style="bold"))
    trials = f", {plan.trials} trials each" if plan.trials > 1 else ""
    console.print(
        f"{len(results.cases)} cases, {len(plan.candidates)} candidates{trials}; judge {words.judge(results)}"
    )
    for line in words.clocks(results):
        console.print(line, soft_wrap=True)
    console.print()
    console.print(matrix(results))
    print_failures(console, results)
    for line in caveats(results):
        console.print(Text(f"Note: {line}", style="italic"))


def matrix(results: Results) -> Table:
    """Cases by candidates, then the totals of each candidate."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("case", overflow="fold")
    names = [candidate.id for candidate in results.plan.candidates]
    for name in names:
        table.add_column(words.label(results, name).replace(" ", "\n"), overflow="fold")
    for case in results.cases:
        cells = [results.cells[Cell(case, name)] for name in names]
        texts = [Text(words.cell(outcomes), style=words.STYLES[words.worst(outcomes)]) for outcomes in cells]
        table.add_row(case, *texts)
    _add_totals(table, results)
    return table


def _add_totals(table: Table, results: Results) -> None:
    table.add_section()
    rows = [standing(results, c) if results.of(c.id) else None for c in results.plan.candidates]
    table.add_row("")
    table.add_row("cases passed", *(f"{s.complete_passes} of {s.cases}" if s else "-" for s in rows))
    table.add_row("pass rate", *(words.percent(s.rate) if s else "-" for s in rows))
    table.add_row("95 % interval", *(words.bounds(s.rate) if s else "-" for s in rows))
    table.add_row("its method", *(s.rate.method if s else "-" for s in rows))
    table.add_row("ungraded", *(str(s.rate.ungraded) if s else "-" for s in rows))
    table.add_row("median time", *(words.seconds(s.median_episode_s) if s else "-" for s in rows))
    if results.clocked:
        table.add_row("simulated thinking", *(words.thought(s.median_thinking_s) if s else "-" for s in rows))
    table.add_row("cost", *(words.usd(s.usd) if s else "-" for s in rows))


def print_failures(console: Console, results: Results) -> None:
    """What failed and why, a line for each case and candidate: the first check in full, the others by name."""
    failed = [failure for c in results.plan.candidates for failure in words.failures(results.of(c.id))]
    if not failed:
        return
    console.print(Text("\nWhat did not pass", style="bold"))
    for _, group in groupby(failed, key=lambda one: (one.case, one.candidate)):
        one, *others = group
        trials = f" {one.which()}" if results.plan.trials > 1 else ""
        also = sorted({other.check for other in others} - {one.check})
        console.print(
            Text(f"{words.WORDS[one.verdict].strip()} ", style=words.STYLES[one.verdict])
            + Text(f"{one.case}  {one.candidate}{trials}  ")
            + Text(one.check, style="bold")
            + Text(f": {one.reason}" + (f"; also {', '.join(also)}" if also else "")),
            soft_wrap=True,
        )
    console.print()
