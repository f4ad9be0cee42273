"""Decisions: the policy is applied as written, in every outcome, and the record says how."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from evals.decide import check_plan, decide
from evals.episode import Event, Status
from evals.errors import UserError
from evals.outcomes import Results, caveats, load_results
from evals.report.episode import cut, print_episode, trace
from evals.report.matrix import print_results
from evals.report.record import headline, record
from evals.store import Store

fakes: Any = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("fake_run.py"))))
CASES = ("a-1", "a-2", "b-1")
GATE = {"min_pass_rate": 0.5, "max_ungraded": 0.4}


@pytest.fixture
def results(tmp_path) -> Callable[..., Results]:
    """A run whose verdicts are given: by candidate, one word a trial, cases parted by spaces ("ppf pp? ...")."""

    def make(verdicts: dict[str, str], plan: Any = None, **episodes: dict[str, Any]) -> Results:
        trials = max(len(word) for text in verdicts.values() for word in text.split())
        plan = plan or fakes.make_plan(tuple(verdicts), trials, policy=policy())
        cases = fakes.frozen(CASES)
        with Store.create(tmp_path / "run.sqlite", fakes.make_header(plan), "text", cases) as store:
            for candidate, text in verdicts.items():
                for item, word in zip(cases, text.split(), strict=True):
                    for trial, letter in enumerate(word):
                        changes = episodes.get(candidate, {})
                        add(store, item, fakes.make_episode(item.case.id, candidate, trial, **changes), letter)
            return load_results(store, "results/run.sqlite")

    return make


def add(store: Store, item: Any, episode: Any, letter: str) -> None:
    store.add_episode(episode, 0.0, 0.0)
    if letter != "-":
        verdict = {"p": "pass", "f": "fail", "?": "ungraded"}[letter]
        store.add_grade(episode.key, fakes.make_grade(episode, item.contract, verdict), item.contract)


def policy(*order: str, **gate: float) -> dict[str, Any]:
    return {"order": list(order) or ["complete_passes", "median_episode_s", "lower_effort"], "gate": GATE | gate}


def test_most_complete_passes_wins(results):
    choice = decide(results({"good": "p p f", "bad": "p f f"}, None))
    assert (choice.outcome, choice.candidates) == ("winner", ["good"])
    assert choice.why == ["Only one candidate meets the gate."]


def test_a_case_is_passed_only_if_all_its_trials_pass(results):
    choice = decide(results({"steady": "ppp ppp fff", "flaky": "ppf ppf ppf"}))
    assert [(s.candidate, s.complete_passes) for s in choice.standings] == [("steady", 2), ("flaky", 0)]
    assert choice.why == ["complete passes: steady is ahead of flaky."]


def test_equal_passes_are_parted_by_time(results):
    choice = decide(results({"slow": "p p f", "fast": "p p f"}, slow={"wall_s": 2.0}, fast={"wall_s": 1.5}))
    assert choice.candidates == ["fast"]
    assert choice.why == [
        "complete passes: slow, fast are equal.",
        "median episode time: fast is ahead of slow.",
    ]


def test_equal_times_are_parted_by_effort_over_all_roles(results):
    plan = fakes.make_plan(
        (
            {"id": "deep", "model": "openai/m@low", "roles": {"boss": "openai/m@high"}},
            {"id": "flat", "model": "openai/m@low"},
        ),
        policy=policy(),
    )
    choice = decide(results({"deep": "p p p", "flat": "p p p"}, plan))
    assert [s.effort for s in choice.standings] == [6, 4]
    assert choice.candidates == ["flat"]


def test_an_unknown_cost_parts_nobody(results):
    plan = fakes.make_plan(("one", "two"), policy=policy("complete_passes", "usd"))
    choice = decide(results({"one": "p p p", "two": "p p p"}, plan, one={"usd": None}, two={"usd": 0.5}))
    assert (choice.outcome, choice.candidates) == ("tie", ["one", "two"])
    assert choice.why[1] == "cost: not stated or unknown for one, so it separates nobody."
    assert [s.usd for s in choice.standings] == [None, 1.5]


def test_equal_in_all_measures_is_a_tie_and_no_winner(results):
    choice = decide(results({"one": "p p p", "two": "p p p"}))
    assert headline(choice) == "No winner: tie between one and two"


@pytest.mark.parametrize(
    ("verdicts", "gate"),
    [
        ("p f f", "pass rate 33.3% of graded episodes, at least 50.0% needed"),
        ("p ? ?", "ungraded 66.7%, at most 40.0% allowed"),
    ],
)
def test_who_misses_the_gate_cannot_win(results, verdicts, gate):
    choice = decide(results({"only": verdicts}))
    assert (choice.outcome, choice.candidates, choice.standings[0].gate) == ("gate-not-met", [], gate)
    assert headline(choice) == "No winner: gate not met"


def test_nothing_graded_meets_no_gate(results):
    plan = fakes.make_plan(("only",), policy=policy(min_pass_rate=0.0, max_ungraded=1.0))
    assert decide(results({"only": "? ? ?"}, plan)).standings[0].gate == "nothing was graded"


def test_the_gate_is_of_graded_episodes_and_the_best_that_meets_it_wins(results):
    choice = decide(results({"holes": "ppp p?? p??", "whole": "ppp fpp fpp"}))
    assert [s.gate for s in choice.standings] == ["ungraded 44.4%, at most 40.0% allowed", ""]
    assert choice.candidates == ["whole"]


def test_an_incomplete_run_is_not_decided(results):
    with pytest.raises(UserError) as told:
        decide(results({"good": "p p -"}))
    assert str(told.value) == (
        "results/run.sqlite: 1 trials of the plan are not flown and graded yet. "
        "Finish it: simsup run toy --resume results/run.sqlite"
    )


def test_a_policy_changed_after_the_run_is_refused(results):
    plan = fakes.make_plan(("good",), policy=policy())
    found = results({"good": "p p p"}, plan)
    check_plan(found, plan)
    with pytest.raises(UserError, match="the plan toy is not the one this run was started with"):
        check_plan(found, fakes.make_plan(("good",), policy=policy(min_pass_rate=0.1)))


def test_pilots_and_the_stand_in_are_called_so(results):
    plan = fakes.make_plan(("good", {"id": "model", "model": "openai/gpt-6-luna@low"}), policy=policy())
    said = caveats(results({"good": "p p p", "model": "p p p"}, plan))
    assert said == [
        "good: these candidates are pilots, rule-based programs. They prove that the instrument works; they say "
        "nothing about any model.",
        "The judge is an offline stand-in that matches patterns, no model. Its verdicts prove the instrument; they are "
        "no judgement of quality.",
    ]


def test_the_record_says_everything_and_is_the_same_every_time(results):
    found = results({"good": "p p p", "bad": "p f ?"})
    text = record(found, decide(found))
    assert text == record(found, decide(found))
    for line in (
        "# Decision: toy",
        "**Question.** Which clerk?",
        "**Winner: good.** complete passes: good is ahead of bad. good passed 100% (44..100) of cases (Wilson); "
        "none of 3 failed, which still allows a failure rate of 63%.",
        "> All candidates are pilots, rule-based programs. "
        "They prove that the instrument works; they say nothing about any model.",
        "- Ranked by: complete passes, then median episode s, then lower effort.",
        "- Gate: at least 50.0% of graded episodes pass, at most 40.0% ungraded.",
        "| good (pilot) | `pilot/good` |  |  |",
        "| bad | 1 of 3 | 50% (9..91) | Wilson, n = 2 | 2 | 1 | 1 s | 0.0000 USD |",
        "| a-2 | + pass | x FAIL |",
        "| b-1 | + pass | ? ---- |",
        "| a-2 | bad | #0 | x FAIL | `field` | verdict: is 'bad', not 'good' |",
        "- Run file: `results/run.sqlite`, started 2026-12-01T00:00:00+00:00.",
        f"- Plan digest: `{found.header.plan_digest}`.",
        "- System: toy. Judge: stand-in/patterns (a stand-in, no model), version 1.",
        "- Paid calls: none (offline).",
        "- Software: simsup 0.1.0.",
    ):
        assert line in text.splitlines()


def test_with_several_trials_the_record_gives_pass_hat_k(results):
    found = results({"good": "ppp ppp ppf"})
    assert "| good | 2 of 3 | 89% (41..100) | t of case means, n = 3 | 9 | 0 | 1 s | 0.0000 USD | 67% |" in record(
        found, decide(found)
    )


def shown(print_it: Callable[[Console], None], width: int = 80) -> list[str]:
    console = Console(width=width, record=True, markup=False, highlight=False, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    print_it(console)
    return [line.rstrip() for line in console.export_text().splitlines()]


def test_the_matrix_is_read_without_colour_in_80_columns(results):
    lines = shown(lambda console: print_results(console, results({"good": "pp pp pp", "bad": "pp f? ??"})))
    assert [line.split() for line in lines if line.startswith(("a-", "b-", "cases passed", "ungraded"))] == [
        ["a-1", "+", "pass", "2/2", "+", "pass", "2/2"],
        ["a-2", "+", "pass", "2/2", "x", "FAIL", "0/2"],
        ["b-1", "+", "pass", "2/2", "?", "----", "0/2"],
        ["cases", "passed", "3", "of", "3", "1", "of", "3"],
        ["ungraded", "0", "3"],
    ]
    assert "x FAIL a-2  bad #0  field: verdict: is 'bad', not 'good'" in lines
    assert "? ---- b-1  bad #0 #1  field: verdict: is 'bad', not 'good'" in lines
    assert [line.split() for line in lines if line.startswith(("pass rate", "95 %"))] == [
        ["pass", "rate", "100%", "50%"],
        ["95", "%", "interval", "44..100", "0..100"],
    ]
    assert all(len(line) <= 80 for line in lines[: lines.index("What did not pass")])


def test_the_same_failure_of_many_trials_is_one_line(results):
    lines = shown(lambda console: print_results(console, results({"bad": "ffffff pppppp ffpppp"})))
    assert [line for line in lines if line.startswith("x FAIL")] == [
        "x FAIL a-1  bad 6 trials  field: verdict: is 'bad', not 'good'",
        "x FAIL b-1  bad #0 #1  field: verdict: is 'bad', not 'good'",
    ]


def test_an_unfinished_run_shows_what_is_missing(results):
    lines = shown(lambda console: print_results(console, results({"good": "p p -"})))
    assert ["b-1", "(not", "graded)"] in [line.split() for line in lines]


def test_an_episode_is_shown_with_role_time_and_cause():
    lines = trace(fakes.make_episode("a-1", "good").trace)
    assert lines[0] == '   0  0:00:00  -  input  {"task": "Say what is so."}'
    assert lines[2] == '   2  1:01:01  clerk  output <- 1  {"output": "good"}'


def test_a_role_is_indented_below_the_one_that_asked_it():
    boss, clerk = {"role": "boss"}, {"role": "clerk"}
    events = [
        event(0, "input", None, role=None, task="Go."),
        event(1, "model_request", 0, **boss, items=[{"role": "user", "content": "Go.\n Now."}]),
        event(2, "model_response", 1, **boss, output=[{"content": [{"text": "I ask."}]}, {"name": "ask_clerk"}]),
        event(3, "handoff", 2, **boss, tool="ask_clerk", arguments={"input": "Why?"}),
        event(4, "model_request", 3, **clerk, items=[{"role": "user", "content": "Why?"}]),
        event(5, "tool_result", 4, **clerk, output={"reason": "no gauge"}, error=True),
        event(6, "report", 5, **boss, output="Because."),
        event(7, "model_request", 6, **boss, items=[{"type": "function_call_output"}]),
    ]
    assert trace(events) == [
        '   0  0:00:00  -  input  {"task": "Go."}',
        "   1  0:00:00  boss  model_request <- 0  Go. Now.",
        "   2  0:00:00  boss  model_response <- 1  I ask. / calls ask_clerk",
        '   3  0:00:00  boss  handoff <- 2  ask_clerk {"input": "Why?"}',
        "   4  0:00:00      clerk  model_request <- 3  Why?",
        '   5  0:00:00      clerk  tool_result <- 4  ERROR {"reason": "no gauge"}',
        "   6  0:00:00  boss  report <- 5  Because.",
        "   7  0:00:00  boss  model_request <- 6  (goes on)",
    ]
    assert trace(events, full=True)[6].endswith('report <- 5  {"output": "Because."}')


def event(seq: int, kind: Any, cause: int | None, role: str | None, **data: Any) -> Event:
    return Event(seq=seq, kind=kind, role=role, cause=cause, sim_s=0.0, wall_s=0.0, data=data)


def test_what_is_cut_from_an_event_is_counted():
    assert cut("x" * 500, 10) == "xxxxxxxxxx ... (490 more characters)"


def test_a_failed_episode_says_which_layer_stopped_it():
    status = Status(kind="failed", layer="infrastructure", reason="no answer from the provider")
    episode = fakes.make_episode("a-1", "good", status=status, usd=None)
    grade = fakes.make_grade(episode, fakes.frozen()[0].contract, "ungraded")
    lines = shown(lambda console: print_episode(console, episode, [grade]), 200)
    assert lines[1] == (
        "failed in layer infrastructure: no answer from the provider; simulated 1:01:01, took 1 s, cost unknown"
    )
    assert "  ? ----  field (deterministic): verdict: is 'good', not 'good'" in lines
