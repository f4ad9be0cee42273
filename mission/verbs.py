"""Verbs that the Mars base brings to the command line."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from cyclopts import CycloptsError, Parameter
from cyclopts.validators import Number

T = TypeVar("T")
LOOPBACK = "127.0.0.1"
TOKEN = "SIMSUP_TOKEN"
"""Environment variable with the bearer token that clients must send; needed for any host but loopback."""


def serve(
    scenario: str,
    *,
    role: str = "life-support",
    seed: int = 0,
    start: str = "PT6H",
    transport: Literal["stdio", "http"] = "stdio",
    host: str = LOOPBACK,
    port: Annotated[int, Parameter(validator=Number(gte=1, lte=65535))] = 8000,
) -> None:
    """Serve one role's tools of a scenario to any MCP client, over stdio or streamable HTTP.

    With SIMSUP_TOKEN set, HTTP clients must send it as their bearer token; a host other than loopback needs it.

    Example: simsup serve masked-leak --role life-support --transport http --port 8000

    Parameters
    ----------
    scenario
        A scenario of cases/scenarios, by name.
    role
        Whose desk to serve.
    seed
        The seed of the instruments' noise.
    start
        How far into the scenario to open it, such as PT6H.
    transport
        stdio, or http under /mcp.
    host
        The address to listen on for http.
    port
        The port for http.
    """
    os.environ.update({"FASTMCP_CHECK_FOR_UPDATES": "off", "FASTMCP_ENABLE_RICH_TRACEBACKS": "false"})
    from mission.server import make_server
    from mission.system import open_desk

    token = os.environ.get(TOKEN)
    if transport == "http" and not token and not _is_loopback(host):
        raise CycloptsError(msg=f"--host: {host} is open to others; set {TOKEN} to a token that clients must send.")
    desk, card = open_desk(Path.cwd(), scenario, role, seed, start)
    server = make_server(desk, card.tools, card.instructions, token if transport == "http" else None)
    if transport == "stdio":
        server.run(transport="stdio", show_banner=False)
    else:
        with _listen(host, port) as listener:
            server.run(
                transport="http",
                host=host,
                port=port,
                path="/mcp",
                show_banner=False,
                host_origin_protection="auto" if _is_loopback(host) else False,
                sockets=[listener],
            )


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    """A socket to listen on. Raises CycloptsError, which is a line for the person, for a port that cannot be had."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        where = f"--port: {port}" if _is_loopback(host) else f"--host: {host} with port {port}"
        raise CycloptsError(msg=f"{where} cannot be had: {error.strerror}.") from error
    return listener


def world(  # noqa: PLR0913 - an argument an option
    scenario: str,
    *,
    plan: Path | None = None,
    hours: Annotated[float | None, Parameter(validator=Number(gte=0.001, lte=2500))] = None,
    seed: int = 0,
    everything: Annotated[bool, Parameter(name="--all", negative="")] = False,
    regret: Annotated[bool, Parameter(negative="")] = False,
    plot: Path | None = None,
    csv: Path | None = None,
    every: Annotated[float, Parameter(validator=Number(gte=0.1, lte=1440))] = 5.0,
) -> None:
    """Fly a scenario without a crew, print what happened, and judge it by the scenario's objectives.

    Example: simsup world bed-degraded --plot bed --csv bed.csv

    Parameters
    ----------
    scenario
        A scenario of cases/scenarios, by name.
    plan
        A YAML list of steps to carry out: after_min (minutes after the call), command or check, parameters.
    hours
        Until when to fly, in hours since the start; by default to the end of the scenario's trial.
    seed
        The seed of the instruments' noise.
    everything
        Show what happens all the time, too: valves at work, people going to sleep.
    regret
        Compare with the best plan that the scenario's own levers allow; seconds of search.
    plot
        Where to draw every channel: a folder for one PNG a block, or a file that ends in .pdf; needs the extra `plot`.
    csv
        A CSV file to write every channel to, true and as read.
    every
        Minutes between the rows of the CSV file; events have rows of their own.
    """
    from mission import looking
    from mission.system import read_scenarios

    told = read_scenarios(Path.cwd(), [scenario])[0]
    with _mistakes():
        wish = looking.Wish(plan, hours, seed, everything, regret, plot, csv, every)
        for line in looking.look(told, wish, sys.stderr if sys.stderr.isatty() else None):
            _say(line)


def lint(
    what: Literal["scenarios"], *names: str, processes: Annotated[int, Parameter(validator=Number(gte=1, lte=64))] = 2
) -> int:
    """Prove that scenarios are fit to judge by: solvable, not by a guess or one answer to all, and fair.

    Example: simsup lint scenarios bed-degraded fan-stopped

    Parameters
    ----------
    what
        scenarios.
    names
        Scenarios by name; by default all.
    processes
        How many to work on at once.
    """
    from mission.scenario_lint import lint as lint_scenarios
    from mission.scenario_lint import words
    from mission.system import read_scenarios

    report = lint_scenarios(read_scenarios(Path.cwd(), names), processes=processes, progress=_progress)
    for line in words(report):
        _say(line)
    return 1 if report.findings else 0


def _progress(what: str, done: int, of: int) -> None:
    """How far it has come, for somebody who is watching."""
    _show(f"{what} {done} of {of} scenarios" if done < of else "")


def generate(
    template: str,
    *,
    difficulty: Literal["easy", "medium", "hard"] = "medium",
    count: Annotated[int, Parameter(validator=Number(gte=1, lte=100))] = 1,
    seed: int = 0,
    pairs: bool = False,
    out: Path = Path("cases/scenarios"),
) -> None:
    """Draw new scenarios like a shipped one, as hard as asked, or pairs whose one changed fact flips the answer.

    It takes half a second to two a draw, gives up after 40 draws in a row that do not fit, and keeps what it has found.

    Example: simsup generate coolant-leak --difficulty hard --count 2 --seed 7

    Parameters
    ----------
    template
        A scenario of cases/scenarios with an incident, by name.
    difficulty
        How much room the best plan has: easy 20 % and more, medium 10 to 20, hard 2 to 10.
    count
        How many scenarios, or pairs.
    seed
        Equal seeds draw equal scenarios.
    pairs
        Counterfactual pairs instead: one text, one fact changed, and the best plan for each wrong for the other.
    out
        The folder to write them to; a file that is there is left alone.
    """
    from mission import generate as making
    from mission.system import read_scenarios

    told = read_scenarios(Path.cwd(), [template])[0]
    numbers = range(1, count + 1)
    with _mistakes():
        if pairs:
            making.free((f"{template}-{seed}-{number}{side}" for number in numbers for side in "ab"), out)
            for pair in _watched(lambda show: iter(making.pairs(told, seed, count, show))):
                _say(f"{pair.first.id} and {pair.second.id}: {pair.fact}")
                _written(making.write([pair.first, pair.second], out))
            return
        making.free((f"{template}-{seed}-{number}" for number in numbers), out)
        band = making.BANDS[difficulty]
        for one in _watched(lambda show: making.generate(told, seed, count, band, show)):
            _say(f"{one.scenario.id}: margin {one.margin:.1%}, {one.acceptable} of {one.plans} plans acceptable")
            _written(making.write([one.scenario], out))


def _written(paths: list[Path]) -> None:
    for path in paths:
        _say(f"wrote {path}")


def _watched(made: Callable[[Callable[[str], None]], Iterator[T]]) -> Iterator[T]:
    """What is made, one by one; how far it has come stands on one line of a terminal meanwhile, and nowhere else."""
    try:
        for one in made(_show):
            _show("")
            yield one
    finally:
        _show("")


def _show(what: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{what}")
        sys.stderr.flush()


def outcomes(
    run: Path,
    case: str | None = None,
    candidate: str | None = None,
    *,
    regret: Annotated[bool, Parameter(negative="")] = False,
    json: Path | None = None,
) -> int:
    """Rebuild the world of each episode of a run, and judge it by its scenario's objectives, beside pass or fail.

    Example: simsup outcomes results/first-flight-1.sqlite --regret

    Parameters
    ----------
    run
        A run file.
    case
        A case of the run; by default all.
    candidate
        A candidate of the run; with both, every objective is shown.
    regret
        Compare with the best plan that the scenario's own levers allow in the same time; seconds of search a case.
    json
        A JSON file to write every objective's value, limit, margin and time on the wrong side to.
    """
    from mission import outcomes as judging

    wish = judging.Wish(run, case, candidate, regret, json)
    with _mistakes():
        try:
            found = judging.judge(Path.cwd(), wish, lambda done, of: _show(f"judged {done} of {of} episodes"))
        finally:
            _show("")
        for line in judging.lines(found, wish):
            _say(line)
    return 1 if any(one.broken for one in found) else 0


@contextmanager
def _mistakes() -> Generator[None]:
    """What is wrong with somebody's file or wish, as a line for them."""
    try:
        yield
    except BrokenPipeError:
        raise
    except ValueError as error:
        raise CycloptsError(msg=f"{str(error).rstrip('.')}.") from error
    except OSError as error:
        raise CycloptsError(msg=f"{error.filename or 'file'}: {error.strerror or error}.") from error


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
