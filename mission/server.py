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
from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.auth.providers.jwt import StaticTokenVerifier
from fastmcp.server.middleware import Middleware

from mission.desk import Desk
from mission.tools import TOOLS, explain


def make_server(desk: Desk, tools: Iterable[str], instructions: str, token: str | None = None) -> FastMCP:
    """A server of the named tools for one desk. With a token, HTTP clients must bear it.

    Raises KeyError for an unknown tool.
    """
    auth = StaticTokenVerifier({token: {"client_id": desk.role, "scopes": []}}) if token else None
    server: FastMCP = FastMCP(
        name=f"mars-{desk.role}", instructions=instructions, middleware=[OneLine()], auth=auth, mask_error_details=True
    )
    for name in tools:
        # A schema of the output would say no more than "an object", and would forbid a client to inject text faults.
        server.tool(bind(TOOLS[name], desk), name=name, output_schema=None)
    return server


class OneLine(Middleware):
    """Wrong arguments as one line without addresses, like any other error of a tool."""

    async def on_call_tool(self, context: Any, call_next: Callable[[Any], Any]) -> Any:
        try:
            return await call_next(context)
        except ValidationError as error:
            raise ToolError(explain(error.__cause__ if isinstance(error.__cause__, Exception) else error)) from error


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
