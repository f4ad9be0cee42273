"""`simsup outcomes`: what an episode's world came to, judged on the world rebuilt from the episode alone."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from evals.cli import execute
from evals.contract import canonical
from mission.flight import act, called, fly, fly_plan
from mission.judged import Evaluator
from mission.objectives import Outcome, evaluate
from mission.oracle import levers, solve
from mission.outcomes import Wish, document, judge
from mission.rebuild import given, rebuild
from mission.recorded import Recorded, read_run
from mission.world.engine import Scenario, World, load_scenario
from mission.world.objective import Step
from mission.world.report import scenario_digest, text

ROOT = Path(__file__).parents[2]
HOUR = 3600.0
FIXED = {"thinking": {"kind": "fixed", "seconds": 20}}
PLAN = {
    "id": "outcomes",
    "question": "What came of it?",
    "candidates": [
        {"id": "expert", "model": "pilot/expert"},
        {"id": "null", "model": "pilot/null"},
        {"id": "thinking", "model": "pilot/expert", "clock": FIXED},
    ],
    "cases": ["workflow-bed-01", "life-support-bed-01", "director-bed-01"],
    "policy": {"order": ["complete_passes"], "gate": {"min_pass_rate": 0.5}},
}
ZERO = {"crew": 0.0, "base": 0.0, "stores": 0.0, "mission": 0.0, "margin": 0.0}


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the bed's cases by offline pilots."""
    folder = tmp_path_factory.mktemp("outcomes")
    plan, out = folder / "plan.yaml", folder / "run.sqlite"
    plan.write_text(yaml.safe_dump(PLAN))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        assert execute(["run", str(plan), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def told(run: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The JSON of that run, regret included, by case and candidate."""
    evaluator = Evaluator(ROOT, regret=True)
    found = document(run.name, [evaluator.judge(one) for one in read_run(run)])
    return {(one["case"], one["candidate"]): one for one in json.loads(json.dumps(found))["episodes"]}


@pytest.fixture
def tampered(run: Path, tmp_path: Path) -> Callable[[Callable[[dict[str, Any]], None]], Path]:
    """Writes a copy of the run in which the expert's workflow was changed by hand."""

    def write(change: Callable[[dict[str, Any]], None]) -> Path:
        out = tmp_path / "tampered.sqlite"
        shutil.copy(run, out)
        where = "WHERE case_id = 'workflow-bed-01' AND candidate = 'expert'"
        with sqlite3.connect(out) as database:
            body = database.execute(f"SELECT episode FROM attempts {where}").fetchone()[0]
            episode = json.loads(zlib.decompress(body))
            change(episode)
            packed = zlib.compress(canonical(episode).encode())
            database.execute(f"UPDATE attempts SET episode = ? {where}", (packed,))
        database.close()
        return out

    return write


def scenario(name: str) -> Scenario:
    return load_scenario(ROOT / "cases" / "scenarios" / f"{name}.yaml")


def recorded(world: World, start: str, horizon: str) -> Recorded:
    """A world as a run has it: through JSON."""
    kept = json.loads(canonical([world.state(), world.log()]))
    setup = {"scenario": world.scenario.id, "seed": world.seed, "start": start, "horizon": horizon}
    return Recorded("some", "workflow", "one", 0, setup, "completed", None, *kept, world.digest())


def by_hand(*steps: tuple[float, Step]) -> Outcome:
    """The bed's outcome from T+06:00 to T+16:00, each step at its time in s."""
    world = World(scenario("bed-degraded"), 3)
    for at, step in steps:
        world.advance(at)
        act(world, step)
    world.advance(16 * HOUR)
    return evaluate(world, world.scenario.objectives, 6 * HOUR, 16 * HOUR)


def test_the_expert_and_the_null_pilot_differ_as_the_worlds_they_leave(told):
    expert, null = told["workflow-bed-01", "expert"], told["workflow-bed-01", "null"]
    flown = by_hand(
        (21600.0, Step(check="bed_balance", parameters={"unit": "A"})),
        (25500.0, Step(command="start_bed", parameters={"unit": "B"})),
        (36300.0, Step(command="repair_bed", parameters={"unit": "A"})),
    )
    for episode, outcome in ((expert, flown), (null, by_hand())):
        assert episode["smallest_relative_margin"] == outcome.margin
        assert [one["value"] for one in episode["objectives"]] == [one.value for one in outcome.results]
        assert episode["violated_s"] == sum(one.violated_s for one in outcome.results)
    assert (expert["graded"], expert["objectives_met"], expert["worst_rank_missed"]) == ("pass", 5, None)
    assert (null["graded"], null["objectives_met"], null["worst_rank_missed"]) == ("fail", 1, "crew")
    assert expert["smallest_relative_margin"] == pytest.approx(0.067, abs=5e-4)
    assert null["smallest_relative_margin"] == pytest.approx(-1.5, abs=1e-9)
    assert null["violated_s"] > 3 * expert["violated_s"] > 0.0


def test_regret_is_what_was_lost_against_the_best_plan_of_the_same_time(told):
    trial = scenario("bed-degraded").trial.model_copy(update={"end_h": 16.0})
    best = solve(scenario("bed-degraded").model_copy(update={"trial": trial})).best
    expert, null = told["workflow-bed-01", "expert"], told["workflow-bed-01", "null"]
    assert expert["best_plan"] == [str(step) for step in best.plan]
    assert expert["best_margin"] == best.outcome.margin
    assert expert["regret"]["margin"] == best.outcome.margin - expert["smallest_relative_margin"]
    assert expert["regret"] == pytest.approx(ZERO | {"margin": 0.034}, abs=5e-4)
    assert null["regret"]["crew"] > expert["regret"]["crew"]
    assert null["regret"]["base"] == pytest.approx(0.4 / 0.9)


@pytest.mark.parametrize(("end_h", "seed"), [(22.0, 0), (16.0, 5)])
def test_the_best_plan_itself_has_no_regret(end_h, seed):
    told = scenario("bed-degraded")
    told = told.model_copy(update={"trial": told.trial.model_copy(update={"end_h": end_h})})
    world = fly_plan(told, solve(told).best.plan, seed)
    judged = Evaluator(ROOT, regret=True).judge(recorded(world, "PT6H", f"PT{end_h:g}H"))
    assert judged.broken == ""
    assert judged.against is not None
    assert judged.against.lost == ZERO


def test_json_has_every_objective_with_value_limit_margin_and_violation(told):
    for episode in (told["workflow-bed-01", "expert"], told["workflow-bed-01", "null"]):
        assert [one["id"] for one in episode["objectives"]] == [
            "core-air", "lab-air", "short-caution", "bed-repaired", "cans-kept",
        ]  # fmt: skip
        for one, objective in zip(episode["objectives"], scenario("bed-degraded").objectives, strict=True):
            assert (one["limit"], one["rank"], one["kind"]) == (objective.limit, objective.rank, objective.kind)
            sign = 1 if one["side"] == "at_most" else -1
            assert one["margin"] == pytest.approx(sign * (one["limit"] - one["value"]))
            assert one["met"] == (one["margin"] >= 0.0)
            assert one["violated_s"] >= 0.0


def test_a_deadline_that_never_came_has_no_value():
    world = World(scenario("fan-stopped"), 0)
    world.advance(22 * HOUR)
    judged = Evaluator(ROOT).judge(recorded(world, "PT6H", "PT22H"))
    one = next(one for one in document("run", [judged])["episodes"][0]["objectives"] if one["id"] == "lab-cleared")
    assert (one["value"], one["met"], one["unit"], one["limit"]) == (None, False, "h", 8)


def test_objectives_that_are_not_those_of_the_run_are_said_to_be_todays(run):
    note = "scenario bed-degraded has changed since the run: these are its objectives of today"
    (flown,) = [one for one in read_run(run) if (one.case, one.candidate) == ("workflow-bed-01", "expert")]
    assert flown.scenario_digest == scenario_digest(scenario("bed-degraded"))
    then = scenario_digest(scenario("bed-degraded").model_copy(update={"objectives": ()}))
    evaluator = Evaluator(ROOT)

    assert note not in evaluator.judge(flown).notes
    assert note not in evaluator.judge(replace(flown, scenario_digest="")).notes
    assert note in evaluator.judge(replace(flown, scenario_digest=then)).notes


def test_a_world_that_moves_on_while_one_thinks_is_rebuilt_too(told):
    thinking, waiting = told["workflow-bed-01", "thinking"], told["workflow-bed-01", "expert"]
    assert thinking["no_figures"] is None
    assert thinking["regret"]["margin"] > waiting["regret"]["margin"]


def test_a_replay_has_the_same_outcomes(run, capsys):
    assert execute(["replay", str(run)]) == 0
    assert "9 episodes replayed, 9 as recorded, 0 not." in capsys.readouterr().out


def test_an_episode_that_ends_before_its_watch_is_judged_so_far_and_not_compared(told):
    episode = told["life-support-bed-01", "expert"]
    assert (episode["judged_from_s"], episode["judged_to_s"]) == (21600.0, 25200.0)
    assert episode["notes"] == [
        "judged from T+06:00 to T+07:00, and the objectives of bed-degraded are meant for T+06:00 to T+22:00",
        "flown to T+07:00 of a watch to T+24:00",
    ]
    assert episode["regret"] is None
    assert episode["not_comparable"] == "it ended at T+07:00, and its watch at T+24:00"


def test_where_no_time_passed_there_is_nothing_to_judge(told):
    episode = told["director-bed-01", "expert"]
    assert episode["no_figures"] == "the world was left as it was opened, at T+06:00"
    assert (episode["objectives_met"], episode["objectives"], episode["regret"]) == (None, [], None)


def test_the_table_has_margins_violation_and_regret_beside_pass_or_fail(run, capsys, tmp_path):
    out = tmp_path / "outcomes.json"
    assert execute(["outcomes", str(run), "--regret", "--json", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ")[0] == "candidate"
    rows = [" ".join(line.split()) for line in lines]
    assert (
        "expert workflow-bed-01 0 pass 5 of 5 - +6.7% 2.72 h T+06:00 to T+16:00 "
        "shortfall: none; smallest relative margin: 3.4%"
    ) in rows
    assert any(row.startswith("null workflow-bed-01 0 fail 1 of 5 crew -150.0% 20.95 h") for row in rows)
    assert (
        "Best plan: +0 min start_bed(unit=B); +120 min repair_bed(unit=A) (workflow-bed-01: expert, null, thinking)"
    ) in lines
    assert lines[-1] == f"wrote {out}: 9 episodes"
    assert len(json.loads(out.read_text())["episodes"]) == 9


def test_one_case_of_one_candidate_shows_every_objective(run, capsys):
    assert execute(["outcomes", str(run), "workflow-bed-01", "expert"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "met crew core-air 3.55 mmHg <= 4 mmHg +0.4496 (+11.2%)" in lines
    assert "5 of 5 objectives met; smallest relative margin +6.7%" in lines
    assert not any(line.startswith("null") for line in lines)


def test_the_worlds_of_all_scenarios_are_rebuilt_from_their_logs_alone():
    for path in sorted((ROOT / "cases" / "scenarios").glob("*.yaml")):
        told = load_scenario(path)
        world, start = World(told, 3), called(told)
        world.advance(start)
        acts = [step.model_copy(update={"after_min": 7.0 * index}) for index, step in enumerate(levers(told))]
        fly(world, acts, start, start + HOUR)
        state, log = json.loads(canonical([world.state(), world.log()]))
        again = rebuild(told, state, log, world.digest())
        ahead = start + 3 * HOUR
        again.advance(max(ahead, again.now))
        world.advance(max(ahead, world.now))
        assert again.digest() == world.digest(), told.id


def _later(episode: dict[str, Any]) -> None:
    command = next(event for event in episode["log"] if event["kind"] == "command")
    command["t"] -= 600.0


def _milder(episode: dict[str, Any]) -> None:
    episode["state"]["exposures"]["peak_ppco2_mmhg"] -= 0.01


def _forged(episode: dict[str, Any]) -> None:
    """A log without its commands, and the digest that belongs to it."""
    episode["log"] = [event for event in episode["log"] if event["kind"] != "command"]
    said = text({"state": episode["state"], "log": episode["log"]})
    episode["world_digest"] = hashlib.sha256(said.encode()).hexdigest()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_later, "its state and log are not those of its digest: the record was altered"),
        (_milder, "its state and log are not those of its digest: the record was altered"),
        (
            _forged,
            "rebuilt from its log it is another world: the scenario bed-degraded or the simulator has changed since, "
            "or the log was altered",
        ),
    ],
)
def test_a_tampered_episode_gets_no_figures_and_the_others_keep_theirs(tampered, capsys, change, why):
    assert execute(["outcomes", str(tampered(change))]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"NO FIGURES workflow-bed-01 expert trial 0: {why}"
    shown = [line.split()[:2] for line in lines]
    assert ["null", "workflow-bed-01"] in shown
    assert ["expert", "workflow-bed-01"] not in shown


def test_a_scenario_that_has_changed_since_gives_no_figures(run, monkeypatch):
    one = next(one for one in read_run(run) if one.case == "workflow-bed-01")
    changed = scenario("bed-degraded").model_copy(update={"oga_kg_per_day": 4.0})
    with pytest.raises(ValueError, match="the scenario bed-degraded or the simulator has changed since"):
        rebuild(changed, one.state, one.log, one.digest)


def test_a_scenario_that_is_gone_is_said_with_near_names(run):
    one = next(one for one in read_run(run) if one.case == "workflow-bed-01")
    judged = Evaluator(ROOT).judge(replace(one, setup={**one.setup, "scenario": "bed-degradet"}))
    assert judged.broken.startswith("there is no scenario 'bed-degradet'")
    assert "bed-degraded" in judged.broken


def test_a_world_is_rebuilt_from_orders_of_every_kind_refused_ones_too():
    world = World(scenario("bed-degraded"), 4)
    world.advance(6 * HOUR)
    world.check("handheld_co2", {"zone": "core"})
    world.command("open_lioh", {"zone": "core"}, by="authorized-plan")
    world.command("open_lioh", {"zone": "attic"}, by="operator")
    world.command("no_such_thing", {"a": "[1]", "b": float("nan")}, by="operator")
    world.command("move_crew", {"people": "all", "to": "core"})
    world.command("move_crew", {"people": "CM1", "to": "core"})
    world.check("bed_balance", {"unit": "A"})
    world.command("repair_bed", {"unit": "A"})
    world.command("suspend_exercise", {"hours": 3})
    world.advance(9 * HOUR + 0.5)
    kept = recorded(world, "PT6H", "PT10H")
    assert rebuild(world.scenario, kept.state, kept.log, kept.digest).digest() == world.digest()
    assert [(one["t"], one["name"]) for one in given(kept.log)] == [(one["t"], one["name"]) for one in world.commands()]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["outcomes", "results/none.sqlite"], "results/none.sqlite: no such run."),
        (["outcomes", "README.md"], "README.md: is not a SimSup run."),
        (["outcomes", "RUN", "workflow-bed-1"], "no case 'workflow-bed-1' in this run; near: workflow-bed-01"),
        (["outcomes", "RUN", "workflow-bed-01", "exprt"], "no candidate 'exprt' in this run; near: expert"),
        (["outcomes", "RUN", "--json", "nowhere/at/all.json"], "nowhere/at/all.json: there is no folder"),
    ],
)
def test_what_is_no_run_and_what_cannot_be_written_is_one_line(run, capsys, arguments, said):
    assert execute([str(run) if word == "RUN" else word for word in arguments]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1


def test_a_run_of_another_system_is_refused(run, tmp_path, capsys):
    out = tmp_path / "other.sqlite"
    shutil.copy(run, out)
    with sqlite3.connect(out) as database:
        header = json.loads(database.execute("SELECT header FROM run").fetchone()[0])
        database.execute("UPDATE run SET header = ?", (canonical(header | {"system": "kettle"}),))
    database.close()
    assert execute(["outcomes", str(out)]) == 2
    assert "was flown in system 'kettle', and only worlds of 'mars' can be rebuilt here" in capsys.readouterr().err


def test_show_tells_margins_and_time_on_the_wrong_side_beside_the_verdict(run, capsys):
    assert execute(["show", str(run), "workflow-bed-01", "expert"]) == 0
    said = capsys.readouterr().out
    assert "What the world came to, by the objectives of its scenario:" in said
    assert "met  crew    short-caution  2.722 h     <= 4 h     +1.278 (+31.9%)   2.72 h from T+06:00" in said
    assert "--regret adds what was lost against the best that could have been done" in said
    assert "shortfall" not in said


def test_show_tells_regret_where_it_is_asked_for(run, capsys):
    assert execute(["show", str(run), "workflow-bed-01", "null", "--regret"]) == 0
    assert "shortfall: crew 1.72, base 0.444; smallest relative margin: 160.1%" in capsys.readouterr().out
    assert execute(["show", str(run), "--regret"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if " workflow-bed-01 " in line]
    assert {row[0] for row in rows if "shortfall:" in row} == {"expert", "null", "thinking"}


def test_a_matrix_without_the_wish_searches_for_nothing(run, capsys, monkeypatch):
    monkeypatch.setattr("mission.judged.solve", lambda *_: pytest.fail("searched"))
    assert execute(["show", str(run)]) == 0
    assert execute(["show", str(run), "workflow-bed-01", "expert"]) == 0
    assert "regret" not in capsys.readouterr().out.split("What the world came to")[0]


def test_a_world_that_cannot_be_had_again_does_not_keep_an_episode_from_being_shown(tampered, capsys):
    def cool(episode: dict[str, Any]) -> None:
        episode["state"]["zones"]["core"]["ppco2_mmhg"] = 1.0

    assert execute(["show", str(tampered(cool)), "workflow-bed-01", "expert"]) == 0
    said = capsys.readouterr().out
    assert "+ pass  air-restored (deterministic)" in said
    assert "NO FIGURES workflow-bed-01 expert trial 0: its state and log are not those of its digest" in said


def test_the_record_of_a_decision_tells_regret_where_it_is_asked_for(run, capsys):
    plan, record = run.parent / "plan.yaml", run.parent / "record.md"
    assert execute(["decide", str(plan), str(run)]) == 0
    plain = record.read_text()
    assert "What the worlds came to" not in plain
    assert execute(["decide", str(plan), str(run), "--regret"]) == 0
    told = record.read_text()
    section = told[told.index("## What the worlds came to") : told.index("## Conditions")]
    assert "the policy asks nothing of it" in section
    assert "shortfall: crew 1.72, base 0.444; smallest relative margin: 160.1%" in section
    assert told.replace(section, "") == plain


def test_judging_says_how_far_it_is(run):
    told: list[tuple[int, int]] = []
    judge(ROOT, Wish(run, case="workflow-bed-01"), lambda *done: told.append(done))
    assert told == [(0, 3), (1, 3), (2, 3)]
