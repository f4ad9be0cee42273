"""A map of the team as it is really wired: roles, tools, who consumes what, limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evals.system import Role, Team


@dataclass(frozen=True)
class Node:
    """One role as its agent is wired."""

    role: str
    kind: str
    tools: tuple[str, ...]
    consults: tuple[str, ...]
    output: str
    limits: str
    model: str


def team_map(team: Team, roles: Mapping[str, Role]) -> list[Node]:
    """The nodes of a team, coordinator first, read off its agents' own tools."""
    nodes = [_node(role, team, roles[role]) for role in team.agents]
    return sorted(nodes, key=lambda node: (node.role != team.coordinator, node.role))


def _node(name: str, team: Team, role: Role) -> Node:
    names = [tool.name for tool in team.agents[name].tools]
    return Node(
        role=name,
        kind=role.kind,
        tools=tuple(tool for tool in names if tool not in team.consult_tools),
        consults=tuple(team.consult_tools[tool] for tool in names if tool in team.consult_tools),
        output=role.output,
        limits=f"{role.turns} turns, {role.tool_calls} tool calls, {role.seconds:g} s",
        model=role.default_model,
    )


def as_text(nodes: list[Node]) -> str:
    """The map for a terminal."""
    lines: list[str] = []
    for node in nodes:
        lines += [
            f"{node.role} ({node.kind})",
            f"  gives      {node.output}"
            + (" to the human who authorizes" if node.consults else _consumers(node, nodes)),
            *([f"  consults   {', '.join(node.consults)}"] if node.consults else []),
            f"  tools      {', '.join(node.tools)}",
            f"  limits     {node.limits}",
            f"  default    {node.model}",
            "",
        ]
    return "\n".join(lines)


def _consumers(node: Node, nodes: list[Node]) -> str:
    who = [other.role for other in nodes if node.role in other.consults]
    return f" to {', '.join(who)}" if who else " to nobody"


def as_mermaid(nodes: list[Node]) -> str:
    """The map as a Mermaid flowchart: questions go along solid arrows, reports come back along dotted ones."""
    ids = {node.role: node.role.replace("-", "_") for node in nodes}
    lines = ["flowchart LR", "  human([human who authorizes])", "  world[(world)]"]
    lines += [f'  {ids[node.role]}["{node.role}<br/>{node.limits}"]' for node in nodes]
    for node in nodes:
        for consulted in node.consults:
            lines.append(f"  {ids[node.role]} -->|question| {ids[consulted]}")
            lines.append(f"  {ids[consulted]} -.->|{_output(nodes, consulted)}| {ids[node.role]}")
        if node.consults:
            lines.append(f"  {ids[node.role]} ==>|{node.output}| human")
        lines.append(f'  {ids[node.role]} ---|"{", ".join(node.tools)}"| world')
    lines.append("  human ==>|authorized plan| world")
    return "\n".join(lines)


def _output(nodes: list[Node], role: str) -> str:
    return next(node.output for node in nodes if node.role == role)
