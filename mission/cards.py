"""Role cards: one Markdown file a role, YAML front matter, then the instructions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError


class Limits(BaseModel):
    """Of one run of the role: model responses, tool calls, wall seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    turns: int = Field(ge=1)
    tool_calls: int = Field(ge=0)
    seconds: float = Field(gt=0)


class RoleCard(BaseModel):
    """One job in the crew."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str
    title: str
    kind: Literal["coordinator", "specialist"]
    tools: list[str]
    consults: list[str] = []
    output: str
    limits: Limits
    model: str
    effort: str
    instructions: str
    digest: str


def consult_name(role: str) -> str:
    """The name of the tool by which the coordinator consults a role."""
    return "consult_" + role.replace("-", "_")


def parse_card(text: str, where: str) -> RoleCard:
    """A role card from its text. Raises ValueError that names the file and what is wrong with it."""
    parts = text.split("---\n", 2)
    if len(parts) != 3 or parts[0].strip():
        raise ValueError(f"{where}: a role card starts with '---', its front matter, '---', then the instructions")
    try:
        front = yaml.safe_load(parts[1])
        if not isinstance(front, dict):
            raise ValueError(f"{where}: the front matter is not a mapping of fields to values")  # noqa: TRY004
        return RoleCard.model_validate(
            {**front, "instructions": parts[2].strip(), "digest": hashlib.sha256(text.encode()).hexdigest()}
        )
    except yaml.YAMLError as error:
        raise ValueError(f"{where}: the front matter is not YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def load_cards(paths: Iterable[Path]) -> dict[str, RoleCard]:
    """The cards of a crew by role. Raises ValueError for two cards of one role or a crew without one coordinator."""
    cards: dict[str, RoleCard] = {}
    for path in sorted(paths):
        card = parse_card(path.read_text(encoding="utf-8"), f"agents/{path.name}")
        if card.role in cards:
            raise ValueError(f"agents/{path.name}: a second card for role {card.role}")
        cards[card.role] = card
    coordinators = [card.role for card in cards.values() if card.kind == "coordinator"]
    if len(coordinators) != 1:
        raise ValueError(f"agents/: a crew has exactly one coordinator; found {coordinators or 'none'}")
    return cards
