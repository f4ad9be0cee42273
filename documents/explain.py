"""What does not fit a contract, as one line: the field, what is wrong there, and what is right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from documents.words import clip, hint, short

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

MAX_MESSAGE = 600
"""Characters of what a contract of ours says is wrong: it may say somebody's words again."""
MAX_ERRORS = 6
"""Mistakes that one line tells of."""
_KINDS: dict[type, str] = {type(None): "nothing", list: "a list", dict: "a mapping"}
_PLAIN = ("('str',)", "('float',)", "('bool',)", "('int',)")
"""Where pydantic's location of an error ends if it tried these in turn."""

Location = Sequence[int | str]
Names = Callable[[Location], list[str]]
"""The names of a place as people know it: a location of pydantic's without what it puts between for unions."""


def likely(location: Location) -> list[str]:
    """The names of a place, told from the location alone."""
    return [str(part) for part in location if isinstance(part, int) or _is_name(part)]


def explain(error: ValidationError, contract: object = None, *, names: Names = likely, most: int = MAX_ERRORS) -> str:
    """A validation error as one line: field, what is wrong, what is right; names near a misspelt one with a contract.

    What was tried of a union in vain is told once.
    """
    told = list(dict.fromkeys(_told(item, contract, names) for item in ordered(error)))
    more = len(told) - most
    return "; ".join(told[:most]) + (f"; and {more} more" if more > 0 else "")


def ordered(error: ValidationError) -> list[ErrorDetails]:
    """The mistakes, misspelt fields first: they tell why others are missing."""
    return sorted(error.errors(include_url=False), key=lambda item: item["type"] != "extra_forbidden")


def _told(item: ErrorDetails, contract: object, names: Names) -> str:
    parts = names(item["loc"])
    if item["type"] == "missing":
        parts = [*names(item["loc"][:-1]), str(item["loc"][-1])]
    if item["type"] in ("union_tag_invalid", "union_tag_not_found"):
        parts.append(_tag(item))
    return f"{prefix(parts)}{_message(item, contract)}"


def prefix(names: Location) -> str:
    """The names of a place as a line begins with them; nothing for the whole of a file."""
    parts = [clip(str(name)) if str(name).strip() else short(name) for name in names]
    return f"{'.'.join(parts)}: " if parts else ""


def _is_name(part: str) -> bool:
    """Not one of pydantic's own words for a branch of a union, such as `tuple[nullable[str],...]`."""
    return not re.search(r"\[.*\]$", part) and part not in ("str", "float", "bool", "int", "[key]")


def _tag(item: ErrorDetails) -> str:
    """The field that says which contract of several is meant."""
    return str(item.get("ctx", {}).get("discriminator", "")).strip("'")


def _message(item: ErrorDetails, contract: object) -> str:
    match item["type"]:
        case "missing" | "union_tag_not_found":
            return "is missing"
        case "extra_forbidden":
            return _strange(str(item["loc"][-1]), _fields(contract, item["loc"][:-1]))
        case "value_error":
            return clip(" ".join(str(item["msg"]).removeprefix("Value error, ").split()), MAX_MESSAGE)
        case "unexpected_keyword_argument":
            return " ".join(item["msg"].split())
        case "union_tag_invalid" | "too_short" | "too_long":
            return _bounded(item["type"], item.get("ctx", {}))
        case _:
            return f"{_expected(item)}{_given(item['input'])}{_remedy(item)}"


def _bounded(kind: str, context: Mapping[str, Any]) -> str:
    """What says by itself what was given."""
    if kind == "union_tag_invalid":
        return f"should be one of {context['expected_tags']}, not {short(context['tag'])}"
    bound, count = ("least", context["min_length"]) if kind == "too_short" else ("most", context["max_length"])
    return f"should have at {bound} {count} {'entry' if count == 1 else 'entries'}, not {context['actual_length']}"


def _expected(item: ErrorDetails) -> str:
    match item["type"]:
        case "model_type" | "dict_type" | "model_attributes_type":
            return "should be a mapping of fields to values"
        case "tuple_type" | "list_type":
            return "should be a list"
        case "int_parsing_size":
            return "Input should be a smaller number"
        case _ if str(item["loc"][-1:]) in _PLAIN:
            return "Input should be text, a number, true or false"
        case _:
            return " ".join(item["msg"].split())


def _given(value: object) -> str:
    if isinstance(value, bool):
        return f", not {str(value).lower()}"
    if isinstance(value, str | int | float):
        return f", not {short(value)}"
    return f", not {_KINDS[type(value)]}" if type(value) in _KINDS else ""


def _remedy(item: ErrorDetails) -> str:
    """What to do where that is not plain from what is wrong: 7 and true are no text until they are quoted."""
    quotable = item["type"] == "string_type" and isinstance(item["input"], int | float)
    return "; quote it if it is text" if quotable else ""


def _strange(name: str, known: Sequence[str]) -> str:
    return f"is not a field here; {hint(name, known)}" if known else "is not a field here"


def _fields(contract: object, location: Location) -> list[str]:
    """The fields of the model at a place of a contract; none where it cannot be told."""
    models = list(_models(contract))
    for part in location:
        if not isinstance(part, str):
            continue
        inside = [model.model_fields[part].annotation for model in models if part in model.model_fields]
        tagged = [model for model in models if _has_tag(model, part)] if len(models) > 1 else []
        if tagged:
            models = tagged
        elif inside:
            models = [model for annotation in inside for model in _models(annotation)]
    return list(models[0].model_fields) if len(models) == 1 else []


def _has_tag(model: type[BaseModel], tag: str) -> bool:
    """Whether a model of several is the one that a tag names."""
    annotations = [field.annotation for field in model.model_fields.values()]
    return any(get_origin(one) is Literal and get_args(one) == (tag,) for one in annotations)


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """The models in a type: itself, or those of a tuple, a table or a choice of them."""
    if isinstance(annotation, TypeAdapter):
        annotation = cast(Any, annotation)._type
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inside in get_args(annotation):
        yield from _models(inside)
