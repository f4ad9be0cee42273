"""Workspaces and their files: what wins, what is found, and errors that name the line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from evals.case import Case
from evals.cases import find_plan, load_cases, load_plan, load_reference, select_cases
from evals.contract import digest
from evals.errors import UserError
from evals.workspace import VerbSpec, Workspace, find_workspace, load_system

CASE = """\
id: leak-01
system: mars
scope: agent
role: life-support
task: Report.
expect:
  checks:
    - {check: field, path: status, equals: warning}
  must_pass: {reference: references/leak-01.yaml}
  must_fail:
    - because: says nothing
      on: [field]
      response: {status: nominal}
budget: {turns: 8, tool_calls: 12, seconds: 120}
tags: {mechanism: masked, expects: act, difficulty: hard}
provenance: {source: authored, basis: FR-06, review: none, reviewed: 2026-12-01}
"""


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def none_built_in() -> dict[str, Path]:
    return {}


@pytest.fixture
def built_in(tmp_path: Path) -> Path:
    files = {
        "simsup.toml": 'system = "mars:Base"\n',
        "cases/agent/leak-01.yaml": CASE,
        "cases/agent/b.yaml": "built in",
    }
    return write(tmp_path / "built-in", files)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return write(tmp_path / "own", {"simsup.toml": 'system = "mars:Base"\n', "cases/agent/b.yaml": "own"})


def test_the_nearest_folder_above_with_a_simsup_toml_is_the_workspace(own, built_in):
    below = own / "deep" / "down"
    below.mkdir(parents=True)
    found = find_workspace(below, lambda: {"mars": built_in})
    assert (found.root, found.home, found.builtin_root, found.system) == (own, own, built_in, "mars:Base")
    assert found.results == own / "results"


def test_without_one_the_built_in_workspace_flies_and_results_stay_here(tmp_path, built_in):
    here = tmp_path / "here"
    here.mkdir()
    found = find_workspace(here, lambda: {"mars": built_in})
    assert (found.root, found.home, found.results) == (built_in, here, here / "results")


def test_the_workspaces_own_files_win(own, built_in):
    found = find_workspace(own, lambda: {"mars": built_in})
    assert found.find("cases/agent/b.yaml").read_text() == "own"
    assert found.find("cases/agent/leak-01.yaml") == built_in / "cases/agent/leak-01.yaml"
    assert found.files("cases", "*.yaml") == {
        "agent/b.yaml": own / "cases/agent/b.yaml",
        "agent/leak-01.yaml": built_in / "cases/agent/leak-01.yaml",
    }


def test_another_systems_workspace_gets_nothing_of_the_built_in_one(tmp_path, built_in):
    other = write(tmp_path / "other", {"simsup.toml": 'system = "kettle:Kettle"\n'})
    found = find_workspace(other, lambda: {"mars": built_in})
    assert found.builtin_root is None
    assert found.files("cases", "*.yaml") == {}


def test_a_missing_file_says_where_it_was_looked_for(own):
    with pytest.raises(UserError) as told:
        find_workspace(own, none_built_in).find("judge.yaml")
    assert str(told.value) == f"judge.yaml: no such file in this workspace. Looked in {own}."


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("system = mars", "not valid TOML: Invalid value (at line 1, column 10). Correct it."),
        ("", '`system` must name the system under test. Write `system = "module:Name"`.'),
        ('system = "mars"', '`system` must name the system under test. Write `system = "module:Name"`.'),
        (
            'system = "mars:Base"\nappraise = "mars"',
            '`appraise` must name what judges the worlds of a run. Write `appraise = "module:function"`.',
        ),
        (
            'system = "mars:Base"\n[verbs]\nserve = "mars:serve"',
            'verbs.serve is not a verb. Write `serve = {run = "module:function", help = "..."}`.',
        ),
    ],
)
def test_a_malformed_marker_gets_one_line(tmp_path, text, line):
    write(tmp_path, {"simsup.toml": text})
    with pytest.raises(UserError) as told:
        find_workspace(tmp_path, none_built_in)
    assert str(told.value) == f"{tmp_path / 'simsup.toml'}: {line}"


def test_no_workspace_at_all_gets_one_line(tmp_path):
    with pytest.raises(UserError) as told:
        find_workspace(tmp_path, none_built_in)
    assert str(told.value) == (
        "no simsup.toml here or in a folder above, and no built-in one is installed. "
        f'Write one with `system = "module:Name"` in {tmp_path}.'
    )


def test_a_system_brings_verbs(tmp_path):
    text = 'system = "mars:Base"\n[verbs]\nserve = {run = "mars:serve", help = "Serve."}\n'
    found = find_workspace(write(tmp_path, {"simsup.toml": text}), none_built_in)
    assert found.verbs == {"serve": VerbSpec("mars:serve", "Serve.")}


def test_a_system_is_loaded_from_its_workspace_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    write(
        tmp_path,
        {"toy_system.py": "class Toy:\n    def __init__(self, workspace):\n        self.at = workspace.root\n"},
    )
    system: Any = load_system(Workspace(tmp_path, tmp_path, "toy_system:Toy"))
    assert system.at == tmp_path
    assert sys.path[-1] == str(tmp_path)


@pytest.mark.parametrize(
    ("spec", "missing"),
    [("nowhere_at_all:Base", "no module named 'nowhere_at_all'"), ("json:Base", "module 'json' has no 'Base'")],
)
def test_a_missing_system_gets_one_line(tmp_path, monkeypatch, spec, missing):
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(UserError) as told:
        load_system(Workspace(tmp_path, tmp_path, spec))
    assert str(told.value) == f'simsup.toml: system = "{spec}": {missing}. Correct the name, or install the package.'


def workspace(root: Path, files: dict[str, str]) -> Workspace:
    return Workspace(write(root, files), root, "mars:Base")


def test_a_case_is_read_as_it_is_written(tmp_path):
    case = load_cases(workspace(tmp_path, {"cases/agent/leak-01.yaml": CASE}))["leak-01"]
    assert case.expect.must_fail[0].on == ["field"]
    assert case.provenance.reviewed.isoformat() == "2026-12-01"


def test_the_digest_of_a_case_is_of_what_it_says_and_not_how(tmp_path):
    data = yaml.safe_load(CASE.replace("on:", '"on":'))
    files = {"cases/agent/leak-01.yaml": yaml.safe_dump(data, sort_keys=True)}
    rewritten = load_cases(workspace(tmp_path / "one", files))["leak-01"]
    plain = load_cases(workspace(tmp_path / "two", {"cases/agent/leak-01.yaml": CASE}))["leak-01"]
    assert digest(rewritten) == digest(plain)
    assert digest(plain) != digest(plain.model_copy(update={"task": "Report now."}))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            "turns: 8",
            "turns: 0",
            "14: budget.turns: Input should be greater than or equal to 1, not 0",
        ),
        ("turns: 8, ", "", "14: budget.turns: is missing"),
        ("turns: 8", "turn: 8, turns: 8", "14: budget.turn: is not a field here; near: turns"),
        ("equals: warning", "equal: warning", "8: expect.checks.0.equal: is not a field here; near: equals"),
        (
            "equals: warning",
            "one_of: [a], equals: b",
            "8: expect.checks.0: a field check takes exactly one of equals, one_of, where; got ['equals', 'one_of']",
        ),
        ("on: [field]", "on: [claim]", "6: expect: must_fail names claim; this case has field"),
        ("role: life-support\n", "", "1: a case of scope agent needs `role`"),
        (
            "difficulty: hard",
            "difficulty: odd",
            "15: tags.difficulty: Input should be 'easy', 'medium' or 'hard', not 'odd'",
        ),
        ("  checks:", "  checks: &", "7: is not YAML: did not find expected alphabetic or numeric character"),
        ("task: Report.", "task: a\ntask: b", "6: the key 'task' is already on line 5; remove one"),
        ("id: leak-01", "id: leak-02", None),
        (CASE, "", None),
    ],
)
def test_a_wrong_case_is_told_on_one_line_with_its_place(tmp_path, old, new, line):
    assert old in CASE
    files = {"cases/agent/leak-01.yaml": CASE.replace(old, new)}
    expected = {
        "id: leak-02": "cases/agent/leak-01.yaml: id: is 'leak-02', but the file is called 'leak-01'. "
        "Call the file leak-02.yaml, or correct the id.",
        "": "cases/agent/leak-01.yaml: is empty",
    }
    with pytest.raises(UserError) as told:
        load_cases(workspace(tmp_path, files))
    if line is None:
        assert str(told.value) == expected[new]
    else:
        assert str(told.value).startswith(f"cases/agent/leak-01.yaml:{line}")
    assert "\n" not in str(told.value)


def test_several_mistakes_are_counted(tmp_path):
    text = CASE.replace("turns: 8", "turns: 0").replace("difficulty: hard", "difficulty: odd")
    with pytest.raises(UserError, match=r"turns: Input should be greater than or equal to 1, not 0; and 1 more$"):
        load_cases(workspace(tmp_path, {"cases/agent/leak-01.yaml": text}))


def test_two_cases_of_one_name_are_refused(tmp_path):
    files = {"cases/agent/leak-01.yaml": CASE, "cases/held/leak-01.yaml": CASE}
    with pytest.raises(UserError) as told:
        load_cases(workspace(tmp_path, files))
    assert str(told.value) == (
        "cases/held/leak-01.yaml: the case 'leak-01' is also in cases/agent/leak-01.yaml. Rename one."
    )


def test_scenarios_and_references_are_no_cases(tmp_path):
    files = {"cases/references/x.yaml": "case: x", "cases/scenarios/y.yaml": "id: y", "cases/agent/leak-01.yaml": CASE}
    assert list(load_cases(workspace(tmp_path, files))) == ["leak-01"]


@pytest.mark.parametrize(
    ("value", "read"),
    [("on", "on"), ("yes", "yes"), ("12:30", "12:30"), ("010", 10), ("1e3", 1000.0), ("2026-12-01", "2026-12-01")],
)
def test_yaml_means_what_it_shows(tmp_path, value, read):
    text = CASE.replace("equals: warning", f"equals: {value}")
    case = load_cases(workspace(tmp_path, {"cases/agent/leak-01.yaml": text}))["leak-01"]
    assert case.expect.checks[0].equals == read  # type: ignore[union-attr]


def cases(*names: str) -> dict[str, Case]:
    data = yaml.safe_load(CASE.replace("on:", '"on":'))
    return {name: Case.model_validate(data | {"id": name}) for name in names}


def test_cases_are_chosen_by_name_and_pattern_each_once():
    known = cases("leak-01", "leak-02", "power-01")
    assert [case.id for case in select_cases(known, ["power-*", "leak-02", "*"])] == ["power-01", "leak-02", "leak-01"]


def test_an_unknown_case_gets_near_names():
    with pytest.raises(UserError) as told:
        select_cases(cases("leak-01", "power-01"), ["leak-1"], "plan.yaml")
    assert str(told.value) == "plan.yaml: no case 'leak-1'. Did you mean leak-01?"


def test_a_reference_must_be_of_its_case(tmp_path):
    case = cases("leak-01")["leak-01"]
    steps = "roles: {life-support: [{output: {status: warning}}]}\n"
    right = workspace(tmp_path / "r", {"cases/references/leak-01.yaml": f"case: leak-01\n{steps}"})
    assert load_reference(right, case).roles["life-support"][0].output == {"status": "warning"}
    wrong = workspace(tmp_path / "w", {"cases/references/leak-01.yaml": f"case: leak-02\n{steps}"})
    with pytest.raises(UserError, match="case: is 'leak-02', but 'leak-01' refers to it"):
        load_reference(wrong, case)


PLAN = """\
id: choose
question: Which?
candidates: [{id: one, model: pilot/expert}]
cases: ['*']
policy: {order: [complete_passes], gate: {min_pass_rate: 0.9}}
"""


def test_a_plan_is_found_by_name_folder_and_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = workspace(tmp_path, {"decisions/choose/plan.yaml": PLAN})
    path = find_plan(found, "choose")
    assert path.samefile(find_plan(found, "decisions/choose"))
    assert path.samefile(find_plan(found, "decisions/choose/plan.yaml"))
    assert load_plan(found, path).id == "choose"
    with pytest.raises(UserError) as told:
        find_plan(found, "chose")
    assert str(told.value) == "no plan 'chose'. Did you mean choose?"


def test_a_wrong_model_in_a_plan_is_told_with_its_line(tmp_path):
    text = PLAN.replace("pilot/expert", "expert")
    found = workspace(tmp_path, {"decisions/choose/plan.yaml": text})
    with pytest.raises(UserError) as told:
        load_plan(found, find_plan(found, "choose"))
    assert str(told.value) == (
        "decisions/choose/plan.yaml:3: candidates.0.model: model 'expert' is not of the form provider/name or "
        "provider/name@effort"
    )
