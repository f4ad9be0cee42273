"""The command line: one verb a command. What a verb needs is imported when it runs."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, CycloptsError, MissingArgumentError, Parameter, UnusedCliTokensError

from evals import __version__
from evals.errors import InterruptedRunError, UserError
from evals.workspace import MARKER, Workspace, find_workspace, importable, load_attribute

if TYPE_CHECKING:
    from rich.console import Console

    from evals.verbs.run import ProgressFor

HELP = """A flight simulator for teams of LLM agents: choose a model for each role, validate the whole
workflow, keep failures fixed. Start with `simsup demo`; it needs no key."""


INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 and the number of the signal."""
UNHEARD = 141
"""Exit code after the reader of a pipe has gone: 128 and the number of SIGPIPE."""


def main() -> None:
    """The console script."""
    try:
        code = execute(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # Who read what we say has gone, as `head` does; Python would complain at exit of what it cannot flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = UNHEARD
    if code == INTERRUPTED:
        # The SDK drops coroutines it had made but not begun; Python would complain of each as it exits.
        warnings.filterwarnings("ignore", message="coroutine .* was never awaited", category=RuntimeWarning)
    sys.exit(code)


def execute(arguments: Sequence[str]) -> int:
    """Run one command in the current folder. Returns the exit code: 2 for a person's mistake, 130 after Ctrl-C."""
    try:
        app = build(Path.cwd(), arguments)
        result = app(list(arguments), exit_on_error=False, print_error=False, result_action="return_value")
    except UserError as error:
        return _complain(str(error), 2)
    except CycloptsError as error:
        return _complain(_usage(error, arguments), 2)
    except InterruptedRunError as error:
        return _complain(str(error), INTERRUPTED)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    return result if isinstance(result, int) else 0


def _usage(error: CycloptsError, arguments: Sequence[str]) -> str:
    """What is wrong with how a command was written; a verb's own words about a wish of somebody's stand as they are."""
    if type(error) is CycloptsError:
        return " ".join(str(error).split())
    verb = next((word for word in arguments if not word.startswith("-")), "")
    line = " ".join(str(error).split())
    if isinstance(error, MissingArgumentError) and error.argument is not None and error.keyword is None:
        line = f"{verb} needs a {error.argument.name.lstrip('-').upper()}."
    elif isinstance(error, UnusedCliTokensError) and error.unused_tokens:
        line = f"{verb} takes no more arguments; left over: {' '.join(error.unused_tokens)}."
    return f"{line} See `simsup {verb} --help`." if verb else f"{line} See `simsup --help`."


def build(folder: Path, arguments: Sequence[str]) -> App:
    """The app: our verbs, and those of the workspace's system. Raises UserError for an unknown verb."""
    app = App(name="simsup", help=HELP, version=__version__, help_format="plaintext", suppress_keyboard_interrupt=False)
    for verb in (run, check, replay, decide, show, cases, map_team, demo):
        app.command(verb, name="map" if verb is map_team else verb.__name__)
    asked = next(iter(arguments), "--help")
    if asked.startswith("-"):
        with suppress(UserError):  # help and version answer without a workspace, too
            _mount(app, find_workspace(folder, behind=False), asked)
    elif asked not in app:
        _mount(app, find_workspace(folder, behind=False), asked)
    return app


def _mount(app: App, workspace: Workspace, asked: str) -> None:
    for name, verb in workspace.verbs.items():
        if name in app:
            raise UserError(f"verbs.{name}: there is a command of this name", where=MARKER, do="Choose another.")
        if name == asked:
            importable(workspace)
            app.command(load_attribute(verb.run, MARKER, f"verbs.{name}.run"), name=name)
        else:
            app.command(verb.run, name=name, help=verb.help)
    if not asked.startswith("-") and asked not in app:
        from evals.cases import near

        verbs = [name for name in app if not name.startswith("-")]
        raise UserError(f"no command {asked!r}", do=near(asked, verbs, f"The commands are {', '.join(verbs)}."))


def run(
    plan: str,
    *,
    concurrency: int = 4,
    out: Path | None = None,
    resume: Path | None = None,
    live: bool = False,
    limit_usd: float | None = None,
) -> int:
    """Fly a plan into a run file.

    Example: simsup run first-flight --concurrency 8

    What thinking costs in simulated time is the plan's to say, under `clock`; by default nothing.

    Parameters
    ----------
    plan
        A decision's name, or the path of a plan.yaml.
    concurrency
        Trials at a time; it changes nothing in the results, but for what a `recorded` clock measures.
    out
        The run file to write; by default results/PLAN-1.sqlite, -2, ...
    resume
        A run file to go on with; refused if the plan, a case or a role card changed.
    live
        Release paid calls; needs --limit-usd.
    limit_usd
        What may be spent at most, in USD.
    """
    from evals.outcomes import load_results
    from evals.report.matrix import print_results
    from evals.store import Store
    from evals.verbs.run import Options, run_plan

    workspace, console = _here(), _console()
    options = Options(concurrency, out, resume, live, limit_usd)
    path, code = run_plan(workspace, plan, options, _progress(), _say(console))
    with Store.open(path) as store:
        results = load_results(store, workspace.show(path.resolve()))
    print_results(console, results)
    _say(console)(f"Run file: {results.file}")
    if code == 0:
        _say(console)(f"Next: simsup decide {plan} {results.file}")
    return code


def check(*patterns: str) -> int:
    """Prove each case: its reference passes, and its plausible wrong responses fail on the named checks.

    Example: simsup check 'life-support-*'

    Parameters
    ----------
    patterns
        Case ids or shell patterns; by default all cases.
    """
    from evals.verbs.check import check as check_cases

    return 1 if check_cases(_here(), patterns, _say(_console())) else 0


def replay(run: Path) -> int:
    """Rebuild every episode of a run from its recorded responses, without a model or a network.

    Example: simsup replay results/first-flight-1.sqlite

    Parameters
    ----------
    run
        A run file.
    """
    from evals.report.progress import counted
    from evals.verbs.replay import replay_run

    with counted(_console(stderr=True), "replayed") as shown:
        return 1 if replay_run(_here(), run, _say(_console()), shown) else 0


def decide(plan: str, run: Path, *, regret: Annotated[bool, Parameter(negative="")] = False) -> None:
    """Answer a plan's question from a run by its policy, and write the record.

    Example: simsup decide first-flight results/first-flight-1.sqlite

    Parameters
    ----------
    plan
        A decision's name, or the path of a plan.yaml.
    run
        The run file of that plan.
    regret
        Put margins, violation time and regret into the record; it searches, for seconds a case, and decides nothing.
    """
    from evals.outcomes import caveats
    from evals.report.record import headline
    from evals.verbs.decide import decide_plan

    workspace, say = _here(), _say(_console())
    results, choice, record = decide_plan(workspace, plan, run, regret=regret)
    for line in (f"{headline(choice)}.", *choice.why, *(f"Note: {text}" for text in caveats(results))):
        say(line)
    say(f"Record: {workspace.show(record)}")


def show(
    run: Path,
    case: str | None = None,
    candidate: str | None = None,
    *,
    trial: int = 0,
    full: bool = False,
    regret: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Show a run's matrix, or the trace and grades of one of its episodes and what its world came to.

    Example: simsup show results/first-flight-1.sqlite director-conflict-01 expert

    Parameters
    ----------
    run
        A run file.
    case
        A case of the run; with it name a candidate.
    candidate
        A candidate of the run.
    trial
        Which trial, from 0.
    full
        Show all of each event's content, however long.
    regret
        Add margins, violation time and regret against the best plan; it searches, for seconds a case.
    """
    from evals.episode import EpisodeKey
    from evals.verbs.show import show_episode, show_run

    if case is None:
        show_run(_here(), run, _console(), regret=regret)
    elif candidate is None:
        raise UserError(f"{case} was flown by several candidates", do="Write: simsup show RUN CASE CANDIDATE.")
    else:
        key = EpisodeKey(case=case, candidate=candidate, trial=trial)
        show_episode(_here(), run, key, _console(), full=full, regret=regret)


def cases(*patterns: str) -> None:
    """List cases: what each exercises and expects.

    Example: simsup cases 'director-*'

    Parameters
    ----------
    patterns
        Case ids or shell patterns; by default all cases.
    """
    from evals.verbs.cases import list_cases

    _console().print(list_cases(_here(), patterns))


def map_team(*, form: Literal["text", "mermaid"] = "text") -> None:
    """Draw the team: roles, tools, who consults whom, budgets.

    Example: simsup map --form mermaid

    Parameters
    ----------
    form
        text, or mermaid for a diagram in Markdown.
    """
    from evals.verbs.map import draw

    draw(_here(), form, _say(_console()))


def demo() -> int:
    """Fly the first suite with offline pilots, and decide. Needs no key and no network.

    Example: simsup demo
    """
    from evals.verbs.demo import demo as fly_demo

    return fly_demo(_here(), _console(), _progress(), _command())


def _command() -> str:
    """What a person has to write to get here again: the name alone if it is on their path."""
    from shutil import which

    start = Path(sys.argv[0])
    if start.stem != "simsup" or which("simsup") is not None or not start.is_file():
        return "simsup"
    here = Path.cwd()
    return str(start.relative_to(here) if start.is_relative_to(here) else start)


def _here() -> Workspace:
    return find_workspace(Path.cwd())


def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def _say(console: Console) -> Callable[[str], None]:
    def say(line: str) -> None:
        console.print(line, soft_wrap=True)

    return say


def _progress() -> ProgressFor:
    from evals.report.progress import progress

    console = _console(stderr=True)

    def shown(total: int) -> Any:
        return progress(console, total)

    return shown


def _complain(line: str, code: int) -> int:
    sys.stderr.write(f"simsup: {line}\n")
    return code


if __name__ == "__main__":
    main()
