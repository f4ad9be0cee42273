"""Drawn scenarios: as hard as asked, by seed alone, and pairs whose one fact flips what is right."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mission.examination import examine
from mission.flight import called, ends, fly_plan
from mission.generate import BANDS, generate, pairs, to_yaml, write
from mission.objectives import evaluate
from mission.oracle import solve
from mission.world.engine import load_scenario

AIR = {"id": "air", "kind": "invariant", "rank": "crew", "of": "core.ppco2", "unit": "mmHg", "at_most": 4.0}
ACTS = [{"command": name, "parameters": {"unit": ["A", "B"]}} for name in ("start_bed", "repair_bed")]


@pytest.fixture
def template(scenario):
    return scenario(
        "bed-degraded",
        objectives=[AIR],
        trial={"start_h": 6, "end_h": 16, "levers": ACTS, "steps": 1},
    )


def meets(made, plan):
    return evaluate(fly_plan(made, plan), made.objectives, called(made), ends(made)).met


def test_drawn_scenarios_are_as_hard_as_asked(template):
    for difficulty in ("medium", "hard"):
        low, high = BANDS[difficulty]
        (drawn,) = generate(template, 1, 1, (low, high))
        solution = solve(drawn.scenario)
        assert low <= solution.best.outcome.margin < high
        assert not solution.idle.outcome.met
        assert drawn.scenario.objectives == template.objectives


def test_the_seed_decides_and_nothing_else(template):
    first, again, other = (next(generate(template, seed, 1, BANDS["hard"])).scenario for seed in (1, 1, 2))
    assert first == again
    assert first.incidents != other.incidents
    assert first.id == "bed-degraded-1-1"


def test_a_larger_count_begins_with_the_scenarios_of_a_smaller_one_and_tells_how_far_it_is(template):
    told: list[str] = []
    one = [drawn.scenario for drawn in generate(template, 1, 1, BANDS["medium"], told.append)]
    two = [drawn.scenario for drawn in generate(template, 1, 2, BANDS["medium"])]
    assert two[:1] == one
    assert told[-1].endswith(", 1 of 1 found")
    assert told[0].startswith("draw 1, ")


def test_what_cannot_be_drawn_is_said(template, scenario, monkeypatch):
    monkeypatch.setattr("mission.generate.TRIES", 2)
    with pytest.raises(ValueError, match="2 draws from bed-degraded gave 0 of 1 scenarios with a margin from 5 to 6"):
        list(generate(template, 1, 1, (5.0, 6.0)))
    with pytest.raises(ValueError, match="has no incident to draw"):
        list(generate(scenario("nominal"), 1, 1, BANDS["easy"]))


def test_a_pair_has_one_text_and_two_answers(scenario):
    """A hole in the lab or in the core: the search of one zone mends nothing in the other."""
    asked = [{"id": "tight", "kind": "terminal", "rank": "base", "of": "state.leaks", "unit": "1", "at_most": 0.5}]
    acts = [{"command": "patch_leak", "parameters": {"zone": ["core", "lab"]}}]
    told = scenario("masked-leak", objectives=asked, trial={"start_h": 0.5, "end_h": 3, "levers": acts, "steps": 1})
    (pair,) = pairs(told, 1, 1)
    assert pair.fact == "masked_leak.zone: lab -> core"
    assert (pair.first.title, pair.first.description) == (pair.second.title, pair.second.description)
    first, second = solve(pair.first).best.plan, solve(pair.second).best.plan
    assert meets(pair.first, first)
    assert meets(pair.second, second)
    assert not meets(pair.first, second)
    assert not meets(pair.second, first)


def test_a_fact_that_flips_nothing_makes_no_pair(template):
    with pytest.raises(ValueError, match="no single fact of scenario bed-degraded flips what is right"):
        pairs(template.model_copy(update={"incidents": ()}), 1, 1)


def test_what_is_written_is_what_was_drawn(template, tmp_path):
    (path,) = write([template], tmp_path / "new")
    assert load_scenario(path) == template
    assert to_yaml(template).startswith("id: bed-degraded\n")
    with pytest.raises(ValueError, match="is there already"):
        write([template], tmp_path / "new")


def test_what_is_drawn_is_sound_to_the_linter(template):
    (drawn,) = generate(template, 3, 1, BANDS["hard"])
    assert [finding for finding in examine(drawn.scenario).findings if finding.rule != "fairness"] == []


def test_a_draw_with_a_dead_objective_is_not_kept(template, monkeypatch):
    monkeypatch.setattr("mission.generate.TRIES", 4)
    idle = {"id": "tank", "kind": "terminal", "rank": "stores", "of": "state.tanks.n2_kg", "unit": "kg", "at_least": 1}
    dead = type(template).model_validate(template.model_dump() | {"objectives": [AIR, idle]})
    with pytest.raises(ValueError, match="gave 0 of 1 scenarios"):
        list(generate(dead, 1, 1, BANDS["hard"]))


def test_draws_are_the_same_in_any_process_and_under_any_hash_seed(template, tmp_path):
    (path,) = write([template], tmp_path / "new")
    script = (
        "import sys; from pathlib import Path; from mission.generate import draw, to_yaml;"
        "from mission.world.engine import load_scenario; told = load_scenario(Path(sys.argv[1]));"
        "made = [draw(told, 5, attempt, attempt) for attempt in range(6)];"
        "print([to_yaml(one) for one in made if one])"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script, str(path)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "4711")
    }
    assert len(told) == 1
    assert b"onset_h" in told.pop()
