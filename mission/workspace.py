"""Where the built-in workspace lies: in the wheel beside this package, or at the root of a checkout."""

from __future__ import annotations

from pathlib import Path


def root() -> Path:
    """The folder that holds `agents/`, `cases/` and `decisions/` of the built-in system."""
    packaged = Path(__file__).parent / "_workspace"
    return packaged if packaged.is_dir() else Path(__file__).parent.parent
