"""Role cards: the five that fly, and one line with the file's name for each way to get one wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mission import rules, sensors
from mission.cards import RoleCard, load_cards, parse_card

AGENTS = Path(__file__).parents[2] / "agents"
CARD = """---
role: clerk
title: Clerk
kind: specialist
tools: [calculate]
output: SpecialistReport
limits: {turns: 4, tool_calls: 6, seconds: 30}
model: openai/gpt-6-luna
effort: medium
---
You keep the books.

---
A rule between paragraphs is text.
"""
BOSS = (
    CARD.replace("clerk", "boss").replace("specialist", "coordinator").replace("output:", "consults: [clerk]\noutput:")
)


@pytest.fixture(scope="module")
def crew() -> dict[str, RoleCard]:
    return load_cards(AGENTS.glob("*.md"))


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., list[Path]]:
    """Writes cards, by file name."""

    def write(**cards: str) -> list[Path]:
        for name, text in cards.items():
            (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
        return list(tmp_path.glob("*.md"))

    return write


def test_a_card_is_its_front_matter_and_its_instructions():
    card = parse_card(CARD, "agents/clerk.md")
    assert (card.role, card.kind, card.tools, card.limits.turns, card.effort) == (
        "clerk",
        "specialist",
        ["calculate"],
        4,
        "medium",
    )
    assert card.instructions == "You keep the books.\n\n---\nA rule between paragraphs is text."


def test_any_change_to_the_file_changes_the_digest():
    changed = CARD.replace("the books", "the book")
    assert parse_card(CARD, "").digest != parse_card(changed, "").digest
    assert parse_card(CARD, "").digest == parse_card(CARD, "elsewhere").digest


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("---\nrole", "role", "a role card starts with '---'"),
        ("effort: medium\n---\n", "effort: medium\n", "clerk.md:12: is not YAML: could not find expected ':'"),
        (CARD, "", "a role card starts with '---'"),
        ("role: clerk", "role: [clerk", "clerk.md:3: is not YAML: did not find expected ','"),
        (CARD, "---\n- role\n---\nWords.\n", "clerk.md:2: should be a mapping of fields to values, not a list"),
        (CARD, "---\n\n---\nWords.\n", "should be a mapping of fields to values, not nothing"),
        ("title: Clerk\n", "", "clerk.md:2: title: is missing"),
        ("title: Clerk", "title: Clerk\nsalary: 4", "clerk.md:4: salary: is not a field here; there are role, title"),
        ("title: Clerk", "title: Clerk\n7: 4", "clerk.md:4: 7: is not a field here; there are role, title"),
        ("title: Clerk", "title: Clerk\ninstructions: Sing.", "clerk.md:4: instructions: is not a field here"),
        ("title: Clerk", "title: Clerk\ndigest: abc", "clerk.md:4: digest: is not a field here"),
        ("role: clerk", "role: The Clerk", "role: String should match pattern"),
        ("role: clerk", "role: 7", "clerk.md:2: role: Input should be a valid string, not 7; quote it"),
        ("kind: specialist", "kind: boss", "kind: Input should be 'coordinator' or 'specialist'"),
        ("tools: [calculate]", "tools: calculate", "clerk.md:5: tools: should be a list, not 'calculate'"),
        ("tools: [calculate]", "tools: [calculator]", "tools: 'calculator' is not one of .*calculate"),
        ("output: SpecialistReport", "output: Poem", "output: 'Poem' is not one of SpecialistReport"),
        ("turns: 4", "turns: 0", "limits.turns: Input should be greater than or equal to 1"),
        ("seconds: 30", "seconds: soon", "limits.seconds: Input should be a valid number"),
        ("model: openai/gpt-6-luna", "model: gpt-6-luna", "model: String should match pattern"),
        ("effort: medium", "effort: hgih", "effort: Input should be 'none'"),
        (CARD[CARD.index("You keep") :], "", "has no instructions; write them below"),
    ],
)
def test_a_malformed_card_gets_one_line_that_names_the_file(old, new, line):
    assert CARD.count(old) == 1
    with pytest.raises(ValueError, match=line) as error:
        parse_card(CARD.replace(old, new), "agents/clerk.md")
    assert str(error.value).startswith("agents/clerk.md:")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("cards", "line"),
    [
        ({"clerk": CARD}, "agents/: a crew has exactly one coordinator; found none"),
        ({}, "agents/: a crew has exactly one coordinator; found none"),
        ({"boss": BOSS, "clerk": CARD, "a": BOSS.replace("boss", "a")}, "exactly one coordinator; found a, boss"),
        ({"boss": BOSS, "clerk": CARD, "other": CARD}, "agents/other.md: a second card for role clerk"),
        ({"boss": BOSS}, "agents/: boss: consults: 'clerk' is not one of"),
        ({"boss": BOSS.replace("[clerk]", "[boss]"), "clerk": CARD}, "boss: consults: 'boss' is not one of clerk"),
        (
            {"boss": BOSS, "clerk": CARD.replace("output:", "consults: [boss]\noutput:")},
            "agents/: clerk consults boss; only a coordinator consults",
        ),
    ],
)
def test_a_crew_that_cannot_be_wired_gets_one_line(folder, cards, line):
    with pytest.raises(ValueError) as error:
        load_cards(folder(**cards))
    assert line in str(error.value)
    assert "\n" not in str(error.value)


def test_a_card_that_is_no_text_gets_one_line(tmp_path):
    (tmp_path / "clerk.md").write_bytes(b"---\nrole: cl\xe9rc\n---\n")
    with pytest.raises(ValueError, match=r"^agents/clerk.md: is not UTF-8 text: .* at byte 12; save it as UTF-8$"):
        load_cards(tmp_path.glob("*.md"))


def test_cards_load_the_same_wherever_they_lie_and_in_whatever_order(folder):
    paths = folder(boss=BOSS, clerk=CARD)
    assert list(load_cards(paths)) == list(load_cards(reversed(paths))) == ["boss", "clerk"]


def test_five_roles_fly_and_the_director_consults_the_other_four(crew):
    assert sorted(crew) == ["director", "life-support", "power-thermal", "risk-review", "weather-navigation"]
    assert sorted(crew["director"].consults) == sorted(set(crew) - {"director"})
    assert "submit_plan" in crew["director"].tools
    assert all("submit_plan" not in crew[role].tools for role in crew["director"].consults)
    assert len({card.instructions for card in crew.values()}) == 5


@pytest.mark.parametrize("role", ["director", "life-support", "power-thermal", "risk-review", "weather-navigation"])
def test_what_a_card_names_exists(crew, role):
    text = crew[role].instructions
    for channel in re.findall(r"\b[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*\b", text):
        assert channel in sensors.CATALOGUE
    for rule in re.findall(r"\bFR-\d+\b", text):
        assert rules.get(rule)
    for name in re.findall(r"\b(?:submit|list|look|read|run)_[a-z_]+\b", text):
        assert name in crew[role].tools


def test_the_power_card_names_the_channels_that_its_ledger_needs(crew):
    named = set(re.findall(r"\b[a-z]+\.[a-z]+\b", crew["power-thermal"].instructions))
    assert named == {"power.fission", "power.load", "battery.net", "battery.soc", "battery.energy"}
