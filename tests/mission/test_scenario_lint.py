"""The scenario linter: shipped scenarios pass, and each fault that it is there to see is planted and seen."""

from __future__ import annotations

import pytest

from mission.fairness import gaps
from mission.flight import called, ends, fly_plan
from mission.objectives import evaluate
from mission.oracle import space
from mission.policies import Tries
from mission.scenario_lint import each, lint, words
from mission.world.engine import Scenario
from mission.world.objective import Step

AIR = {"id": "air", "kind": "invariant", "rank": "crew", "of": "core.ppco2", "unit": "mmHg", "at_most": 4.0}
ACTS = [
    {"command": "start_bed", "parameters": {"unit": "B"}},
    {"command": "stop_bed", "parameters": {"unit": "A"}},
    {"command": "shed_load", "parameters": {"load": "galley"}},
    {"command": "set_oga", "parameters": {"kg_per_day": 0.0}},
    {"command": "suspend_exercise", "parameters": {"hours": 4.0}},
]
"""One of them is right where bed A is weak."""
STORY = {
    "deadline_h": 7,
    "channels": ["bed_a.outlet_ppco2"],
    "alternatives": [{"name": "x", "changes": {"incidents": []}}],
}


@pytest.fixture
def all_commands():
    """For a story that needs every command there is."""


@pytest.fixture(autouse=True)
def few(monkeypatch, request):
    """Of all the commands there are, those of the trial alone: enough for most stories, and quick."""
    if "all_commands" not in request.fixturenames:
        monkeypatch.setattr("mission.policies.every_lever", space.levers)


@pytest.fixture
def made(scenario):
    """bed-degraded with a small trial: one objective, five acts, one step, from 6 h to 16 h."""

    def make(objectives=(AIR,), incidents=None, **fields):
        trial = {"start_h": 6, "end_h": 16, "levers": ACTS, "steps": 1, "fairness": STORY} | fields
        changes = {"objectives": list(objectives), "trial": trial}
        return scenario("bed-degraded", **changes | ({} if incidents is None else {"incidents": incidents}))

    return make


def found(*scenarios):
    return {(finding.rule, finding.scenario) for finding in lint(scenarios).findings}


def test_a_sound_scenario_has_no_findings(made):
    report = lint([made()])
    assert report.findings == ()
    assert report.rows[0].acceptable == 1
    assert report.random == pytest.approx(1 / 6)
    assert report.idle == 0.0
    assert list(words(report))[-1] == "1 scenarios, 6 constant plans tried on each, 0 findings"


def test_one_that_cannot_be_won_must_say_so(made):
    hopeless = [AIR | {"at_most": 0.5}]
    assert ("unwinnable", "bed-degraded") in found(made(hopeless))
    assert ("unwinnable", "bed-degraded") not in found(made(hopeless, feasible=False))


def test_one_labelled_hopeless_must_be(made):
    assert ("unwinnable", "bed-degraded") in found(made(feasible=False))


def test_doing_nothing_must_not_do(made):
    assert ("null", "bed-degraded") in found(made([AIR | {"at_most": 9.0}]))


def test_where_nothing_is_to_be_done_nothing_must_do(made):
    assert ("null", "bed-degraded") in found(made(acts=False))


def test_a_dead_objective_is_seen(made):
    idle = {"id": "tank", "kind": "terminal", "rank": "stores", "of": "state.tanks.n2_kg", "unit": "kg", "at_least": 1}
    assert found(made([AIR, idle])) == {("dead", "bed-degraded")}


def test_a_guess_must_not_do(made):
    assert ("guess", "bed-degraded") in found(made(levers=ACTS[:1]))


def test_a_knife_edge_is_seen(made):
    best = lint([made()]).rows[0].margin
    tight = [AIR | {"at_most": 4.0 * (1.0 - best) + 0.01}]
    assert ("knife-edge", "bed-degraded") in found(made(tight))


def test_a_decoy_must_cost_something(made):
    free = made(decoys=[[{"command": "start_bed", "parameters": {"unit": "B"}}]])
    dear = made(decoys=[[{"command": "suspend_exercise", "parameters": {"hours": 4.0}}]])
    assert found(free) == {("decoy", "bed-degraded")}
    assert found(dear) == set()


def test_what_cannot_be_told_is_unfair(made):
    blind = STORY | {"channels": ["tank.n2"]}
    assert found(made(fairness=blind)) == {("fairness", "bed-degraded")}


def test_what_is_meant_to_mislead_must(made):
    open_book = STORY | {"first_look": ["bed_a.outlet_ppco2"]}
    open_book["alternatives"] = [{"name": "x", "misleads": True, "changes": {"incidents": []}}]
    assert found(made(fairness=open_book)) == {("fairness", "bed-degraded")}


def test_an_incident_must_be_confusable_with_something(made):
    assert found(made(fairness=None)) == {("fairness", "bed-degraded")}


def test_a_twin_changes_nothing(made):
    twin = made().model_copy(update={"id": "twin"})
    assert ("twin", "twin") in found(made(), twin)


def test_one_answer_to_everything_is_seen(made):
    """The spare bed, started whatever the matter, solves two families of two."""
    weak = {"id": "other", "beds": {"A": {"running": True, "health": 0.5}, "B": {"running": False}}}
    other = Scenario.model_validate(made(incidents=[]).model_dump() | weak)
    report = lint([made(), other])
    assert (report.constants[0].words, report.constants[0].share) == ("+0 min start_bed(unit=B)", 1.0)
    assert ("constant", "the suite") in {(finding.rule, finding.scenario) for finding in report.findings}


def test_scenarios_with_an_incident_in_common_are_one_family(made):
    both = [{"incident": "bed_degradation", "onset_h": 1.0}, {"incident": "fan_stopped", "onset_h": 15.5}]
    report = lint([made(), made(incidents=both).model_copy(update={"id": "other"})])
    assert (report.constants[0].words, report.constants[0].share) == ("+0 min start_bed(unit=B)", 1.0)
    assert "constant" not in {finding.rule for finding in report.findings}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"objectives": [AIR | {"of": "core.ppco3"}]}, "no channel 'core.ppco3'"),
        ({"levers": []}, "no levers"),
        ({"decoys": [[{"command": "start_beds"}]]}, "no command 'start_beds'"),
        (
            {"fairness": STORY | {"checks": [{"check": "bed_balance", "parameters": {"unit": "C"}}]}},
            "must be one of A, B",
        ),
        ({"fairness": STORY | {"alternatives": [{"name": "x", "changes": {"crews": 1}}]}}, "crews"),
    ],
)
def test_a_scenario_that_cannot_be_flown_is_said_to_be_so(made, fields, said):
    report = lint([made(**fields)])
    assert report.rows == ()
    assert said in report.findings[0].text


def test_a_difference_inside_an_instruments_bias_tells_nothing(made):
    other = {"name": "x", "changes": {"zones": {"airlock": {"ppco2_mmhg": 2.9}}}}
    look = {"deadline_h": 1, "channels": ["airlock.ppco2"], "alternatives": [other]}
    assert gaps(made(fairness=look))[0].telling == pytest.approx(0.0, abs=0.1)


def test_a_difference_beyond_the_bias_tells_by_its_noise(made):
    """0.45 mmHg is 0.15 beyond the bias of 0.3, three times the noise: 9/2 for each of 13 samples, and what is left of
    the bias at such an edge: half, and the logarithm of 10.8 sqrt(2 pi)."""
    other = {"name": "x", "changes": {"zones": {"airlock": {"ppco2_mmhg": 3.1}}}}
    look = {"deadline_h": 1, "channels": ["airlock.ppco2"], "alternatives": [other]}
    assert gaps(made(fairness=look))[0].telling == pytest.approx(13 * 4.5 + 0.5 + 3.3, rel=0.02)


def test_a_check_tells_by_the_noise_that_it_shows(made):
    check = {"check": "gauge_crosscheck", "parameters": {"zone": "lab"}}
    hidden = {"name": "x", "changes": {"incidents": []}}
    told = {"name": "x", "changes": {"incidents": [], "zones": {"lab": {"pressure_kpa": 72.0}}}}
    look = {"deadline_h": 0.1, "checks": [check]}
    assert gaps(made(start_h=0.05, fairness=look | {"alternatives": [hidden]}))[0].telling < 1.0
    assert gaps(made(start_h=0.05, fairness=look | {"alternatives": [told]}))[0].telling > 6.0


def test_checks_that_do_not_fit_before_the_deadline_are_seen(made):
    slow = STORY | {"checks": [{"check": "bed_balance", "parameters": {"unit": "A"}}], "deadline_h": 6.5}
    report = lint([made(fairness=slow)])
    assert [finding.text for finding in report.findings] == ["its checks take 60 min and there are 30"]


def test_an_unlucky_crew_has_to_be_able_to_tell_too(made):
    """0.4 mmHg is beyond a bias of 0.3 for a crew without an offset, and within twice the bias for an unlucky one."""
    other = {"name": "x", "changes": {"zones": {"airlock": {"ppco2_mmhg": 3.05}}, "incidents": []}}
    look = {"deadline_h": 7, "channels": ["airlock.ppco2"], "alternatives": [other]}
    gap = gaps(made(start_h=0.5, fairness=look | {"deadline_h": 1}))[0]
    assert gap.telling > 6.0 > gap.unlucky


def test_a_variant_that_cannot_be_won_is_seen_beside_one_that_can(made):
    hopeless = made([AIR | {"at_most": 0.5}]).model_copy(update={"id": "other"})
    assert ("unwinnable", "other") in found(made(), hopeless)
    assert ("unwinnable", "bed-degraded") not in found(made(), hopeless)


def test_a_decoy_that_fails_by_a_hair_is_a_knife_edge(made):
    decoy = [{"command": "suspend_exercise", "parameters": {"hours": 4.0}}]
    worst = lint([made()]).rows[0].margin
    idle = next(r for r in lint([made(decoys=[decoy])]).rows).margin
    assert worst == idle
    near = [AIR | {"scale": 1000.0}]
    assert ("knife-edge", "bed-degraded") in found(made(near, decoys=[decoy]))


@pytest.mark.usefixtures("all_commands")
def test_a_command_that_is_no_lever_and_does_everything_is_seen(made):
    """The right act is left out of the levers: every plan of them fails, and the command alone does not."""
    report = lint([made(levers=ACTS[1:], feasible=False)])
    assert "+0 min start_bed(unit=B) is no lever of it, and alone meets every objective" in [
        finding.text for finding in report.findings if finding.rule == "levers"
    ]
    assert len(report.constants) > 150


@pytest.mark.usefixtures("all_commands")
def test_a_lever_at_another_number_is_no_other_lever(scenario):
    assert lint([scenario("oga-off")]).findings == ()


def test_a_try_is_flown_once_for_each_state_it_leads_to(made):
    tries = Tries(made())
    start, shed = ({"command": "start_bed", "parameters": {"unit": "B"}}, ACTS[2])
    first = tries.outcome((Step(**start), Step(**shed)))
    assert tries.outcome((Step(**shed), Step(**start))) == first
    assert tries.flights == 1
    refused = Step(command="stop_bed", parameters={"unit": "B"})
    assert tries.outcome((refused,)) == tries.outcome(())
    assert tries.flights == 2


def test_what_a_constant_plan_is_worth_is_what_a_fresh_flight_gives(made):
    scenario = made()
    tries = Tries(scenario)
    for plan in ([ACTS[0]], [ACTS[4], ACTS[0] | {"after_min": 30}], [ACTS[0] | {"after_min": 45}, ACTS[1]]):
        steps = tuple(Step(**step) for step in plan)
        world = fly_plan(scenario, steps)
        assert tries.outcome(steps) == evaluate(world, scenario.objectives, called(scenario), ends(scenario))


@pytest.mark.parametrize("processes", [1, 2])
def test_results_come_in_order_and_progress_is_told(processes):
    told: list[tuple[int, int]] = []
    found = each(abs, [-5, 4, -3, 2, -1], processes, lambda done, of: told.append((done, of)))
    assert found == [5, 4, 3, 2, 1]
    assert told == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


@pytest.mark.parametrize("name", ["bed-degraded", "masked-leak", "sensor-drift"])
def test_shipped_incidents_mislead_at_first_and_can_be_told(scenario, name):
    apart = gaps(scenario(name))
    assert apart
    assert all(gap.telling >= 6.0 for gap in apart)
    assert all(gap.first_look < 3.0 for gap in apart if gap.misleads)
