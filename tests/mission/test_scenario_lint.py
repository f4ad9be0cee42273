"""The scenario linter: shipped scenarios pass, and each fault that it is there to see is planted and seen."""

from __future__ import annotations

import pytest

from mission.fairness import gaps
from mission.scenario_lint import lint, words
from mission.world.engine import Scenario

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
    assert "1 scenarios, 0 findings" in list(words(report))[-1]


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
    assert report.constants[0] == ("+0 min start_bed(unit=B)", 1.0)
    assert ("constant", "the suite") in {(finding.rule, finding.scenario) for finding in report.findings}


def test_scenarios_with_an_incident_in_common_are_one_family(made):
    both = [{"incident": "bed_degradation", "onset_h": 1.0}, {"incident": "fan_stopped", "onset_h": 15.5}]
    report = lint([made(), made(incidents=both).model_copy(update={"id": "other"})])
    assert report.constants[0] == ("+0 min start_bed(unit=B)", 1.0)
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
    """0.45 mmHg is 0.15 beyond the bias of 0.3, three times the noise: 9/2 for each of 13 samples."""
    other = {"name": "x", "changes": {"zones": {"airlock": {"ppco2_mmhg": 3.1}}}}
    look = {"deadline_h": 1, "channels": ["airlock.ppco2"], "alternatives": [other]}
    assert gaps(made(fairness=look))[0].telling == pytest.approx(13 * 4.5, rel=0.02)


def test_a_check_tells_by_the_noise_that_it_shows(made):
    check = {"check": "gauge_crosscheck", "parameters": {"zone": "lab"}}
    hidden = {"name": "x", "changes": {"incidents": []}}
    told = {"name": "x", "changes": {"incidents": [], "zones": {"lab": {"pressure_kpa": 72.0}}}}
    look = {"deadline_h": 0.1, "checks": [check]}
    assert gaps(made(fairness=look | {"alternatives": [hidden]}))[0].telling < 1.0
    assert gaps(made(fairness=look | {"alternatives": [told]}))[0].telling > 6.0


@pytest.mark.parametrize("name", ["fan-stopped", "masked-leak"])
def test_shipped_incidents_mislead_at_first_and_can_be_told(scenario, name):
    apart = gaps(scenario(name))
    assert apart
    assert all(gap.telling >= 6.0 for gap in apart)
    assert all(gap.first_look < 3.0 for gap in apart if gap.misleads)
