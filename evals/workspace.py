"""Where cases, role cards, plans and results are: the workspace in use, and the built-in one behind it."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from documents.files import DocumentError
from documents.files import read as read_text
from documents.words import clip, short
from evals.errors import UserError

if TYPE_CHECKING:
    from evals.system import System

T = TypeVar("T")
MARKER = "simsup.toml"
ENTRY_POINTS = "simsup.workspaces"
BuiltIns = Callable[[], Mapping[str, Path]]
"""Gives the roots of the built-in workspaces by name."""


@dataclass(frozen=True)
class VerbSpec:
    """A command that a system brings: `module:function`, and its one line of help."""

    run: str
    help: str


@dataclass(frozen=True)
class Workspace:
    """A folder of cases, role cards and decisions. What it lacks, the built-in workspace of its system supplies."""

    root: Path
    home: Path
    """Where results and records are written: the root, or the current folder when only the built-in is in use."""
    system: str
    """The system under test, as `module:attribute`."""
    builtin_root: Path | None = None
    verbs: Mapping[str, VerbSpec] = field(default_factory=dict[str, VerbSpec])
    appraise: str = ""
    """What appraises the worlds of a run, as `module:function`; empty if the system brings nothing."""

    @property
    def results(self) -> Path:
        return self.home / "results"

    def roots(self) -> list[Path]:
        """The folders to search, the one that wins first."""
        behind = self.builtin_root
        return [self.root] if behind is None or behind == self.root else [self.root, behind]

    def find(self, relative: str) -> Path:
        """The file at a relative path; the workspace's own wins. Raises UserError if there is none."""
        for root in self.roots():
            if is_there(root / relative):
                return root / relative
        where = clip(relative, 200)
        raise UserError("no such file in this workspace", where=where, do=f"Looked in {_list(self.roots())}.")

    def files(self, folder: str, pattern: str) -> dict[str, Path]:
        """Files below a folder by path relative to it, sorted; the workspace's own win."""
        found: dict[str, Path] = {}
        for root in reversed(self.roots()):
            base = root / folder
            found |= {path.relative_to(base).as_posix(): path for path in base.rglob(pattern) if path.is_file()}
        return dict(sorted(found.items()))

    def show(self, path: Path) -> str:
        """A path as people should see it: relative to its root, or to the current folder's workspace."""
        for root in (self.home, *self.roots()):
            if path.is_relative_to(root):
                return path.relative_to(root).as_posix()
        return str(path)


def is_there(path: Path) -> bool:
    """Whether a path is one of something. A name that no file can have, as it is too long, is of nothing."""
    try:
        return path.exists()
    except OSError:
        return False


def read(path: Path, contract: type[T], shown: str) -> T:
    """The contract in a YAML file; `shown` is its name in messages.

    Raises UserError: one line with file, line and field, what is wrong there, and what is right.
    """
    from documents.reader import load

    try:
        return load(path, contract, shown)
    except DocumentError as error:
        raise UserError(str(error)) from None


def installed_builtins() -> dict[str, Path]:
    """The built-in workspaces that installed packages declare, by name."""
    from importlib.metadata import entry_points

    return {point.name: point.load()() for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda p: p.name)}


def find_workspace(start: Path, builtins: BuiltIns = installed_builtins, *, behind: bool = True) -> Workspace:
    """The workspace of `start` or its nearest parent that has a simsup.toml; else the built-in one.

    `behind=False` leaves out the search for the built-in workspace behind a person's own, which costs time.
    Raises UserError for a malformed simsup.toml, and where there is no workspace at all.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / MARKER).is_file():
            system, verbs, appraise = _read_marker(folder / MARKER)
            built_in = _builtin_of(system, builtins()) if behind else None
            return Workspace(folder, folder, system, built_in, verbs, appraise)
    roots = builtins()
    if len(roots) != 1:
        names = f"the built-in ones are {', '.join(roots)}" if roots else "no built-in one is installed"
        raise UserError(
            f"no {MARKER} here or in a folder above, and {names}",
            do=f'Write one with `system = "module:Name"` in {start}.',
        )
    root = next(iter(roots.values()))
    system, verbs, appraise = _read_marker(root / MARKER)
    return Workspace(root, start, system, root, verbs, appraise)


def load_system(workspace: Workspace) -> System:
    """Import the workspace's system and make it, with the workspace as its one argument.

    Raises UserError if there is no such module or name.
    """
    importable(workspace)
    return load_attribute(workspace.system, MARKER, "system")(workspace)


def importable(workspace: Workspace) -> None:
    """Let a system live in its workspace: append the root to the import path, where it can hide no package."""
    if str(workspace.root) not in sys.path:
        sys.path.append(str(workspace.root))


def load_attribute(spec: str, where: str, key: str) -> Any:
    """What `module:attribute` names. Raises UserError that says where it was written."""
    module, _, attribute = spec.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        missing = f"no module named {error.name!r}"
    except AttributeError:
        missing = f"module {module!r} has no {attribute!r}"
    raise UserError(f'{key} = "{spec}": {missing}', where=where, do="Correct the name, or install the package.")


def _read_marker(path: Path) -> tuple[str, dict[str, VerbSpec], str]:
    try:
        data = tomllib.loads(read_text(path, str(path)))
    except DocumentError as error:
        raise UserError(str(error)) from None
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"not valid TOML: {error}", where=str(path), do="Correct it.") from None
    except ValueError:  # of Python's int
        raise UserError("a number has thousands of digits", where=str(path), do="Write a shorter one.") from None
    except RecursionError:
        raise UserError("it is nested too deep", where=str(path), do="Take the inner brackets out.") from None
    system, verbs = data.get("system"), data.get("verbs", {})
    if not isinstance(system, str) or not _names_attribute(system):
        raise UserError(
            "`system` must name the system under test", where=str(path), do='Write `system = "module:Name"`.'
        )
    if not isinstance(verbs, dict):
        do = 'Write a line `name = {run = "module:function", help = "..."}` for each below `[verbs]`.'
        raise UserError("`verbs` must be a table", where=str(path), do=do)
    appraise = data.get("appraise", "")
    if not isinstance(appraise, str) or (appraise and not _names_attribute(appraise)):
        do = 'Write `appraise = "module:function"`.'
        raise UserError("`appraise` must name what judges the worlds of a run", where=str(path), do=do)
    found = {name: _verb(name, spec, path) for name, spec in cast(dict[str, Any], verbs).items()}
    return system, found, appraise


def _names_attribute(spec: str) -> bool:
    """Whether a text has the form of `module:attribute`."""
    module, _, attribute = spec.partition(":")
    return all(part.isidentifier() for part in (*module.split("."), *attribute.split(".")))


def _verb(name: str, spec: Any, path: Path) -> VerbSpec:
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise UserError(f"verbs: {short(name)} is no name for a command", where=str(path), do="Write a word.")
    match spec:
        case {"run": str(run), "help": str(text), **rest} if not rest and _names_attribute(run):
            return VerbSpec(run, text)
        case _:
            form = '{run = "module:function", help = "..."}'
            raise UserError(f"verbs.{name} is not a verb", where=str(path), do=f"Write `{name} = {form}`.")


def _builtin_of(system: str, roots: Mapping[str, Path]) -> Path | None:
    return next((root for root in roots.values() if _read_marker(root / MARKER)[0] == system), None)


def _list(paths: list[Path]) -> str:
    return " and ".join(str(path) for path in paths)
