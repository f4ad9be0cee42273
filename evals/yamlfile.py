"""YAML files as contracts, with errors that name the line: `cases/agent/x.yaml:12: budget.turns: ...`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import yaml
from pydantic import BaseModel, ValidationError

from evals.errors import UserError

M = TypeVar("M", bound=BaseModel)


if TYPE_CHECKING:
    _Base = yaml.SafeLoader
else:
    _Base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser where PyYAML was built with it


class _Loader(_Base):
    """YAML 1.2 core: only true and false are booleans (`on:` is a key), dates are text, no sexagesimal numbers."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}


def _decimal(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    return int(str(loader.construct_scalar(node)))


def _float(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> float:
    return float(str(loader.construct_scalar(node)))


def _set_up(loader: Any) -> None:
    for tag, pattern, first in (
        ("bool", "true|True|TRUE|false|False|FALSE", [*"tTfF"]),
        ("null", "~|null|Null|NULL|", [*"~nN", ""]),
        ("int", "[-+]?[0-9]+", [*"-+0123456789"]),
        ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", [*"-+.0123456789"]),
    ):
        loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"^(?:{pattern})$"), first)
    # PyYAML's own constructors read 010 as octal and need a dot in 1e3.
    loader.add_constructor("tag:yaml.org,2002:int", _decimal)
    loader.add_constructor("tag:yaml.org,2002:float", _float)


_set_up(_Loader)


def read_yaml(path: Path, model: type[M], shown: str) -> M:
    """The contract in a YAML file. `shown` is the file's name in messages.

    Raises UserError, one line with the line number, for a file that cannot be read, is not YAML, has a key twice
    or does not fit the contract.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot be read: {error}", where=shown) from None
    return parse_yaml(text, model, shown)


def parse_yaml(text: str, model: type[M], shown: str) -> M:
    """As `read_yaml`, from text."""
    data, node = _compose(text, shown)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _located(error, node, shown) from None


def _compose(text: str, shown: str) -> tuple[Any, yaml.Node]:
    loader = cast(Any, _Loader(text))
    try:
        node: yaml.Node | None = loader.get_single_node()
        if node is None:
            raise UserError("is empty", where=shown)
        _refuse_repeated_keys(node, shown)
        return loader.construct_document(node), node
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{shown}:{mark.line + 1}" if mark else shown
        raise UserError(f"not valid YAML: {error.problem or error.context}", where=where, do="Correct it.") from None
    except yaml.reader.ReaderError as error:
        raise UserError(f"not valid YAML: {error.reason}", where=shown, do="Correct it.") from None
    finally:
        loader.dispose()


def _refuse_repeated_keys(root: yaml.Node, shown: str) -> None:
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, yaml.SequenceNode):
            stack.extend(node.value)
        elif isinstance(node, yaml.MappingNode):
            seen: dict[str, int] = {}
            for key, value in node.value:
                name, line = str(key.value), key.start_mark.line + 1
                if name in seen:
                    what = f"the key {name!r} is already on line {seen[name]}"
                    raise UserError(what, where=f"{shown}:{line}", do="Remove one.")
                seen[name] = line
                stack.append(value)


def _located(error: ValidationError, node: yaml.Node, shown: str) -> UserError:
    first, more = error.errors()[0], error.error_count() - 1
    line, names = _walk(node, first["loc"])
    if first["type"] == "missing":
        names.append(str(first["loc"][-1]))
    what = f"{'.'.join(names)}: {_message(first)}" if names else _message(first)
    rest = f"Correct it; {more} more below it." if more else "Correct it."
    return UserError(what, where=f"{shown}:{line}", do=rest)


def _message(detail: Any) -> str:
    match detail["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is not a field of this file"
        case "value_error":
            return str(detail["ctx"]["error"])
        case _:
            text = detail["msg"][0].lower() + detail["msg"][1:]
            given = detail["input"]
            return f"{text}, not {given!r}" if isinstance(given, str | int | float) else text


def _walk(node: yaml.Node, location: Sequence[int | str]) -> tuple[int, list[str]]:
    """Line and names of a place, as far as the document goes; the tags pydantic puts between for unions are skipped."""
    line, names = node.start_mark.line, list[str]()
    for part in location:
        step = _child(node, part)
        if step is not None:
            line, node = step
            names.append(str(part))
    return line + 1, names


def _child(node: yaml.Node, part: int | str) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part].start_mark.line, node.value[part]
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if str(key.value) == str(part):
                return key.start_mark.line, value
    return None
