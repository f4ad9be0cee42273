"""Objectives against flown worlds: each kind, its margin, when it was violated, and what comes first."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from mission.objectives import check_objectives, evaluate, regret
from mission.world.objective import Objective

HOUR = 3600.0


def objective(**fields):
    base = {"id": "one", "kind": "invariant", "rank": "crew", "of": "core.ppco2", "unit": "mmHg"}
    return Objective.model_validate(base | fields)


def judge(world, *objectives, start=0.0):
    return evaluate(world, objectives, start, world.now)


def test_an_invariant_tells_its_worst_and_when_it_was_broken(fly):
    world = fly("bed-degraded", 24.0)
    result = judge(world, objective(at_most=4.0)).results[0]
    crossed = [e["t"] for e in world.log() if e["kind"] == "crossing" and (e["zone"], e["level"]) == ("core", 4.0)]
    assert not result.met
    assert result.margin == pytest.approx(4.0 - result.value)
    assert result.first_violation_s == pytest.approx(crossed[0], abs=1e-4)
    assert result.value == pytest.approx(world.state()["exposures"]["zones"]["core"]["peak_ppco2_mmhg"], abs=1e-7)


def test_time_beyond_agrees_with_the_worlds_own_ledger(fly):
    world = fly("bed-degraded", 15.0)
    result = judge(world, objective(kind="time-beyond", of="lab.ppco2", beyond=3.0, hours=2.0)).results[0]
    ledger = world.state()["exposures"]["zones"]["lab"]["above_3_mmhg_s"]
    assert result.value == pytest.approx(ledger / HOUR, abs=1e-6)
    assert result.margin == pytest.approx(2.0 - result.value)
    assert result.violated_s == pytest.approx(ledger, abs=1e-3)


def test_time_below_counts_the_other_side(fly):
    fields = {"kind": "time-beyond", "of": "core.ppco2", "beyond": 3.0, "hours": 1.0}
    world = fly("bed-degraded", 15.0)
    above, below = (judge(world, objective(**fields, below=side)).results[0].value for side in (False, True))
    assert above + below == pytest.approx(15.0, abs=1e-6)


def test_an_empty_zone_harms_nobody(fly):
    world = fly("fan-stopped", 1.0)
    world.command("move_crew", {"people": "all", "to": "core"})
    world.advance(16 * HOUR)
    limit = {"of": "lab.ppco2", "at_most": 2.9}
    assert judge(world, objective(**limit, while_occupied=True), start=2 * HOUR).met
    assert not judge(world, objective(**limit), start=2 * HOUR).met


def test_a_deadline_is_the_first_time_that_it_holds(fly):
    world = fly("bed-degraded", 24.0)
    late = judge(world, objective(kind="deadline", at_least=4.0, hours=10.0)).results[0]
    crossed = [e["t"] for e in world.log() if e["kind"] == "crossing" and (e["zone"], e["level"]) == ("core", 4.0)]
    assert late.value == pytest.approx(crossed[0] / HOUR, abs=1e-6)
    assert not late.met


def test_a_deadline_at_the_end_that_never_comes_is_not_met(fly):
    world = fly("nominal", 10.0)
    result = judge(world, objective(kind="deadline", at_least=9.0, hours=10.0)).results[0]
    assert not result.met
    assert result.margin == pytest.approx(0.0, abs=1e-5)


def test_cumulative_energy_is_the_ledgers(fly):
    world = fly("power-deficit", 12.0)
    energy = objective(kind="cumulative", of="power.load", unit="kW h", at_most=1.0)
    served = objective(id="two", kind="cumulative", of="state.power.served_kwh", unit="kWh", at_most=1.0)
    first, second = judge(world, energy, served).results
    assert first.value == pytest.approx(second.value, rel=1e-6)


def test_inspired_oxygen_is_found_below_its_mark(fly):
    world = fly("oga-off", 20.0)
    result = judge(world, objective(of="core.pio2", at_least=129.0)).results[0]
    crossed = [
        e["t"] for e in world.log() if e["kind"] == "crossing" and (e["quantity"], e["zone"]) == ("pio2", "core")
    ]
    assert result.first_violation_s == pytest.approx(min(crossed), abs=1.0)


def test_a_list_of_the_state_counts_its_entries(fly):
    leaks = objective(kind="terminal", of="state.leaks", unit="1", at_most=0.5)
    assert judge(fly("masked-leak", 1.0), leaks).results[0].value == 1.0
    assert judge(fly("nominal", 1.0), leaks).met


def test_harm_to_people_comes_first(fly):
    def worth(crew_limit, stores_limit):
        crew = objective(at_most=crew_limit)
        stores = objective(
            id="two", kind="terminal", rank="stores", of="state.tanks.n2_kg", unit="kg", at_least=stores_limit
        )
        return judge(world, crew, stores).worth

    world = fly("nominal", 4.0)
    hurt_a_little, lost_everything = worth(2.5, 1.0), worth(4.0, 800.0)
    assert lost_everything > hurt_a_little


def test_a_life_comes_before_every_objective_of_a_scenario_that_names_none(fly):
    safe, left = fly("masked-leak", 6.0), fly("masked-leak", 6.0)
    for world in (safe, left):
        world.command("patch_leak", {"zone": "lab"})
    left.base.set_person("CM5", activity="lost")
    for world in (safe, left):
        world.advance(10 * HOUR)
    asked = objective(kind="terminal", rank="base", of="state.leaks", unit="1", at_most=0.5)
    kept, given_up = judge(safe, asked, start=6 * HOUR), judge(left, asked, start=6 * HOUR)
    assert [result.met for result in given_up.results] == [True]
    assert (kept.met, given_up.met, given_up.lost) == (True, False, 1)
    nothing_done = judge(fly("masked-leak", 10.0), asked, start=6 * HOUR)
    assert given_up.worth < nothing_done.worth < kept.worth
    assert regret(given_up, kept)["crew"] == 1000.0


def test_regret_is_what_was_lost_against_the_best(fly):
    idle, done = fly("bed-degraded", 6.0), fly("bed-degraded", 6.0)
    done.command("start_bed", {"unit": "B"})
    for world in (idle, done):
        world.advance(22 * HOUR)
    asked = objective(at_most=4.0)
    lost = regret(judge(idle, asked, start=6 * HOUR), judge(done, asked, start=6 * HOUR))
    assert lost["crew"] == pytest.approx(0.084, abs=0.001)
    assert lost["base"] == 0.0
    assert lost["margin"] > lost["crew"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "takes one of at_most and at_least"),
        ({"at_most": 1.0, "at_least": 0.0}, "takes one of"),
        ({"kind": "time-beyond", "at_most": 1.0}, "takes beyond and hours"),
        ({"at_most": 1.0, "hours": 2.0}, "hours belong to"),
        ({"of": "state.tanks.n2_kg", "at_most": 1.0}, "known at the end alone"),
    ],
)
def test_an_objective_that_makes_no_sense_is_refused(fields, said):
    with pytest.raises(ValidationError, match=said):
        objective(**fields)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"of": "core.ppco3", "at_most": 1.0}, "no channel 'core.ppco3'; near: core.ppco2"),
        ({"at_most": 1.0, "unit": "kPa"}, "core.ppco2 is in mmHg, not in kPa"),
        ({"kind": "terminal", "of": "state.tanks.n3_kg", "at_most": 1.0}, "state.tanks has no 'n3_kg'; near: n2_kg"),
        ({"kind": "terminal", "of": "state.tanks.n2_kg", "at_most": 1.0}, "is in kg, not in mmHg"),
        ({"kind": "terminal", "of": "state.makeup.mode", "at_most": 1.0}, "is no number"),
        ({"of": "battery.soc", "unit": "%", "at_most": 1.0, "while_occupied": True}, "belongs to no zone"),
    ],
)
def test_an_objective_of_nothing_is_found_before_it_is_flown(scenario, fields, said):
    found = check_objectives(scenario("nominal", objectives=[objective(**fields).model_dump()]))
    assert len(found) == 1
    assert said in found[0]


def test_a_world_is_judged_where_it_stands(fly):
    with pytest.raises(ValueError, match="cannot be judged"):
        evaluate(fly("nominal", 2.0), [objective(at_most=4.0)], 0.0, HOUR)
    with pytest.raises(ValueError, match="no objectives"):
        evaluate(fly("nominal", 2.0), [], 0.0, 2 * HOUR)


def test_a_check_that_was_made_is_evidence(fly):
    world = fly("nominal", 1.0)
    looked = objective(kind="terminal", of="evidence.fan_check", unit="1", at_least=0.5)
    assert not judge(world, looked).met
    world.check("fan_check", {})
    assert judge(world, looked).met
    by_then = objective(kind="deadline", of="evidence.fan_check", unit="1", at_least=1, hours=2.0)
    assert judge(world, by_then).results[0].value == pytest.approx(world.now / HOUR)
    late = fly("nominal", 2.0)
    late.check("fan_check", {})
    assert judge(late, looked).met
    assert not judge(late, by_then).met
    assert not judge(late, objective(kind="deadline", of="evidence.fan_check", unit="1", at_least=2, hours=2.0)).met
    with pytest.raises(ValueError, match="no check 'fan_chek'; near: fan_check"):
        judge(world, objective(kind="terminal", of="evidence.fan_chek", unit="1", at_least=0.5))
