"""The tools as an MCP server: in memory, over stdio, and over streamable HTTP on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

os.environ.update({"FASTMCP_CHECK_FOR_UPDATES": "off", "FASTMCP_LOG_ENABLED": "false"})

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.utilities.tests import asgi_client
from mcp.shared.exceptions import MCPError

from mission.cards import RoleCard
from mission.desk import Desk
from mission.sensors import CATALOGUE
from mission.server import make_server
from mission.system import open_desk
from mission.tools import TOOLS

ROOT = Path(__file__).parents[2]
SIMSUP = Path(sys.executable).with_name("simsup")
ROLES = ("director", "life-support", "power-thermal", "risk-review", "weather-navigation")
EVALUATORS = re.compile(r"masked.leak|\bI4\b|hole_mm|a hole in a window|2 mm hole|incident", re.IGNORECASE)
"""What only the evaluator knows of the scenario: its name, the incident's, what is true in it."""
CLIENT_TIMEOUT_S = 60
"""A server's start imports FastMCP, which takes seconds on a busy machine."""


@pytest.fixture(scope="module")
def life_support() -> tuple[Desk, RoleCard]:
    return open_desk(ROOT, "masked-leak", "life-support", 7, "PT6H")


def talk(server: Any, story: Callable[[Client[Any]], Awaitable[None]]) -> None:
    """Connect a client, and tell it a story."""

    async def whole() -> None:
        async with Client(server, timeout=CLIENT_TIMEOUT_S, init_timeout=CLIENT_TIMEOUT_S) as client:
            await story(client)

    asyncio.run(whole())


async def told(client: Client[Any], tool: str, **arguments: Any) -> str:
    """What a good call is answered with, as text; the structured content says the same."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert result.structured_content == json.loads(content.text)
    return content.text


async def refused(client: Client[Any], tool: str, **arguments: Any) -> str:
    """The one line of a tool error."""
    result = await client.call_tool(tool, arguments, raise_on_error=False)
    (content,) = result.content
    assert result.is_error and "\n" not in content.text and "http" not in content.text
    return content.text


async def the_story_of_a_desk(client: Client[Any]) -> None:
    """What any transport must show: instruments with evidence, one world whose time goes on, errors on one line."""
    before = json.loads(await told(client, "read_telemetry", channels=["makeup.n2_flow"]))
    assert before["readings"][0]["evidence_id"] == "makeup.n2_flow@T+06:00"
    check = json.loads(await told(client, "run_check", check="pn2_trend"))
    assert check["measured"]["mean_change"] == pytest.approx(-0.84, abs=0.05)
    after = json.loads(await told(client, "read_telemetry", channels=["makeup.n2_flow"]))
    assert after["time"] == "T+06:30"
    assert (await refused(client, "read_telemetry", channels=["core.ppco"])).startswith(
        "no channel 'core.ppco'; near: core.ppco2, "
    )


@pytest.mark.parametrize("role", ROLES)
def test_a_server_has_the_tools_and_instructions_of_its_role_card(role):
    desk, card = open_desk(ROOT, "nominal", role, 7, "PT0H")

    async def story(client: Client[Any]) -> None:
        assert [tool.name for tool in await client.list_tools()] == card.tools
        assert client.instructions == card.instructions
        assert client.server_info.name == f"mars-{role}"

    talk(make_server(desk, card.tools, card.instructions), story)


def test_every_tool_and_every_argument_is_described(life_support):
    desk, _ = life_support

    async def story(client: Client[Any]) -> None:
        tools = await client.list_tools()
        assert len(tools) == len(TOOLS)
        for tool in tools:
            assert len(tool.description or "") > 40
            assert tool.input_schema["additionalProperties"] is False
            assert "desk" not in tool.input_schema["properties"]
            assert all(len(field["description"]) > 10 for field in tool.input_schema["properties"].values())
            assert tool.output_schema is None, "it would say no more than: an object"

    talk(make_server(desk, TOOLS, ""), story)


def test_wrong_calls_get_our_one_line_and_change_nothing(life_support):
    desk, card = life_support

    async def story(client: Client[Any]) -> None:
        before = desk.world.digest()
        assert await refused(client, "read_telemetry", channels="core.ppco2") == (
            "channels: should be a list, not 'core.ppco2'"
        )
        assert await refused(client, "read_telemetry", channels=["core.ppco2"], since=1) == (
            "since: Unexpected keyword argument"
        )
        assert (await refused(client, "run_check", check="tarot")).startswith(
            "no check 'tarot'; there are handheld_co2, "
        )
        assert await refused(client, "calculate", expression="1 / 0") == "'1 / 0' divides by zero"
        assert await refused(client, "submit_plan", plan={}) == "Unknown tool: 'submit_plan'"
        assert desk.world.digest() == before

    talk(make_server(desk, card.tools, card.instructions), story)


def test_a_plan_is_checked_field_by_field(life_support):
    desk, _ = life_support

    async def story(client: Client[Any]) -> None:
        assert (await refused(client, "submit_plan", plan={"headline": "x"})).startswith(
            "plan.steps: is missing; plan.rationale: is missing"
        )

    talk(make_server(desk, ["submit_plan"], ""), story)


def test_no_reply_holds_what_only_the_evaluator_knows():
    desk, card = open_desk(ROOT, "masked-leak", "risk-review", 7, "PT6H")

    async def story(client: Client[Any]) -> None:
        replies = [client.instructions, str(await client.list_tools()), str(client.server_info)]
        listed = json.loads(await told(client, "list_channels"))["channels"]
        names = [channel["name"] for channel in listed]
        for start in range(0, len(names), 24):
            replies.append(await told(client, "read_telemetry", channels=names[start : start + 24], history_hours=6))
        replies.append(json.dumps(listed))
        replies.append(await told(client, "list_commands"))
        replies.append(await told(client, "look_up_rules", topic="leak pressure makeup co2 power"))
        for check, target in {"pn2_trend": "", "gauge_crosscheck": "lab", "bed_balance": "A", "fan_check": ""}.items():
            replies.append(await told(client, "run_check", check=check, target=target))
        replies.append(await refused(client, "list_channels", query="hole"))
        replies.append(await refused(client, "look_up_rules", topic="qqq"))
        assert len(listed) == len(CATALOGUE)
        assert [found.group() for text in replies for found in EVALUATORS.finditer(text or "")] == []

    talk(make_server(desk, card.tools, card.instructions), story)
    assert EVALUATORS.search(json.dumps(desk.world.state())), "the search finds what it looks for"


def test_two_clients_sit_at_one_desk():
    desk, card = open_desk(ROOT, "masked-leak", "life-support", 7, "PT6H")
    server = make_server(desk, card.tools, card.instructions)

    async def both() -> None:
        async with Client(server) as one, Client(server) as other:
            await told(one, "run_check", check="fan_check")
            assert json.loads(await told(other, "read_telemetry", channels=["imv.speed"]))["time"] == "T+06:02"

    asyncio.run(both())


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_desk_is_one_world_for_clients_of_either_era(mode):
    desk, card = open_desk(ROOT, "masked-leak", "life-support", 7, "PT6H")

    async def whole() -> None:
        async with Client(make_server(desk, card.tools, card.instructions), mode=mode) as client:
            await the_story_of_a_desk(client)

    asyncio.run(whole())


def test_it_serves_over_stdio():
    arguments = ["serve", "masked-leak", "--seed", "7", "--transport", "stdio"]

    async def story(client: Client[Any]) -> None:
        assert "run_check" in [tool.name for tool in await client.list_tools()]
        await the_story_of_a_desk(client)

    talk(StdioTransport(str(SIMSUP), arguments, cwd=str(ROOT), keep_alive=False), story)


@pytest.fixture
def http_server(tmp_path: Path) -> Iterator[str]:
    """`simsup serve ... --transport http` on a free port, in a folder with a .env as people have them."""
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-none\nFASTMCP_LOG_LEVEL=ERROR\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(SIMSUP), "serve", "masked-leak", "--seed", "7", "--transport", "http", "--port", str(port)]
    with (tmp_path / "log").open("w") as log, subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log) as server:
        try:
            wait_for(port, server)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.send_signal(signal.SIGINT)
            code = server.wait(timeout=20)
    said = (tmp_path / "log").read_text()
    assert code in (0, 130) and "Traceback" not in said, said


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + CLIENT_TIMEOUT_S
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the server did not start")


def test_it_serves_over_streamable_http_to_this_machine_alone(http_server):
    async def story(client: Client[Any]) -> None:
        assert "read_telemetry" in [tool.name for tool in await client.list_tools()]
        await the_story_of_a_desk(client)

    talk(http_server, story)
    elsewhere = HTTPConnection(urlsplit(http_server).netloc, timeout=CLIENT_TIMEOUT_S)
    elsewhere.request("POST", "/mcp", body="{}", headers={"Host": "elsewhere.example"})
    assert elsewhere.getresponse().status == 421
    elsewhere.close()


async def connected(server: Any, bearer: str | None) -> list[str]:
    async with asgi_client(server, auth=bearer) as client:
        return [tool.name for tool in await client.list_tools()]


def test_with_a_token_only_its_bearer_is_served(life_support):
    desk, card = life_support
    server = make_server(desk, card.tools, card.instructions, token="of-the-base")
    assert asyncio.run(connected(server, "of-the-base")) == card.tools
    for stranger in (None, "of-another-base"):
        with pytest.raises(MCPError):
            asyncio.run(connected(server, stranger))


def test_a_host_that_others_reach_needs_a_token(monkeypatch, capfd):
    from evals.cli import execute

    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("SIMSUP_TOKEN", raising=False)
    assert execute(["serve", "nominal", "--transport", "http", "--host", "0.0.0.0"]) == 2
    line = "--host: 0.0.0.0 is open to others; set SIMSUP_TOKEN to a token that clients must send."
    assert capfd.readouterr().err == f"simsup: {line}\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nowhere"], "there is no scenario 'nowhere'; there are ammonia-breach, "),
        (["nominal", "--role", "cook"], "--role: there is no role 'cook'. Roles are director, life-support"),
        (["nominal", "--start", "6h"], "'6h' is not a duration such as PT6H or PT1H30M"),
        (["nominal", "--transport", "smoke"], 'Invalid value "smoke" for --transport'),
        (["nominal", "--transport", "http", "--port", "99999"], 'Invalid value "99999" for --port. Must be <= 65535'),
        (["nominal", "--seed", "lucky"], "Invalid value for --seed"),
        ([], "serve needs a SCENARIO. See `simsup serve --help`."),
    ],
)
def test_a_mistake_gets_one_line_and_exit_code_2(arguments, line, monkeypatch, capfd):
    from evals.cli import execute

    monkeypatch.chdir(ROOT)
    assert execute(["serve", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"simsup: {line}")
    assert err.count("\n") == 1


def test_a_port_in_use_gets_one_line(monkeypatch, capfd):
    from evals.cli import execute

    monkeypatch.chdir(ROOT)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert execute(["serve", "nominal", "--transport", "http", "--port", port]) == 2
    err = capfd.readouterr().err
    assert err.startswith(f"simsup: --port: {port} cannot be had: Address already in use.")


@pytest.mark.parametrize("command", [["serve", "nominal"], ["map"]])
def test_a_malformed_card_in_a_workspace_gets_one_line(command, tmp_path, monkeypatch, capfd):
    from evals.cli import execute

    (tmp_path / "agents").mkdir()
    (tmp_path / "simsup.toml").write_text((ROOT / "simsup.toml").read_text())
    (tmp_path / "agents" / "life-support.md").write_text("Just words.\n")
    monkeypatch.chdir(tmp_path)
    assert execute(command) == 2
    line = "a role card starts with '---', its front matter, '---', then the instructions"
    assert capfd.readouterr().err == f"simsup: agents/life-support.md: {line}\n"
