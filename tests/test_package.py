"""The package as people get it: `agents` is the SDK however we are started, and the wheel flies by itself."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
INNER = "tests/test_package.py::test_import_agents_gives_the_sdk"
CARDS = sorted(path.name for path in (ROOT / "agents").glob("*.md"))
CASES = sorted(path.stem for scope in ("agent", "handoff", "workflow") for path in (ROOT / "cases" / scope).glob("*"))
PLAN = """id: small
question: Does one case fly from a wheel?
candidates:
  - {id: expert, model: pilot/expert}
  - {id: "null", model: pilot/null}
cases: [life-support-masked-leak-01]
trials: 1
harness: sdk
policy: {order: [complete_passes], gate: {min_pass_rate: 0.9}}
"""
HEAVY = ("agents", "openai", "fastmcp", "mcp", "scipy", "numpy", "pydantic", "yaml", "simpy", "pint", "cel", "sqlite3")


@dataclass(frozen=True)
class Installation:
    """A Python with SimSup, and the folder that its packages are in."""

    python: Path
    packages: Path

    def run(self, *command: str, cwd: Path, verbose: bool = False) -> subprocess.CompletedProcess[str]:
        """Run `simsup ...` or `python ...` of this installation, with nothing of ours in the environment."""
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        env |= {"PYTHONVERBOSE": "1"} if verbose else {}
        program, *arguments = command
        return subprocess.run(
            [str(self.python.with_name(program)), *arguments],
            cwd=cwd,
            env=env | {"COLUMNS": "200"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture(scope="session")
def editable() -> Installation:
    return Installation(Path(sys.executable), Path(sysconfig.get_paths()["purelib"]))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout with what is installed."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel in an environment of its own, which borrows what we depend on from this one."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True, timeout=120)
    packages = next(folder.glob("lib/python*/site-packages"))
    # Written after the installation, so that pip does not meet the SimSup that is installed here. A path that comes
    # from a .pth file has its own .pth files ignored: the editable installation stays out of sight.
    here = sysconfig.get_paths()
    (packages / "borrowed.pth").write_text("\n".join(sorted({here["purelib"], here["platlib"]})))
    return Installation(python, packages)


def test_import_agents_gives_the_sdk():
    """Told by Python itself, wherever this very test is run from."""
    import agents

    assert agents.Runner.run
    assert Path(agents.__file__).parents[1] == Path(str(distribution("openai-agents").locate_file("")))


@pytest.mark.parametrize(
    "command",
    [
        ["pytest", "-q", "-p", "no:cacheprovider", INNER],
        ["python", "-m", "pytest", "-q", "-p", "no:cacheprovider", INNER],
        ["python", "-c", "import agents; agents.Runner.run; print('1 passed from', agents.__file__)"],
    ],
    ids=["pytest", "python -m pytest", "python -c"],
)
def test_agents_is_the_sdk_from_the_root_of_an_editable_installation(editable, command):
    result = editable.run(*command, cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "no tests ran" not in result.stdout
    assert str(ROOT / "agents") not in result.stdout


@pytest.mark.parametrize("installation", ["editable", "installed"])
def test_agents_is_the_sdk_for_the_installed_script_at_the_root(installation, request, editable):
    result = request.getfixturevalue(installation).run("simsup", "map", cwd=ROOT, verbose=True)
    assert result.returncode == 0
    assert result.stdout.startswith("director (coordinator)")
    assert f"{editable.packages}/agents/__init__.py" in result.stderr
    assert f"{ROOT}/agents/" not in result.stderr


def test_agents_is_the_sdk_under_pytest_at_the_root_with_the_wheel(installed):
    result = installed.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", INNER, cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_an_editable_installation_flies_the_workspace_of_the_checkout(editable, tmp_path):
    code = "from mission.workspace import root; print(root())"
    assert editable.run("python", "-c", code, cwd=tmp_path).stdout.strip() == str(ROOT)


def test_the_wheel_holds_the_packages_and_the_built_in_workspace_and_nothing_else(wheel):
    files = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in files} == {"mission", "evals", "documents", "simsup-0.1.0.dist-info"}
    built_in = {name.removeprefix("mission/_workspace/") for name in files if name.startswith("mission/_workspace/")}
    assert {name.split("/")[0] for name in built_in} == {
        "agents",
        "cases",
        "decisions",
        "judge.yaml",
        "prices.yaml",
        "simsup.toml",
    }
    assert sorted(name for name in built_in if name.startswith("agents/")) == [f"agents/{name}" for name in CARDS]
    assert [name for name in built_in if name.endswith((".py", ".sqlite"))] == []
    assert {"mission/py.typed", "evals/py.typed", "mission/world/engine.py", "evals/verbs/run.py"} <= set(files)
    assert [name for name in files if "test" in name or "__pycache__" in name] == []
    assert "simsup-0.1.0.dist-info/licenses/LICENSE" in files


def test_the_wheel_finds_itself_and_nothing_of_the_checkout(installed, tmp_path):
    code = (
        "import sys, json, mission, evals, documents; "
        "print(json.dumps([sys.path, mission.__file__, evals.__file__, documents.__file__]))"
    )
    path, *packages = json.loads(installed.run("python", "-c", code, cwd=tmp_path).stdout)
    assert ROOT not in [Path(entry).resolve() for entry in path if entry]
    assert packages == [str(installed.packages / name / "__init__.py") for name in ("mission", "evals", "documents")]


def test_the_wheel_lists_and_proves_its_cases_in_an_empty_folder(installed, tmp_path):
    listed = installed.run("simsup", "cases", cwd=tmp_path)
    assert listed.returncode == 0, listed.stderr
    assert [line.split()[0] for line in listed.stdout.splitlines() if line.split()[0] in CASES] == CASES
    assert len(CASES) >= 15
    checked = installed.run("simsup", "check", "life-support-masked-leak-01", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "ok   life-support-masked-leak-01" in checked.stdout
    assert list(tmp_path.iterdir()) == [], "looking leaves nothing behind"


def test_the_wheel_flies_and_decides_in_an_empty_folder(installed, tmp_path):
    (tmp_path / "small.yaml").write_text(PLAN)
    flown = installed.run("simsup", "run", "small.yaml", cwd=tmp_path)
    assert flown.returncode == 0, flown.stdout + flown.stderr
    assert "Run file: results/small-1.sqlite" in flown.stdout
    decided = installed.run("simsup", "decide", "small.yaml", "results/small-1.sqlite", cwd=tmp_path)
    assert decided.returncode == 0, decided.stdout + decided.stderr
    assert "expert" in decided.stdout
    written = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert "results/small-1.sqlite" in written
    assert [name for name in written if name.endswith("record.md")] != []
    assert not (installed.packages / "mission" / "_workspace" / "results").exists()


def test_the_built_in_plan_is_found_by_name(installed, tmp_path):
    code = (
        "from pathlib import Path; from evals.workspace import find_workspace; from evals.cases import find_plan;"
        "w = find_workspace(Path.cwd()); print(find_plan(w, 'first-flight')); print(w.results)"
    )
    plan, results = installed.run("python", "-c", code, cwd=tmp_path).stdout.split()
    assert Path(plan) == installed.packages / "mission" / "_workspace" / "decisions" / "first-flight" / "plan.yaml"
    assert Path(results) == tmp_path / "results"


def test_in_a_workspace_its_own_card_wins_and_the_rest_is_built_in(installed, tmp_path):
    def sha(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    theirs = {path.stem: path.read_text() for path in (ROOT / "agents").glob("*.md")}
    own = theirs["life-support"].replace("You recommend; you never command.", "You recommend.")
    assert own != theirs["life-support"]
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "life-support.md").write_text(own)
    (tmp_path / "simsup.toml").write_text((ROOT / "simsup.toml").read_text())
    code = (
        "import json; from pathlib import Path; from evals.cases import load_cases;"
        "from evals.workspace import find_workspace, load_system; w = find_workspace(Path.cwd());"
        "roles = {name: role.digest for name, role in load_system(w).roles().items()};"
        "files = [str(w.find(name)) for name in ('judge.yaml', 'cases/scenarios/masked-leak.yaml')];"
        "print(json.dumps([roles, files, sorted(load_cases(w))]))"
    )
    result = installed.run("python", "-c", code, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    roles, files, cases = json.loads(result.stdout)
    assert roles == {role: sha(text) for role, text in (theirs | {"life-support": own}).items()}
    assert [Path(file).is_relative_to(installed.packages / "mission" / "_workspace") for file in files] == [True, True]
    assert cases == CASES


def test_help_loads_nothing_heavy(installed, tmp_path):
    code = (
        "import sys; sys.argv = ['simsup', '--help']; from evals.cli import main\n"
        "try: main()\n"
        f"except SystemExit: print('HEAVY', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    result = installed.run("python", "-c", code, cwd=tmp_path)
    assert "serve" in result.stdout, "the verbs of the built-in system are there"
    assert result.stdout.splitlines()[-1] == "HEAVY []", result.stdout + result.stderr
