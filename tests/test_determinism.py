"""One digest for each flight, however it comes about; the benchmark flies every scenario a thousand times."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FLOWN = ("bed-degraded", "cable-fire", "coolant-leak", "suit-leak")


def determinism() -> ModuleType:
    spec = importlib.util.spec_from_file_location("determinism", ROOT / "benchmarks" / "determinism.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_eight_flights_in_eight_processes_have_one_digest() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.determinism", "8", "2", *FLOWN],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "32 flights of 4 scenarios" in found.stdout
    assert found.stdout.count("1 digest\n") == 8


def test_a_second_digest_is_a_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    module = determinism()

    def running(*_: Any) -> Iterator[dict[str, dict[str, int]]]:
        yield {"nominal nobody": {"a": 3}}
        yield {"nominal nobody": {"a": 1, "b": 1}}

    monkeypatch.setattr(module, "running", running)
    assert module.main(["5", "1", "nominal"]) == 1
    assert "5 flights   2 digests" in capsys.readouterr().out
