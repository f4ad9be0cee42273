"""YAML files as contracts, whatever is in them: one line that says where, what is wrong and what would be right.

YAML 1.2's core: only true and false are booleans, dates and `12:30` are text. There are no tags; aliases are followed
within bounds, and no value is larger than people write. A file can be wrong in any way, and never more than wrong.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import yaml
from pydantic import TypeAdapter, ValidationError
from yaml.reader import Reader as _Characters

from documents.explain import Location, explain, ordered, prefix
from documents.files import DocumentError, read
from documents.words import clip, short

if TYPE_CHECKING:
    _Base = yaml.SafeLoader
else:
    _Base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser where PyYAML was built with it

T = TypeVar("T")
MAX_NODES = 10_000
"""Values in a document with its aliases written out: nine lines of aliases can stand for a billion."""
MAX_DEPTH = 32
MAX_DIGITS = 300
"""Characters of a number: more is no number that anybody writes."""
_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_CORE = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_PREFIX = "tag:yaml.org,2002:"
"""What `!!` stands for."""


class _Loader(_Base):
    """Every scalar as text: what a plain one means is ours to say."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}


def load(path: Path, contract: type[T] | TypeAdapter[T], shown: str = "") -> T:
    """The contract in a YAML file; `shown` is its name in messages, by default its path.

    Raises DocumentError: one line with file, line and field, what is wrong there, and what is right.
    Nothing is taken for what it is not: true is no number, and neither is a number in quotes.
    """
    shown = shown or str(path)
    text = read(path, shown)
    if not text.strip():
        raise DocumentError(f"{shown}: is empty")
    return parse(text, contract, shown)


def parse(text: str, contract: type[T] | TypeAdapter[T], shown: str) -> T:
    """As `load`, from text."""
    adapter: TypeAdapter[T] = contract if isinstance(contract, TypeAdapter) else TypeAdapter(contract)
    try:
        root = _compose(text)
        data = None if root is None else _Values().of(root, ())
    except yaml.MarkedYAMLError as error:
        raise DocumentError(_no_yaml(error, text, shown)) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        what = str(getattr(error, "reason", "")) or "it cannot be parsed"
        raise DocumentError(f"{shown}: is not YAML: {what}") from None
    except _UnfitError as error:
        raise DocumentError(f"{shown}:{error.line}: {error}") from None
    try:
        return adapter.validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        if root is None:
            raise DocumentError(f"{shown}: {explain(error, contract)}") from None
        line = _place(root, ordered(error)[0]["loc"]).line
        told = explain(error, contract, names=lambda location: _place(root, location).names, most=1)
        raise DocumentError(f"{shown}:{line}: {told}") from None


class _UnfitError(Exception):
    """What no contract could hold, at a line (from 0)."""

    def __init__(self, what: str, line: int, path: Location = ()) -> None:
        self.line = line + 1
        super().__init__(f"{prefix(path)}{what}")


def _no_yaml(error: yaml.MarkedYAMLError, text: str, shown: str) -> str:
    """What the parser found, with its line; a tab, which no one can see, is called by its name."""
    mark = error.problem_mark or error.context_mark
    problem = f"is not YAML: {error.problem or error.context}"
    if mark is None:
        return f"{shown}: {problem}"
    lines = f"{text} ".splitlines()
    line = min(mark.line, len(lines) - 1)  # what is not closed is missed after the last one
    if "cannot start any token" in problem and "\t" in lines[line][: -len(lines[line].lstrip())]:
        problem = "is not YAML: a tab indents it; indent with spaces"
    elif error.context and error.context_mark:
        problem += f", {error.context} from line {error.context_mark.line + 1}"
    return f"{shown}:{line + 1}: {problem}"


def _compose(text: str) -> yaml.Node | None:
    """The document as nodes; None if there is nothing in it."""
    odd = _Characters.NON_PRINTABLE.search(text)
    if odd is not None:
        problem = f"the control character U+{ord(odd[0]):04X} is not allowed; take it out"
        raise _UnfitError(f"is not YAML: {problem}", text.count("\n", 0, odd.start()))
    _refuse_unbounded(text)
    loader = cast(Any, _Loader(text))
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


def _refuse_unbounded(text: str) -> None:
    """Looks at a document piece by piece, before any of it is put together, which costs a stack of its depth."""
    deep, documents = 0, 0
    for event in _events(text):
        deep += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        documents += isinstance(event, yaml.DocumentStartEvent)
        tag = getattr(event, "tag", None)
        line = event.start_mark.line
        if deep > MAX_DEPTH:
            raise _UnfitError(f"is not YAML: it is nested more than {MAX_DEPTH} deep", line)
        if documents > 1:
            raise _UnfitError("is not YAML: a second document begins here; a file holds one", line)
        if tag is not None:
            name = f"!!{tag.removeprefix(_PREFIX)}" if tag.startswith(_PREFIX) else tag
            raise _UnfitError(f"the tag {clip(name)} has no meaning here; leave it out", line)


def _events(text: str) -> Iterator[yaml.Event]:
    loader = cast(Any, _Loader(text))
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


def _line(node: yaml.Node) -> int:
    return node.start_mark.line


class _Values:
    """Nodes to values, within bounds."""

    def __init__(self) -> None:
        self._nodes = 0

    def of(self, node: yaml.Node, path: tuple[int | str, ...]) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise _UnfitError(f"there are more than {MAX_NODES} values, aliases written out", _line(node))
        if len(path) > MAX_DEPTH:
            raise _UnfitError(f"is nested more than {MAX_DEPTH} deep, or an alias of what it stands in", _line(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.of(child, (*path, number)) for number, child in enumerate(node.value)]
        return _scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: tuple[int | str, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key, child in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _UnfitError("a key must be a word, not a list or a mapping", _line(key))
            name = _text(key, path)
            if name == "<<" and not _is_quoted(key):
                raise _UnfitError("the merge key << has no meaning here; write its fields out", _line(key))
            if name in found:
                raise _UnfitError(f"the key {short(name)} is already on line {lines[name]}; remove one", _line(key))
            lines[name] = key.start_mark.line + 1
            found[name] = self.of(child, (*path, name))
        return found


def _is_quoted(node: yaml.Node) -> bool:
    return bool(getattr(node, "style", None))  # None or "" for a plain one, by which parser PyYAML has


def _text(node: yaml.Node, path: Location) -> str:
    text = str(node.value)
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise _UnfitError("has half a surrogate pair, which is no character; take it out", _line(node), path)
    return text


def _scalar(node: yaml.Node, path: Location) -> Any:
    """What a plain scalar means; a quoted one is text."""
    text = _text(node, path)
    if _is_quoted(node):
        return text
    if text in _CORE:
        return _CORE[text]
    if not _FLOAT.fullmatch(text):
        return text
    if len(text) > MAX_DIGITS:
        what = f"is a number of {len(text)} characters; write at most {MAX_DIGITS}, or quote it if it is text"
        raise _UnfitError(what, _line(node), path)
    if _INT.fullmatch(text):
        return int(text)
    value = float(text)
    if not math.isfinite(value):
        what = f"Input should be a finite number, not {clip(text)}, which is too large; quote it if it is text"
        raise _UnfitError(what, _line(node), path)
    return value


class _Place(NamedTuple):
    """Where a location of pydantic's is in a document: its line, and its names as they are written there."""

    line: int
    names: list[str]


def _place(root: yaml.Node, location: Location) -> _Place:
    """A place, as far as the document goes; what pydantic puts between for unions is skipped."""
    node, line, names = root, root.start_mark.line, list[str]()
    for part in location:
        if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line
        elif isinstance(node, yaml.MappingNode):
            found = [(key, child) for key, child in node.value if str(key.value) == str(part)]
            if not found:
                continue
            line, node = found[0][0].start_mark.line, found[0][1]
        else:
            continue
        names.append(str(part))
    return _Place(line + 1, names)
