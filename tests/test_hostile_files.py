"""Every kind of file that people write, broken in every way, through the command line: one line, exit code 2."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from fuzz import texts
from fuzz.workspace import CASES, NAME, make, pair

from evals import cli
from evals.cases import load_cases

ROOT = Path(__file__).parents[1]


class Kind(NamedTuple):
    """A file, what it is called in messages, and the command that reads it."""

    path: str
    shown: str
    command: tuple[str, ...]


SCENARIO = f"cases/scenarios/{NAME}.yaml"
KINDS = {
    "case": Kind(f"cases/agent/{NAME}.yaml", f"cases/agent/{NAME}.yaml", ("check", NAME)),
    "reference": Kind(f"cases/references/{NAME}.yaml", f"cases/references/{NAME}.yaml", ("check", NAME)),
    "decision": Kind(f"decisions/{NAME}/plan.yaml", f"decisions/{NAME}/plan.yaml", ("run", NAME)),
    "prices": Kind("prices.yaml", "prices.yaml", ("run", NAME)),
    "judge": Kind("judge.yaml", "judge.yaml", ("run", NAME, "--live")),
    "card": Kind("agents/director.md", "agents/director.md", ("map",)),
    "scenario": Kind(SCENARIO, SCENARIO, ("world", NAME)),
    "scenario to lint": Kind(SCENARIO, SCENARIO, ("lint", "scenarios", NAME)),
    "scenario to draw from": Kind(SCENARIO, SCENARIO, ("generate", NAME)),
    "scenario to serve": Kind(SCENARIO, SCENARIO, ("serve", NAME)),
    "flight plan": Kind("flight.yaml", "flight.yaml", ("world", "nominal", "--plan", "flight.yaml")),
}
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
FRONT = {
    "an alias bomb": (BOMB, "LINE1: there are more than 10000 values, aliases written out"),
    "recursion": ("a: &a [*a]", "LINE1: is nested more than 32 deep, or an alias of what it stands in"),
    "a tag": (
        "a: !!python/object/apply:os.system [ls]",
        "LINE1: the tag !!python/object/apply:os.system has no",
    ),
    "binary": ("a: !!binary aGVsbG8=", "LINE1: the tag !!binary has no meaning here; leave it out"),
    "5000 digits": (f"a: {'9' * 5000}", "LINE1: a: is a number of 5000 characters; write at most 300, or quote it if"),
    "infinity": ("a: [1e999]", "LINE1: a.0: Input should be a finite number, not 1e999, which is too large"),
    "a key twice": ("a: 1\na: 2", "LINE2: the key 'a' is already on line "),
    "a tab": ("a:\n\tb: 1", "LINE2: is not YAML: a tab indents it; indent with spaces"),
    "depth": ("[" * 40, "LINE1: is not YAML: it is nested more than 32 deep"),
    "great depth": ("{a: " * 20_000, "LINE1: is not YAML: it is nested more than 32 deep"),
    "a key that is a list": ("? [a]\n: 1", "LINE1: a key must be a word, not a list or a mapping"),
    "a merge": ("<<: {a: 1}", "LINE1: the merge key << has no meaning here; write its fields out"),
    "two documents": ("a: 1\n--- # more\nb: 2", "LINE2: is not YAML: a second document begins here; a file holds one"),
    "NUL": ("a: 1\nb\0: 2", "LINE2: is not YAML: the control character U+0000 is not allowed; take it out"),
    "no YAML": ("a: [1, 2\nb: 3", "LINE2: is not YAML: did not find expected ',' or ']', while parsing a flow"),
    "nothing but a remark": ("# to do", ": should be a "),
    "a number": ("7", "LINE1: should be a "),
}
"""What stands in for a document, and what is said of it; LINE1 is its first line."""
WHOLE = {
    "no UTF-8": (b"a: \xe9\n", ": is not UTF-8 text: invalid continuation byte at byte 3; save it as UTF-8"),
    "UTF-16": ("a: 1".encode("utf-16"), ": is not UTF-8 text: invalid start byte at byte 0; save it as UTF-8"),
    "10 MB": (b"a: 1\n" * 2_000_000, ": is larger than 256 kB; split it, or leave out what is not read"),
}
"""What stands in for a file."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a case, a decision and a scenario by the name of NAME, all sound."""
    root = make(tmp_path_factory.mktemp("hostile"))
    case, reference = pair(CASES[0])
    sound = {
        KINDS["case"]: texts.text(case),
        KINDS["reference"]: texts.text(reference),
        KINDS["decision"]: (ROOT / "decisions/first-flight/plan.yaml").read_text(),
        KINDS["scenario"]: (ROOT / "cases/scenarios/bed-degraded.yaml").read_text(),
    }
    for kind, text in sound.items():
        (root / kind.path).write_text(re.sub(r"(?m)^id: .*", f"id: {NAME}", text))
    (root / "flight.yaml").write_text("- {after_min: 1, command: repair_fan}\n")
    plan = root / KINDS["decision"].path
    plan.write_text(re.sub(r"(?ms)^cases:.*?^trials", f"cases: [{NAME}]\ntrials", plan.read_text()))
    return root


@pytest.fixture
def told(workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Puts something in the place of a file, gives the one line that its command says, and puts the file back."""
    monkeypatch.chdir(workspace)
    undo: list[tuple[Path, bytes]] = []

    def put(kind: Kind, content: bytes) -> str:
        path = workspace / kind.path
        undo.append((path, path.read_bytes()))
        path.write_bytes(content)
        assert cli.execute(kind.command) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("simsup: ") and err.count("\n") == 1 and len(err.splitlines()) == 1
        return err.removeprefix("simsup: ").removeprefix(f"{workspace}/").rstrip("\n")

    yield put
    for path, content in undo:
        path.write_bytes(content)


@pytest.mark.parametrize("plant", [*FRONT])
@pytest.mark.parametrize("kind", [*KINDS])
def test_a_hostile_document_gets_one_line_with_its_place(told, kind, plant):
    text, said = FRONT[plant]
    card = kind == "card"
    line = told(KINDS[kind], (f"---\n{text}\n---\nDo it.\n" if card else f"{text}\n").encode())
    for number in (1, 2):
        said = said.replace(f"LINE{number}", f"{KINDS[kind].shown}:{number + card}")
    assert line.startswith(said if said[0] != ":" else f"{KINDS[kind].shown}{said}")


@pytest.mark.parametrize("plant", [*WHOLE])
@pytest.mark.parametrize("kind", [*KINDS])
def test_a_hostile_file_gets_one_line_with_its_name(told, kind, plant):
    content, said = WHOLE[plant]
    assert told(KINDS[kind], content).startswith(f"{KINDS[kind].shown}{said}")


@pytest.mark.parametrize("kind", [*KINDS])
def test_an_empty_file_gets_one_line_with_its_name(told, kind):
    said = "a role card starts with '---', its front matter, '---'" if kind == "card" else "is empty"
    assert told(KINDS[kind], b"").startswith(f"{KINDS[kind].shown}: {said}")


@pytest.mark.parametrize(
    ("kind", "old", "new", "said"),
    [
        ("case", "turns: \\d+", "turns: .nan", "budget.turns: Input should be a valid integer, not '.nan'"),
        ("case", "turns: \\d+", "turns: true", "budget.turns: Input should be a valid integer, not true"),
        ("case", "turns: \\d+", "turns: '8'", "budget.turns: Input should be a valid integer, not '8'"),
        ("case", "seconds: \\d+", "seconds: nan", "budget.seconds: Input should be a valid number, not 'nan'"),
        ("case", "seconds: \\d+", "seconds: 1e300", "budget.seconds: Input should be less than or equal to 604800"),
        ("case", "reviewed: .*", "reviewed: 20260101", "provenance.reviewed: should be a day such as 2026-12-01, not"),
        ("case", "reviewed: .*", "reviewed: 2026-13-01", "provenance.reviewed: should be a day such as 2026-12-01, "),
        ("case", "^system: .*", "system: 7", "system: Input should be a valid string, not 7; quote it if it is text"),
        ("case", "^role: .*", "role: 2026-01-01", "case fuzzed: the team has no role '2026-01-01'"),
        ("reference", "^case: .*", "case: true", "case: Input should be a valid string, not true; quote it if it is"),
        ("decision", "^trials: .*", "trials: 1e30", "trials: Input should be a valid integer, not 1e+30"),
        ("decision", "min_pass_rate: 0.9", "min_pass_rate: inf", "policy.gate.min_pass_rate: Input should be a valid"),
        ("decision", "^policy:", "policy:\n  odrer: []", "policy.odrer: is not a field here; near: order"),
        ("prices", "input: [0-9.]+", "input: Infinity", "input: Input should be a valid number, not 'Infinity'"),
        ("prices", "output: [0-9.]+", "output: 2026-01-01", "output: Input should be a valid number, not '2026-01-01'"),
        ("judge", "^version: .*", "version: 1.5", "version: Input should be a valid integer, not 1.5"),
        ("card", "seconds: \\d+", "seconds: inf", "limits.seconds: Input should be a valid number, not 'inf'"),
        ("card", "^tools: ", "tool: ", "tool: is not a field here; near: tools"),
        ("scenario", "^title: .*", "title: 7", "title: Input should be a valid string, not 7; quote it if it is text"),
        ("scenario", "^title: ", "horizon_h: .inf\ntitle: ", "horizon_h: Input should be a valid number, not '.inf'"),
        ("flight plan", "after_min: 1", "after_min: nan", "0.after_min: Input should be a valid number, not 'nan'"),
    ],
)  # fmt: skip
def test_a_wrong_value_gets_one_line_with_its_field(told, workspace, kind, old, new, said):
    before = (workspace / KINDS[kind].path).read_text()
    changed = re.sub(old, new, before, count=1, flags=re.MULTILINE)
    assert changed != before
    assert said in told(KINDS[kind], changed.encode())


@pytest.mark.parametrize("kind", ["reference", "prices", "judge", "flight plan"])
def test_a_folder_in_the_place_of_a_file_gets_one_line(workspace, monkeypatch, capsys, kind):
    monkeypatch.chdir(workspace)
    path = workspace / KINDS[kind].path
    path.rename(path.with_suffix(".kept"))
    path.mkdir()
    try:
        assert cli.execute(KINDS[kind].command) == 2
    finally:
        path.rmdir()
        path.with_suffix(".kept").rename(path)
    assert capsys.readouterr().err.startswith(f"simsup: {KINDS[kind].shown}: cannot be read (Is a directory)")


@pytest.mark.parametrize("kind", ["case", "reference", "card", "scenario", "decision", "flight plan"])
def test_a_byte_order_mark_and_the_line_ends_of_others_are_taken(workspace, monkeypatch, capsys, kind):
    monkeypatch.chdir(workspace)
    path = workspace / KINDS[kind].path
    before = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + before.replace(b"\n", b"\r\n"))
    try:
        command = ("run", NAME, "--out", "bom.sqlite") if kind == "decision" else KINDS[kind].command
        assert cli.execute(command) == 0
    finally:
        path.write_bytes(before)
    assert capsys.readouterr().err.count("simsup: ") == 0


def test_the_sound_workspace_is_sound(workspace, monkeypatch, capsys):
    monkeypatch.chdir(workspace)
    assert cli.execute(("check",)) == 0
    assert cli.execute(("run", NAME, "--live")) == 2
    assert "--live needs a spending limit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\xff", "is not UTF-8 text: invalid start byte at byte 0; save it as UTF-8"),
        (b"x = " + b"[" * 5000, "it is nested too deep. Take the inner brackets out."),
        (b"x = " + b"9" * 5000, "a number has thousands of digits. Write a shorter one."),
        (b"x" * 300_000, "is larger than 256 kB; split it, or leave out what is not read"),
        (b'system = ".x:y"', '`system` must name the system under test. Write `system = "module:Name"`.'),
        (b'system = "json:loads"\nverbs = 3', "`verbs` must be a table. Write a line `name = {run"),
        (b'system = "json:loads"\n[verbs]\n"--help" = {}', "verbs: '--help' is no name for a command. Write a word."),
    ],
)
def test_a_hostile_marker_gets_one_line(tmp_path, monkeypatch, capsys, text, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "simsup.toml").write_bytes(text)
    assert cli.execute(("cases",)) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"simsup: {tmp_path}/simsup.toml: {said}") and err.count("\n") == 1


def test_a_verb_of_a_system_does_not_hide_one_of_ours(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    verbs = '[verbs]\nrun = {run = "json:loads", help = "Run."}\n'
    (tmp_path / "simsup.toml").write_text(f'system = "json:loads"\n{verbs}')
    assert cli.execute(("rnu",)) == 2
    assert (
        capsys.readouterr().err == "simsup: simsup.toml: verbs.run: there is a command of this name. Choose another.\n"
    )


@pytest.mark.parametrize("name", ["x" * 5000, "a\\nb", "\\0", ""])
def test_a_reference_of_no_possible_name_gets_one_line(told, workspace, name):
    text = (workspace / KINDS["case"].path).read_text()
    line = told(KINDS["case"], text.replace(f"references/{NAME}.yaml", f'"{name}"').encode())
    assert line.startswith("cases/") and len(line) < 600


def test_a_plan_of_no_possible_name_gets_one_line(workspace, monkeypatch, capsys):
    monkeypatch.chdir(workspace)
    assert cli.execute(("run", "x" * 5000)) == 2
    err = capsys.readouterr().err
    assert err.startswith("simsup: no plan 'xxx") and err.count("\n") == 1 and len(err) < 2100


def test_a_case_that_opens_no_world_is_told_by_map_too(told, workspace, monkeypatch):
    text = (workspace / KINDS["case"].path).read_text()
    monkeypatch.setattr("evals.verbs.map.load_cases", lambda here: {NAME: load_cases(here)[NAME]})
    kind = KINDS["case"]._replace(command=("map",))
    line = told(kind, text.replace("scenario: ", "scenario: x").encode())
    assert line.startswith(f"{NAME}: setup: there is no scenario 'x")


@pytest.mark.parametrize("kind", ["case", "scenario", "card"])
def test_a_process_of_its_own_says_the_same(workspace, kind):
    path = workspace / KINDS[kind].path
    before = path.read_bytes()
    path.write_bytes(b"---\na: &a [*a]\n---\nx" if kind == "card" else b"a: &a [*a]")
    try:
        code = "from evals.cli import main; main()"
        paths = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])
        result = subprocess.run(
            [sys.executable, "-c", code, *KINDS[kind].command],
            cwd=workspace, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        path.write_bytes(before)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1 and "is nested more than 32 deep" in result.stderr
