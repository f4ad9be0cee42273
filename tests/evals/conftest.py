"""Small cases and episodes, made by hand, for everything that reads episodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from evals.case import Case
from evals.episode import Episode, EpisodeKey, Event, Knowledge, Resolved, Status, Usage

ROLE = "life-support"


@dataclass
class Trace:
    """Events in order, written as a recorder would."""

    events: list[Event] = field(default_factory=list[Event])

    def add(self, kind: Any, role: str | None, data: dict[str, Any], cause: int | None = None) -> int:
        seq = len(self.events)
        self.events.append(
            Event(seq=seq, kind=kind, role=role, cause=cause, sim_s=21600.0, wall_s=0.1 * seq, data=data)
        )
        return seq

    def call(self, tool: str, args: Any, result: Any, *, role: str = ROLE, error: bool = False) -> Trace:
        data = {"tool": tool, "call_id": f"c{len(self.events)}"}
        seq = self.add("tool_call", role, data | {"arguments": args})
        self.add("tool_result", role, data | {"output": result, "error": error}, seq)
        return self

    def consult(self, tool: str, to: str, question: str, report: Any, *, role: str = "director") -> Trace:
        data = {"tool": tool, "call_id": f"c{len(self.events)}"}
        seq = self.add("handoff", role, data | {"to_role": to, "arguments": {"question": question}})
        told = self.told(to, question)
        self.add("report", role, data | {"from_role": to, "output": report, "error": False}, told if told else seq)
        return self

    def told(self, role: str, text: str) -> int:
        """A model request in which `text` was put to the role."""
        return self.add("model_request", role, {"items": [{"role": "user", "content": text}], "digest": "d"})

    def answered(self, role: str = ROLE) -> Trace:
        self.add("model_response", role, {"output": [], "usage": {}})
        return self


@pytest.fixture
def trace() -> Trace:
    return Trace()


@pytest.fixture
def make_case() -> Callable[..., Case]:
    def make(*checks: dict[str, Any], **changes: Any) -> Case:
        rubric = changes.pop("rubric", [])
        some = list(checks) or [{"check": "field", "path": "status", "equals": "warning"}]
        expect = {
            "checks": some,
            "rubric": rubric,
            "must_pass": {"reference": "references/leak-01.yaml"},
            "must_fail": [
                {
                    "because": "says nothing",
                    "on": [some[0].get("id", some[0]["check"])],
                    "response": {"status": "nominal"},
                }
            ],
        }
        return Case.model_validate(
            {
                "id": "leak-01",
                "system": "mars",
                "scope": "agent",
                "role": ROLE,
                "task": "Confirm that the base has no leak.",
                "expect": expect,
                "budget": {"turns": 8, "tool_calls": 12, "seconds": 120},
                "tags": {"mechanism": "masked-evidence", "expects": "act", "difficulty": "hard"},
                "provenance": {"source": "authored", "basis": "FR-06", "review": "none", "reviewed": "2026-12-01"},
            }
            | changes
        )

    return make


@pytest.fixture
def make_episode() -> Callable[..., Episode]:
    def make(output: Any = None, trace: Trace | None = None, **changes: Any) -> Episode:
        values: dict[str, Any] = {
            "key": EpisodeKey(case="leak-01", candidate="expert", trial=1),
            "resolved": Resolved(
                case_digest="c",
                candidate_digest="k",
                system="mars",
                harness="sdk",
                models={ROLE: "pilot/expert", "director": "pilot/expert"},
                role_digests={},
                tool_digests={},
            ),
            "status": Status(kind="completed"),
            "output": output,
            "outputs": {} if output is None else {ROLE: output},
            "state": {},
            "world_digest": "w",
            "knowledge": Knowledge(),
            "usage": {ROLE: Usage(requests=1)},
            "sim_s": 21600.0,
            "wall_s": 3.0,
            "trace": list(trace.events) if trace else [],
        }
        return Episode.model_validate(values | changes)

    return make
