"""The live path, for real, against a server on loopback that speaks the Responses protocol.

Behind the server sits the expert pilot, so that a whole case can be flown; what is asserted is what crossed the wire.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from agents.testing import assistant_message

from evals.adapters.job import Job
from evals.adapters.trial import run_trial
from evals.budget import SpendingLimitError
from evals.candidate import Candidate
from evals.cases import load_cases
from evals.cli import execute
from evals.clock import Clock
from evals.episode import Episode
from evals.replay import no_network, replay
from evals.store import Store
from evals.workspace import find_workspace
from mission.pilots import pilot
from mission.pilots.conversation import read_conversation
from mission.pilots.model import PilotModel
from mission.system import MarsBase

ROOT = Path(__file__).parents[2]


@dataclass
class Provider:
    """A Responses server whose model is a pilot; `bodies` are the requests it got, `fail_with` an HTTP status.

    It answers after `delay_s`.
    """

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    fail_with: int | None = None
    delay_s: float = 0.0

    def answer(self, body: dict[str, Any], roles: dict[str, str]) -> dict[str, Any]:
        role = roles.get(body["instructions"])
        items = judge_met() if role is None else pilot_items(role, body)
        return {
            "id": f"resp_{len(self.bodies)}",
            "object": "response",
            "created_at": 0,
            "status": "completed",
            "model": body["model"],
            "output": [*thought(body, len(self.bodies)), *items],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": {
                "input_tokens": 1000,
                "input_tokens_details": {"cached_tokens": 200, "cache_write_tokens": 0},
                "output_tokens": 100,
                "output_tokens_details": {"reasoning_tokens": 40},
                "total_tokens": 1100,
            },
        }


def thought(body: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """What a reasoning model gives first: encrypted for a caller that asks for it, since nothing is stored."""
    if "reasoning.encrypted_content" not in body.get("include", []):
        return []
    return [{"id": f"rs_{number}", "type": "reasoning", "summary": [], "encrypted_content": f"thought {number}"}]


def pilot_items(role: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    brain = pilot("expert", role)
    assert isinstance(brain, PilotModel)
    tools = frozenset(tool["name"] for tool in body.get("tools", []))
    conversation = read_conversation(body["input"], tools, trusting=False)
    return [item.model_dump(mode="json") for item in brain.items(conversation)]


def judge_met() -> list[dict[str, Any]]:
    """A judge that finds every criterion met, by words that every pilot's report has."""
    text = json.dumps({"verdict": "met", "quote": "recommendation", "reason": "It is there."})
    return [assistant_message(text, item_id="verdict").model_dump(mode="json")]


@pytest.fixture(scope="module")
def mars() -> MarsBase:
    return MarsBase(find_workspace(ROOT))


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch, mars: MarsBase) -> Iterator[Provider]:
    served = Provider()
    roles = {card.instructions: role for role, card in mars.cards.items()}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.bodies.append(body)
            time.sleep(served.delay_s)
            status = served.fail_with or 200
            reply = {"error": {"message": "out of order"}} if served.fail_with else served.answer(body, roles)
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-for-loopback")
    monkeypatch.setenv("OPENAI_BASE_URL", served.url)
    yield served
    server.shutdown()
    server.server_close()


@dataclass
class Purse:
    """A spending limit that remembers."""

    limit: float
    reserved: list[float] = field(default_factory=list)
    spent: list[float | None] = field(default_factory=list)

    def reserve(self, worst_usd: float, what: str = "") -> int:
        if sum(self.reserved) + worst_usd > self.limit:
            raise SpendingLimitError("the limit is reached")
        self.reserved.append(worst_usd)
        return len(self.reserved) - 1

    def commit(self, reservation: int, actual_usd: float | None) -> None:
        self.spent.append(actual_usd)


def fly(mars: MarsBase, case_id: str, candidate: Candidate, purse: Purse) -> Episode:
    from evals.models.live import live_models
    from evals.models.resolve import resolver

    def price(_reference: Any) -> Any:
        return lambda given, cached, output: ((given - cached) * 0.1 + cached * 0.01 + output * 0.5) / 1e6

    case = load_cases(find_workspace(ROOT))[case_id]
    models = resolver(mars, live_models(purse, price))
    return asyncio.run(run_trial(Job(system=mars, case=case, candidate=candidate, trial=0, model_for=models)))


LUNA = Candidate(id="luna", model="openai/gpt-6-luna@medium")


def test_a_whole_agent_case_sends_what_the_candidate_says(mars, provider):
    episode = fly(mars, "life-support-masked-leak-01", LUNA, Purse(limit=10))
    assert episode.status.kind == "completed"
    assert episode.output["status"] in ("warning", "critical")
    assert {body["model"] for body in provider.bodies} == {"gpt-6-luna"}
    assert [body["reasoning"] for body in provider.bodies] == [{"effort": "medium"}] * len(provider.bodies)
    card = mars.cards["life-support"]
    assert {body["instructions"] for body in provider.bodies} == {card.instructions}
    assert [[tool["name"] for tool in body["tools"]] for body in provider.bodies] == [card.tools] * len(provider.bodies)
    assert provider.bodies[0]["text"]["format"]["name"] == "final_output"
    assert provider.bodies[0]["store"] is False


def test_what_a_model_thought_is_sent_on_with_each_next_turn(mars, provider):
    fly(mars, "life-support-masked-leak-01", LUNA, Purse(limit=10))
    assert len(provider.bodies) > 3
    for earlier, body in enumerate(provider.bodies):
        carried = [item["encrypted_content"] for item in body["input"] if item.get("type") == "reasoning"]
        assert carried == [f"thought {number}" for number in range(1, earlier + 1)]


def test_a_live_episode_replays_without_a_model(mars, provider):
    recorded = fly(mars, "handoff-life-support-director-01", LUNA, Purse(limit=10))
    asked = len(provider.bodies)
    case = load_cases(find_workspace(ROOT))[recorded.key.case]
    with no_network():
        again = asyncio.run(replay(mars, case, LUNA, recorded))
    assert (again.difference, len(provider.bodies)) == ("", asked)


def test_what_a_live_model_took_is_what_the_base_went_on_and_a_replay_takes_it_from_the_recording(mars, provider):
    provider.delay_s = 0.05
    timed = Candidate(id="luna", model="openai/gpt-6-luna@medium", clock=MEASURED)
    recorded = fly(mars, "handoff-life-support-director-01", timed, Purse(limit=10))
    costs = [event.data["seconds"] for event in recorded.trace if event.kind == "thinking"]
    assert len(costs) == len(provider.bodies)
    assert min(costs) >= 0.05 * 100
    assert recorded.sim_s == 6 * 3600 + sum(costs) + 30 * 60  # the nitrogen trend takes half an hour
    asked = len(provider.bodies)
    case = load_cases(find_workspace(ROOT))[recorded.key.case]
    with no_network():
        again = asyncio.run(replay(mars, case, timed, recorded))
    assert (again.difference, len(provider.bodies)) == ("", asked)
    assert again.episode.world_digest == recorded.world_digest


MEASURED = Clock.model_validate({"thinking": {"kind": "recorded", "scale": 100}})


def test_two_roles_think_as_hard_as_the_candidate_says(mars, provider):
    candidate = Candidate(id="mixed", model="openai/gpt-6-luna@low", roles={"director": "openai/gpt-6-sol@high"})
    fly(mars, "handoff-life-support-director-01", candidate, Purse(limit=10))
    director, specialist = (mars.cards[role].instructions for role in ("director", "life-support"))
    asked = {body["instructions"]: (body["model"], body["reasoning"]["effort"]) for body in provider.bodies}
    assert asked == {director: ("gpt-6-sol", "high"), specialist: ("gpt-6-luna", "low")}


def test_each_call_is_reserved_before_and_settled_after(mars, provider):
    purse = Purse(limit=10)
    episode = fly(mars, "life-support-masked-leak-01", LUNA, purse)
    assert len(purse.reserved) == len(purse.spent) == len(provider.bodies)
    assert purse.spent[0] == pytest.approx((800 * 0.1 + 200 * 0.01 + 100 * 0.5) / 1e6)
    assert all(worst > spent for worst, spent in zip(purse.reserved, purse.spent, strict=True))
    assert episode.usage["life-support"].reasoning_tokens == 40 * len(provider.bodies)


def test_the_limit_stops_before_the_call_that_would_pass_it(mars, provider):
    with pytest.raises(SpendingLimitError):
        fly(mars, "life-support-masked-leak-01", LUNA, Purse(limit=1e-9))
    assert provider.bodies == []


def test_a_provider_out_of_order_is_not_charged_to_the_candidate(mars, provider):
    provider.fail_with = 500
    purse = Purse(limit=10)
    episode = fly(mars, "life-support-masked-leak-01", LUNA, purse)
    assert (episode.status.kind, episode.status.layer) == ("failed", "infrastructure")
    assert len(provider.bodies) == 1
    assert purse.spent == []


def test_a_paid_model_is_on_hold_without_a_release(mars):
    from evals.errors import UserError
    from evals.models.resolve import resolver

    with pytest.raises(UserError, match="paid calls are on hold"):
        resolver(mars, None)("director", LUNA.model_for("director"))


PLAN = """
id: one-case
question: Does it fly live?
candidates: [{id: luna, model: openai/gpt-6-luna@medium}]
cases: [life-support-masked-leak-01]
policy: {order: [complete_passes], gate: {min_pass_rate: 1.0}}
"""


@pytest.fixture
def plan(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(ROOT)
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)
    return path


def test_a_live_run_says_its_cost_first_and_is_judged_by_the_one_judge(provider, plan, capsys):
    run = plan.with_name("run.sqlite")
    assert execute(["run", str(plan), "--live", "--limit-usd", "5", "--out", str(run)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "one-case: 1 episodes, estimated at most 0.31 USD in 9 paid calls."
    assert "+ pass" in out
    judged = [body for body in provider.bodies if body["model"] == "gpt-6-sol"]
    assert [body["reasoning"]["effort"] for body in judged] == ["medium"]
    with Store.open(run) as store:
        assert store.open_spend() == 0
        assert 0 < store.total_spend() < 5e9


def test_a_live_run_without_release_makes_no_call(provider, plan, capsys):
    assert execute(["run", str(plan)]) == 2
    assert "paid calls are on hold" in capsys.readouterr().err
    assert execute(["run", str(plan), "--live"]) == 2
    assert "--live needs a spending limit" in capsys.readouterr().err
    assert provider.bodies == []


def test_a_live_run_stops_at_its_limit_and_can_go_on(provider, plan, capsys):
    run = plan.with_name("run.sqlite")
    assert execute(["run", str(plan), "--live", "--limit-usd", "0.0005", "--out", str(run)]) == 1
    assert "Stopped at the spending limit" in capsys.readouterr().out
    assert provider.bodies == []
    assert execute(["run", str(plan), "--live", "--limit-usd", "5", "--resume", str(run)]) == 0


def test_a_missing_key_is_one_line(provider, plan, capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert execute(["run", str(plan), "--live", "--limit-usd", "5"]) == 2
    assert capsys.readouterr().err == (
        "simsup: OPENAI_API_KEY is not set. Export it, or choose pilot models, which need no key\n"
    )
