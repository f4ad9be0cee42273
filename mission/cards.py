"""Role cards: one Markdown file a role, YAML front matter, then the instructions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mission.report import OUTPUTS
from mission.tools import TOOLS

_CARD = re.compile(r"---\n(?P<front>.*?\n)---\n(?P<instructions>.*)", re.DOTALL)
_MADE = ("instructions", "digest")
"""Fields of a card that come from the file and not from its front matter."""


class Limits(BaseModel):
    """Of one run of the role: model responses, tool calls, wall seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    turns: int = Field(ge=1)
    tool_calls: int = Field(ge=0)
    seconds: float = Field(gt=0)


class RoleCard(BaseModel):
    """One job in the crew."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str = Field(min_length=1)
    kind: Literal["coordinator", "specialist"]
    tools: list[str]
    consults: list[str] = []
    output: str
    limits: Limits
    model: str = Field(pattern=r"^[a-z0-9-]+/[A-Za-z0-9._:-]+$")
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
    instructions: str = Field(min_length=1)
    digest: str


def consult_name(role: str) -> str:
    """The name of the tool by which the coordinator consults a role."""
    return "consult_" + role.replace("-", "_")


def parse_card(text: str, where: str) -> RoleCard:
    """A role card from its text. Raises ValueError that names the file and what is wrong with it."""
    parts = _CARD.fullmatch(text)
    if parts is None:
        raise ValueError(f"{where}: a role card starts with '---', its front matter, '---', then the instructions")
    made = {
        "instructions": parts["instructions"].strip(),
        "digest": hashlib.sha256(text.encode()).hexdigest(),
    }
    try:
        card = RoleCard.model_validate({**_front(parts["front"], where), **made})
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    _known(card.tools, TOOLS, f"{where}: tools")
    _known([card.output], OUTPUTS, f"{where}: output")
    return card


def _front(text: str, where: str) -> dict[str, Any]:
    try:
        front = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"{where}: the front matter is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(front, dict):
        raise ValueError(f"{where}: the front matter is not a mapping of fields to values")  # noqa: TRY004
    fields = {str(name): value for name, value in cast(dict[Any, Any], front).items()}
    for name in _MADE:
        if name in fields:
            raise ValueError(f"{where}: {name}: is no field of the front matter; the instructions follow it")
    return fields


def _known(names: Iterable[str], known: Iterable[str], where: str) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"{where}: {name!r} is not one of {', '.join(known)}")


def load_cards(paths: Iterable[Path]) -> dict[str, RoleCard]:
    """The cards of a crew by role. Raises ValueError that names the file for anything that cannot be wired."""
    cards: dict[str, RoleCard] = {}
    for path in sorted(paths, key=lambda path: path.name):
        where = f"agents/{path.name}"
        try:
            card = parse_card(path.read_text(encoding="utf-8"), where)
        except UnicodeDecodeError as error:
            raise ValueError(f"{where}: is not UTF-8 text: {error.reason} at byte {error.start}") from error
        if card.role in cards:
            raise ValueError(f"{where}: a second card for role {card.role}")
        cards[card.role] = card
    _check_crew(cards)
    return cards


def _check_crew(cards: Mapping[str, RoleCard]) -> None:
    coordinators = [card.role for card in cards.values() if card.kind == "coordinator"]
    if len(coordinators) != 1:
        raise ValueError(f"agents/: a crew has exactly one coordinator; found {', '.join(coordinators) or 'none'}")
    others = [role for role in cards if role not in coordinators]
    for card in cards.values():
        if card.consults and card.kind != "coordinator":
            raise ValueError(f"agents/: {card.role} consults {', '.join(card.consults)}; only a coordinator consults")
        _known(card.consults, others, f"agents/: {card.role}: consults")
