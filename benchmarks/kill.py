"""What a killed run loses: SIGKILL at 20 random moments of a real `simsup run`, then resume until it is complete.

Each moment is drawn from a seed: some fall while the process starts, the others while trials are under way. Whatever
was committed before a kill must be there after it, unchanged and once; the completed run must have the digests of a
run that nothing disturbed.

Run: python benchmarks/kill.py [SEED]
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from evals.errors import UserError
from evals.store import Store

ROOT = Path(__file__).parents[1]
SIMSUP = Path(sys.executable).with_name("simsup")
KILLS = 20
STARTING = 5
"""How many of the kills fall anywhere in the first seconds of a process, trials or not."""
START_S = 4.0
PLAN = {
    "id": "kill",
    "question": "What does a killed run lose?",
    "candidates": [{"id": "expert", "model": "pilot/expert"}, {"id": "trusting", "model": "pilot/trusting"}],
    "cases": ["*"],
    "trials": 2,
    "policy": {"order": ["complete_passes"], "gate": {"min_pass_rate": 0.0}},
}

Key = tuple[str, str, int]
Row = tuple[str, float, float, tuple[str, ...]]
"""Digest, start, end and verdicts of one attempt: all that tells it from another attempt of the same trial."""


@dataclass
class Victim:
    """One run file and what is known to have been committed to it."""

    plan: Path
    out: Path
    rng: random.Random
    kills: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    known: dict[Key, Row] = field(default_factory=dict)

    def start(self) -> subprocess.Popen[bytes]:
        """Start the run, or go on with it."""
        where = ["--resume" if self.rows() is not None else "--out", str(self.out)]
        if where[0] == "--out":
            self.out.unlink(missing_ok=True)  # killed before there was a run in it
        command = [str(SIMSUP), "run", str(self.plan), "--concurrency", "4", *where]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def rows(self) -> dict[Key, Row] | None:
        """The attempts in the file now; None if there is no run in it yet."""
        try:
            with Store.open(self.out) as store:
                return {
                    (one.key.case, one.key.candidate, one.key.trial): (
                        one.digest,
                        one.started,
                        one.ended,
                        tuple(grade.verdict for grade in store.grades(one.key)),
                    )
                    for one in store.attempts()
                }
        except UserError:
            return None

    def compare(self, moment: str) -> None:
        """Everything known must still be there as it was, but for a grade that came since. Remembers what is new."""
        now = self.rows()
        if now is None and self.known:
            self.lost.append(f"{moment}: the file cannot be read")
        self.look(now or {}, moment)

    def look(self, now: dict[Key, Row], moment: str) -> None:
        for key, row in self.known.items():
            after = now.get(key)
            if after is None:
                self.lost.append(f"{moment}: {key} is lost")
            elif after[:3] != row[:3] or after[3][: len(row[3])] != row[3]:
                self.lost.append(f"{moment}: {key} was {row}, is {after}")
            elif len(after[3]) > 1:
                self.lost.append(f"{moment}: {key} was graded {len(after[3])} times")
        self.known = now

    def kill_once(self, number: int) -> bool:
        """Start, wait for the drawn moment, kill, compare. False if the run was complete before it."""
        before = len(self.known)
        starting = number < STARTING
        more, pause = self.rng.randint(0, 3), self.rng.uniform(0.0, START_S if starting else 0.5)
        process = self.start()
        while not starting and process.poll() is None and len(self.known) - before <= more:
            now = self.rows()  # None for a moment, now and then: the writer is at it
            if now is not None:
                self.look(now, "while it ran")
            time.sleep(0.02)
        time.sleep(pause)
        if process.poll() is not None:
            return False
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.compare(f"kill {number + 1}")
        self.kills.append(f"{'starting' if starting else f'after {more + 1} more'}, +{pause:.2f} s: {len(self.known)}")
        return True

    def finish(self) -> str:
        """Resume to the end; returns what went wrong, if anything."""
        process = self.start()
        said = process.communicate()[0].decode()
        self.compare("the end")
        return "" if process.returncode == 0 else f"the last resume exited with {process.returncode}: {said}"


def undisturbed(plan: Path, out: Path) -> dict[Key, str]:
    victim = Victim(plan, out, random.Random(0))
    problem = victim.finish()
    if problem:
        raise RuntimeError(problem)
    return {key: row[0] for key, row in victim.known.items()}


def main() -> int:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    rng = random.Random(seed)
    problems: list[str] = []
    kills = runs = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = folder / "plan.yaml"
        plan.write_text(yaml.safe_dump(PLAN))
        expected = undisturbed(plan, folder / "undisturbed.sqlite")
        print(f"undisturbed: {len(expected)} attempts; seed {seed}")
        while kills < KILLS:
            runs += 1
            victim = Victim(plan, folder / f"victim-{runs}.sqlite", rng)
            while kills < KILLS and victim.kill_once(kills):
                kills += 1
                print(f"kill {kills:2}  {victim.kills[-1]} attempts kept")
            problem = victim.finish()
            problems += [*victim.lost, *([problem] if problem else [])]
            if {key: row[0] for key, row in victim.known.items()} != expected:
                problems.append(f"run {runs}: attempts or digests differ from those of the undisturbed run")
            if any(len(row[3]) != 1 for row in victim.known.values()):
                problems.append(f"run {runs}: not every attempt has exactly one grade")
    print(f"{kills} kills in {runs} runs of {len(expected)} attempts: {len(problems)} problems")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
