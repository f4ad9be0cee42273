"""`simsup world`, `simsup lint scenarios` and `simsup generate`: what a person sees, and what they are told to mend."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.cli import execute
from mission.generate import Drawn
from mission.world.scenario import Scenario

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


def test_the_timeline_tells_what_happened_in_order_and_then_the_debrief(capsys):
    assert execute(["world", "bed-degraded"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "bed-degraded: CO2 bed A works at half its rate"
    assert "T+02:01:33    0 08:58 !   MARK     FR-01 lab ppCO2 rises through 3 mmHg" in lines
    times = [line.split()[0] for line in lines if line.startswith("T+")]
    assert times == sorted(times)
    assert "1 of 5 objectives met; smallest relative margin -300.0%" in lines
    assert lines[-1].startswith("ledgers  close")


def test_a_plan_is_carried_out_from_the_call_on_and_judged(capsys, plan):
    path = plan(
        "- {command: start_bed, parameters: {unit: B}}\n"
        "- {after_min: 120, command: repair_bed, parameters: {unit: A}}\n"
    )
    assert execute(["world", "bed-degraded", "--plan", str(path)]) == 0
    out = capsys.readouterr().out
    assert "T+06:00       0 12:50     command        start_bed(unit=B) by plan: unit B runs" in out
    assert "T+12:00       0 18:40     done           repair_bed(unit=A): unit A is repaired" in out
    assert "MISSED" not in out


def test_steps_that_are_due_after_the_end_are_told(capsys, plan):
    path = plan("- {after_min: 9000, command: start_bed, parameters: {unit: B}}\n")
    execute(["world", "bed-degraded", "--plan", str(path)])
    assert "note     1 of the plan's 1 steps not flown: due after the end" in capsys.readouterr().out


def test_a_flight_that_ends_before_the_call_is_not_judged_and_says_so(capsys):
    assert execute(["world", "bed-degraded", "--hours", "2"]) == 0
    assert "not judged: the flight ends before the crew is called at T+06:00" in capsys.readouterr().out


def test_another_end_than_the_scenarios_is_noted(capsys):
    execute(["world", "bed-degraded", "--hours", "8"])
    assert "note     the scenario is meant to be judged at T+22:00" in capsys.readouterr().out


def test_regret_names_the_best_plan_and_what_doing_nothing_costs_against_it(capsys):
    assert execute(["world", "bed-degraded", "--regret"]) == 0
    lines = capsys.readouterr().out.splitlines()
    told = next(index for index, line in enumerate(lines) if line.startswith("regret"))
    assert lines[told].startswith("regret   shortfall: crew 3.22, base 0.444; smallest relative margin: 31")
    assert lines[told + 1].strip() == "best plan: +0 min start_bed(unit=B); +120 min repair_bed(unit=A)"


def test_regret_wants_the_scenarios_own_end(capsys):
    assert execute(["world", "bed-degraded", "--regret", "--hours", "8"]) == 2
    assert "the best plan is known at T+22:00 alone" in capsys.readouterr().err


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
        ("- {after_min: 1e308, command: repair_fan}\n", "0.after_min: Input should be less than or equal to 1200000"),
        ("- {after_min: 2e5, command: repair_fan}\n", "step 1: after_min is 200000; 150000 is the latest"),
        ("- {after_min: .inf, command: repair_fan}\n", "0.after_min: Input should be a valid number"),
        ("- {command: repair_fan}\n- 5\n", ":2: 1: should be a mapping of fields to values, not 5"),
        ("- {command: start_bed, parameters: {unit: [A]}}\n", "0.parameters.unit: Input should be text, a number"),
        ("- {command: start_bed, parameters: 7}\n", "0.parameters: should be a mapping of fields to values, not 7"),
        ("7\n", "should be a list, not 7"),
        ("", "plan.yaml: is empty"),
        ("[" * 3000, "exceeded maximum nesting depth"),
    ],
)
def test_a_plan_file_with_a_mistake_is_one_line_of_help(capsys, plan, text, said):
    assert execute(["world", "nominal", "--plan", str(plan(text))]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert len(told.err.splitlines()) == 1


def test_an_unknown_scenario_names_near_ones_or_all(capsys):
    assert execute(["world", "nominol"]) == 2
    assert "there is no scenario 'nominol'. Did you mean nominal?" in capsys.readouterr().err
    assert execute(["world", "xyz"]) == 2
    assert "There are ammonia-breach, " in capsys.readouterr().err


@pytest.mark.parametrize("hours", ["0", "-1", "nan", "inf", "2501", "soon"])
def test_odd_hours_are_one_line_of_help(capsys, hours):
    assert execute(["world", "nominal", f"--hours={hours}"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "--hours" in told.err
    assert len(told.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("option", "name", "said"),
    [
        ("--csv", "nowhere/x.csv", "there is no folder"),
        ("--csv", "", "is a folder; name a file"),
        ("--plot", "nowhere/x.pdf", "there is no folder"),
        ("--plot", "x.png", "is neither a folder nor a .pdf file"),
    ],
)
def test_a_path_that_cannot_be_written_is_told_before_the_flight(tmp_path, capsys, monkeypatch, option, name, said):
    monkeypatch.setattr("mission.plots.tools", lambda: None)
    assert execute(["world", "nominal", option, str(tmp_path / name)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err
    assert len(told.err.splitlines()) == 1


def test_the_table_is_written_and_named(tmp_path, capsys):
    path = tmp_path / "world.csv"
    assert execute(["world", "nominal", "--hours", "1", "--csv", str(path), "--every", "10"]) == 0
    with path.open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["t [s]"]) for row in rows][:3] == [0.0, 600.0, 1200.0]
    assert f"wrote    {path}: {len(rows)} rows of {len(rows[0])} columns" in capsys.readouterr().out


def test_without_matplotlib_the_picture_says_what_to_install_before_the_flight(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    assert execute(["world", "nominal", "--hours", "1", "--plot", str(tmp_path / "x")]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert f"{sys.executable} -m pip install 'matplotlib>=3.10'" in told.err
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_has_gone_is_no_error(tmp_path):
    command = [sys.executable, "-c", "from evals.cli import main; main()", "world", "masked-leak", "--all"]
    flying = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert flying.stdout is not None
    assert flying.stdout.readline().startswith(b"masked-leak")
    flying.stdout.close()
    assert flying.stderr is not None
    assert flying.stderr.read() == b""
    flying.stderr.close()
    assert flying.wait() == 141


def test_the_pages_show_what_the_verb_prints(capsys, plan):
    page, readme = (ROOT / "docs/looking.md").read_text(), (ROOT / "README.md").read_text()
    path = plan(page.split("```yaml\n")[1].split("```")[0])
    execute(["world", "bed-degraded", "--plan", str(path), "--regret"])
    assert _without_rounding(capsys.readouterr().out) in _without_rounding(page)
    execute(["world", "suit-leak"])
    out = capsys.readouterr().out
    shown = readme.split("tells it:\n\n```\n")[1].split("```")[0]
    assert all(part in out for part in shown.split("...\n"))


def _without_rounding(text: str) -> str:
    """The residuals of the books are the last bits of a machine."""
    return re.sub(r"\de-1\d", "e", text)


def test_lint_says_what_was_found_and_its_code_is_the_verdict(capsys):
    assert execute(["lint", "scenarios", "cabin-cooling"]) == 0
    out = capsys.readouterr().out
    assert "cabin-cooling" in out
    assert out.splitlines()[-1].startswith("1 scenarios, ")
    assert out.splitlines()[-1].endswith(" constant plans tried on each, 0 findings")
    assert "doing nothing: 0.0% of the families" in out


def test_generate_writes_scenarios_that_fly(capsys, tmp_path):
    assert execute(["generate", "nominal", "--out", str(tmp_path)]) == 2
    assert "has no incident to draw" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_generate_keeps_what_it_found_and_says_what_is_missing(capsys, tmp_path, monkeypatch):
    """Half an hour's search is not thrown away for the one scenario that could not be had."""

    def two_of_three(template: Scenario, seed: int, *_: object) -> Iterator[Drawn]:
        for number in (1, 2):
            yield Drawn(template.model_copy(update={"id": f"{template.id}-{seed}-{number}"}), 0.05, 1, 9, number)
        raise ValueError("42 draws gave 2 of 3")

    monkeypatch.setattr("mission.generate.generate", two_of_three)
    assert execute(["generate", "bed-degraded", "--count", "3", "--seed", "7", "--out", str(tmp_path)]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bed-degraded-7-1.yaml", "bed-degraded-7-2.yaml"]
    said = capsys.readouterr()
    assert said.err == "simsup: 42 draws gave 2 of 3.\n"
    assert said.out.count("wrote ") == 2


def test_generate_says_before_the_search_that_a_file_is_there(capsys, tmp_path, monkeypatch):
    def never(*_: object) -> Iterator[Drawn]:
        raise AssertionError("searched")
        yield

    monkeypatch.setattr("mission.generate.generate", never)
    (tmp_path / "bed-degraded-0-2.yaml").write_text("")
    assert execute(["generate", "bed-degraded", "--count", "2", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"simsup: {tmp_path}/bed-degraded-0-2.yaml is there already; remove it")
    (tmp_path / "file").write_text("")
    assert execute(["generate", "bed-degraded", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err == f"simsup: {tmp_path}/file is a file; name a folder.\n"
