"""`simsup world`, `simsup lint scenarios` and `simsup generate`: what a person sees, and what they are told to mend."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

from evals.cli import execute
from mission import sensors
from mission.plots import panels

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def here(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def plan(tmp_path):
    def write(text):
        path = tmp_path / "plan.yaml"
        path.write_text(text)
        return path

    return write


def test_the_timeline_tells_what_happened_in_order(capsys):
    assert execute(["world", "bed-degraded", "--hours", "8"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "T+01:00     incident     incident bed_degradation, parameters (unit=A, health=0.5)"
    assert "T+02:01:33  crossing     lab ppco2 rises through 3 mmHg (FR-01)" in lines
    times = [line.split()[0] for line in lines if line.startswith("T+")]
    assert times == sorted(times)


def test_a_plan_is_carried_out_from_the_call_on_and_judged(capsys, plan):
    path = plan(
        "- {command: start_bed, parameters: {unit: B}}\n"
        "- {after_min: 120, command: repair_bed, parameters: {unit: A}}\n"
    )
    assert execute(["world", "bed-degraded", "--plan", str(path)]) == 0
    out = capsys.readouterr().out
    assert "T+06:00     command      start_bed(unit=B) by plan: unit B runs" in out
    assert "T+12:00     completed    repair_bed(unit=A): unit A is repaired" in out
    assert "MISSED" not in out


def test_doing_nothing_is_judged_with_margin_and_time(capsys):
    execute(["world", "bed-degraded"])
    missed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("MISSED  crew     lab-air")]
    assert len(missed) == 1
    assert "margin -0.5" in missed[0]
    assert "violated 12.47 h from T+09:32:04" in missed[0]


def test_a_valve_at_work_is_summed_up(capsys):
    execute(["world", "masked-leak", "--hours", "3"])
    valves = [line for line in capsys.readouterr().out.splitlines() if " valve " in line]
    assert len(valves) == 2
    assert "n2 make-up" in valves[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- {command: start_beds}\n", "step 1: there is no command 'start_beds'"),
        ("- {command: start_bed, parameters: {unit: C}}\n", "unit must be one of A, B"),
        ("- {check: handheld_co2}\n", "handheld_co2 takes zone"),
        ("- {check: handheld_co2, parameters: {zone: attic}}\n", "zone must be one of core"),
        ("- {after_min: -1, command: repair_fan}\n", "0.after_min: Input should be greater than or equal to 0"),
        ("- {}\n", "a step is a command or a check"),
        ("{\n", "is not YAML"),
        ("7\n", "should be a list, not 7"),
    ],
)
def test_a_plan_file_with_a_mistake_is_one_line_of_help(capsys, plan, text, said):
    assert execute(["world", "nominal", "--plan", str(plan(text))]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert len(told.err.splitlines()) == 1


def test_an_unknown_scenario_names_those_there_are(capsys):
    assert execute(["world", "nominol"]) == 2
    assert "there is no scenario 'nominol'" in capsys.readouterr().err


def test_the_table_has_every_channel_true_and_read(tmp_path, capsys):
    path = tmp_path / "world.csv"
    assert execute(["world", "nominal", "--hours", "1", "--csv", str(path)]) == 0
    rows = list(csv.DictReader(path.open()))
    heads = {f"{c.name} {what} [{c.unit}]" for c in sensors.channels() for what in ("true", "read")}
    assert set(rows[0]) == {"t_s"} | heads
    assert [float(row["t_s"]) for row in rows][:3] == [0.0, 300.0, 600.0]
    assert float(rows[0]["core.ppco2 true [mmHg]"]) == pytest.approx(2.64)
    assert rows[0]["bed_b.outlet_ppco2 read [mmHg]"] == ""


def test_every_channel_is_in_one_panel_of_the_picture():
    drawn = [channel.name for panel in panels() for channel in panel.channels]
    assert sorted(drawn) == sorted(sensors.CATALOGUE)
    assert all(len({channel.unit for channel in panel.channels}) == 1 for panel in panels())


def test_the_picture_is_a_png(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    kept = [panel for panel in panels() if panel.title.endswith((": ppco2", "tank"))]
    monkeypatch.setattr("mission.plots.panels", lambda: kept)
    path = tmp_path / "world.png"
    assert execute(["world", "bed-degraded", "--hours", "8", "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_the_picture_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    assert execute(["world", "nominal", "--hours", "1", "--plot", str(tmp_path / "x.png")]) == 2
    assert "pip install 'simsup[plot]'" in capsys.readouterr().err


def test_lint_says_what_was_found_and_its_code_is_the_verdict(capsys):
    assert execute(["lint", "scenarios", "cabin-cooling"]) == 0
    out = capsys.readouterr().out
    assert "cabin-cooling" in out
    assert out.splitlines()[-1].startswith("1 scenarios, ")
    assert out.splitlines()[-1].endswith(" constant plans tried on each, 0 findings")
    assert "doing nothing: 0.0% of the families" in out


def test_the_world_tells_what_was_lost_against_the_best(capsys):
    """Doing nothing about a weak bed, and the plan of the search itself."""
    assert execute(["world", "masked-leak", "--oracle"]) == 0
    lost = capsys.readouterr().out.splitlines()[-2:]
    assert lost[0].startswith("best plan: smallest margin +5.9%")
    assert lost[1].startswith("regret (in relative margins): crew 0, base 0.5, stores 0.09")
    assert execute(["world", "masked-leak", "--oracle", "--hours", "8"]) == 2
    assert "--oracle: the best is known" in capsys.readouterr().err


def test_generate_writes_scenarios_that_fly(capsys, tmp_path):
    assert execute(["generate", "nominal", "--out", str(tmp_path)]) == 2
    assert "has no incident to draw" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
