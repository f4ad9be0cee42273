"""The command line on a small workspace of its own: what each verb says, and what a mistake gets."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from evals import cli
from evals.errors import InterruptedRunError
from evals.store import Store
from evals.verbs.replay import replay_run
from evals.workspace import find_workspace

ROOT = Path(__file__).parents[2]
SYSTEM = '''
from agents import Agent, ModelSettings, function_tool
from pydantic import BaseModel

from evals.case import Step
from evals.contract import digest
from evals.episode import Knowledge
from evals.models.scripted import scripted
from evals.system import Observation, Role, Team


class Answer(BaseModel):
    verdict: str


class World:
    def now(self): return 0.0
    def observe(self): return Observation({}, [], digest({}))
    def knowledge(self): return Knowledge()


class Toy:
    name = "toy"

    def __init__(self, workspace):
        self.card = workspace.find("agents/clerk.md").read_text()

    def roles(self):
        return {"clerk": Role(name="clerk", kind="specialist", tools=["look"], output="Answer", turns=4, tool_calls=4,
                              seconds=10, default_model="pilot/good", digest=digest(self.card))}

    def open(self, setup): return World()

    def team(self, world, bindings):
        @function_tool
        def look(where: str) -> str:
            """Look somewhere."""
            return "{}"

        clerk = Agent(name="clerk", instructions=self.card, model=bindings["clerk"].model, tools=[look],
                      model_settings=ModelSettings(), output_type=Answer)
        return Team(agents={"clerk": clerk}, coordinator="clerk", consult_tools={})

    def pilot(self, name, role):
        look = Step.model_validate({"calls": [{"tool": "look", "args": {"where": "here"}}]})
        return scripted(role, [look, Step(output={"verdict": name})])

    def pilots(self): return ["good", "bad"]


def greet(name: str = "you") -> None:
    """Greet."""
    print(f"hello {name}")
'''
CASE = {
    "system": "toy",
    "scope": "agent",
    "role": "clerk",
    "task": "Say what is so.",
    "expect": {
        "checks": [{"check": "field", "path": "verdict", "equals": "good"}, {"check": "called", "tool": "look"}],
        "must_fail": [{"because": "is wrong", "on": ["field"], "response": {"verdict": "bad"}}],
    },
    "budget": {"turns": 4, "tool_calls": 4, "seconds": 30},
    "tags": {"mechanism": "plain", "expects": "report", "difficulty": "easy"},
    "provenance": {"source": "authored", "basis": "test", "review": "none", "reviewed": "2026-01-01"},
}
PLAN = {
    "question": "Which clerk?",
    "candidates": [{"id": "good", "model": "pilot/good"}, {"id": "bad", "model": "pilot/bad"}],
    "cases": ["*"],
    "policy": {"order": ["complete_passes"], "gate": {"min_pass_rate": 0.5}},
}
CLARK = {"thinking": "off", "roles": {"clark": "off"}}
PAID = {"candidates": [{"id": "luna", "model": "openai/gpt-6-luna@low"}]}
RUN = "results/first-flight-1.sqlite"


def dump(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(data, sort_keys=False))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a-1", "a-2"):
        reference = f"references/{name}.yaml"
        case = CASE | {"expect": CASE["expect"] | {"must_pass": {"reference": reference}}}
        dump(tmp_path / f"cases/agent/{name}.yaml", {"id": name} | case)
        steps = [{"calls": [{"tool": "look", "args": {"where": "here"}}]}, {"output": {"verdict": "good"}}]
        dump(tmp_path / "cases" / reference, {"case": name, "roles": {"clerk": steps}})
    dump(tmp_path / "decisions/first-flight/plan.yaml", {"id": "first-flight"} | PLAN)
    dump(tmp_path / "decisions/paid/plan.yaml", {"id": "paid"} | PLAN | PAID)
    (tmp_path / "prices.yaml").write_text((ROOT / "prices.yaml").read_text())
    (tmp_path / "judge.yaml").write_text("model: openai/gpt-6-luna@low\nversion: 1\nprompt: Judge.\n")
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents/clerk.md").write_text("You are a clerk.")
    (tmp_path / "toy_cli_system.py").write_text(SYSTEM)
    verbs = '[verbs]\ngreet = {run = "toy_cli_system:greet", help = "Greet somebody."}\n'
    (tmp_path / "simsup.toml").write_text(f'system = "toy_cli_system:Toy"\n{verbs}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "toy_cli_system", raising=False)
    return tmp_path


def simsup(*arguments: str) -> int:
    return cli.execute(arguments)


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on stderr."""
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    return text.rstrip("\n")


def test_the_demo_flies_decides_and_says_what_next(here, capsys):
    assert simsup("demo") == 0
    out, err = capsys.readouterr()
    for line in (
        "They prove that the instrument tells good from bad. They say nothing about any model.",
        "first-flight: 4 episodes, no paid calls.",
        "Decision: Winner: good. Only one candidate meets the gate.",
        f"Run file: {RUN}",
        f"Record:   {RUN.removesuffix('.sqlite')}.record.md",
        f"  simsup show {RUN} a-2 bad",
    ):
        assert line in out.splitlines()
    assert "x FAIL a-1  bad  field" in out
    assert "4/4 " in err
    record = (here / f"{RUN.removesuffix('.sqlite')}.record.md").read_text()
    assert "**Winner: good.**" in record
    assert "They say nothing about any model" in record.replace("they", "They")


def test_the_demo_names_the_command_as_it_was_called_where_it_is_not_on_the_path(here, capsys, monkeypatch):
    (here / ".venv/bin").mkdir(parents=True)
    (here / ".venv/bin/simsup").write_text("")
    monkeypatch.setattr("sys.argv", [str(here / ".venv/bin/simsup"), "demo"])
    monkeypatch.setenv("PATH", "")
    assert simsup("demo") == 0
    assert f"  .venv/bin/simsup show {RUN} a-2 bad" in capsys.readouterr().out.splitlines()


def test_a_replay_says_how_far_it_is_to_somebody_who_watches(here, capsys):
    told: list[tuple[int, int]] = []
    assert simsup("run", "first-flight") == 0
    assert replay_run(find_workspace(here), here / RUN, lambda line: None, lambda *done: told.append(done)) == 0
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4)]


def test_a_run_is_flown_shown_and_decided(here, capsys):
    assert simsup("run", "first-flight", "--concurrency", "2") == 0
    assert f"Next: simsup decide first-flight {RUN}" in capsys.readouterr().out.splitlines()
    assert simsup("show", RUN) == 0
    assert "cases passed" in capsys.readouterr().out
    assert simsup("show", RUN, "a-1", "bad") == 0
    out = capsys.readouterr().out
    assert 'look {"where": "here"}' in out
    assert "x FAIL  field (deterministic)" in out
    assert simsup("decide", "first-flight", RUN) == 0
    assert "Winner: good." in capsys.readouterr().out.splitlines()
    first = (here / "decisions/first-flight/record.md").read_text()
    assert simsup("decide", "first-flight", RUN) == 0
    assert (here / "decisions/first-flight/record.md").read_text() == first


def test_a_second_run_gets_a_file_of_its_own(here):
    assert simsup("run", "first-flight") == 0
    assert simsup("run", "first-flight", "--concurrency", "8") == 0
    with Store.open(here / RUN) as one, Store.open(here / "results/first-flight-2.sqlite") as two:
        assert [(a.key, a.digest) for a in one.attempts()] == [(a.key, a.digest) for a in two.attempts()]


def test_resume_flies_only_what_is_missing_and_refuses_a_changed_role_card(here, capsys):
    assert simsup("run", "first-flight", "--out", "run.sqlite") == 0
    with Store.open(here / "run.sqlite") as store:
        before = store.attempts()
    assert simsup("run", "first-flight", "--resume", "run.sqlite") == 0
    with Store.open(here / "run.sqlite") as store:
        assert store.attempts() == before
    (here / "agents/clerk.md").write_text("You are another clerk.")
    capsys.readouterr()
    assert simsup("run", "first-flight", "--resume", "run.sqlite") == 2
    assert complaint(capsys) == (
        "simsup: run.sqlite: cannot go on, since it started these changed: role card clerk. "
        "Undo the change, or start a new run."
    )


def test_the_verbs_of_a_system_are_ours(here, capsys):
    assert simsup("greet", "Ada") == 0
    assert capsys.readouterr().out == "hello Ada\n"
    assert simsup("--help") == 0
    assert "Greet somebody." in capsys.readouterr().out


def test_cases_check_and_map_work_on_any_system(here, capsys):
    assert simsup("cases", "a-2") == 0
    table = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert table == [
        ["case", "scope", "role", "expects", "mechanism", "split"],
        ["a-2", "agent", "clerk", "report", "plain", "dev"],
    ]
    assert simsup("check") == 0
    assert "2 cases, 4 controls: 4 hold, 0 do not." in capsys.readouterr().out
    assert simsup("map") == 0
    assert "clerk" in capsys.readouterr().out


def test_a_run_replays_to_the_same_digests(here):
    assert simsup("run", "first-flight") == 0
    assert simsup("replay", RUN) == 0


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("rnu",), "no command 'rnu'. Did you mean run?"),
        (("xyz",), "no command 'xyz'. The commands are run, check, replay, decide, show, cases, map, demo, greet."),
        (("run",), "run needs a PLAN. See `simsup run --help`."),
        (("run", "small", "extra"), "run takes no more arguments; left over: extra. See `simsup run --help`."),
        (("run", "first-fligt"), "no plan 'first-fligt'. Did you mean first-flight?"),
        (("run", "first-flight", "--concurrency", "0"), "--concurrency: must be at least 1"),
        (
            ("run", "first-flight", "--live"),
            "--live needs a spending limit. Add --limit-usd, such as --limit-usd 0.01.",
        ),
        (("run", "first-flight", "--resume", "x.sqlite"), "x.sqlite: no such run. `simsup run PLAN` makes one."),
        (
            ("run", "first-flight", "--resume", "x", "--out", "y"),
            "--out and --resume exclude each other. Give one of them.",
        ),
        (
            ("run", "paid"),
            "paid calls are on hold. Release them with --live --limit-usd USD, or choose pilots.",
        ),
        (("run", "paid", "--live"), "--live needs a spending limit. Add --limit-usd, such as --limit-usd 0.09."),
        (
            ("run", "paid", "--live", "--limit-usd", "1"),
            "OPENAI_API_KEY is not set. Export it, or choose pilot models, which need no key",
        ),
        (("cases", "a-3"), "no case 'a-3'. Did you mean a-2 or a-1?"),
        (("show", "simsup.toml"), "simsup.toml: is not a SimSup run. Give a file that `simsup run` wrote."),
        (("show", "x", "a-1"), "a-1 was flown by several candidates. Write: simsup show RUN CASE CANDIDATE."),
    ],
)
def test_a_mistake_gets_one_line_and_exit_code_2(here, capsys, monkeypatch, arguments, line):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert simsup(*arguments) == 2
    assert complaint(capsys) == f"simsup: {line}"
    assert not (here / "results").exists()


@pytest.mark.parametrize(
    ("file", "change", "line"),
    [
        (
            "decisions/first-flight/plan.yaml",
            {"candidates": [{"id": "x", "model": "pilot/best"}]},
            "unknown model pilot/best. This system's pilots are pilot/good, pilot/bad",
        ),
        (
            "decisions/first-flight/plan.yaml",
            {"candidates": [{"id": "x", "model": "pilot/good", "roles": {"clark": "pilot/bad"}}]},
            "decisions/first-flight/plan.yaml: candidate x names no role of this system: 'clark'. Did you mean clerk?",
        ),
        (
            "decisions/first-flight/plan.yaml",
            {"candidates": [{"id": "x", "model": "openai/gpt-9"}]},
            "prices.yaml: no price for openai/gpt-9. Add its input, cached and output prices.",
        ),
        (
            "decisions/first-flight/plan.yaml",
            {"clock": {"thinking": {"kind": "fixed", "seconds": 5}}},
            "decisions/first-flight/plan.yaml: clock: is to run, and no time can pass in a world of toy: give it "
            "think(seconds), or leave the clock off",
        ),
        (
            "decisions/first-flight/plan.yaml",
            {"candidates": [{"id": "x", "model": "pilot/good", "clock": CLARK}]},
            "decisions/first-flight/plan.yaml: candidate x: clock: names no role of toy: 'clark'; there are clerk",
        ),
        (
            "decisions/first-flight/plan.yaml",
            {"clock": {"thinking": {"kind": "fixd", "seconds": 5}}},
            "decisions/first-flight/plan.yaml:16: clock.thinking.kind: should be one of 'off', 'fixed', "
            "'drawn', 'recorded', not 'fixd'",
        ),
        (
            "decisions/first-flight/plan.yaml",
            {"clock": {"thinking": "drawn"}},
            "decisions/first-flight/plan.yaml:16: clock.thinking: a drawn cost takes either median_s and sigma, or "
            "quantiles_s",
        ),
        (
            "cases/agent/a-1.yaml",
            {"setup": {"clock": {"thinking": "recorded"}}},
            "cases/agent/a-1.yaml:34: setup: the clock of a case is off, fixed or drawn: a measured one is a plan's or "
            "a candidate's",
        ),
        (
            "cases/agent/a-1.yaml",
            {"system": "mars"},
            "a-1: system: is 'mars', but this workspace flies 'toy'. Correct the case, or leave it out of the plan.",
        ),
    ],
)
def test_a_mistake_in_a_file_is_found_before_anything_is_flown(here, capsys, file, change, line):
    dump(here / file, yaml.safe_load((here / file).read_text()) | change)
    assert simsup("run", "first-flight") == 2
    assert complaint(capsys) == f"simsup: {line}"
    assert not (here / "results").exists()


def test_show_names_what_a_run_has(here, capsys):
    assert simsup("run", "first-flight") == 0
    capsys.readouterr()
    assert simsup("show", RUN, "a-1", "god") == 2
    assert complaint(capsys) == f"simsup: {RUN}: no candidate 'god' in this run. Did you mean good?"
    assert simsup("show", RUN, "a-1", "good", "--trial", "3") == 2
    assert complaint(capsys) == f"simsup: {RUN}: no attempt of a-1 by good, trial 3. `simsup show RUN` lists them."


def test_an_error_of_a_system_is_reported_at_the_end_and_the_rest_is_kept(here, capsys):
    code = SYSTEM.replace("scripted(role, [look,", 'scripted(role, {"good": 1}[name] and [look,')
    (here / "toy_cli_system.py").write_text(code)
    assert simsup("run", "first-flight") == 1
    out = capsys.readouterr().out
    assert "CRASHED a-1 bad trial 0: KeyError: 'bad'" in out.splitlines()
    assert "2 trials ended in an error of SimSup or of a case; nothing is stored for them." in out
    assert f"2 of 4 trials are left. Go on with: simsup run first-flight --resume {RUN}" in out
    with Store.open(here / RUN) as store:
        assert [a.key.candidate for a in store.attempts()] == ["good", "good"]


def test_ctrl_c_leaves_a_run_and_says_how_to_go_on(here, capsys, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("evals.verbs.run._fly", interrupted)
        assert simsup("run", "first-flight") == 130
    assert complaint(capsys) == (
        f"simsup: interrupted; what had ended is kept. Go on with: simsup run first-flight --resume {RUN}"
    )
    assert simsup("run", "first-flight", "--resume", RUN) == 0


def test_ctrl_c_in_any_verb_is_said(here, capsys, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evals.verbs.check.check", interrupted)
    assert simsup("check") == 130
    assert complaint(capsys) == "simsup: interrupted"


def test_a_run_of_another_plan_is_not_gone_on_with(here, capsys):
    assert simsup("run", "first-flight", "--out", "run.sqlite") == 0
    plan = yaml.safe_load((here / "decisions/first-flight/plan.yaml").read_text()) | {"id": "other"}
    (here / "decisions/other").mkdir()
    (here / "decisions/other/plan.yaml").write_text(yaml.safe_dump(plan))
    capsys.readouterr()
    assert simsup("run", "other", "--resume", "run.sqlite") == 2
    assert complaint(capsys) == (
        "simsup: run.sqlite: is a run of the plan first-flight, not of other. "
        "Go on with it by `simsup run first-flight`, or start a new run."
    )


def test_an_interrupted_run_exits_130(monkeypatch, capsys):
    def stopped(*_: object) -> None:
        raise InterruptedRunError("interrupted; go on")

    monkeypatch.setattr(cli, "build", stopped)
    assert simsup("run", "x") == 130
    assert complaint(capsys) == "simsup: interrupted; go on"


HEAVY = ("agents", "openai", "fastmcp", "mcp", "scipy", "numpy", "pydantic", "yaml", "simpy", "pint")


def test_help_answers_at_once_and_loads_nothing_heavy():
    code = (
        "import sys; from evals import cli; code = cli.execute(['--help']); "
        f"heavy = [name for name in {HEAVY} if name in sys.modules]; sys.exit(code or heavy or 0)"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    assert cpu < 0.6, "twice the bar of 300 ms, for machines at half our speed"


def test_help_answers_where_there_is_no_workspace(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "simsup.toml").write_text("not TOML")
    assert simsup("--help") == 0
    assert "Usage: simsup COMMAND" in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["run", "check", "replay", "decide", "show", "cases", "map", "demo"])
def test_every_verb_has_help_with_an_example(verb, capsys):
    assert simsup(verb, "--help") == 0
    assert f"Example: simsup {verb}" in capsys.readouterr().out
