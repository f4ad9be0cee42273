"""`simsup serve` to a plain MCP client: the protocol's own SDK, none of the library that the server is made with."""

from __future__ import annotations

import asyncio
import json
import os
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
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

ROOT = Path(__file__).parents[2]
SIMSUP = Path(sys.executable).with_name("simsup")
ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
TOKEN = "of-the-base"


async def the_story(session: ClientSession) -> None:
    hello = await session.initialize()
    assert hello.server_info.name == "mars-life-support"
    assert (hello.instructions or "").startswith("You are the Life Support officer")
    names = [tool.name for tool in (await session.list_tools()).tools]
    assert "read_telemetry" in names and "submit_plan" not in names
    good: Any = await session.call_tool("read_telemetry", {"channels": ["core.ppco2"]})
    assert json.loads(good.content[0].text)["readings"][0]["evidence_id"] == "core.ppco2@T+06:00"
    bad: Any = await session.call_tool("read_telemetry", {"channels": ["core.co2"]})
    assert bad.is_error and bad.content[0].text.startswith("no channel 'core.co2'; near: ")
    capabilities = hello.capabilities
    for what in ("resources", "prompts"):
        if getattr(capabilities, what) is not None:
            assert getattr(await getattr(session, f"list_{what}")(), what) == [], "tools are the only door"


def test_over_stdio() -> None:
    async def whole() -> None:
        server = StdioServerParameters(
            command=str(SIMSUP), args=["serve", "masked-leak", "--seed", "7"], cwd=str(ROOT), env=ENVIRONMENT
        )
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await the_story(session)

    asyncio.run(asyncio.wait_for(whole(), 120))


@pytest.fixture
def served() -> Iterator[str]:
    """The server on all addresses, which it may be with a token alone."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(SIMSUP), "serve", "masked-leak", "--seed", "7", "--transport", "http", "--host", "0.0.0.0"]
    environment = os.environ | {"SIMSUP_TOKEN": TOKEN}
    with subprocess.Popen(
        [*command, "--port", str(port)], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL
    ) as server:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and server.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
        server.send_signal(signal.SIGINT)


async def over_http(url: str, bearer: str, story: Callable[[ClientSession], Awaitable[None]]) -> None:
    async with (
        create_mcp_http_client(headers={"Authorization": f"Bearer {bearer}"}) as http,
        streamable_http_client(url, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await story(session)


def status(url: str, headers: dict[str, str]) -> int:
    """What an initialize request is answered with."""
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "stranger", "version": "0"},
    }}  # fmt: skip
    accept = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection = HTTPConnection(urlsplit(url).netloc, timeout=60)
    connection.request("POST", "/mcp", body=json.dumps(hello), headers=accept | headers)
    answer = connection.getresponse().status
    connection.close()
    return answer


def test_over_streamable_http_with_a_token(served: str) -> None:
    asyncio.run(asyncio.wait_for(over_http(served, TOKEN, the_story), 120))
    assert status(served, {"Authorization": f"Bearer {TOKEN}"}) == 200
    for wrong in ("Bearer of-another-base", f"Bearer {TOKEN.upper()}", "Bearer ", f"Basic {TOKEN}", f"Bearer {TOKEN}x"):
        assert status(served, {"Authorization": wrong}) == 401, wrong
    assert status(served, {}) == 401
