"""The run file: what is written stays, nothing is overwritten, and a wrong file gets one line."""

from __future__ import annotations

import runpy
import sqlite3
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evals.contract import canonical
from evals.episode import EpisodeKey
from evals.errors import UserError
from evals.store import LEVEL, Store

fakes: Any = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("fake_run.py"))))
KEY = EpisodeKey(case="a-1", candidate="good", trial=0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results" / "toy-1.sqlite"


@pytest.fixture
def store(path: Path):
    with Store.create(path, fakes.make_header(fakes.make_plan()), "the plan\n", fakes.frozen()) as store:
        yield store


def test_a_run_reads_back_what_it_was_started_with(store):
    assert store.header() == fakes.make_header(fakes.make_plan())
    assert store.plan_text() == "the plan\n"
    assert store.cases() == fakes.frozen()
    assert store.attempts() == []


def test_an_episode_and_its_grade_read_back_as_they_were(store):
    episode = fakes.make_episode("a-1", "good")
    contract = store.cases()[0].contract
    store.add_episode(episode, 10.0, 12.5)
    store.add_grade(KEY, fakes.make_grade(episode, contract), contract)
    assert store.episode(KEY) == episode
    assert store.episode(KEY).content_digest() == episode.content_digest()
    assert [(a.key, a.status, a.digest, a.started, a.ended) for a in store.attempts()] == [
        (KEY, "completed", episode.content_digest(), 10.0, 12.5)
    ]
    assert [grade.verdict for grade in store.grades(KEY)] == ["pass"]


def test_attempts_are_listed_by_key_and_never_by_when_they_ended(store):
    for case, candidate in (("b-1", "good"), ("a-1", "good"), ("a-1", "bad")):
        store.add_episode(fakes.make_episode(case, candidate), 0.0, 0.0)
    assert [(a.key.case, a.key.candidate) for a in store.attempts()] == [
        ("a-1", "bad"),
        ("a-1", "good"),
        ("b-1", "good"),
    ]


def test_an_attempt_is_never_overwritten(store):
    store.add_episode(fakes.make_episode("a-1", "good"), 0.0, 0.0)
    with pytest.raises(ValueError, match=r"^the run already has an attempt of a-1 by good, trial 0$"):
        store.add_episode(fakes.make_episode("a-1", "good", wall_s=9.0), 0.0, 0.0)
    assert store.episode(KEY).wall_s == 1.0


def test_grades_of_several_contracts_stand_beside_each_other(store):
    episode = fakes.make_episode("a-1", "good")
    first = store.cases()[0].contract
    second = first.model_copy(update={"grader_version": 2})
    store.add_episode(episode, 0.0, 0.0)
    store.add_grade(KEY, fakes.make_grade(episode, first), first)
    store.add_grade(KEY, fakes.make_grade(episode, second, "fail"), second)
    assert [grade.verdict for grade in store.grades(KEY)] == ["pass", "fail"]
    with pytest.raises(ValueError, match="grades are never overwritten"):
        store.add_grade(KEY, fakes.make_grade(episode, first, "fail"), first)
    assert [grade.verdict for grade in store.grades(KEY)] == ["pass", "fail"]


def test_a_grade_by_another_contract_is_refused(store):
    episode = fakes.make_episode("a-1", "good")
    first = store.cases()[0].contract
    store.add_episode(episode, 0.0, 0.0)
    with pytest.raises(ValueError, match="not given by this contract"):
        store.add_grade(KEY, fakes.make_grade(episode, first), first.model_copy(update={"grader_version": 2}))


def test_others_read_while_one_writes_and_see_each_commit(store, path):
    store.add_episode(fakes.make_episode("a-1", "good"), 0.0, 0.0)
    with Store.open(path) as reader:
        assert len(reader.attempts()) == 1
        store.add_episode(fakes.make_episode("a-2", "good"), 0.0, 0.0)
        assert len(reader.attempts()) == 2
        with pytest.raises(UserError, match="readonly"):
            reader.add_episode(fakes.make_episode("b-1", "good"), 0.0, 0.0)


def test_a_second_writer_is_told_so_in_one_line(store, path):
    with pytest.raises(UserError) as told:
        Store.open(path, write=True)
    assert str(told.value) == f"{path}: another process is writing this run. Wait for it, or stop it."


def test_the_lock_goes_with_its_writer(store, path):
    store.close()
    Store.open(path, write=True).close()


def test_a_closed_run_is_a_single_file(store, path):
    store.add_episode(fakes.make_episode("a-1", "good"), 0.0, 0.0)
    assert (path.parent / "toy-1.sqlite-wal").exists()
    store.close()
    assert [file.name for file in path.parent.iterdir()] == ["toy-1.sqlite"]
    path.parent.chmod(0o555)
    path.chmod(0o444)
    with Store.open(path) as again:
        assert len(again.attempts()) == 1
    path.parent.chmod(0o755)


def test_an_existing_file_is_not_written_over(store, path):
    with pytest.raises(UserError) as told:
        Store.create(path, store.header(), "", [])
    assert str(told.value) == f"{path}: exists already. Resume it with --resume, or name another file."


def test_a_missing_run_gets_one_line(path):
    with pytest.raises(UserError) as told:
        Store.open(path)
    assert str(told.value) == f"{path}: no such run. `simsup run PLAN` makes one."


def test_a_text_file_is_no_run(tmp_path):
    file = tmp_path / "notes.sqlite"
    file.write_text("not a database, but long enough to have a header")
    with pytest.raises(UserError) as told:
        Store.open(file)
    assert str(told.value) == f"{file}: is not a SimSup run. Give a file that `simsup run` wrote."


@pytest.mark.parametrize("write", [False, True])
def test_another_programs_database_is_no_run_and_stays_as_it_was(tmp_path, write):
    file = tmp_path / "other.sqlite"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE attempts (id)")
    before = file.read_bytes()
    with pytest.raises(UserError, match="is not a SimSup run"):
        Store.open(file, write=write)
    assert file.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["other.sqlite"]


def test_a_newer_run_says_which_format_it_has(store, path):
    store.close()
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 7")
    with pytest.raises(UserError) as told:
        Store.open(path)
    assert str(told.value) == (
        f"{path}: has run format 7, and this SimSup reads format 1. Use the version of SimSup that wrote it."
    )


def test_a_damaged_episode_is_named_and_no_traceback(store, path):
    store.add_episode(fakes.make_episode("a-1", "good"), 0.0, 0.0)
    with sqlite3.connect(path) as vandal:
        vandal.execute("UPDATE attempts SET episode = x'00ff'")
    with pytest.raises(UserError) as told:
        store.episode(KEY)
    assert str(told.value) == f"{path}: is damaged. Use a copy of it, or run the plan again."


def test_a_file_with_pages_of_rubbish_is_named_damaged(store, path):
    for trial in range(20):
        store.add_episode(fakes.make_episode("a-1", "good", trial), 0.0, 0.0)
    store.close()
    body = bytearray(path.read_bytes())
    body[4096:] = b"\xab" * (len(body) - 4096)
    path.write_bytes(bytes(body))
    with Store.open(path) as broken, pytest.raises(UserError, match="is damaged"):
        broken.header()


def test_spending_is_in_the_file_before_the_call_returns(store, path):
    first = store.add_spend("clerk", 70)
    store.add_spend("clerk", 30)
    store.settle_spend(first, 20)
    with Store.open(path) as reader:
        assert (reader.total_spend(), reader.open_spend()) == (50, 30)
    with pytest.raises(ValueError, match="reservation 1 is not open"):
        store.settle_spend(first, 20)


def test_compression_makes_an_episode_half_or_less():
    events = [fakes.make_episode("a-1", "good", trial).trace[1] for trial in range(7)]
    text = canonical(fakes.make_episode("a-1", "good", trace=events)).encode()
    assert len(zlib.compress(text, LEVEL)) < len(text) / 2
