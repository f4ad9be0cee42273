"""Role cards: one Markdown file a role, YAML front matter, then the instructions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from documents.files import read
from documents.reader import parse
from documents.words import short
from mission.report import OUTPUTS
from mission.tools import TOOLS

_CARD = re.compile(r"---\n(?P<front>.*?\n)---\n(?P<instructions>.*)", re.DOTALL)


class Limits(BaseModel):
    """Of one run of the role: model responses, tool calls, wall seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    turns: int = Field(ge=1)
    tool_calls: int = Field(ge=0)
    seconds: float = Field(gt=0)


class FrontMatter(BaseModel):
    """What a card states of its role above the instructions."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    role: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str = Field(min_length=1)
    kind: Literal["coordinator", "specialist"]
    tools: list[str]
    consults: list[str] = []
    output: str
    limits: Limits
    model: str = Field(pattern=r"^[a-z0-9-]+/[A-Za-z0-9._:-]+$")
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class RoleCard(FrontMatter):
    """One job in the crew; the digest is of the whole file."""

    instructions: str
    digest: str


def consult_name(role: str) -> str:
    """The name of the tool by which the coordinator consults a role."""
    return "consult_" + role.replace("-", "_")


def parse_card(text: str, where: str) -> RoleCard:
    """A role card from its text. Raises ValueError that names the file, the line, and what is wrong there."""
    parts = _CARD.fullmatch(text)
    if parts is None:
        raise ValueError(f"{where}: a role card starts with '---', its front matter, '---', then the instructions")
    front = parse("\n" + parts["front"], FrontMatter, where)  # in the place of the first '---', to count its line
    instructions = parts["instructions"].strip()
    if not instructions:
        raise ValueError(f"{where}: has no instructions; write them below the second '---'")
    _known(front.tools, TOOLS, f"{where}: tools")
    _known([front.output], OUTPUTS, f"{where}: output")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return RoleCard(**front.model_dump(), instructions=instructions, digest=digest)


def _known(names: Iterable[str], known: Iterable[str], where: str) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"{where}: {short(name)} is not one of {', '.join(known)}")


def load_cards(paths: Iterable[Path]) -> dict[str, RoleCard]:
    """The cards of a crew by role. Raises ValueError that names the file for anything that cannot be wired."""
    cards: dict[str, RoleCard] = {}
    for path in sorted(paths, key=lambda path: path.name):
        where = f"agents/{path.name}"
        card = parse_card(read(path, where), where)
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
