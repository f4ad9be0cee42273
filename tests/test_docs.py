"""The pages people read agree with what is shipped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documents.reader import parse
from evals.cases import load_cases
from evals.plan import Plan
from evals.report.words import clock
from evals.workspace import find_workspace
from mission import sensors
from mission.world.checks import CHECKS
from mission.world.commands import COMMANDS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/success-contract.md").read_text()


@pytest.fixture(scope="module")
def cases():
    return load_cases(find_workspace(ROOT))


def test_the_contract_names_every_case(cases):
    assert sorted(set(re.findall(r"`((?:[a-z]+-)+\d\d)`", PAGE))) == sorted(cases)


def test_the_contract_promises_only_failures_that_are_tried(cases):
    """Each name in backticks after a case is a check that a must_fail entry of that case names."""
    case = None
    for name in re.findall(r"`([A-Za-z0-9-]+)`", PAGE.split("## Life Support")[1]):
        if name in cases:
            case = cases[name]
        else:
            assert case is not None
            assert name in {check for entry in case.expect.must_fail for check in entry.on}, (case.id, name)


def test_every_role_and_scope_has_its_section(cases):
    sections = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    assert sections == [
        "Life Support",
        "Power & Thermal",
        "Weather & Navigation",
        "Risk Review",
        "Mission Director",
        "Handoffs",
        "The whole team",
    ]


def test_the_plan_on_the_page_of_the_clock_is_one():
    page = (ROOT / "docs/clock.md").read_text()
    plan = parse(page.split("```yaml")[1].split("```")[0], Plan, "docs/clock.md")
    assert [clock(one) for one in (plan.clock, plan.candidates[1].clock) if one is not None] == [
        "a model call costs a lognormal time, median 20 s, sigma 0.6, seed 0; risk-review: 120 s",
        "a model call costs 300 s",
    ]


def test_every_command_in_the_readme_exists():
    from evals.cli import build

    app = build(ROOT, ["--help"])
    verbs = set(re.findall(r"`?simsup ([a-z]+)", (ROOT / "README.md").read_text()))
    assert verbs <= set(app)


def test_nothing_in_the_tree_names_a_machine_or_an_index():
    # Written in halves, so that this file does not hold what it looks for.
    forbidden = re.compile("|".join((r"/wo" r"rk/", r"pypi" r"\.org", r"python" r"hosted", r"registry" r"\.npmjs")))
    wrong = [
        path.relative_to(ROOT).as_posix()
        for folder in ("agents", "benchmarks", "cases", "decisions", "docs", "documents", "evals", "mission")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix in (".md", ".py", ".yaml") and forbidden.search(path.read_text())
    ]
    assert wrong == []


def test_the_page_of_the_base_counts_what_there_is():
    page = " ".join((ROOT / "docs" / "base.md").read_text(encoding="utf-8").split())
    scenarios = len(list((ROOT / "cases" / "scenarios").glob("*.yaml")))
    told = f"{len(sensors.channels())} channels, {len(COMMANDS)} commands, {len(CHECKS)} discriminating checks, "

    assert told + f"{scenarios} scenarios" in page
