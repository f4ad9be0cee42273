"""Flight rules as data: the same objects are read by agents, enforced by the world and used by graders."""

from __future__ import annotations

from difflib import get_close_matches

from mission.rules import air, emergency, eva, storm, surface
from mission.rules.model import Number, Rule

__all__ = ["RULES", "Number", "Rule", "enforced", "find", "get", "number", "text"]


RULES: tuple[Rule, ...] = tuple(
    sorted((*air.RULES, *emergency.RULES, *eva.RULES, *surface.RULES, *storm.RULES), key=lambda rule: rule.id)
)


_BY_ID = {rule.id: rule for rule in RULES}


def get(rule_id: str) -> Rule:
    """The rule of that id, in any case. Raises ValueError that names the rules there are."""
    known = _BY_ID.get(rule_id) or _BY_ID.get(rule_id.strip().upper())
    if known is not None:
        return known
    near = get_close_matches(rule_id.upper(), [rule.id for rule in RULES], n=3, cutoff=0.5)
    hint = f"near: {', '.join(near)}" if near else f"there are {', '.join(rule.id for rule in RULES)}"
    raise ValueError(f"no flight rule {rule_id!r}; {hint}")


def text(rule_id: str) -> str:
    """The rule in words. Raises ValueError for an unknown id."""
    return get(rule_id).text()


def number(rule_id: str, name: str) -> float:
    """One number of a rule, in the unit the rule gives it. Raises KeyError for an unknown name."""
    return get(rule_id).numbers[name].value


def enforced() -> list[tuple[str, str]]:
    """(rule id, number name) of every number that the base itself holds people to."""
    return [(rule.id, name) for rule in RULES for name, value in rule.numbers.items() if value.enforced]


def find(topic: str) -> list[Rule]:
    """The rules that an id or words lead to: best match first, none if no word fits."""
    wanted = topic.strip()
    exact = [rule for rule in RULES if rule.id == wanted.upper()]
    if exact:
        return exact
    words = [word for word in wanted.lower().replace(",", " ").split() if len(word) > 1]
    scored = [(-_score(rule, words), index, rule) for index, rule in enumerate(RULES)]
    return [rule for score, _, rule in sorted(scored, key=lambda entry: entry[:2]) if score < 0]


def _score(rule: Rule, words: list[str]) -> int:
    """Three for a word of the rule's topics or title, one for a word elsewhere in it."""
    head = f"{rule.title} {' '.join(rule.topics)}".lower().replace("-", " ").split()
    body = rule.text().lower()
    return sum(3 if word in head or word in rule.topics else word in body for word in words)
