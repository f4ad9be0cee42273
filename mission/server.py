"""The tools of one desk as a FastMCP server, over stdio or streamable HTTP.

A server is one role's desk at one world. Evaluator-only state is behind no tool. Consulting a specialist needs a
crew of agents and so is no part of a server; a client brings its own.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable
from typing import Any

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError

from mission.desk import Desk
from mission.tools import TOOLS, explain


def make_server(desk: Desk, tools: Iterable[str], instructions: str) -> FastMCP:
    """A server of the named tools for one desk. Raises KeyError for an unknown tool."""
    server: FastMCP = FastMCP(name=f"mars-{desk.role}", instructions=instructions)
    for name in tools:
        server.tool(bind(TOOLS[name], desk), name=name, output_schema=None)
    return server


def bind(tool: Callable[..., dict[str, Any]], desk: Desk) -> Callable[..., Any]:
    """The tool as a client calls it: without its desk, its ValueError as a tool error with the reason."""
    hints = typing.get_type_hints(tool)
    signature = inspect.signature(tool)
    _, *others = signature.parameters.values()

    async def call(**arguments: Any) -> dict[str, Any]:
        try:
            return tool(desk, **arguments)
        except ValueError as error:
            raise ToolError(explain(error)) from error

    call.__name__ = tool.__name__
    call.__doc__ = tool.__doc__
    call.__signature__ = signature.replace(parameters=others, return_annotation=dict)  # type: ignore[attr-defined]
    call.__annotations__ = {**{parameter.name: hints[parameter.name] for parameter in others}, "return": dict}
    return call
