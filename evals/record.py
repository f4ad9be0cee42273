"""The recorder: what every role asked, was told, did and cost, in order and with its cause.

It sits at two boundaries of an ordinary openai-agents team: around each agent's model, and around each of
its tools. The application is not changed; its agents are instrumented in place, once, before a trial.
"""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from agents import Agent, FunctionTool, Model, ModelResponse, Tool
from agents.tool_context import ToolContext
from pydantic import BaseModel

from evals.case import Budget
from evals.clock import QUANTUM_S, Pace
from evals.contract import digest
from evals.episode import Event, EventKind, Layer, Usage
from evals.usage import add_usage, usage_of

JSON = Any


class StoppedError(Exception):
    """The trial ends here: `layer` says whose doing it was."""

    def __init__(self, layer: Layer, reason: str) -> None:
        super().__init__(reason)
        self.layer: Layer = layer
        self.reason = reason


@dataclass
class Frame:
    """One agent's run inside an episode: which event comes next from which."""

    role: str | None
    last: int | None = None
    calls: dict[str, int] = field(default_factory=dict[str, int])
    """Call id -> seq of the model response that made the call."""
    seen: list[JSON] = field(default_factory=list[JSON])
    """Input items of the run's latest request, so that the next one records only what is new."""
    seen_digest: str = ""


@dataclass
class Recorder:
    """The trace of one episode. `wall` and `sim` are clocks: wall seconds, simulated seconds.

    `pace` says what thinking costs; None is nothing. `over` says why the world has ended, once it has.
    """

    wall: Callable[[], float]
    sim: Callable[[], float]
    budget: Budget | None = None
    pace: Pace | None = None
    events: list[Event] = field(default_factory=list[Event])
    usage: dict[str, Usage] = field(default_factory=dict[str, Usage])
    outputs: dict[str, JSON] = field(default_factory=dict[str, JSON])
    stop: StoppedError | None = None
    over: str = ""
    _frame: contextvars.ContextVar[Frame | None] = field(
        default_factory=lambda: contextvars.ContextVar[Frame | None]("frame", default=None)
    )
    _turns: int = 0
    _tool_calls: int = 0
    _calls: Counter[str] = field(default_factory=Counter[str])
    _thinks: str = ""
    _start: float = 0.0

    def __post_init__(self) -> None:
        self._start = self.wall()

    def emit(
        self, kind: EventKind, role: str | None, data: Mapping[str, JSON], cause: int | None, at: float | None = None
    ) -> int:
        """Record an event, now or at an earlier moment of wall time."""
        seq = len(self.events)
        event = Event(
            seq=seq,
            kind=kind,
            role=role,
            cause=cause,
            sim_s=self.sim(),
            wall_s=self._elapsed() if at is None else at,
            data=dict(data),
        )
        self.events.append(event)
        return seq

    def _elapsed(self) -> float:
        return round(self.wall() - self._start, 6)

    def note(self, kind: EventKind, role: str | None, data: Mapping[str, JSON]) -> int:
        """Record an event of the run under way, caused by its latest event."""
        frame = self._frame.get()
        seq = self.emit(kind, role, data, frame.last if frame else None)
        if frame is not None:
            frame.last = seq
        return seq

    @contextmanager
    def frame(self, role: str | None, cause: int | None) -> Generator[Frame, None, None]:
        """Everything recorded inside belongs to a run of `role` that `cause` brought about."""
        frame = Frame(role=role, last=cause)
        token = self._frame.set(frame)
        try:
            yield frame
        finally:
            self._frame.reset(token)

    @property
    def current(self) -> Frame:
        frame = self._frame.get()
        if frame is None:
            raise RuntimeError("an agent ran outside of an episode: open a frame first")
        return frame

    def halt(self, layer: Layer, reason: str) -> StoppedError:
        """End the trial. The first reason stays, and every later model call raises it again."""
        if self.stop is None:
            self.stop = StoppedError(layer, reason)
            self.note("error", self.current.role, {"layer": layer, "reason": reason})
        return self.stop

    def take_turn(self) -> None:
        """Count a model call. Raises StoppedError when the trial is over or out of turns."""
        if self.stop is not None:
            raise self.stop
        self.refuse_if_over()
        if self.budget is not None and self._turns >= self.budget.turns:
            raise self.halt("candidate", f"out of turns: the budget is {self.budget.turns}")
        self._turns += 1

    def refuse_if_over(self) -> None:
        """Raises StoppedError when the world has ended while somebody thought."""
        if self.over:
            raise self.halt("candidate", self.over)

    @contextmanager
    def thinking(self, role: str, request: int) -> Generator[None, None, None]:
        """What runs inside is one model call, however often it is tried; when it ends, the time it costs passes.

        A call that is given up costs its time, too; one that fails costs none, as the trial is over. Raises
        StoppedError(simulator) for two calls at once, whose times would be counted one after the other.
        """
        if self.pace is not None and self._thinks:
            raise self.halt("simulator", f"{self._thinks} and {role} think at once: no running clock can say how long")
        self._calls[role] += 1
        self._thinks = role
        try:
            yield
        except asyncio.CancelledError:
            self._let_pass(role, request, {"given_up": True})
            raise
        finally:
            self._thinks = ""
        self._let_pass(role, request, {})

    def _let_pass(self, role: str, request: int, said: dict[str, JSON]) -> None:
        if self.pace is None:
            return
        answered, before, call = self._elapsed(), self.sim(), self._calls[role]
        try:
            cost = self.pace.cost(role, call, answered - self.events[request].wall_s)
        except KeyError:
            raise self.halt("simulator", f"replay: what {role}'s call {call} took is not in the recording") from None
        if cost is None:
            return
        passed = self.pace.think(cost)
        moved = self.sim() - before
        if not 0 <= passed <= cost or abs(moved - passed) > QUANTUM_S:
            raise self.halt("simulator", f"thinking of {cost:g} s let {passed:g} s pass, and now() moved by {moved:g}")
        if passed < cost:
            said = {**said, "wanted": cost}
            self.over = f"out of simulated time: the world ended in {role}'s call {call}, {passed:g} s of {cost:g} s in"
        self.emit("thinking", role, {"call": call, "seconds": passed, **said}, request, answered)

    def take_tool_call(self) -> str | None:
        """Count a tool call; the refusal to show the model when the budget is used up."""
        self._tool_calls += 1
        if self.budget is not None and self._tool_calls > self.budget.tool_calls:
            return f"The budget of {self.budget.tool_calls} tool calls is used up. Answer with what you have."
        return None

    def add_usage(self, role: str, response: ModelResponse) -> None:
        self.usage[role] = add_usage(self.usage.get(role), usage_of(response))


def describe_tools(tools: list[Tool]) -> dict[str, str]:
    """Digest of each tool's name, description and schema, as the model is shown them."""
    return {
        tool.name: digest([tool.name, tool.description, tool.params_json_schema])
        for tool in tools
        if isinstance(tool, FunctionTool)
    }


class RecordingModel(Model):
    """A model whose requests and responses are recorded under a role."""

    def __init__(self, inner: Model, role: str, recorder: Recorder) -> None:
        self.inner = inner
        self.role = role
        self.recorder = recorder
        self._tools: tuple[list[int], dict[str, str]] = ([], {})
        self._schema: tuple[Any, str] = (None, "")

    async def get_response(  # type: ignore[override]
        self,
        system_instructions: str | None,
        input: str | list[Any],  # noqa: A002
        model_settings: Any,
        tools: list[Tool],
        output_schema: Any,
        handoffs: list[Any],
        tracing: Any,
        **rest: Any,
    ) -> ModelResponse:
        recorder = self.recorder
        recorder.take_turn()
        frame = recorder.current
        request = self._request(frame, system_instructions, input, model_settings, tools, output_schema)
        seq = recorder.emit("model_request", self.role, request, frame.last)
        frame.last = seq
        announce_request(self.inner, request["digest"])
        try:
            with recorder.thinking(self.role, seq):
                response = await self.inner.get_response(
                    system_instructions, input, model_settings, tools, output_schema, handoffs, tracing, **rest
                )
        except StoppedError as stop:
            raise recorder.halt(stop.layer, stop.reason) from stop
        except provider_errors() as error:
            raise recorder.halt("infrastructure", f"{type(error).__name__}: {error}") from error
        output = [item.model_dump(mode="json", exclude_unset=True) for item in response.output]
        usage = usage_of(response)
        data = {"output": output, "response_id": response.response_id, "usage": usage.model_dump(mode="json")}
        frame.last = recorder.emit("model_response", self.role, data, seq)
        recorder.add_usage(self.role, response)
        for item in output:
            if item.get("type") == "function_call":
                frame.calls[item["call_id"]] = frame.last
        recorder.refuse_if_over()
        return response

    def _request(
        self,
        frame: Frame,
        instructions: str | None,
        items: str | list[Any],
        settings: Any,
        tools: list[Tool],
        schema: Any,
    ) -> dict[str, JSON]:
        """What is new in this request, and the digest of all of it, chained over the run's requests."""
        given: list[JSON] = [{"role": "user", "content": items}] if isinstance(items, str) else list(items)
        known = len(frame.seen)
        continues = known > 0 and given[:known] == frame.seen
        new = given[known:] if continues else given
        tool_digests = self._tool_digests(tools)
        head = {
            "instructions": instructions,
            "settings": settings_json(settings),
            "tools": tool_digests,
            "output": self._schema_digest(schema),
        }
        chained = digest([frame.seen_digest if continues else "", head, new])
        first = not continues
        frame.seen, frame.seen_digest = given, chained
        data: dict[str, JSON] = {"digest": chained, "items": [dict(item) for item in new], "continues": continues}
        return data | (head if first else {})

    def _schema_digest(self, schema: Any) -> str | None:
        if schema is None or schema.is_plain_text():
            return None
        if self._schema[0] is not schema:
            self._schema = (schema, digest(schema.json_schema()))
        return self._schema[1]

    def _tool_digests(self, tools: list[Tool]) -> dict[str, str]:
        ids = [id(tool) for tool in tools]
        if self._tools[0] != ids:
            self._tools = (ids, describe_tools(tools))
        return self._tools[1]

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("episodes are recorded without streaming")

    async def close(self) -> None:
        await self.inner.close()


def settings_json(settings: Any) -> dict[str, JSON]:
    """The model settings that were given, as JSON; the retry policy is the harness's own and left out."""
    given = {item.name: getattr(settings, item.name) for item in dataclasses.fields(settings) if item.name != "retry"}
    return {
        key: value.model_dump(mode="json", exclude_none=True) if isinstance(value, BaseModel) else value
        for key, value in given.items()
        if value is not None
    }


def announce_request(model: Model, request_digest: str) -> None:
    """Tell a replaying model which request it is about to get, so that it can refuse another one."""
    expect = getattr(model, "expect", None)
    if expect is not None:
        expect(request_digest)


def provider_errors() -> tuple[type[Exception], ...]:
    """What a provider may raise that is no doing of the candidate's."""
    import openai
    from agents.exceptions import ModelTimeoutError

    return (openai.OpenAIError, ModelTimeoutError, ConnectionError, TimeoutError)


def instrument(agents: Mapping[str, Agent[Any]], consult_tools: Mapping[str, str], recorder: Recorder) -> None:
    """Record the models and tools of a team's agents, in place."""
    for role, agent in agents.items():
        if not isinstance(agent.model, Model):
            raise TypeError(f"the agent of role {role} has no model object; give every agent its binding's model")
        agent.model = RecordingModel(agent.model, role, recorder)
        agent.tools = [
            record_tool(tool, role, recorder, consult_tools.get(tool.name)) if isinstance(tool, FunctionTool) else tool
            for tool in agent.tools
        ]


Invoke = Callable[[ToolContext[Any], str], Awaitable[Any]]


def replace_invoke(tool: FunctionTool, invoke: Invoke) -> FunctionTool:
    """The same tool to the model, with another implementation.

    The SDK's own copy makes the schema strict once more, which takes as long as a model turn.
    """
    twin = object.__new__(type(tool))
    twin.__dict__.update(tool.__dict__)
    twin.on_invoke_tool = invoke
    return twin


def record_tool(tool: FunctionTool, role: str, recorder: Recorder, consulted: str | None) -> FunctionTool:
    """The tool with its calls and results recorded; a consult tool opens a run of the consulted role."""
    inner = tool.on_invoke_tool
    asked, told = ("handoff", "report") if consulted else ("tool_call", "tool_result")

    async def invoke(context: ToolContext[Any], arguments: str) -> Any:
        frame = recorder.current
        call_id = context.tool_call_id
        data: dict[str, JSON] = {"tool": tool.name, "call_id": call_id, "arguments": parse(arguments)}
        if consulted:
            data["to_role"] = consulted
        seq = recorder.emit(asked, role, data, frame.calls.get(call_id, frame.last))
        refusal = recorder.take_tool_call()
        if refusal is not None:
            output: Any = json.dumps({"error": refusal})
        elif consulted:
            with recorder.frame(consulted, seq) as nested:
                try:
                    output = await inner(context, arguments)
                except asyncio.CancelledError:
                    given_up = {"tool": tool.name, "call_id": call_id, "output": None, "error": True}
                    frame.last = recorder.emit(told, role, {**given_up, "from_role": consulted}, nested.last)
                    raise
            recorder.outputs[consulted] = parse(output)
            seq = nested.last if nested.last is not None else seq
        else:
            output = await inner(context, arguments)
        parsed = parse(output)
        told_data: dict[str, JSON] = {
            "tool": tool.name,
            "call_id": call_id,
            "output": parsed,
            "error": is_error(parsed),
        }
        if consulted:
            told_data["from_role"] = consulted
        frame.last = recorder.emit(told, role, told_data, seq)
        return output

    return replace_invoke(tool, invoke)


def parse(text: Any) -> JSON:
    """JSON text as its value; any other text as itself, and so is text that only lax parsers take for JSON (NaN)."""
    if not isinstance(text, str):
        return cast("JSON", text) if isinstance(text, dict | list | int | float | bool | None) else str(text)
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text


def _refuse(constant: str) -> JSON:
    raise ValueError(f"{constant} is no JSON")


def is_error(output: JSON) -> bool:
    """Whether a tool's output says that the call failed: an object with an `error`."""
    return isinstance(output, dict) and "error" in output
