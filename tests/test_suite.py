"""The suite and the instrument's bars, on the real plans `first-flight` and `the-base`, each flown once and shared."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import socket
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from evals.cases import find_plan, load_cases, load_plan, load_reference, select_cases
from evals.episode import Episode
from evals.grade import Grade
from evals.replay import NetworkError, no_network, replay
from evals.store import Store
from evals.verbs.replay import replay_run
from evals.verbs.run import Options, run_plan
from evals.workspace import find_workspace, load_system

ROOT = Path(__file__).parents[1]
WORKSPACE = find_workspace(ROOT)
CASES = load_cases(WORKSPACE)
FLOWN = {
    case.id: case
    for case in select_cases(CASES, load_plan(WORKSPACE, find_plan(WORKSPACE, "first-flight")).cases, "first-flight")
}
"""The cases of the first flight; its pilots were written for these."""
LATER = {
    case.id: case
    for case in select_cases(CASES, load_plan(WORKSPACE, find_plan(WORKSPACE, "the-base")).cases, "the-base")
}
"""The cases of the base's other incidents."""
ALARMING = {"life-support-smoke-01"}
"""Those of them whose first gauge is not nominal: a pilot that believes it goes to work."""
MASKED = {name for name, case in FLOWN.items() if case.tags.mechanism == "masked-evidence"}
PILOTS = ("expert", "trusting", "null")
ROLES = ("director", "life-support", "power-thermal", "weather-navigation", "risk-review")
FEW = (
    "life-support-fan-01",
    "director-bed-01",
    "weather-navigation-outside-pressure-01",
    "risk-review-no-leak-01",
    "handoff-power-thermal-director-01",
    "workflow-leak-01",
)
"""Six cases over all scopes, for what has to be flown in processes of its own."""

Key = tuple[str, str, int]


@contextmanager
def quietly(_total: int) -> Any:
    yield lambda _step: None


def fly(plan: str, out: Path, concurrency: int) -> list[str]:
    """Fly a plan into a file; returns what the verb said."""
    said: list[str] = []
    _, code = run_plan(WORKSPACE, plan, Options(concurrency=concurrency, out=out), quietly, said.append)
    assert code == 0, said
    return said


def flown_once(plan: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run file of a plan at concurrency 8, flown once even where pytest-xdist runs several processes."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    path = folder / f"{plan}.sqlite"
    with (folder / f"{plan}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            fly(plan, folder / f"{plan}-unfinished.sqlite", 8)
            (folder / f"{plan}-unfinished.sqlite").rename(path)
    return path


@pytest.fixture(scope="session")
def flown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return flown_once("first-flight", tmp_path_factory)


@pytest.fixture(scope="session")
def later(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Grade]:
    return grades_of(flown_once("the-base", tmp_path_factory))


@pytest.fixture(scope="session")
def grades(flown: Path) -> dict[tuple[str, str], Grade]:
    return grades_of(flown)


def grades_of(run: Path) -> dict[tuple[str, str], Grade]:
    """The one grade of each case by each candidate."""
    with Store.open(run) as store:
        found = {(one.key.case, one.key.candidate): store.grades(one.key) for one in store.attempts()}
    assert {len(given) for given in found.values()} == {1}
    return {key: given[0] for key, given in found.items()}


def digests(path: Path) -> dict[Key, tuple[str, str]]:
    """Content and world digest of every episode in a run."""
    with Store.open(path) as store:
        return {
            (one.key.case, one.key.candidate, one.key.trial): (one.content_digest(), one.world_digest)
            for one in store.episodes()
        }


def passed(grades: dict[tuple[str, str], Grade], pilot: str) -> set[str]:
    return {case for (case, candidate), grade in grades.items() if candidate == pilot and grade.verdict == "pass"}


# The pilots


def test_every_case_is_flown_by_every_pilot_and_graded(grades):
    assert set(grades) == {(case, pilot) for case in FLOWN for pilot in PILOTS}
    assert Counter(grade.verdict for grade in grades.values())["ungraded"] == 0


def test_the_expert_passes_every_case(grades):
    assert passed(grades, "expert") == set(FLOWN)


def test_the_null_pilot_passes_none(grades):
    assert passed(grades, "null") == set()


def test_the_trusting_pilot_fails_exactly_where_the_evidence_is_masked(grades):
    assert set(FLOWN) - passed(grades, "trusting") == MASKED
    assert len(MASKED) >= 5


@pytest.mark.parametrize("case", sorted(MASKED))
def test_the_trusting_pilot_fails_on_the_checks_that_its_case_names_for_it(grades, case):
    trusts_the_gauge = CASES[case].expect.must_fail[0]
    assert set(trusts_the_gauge.on) <= set(grades[case, "trusting"].failed())


# The pilots, on the other incidents


def test_every_agent_and_workflow_case_is_in_one_of_the_two_plans():
    assert set(FLOWN) & set(LATER) == set()
    assert {case.id for case in CASES.values() if case.scope in ("agent", "workflow")} <= set(FLOWN) | set(LATER)


def test_the_expert_passes_every_later_case_through_its_tools_alone(later):
    assert set(later) == {(case, pilot) for case in LATER for pilot in PILOTS}
    assert passed(later, "expert") == set(LATER)


def test_the_null_pilot_passes_none_of_the_later_cases(later):
    assert passed(later, "null") == set()
    assert Counter(grade.verdict for grade in later.values())["ungraded"] == 0


def test_the_trusting_pilot_passes_a_later_case_only_where_its_first_gauge_alarms_it(later):
    assert passed(later, "trusting") == ALARMING


@pytest.mark.parametrize("case", sorted(set(LATER) - ALARMING - {"workflow-puncture-01"}))
def test_the_trusting_pilot_fails_a_later_case_on_the_checks_that_it_names(later, case):
    assert set(CASES[case].expect.must_fail[0].on) <= set(later[case, "trusting"].failed())


def test_the_trusting_crew_leaves_a_puncture_to_the_make_up(later):
    leaves_it = CASES["workflow-puncture-01"].expect.must_fail[-1]
    assert set(leaves_it.on) <= set(later["workflow-puncture-01", "trusting"].failed())


def test_every_episode_says_that_a_pilot_flew_it(flown):
    with Store.open(flown) as store:
        assert {model for one in store.episodes() for model in one.resolved.models.values()} == {
            f"pilot/{name}" for name in PILOTS
        }
        assert store.header().judge.stand_in is True


# Determinism


def test_one_at_a_time_gives_the_same_episodes_and_worlds(flown, tmp_path):
    fly("first-flight", tmp_path / "one.sqlite", 1)
    assert digests(tmp_path / "one.sqlite") == digests(flown)


def test_the_hash_seed_of_python_and_concurrency_change_nothing(flown, tmp_path):
    plan = yaml.safe_load(WORKSPACE.find("decisions/first-flight/plan.yaml").read_text())
    few = {"id": "few", "cases": list(FEW), "candidates": plan["candidates"][:2]}
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan | few))
    command = [sys.executable, "-c", "from evals.cli import main; main()", "run", str(tmp_path / "plan.yaml")]
    running = [
        subprocess.Popen(
            [*command, "--out", str(tmp_path / f"{seed}.sqlite"), "--concurrency", str(concurrency)],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for seed, concurrency in ((0, 1), (1, 3), (12345, 8))
    ]
    said = [process.communicate()[0].decode() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], said
    expected = {key: value for key, value in digests(flown).items() if key[0] in FEW and key[1] != "null"}
    assert len(expected) == len(FEW) * 2
    for seed in (0, 1, 12345):
        assert digests(tmp_path / f"{seed}.sqlite") == expected


# Replay


def test_every_episode_replays_to_its_digests_with_the_network_closed(flown):
    said: list[str] = []
    assert replay_run(WORKSPACE, flown, said.append) == 0
    assert said == [f"{len(FLOWN) * len(PILOTS)} episodes replayed, {len(FLOWN) * len(PILOTS)} as recorded, 0 not."]


def test_a_replay_cannot_reach_the_network():
    with no_network(), pytest.raises(NetworkError):
        socket.create_connection(("127.0.0.1", 9), timeout=1)
    with pytest.raises(OSError, match=r"refused|timed out"):
        socket.create_connection(("127.0.0.1", 9), timeout=1)


def tampered_word(data: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(data["output"])
    assert "Start bed B" in text
    return data | {"output": json.loads(text.replace("Start bed B", "Start bed C"))}


def tampered_reading(data: dict[str, Any]) -> dict[str, Any]:
    output = json.loads(json.dumps(data["output"]))
    output["readings"][0]["value"] += 0.01
    return data | {"output": output}


@pytest.mark.parametrize(
    ("kind", "which", "tamper", "found"),
    [
        ("model_response", -1, tampered_word, "(output, life-support) differs"),
        ("tool_result", 0, tampered_reading, "(tool_result, life-support) differs"),
    ],
)
def test_an_episode_that_was_tampered_with_is_found(flown, kind, which, tamper, found):
    recorded = episode_of(flown, "life-support-bed-01", "expert")
    seq = [event.seq for event in recorded.trace if event.kind == kind][which]
    trace = [
        event.model_copy(update={"data": tamper(event.data)}) if event.seq == seq else event for event in recorded.trace
    ]
    again = replay_one(flown, recorded.model_copy(update={"trace": trace}))
    assert again.endswith(found)
    assert replay_one(flown, recorded) == ""


def test_a_world_that_was_tampered_with_is_found(flown):
    recorded = episode_of(flown, "workflow-bed-01", "expert")
    assert replay_one(flown, recorded.model_copy(update={"world_digest": "0" * 64})) == "the world's digest differs"
    better = recorded.state | {"t_s": 0.0}
    assert replay_one(flown, recorded.model_copy(update={"state": better})) == "the episode's digest differs"


def episode_of(run: Path, case: str, candidate: str) -> Episode:
    with Store.open(run) as store:
        (key,) = [one.key for one in store.attempts() if (one.key.case, one.key.candidate) == (case, candidate)]
        return store.episode(key)


def replay_one(run: Path, recorded: Episode) -> str:
    with Store.open(run) as store:
        candidates = {candidate.id: candidate for candidate in store.header().plan.candidates}
    system = load_system(WORKSPACE)
    case = CASES[recorded.key.case]
    return asyncio.run(replay(system, case, candidates[recorded.key.candidate], recorded)).difference


# The cases


def test_there_are_enough_cases_of_every_kind():
    agents = Counter(case.role for case in CASES.values() if case.scope == "agent")
    boundaries = {(case.boundary.producer, case.boundary.consumer) for case in CASES.values() if case.boundary}
    scopes = Counter(case.scope for case in CASES.values())
    assert len(CASES) >= 15
    assert {role: agents[role] >= 2 for role in ROLES} == dict.fromkeys(ROLES, True)
    assert ("life-support", "director") in boundaries
    assert (len(boundaries), scopes["workflow"]) >= (3, 2)


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_in_the_format_of_the_architecture(name):
    case = CASES[name]
    assert case.system == "mars"
    assert case.expect.must_fail
    assert load_reference(WORKSPACE, case).case == name
    assert {"scenario", "seed", "start"} <= set(case.setup.world) <= {"scenario", "seed", "start", "horizon"}
    assert case.provenance.basis
    assert [check.check for check in case.expect.checks][-1] == "budget"
