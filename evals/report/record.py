"""The record of a decision, as Markdown: generated from a run file, the same every time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evals.candidate import Candidate
from evals.decide import Choice, Standing
from evals.outcomes import Cell, Results, caveats
from evals.plan import Plan
from evals.report import words
from evals.stats.intervals import failure_bound, pass_hat_k

HEADINGS = {
    "winner": "Winner: {names}",
    "tie": "No winner: tie between {names}",
    "gate-not-met": "No winner: gate not met",
}


def record(results: Results, choice: Choice, worlds: Sequence[str] = ()) -> str:
    """The text of record.md; `worlds` is what the system says of the worlds that were left, where that was asked."""
    parts = [
        f"# Decision: {results.plan.id}",
        f"**Question.** {results.plan.question}",
        _answer(results, choice),
        "## Policy, fixed before the run",
        _policy(results.plan),
        "## Candidates",
        _candidates(results),
        "## What was measured",
        _rates(results, choice),
        _matrix(results),
        "## What did not pass",
        _failures(results),
        *(_worlds(worlds) if worlds else ()),
        "## Conditions",
        _conditions(results),
    ]
    return "\n\n".join(parts) + "\n"


def headline(choice: Choice) -> str:
    """The decision in one line."""
    return HEADINGS[choice.outcome].format(names=" and ".join(choice.candidates))


def _answer(results: Results, choice: Choice) -> str:
    lines = [f"**{headline(choice)}.**", *choice.why]
    chosen = [s for s in choice.standings if choice.outcome == "winner" and s.candidate in choice.candidates]
    lines += [f"{s.candidate} passed {words.rate(s.rate)} of cases ({s.rate.method}){_bound(s)}." for s in chosen]
    lines += [f"{s.candidate} may not be chosen: {s.gate}." for s in choice.standings if s.gate]
    return "\n".join([" ".join(lines), *(f"\n> {line}" for line in caveats(results))])


def _bound(s: Standing) -> str:
    if s.rate.rate != 1:
        return ""
    return f"; none of {s.rate.n} failed, which still allows a failure rate of {failure_bound(s.rate.n):.0%}"


def _policy(plan: Plan) -> str:
    gate = plan.policy.gate
    lines = [
        "Ranked by: " + ", then ".join(name.replace("_", " ") for name in plan.policy.order) + ".",
        f"Gate: at least {gate.min_pass_rate:.1%} of graded episodes pass, at most {gate.max_ungraded:.1%} ungraded.",
        f"A case counts as passed when all its trials pass. Trials of each case: {plan.trials}.",
    ]
    return _list(lines)


def _candidates(results: Results) -> str:
    rows = [(words.label(results, c.id), f"`{c.model}`", _exceptions(c), c.note) for c in results.plan.candidates]
    return _table(("candidate", "model", "other models by role", "note"), rows)


def _exceptions(candidate: Candidate) -> str:
    return ", ".join(f"{role} `{model}`" for role, model in sorted(candidate.roles.items()))


def _rates(results: Results, choice: Choice) -> str:
    head = ["candidate", "cases passed", "pass rate (95 %)", "method", "graded", "ungraded", "median time", "cost"]
    rows = [
        [
            s.candidate,
            f"{s.complete_passes} of {s.cases}",
            words.rate(s.rate),
            f"{s.rate.method}, n = {s.rate.n}",
            str(s.rate.graded),
            str(s.rate.ungraded),
            words.seconds(s.median_episode_s),
            words.usd(s.usd),
        ]
        for s in choice.standings
    ]
    if results.clocked:
        head.append("median simulated thinking")
        for row, s in zip(rows, choice.standings, strict=True):
            row.append(words.thought(s.median_thinking_s))
    trials = results.plan.trials
    if trials > 1:
        head.append(f"pass^{trials}")
        for row, s in zip(rows, choice.standings, strict=True):
            row.append(_pass_hat(results, s.candidate, trials))
    return _table(head, rows)


def _pass_hat(results: Results, candidate: str, k: int) -> str:
    counts = [(v.count("pass"), len(v) - v.count("ungraded")) for v in results.verdicts(candidate)]
    return f"{pass_hat_k(counts, k):.0%}" if all(n >= k for _, n in counts) else "undefined, too few graded trials"


def _matrix(results: Results) -> str:
    names = [candidate.id for candidate in results.plan.candidates]
    rows = [(case, *(words.cell(results.cells[Cell(case, name)]) for name in names)) for case in results.cases]
    return _table(("case", *(words.label(results, name) for name in names)), rows)


def _failures(results: Results) -> str:
    rows = [
        (one.case, one.candidate, one.which(), words.WORDS[one.verdict].strip(), f"`{one.check}`", one.reason)
        for candidate in results.plan.candidates
        for one in words.failures(results.of(candidate.id))
    ]
    return _table(("case", "candidate", "trials", "verdict", "check", "reason"), rows) if rows else "Nothing."


def _worlds(lines: Sequence[str]) -> list[str]:
    """No part of the policy: what the system measures of its own, by the scenario files of the day of the record."""
    return [
        "## What the worlds came to",
        "By the objectives of the scenarios as they were when this record was written; the policy asks nothing of it.",
        "\n".join(["```", *lines, "```"]),
    ]


def _conditions(results: Results) -> str:
    header = results.header
    software = ", ".join(f"{name} {value}" for name, value in sorted(header.software.items()))
    lines = [
        f"Run file: `{results.file}`, started {header.started}.",
        f"Plan digest: `{header.plan_digest}`.",
        f"System: {header.system}. Judge: {words.judge(results)}, version {header.judge.version}.",
        "Paid calls: made (live)." if header.live else "Paid calls: none (offline).",
        *words.clocks(results),
        f"Software: {software or 'not recorded'}.",
    ]
    return _list(lines)


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = list(head)
    lines = [_row(titles), _row(["---"] * len(titles)), *(_row(row) for row in rows)]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
