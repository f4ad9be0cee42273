"""A desk behind its two doors: the MCP server, and the SDK's function tools."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

os.environ.update({"FASTMCP_CHECK_FOR_UPDATES": "off", "FASTMCP_LOG_ENABLED": "false"})

from agents.tool_context import ToolContext
from fastmcp import Client

from fuzz.outcome import FaultError
from mission.cards import load_cards
from mission.crew import sdk_tool
from mission.desk import Assessment, Desk
from mission.server import make_server
from mission.tools import TOOLS
from mission.world.engine import World, load_scenario

ROOT = Path(__file__).parents[2]
SCENARIOS = ("bed-degraded", "rover-stuck", "cable-fire", "suit-leak", "solar-event")
Door = Literal["mcp", "sdk"]


@cache
def world(name: str) -> World:
    """A shipped scenario as the crew finds it; forks of it are opened."""
    scenario = load_scenario(ROOT / "cases" / "scenarios" / f"{name}.yaml")
    opened = World(scenario, 7)
    opened.advance(scenario.trial.start_h * 3600.0)
    return opened


class Table:
    """One desk whose world can be put back, served to a client that stays connected."""

    def __init__(self) -> None:
        self.desk = Desk(world(SCENARIOS[0]).fork(), "director", Assessment())
        card = next(iter(load_cards((ROOT / "agents").glob("*.md")).values()))
        self._tools = {name: sdk_tool(name, self.desk, card) for name in TOOLS}
        self._loop = asyncio.new_event_loop()
        self._client = Client(make_server(self.desk, TOOLS, ""))
        self._loop.run_until_complete(self._client.__aenter__())
        self.schemas = {
            tool.name: tool.input_schema for tool in self._loop.run_until_complete(self._client.list_tools())
        }

    def reset(self, name: str) -> World:
        """A fresh world of a scenario at the desk."""
        fresh = world(name).fork()
        object.__setattr__(self.desk, "world", fresh)
        self.desk.assessment.begin()
        return fresh

    def call(self, tool: str, arguments: Any, door: Door = "mcp") -> tuple[bool, str]:
        """Whether a call was answered, and the text of the answer or of the refusal."""
        if door == "sdk":
            return self._loop.run_until_complete(self._sdk(tool, arguments))
        result = self._loop.run_until_complete(self._client.call_tool(tool, arguments, raise_on_error=False))
        (content,) = result.content
        return not result.is_error, content.text

    async def _sdk(self, tool: str, arguments: Any) -> tuple[bool, str]:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        context: ToolContext[Any] = ToolContext(context=None, tool_name=tool, tool_call_id="1", tool_arguments=text)
        said = json.loads(await self._tools[tool].on_invoke_tool(context, text))
        if not isinstance(said, Mapping):
            raise FaultError(f"the reply is no object: {said!r}")
        return ("error" not in said, said["error"] if "error" in said else json.dumps(said))

    def run(self, story: Any) -> Any:
        return self._loop.run_until_complete(story)


@cache
def table() -> Table:
    return Table()
