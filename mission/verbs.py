"""Verbs that the Mars base brings to the command line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal


def serve(
    scenario: str,
    *,
    role: str = "life-support",
    seed: int = 0,
    start: str = "PT6H",
    transport: Literal["stdio", "http"] = "stdio",
    port: int = 8000,
) -> None:
    """Serve one role's tools of a scenario to any MCP client, over stdio or streamable HTTP on loopback.

    Example: simsup serve masked-leak --role life-support --transport http --port 8000

    Parameters
    ----------
    scenario
        A scenario of cases/scenarios, by name.
    role
        Whose desk to serve.
    seed
        The seed of the instruments' noise.
    start
        How far into the scenario to open it, such as PT6H.
    transport
        stdio, or http on 127.0.0.1 under /mcp.
    port
        The port for http.
    """
    os.environ.update({"FASTMCP_CHECK_FOR_UPDATES": "off", "FASTMCP_ENABLE_RICH_TRACEBACKS": "false"})
    from mission.server import make_server
    from mission.system import open_desk

    desk, card = open_desk(Path.cwd(), scenario, role, seed, start)
    server = make_server(desk, card.tools, card.instructions)
    if transport == "stdio":
        server.run(transport="stdio", show_banner=False)
    else:
        server.run(transport="http", host="127.0.0.1", port=port, path="/mcp", show_banner=False)
