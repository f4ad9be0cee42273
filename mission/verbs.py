"""Verbs that the Mars base brings to the command line."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import CycloptsError, Parameter
from cyclopts.validators import Number

HOST = "127.0.0.1"


def serve(
    scenario: str,
    *,
    role: str = "life-support",
    seed: int = 0,
    start: str = "PT6H",
    transport: Literal["stdio", "http"] = "stdio",
    port: Annotated[int, Parameter(validator=Number(gte=1, lte=65535))] = 8000,
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
        with _listen(port) as listener:
            server.run(
                transport="http",
                host=HOST,
                port=port,
                path="/mcp",
                show_banner=False,
                host_origin_protection="auto",
                sockets=[listener],
            )


def _listen(port: int) -> socket.socket:
    """A socket on loopback. Raises CycloptsError, which is a line for the person, for a port that cannot be had."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise CycloptsError(msg=f"--port: {port} cannot be had: {error.strerror}.") from error
    return listener
