"""`simsup demo`: the main job from start to end, with offline pilots: fly, read, decide."""

from __future__ import annotations

from rich.console import Console

from evals.outcomes import Results
from evals.report.matrix import print_results
from evals.report.record import headline
from evals.verbs.decide import decide_plan
from evals.verbs.run import Options, ProgressFor, run_plan
from evals.workspace import Workspace

PLAN = "first-flight"
INTRODUCTION = (
    "SimSup flies the crew through its first suite with offline pilots: rule-based programs, no model, no key.",
    "They prove that the instrument tells good from bad. They say nothing about any model.",
)


def demo(workspace: Workspace, console: Console, progress: ProgressFor, command: str = "simsup") -> int:
    """Run and decide the plan `first-flight`. Returns 0 if all of it was flown and graded, else 1.

    `command` is how this person calls SimSup.
    """

    def say(line: str) -> None:
        console.print(line, soft_wrap=True)

    for line in INTRODUCTION:
        say(line)
    run, failed = run_plan(workspace, PLAN, Options(), progress, say)
    if failed:
        return failed
    results, choice, record = decide_plan(workspace, PLAN, run, run.with_suffix(".record.md"))
    say("")
    print_results(console, results)
    say(f"\nDecision: {headline(choice)}. {' '.join(choice.why)}")
    say(f"Run file: {results.file}\nRecord:   {workspace.show(record)}\n")
    case, candidate = worth_reading(results)
    for line in what_next(results.file, case, candidate, command):
        say(line)
    return 0


def worth_reading(results: Results) -> tuple[str, str]:
    """The episode to open first: the last failure of the first candidate that has one, else the first episode."""
    for candidate in results.plan.candidates:
        failures = [outcome for outcome in results.of(candidate.id) if outcome.verdict == "fail"]
        if failures:
            return failures[-1].case, candidate.id
    return results.cases[0], results.plan.candidates[0].id


def what_next(run: str, case: str, candidate: str, command: str = "simsup") -> list[str]:
    """The commands that a person is likely to want after the demo, with names that work."""
    return [
        "What next",
        f"  {command} show {run} {case} {candidate}",
        "      read one episode that failed: who asked what, was told what, why it was graded so, and what came of it",
        f"  {command} replay {run}",
        "      rebuild every episode from its recorded responses, and compare digests",
        f"  {command} cases        the suite;   ... map   the team;   ... check   prove every case",
        f"  copy decisions/{PLAN} to decisions/NAME, put models in plan.yaml, then",
        f"  {command} run NAME --live --limit-usd 5",
        "      the same with real models: it says first what it can cost, and stops at the limit",
    ]
