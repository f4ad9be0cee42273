"""What reports say of the clock: how long was thought, under which rule, and which numbers may no longer hold."""

from __future__ import annotations

import io
import runpy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from evals.case import Claim
from evals.clock import Clock
from evals.decide import decide
from evals.episode import Event, Resolved
from evals.outcomes import Results, caveats, load_results
from evals.report import words
from evals.report.episode import print_episode
from evals.report.matrix import print_results
from evals.report.record import record
from evals.store import Store

fakes: Any = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("fake_run.py"))))
FIXED = {"thinking": {"kind": "fixed", "seconds": 30}, "roles": {"clerk": {"kind": "recorded", "scale": 2}}}
SLOW = {"id": "bad", "model": "pilot/bad", "clock": {"thinking": {"kind": "fixed", "seconds": 600}}}


def thought(episode: Any, clock: dict[str, Any] | None, *seconds: float) -> Any:
    """The episode under a clock, with so many seconds of thought in it."""
    events = [
        Event(seq=3 + n, kind="thinking", role="clerk", cause=1, sim_s=0, wall_s=0, data={"call": n + 1, "seconds": s})
        for n, s in enumerate(seconds)
    ]
    resolved = Resolved.model_validate(episode.resolved.model_dump() | {"clock": clock})
    return episode.model_copy(update={"resolved": resolved, "trace": [*episode.trace, *events]})


@pytest.fixture
def results(tmp_path) -> Callable[..., Results]:
    """A run of two cases by two candidates, of which `bad` thinks slowly where a clock is given."""

    def make(clock: dict[str, Any] | None, cases: Any = None) -> Results:
        plan = fakes.make_plan(("good", SLOW) if clock else ("good", "bad"), **({"clock": clock} if clock else {}))
        cases = cases or fakes.frozen(("a-1", "a-2"))
        with Store.create(tmp_path / "run.sqlite", fakes.make_header(plan), "text", cases) as store:
            for item in cases:
                for candidate, seconds in (("good", 30.0), ("bad", 600.0)):
                    episode = fakes.make_episode(item.case.id, candidate)
                    episode = thought(episode, clock, seconds, seconds) if clock else episode
                    store.add_episode(episode, 0.0, 0.0)
                    store.add_grade(episode.key, fakes.make_grade(episode, item.contract), item.contract)
            return load_results(store, "results/run.sqlite")

    return make


def printed(results: Results) -> str:
    console = Console(width=200, record=True, file=io.StringIO())
    print_results(console, results)
    return console.export_text()


def test_a_run_under_a_clock_shows_how_long_was_thought(results):
    found = results(FIXED)
    lines = [line.split() for line in printed(found).splitlines()]
    assert ["simulated", "thinking", "0:01:00", "0:20:00"] in lines
    text = record(found, decide(found))
    assert "| median simulated thinking |" in text
    assert "| 0:20:00 |" in text
    for said in (
        "Clock of every candidate: a model call costs 30 s; clerk: the time it took, times 2.",
        "Clock of bad: a model call costs 600 s.",
    ):
        assert said in printed(found)
        assert f"- {said}" in text


def test_a_run_without_one_says_nothing_of_it(results):
    found = results(None)
    text = printed(found) + record(found, decide(found))
    assert "thinking" not in text
    assert "lock" not in text.replace("locked", "")


def test_numbers_that_were_worked_out_for_a_world_that_waits_are_named(results):
    claim = {"check": "claim", "quantity": "q", "unit": "h", "value": 1, "rel": 0.1}
    expect = fakes.make_case("a-2").expect
    claims = fakes.make_case("a-2").model_copy(
        update={"expect": expect.model_copy(update={"checks": [*expect.checks, Claim.model_validate(claim)]})}
    )
    own = claims.model_copy(
        update={
            "id": "a-3",
            "setup": claims.setup.model_copy(update={"clock": Clock.model_validate(FIXED | {"roles": {}})}),
        }
    )
    cases = [fakes.RunCase.of(case, fakes.contract_for(case)) for case in (fakes.make_case("a-1"), claims, own)]
    found = results(FIXED, cases)
    assert found.stale == ["a-2"]
    assert caveats(found)[-1].startswith("a-2: the numbers expected here are those of a world that stands still")


def test_an_episode_says_how_much_of_its_time_was_thought():
    episode = thought(fakes.make_episode("a-1", "good"), FIXED, 30, 61)
    console = Console(width=200, record=True, file=io.StringIO())
    print_episode(console, episode, [])
    text = console.export_text()
    assert "completed; simulated 1:01:01, of which 0:01:31 in thought, took" in text
    assert "clerk  thinking <- 1  30 s" in text


@pytest.mark.parametrize(
    ("thinking", "said"),
    [
        ("off", "a model call costs no simulated time"),
        ("recorded", "a model call costs the time it took"),
        (
            {"kind": "drawn", "median_s": 20, "sigma": 0.5, "seed": 3},
            "a model call costs a lognormal time, median 20 s, sigma 0.5, seed 3",
        ),
        (
            {"kind": "drawn", "quantiles_s": [1, 2.5, 9]},
            "a model call costs a time drawn by the quantiles 1, 2.5, 9 s, seed 0",
        ),
    ],
)
def test_every_clock_can_be_said_in_words(thinking, said):
    assert words.clock(Clock.model_validate({"thinking": thinking})) == said
