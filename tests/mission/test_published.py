"""The 29 published checks, each measured in the simulator; the page of them; and another simulator beside ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.published import CHECKS, Check, Group, failures, simoc
from mission.published.table import page

ROOT = Path(__file__).parents[2]


def group(name: Group) -> pytest.MarkDecorator:
    checks = [check for check in CHECKS if check.group == name]
    ids = [f"{check.key}-{check.name.lower().replace(' ', '-')}" for check in checks]
    return pytest.mark.parametrize("check", checks, ids=ids)


class TestConsistency:
    @group("consistency")
    def test_what_set_the_model_comes_out_of_it(self, check: Check) -> None:
        assert failures(check) == []


class TestIndependent:
    @group("independent")
    def test_what_others_measured_comes_out(self, check: Check) -> None:
        assert failures(check) == []


class TestExact:
    @group("exact")
    def test_what_must_hold_holds(self, check: Check) -> None:
        assert failures(check) == []


class TestSimoc:
    @group("simoc")
    def test_its_habitat_in_our_solver(self, check: Check) -> None:
        assert failures(check) == []

    def test_what_was_seen_of_it_is_seen_again(self) -> None:
        pytest.importorskip("simoc_abm", reason="simoc-abm 1.1.2 is not installed")
        four, one = simoc.seen("4h"), simoc.seen("1h")
        held = four["crew_habitat_small"]["storage"]
        assert {gas: round(held[gas][24], 4) for gas in simoc.FOUR_AT_24} == simoc.FOUR_AT_24
        assert {hour: round(held["co2"][hour], 4) for hour in simoc.CO2_OF_FOUR} == simoc.CO2_OF_FOUR
        assert {hour: round(held["o2"][hour], 4) for hour in simoc.O2_OF_FOUR} == simoc.O2_OF_FOUR
        taken = four["co2_removal_SAWD"]["flows"]["in"]["co2"]["crew_habitat_small"]
        assert sum(taken) == pytest.approx(38.76)
        made, water = four["oxygen_generation_SFWE"]["flows"]["out"], four["oxygen_generation_SFWE"]["flows"]["in"]
        ratio = sum(made["o2"]["crew_habitat_small"]) / sum(water["potable"]["water_storage"])
        assert ratio == pytest.approx(simoc.SFWE / simoc.SFWE_WATER)
        alone = one["crew_habitat_small"]["storage"]
        assert round(alone["o2"][239], 4) == simoc.ONE_O2
        assert [round(limit(alone["co2"][24:240]), 4) for limit in (min, max)] == [simoc.ONE_LOW, simoc.ONE_HIGH]


def test_every_check_has_its_group() -> None:
    assert {check.number for check in CHECKS} == set(range(1, 30))
    consistency, independent = (
        {check.number for check in CHECKS if check.group == name} for name in ("consistency", "independent")
    )
    assert consistency == {1, 2, 3, 7, 11, 12, 13, 16, 18}
    assert independent == {4, 5, 6, 8, 9, 10, 11, 12, 14, 15, 17, 18, 19, 20}


def test_the_page_is_what_is_measured_now() -> None:
    written = (ROOT / "docs/published.md").read_text(encoding="utf-8")
    assert page(CHECKS) == written, "write it anew: python -m mission.published > docs/published.md"
