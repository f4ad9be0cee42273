"""The workflow: what is authorized is what runs, what is verified is the world, and there is one second chance."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from agents import Runner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evals.harness.sdk import run_config
from mission.report import MissionPlan
from mission.workflow import Authorization, Flight, fly

HOUR = 3600.0
START_BED = (0, "start_bed", {"unit": "B"})
AIR_RESTORED = (360, "core.ppco2", "at_most", 3.0, "mmHg")
NEVER = (30, "core.ppco2", "at_most", 0.1, "mmHg")


@dataclass
class Human:
    """The controlled human: what it says, how long it takes, of which digest (None: of the one it was shown)."""

    decision: Any = "approve"
    after_s: float = 0.0
    digest: str | None = None
    meanwhile: Callable[[], None] = lambda: None
    shown: list[MissionPlan] = field(default_factory=list)

    async def __call__(self, proposal: MissionPlan, digest: str) -> Authorization:
        self.shown.append(proposal)
        self.meanwhile()
        return Authorization(self.decision, self.digest or digest, self.after_s)


@dataclass
class Flown:
    """A workflow that was flown, and what can be seen of it afterwards."""

    outcome: dict[str, Any]
    world: Any
    director: Any
    events: list[tuple[str, float, dict[str, Any]]]

    @property
    def commands(self) -> list[tuple[float, str]]:
        """What the world was told to do: minutes since T+06:00, and the command."""
        given = [entry for entry in self.world.commands() if entry["kind"] == "command"]
        return [((entry["t"] - 6 * HOUR) / 60, entry["name"]) for entry in given]

    @property
    def heard(self) -> list[str]:
        """What the Director was asked, at the start of each of its runs."""
        return [call.input[0]["content"] for call in self.director.calls if len(call.input) == 1]

    @property
    def ends(self) -> list[str]:
        return [attempt["ended"] for attempt in self.outcome["attempts"]]


@pytest.fixture
def take_off():
    """Flies the workflow of a staged crew in its world, till T+16:00."""

    def start(staged: Any, human: Human | None = None, run: Any = None) -> Flown:
        world, events = staged.crew.world, []

        async def run_agent(agent: Any, text: str) -> Any:
            return (await Runner.run(agent, text, max_turns=16, run_config=run_config())).final_output

        def emit(kind: str, _role: str | None, data: dict[str, Any]) -> None:
            events.append((kind, world.now, data))

        flight = Flight(staged.crew, 16 * HOUR, run or run_agent, human or Human(), emit)
        outcome = asyncio.run(fly(flight, "CO2 rises. What now?"))
        return Flown(outcome, world, staged.models["director"], events)

    return start


@pytest.fixture
def propose(stage, fly, take_off):
    """Flies the workflow with a Director that submits these plans, one a run."""

    def run(*plans: dict[str, Any], scenario: str = "bed-degraded", human: Human | None = None) -> Flown:
        staged = stage(fly(scenario, 6.0), {"director": [[("submit_plan", {"plan": one})] for one in plans]})
        return take_off(staged, human)

    return run


def test_an_approved_plan_is_executed_and_verified_by_the_world(propose, plan):
    flown = propose(plan(START_BED, expected=(AIR_RESTORED,)))
    assert flown.outcome["ended"] == "verified"
    assert flown.commands == [(0.0, "start_bed")]
    assert flown.world.commands()[0]["by"] == "authorized-plan"
    (verdict,) = flown.outcome["attempts"][0]["verification"]
    assert verdict["true"] == flown.world.truth("core.ppco2", 12 * HOUR)
    assert (verdict["at"], verdict["met"]) == ("T+12:00", True)
    assert [kind for kind, _, _ in flown.events] == ["proposal", "authorization", "command", "verification"]
    assert flown.world.now == 16 * HOUR


@pytest.mark.parametrize(("decision", "ended"), [("decline", "declined"), ("expire", "expired")])
def test_without_approval_nothing_is_commanded(propose, plan, decision, ended):
    flown = propose(plan(START_BED, expected=(AIR_RESTORED,)), human=Human(decision))
    assert flown.ends == [ended]
    assert flown.commands == []
    assert flown.world.state()["beds"]["B"]["running"] is False


def test_an_authorization_of_another_plan_executes_nothing(propose, plan):
    flown = propose(plan(START_BED), human=Human(digest="0" * 64))
    assert flown.ends == ["not-authorized"]
    assert flown.outcome["attempts"][0]["reason"] == "the authorization is bound to another plan"
    assert flown.commands == []


def test_what_runs_is_what_was_authorized_whatever_the_crew_says_since(stage, fly, take_off, plan):
    authorized = plan(START_BED, expected=(AIR_RESTORED,))
    staged = stage(fly("bed-degraded", 6.0), {"director": [[("submit_plan", {"plan": authorized})]]})

    def change_of_mind() -> None:
        staged.crew.assessment.plan = MissionPlan.model_validate(plan((0, "open_lioh", {"zone": "core"})))

    flown = take_off(staged, Human(meanwhile=change_of_mind))
    assert flown.commands == [(0.0, "start_bed")]
    assert flown.outcome["ended"] == "verified"


def test_the_time_the_human_takes_is_the_bases_time(propose, plan):
    flown = propose(plan(START_BED, expected=(AIR_RESTORED,)), human=Human(after_s=900))
    assert flown.commands == [(15.0, "start_bed")]
    assert flown.outcome["attempts"][0]["verification"][0]["at"] == "T+12:15"


def test_steps_run_at_their_minute_and_those_of_one_minute_in_the_plans_order(propose, plan):
    steps = ((60, "suspend_exercise", {"hours": 4}), (0, "stop_bed", {"unit": "A"}), (0, "start_bed", {"unit": "A"}))
    flown = propose(plan(*steps, expected=((90, "bed_a.power", "at_least", 0.5, "kW"),)))
    assert flown.commands == [(0.0, "stop_bed"), (0.0, "start_bed"), (60.0, "suspend_exercise")]
    assert flown.outcome["ended"] == "verified"


def test_an_expectation_is_held_to_its_own_time_while_a_long_command_is_under_way(propose, plan):
    repair = (0, "repair_bed", {"unit": "A"})
    soon = (30, "bed_a.power", "at_most", 0.0, "kW")
    later = (300, "bed_a.power", "at_least", 0.8, "kW")
    flown = propose(plan(repair, expected=(later, soon)))
    verdicts = flown.outcome["attempts"][0]["verification"]
    assert [(one["at"], one["true"]) for one in verdicts] == [("T+06:30", 0.0), ("T+11:00", 0.86)]
    assert flown.outcome["ended"] == "verified"


def test_an_abort_condition_stops_the_plan_before_its_step(propose, plan):
    thin = {"channel": "core.pressure", "comparison": "below", "value": 101.0}
    aborted = plan(START_BED, (10, "repair_bed", {"unit": "A"}, thin), (20, "open_lioh", {"zone": "core"}))
    flown = propose(aborted, plan(expected=(AIR_RESTORED,)))
    assert flown.ends == ["aborted", "verified"]
    assert flown.commands == [(0.0, "start_bed")]
    assert "core.pressure reads 70.28 kPa, below 101" in flown.heard[1]


def test_an_abort_condition_that_does_not_hold_stops_nothing(propose, plan):
    thin = {"channel": "core.pressure", "comparison": "below", "value": 60.0}
    flown = propose(plan((0, "start_bed", {"unit": "B"}, thin), expected=(AIR_RESTORED,)))
    assert flown.outcome["ended"] == "verified"


@pytest.mark.parametrize(
    ("start", "channel", "why"),
    [("fan-stopped", "lab.ppco2", "stale"), ("nominal", "bed_b.outlet_ppco2", "no-data: the unit does not run")],
)
def test_an_instrument_that_cannot_tell_stops_the_step_that_asks_it(propose, plan, start, channel, why):
    foul = {"channel": channel, "comparison": "above", "value": 7.0}
    flown = propose(plan((0, "start_bed", {"unit": "B"}, foul)), plan(expected=(NEVER,)), scenario=start)
    assert flown.ends == ["aborted", "unverified"]
    assert f"aborted; {channel} cannot tell: {why}" in flown.heard[1]


def test_a_refused_command_ends_the_attempt_and_the_replan_is_asked_with_facts(propose, plan):
    on_people = plan(START_BED, (5, "close_hatch", {"hatch": "core-lab"}), (9, "repair_bed", {"unit": "A"}))
    flown = propose(on_people, plan(expected=(AIR_RESTORED,)))
    assert flown.ends == ["refused", "verified"]
    assert flown.commands == [(0.0, "start_bed"), (5.0, "close_hatch")]
    request, again = flown.heard
    assert request == "CO2 rises. What now?"
    assert again.splitlines() == [
        "CO2 rises. What now?",
        "",
        "An earlier plan was authorized and ended refused. What happened:",
        "- T+06:00 start_bed(unit=B): begun; unit B runs",
        f"- T+06:05 close_hatch(hatch=core-lab): refused; {flown.outcome['attempts'][0]['steps'][1]['reason']}",
    ]
    assert flown.outcome["attempts"][0]["steps"][1]["rule"] == "FR-22"
    assert flown.world.state()["hatches"]["core-lab"] is True


def test_there_are_never_more_than_two_plans(propose, plan):
    hopeless = plan(START_BED, expected=(NEVER,))
    flown = propose(hopeless, hopeless, hopeless)
    assert flown.ends == ["unverified", "unverified"]
    assert flown.outcome["ended"] == "unverified"
    assert flown.director.remaining_steps == 1


def test_the_second_plans_verdict_counts(propose, plan):
    flown = propose(plan(expected=(NEVER,)), plan(START_BED, expected=(AIR_RESTORED,)))
    assert flown.ends == ["unverified", "verified"]
    assert flown.outcome["ended"] == "verified"
    assert "T+06:30 expected core.ppco2 at most 0.1 mmHg: not met" in flown.heard[1]
    assert flown.outcome["attempts"][1]["verification"][0]["at"] == "T+12:30"


def test_an_unmet_expectation_stops_the_steps_that_would_follow(propose, plan):
    flown = propose(
        plan(START_BED, (60, "open_lioh", {"zone": "core"}), expected=(NEVER,)), plan(expected=(AIR_RESTORED,))
    )
    assert flown.commands == [(0.0, "start_bed")]
    assert flown.ends == ["unverified", "verified"]


def test_an_expectation_in_another_unit_is_rejected(propose, plan):
    in_pascal = plan(START_BED, expected=((360, "core.pressure", "at_least", 69.0, "Pa"),))
    flown = propose(in_pascal, plan(START_BED, expected=(AIR_RESTORED,)))
    assert flown.ends == ["verified"]
    assert "the channel is in kPa" in flown.director.last_call.input[-1]["output"]


def test_an_expectation_in_another_unit_is_never_met(stage, fly, take_off, plan):
    staged = stage(fly("bed-degraded", 6.0), {})
    proposal = MissionPlan.model_validate(plan(START_BED, expected=((360, "core.pressure", "at_least", 69.0, "Pa"),)))

    async def submit(_agent: Any, _text: str) -> None:
        staged.crew.assessment.plan = proposal

    verdict = take_off(staged, run=submit).outcome["attempts"][0]["verification"][0]
    assert (verdict["met"], verdict["reason"]) == (False, "the channel is in kPa")


def test_a_plan_that_expects_nothing_is_not_verified(propose, plan):
    flown = propose(plan(START_BED), plan())
    assert flown.ends == ["unverified", "unverified"]
    assert flown.heard[1].endswith("- the plan gave no expected value, so nothing could be verified")


def test_a_specialist_that_fails_blocks_the_proposal_and_the_reports_are_kept(stage, fly, take_off, report, plan):
    asked = [
        [(tool, {"question": "What do you see?", "known": ""})]
        for tool in ("consult_life_support", "consult_power_thermal")
    ]
    director = [*asked, [("submit_plan", {"plan": plan(START_BED)})], "Power & Thermal does not answer."]
    scripts = {"director": director, "life-support": [report()], "power-thermal": ["No report today."]}
    human = Human()
    flown = take_off(stage(fly("bed-degraded", 6.0), scripts), human)
    assert flown.outcome["ended"] == "no-proposal"
    assert flown.outcome["reports"] == {"life-support": [report()]}
    assert flown.outcome["failed"]["power-thermal"].startswith("ModelBehaviorError")
    assert (human.shown, flown.commands) == ([], [])


def test_talk_is_no_proposal(stage, fly, take_off):
    human = Human()
    flown = take_off(stage(fly("bed-degraded", 6.0), {"director": ["I would start bed B."]}), human)
    assert flown.ends == ["no-proposal"]
    assert (human.shown, flown.commands) == ([], [])


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(starts=st.lists(st.integers(0, 240), min_size=1, max_size=5))
def test_whatever_the_starts_each_step_runs_once_in_time_order(propose, plan, starts):
    steps = [(start, "suspend_exercise", {"hours": float(number)}) for number, start in enumerate(starts)]
    flown = propose(plan(*steps, expected=(AIR_RESTORED,)), plan(expected=(AIR_RESTORED,)))
    assert [minute for minute, _ in flown.commands] == sorted(starts)
