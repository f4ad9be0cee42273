"""The clock: what thinking costs is fixed before a run, follows from identity, and is found in the recording."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from statistics import median
from typing import Any

import pytest
from agents.testing import ModelStep, ScriptedModel
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from documents.reader import parse
from evals.adapters.job import Job
from evals.adapters.trial import run_trial
from evals.candidate import Candidate
from evals.case import Setup, Step
from evals.clock import QUANTUM_S, Clock, Drawn, Pace, drawn, quantized, running, share
from evals.contract import canonical, digest
from evals.models.scripted import scripted
from evals.plan import Plan
from evals.record import Recorder, RecordingModel, StoppedError
from evals.replay import replay

READ = Step.model_validate({"calls": [{"tool": "read_gauge", "args": {"name": "temperature"}}]})
HEAT = Step.model_validate({"calls": [{"tool": "heat", "args": {"target": 90}}]})
HOT = Step.model_validate({"output": {"verdict": "hot", "value": 20.0, "evidence": ["g@0"]}})
ASK = Step.model_validate({"calls": [{"tool": "ask_reader", "args": {"input": "How hot is the water now?"}}]})
BOTH = {"scope": "handoff", "role": None, "boundary": {"producer": "reader", "consumer": "boss"}}


def clock(thinking: Any, **roles: Any) -> Clock:
    return Clock.model_validate({"thinking": thinking, "roles": roles})


def fixed(seconds: float, **roles: Any) -> Clock:
    return clock({"kind": "fixed", "seconds": seconds}, **roles)


def candidate(own: Clock | None = None) -> Candidate:
    return Candidate(id="script", model="scripted/script", clock=own)


@pytest.fixture
def job(cooling, kettle_case):
    """A trial of the cooling kettle on a script by role, or on models of one's own."""

    def make(script: dict[str, Any], own: Clock | None = None, **options: Any) -> Job:
        case = options.pop("case", None) or kettle_case(**options.pop("fields", {}))
        models = options.pop("models", {})

        def model_for(role: str, _reference: Any) -> Any:
            return models.get(role) or scripted(role, script.get(role, []))

        values: dict[str, Any] = {"system": cooling, "case": case, "candidate": candidate(own), "trial": 0}
        return Job(**values | {"model_for": model_for} | options)

    return make


def fly(job: Job) -> Any:
    return asyncio.run(run_trial(job))


def again(job: Job, recorded: Any) -> str:
    return asyncio.run(replay(job.system, job.case, job.candidate, recorded, job.clock)).difference


def thoughts(episode: Any) -> list[tuple[str, int, float]]:
    return [(e.role, e.data["call"], e.data["seconds"]) for e in episode.trace if e.kind == "thinking"]


class Ticks:
    """A wall clock that a test sets: every look at it takes `step` seconds."""

    def __init__(self, step: float) -> None:
        self.t, self.step = 0.0, step

    def __call__(self) -> float:
        self.t += self.step
        return self.t


# --- what an evaluator writes -------------------------------------------------------------------------------------


def test_a_clock_is_written_in_a_plan():
    text = """
id: p
question: q
candidates:
  - {id: a, model: pilot/a}
  - {id: b, model: pilot/b, clock: {thinking: {kind: fixed, seconds: 30}, roles: {reader: off}}}
cases: ["*"]
clock: {thinking: {kind: drawn, median_s: 20, sigma: 0.5, seed: 3}}
policy: {order: [complete_passes], gate: {min_pass_rate: 0.9}}
"""
    plan = parse(text, Plan, "plan.yaml")
    assert plan.clock is not None
    assert plan.clock.for_role("boss") == Drawn(kind="drawn", median_s=20, sigma=0.5, seed=3)
    own = plan.candidates[1].clock
    assert own is not None
    assert (own.for_role("boss").kind, own.for_role("reader").kind) == ("fixed", "off")


@pytest.mark.parametrize(
    ("thinking", "why"),
    [
        ({"kind": "fixed", "seconds": -1}, "greater than or equal to 0"),
        ({"kind": "fixed", "seconds": float("nan")}, "finite number"),
        ({"kind": "fixed", "seconds": float("inf")}, "finite number"),
        ({"kind": "drawn"}, "either median_s and sigma, or quantiles_s"),
        ({"kind": "drawn", "median_s": 3}, "either median_s and sigma, or quantiles_s"),
        ({"kind": "drawn", "median_s": 3, "sigma": 1, "quantiles_s": [1, 2]}, "either median_s and sigma"),
        ({"kind": "drawn", "quantiles_s": [1]}, "at least 2 items"),
        ({"kind": "drawn", "quantiles_s": [2, 1]}, "quantiles_s must not fall"),
        ({"kind": "recorded", "scale": 0}, "greater than 0"),
        ("sometimes", "does not match any of the expected tags"),
        ("fixed", "Field required"),
    ],
)
def test_a_clock_that_makes_no_sense_is_refused(thinking, why):
    with pytest.raises(ValidationError, match=why):
        clock(thinking)


def test_a_case_is_the_same_for_everyone_so_its_clock_measures_nothing():
    with pytest.raises(ValidationError, match="the clock of a case is off, fixed or drawn"):
        Setup.model_validate({"clock": {"thinking": "off", "roles": {"reader": "recorded"}}})


def test_what_says_nothing_of_a_clock_keeps_its_digest(kettle_case):
    silent, stated = kettle_case(), kettle_case(setup={"clock": {"thinking": "off"}})
    assert "clock" not in canonical(silent) + canonical(candidate())
    assert digest(silent) != digest(stated)
    assert digest(candidate()) != digest(candidate(fixed(1)))


def test_the_candidates_clock_counts_before_the_plans_and_that_before_the_cases():
    a, b, c, off = fixed(1), fixed(2), fixed(3), clock("off")
    assert [running(a, b, c), running(None, b, c), running(None, None, c)] == [a, b, c]
    assert [running(off, b, c), running(None, off, c), running(None, None, None)] == [None, None, None]


# --- identity -----------------------------------------------------------------------------------------------------


def test_a_draw_is_its_calls_own():
    keys = [(0, "a", 0, "boss", 1), (1, "a", 0, "boss", 1), (0, "b", 0, "boss", 1), (0, "a", 1, "boss", 1)]
    shares = [share(*key) for key in [*keys, (0, "a", 0, "reader", 1), (0, "a", 0, "boss", 2)]]
    assert len(set(shares)) == 6
    assert shares[0] == share(0, "a", 0, "boss", 1) == pytest.approx(FIRST_SHARE, abs=1e-15)


FIRST_SHARE = 0.8092679060924332
"""Of the first call of `boss` in trial 0 of case `a` under seed 0, by SHA-256: the same in any process."""


def test_draws_have_the_distribution_that_was_stated():
    rule = Drawn(kind="drawn", median_s=20, sigma=0.5)
    times = sorted(drawn(rule, share(0, "case", trial, "boss", 1)) for trial in range(4000))
    assert median(times) == pytest.approx(20, rel=0.05)
    assert times[int(0.8413 * 4000)] == pytest.approx(20 * 2.718281828**0.5, rel=0.06)


def test_quantiles_are_met_at_their_places_and_lines_between():
    rule = Drawn(kind="drawn", quantiles_s=[2, 8, 20, 45, 180])
    assert [drawn(rule, at) for at in (0.0, 0.25, 0.5, 0.625, 0.75, 1.0)] == [2, 8, 20, 32.5, 45, 180]


@given(st.floats(0, 86_400))
def test_costs_are_multiples_of_the_quantum_so_that_sums_are_exact(seconds):
    cost = quantized(seconds)
    assert (cost / QUANTUM_S).is_integer()
    assert abs(cost - seconds) <= QUANTUM_S / 2


def test_the_same_trial_costs_the_same_and_another_trial_another(job):
    rule = clock({"kind": "drawn", "median_s": 20, "sigma": 0.5})
    script = {"reader": [READ, HOT]}
    first, second, other = fly(job(script, rule)), fly(job(script, rule)), fly(job(script, rule, trial=1))
    assert first.content_digest() == second.content_digest()
    assert thoughts(first) != thoughts(other)


def test_what_another_role_does_changes_no_draw(job):
    rule = clock({"kind": "drawn", "median_s": 20, "sigma": 0.5})
    short = fly(job({"boss": [ASK, HOT], "reader": [READ, HOT]}, rule, fields=BOTH))
    long = fly(job({"boss": [HEAT, HEAT, ASK, HOT], "reader": [READ, HOT]}, rule, fields=BOTH))
    assert [t for t in thoughts(short) if t[0] == "reader"] == [t for t in thoughts(long) if t[0] == "reader"]


def test_who_the_candidate_is_has_no_part_in_a_draw(job):
    rule = clock({"kind": "drawn", "median_s": 20, "sigma": 0.5})
    one = fly(job({"reader": [READ, HOT]}, clock=rule))
    two = fly(job({"reader": [READ, HOT]}, clock=rule, candidate=Candidate(id="other", model="scripted/other")))
    assert thoughts(one) == thoughts(two)


# --- a trial under it ---------------------------------------------------------------------------------------------


def test_the_world_goes_on_while_a_model_thinks_and_what_was_read_before_is_old(job):
    episode = fly(job({"reader": [READ, READ.model_copy(), HOT]}, fixed(90)))
    assert thoughts(episode) == [("reader", 1, 90), ("reader", 2, 90), ("reader", 3, 90)]
    readings = [event.data["output"] for event in episode.trace if event.kind == "tool_result"]
    assert [(one["evidence_id"], one["value"]) for one in readings] == [("g@90", 18.5), ("g@180", 17.0)]
    assert [(e.kind, e.sim_s) for e in episode.trace][1:4] == [
        ("model_request", 0),
        ("thinking", 90),
        ("model_response", 90),
    ]
    assert (episode.sim_s, episode.thinking_s, episode.state) == (270, 270, {"temperature": 15.5})
    assert episode.resolved.clock == fixed(90)


def test_a_slow_team_loses_what_a_fast_one_saves(job):
    warm = {"fields": BOTH | {"setup": {"temperature": 80}}}
    script = {"boss": [ASK, HOT], "reader": [READ, HOT]}
    ends = [fly(job(script, fixed(seconds), **warm)).state["temperature"] for seconds in (1, 600)]
    assert [round(end, 1) for end in ends] == [79.9, 40.0]


def test_roles_can_think_at_different_speeds(job):
    own = fixed(10, reader={"kind": "fixed", "seconds": 100}, boss="off")
    episode = fly(job({"boss": [ASK, HOT], "reader": [READ, HOT]}, own, fields=BOTH))
    assert thoughts(episode) == [("reader", 1, 100), ("reader", 2, 100)]


@pytest.mark.parametrize("own", [None, clock("off")])
def test_off_is_what_it_always_was(job, kettle, own):
    still = fly(job({"reader": [READ, HOT]}, own))
    assert "thinking" not in {event.kind for event in still.trace}
    assert (still.thinking_s, still.sim_s, still.resolved.clock) == (None, 0, None)
    assert "clock" not in canonical(still.resolved)
    assert fly(job({"reader": [READ, HOT]}, own, system=kettle)).status.kind == "completed"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seconds=st.tuples(*[st.floats(0, 3600)] * 2),
    heats=st.integers(0, 2),
    asks=st.integers(0, 1),
    seed=st.integers(0, 99),
)
def test_simulated_time_is_tools_time_and_thinking_time_and_never_goes_back(job, seconds, heats, asks, seed):
    own = clock({"kind": "drawn", "quantiles_s": [0, seconds[0]], "seed": seed}, reader=fixed(seconds[1]).thinking)
    script = {"boss": [*[HEAT] * heats, *[ASK] * asks, HOT], "reader": [HOT]}
    one = job(script, own, fields=BOTH)
    episode = fly(one)
    assert episode.status.kind == "completed"
    assert again(one, episode) == ""
    assert episode.sim_s == 60 * heats + sum(seconds for _, _, seconds in thoughts(episode))
    assert all(one.sim_s <= two.sim_s for one, two in pairwise(episode.trace))
    assert len(thoughts(episode)) == sum(usage.requests for usage in episode.usage.values())


# --- the end of the world -----------------------------------------------------------------------------------------


def test_who_is_still_thinking_when_the_world_ends_is_out_of_time(job):
    late = job({"reader": [READ, READ.model_copy(), HOT]}, fixed(90), fields={"setup": {"end": 120}})
    episode = fly(late)
    assert (episode.status.kind, episode.status.layer) == ("stopped", "candidate")
    reason = "out of simulated time: the world ended in reader's call 2, 30 s of 90 s in"
    assert episode.status.reason == reason
    assert (episode.sim_s, episode.thinking_s, episode.state["temperature"]) == (120, 120, 18.0)
    assert episode.usage["reader"].requests == 2
    assert [event.kind for event in episode.trace][-3:] == ["thinking", "model_response", "error"]
    assert again(late, episode) == ""


def test_a_specialist_that_outlives_the_world_ends_the_trial(job):
    script = {"boss": [ASK, HOT], "reader": [READ, HOT]}
    episode = fly(job(script, fixed(90), fields=BOTH | {"setup": {"end": 200}}))
    assert episode.status.reason == "out of simulated time: the world ended in reader's call 2, 20 s of 90 s in"
    assert episode.output is None


def test_thought_that_ends_with_the_world_is_in_time(job):
    episode = fly(job({"reader": [READ, HOT]}, fixed(60), fields={"setup": {"end": 120}}))
    assert (episode.status.kind, episode.sim_s) == ("completed", 120)


# --- what cannot be -----------------------------------------------------------------------------------------------


def test_a_system_whose_world_stands_still_is_told_what_is_missing(job, kettle):
    with pytest.raises(ValueError, match=r"no time can pass in a world of kettle: give it think\(seconds\)"):
        fly(job({"reader": [HOT]}, fixed(1), system=kettle))


def test_a_clock_of_a_role_there_is_not_is_refused(job):
    with pytest.raises(ValueError, match="clock: names no role of kettle: 'cook'; there are boss, reader"):
        fly(job({"reader": [HOT]}, fixed(1, cook="off")))


def test_a_world_that_says_other_than_it_does_is_the_simulators_fault(job):
    lying = job({"reader": [READ, HOT]}, fixed(90))
    opened = lying.system.open

    def open_lying(setup: Any) -> Any:
        world = opened(setup)
        world.think = lambda seconds: seconds
        return world

    lying.system.open = open_lying
    episode = fly(lying)
    assert (episode.status.kind, episode.status.layer) == ("failed", "simulator")
    assert episode.status.reason == "thinking of 90 s let 90 s pass, and now() moved by 0"


def test_a_call_that_the_provider_fails_costs_nothing_and_is_nobodys_fault(job):
    broken = ScriptedModel([ModelStep.raise_error(ConnectionError("the line is dead"))])
    episode = fly(job({}, fixed(90), models={"reader": broken}))
    assert (episode.status.layer, episode.sim_s, thoughts(episode)) == ("infrastructure", 0, [])


def test_a_call_that_is_given_up_costs_its_time_too(job):
    async def sleep(_call: Any) -> Any:
        await asyncio.sleep(30)

    asleep = ScriptedModel([ModelStep.respond(sleep)])
    budget = {"turns": 6, "tool_calls": 6, "seconds": 0.05}
    episode = fly(job({}, fixed(90), models={"reader": asleep}, fields={"budget": budget}))
    assert episode.status.reason == "out of time: the budget is 0.05 s"
    (event,) = [event for event in episode.trace if event.kind == "thinking"]
    assert (event.data, episode.sim_s) == ({"call": 1, "seconds": 90, "given_up": True}, 90)


def test_a_specialist_that_is_given_up_costs_its_time_and_the_boss_goes_on(job):
    async def sleep(_call: Any) -> Any:
        await asyncio.sleep(30)

    one = job(
        {"boss": [ASK, HOT]}, fixed(90), models={"reader": ScriptedModel([ModelStep.respond(sleep)])}, fields=BOTH
    )
    wire = one.system.team

    def impatient(world: Any, bindings: Any) -> Any:
        team = wire(world, bindings)
        next(tool for tool in team.agents["boss"].tools if tool.name == "ask_reader").timeout_seconds = 0.05
        return team

    one.system.team = impatient
    episode = fly(one)
    assert episode.status.kind == "completed"
    assert [(e.role, e.sim_s, e.data.get("given_up", False)) for e in episode.trace if e.kind == "thinking"] == [
        ("boss", 90, False),
        ("reader", 180, True),
        ("boss", 270, False),
    ]


def test_two_that_think_at_once_cannot_be_clocked():
    async def slow(_call: Any) -> Any:
        await asyncio.sleep(0.01)
        return []

    pace = Pace(fixed(1), "case", 0, lambda seconds: seconds)
    recorder = Recorder(wall=lambda: 0.0, sim=lambda: 0.0, pace=pace)

    async def ask(role: str) -> Any:
        from agents import ModelSettings

        model = RecordingModel(ScriptedModel([ModelStep.respond(slow)]), role, recorder)
        rest = {"previous_response_id": None, "conversation_id": None, "prompt": None}
        return await model.get_response("", "Go.", ModelSettings(), [], None, [], None, **rest)

    async def both() -> Any:
        with recorder.frame(None, None):
            return await asyncio.gather(ask("one"), ask("two"), return_exceptions=True)

    failures = [found for found in asyncio.run(both()) if isinstance(found, StoppedError)]
    assert {(stop.layer, stop.reason) for stop in failures} == {
        ("simulator", "one and two think at once: no running clock can say how long")
    }


# --- measured and recorded ----------------------------------------------------------------------------------------


@pytest.fixture
def measured(job):
    """A trial whose calls are measured by a wall clock of 0.75 s a look, twice over; and the trial's job."""
    one = job({"reader": [READ, HOT]}, clock({"kind": "recorded", "scale": 2.0}), wall=Ticks(0.75))
    return one, fly(one)


def test_a_measured_call_costs_what_it_took(measured):
    _, episode = measured
    walls = [event.wall_s - episode.trace[event.cause].wall_s for event in episode.trace if event.kind == "thinking"]
    assert walls == [0.75, 0.75]
    assert thoughts(episode) == [("reader", 1, 1.5), ("reader", 2, 1.5)]
    assert episode.sim_s == 3.0


def test_a_replay_takes_the_time_from_the_recording(measured):
    one, episode = measured
    assert again(one, episode) == ""
    stored = type(episode).from_record(*episode.record()[:2])
    assert again(one, stored) == ""


def forged(episode: Any, change: Any) -> Any:
    data = episode.model_dump(mode="json")
    change(data)
    return type(episode).model_validate(data)


def _cheaper(data: dict[str, Any]) -> None:
    next(event for event in data["trace"] if event["kind"] == "thinking")["data"]["seconds"] = 0.5


def _quicker(data: dict[str, Any]) -> None:
    next(event for event in data["trace"] if event["kind"] == "thinking")["wall_s"] -= 0.5


def _other_call(data: dict[str, Any]) -> None:
    next(event for event in data["trace"] if event["kind"] == "thinking")["data"]["call"] = 9


def _other_scale(data: dict[str, Any]) -> None:
    data["resolved"]["clock"]["thinking"]["scale"] = 1.0


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (_cheaper, "event 2 (thinking, reader) differs"),
        (_quicker, "reader request 2 differs from the recorded one"),
        (_other_call, "replay: what reader's call 1 took is not in the recording"),
        (_other_scale, "the clock differs: what thinking costs is not what it was"),
    ],
)
def test_a_recording_that_was_tampered_with_is_found_out(measured, change, found):
    one, episode = measured
    assert found in again(one, forged(episode, change))


def test_a_drawn_cost_that_was_tampered_with_is_found_out(job):
    one = job({"reader": [READ, HOT]}, clock({"kind": "drawn", "median_s": 20, "sigma": 0.5}))
    assert again(one, forged(fly(one), _cheaper)) == "event 2 (thinking, reader) differs"
