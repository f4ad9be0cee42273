"""Hostile input ends in a legal result or in one clear line. `benchmarks/hostile.py` runs the same at length."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import pytest
from fuzz import calls, cards, cases, decisions, plans, scenarios
from fuzz.outcome import FaultError, guard, kind, legal, refused
from fuzz.table import table
from hypothesis import HealthCheck, given, settings

from documents.files import DocumentError
from documents.reader import parse
from mission import sensors
from mission.flight import load_plan
from mission.world.engine import World, load_scenario
from mission.world.objective import Step
from mission.world.scenario import Scenario
from mission.world.units import at_or_after

ROOT = Path(__file__).parents[2]
NOMINAL = (ROOT / "cases" / "scenarios" / "nominal.yaml").read_text()
quick = settings(derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


class TestFuzz:
    """A few of the benchmark's examples each."""

    @settings(quick, max_examples=60)
    @given(data=scenarios.files)
    def test_scenario_files(self, folder: Path, data: bytes) -> None:
        scenarios.drive(folder, data)

    @settings(quick, max_examples=80)
    @given(example=plans.submitted)
    def test_plans(self, example: plans.Submitted) -> None:
        plans.drive(example)

    @settings(quick, max_examples=120)
    @given(example=plans.files)
    def test_plan_files(self, folder: Path, example: tuple[str, bytes]) -> None:
        plans.drive_file(folder, example)

    @settings(quick, max_examples=40)
    @given(pair=cases.pairs())
    def test_cases_and_references(self, folder: Path, pair: tuple[bytes, bytes]) -> None:
        cases.drive(folder, pair)

    @settings(quick, max_examples=80)
    @given(files=decisions.decisions())
    def test_decisions(self, folder: Path, files: dict[str, bytes]) -> None:
        decisions.drive(folder, files)

    @settings(quick, max_examples=80)
    @given(card=cards.cards())
    def test_role_cards(self, folder: Path, card: tuple[str, bytes]) -> None:
        cards.drive(folder, card)

    @settings(quick, max_examples=200)
    @given(call=calls.calls())
    def test_tool_calls(self, call: calls.Call) -> None:
        calls.drive(call)


class TestTheFuzzersThemselves:
    """A fault that is planted is found."""

    def test_a_traceback_is_a_fault(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(World, "state", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            scenarios.drive(folder, NOMINAL.replace("id: nominal", "id: fuzzed").encode())

    def test_a_changed_world_is_a_fault(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from mission import tools

        def meddles(desk: Any, name: str, _hours: float) -> dict[str, Any]:
            desk.world.command("stop_bed", {"unit": "A"})
            return {"channel": name}

        monkeypatch.setattr(tools, "_read", meddles)
        reading = calls.Call("bed-degraded", "mcp", "read_telemetry", {"channels": ["core.ppco2"]})
        with pytest.raises(FaultError, match="it changed the world"):
            calls.drive(reading)

    @pytest.mark.parametrize(
        "line", ["", "two\nlines", "x" * 2501, "a KeyError('x')", "Traceback (most recent call last)"]
    )
    def test_an_unclear_refusal_is_a_fault(self, line: str) -> None:
        with pytest.raises(FaultError):
            refused(line)

    def test_what_json_cannot_hold_is_a_fault(self) -> None:
        for value in (float("nan"), float("inf"), {1, 2}):
            with pytest.raises(FaultError):
                legal(value)

    def test_what_takes_too_long_is_a_fault(self) -> None:
        with pytest.raises(FaultError, match=r"more than 0\.05 s"), guard(0.05):
            while True:
                pass

    def test_refusals_of_one_kind_count_as_one(self) -> None:
        assert kind("/tmp/x.yaml:7: crew.3.zone: no 'a'; near: b") == kind("y.yaml:1: crew.0.zone: no 'c'; near: d")


def refusal(text: str) -> str:
    with pytest.raises(DocumentError) as error:
        parse(text, Scenario, "x.yaml")
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "x.yaml: should be a mapping of fields to values, not nothing"),
        ("- 1", "x.yaml:1: should be a mapping of fields to values, not a list"),
        ("id: a\nid: b", "x.yaml:2: the key 'id' is already on line 1; remove one"),
        ("a: &a [*a]", "x.yaml:1: is nested more than 32 deep, or an alias of what it stands in"),
        (BOMB, "x.yaml:1: there are more than 10000 values, aliases written out"),
        ("[" * 100_000, "x.yaml:1: is not YAML: exceeded maximum nesting depth"),
        ("a: !!python/object:os.system x", "x.yaml:1: the tag !!python/object:os.system has no meaning here; leave"),
        ("a: !!int abc", "x.yaml:1: the tag !!int has no meaning here; leave it out"),
        ("? [a]\n: 1", "x.yaml:1: a key must be a word, not a list or a mapping"),
        ("a\x00b", "x.yaml:1: is not YAML: the control character U+0000 is not allowed; take it out"),
        (NOMINAL + "horizn_h: 3\n", "x.yaml:40: horizn_h: is not a field here; near: horizon_h"),
        (NOMINAL.replace("crew:", "crwe:"), "x.yaml:7: crwe: is not a field here; near: crew; and 1 more"),
        (NOMINAL + "horizon_h: .nan\n", "x.yaml:40: horizon_h: Input should be a valid number"),
        (NOMINAL + "horizon_h: 1e999\n", "x.yaml:40: horizon_h: Input should be a finite number, not 1e999"),
        (NOMINAL + f"horizon_h: {'9' * 5000}\n", "x.yaml:40: horizon_h: is a number of 5000 characters; write at"),
        (NOMINAL + "horizon_h: 2026-12-01\n", "x.yaml:40: horizon_h: Input should be a valid number"),
        (NOMINAL + "makeup: on\n", "x.yaml:40: makeup: Input should be 'auto' or 'off', not 'on'"),
        (NOMINAL + "incidents: [{incident: masked_leek, onset_h: 1}]\n", "no incident 'masked_leek'; near: masked"),
        (NOMINAL + "incidents: [{incident: fire, onset_h: -1}]\n", "incidents.0.onset_h: Input should be greater"),
        (
            NOMINAL + "incidents: [{incident: masked_leak, onset_h: 1, parameters: {hole: 3}}]\n",
            "x.yaml:40: incidents.0: parameters.hole: is not a field here; near: hole_mm",
        ),
        (
            NOMINAL + "incidents: [{incident: fire, onset_h: 0, parameters: {rate_mg_s: 5.0e-324}}]\n",
            "incidents.0: parameters.rate_mg_s: Input should be greater than or equal to 0.1, not 5e-324",
        ),
        (
            NOMINAL + "incidents: [{incident: oxygen_enrichment, onset_h: 1, parameters: {kg_per_h: 1.1e-308}}]\n",
            "incidents.0: parameters.kg_per_h: Input should be greater than or equal to 0.000001, not 1.1e-308",
        ),
        (
            NOMINAL + "design: {ppo2_band_kpa: [19.31, 19.29]}\n",
            "design.ppo2_band_kpa: give the lower and the upper end, at least 0.005 kPa apart, not 19.31 and 19.29",
        ),
        (NOMINAL + "design: {lab_m3: 1.0e-300}\n", "design.lab_m3: Input should be greater than or equal to 0.000001"),
        (NOMINAL.replace("ppco2_mmhg: 2.64", "ppco2_mmhg: 9999"), "oxygen, CO2 and water come to 1353.4 kPa, more"),
        (NOMINAL + "thermal: {loss_w_k: 4.7e+8}\n", "loss_w_k must be within a factor of 100 of 60, not 4.7e+08"),
        (NOMINAL + "eva: {outside: {people: [X], task: antenna, work_h: 1}}\n", "'X' is outside and not in the crew"),
        (
            NOMINAL + "eva: {outside: {people: [CM1, CM1], task: antenna, work_h: 1}}\n",
            "'CM1' is outside in two places",
        ),
        (NOMINAL + "rover: {rovers: [{people: [CM9]}, {}]}\n", "'CM9' is outside and not in the crew; there are CM1"),
    ],
)  # fmt: skip
def test_a_broken_scenario_is_told_where_and_how(text: str, line: str) -> None:
    assert line in refusal(text)


def test_what_never_comes_is_never_due() -> None:
    assert at_or_after(math.inf) == math.inf


def test_a_contracts_own_words_stay_short_too() -> None:
    assert len(refusal(NOMINAL + f"power: {{shed: [{'x' * 5000}]}}\n")) < 700
    assert "no deferrable load x y; there are isru" in refusal(NOMINAL + 'power: {shed: ["x\\x85y"]}\n')


def test_bombs_cost_little() -> None:
    began = time.process_time()
    for text in (BOMB, "[" * 100_000, "- " * 50_000, "{a: " * 50_000, "a: &a [*a]", "'" * 100_000):
        refusal(text)
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"\xff\xfe", "is not UTF-8 text: invalid start byte at byte 0"),
        (b"x" * 300_000, "is larger than 256 kB"),
    ],
)
def test_a_file_that_is_no_text_is_told(tmp_path: Path, content: bytes, line: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    for load in (load_scenario, lambda path: load_plan(path, ("CM1",))):
        with pytest.raises(ValueError, match=line):
            load(path)
    with pytest.raises(ValueError, match=r"cannot be read \(Is a directory\)"):
        load_scenario(tmp_path)


def test_a_plan_file_is_told_the_line() -> None:
    from pydantic import TypeAdapter

    contract = TypeAdapter(tuple[Step, ...])
    for text, line in {
        "7": "x.yaml:1: should be a list, not 7",
        "- {command: repair_fan}\n- {comand: repair_fan}": "x.yaml:2: 1.comand: is not a field here; near: command",
        "- {after_min: 1e999, command: a}": "x.yaml:1: 0.after_min: Input should be a finite number, not 1e999",
        "- {after_min: 1e9, command: a}": "x.yaml:1: 0.after_min: Input should be less than or equal to 1200000",
        "- {command: a, parameters: {x: [1]}}": "x.yaml:1: 0.parameters.x: Input should be text, a number, true or",
    }.items():
        with pytest.raises(DocumentError) as error:
            parse(text, contract, "x.yaml")
        assert line in str(error.value)


def step(command: str, start: float = 0, **more: Any) -> dict[str, Any]:
    parameters = [{"name": name, "value": value} for name, value in more.pop("given", {}).items()]
    return {"command": command, "parameters": parameters, "start_min": start, "abort_if": None} | more


def submit(*steps: dict[str, Any]) -> tuple[bool, str]:
    table().reset("bed-degraded")
    words = {
        "headline": "",
        "rationale": "",
        "evidence": [],
        "expected": [],
        "uncertainties": [],
        "approval_covers": "",
    }
    return table().call("submit_plan", {"plan": words | {"steps": list(steps)}})


@pytest.mark.parametrize(
    ("steps", "line"),
    [
        ([step("repair_fan", id="a", after=["a"])], "step 1 waits for itself and can never start"),
        (
            [step("repair_fan", id="a", after=["b"]), step("purge_h2", id="b", after=["a"])],
            "steps 1, 2 wait for each other and can never start",
        ),
        ([step("repair_fan", id="a"), step("purge_h2", id="a")], "id 'a' belongs to 2 steps"),
        (
            [step("repair_fan", after=["a"])],
            "step 1 after: no step has the id 'a'; give the step that it waits for an id",
        ),
        ([step("repair_fan", 1e308)], "plan.steps.0.start_min: Input should be less than or equal to 1440, not 1e+308"),
        (
            [step("repair_fan", only_if={"channel": "size(x) > 1", "comparison": "above", "value": 1})],
            "step 1 only_if: no channel 'size(x) > 1'; groups: ",
        ),
        (
            [step("repair_fan", gard=1)],
            "plan.steps.0.gard: is not a field here; there are command, parameters, start_min",
        ),
        (
            [step("start_bed", parameters=[{"name": "unit", "value": "A"}, {"name": "unit", "value": "B"}])],
            "step 1: unit is given twice",
        ),
        (
            [step("send_message", given={"text": "a\nb", "priority": "routine", "megabits": 1})],
            "characters on one line",
        ),
    ],
)
def test_a_plan_that_makes_no_sense_is_told_what_to_mend(steps: list[dict[str, Any]], line: str) -> None:
    accepted, said = submit(*steps)
    assert not accepted
    assert line in said


def test_a_plan_with_much_wrong_is_told_of_the_first_six() -> None:
    said = submit(*[step(f"nothing_like_it_{number}") for number in range(12)])[1]
    assert said.count("no command ") == 6
    assert said.endswith("; and 6 more")


def test_line_breaks_of_any_kind_are_not_said_back() -> None:
    table().reset("bed-degraded")
    for quantity, unit in (("a\x1cb\n", "m"), ("core.ppco2", "a\u2028b"), ("core.ppco2", "x" * 5000)):
        expected = {
            "quantity": quantity,
            "comparison": "at_most",
            "value": 1,
            "unit": unit,
            "after_min": 1,
            "evidence": [],
        }
        words = {"headline": "", "rationale": "", "evidence": [], "uncertainties": [], "approval_covers": ""}
        answered, said = table().call("submit_plan", {"plan": words | {"steps": [], "expected": [expected]}})
        assert not answered and len(said.splitlines()) == 1 and len(said) < 500


def test_a_rejection_stays_short_enough_to_read() -> None:
    guard = {"channel": "qqqqqqqq", "comparison": "above", "value": 1}
    said = submit(*[step("zzzzzzzz", abort_if=guard, only_if=guard) for _ in range(12)])[1]
    assert 1000 < len(said) < 1900
    assert said.endswith(" more")


@pytest.mark.parametrize("door", ["mcp", "sdk"])
@pytest.mark.parametrize(
    ("expression", "line"),
    [
        ("9**9**9**9", "is too large"),
        ("9" * 390, "is too large"),
        ("9" * 5000, "the expression is longer than 400 characters"),
        ("1\x00", "leave line breaks and odd characters out"),
        ("1 +\n1", "leave line breaks and odd characters out"),
        ("().__class__", "'().__class__' is not arithmetic"),
        ("'a' * 10**10", "is not arithmetic"),
        ("(" * 200 + "1" + ")" * 199, " is not an arithmetic expression"),
        ("max(1, *[2])", "is not arithmetic"),
    ],
)
def test_a_calculation_that_is_a_trap_costs_nothing(door: Any, expression: str, line: str) -> None:
    table()
    began = time.process_time()
    answered, said = table().call("calculate", {"expression": expression}, door)
    assert not answered and line in said and len(said) < 300
    assert time.process_time() - began < 0.5


def test_long_names_are_not_said_back_at_length() -> None:
    name = "x" * 100_000
    for tool, arguments in {
        "list_channels": {"query": name},
        "read_telemetry": {"channels": [name]},
        "read_reports": {"source": name},
        "look_up_rules": {"topic": name},
        "run_check": {"check": name},
        "calculate": {"expression": name},
    }.items():
        began = time.process_time()
        answered, said = table().call(tool, arguments)
        assert not answered and len(said) < 1500, tool
        assert time.process_time() - began < 0.5, tool


def hurt(name: str, *incidents: tuple[str, dict[str, Any]], **changes: Any) -> World:
    """A shipped scenario with incidents at half an hour, eight hours in."""
    data = load_scenario(ROOT / "cases" / "scenarios" / f"{name}.yaml").model_dump()
    planted = [{"incident": one, "onset_h": 0.5, "parameters": given} for one, given in incidents]
    world = World(Scenario.model_validate(data | changes | {"incidents": planted}), 0)
    world.advance(8 * 3600.0)
    return world


@pytest.mark.parametrize(
    ("zone", "changes"), [("lab", {"core_lab_open": False}), ("airlock", {}), ("core", {"core_lab_open": False})]
)
def test_a_zone_can_lose_all_its_air(zone: str, changes: dict[str, Any]) -> None:
    hole = {"zone": zone, "hole_mm": 40}
    world = hurt("oga-off", ("masked_leak", hole), ("masked_leak", hole), ("masked_leak", hole), **changes)
    legal([world.state(), *(world.read(name).model_dump() for name in sensors.CATALOGUE)])
    assert world.state()["zones"][zone]["pio2_mmhg"] == 0.0
    assert world.command("set_oga", {"kg_per_day": 5}).accepted


def test_an_alarm_does_not_chatter_while_the_air_thins() -> None:
    fire, hole = {"cause": "cable"}, {"zone": "core", "hole_mm": 30}
    world = hurt("oga-off", ("pump_trip", {"both_loops": True}), ("depressurisation", hole), ("fire", fire))
    alarms = [event for event in world.log() if event["kind"] == "toxic" and event.get("substance") == "hcl"]
    assert len(alarms) < 10
