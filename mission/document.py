"""YAML files as contracts, whatever is in them: one line that says where, what is wrong and what would be right.

YAML 1.2's core: only true and false are booleans, dates and `12:30` are text. There are no tags; aliases are followed
within bounds, and no value is larger than people write. A file can be wrong in any way, and never more than wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    _Base = yaml.SafeLoader
else:
    _Base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser where PyYAML was built with it

T = TypeVar("T")
MAX_BYTES = 256 * 1024
"""Of a file; the largest scenario of ours has 4 kB."""
MAX_NODES = 10_000
"""Values in a document with its aliases written out: nine lines of aliases can stand for a billion."""
MAX_DEPTH = 32
MAX_SHOWN = 60
"""Characters of somebody's value that are shown to them again."""
MAX_MESSAGE = 600
"""Characters of what a contract of ours says is wrong: it may say somebody's words again."""
MAX_ERRORS = 6
"""Mistakes that one line tells of."""
_INT = re.compile(r"[-+]?[0-9]{1,300}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_CORE = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_KINDS: dict[type, str] = {type(None): "nothing", list: "a list", dict: "a mapping"}
_PLAIN = ("('str',)", "('float',)", "('bool',)", "('int',)")
"""Where pydantic's location of an error ends if it tried these in turn."""
_TAGS = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


class _Loader(_Base):
    """Every scalar as text: what a plain one means is ours to say."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}


class DocumentError(ValueError):
    """What is wrong with a file, in one line."""


def load(path: Path, contract: type[T] | TypeAdapter[T]) -> T:
    """The contract in a YAML file. Raises DocumentError: one line with file, line and field, what is wrong there, and
    what is right."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DocumentError(f"{path}: is larger than {MAX_BYTES // 1024} kB")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path}: is not UTF-8 text: {error.reason} at byte {error.start}") from None
    return parse(text, contract, str(path))


def parse(text: str, contract: type[T] | TypeAdapter[T], shown: str) -> T:
    """As `load`, from text; `shown` is its name in messages."""
    adapter: TypeAdapter[T] = contract if isinstance(contract, TypeAdapter) else TypeAdapter(contract)
    try:
        root = _compose(text)
        data = _Reader().value(root, 0)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{shown}:{mark.line + 1}" if mark else shown
        raise DocumentError(f"{where}: is not YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        what = str(getattr(error, "reason", "")) or "it cannot be parsed"
        raise DocumentError(f"{shown}: is not YAML: {what}") from None
    except _UnfitError as error:
        raise DocumentError(f"{shown}:{error.line}: {error.what}") from None
    try:
        return adapter.validate_python(data)
    except ValidationError as error:
        line = _line(root, _ordered(error)[0]["loc"])
        raise DocumentError(f"{shown}:{line}: {explain(error, contract, most=1)}") from None


class _UnfitError(Exception):
    """What no contract could hold, at a line."""

    def __init__(self, what: str, node: yaml.Node) -> None:
        self.what, self.line = what, node.start_mark.line + 1
        super().__init__(what)


def _compose(text: str) -> yaml.Node:
    loader = cast(Any, _Loader(text))
    try:
        deep = 0
        for event in _events(text):
            deep += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if deep > MAX_DEPTH:
                raise yaml.MarkedYAMLError(
                    problem=f"it is nested more than {MAX_DEPTH} deep", problem_mark=event.start_mark
                )
        node: yaml.Node | None = loader.get_single_node()
    finally:
        loader.dispose()
    if node is None:
        raise yaml.MarkedYAMLError(problem="it is empty")
    return node


def _events(text: str) -> Iterator[yaml.Event]:
    """The document piece by piece, before any of it is put together, which costs a stack of its depth."""
    loader = cast(Any, _Loader(text))
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


class _Reader:
    """Nodes to values, within bounds."""

    def __init__(self) -> None:
        self._nodes = 0

    def value(self, node: yaml.Node, depth: int) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise _UnfitError(f"there are more than {MAX_NODES} values, aliases written out", node)
        if depth > MAX_DEPTH:
            raise _UnfitError(f"is nested more than {MAX_DEPTH} deep, or an alias of what it stands in", node)
        if node.tag not in _TAGS:
            raise _UnfitError(f"the tag {short(node.tag)} has no meaning here; leave it out", node)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, depth)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, depth + 1) for child in node.value]
        return _scalar(node)

    def _mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key, child in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _UnfitError("a key must be a word, not a list or a mapping", key)
            name = str(key.value)
            if name in found:
                raise _UnfitError(f"the key {short(name)} is already on line {lines[name]}; remove one", key)
            lines[name] = key.start_mark.line + 1
            found[name] = self.value(child, depth + 1)
        return found


def _scalar(node: yaml.Node) -> Any:
    """What a plain scalar means. A quoted one is text; so is a number that nobody writes."""
    text = str(node.value)
    if getattr(node, "style", None):  # None or "" for a plain one, by which parser PyYAML has
        return text
    if text in _CORE:
        return _CORE[text]
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) and len(text) <= 300 else text


def _line(root: yaml.Node, location: Sequence[int | str]) -> int:
    """The line of a place, as far as the document goes; what pydantic puts between for unions is skipped."""
    node, line = root, root.start_mark.line
    for part in location:
        if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line
        elif isinstance(node, yaml.MappingNode):
            found = [(key, child) for key, child in node.value if str(key.value) == str(part)]
            if found:
                line, node = found[0][0].start_mark.line, found[0][1]
    return line + 1


def explain(error: ValidationError, contract: object = None, *, most: int = MAX_ERRORS) -> str:
    """A validation error as one line: field, what is wrong, what is right; names near a misspelt one with a contract.

    What was tried of a union in vain is told once.
    """
    told = list(dict.fromkeys(_told(item, contract) for item in _ordered(error)))
    more = len(told) - most
    return "; ".join(told[:most]) + (f"; and {more} more" if more > 0 else "")


def _ordered(error: ValidationError) -> list[ErrorDetails]:
    """Misspelt fields first: they tell why others are missing."""
    return sorted(error.errors(include_url=False), key=lambda item: item["type"] != "extra_forbidden")


def _told(item: ErrorDetails, contract: object) -> str:
    names = [str(part) for part in item["loc"] if isinstance(part, int) or _is_name(part)]
    return f"{'.'.join(map(clip, names))}: {_message(item, contract)}" if names else _message(item, contract)


def _is_name(part: str) -> bool:
    """Not one of pydantic's own words for a branch of a union, such as `tuple[nullable[str],...]`."""
    return not re.search(r"\[.*\]$", part) and part not in ("str", "float", "bool", "int", "[key]")


def _message(item: ErrorDetails, contract: object) -> str:
    match item["type"]:
        case "missing":
            return "Field required"
        case "extra_forbidden":
            return _strange(str(item["loc"][-1]), _fields(contract, item["loc"][:-1]))
        case "model_type" | "dict_type" | "model_attributes_type":
            return f"should be a mapping of fields to values{_given(item['input'])}"
        case "tuple_type" | "list_type":
            return f"should be a list{_given(item['input'])}"
        case "value_error":
            return clip(" ".join(str(item["msg"]).removeprefix("Value error, ").split()), MAX_MESSAGE)
        case _:
            if str(item["loc"][-1:]) in _PLAIN:
                return f"Input should be text, a number, true or false{_given(item['input'])}"
            said = " ".join(item["msg"].split())
            return said if item["type"] == "unexpected_keyword_argument" else said + _given(item["input"])


def _given(value: object) -> str:
    if isinstance(value, str | int | float):
        return f", not {short(value)}"
    return f", not {_KINDS[type(value)]}" if type(value) in _KINDS else ""


def _strange(name: str, known: Sequence[str]) -> str:
    return f"is not a field here; {hint(name, known)}" if known else "is not a field here"


def hint(name: str, known: Collection[str], *, cutoff: float = 0.5, most: int = 12) -> str:
    """What a name may have been meant to be: `near: a, b`, or, with nothing like it, up to `most` that there are."""
    near = get_close_matches(name[:MAX_SHOWN], known, n=4, cutoff=cutoff)
    if near:
        return f"near: {', '.join(near)}"
    listed = list(known)[:most]
    return f"there are {', '.join(listed)}{' and others' if len(known) > most else ''}"


def _fields(contract: object, location: Sequence[int | str]) -> list[str]:
    """The fields of the model at a place of a contract; none where it cannot be told."""
    models = list(_models(contract))
    for part in location:
        if isinstance(part, str) and _is_name(part):
            inside = [model.model_fields[part].annotation for model in models if part in model.model_fields]
            models = [model for annotation in inside for model in _models(annotation)] if inside else models
    return list(models[0].model_fields) if len(models) == 1 else []


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """The models in a type: itself, or those of a tuple, a table or a choice of them."""
    if isinstance(annotation, TypeAdapter):
        annotation = cast(Any, annotation)._type
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inside in get_args(annotation):
        yield from _models(inside)


def short(value: object) -> str:
    """Somebody's value as they may be shown it again: on one line, and not all of a long one."""
    if isinstance(value, int) and abs(value) >= 10**MAX_SHOWN:
        return "a number of many digits"
    return clip(repr(value))


def clip(text: str, most: int = MAX_SHOWN) -> str:
    """Text on one line, and not all of a long one."""
    text = "".join(char if char.isprintable() else "?" for char in text)
    return text if len(text) <= most else f"{text[: most - 3]}..."
