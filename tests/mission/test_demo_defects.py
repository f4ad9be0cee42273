"""The public demo's defects, A to Z (mission-demo.md 6.2), each with the tests that prove it untrue here.

`PROVED` names tests as path::name below tests/; a name that is no test is an error, so that the table cannot rot.
`OPEN` says what is not proved, in the same words as docs/base.md. The tests at the end are those that were missing.
"""

from __future__ import annotations

import ast
import string
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from mission import rules, sensors
from mission.cards import load_cards
from mission.world import telemetry
from mission.world.commands import COMMANDS
from mission.world.engine import World, load_scenario
from mission.world.spec import CommandSpec, Value
from mission.world.units import HOUR, MINUTE
from tests.mission.conftest import SCENARIOS

Fly = Callable[..., World]
TESTS = Path(__file__).parents[1]
HERE = "mission/test_demo_defects.py"
PROVED: Mapping[str, tuple[str, ...]] = {
    "A a constant policy passes": (
        "mission/test_scenario_lint.py::test_one_answer_to_everything_is_seen",
        "mission/test_scenario_lint.py::test_a_guess_must_not_do",
        "test_suite.py::test_the_null_pilot_passes_none",
    ),
    "B decoys are free, and the contract is not what the simulator does": (
        "mission/test_scenario_lint.py::test_a_decoy_must_cost_something",
        "mission/test_rules.py::test_every_enforced_number_has_its_experiment",
        "mission/test_promises.py::test_every_number_is_enforced_promised_or_for_people_to_keep",
        "mission/test_tools.py::test_a_check_takes_its_advertised_minutes",
        f"{HERE}::test_b_every_command_takes_the_time_and_power_that_it_says",
    ),
    "C objectives that nothing can miss": (
        "mission/test_scenario_lint.py::test_a_dead_objective_is_seen",
        "mission/test_harm.py::test_waiting_costs_the_crew",
        "mission/test_harm.py::test_right_masks_and_a_closed_hatch_keep_everybody_whole",
    ),
    "D unwinnable variants without a label": (
        "mission/test_scenario_lint.py::test_one_that_cannot_be_won_must_say_so",
        "mission/test_scenario_lint.py::test_one_labelled_hopeless_must_be",
    ),
    "E a compound that makes it easier": (
        "mission/test_chains.py::test_oxygen_falls_by_both_and_nitrogen_by_the_leak_alone",
        "mission/test_scenario_lint.py::test_a_twin_changes_nothing",
    ),
    "F an oracle that does not replan": ("mission/test_oracle.py::test_the_loop_is_closed_on_what_happens_later",),
    "G objectives of the end alone": (
        "mission/test_objectives.py::test_an_invariant_tells_its_worst_and_when_it_was_broken",
        "mission/test_objectives.py::test_time_beyond_agrees_with_the_worlds_own_ledger",
        "mission/test_objectives.py::test_regret_is_what_was_lost_against_the_best",
    ),
    "H filters that cut evidence silently": (
        "mission/test_sensors.py::test_a_zone_has_every_channel_named_after_it",
        "mission/test_sensors.py::test_a_subsystem_word_finds_its_instruments",
        "mission/test_sensors.py::test_another_word_is_an_error_and_never_an_empty_success",
        "mission/test_sensors.py::test_every_channel_is_somebodys",
    ),
    "I a protocol tool that ignores its topic": (
        "mission/test_rules.py::test_rules_are_found_by_id_and_by_word",
        f"{HERE}::test_i_no_role_card_repeats_a_flight_rule",
    ),
    "J a director who has all the evidence already": (f"{HERE}::test_j_the_director_reads_no_instrument",),
    "K roles that differ in name alone": (f"{HERE}::test_k_no_two_roles_have_the_same_instructions",),
    "L frozen replies that fit any question": (
        "evals/test_trial.py::test_a_frozen_report_says_what_it_cannot_answer",
        "evals/test_trial.py::test_a_handoff_runs_both_sides_live_and_links_them",
        "test_suite.py::test_there_are_enough_cases_of_every_kind",
    ),
    "M what is evaluated is not what is flown": (
        "mission/test_crew.py::test_an_agent_is_what_its_card_says",
        "mission/test_live.py::test_a_whole_agent_case_sends_what_the_candidate_says",
    ),
    "N dead and stale data": (
        "mission/test_sensors.py::test_every_channel_has_a_truth_and_every_truth_a_channel",
        f"{HERE}::test_n_no_channel_stands_still_in_every_scenario",
    ),
    "O time that costs nothing": (
        "mission/test_workflow.py::test_the_time_the_human_takes_is_the_bases_time",
        "mission/test_tools.py::test_only_a_check_changes_the_world",
        "mission/test_commands.py::test_a_check_costs_time_and_energy",
    ),
    "P sensors without errors, and truth shown as reading": (
        "mission/test_sensors.py::test_bias_and_noise_are_as_large_as_the_catalogue_says",
        "mission/test_sensors.py::test_a_silent_freeze_looks_fresh_and_an_announced_one_does_not",
        "mission/test_sensors.py::test_an_instrument_reports_what_was_at_its_last_sample",
        "mission/test_tools.py::test_no_reply_and_no_refusal_gives_away_what_only_the_evaluator_knows",
    ),
    "Q one attempt, correlated cases, no intervals": (
        "evals/test_stats.py::test_the_t_interval_covers_the_truth_as_often_as_it_says",
        "evals/test_stats.py::test_pooling_trials_as_if_independent_would_not_cover",
        "evals/test_stats.py::test_pass_hat_k_has_no_bias_where_the_plain_power_has",
    ),
    "R a judge that dominates": (
        "evals/test_grading.py::test_a_deterministic_failure_decides",
        "evals/test_judge.py::test_each_criterion_is_asked_alone",
        "evals/test_judge.py::test_an_instruction_in_the_material_does_not_move_the_stand_in",
    ),
    "S numbers that no code checks": (
        "evals/test_checks_output.py::test_a_claim_that_is_not_grounded_fails_by_name",
        "test_claims.py::test_a_claim_that_a_case_expects_is_the_truth",
        "test_claims.py::test_no_claim_is_without_a_truth",
    ),
    "T authority that hangs on an echo": (
        "mission/test_workflow.py::test_what_runs_is_what_was_authorized_whatever_the_crew_says_since",
        "mission/test_workflow.py::test_an_authorization_of_another_plan_executes_nothing",
        "mission/test_workflow.py::test_without_approval_nothing_is_commanded",
    ),
    "U plans that are bare sets": (
        "mission/test_workflow.py::test_steps_run_at_their_minute_and_those_of_one_minute_in_the_plans_order",
        "mission/test_workflow.py::test_an_abort_condition_stops_the_plan_before_its_step",
    ),
    "V budgets that mix scopes": (
        "mission/test_crew.py::test_a_role_out_of_tool_calls_is_told_and_may_still_decide",
        "mission/test_tools.py::test_a_rejected_plan_is_told_of_everything_at_once_and_may_be_mended",
        "evals/test_budget.py::test_a_call_that_may_pass_the_limit_is_not_made",
    ),
    "W one vendor, nothing offline": (
        "test_suite.py::test_every_case_is_flown_by_every_pilot_and_graded",
        "test_arrows.py::test_the_arrows_hold",
    ),
    "X nobody else can reproduce it": (
        "test_package.py::test_the_wheel_flies_and_decides_in_an_empty_folder",
        "test_suite.py::test_every_episode_replays_to_its_digests_with_the_network_closed",
    ),
    "Y a kill leaves it released": (
        "evals/test_budget.py::test_a_reservation_outlives_the_process_that_made_it",
        "evals/test_store.py::test_a_second_writer_is_told_so_in_one_line",
        "evals/test_runner.py::test_killed_at_any_moment_it_loses_and_doubles_nothing",
    ),
    "Z a recorder that keeps the wrong things": (
        "evals/test_trial.py::test_an_agent_trial_records_every_step_in_order",
        "evals/test_decide.py::test_a_role_is_indented_below_the_one_that_asked_it",
        "evals/test_store.py::test_a_newer_run_says_which_format_it_has",
    ),
}
OPEN: Mapping[str, str] = {
    "J": "whether a team does better than its director alone has not been measured",
    "K": "every specialist can read every channel",
    "R": "how far a live judge agrees with people has not been measured",
    "Z": "records are not redacted",
}


def names() -> set[str]:
    """path::name of every test there is."""
    found: set[str] = set()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
                found.add(f"{path.relative_to(TESTS).as_posix()}::{node.name}")
    return found


def test_every_defect_has_a_proof_that_exists() -> None:
    assert [defect[0] for defect in PROVED] == list(string.ascii_uppercase)
    there = names()
    missing = sorted(name for proofs in PROVED.values() for name in proofs if name not in there)
    assert missing == []


def test_what_is_open_is_said_in_the_docs() -> None:
    page = " ".join((TESTS.parent / "docs" / "base.md").read_text(encoding="utf-8").lower().split())
    assert [letter for letter, text in OPEN.items() if text.lower() not in page] == []


def cards() -> Mapping[str, Any]:
    return load_cards((TESTS.parent / "agents").glob("*.md"))


def test_i_no_role_card_repeats_a_flight_rule() -> None:
    """Rules are looked up, not recited: no clause of a rule of six words or more stands in a card."""
    pages = {role: " ".join(card.instructions.lower().split()) for role, card in cards().items()}
    repeated = [
        (role, rule.id)
        for rule in rules.RULES
        for line in rule.text().lower().splitlines()[1:5]
        for clause in line.partition(":")[2].split(";")
        if len(clause.split()) >= 6
        for role, page in pages.items()
        if clause.strip(" .") in page
    ]
    assert repeated == []


def test_j_the_director_reads_no_instrument() -> None:
    own = set(cards()["director"].tools)
    assert not own & {"read_telemetry", "read_reports", "run_check"}
    for role, card in cards().items():
        assert ("submit_plan" in card.tools) is (role == "director")


def test_k_no_two_roles_have_the_same_instructions() -> None:
    texts = [card.instructions for card in cards().values()]
    words = [set(text.lower().split()) for text in texts]
    shared = max(len(a & b) / len(a | b) for i, a in enumerate(words) for b in words[i + 1 :])
    assert len(set(texts)) == 5
    assert shared < 0.6


WORD: dict[str, Value] = {"priority": "emergency", "text": "Call.", "megabits": 1.0}
ROVER_2: dict[str, Value] = {"rover": "2", "to": "camp"}
STILL = {
    "airlock.temperature": "nothing warms an empty airlock; scenarios may (temperature_changes)",
    "comms.light_time": "a condition of the scenario (comms.earth_au); every shipped one has the same",
    "loop_b.pump_speed": "the pump that trips in shipped scenarios is that of loop A; the incident has both",
    "rover_2.slip": "the rover that is stuck in shipped scenarios is rover 1; the incident has both",
}
"""Channels that stand still in every shipped scenario, whatever is ordered, and why."""
FLIGHTS: tuple[tuple[str, float, tuple[tuple[str, dict[str, Value], float], ...]], ...] = (
    ("nominal", 1.0, (("check handheld_co2", {"zone": "core"}, 0), ("open_lioh", {"zone": "core"}, 1))),
    ("nominal", 1.0, (("start_bed", {"unit": "B"}, 1), ("stop_bed", {"unit": "A"}, 10))),
    ("nominal", 1.0, (("isolate_segment", {"loop": "b"}, 30), ("isolate_segment", {"loop": "a"}, 30))),
    ("nominal", 1.0, (("enter_shelter", {"people": "CM1"}, 30), ("set_shelter_fan", {"on": False}, 30))),
    ("nominal", 0.1, (("board_rover", {"rover": "2", "people": "CM1,CM2"}, 30), ("rover_drive", ROVER_2, 30))),
    ("nominal", 0.1, (("send_message", WORD, 5), ("send_message", WORD, 600))),
)
"""What is ordered, and how many minutes later it is looked at."""


def test_n_no_channel_stands_still_in_every_scenario() -> None:
    """What an agent can read moves somewhere, by itself or by an order: nothing is decoration."""
    seen: dict[str, set[float]] = {channel.name: set() for channel in sensors.channels()}

    def look(world: World) -> None:
        for name, values in seen.items():
            if len(values) < 2:
                values.add(round(telemetry.TRUTHS[name](world.base, world.now), 9))

    for path in sorted(SCENARIOS.glob("*.yaml")):
        world = World(load_scenario(path), 7)
        for hour in (0.5, 6.0, 13.0):
            world.advance(hour * HOUR)
            look(world)
    for scenario, start, orders in FLIGHTS:
        world = World(load_scenario(SCENARIOS / f"{scenario}.yaml"), 7)
        world.advance(start * HOUR)
        for name, given, minutes in orders:
            if name.startswith("check "):
                world.check(name.removeprefix("check "), {key: str(value) for key, value in given.items()})
                continue
            assert world.command(name, given).accepted, name
            for _ in range(10):
                world.advance(world.now + minutes * MINUTE / 10)
                look(world)
    assert sorted(name for name, values in seen.items() if len(values) == 1) == sorted(STILL)


def choices(spec: CommandSpec) -> Iterator[dict[str, Value]]:
    """Every sensible set of parameters: all choices, flags, one number in range, one person."""
    options: list[list[Value]] = []
    for parameter in spec.parameters:
        match parameter.kind:
            case "choice":
                options.append(list(parameter.choices))
            case "flag":
                options.append([True, False])
            case "number":
                options.append([parameter.low + 0.9 * (parameter.high - parameter.low)])
            case "people":
                options.append(["CM1", "CM5", "CM1,CM2", "all"])
            case "text":
                options.append(["a message"])
    for values in product(*options):
        yield dict(zip((p.name for p in spec.parameters), values, strict=True))


PREPARED: Mapping[str, tuple[str, float, tuple[tuple[str, dict[str, Value], float], ...]]] = {
    "open_o2_valve": ("nominal", 1.0, (("close_o2_valve", {}, 5),)),
    "repair_o2_valve": ("nominal", 1.0, (("close_o2_valve", {}, 5),)),
    "shelter_task": ("nominal", 1.0, (("enter_shelter", {"people": "CM1"}, 5),)),
    "start_reactor": ("fission-scram", 8.0, ()),
    "vent_zone": ("nominal", 1.0, (("check pn2_trend", {}, 0), ("check hatch_dwell", {"zone": "airlock"}, 0))),
}  # fmt: skip
"""Commands that no scenario accepts as it stands, and what makes them possible."""
ELSEWHERE: Mapping[str, str] = {
    "take_fix": "mission/test_rover.py::test_a_fix_by_the_sun_needs_a_sun",
}
"""Commands that take time and are flown by another test."""


def prepared(scenario: str, start: float, orders: tuple[tuple[str, dict[str, Value], float], ...]) -> World:
    """A shipped scenario at an hour, after checks and orders with so many minutes each."""
    world = World(load_scenario(SCENARIOS / f"{scenario}.yaml"), 7)
    world.advance(start * HOUR)
    for name, given, minutes in orders:
        if name.startswith("check "):
            world.check(name.removeprefix("check "), {key: str(value) for key, value in given.items()})
        else:
            assert world.command(name, given).accepted, name
        world.advance(world.now + minutes * MINUTE)
    return world


def test_b_every_command_takes_the_time_and_power_that_it_says() -> None:
    """Each command with a duration, wherever it is accepted first: what it draws, and when it is done."""
    timed = {name: spec for name, spec in COMMANDS.items() if spec.duration_s}
    for name, way in PREPARED.items():
        assert _flown(prepared(*way), timed.pop(name)), name
    for path in sorted(SCENARIOS.glob("*.yaml")):
        world = World(load_scenario(path), 7)
        for hour in (1.2, 3.0):
            world.advance(hour * HOUR)
            for name in list(timed):
                if _flown(world, timed[name]):
                    del timed[name]
    assert set(timed) == set(ELSEWHERE)
    assert set(ELSEWHERE.values()) <= names()


def _flown(world: World, spec: CommandSpec) -> bool:
    """Whether the command is accepted here; if so, that it keeps its word."""
    for parameters in choices(spec):
        trial = world.fork()
        before = trial.base.power.segment(trial.now).loads
        result = trial.command(spec.name, parameters)
        if not result.accepted:
            continue
        assert result.completes_s == pytest.approx(trial.now + spec.duration_s)
        loads = trial.base.power.segment(trial.now).loads
        drawn = sum(watts for load, watts in loads.items() if load not in before and load.startswith(f"{spec.name}_"))
        assert drawn == pytest.approx(spec.power_w)
        trial.advance(trial.now + spec.duration_s - 1.0)
        assert not [e for e in trial.log() if e["kind"] == "completed" and e["command"] == spec.name]
        trial.advance(trial.now + 1.0 + MINUTE / 60.0)
        done = [e for e in trial.log() if e["kind"] == "completed" and e["command"] == spec.name]
        assert len(done) == 1
        assert done[0]["t"] == pytest.approx(result.completes_s, abs=1e-5)
        return True
    return False
