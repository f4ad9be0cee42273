"""The checks as a page for people: expected, ours, tolerance and source of every figure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mission.published.check import GROUPS, Check, Figure, Group, measured

TITLES: dict[Group, str] = {
    "consistency": "Consistency",
    "independent": "Independent",
    "exact": "Exact",
    "simoc": "Another simulator",
}
DIGITS = 4
HEAD = """# Published checks

What the Mars base is checked against, as `python -m mission.published` writes it; a test holds this page to what is
measured now. Every figure of ours is measured in the simulator itself. A check that has parts in two groups has a
letter: what was fitted on a figure is never called independent of it.
"""
COLUMNS = ("check", "figure", "expected", "ours", "unit", "tolerance", "source")


def page(checks: Sequence[Check]) -> str:
    """The whole page, measured now."""
    return "\n".join([HEAD, *(line for group in GROUPS for line in _section(group, checks))]).rstrip() + "\n"


def ours(figure: Figure, value: float) -> str:
    """Ours to four digits, or to as many as the expected value has."""
    if figure.under is not None and value < figure.under:
        return f"under {figure.under:g}"
    printed = re.match(r"-?[\d.]+", figure.band.expected)
    digits = len(re.sub(r"^-?0*\.?0*|\D", "", printed[0])) if printed else DIGITS
    return f"{value:.{max(DIGITS, digits)}g}"


def _section(group: Group, checks: Sequence[Check]) -> Iterator[str]:
    yield f"## {TITLES[group]}\n"
    yield f"Each {GROUPS[group]}.\n" if group == "consistency" else f"{GROUPS[group].capitalize()}.\n"
    yield f"| {' | '.join(COLUMNS)} |"
    yield "|" + "---|" * len(COLUMNS)
    own = [check for check in checks if check.group == group]
    for check in own:
        yield from _rows(check)
    yield ""
    for check in own:
        yield f"- **{check.key}** {check.how}"
    yield ""


def _rows(check: Check) -> Iterator[str]:
    values = measured(check)
    for number, figure in enumerate(check.figures):
        name = f"**{check.key}** {check.name}" if number == 0 else ""
        band = figure.band
        mark = "" if band.holds(values[figure.name]) else " **out**"
        value = ours(figure, values[figure.name]) + mark
        source = check.source if number == 0 else ""
        cells = (name, figure.name, band.expected, value, figure.unit, band.tolerance, source)
        yield f"| {' | '.join(cells)} |"
