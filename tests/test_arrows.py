"""What may import what: the contracts in pyproject.toml hold, and each of them sees a planted fault."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINTER = Path(sys.executable).with_name("lint-imports")

STRANGERS = "evals knows nothing of Mars or of its simulator"
READ = "documents knows nothing of what is read by it"
READING = "documents stands in layers"
MEETING = "mission meets evals in system, recorded and pilots alone"
PHYSICS = "the physics and the tools are free of agent libraries"
PILOTS = "a pilot knows its conversation and nothing of the world"
ANSWERS = "nothing that agents reach knows the answers"
PHASES = "an episode is made without a look at how it is graded"
MISSION = "mission stands in layers"
EVALS = "evals stands in layers, the contracts at the bottom"
PLANTS = [
    ("evals/budget.py", "import mission.rules", STRANGERS),
    ("evals/cel.py", "def late():\n    import simpy\n", STRANGERS),
    ("evals/grading.py", "import examples.kettle", STRANGERS),
    ("mission/tools.py", "from evals.errors import UserError", MEETING),
    ("mission/world/power.py", "from evals.contract import digest", MEETING),
    ("mission/world/power.py", "from openai import OpenAI", PHYSICS),
    ("mission/tools.py", "def late():\n    from fastmcp import FastMCP\n", PHYSICS),
    ("mission/desk.py", "from agents import Agent", PHYSICS),
    ("mission/pilots/null.py", "from mission.world.engine import World", PILOTS),
    ("mission/pilots/knowledge.py", "from mission import rules", PILOTS),
    ("mission/tools.py", "def late():\n    from mission.oracle import solve\n", ANSWERS),
    ("mission/world/report.py", "from mission import objectives", ANSWERS),
    ("mission/system.py", "def late():\n    from mission.recorded import read_run\n", ANSWERS),
    ("mission/judged.py", "from evals.store import Store", MEETING),
    ("mission/report.py", "from mission.desk import Desk", MISSION),
    ("mission/world/engine.py", "from mission import tools", MISSION),
    ("mission/new.py", "", MISSION),
    ("evals/case.py", "from evals.workspace import read", EVALS),
    ("evals/adapters/agent.py", "from evals.checks import registry", PHASES),
    ("evals/models/replay.py", "from evals.checks.material import strings", PHASES),
    ("evals/checks/field.py", "from evals.harness import sdk", EVALS),
    ("evals/harness/sdk.py", "from evals.runner import run", EVALS),
    ("evals/decide.py", "from evals.verbs.run import run_plan", EVALS),
    ("evals/report/words.py", "from evals import cli", EVALS),
    ("evals/new.py", "", EVALS),
    ("documents/reader.py", "from evals.errors import UserError", READ),
    ("documents/words.py", "def late():\n    from mission import rules\n", READ),
    ("documents/words.py", "from documents.reader import load", READING),
    ("documents/new.py", "", READING),
]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(LINTER), "--no-logo", "--cache-dir", str(folder / ".import_linter_cache")]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in ("mission", "evals", "documents"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def plant(copy: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """The copied tree with one line added at the end of one module, for one test."""
    relative, line = request.param
    file = copy / relative
    before = file.read_text() if file.exists() else None
    file.write_text(f"{before or ''}\n{line}\n")
    yield copy
    if before is None:
        file.unlink()
    else:
        file.write_text(before)


def test_the_arrows_hold():
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout
    assert "10 kept, 0 broken" in result.stdout


@pytest.mark.parametrize(
    ("plant", "contract"),
    [pytest.param((file, line), contract, id=f"{file}: {line}") for file, line, contract in PLANTS],
    indirect=["plant"],
)
def test_a_forbidden_import_is_seen(plant, contract):
    result = lint(plant)
    assert result.returncode == 1, result.stdout
    assert f"{contract} BROKEN" in " ".join(result.stdout.split())


def test_every_contract_is_tried():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert {contract["name"] for contract in contracts} == {contract for _, _, contract in PLANTS}


def test_the_import_name_agents_is_left_to_the_sdk():
    assert list((ROOT / "agents").rglob("*.py")) == []
    assert list((ROOT / "tests").rglob("__init__.py")) == []
