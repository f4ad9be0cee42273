from __future__ import annotations

import asyncio
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.episode import Status
from evals.errors import UserError
from evals.grade import JudgeConfig, Result
from evals.grading import combine, contract_for, grade
from evals.judge import STAND_IN, JudgeReply

LIVE = JudgeConfig(model="openai/gpt-6-sol@medium", prompt="p", version=1, stand_in=False)
LEAK = {"id": "R1", "criterion": "Names the leak.", "stand_in": {"says": ["leak"]}}
VAGUE = {"id": "R2", "criterion": "Is clear."}


@pytest.fixture
def graded(make_case: Any, make_episode: Any) -> Any:
    """The grade of an output under the field check `status == warning` and a rubric, by the stand-in."""

    def of(output: Any, rubric: Any = (LEAK,), **changes: Any) -> Any:
        return asyncio.run(grade(make_episode(output, **changes), make_case(rubric=list(rubric)), STAND_IN))

    return of


def verdicts(found: Any) -> dict[str, str]:
    return {result.name: result.verdict for result in found.results}


def test_both_layers_must_pass(graded: Any) -> None:
    found = graded({"status": "warning", "text": "a leak"})
    assert (found.verdict, found.reason) == ("pass", "")
    assert verdicts(found) == {"completed": "pass", "field": "pass", "R1": "pass"}
    assert found.judge == "stand-in/patterns"


def test_a_deterministic_failure_decides(graded: Any) -> None:
    found = graded({"status": "nominal", "text": "a leak"})
    assert (found.verdict, found.reason) == ("fail", 'field: status is "nominal", expected "warning"')
    assert found.failed() == ["field"]


def test_the_deterministic_layer_gives_the_reason_first(graded: Any) -> None:
    found = graded({"status": "nominal", "text": "fine"})
    assert found.reason == 'field: status is "nominal", expected "warning"'
    assert found.failed() == ["field", "R1"]


def test_a_failed_criterion_fails(graded: Any) -> None:
    found = graded({"status": "warning", "text": "fine"})
    assert (found.verdict, found.reason) == ("fail", "R1: stand-in: the response does not say /leak/")


def test_what_cannot_be_judged_is_ungraded_never_a_default(graded: Any) -> None:
    found = graded({"status": "warning", "text": "a leak"}, [LEAK, VAGUE])
    assert (found.verdict, found.reason) == ("ungraded", "R2: the stand-in has no pattern for this criterion")


def test_a_failure_outweighs_what_cannot_be_judged(graded: Any) -> None:
    assert graded({"status": "nominal", "text": "a leak"}, [VAGUE]).verdict == "fail"
    assert graded({"status": "warning", "text": "fine"}, [LEAK, VAGUE]).verdict == "fail"


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (Status(kind="failed", layer="infrastructure", reason="500"), "completed: failed in infrastructure: 500"),
        (Status(kind="failed", layer="simulator", reason="bug"), "completed: failed in simulator: bug"),
        (Status(kind="failed"), "completed: failed in an unknown layer: no reason is recorded"),
        (
            Status(kind="stopped", layer="budget", reason="over 1 USD"),
            "completed: stopped by the spending limit: over 1 USD",
        ),
    ],
)
def test_what_others_stopped_is_not_held_against_the_candidate(graded: Any, status: Status, reason: str) -> None:
    found = graded({"status": "nominal"}, status=status)
    assert (found.verdict, found.reason, verdicts(found)) == ("ungraded", reason, {"completed": "ungraded"})


def test_a_candidate_that_stops_short_fails_on_what_there_is(graded: Any) -> None:
    status = Status(kind="stopped", layer="candidate", reason="out of turns: the budget is 8")
    found = graded(None, status=status)
    assert found.verdict == "fail"
    assert found.reason == (
        "completed: stopped: out of turns: the budget is 8; field: life-support gave no final output"
    )
    assert verdicts(found) == {"completed": "fail", "field": "fail", "R1": "fail"}


def test_a_candidate_that_stops_short_cannot_pass(graded: Any) -> None:
    status = Status(kind="stopped", layer="candidate", reason="out of time")
    assert graded({"status": "warning", "text": "leak"}, status=status).verdict == "fail"


def test_a_live_judge_is_asked_once_for_each_criterion(make_case: Any, make_episode: Any) -> None:
    prompts = []

    async def ask(prompt: str) -> JudgeReply:
        prompts.append(prompt)
        return JudgeReply(verdict="met", quote="a leak", reason="Named.")

    episode = make_episode({"status": "warning", "text": "a leak"})
    found = asyncio.run(grade(episode, make_case(rubric=[LEAK, VAGUE]), LIVE, ask))
    assert (found.verdict, found.judge) == ("pass", "openai/gpt-6-sol@medium")
    assert [prompt.splitlines()[0] for prompt in prompts] == [
        "Criterion R1: Names the leak.",
        "Criterion R2: Is clear.",
    ]


def test_a_live_judge_that_cannot_be_asked_is_an_error(make_case: Any, make_episode: Any) -> None:
    with pytest.raises(ValueError, match="there is no way to ask its judge openai/gpt-6-sol@medium"):
        asyncio.run(grade(make_episode("x"), make_case(rubric=[LEAK]), LIVE))
    assert asyncio.run(grade(make_episode({"status": "warning"}), make_case(), LIVE)).verdict == "pass"


def test_the_same_episode_gets_the_same_grade(graded: Any) -> None:
    output = {"status": "warning", "text": "a leak"}
    assert graded(output) == graded(output)


def test_the_contract_is_known_by_its_digest(make_case: Any) -> None:
    case = make_case(rubric=[LEAK])
    first = contract_for(case, STAND_IN).digest()
    assert first == contract_for(make_case(rubric=[LEAK]), STAND_IN).digest()
    assert first != contract_for(case, LIVE).digest()
    assert first != contract_for(make_case(rubric=[VAGUE]), STAND_IN).digest()


def test_a_check_cannot_take_the_name_of_the_first_result(make_case: Any) -> None:
    with pytest.raises(UserError) as error:
        contract_for(make_case({"check": "budget", "id": "completed"}), STAND_IN)
    assert str(error.value) == "leak-01: the name 'completed' is taken. Give the check another id."


def test_no_results_are_no_verdict() -> None:
    with pytest.raises(ValueError, match="there is nothing to combine"):
        combine([])


VERDICTS = st.tuples(st.sampled_from(["deterministic", "rubric"]), st.sampled_from(["pass", "fail", "ungraded"]))


@given(st.lists(VERDICTS, min_size=1, max_size=4))
def test_the_rule_depends_on_what_there_is_and_not_on_its_order(parts: list[tuple[Any, Any]]) -> None:
    results = [
        Result(name=str(i), kind="x", layer=layer, verdict=verdict, reason="" if verdict == "pass" else "r")
        for i, (layer, verdict) in enumerate(parts)
    ]
    found = {combine(order)[0] for order in permutations(results)}
    said = {verdict for _, verdict in parts}
    assert found == {"fail" if "fail" in said else "ungraded" if "ungraded" in said else "pass"}


def test_grading_loads_no_heavy_library() -> None:
    heavy = ["agents", "openai", "pint", "cel", "scipy"]
    code = f"import sys, evals.grading; print([name for name in {heavy} if name in sys.modules])"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
