"""A workspace of somebody's own with hostile files in it, and the command line there."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from documents.reader import load
from evals import cli
from fuzz.outcome import FaultError, guard, refused
from mission.system import MarsBase

ROOT = Path(__file__).parents[2]
NAME = "fuzzed"
CASES = sorted(ROOT.glob("cases/[ahw]*/*.yaml"))
"""The shipped cases."""


class Base(MarsBase):
    """The Mars base by another name: no built-in workspace stands behind this one."""


def tree(path: Path) -> Any:
    """What is in a sound file of ours."""
    return load(path, TypeAdapter(Any))


def pair(path: Path) -> tuple[Any, Any]:
    """A shipped case and its reference, both by our name."""
    case, reference = tree(path), tree(ROOT / "cases" / "references" / path.name)
    case["expect"]["must_pass"] = {"reference": f"references/{NAME}.yaml"}
    return case | {"id": NAME}, reference | {"case": NAME}


def make(folder: Path) -> Path:
    """A workspace with the shipped crew, scenarios, prices and judge, and one case."""
    root = folder / "own"
    if not root.exists():
        for name in ("agents", "cases/scenarios"):
            shutil.copytree(ROOT / name, root / name)
        for name in ("cases/agent", "cases/references", f"decisions/{NAME}"):
            (root / name).mkdir(parents=True)
        for name in ("prices.yaml", "judge.yaml", f"cases/agent/{CASES[0].name}", f"cases/references/{CASES[0].name}"):
            shutil.copy(ROOT / name, root / name)
        marker = (ROOT / "simsup.toml").read_text().replace('"mission.system:MarsBase"', '"fuzz.workspace:Base"')
        (root / "simsup.toml").write_text(marker)
    return root


def simsup(root: Path, *arguments: str, because: Sequence[bytes]) -> tuple[int, str]:
    """The exit code of a command, and the kind of a refusal. Raises FaultError, or what the command raises.

    `because` is what somebody wrote, whose words a refusal may say again.
    """
    out, err = io.StringIO(), io.StringIO()
    os.environ["COLUMNS"] = "200"
    with guard(), chdir(root), redirect_stdout(out), redirect_stderr(err):
        code = cli.execute(arguments)
    if code != 2:
        return code, ""
    line = err.getvalue()
    if not line.startswith("simsup: ") or not line.endswith("\n"):
        raise FaultError(f"a refusal must be one line of simsup's, not {line!r}")
    given = "\n".join(text.decode("utf-8", "replace") for text in because)
    return code, refused(line.removeprefix("simsup: ").removesuffix("\n"), given)
