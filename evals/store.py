"""One run, one SQLite file: plan, cases, attempts, grades and spending, each committed as it comes.

A write is in the file when the call returns, and stays there if the process is killed. One process writes at a
time; others may read. Closed, a run is a single plain file.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from pydantic import ValidationError

from evals.case import Case
from evals.contract import Contract, canonical, digest
from evals.episode import Episode, EpisodeKey
from evals.errors import UserError
from evals.grade import Grade, GradingContract, JudgeConfig
from evals.plan import Plan

APPLICATION_ID = 0x53494D53  # "SIMS", SQLite's own mark for whose file it is
SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE run (id INTEGER PRIMARY KEY CHECK (id = 1), plan_text TEXT NOT NULL, header TEXT NOT NULL);
CREATE TABLE cases (place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL, body TEXT NOT NULL,
    contract TEXT NOT NULL REFERENCES contracts);
CREATE TABLE contracts (digest TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE attempts (id INTEGER PRIMARY KEY, case_id TEXT NOT NULL, candidate TEXT NOT NULL, trial INTEGER NOT NULL,
    status TEXT NOT NULL, digest TEXT NOT NULL, episode BLOB NOT NULL, aside TEXT NOT NULL,
    started REAL NOT NULL, ended REAL NOT NULL,
    UNIQUE (case_id, candidate, trial));
CREATE TABLE grades (attempt INTEGER NOT NULL REFERENCES attempts, contract TEXT NOT NULL REFERENCES contracts,
    verdict TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (attempt, contract));
CREATE TABLE spend (id INTEGER PRIMARY KEY, what TEXT NOT NULL, worst INTEGER NOT NULL, actual INTEGER);
"""
LEVEL = 1
"""zlib level of episodes: on traces of 7 turns half the time of level 3 for a tenth more bytes."""


class RunHeader(Contract):
    """What a run was started with. `versions` are the digests of all that must stay as it is for it to go on:
    role cards and tools, by what people call them."""

    plan: Plan
    plan_digest: str
    system: str
    judge: JudgeConfig
    versions: dict[str, str] = {}
    software: dict[str, str] = {}
    live: bool = False
    started: str
    """Date and time the run was started, ISO 8601."""


@dataclass(frozen=True)
class RunCase:
    """A case as the run froze it, and the contract that the run grades it by, each with its digest.

    The digests are the ones of the day the run was started: a later version of SimSup may compute others.
    """

    case: Case
    case_digest: str
    contract: GradingContract
    contract_digest: str

    @classmethod
    def of(cls, case: Case, contract: GradingContract) -> RunCase:
        return cls(case, digest(case), contract, contract.digest())


class Attempt(NamedTuple):
    """One row of a run, without its episode."""

    key: EpisodeKey
    status: str
    digest: str
    started: float
    ended: float


class Store:
    """An open run file. Use it as a context manager; every method raises UserError if the file is damaged."""

    def __init__(self, path: Path, lock: _WriteLock | None) -> None:
        self.path = path
        self._lock = lock
        self._closed = False
        self._guard = threading.RLock()
        # A reader opens for writing too: the log of a killed writer can only be read by one who may fold it in.
        uri = f"{path.resolve().as_uri()}?mode={'rwc' if lock else 'rw'}"
        with _named(path):
            self._database = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)

    @classmethod
    def create(cls, path: Path, header: RunHeader, plan_text: str, cases: Sequence[RunCase]) -> Self:
        """Start a run in a new file. Raises UserError if the file exists."""
        if path.exists():
            raise UserError("exists already", where=str(path), do="Resume it with --resume, or name another file.")
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = _WriteLock(path)
        draft = path.with_name(f".{path.name}.new")
        draft.unlink(missing_ok=True)
        _write_schema(draft, header, plan_text, cases)
        draft.replace(path)  # whole or not at all: a kill in between leaves no run that cannot be resumed
        store = cls(path, lock)
        store._prepare_to_write()
        return store

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> Self:
        """Open a run, to read it or to go on with it.

        Raises UserError for a file that is missing, damaged, not SimSup's or newer than this version, and when
        another process is writing it.
        """
        if not path.is_file():
            raise UserError("no such run", where=str(path), do="`simsup run PLAN` makes one.")
        store = cls(path, _WriteLock(path) if write else None)
        try:
            store._check_version()
            if write:
                store._prepare_to_write()
            else:
                store._rows("PRAGMA query_only = ON")
        except UserError:
            store._let_go()
            raise
        return store

    def close(self) -> None:
        """Fold the write-ahead log into the file, so that one file is left, and let others write. Once is enough."""
        with self._guard:
            if self._closed:
                return
            if self._lock is not None:
                with suppress(sqlite3.OperationalError):  # while someone reads, the log stays beside the file
                    self._database.execute("PRAGMA journal_mode = DELETE")
            self._let_go()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def header(self) -> RunHeader:
        return self._parse(RunHeader, self._rows("SELECT header FROM run")[0][0])

    def plan_text(self) -> str:
        """The plan's file as it was when the run was started."""
        return self._rows("SELECT plan_text FROM run")[0][0]

    def cases(self) -> list[RunCase]:
        """The run's cases in plan order."""
        rows = self._rows(
            "SELECT cases.body, cases.digest, contracts.body, contracts.digest "
            "FROM cases JOIN contracts ON contract = contracts.digest ORDER BY place"
        )
        return [RunCase(self._parse(Case, c), c_is, self._parse(GradingContract, g), g_is) for c, c_is, g, g_is in rows]

    def add_episode(self, episode: Episode, started: float, ended: float) -> str:
        """Commit an attempt and give its content digest. `started` and `ended` are seconds since the epoch.

        Raises ValueError for a second attempt of the same trial.
        """
        key = episode.key
        record = episode.record()
        body = zlib.compress(record.content.encode(), LEVEL)
        status = episode.status.kind
        row = (key.case, key.candidate, key.trial, status, record.digest, body, record.aside, started, ended)
        try:
            with self._transaction() as database:
                database.execute("INSERT INTO attempts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        except sqlite3.IntegrityError:
            raise ValueError(f"the run already has an attempt of {_cell(key)}") from None
        return record.digest

    def attempts(self) -> list[Attempt]:
        """All attempts, sorted by key: never by the order in which they ended."""
        rows = self._rows(
            "SELECT case_id, candidate, trial, status, digest, started, ended FROM attempts "
            "ORDER BY case_id, candidate, trial"
        )
        return [Attempt(EpisodeKey(case=c, candidate=m, trial=t), *rest) for c, m, t, *rest in rows]

    def episode(self, key: EpisodeKey) -> Episode:
        """One recorded episode. Raises UserError if the run has none for this key."""
        rows = self._rows(f"SELECT episode, aside FROM attempts {_WHERE}", _cells(key))
        if not rows:
            raise UserError(f"no attempt of {_cell(key)}", where=str(self.path), do="`simsup show RUN` lists them.")
        return self._unpack(*rows[0])

    def episodes(self) -> Iterator[Episode]:
        """All episodes, sorted by key, one in memory at a time."""
        for attempt in self.attempts():
            yield self.episode(attempt.key)

    def add_grade(self, key: EpisodeKey, grade: Grade, contract: GradingContract) -> None:
        """Put a grade beside an episode. Raises ValueError if that contract has graded it before, or is another's."""
        if contract.digest() != grade.contract_digest:
            raise ValueError("the grade was not given by this contract")
        try:
            with self._transaction() as database:
                _put_contract(database, contract)
                database.execute(
                    f"INSERT INTO grades SELECT id, ?, ?, ? FROM attempts {_WHERE}",
                    (grade.contract_digest, grade.verdict, canonical(grade), *_cells(key)),
                )
        except sqlite3.IntegrityError:
            raise ValueError(f"{_cell(key)} has a grade by this contract; grades are never overwritten") from None

    def grades(self, key: EpisodeKey) -> list[Grade]:
        """All grades of an episode, one for each contract, in the order they were given."""
        rows = self._rows(
            f"SELECT body FROM grades WHERE attempt = (SELECT id FROM attempts {_WHERE}) ORDER BY rowid", _cells(key)
        )
        return [self._parse(Grade, body) for (body,) in rows]

    def add_spend(self, what: str, worst: int) -> int:
        with self._transaction() as database:
            cursor = database.execute("INSERT INTO spend VALUES (NULL, ?, ?, NULL)", (what, worst))
        return int(cursor.lastrowid or 0)

    def settle_spend(self, reservation: int, actual: int) -> None:
        with self._transaction() as database:
            done = database.execute(
                "UPDATE spend SET actual = ? WHERE id = ? AND actual IS NULL", (actual, reservation)
            ).rowcount
        if done != 1:
            raise ValueError(f"reservation {reservation} is not open")

    def total_spend(self) -> int:
        return int(self._rows("SELECT coalesce(sum(coalesce(actual, worst)), 0) FROM spend")[0][0])

    def open_spend(self) -> int:
        """Billionths of a dollar reserved by calls that never said what they cost."""
        return int(self._rows("SELECT coalesce(sum(worst), 0) FROM spend WHERE actual IS NULL")[0][0])

    def _let_go(self) -> None:
        self._closed = True
        self._database.close()
        if self._lock is not None:
            self._lock.release()

    def _prepare_to_write(self) -> None:
        # No fsync for each commit: a killed process loses nothing, a power cut only the latest attempts.
        for setting in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
            self._rows(f"PRAGMA {setting}")

    def _check_version(self) -> None:
        mark = self._rows("PRAGMA application_id")[0][0]
        version = self._rows("PRAGMA user_version")[0][0]
        if mark != APPLICATION_ID:
            raise _foreign(self.path)
        if version != SCHEMA_VERSION:
            raise UserError(
                f"has run format {version}, and this SimSup reads format {SCHEMA_VERSION}",
                where=str(self.path),
                do="Use the version of SimSup that wrote it.",
            )

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection, None, None]:
        with self._guard, _named(self.path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def _rows(self, statement: str, values: Iterable[Any] = ()) -> list[Any]:
        with self._guard, _named(self.path):
            return self._database.execute(statement, tuple(values)).fetchall()

    def _unpack(self, body: bytes, aside: str) -> Episode:
        try:
            return Episode.from_record(zlib.decompress(body).decode(), aside)
        except (zlib.error, ValueError, KeyError, TypeError):
            raise _damaged(self.path) from None

    def _parse(self, model: type[Any], body: str) -> Any:
        try:
            return model.model_validate(json.loads(body))
        except (ValidationError, json.JSONDecodeError):
            raise _damaged(self.path) from None


class _WriteLock:
    """An exclusive lock held in a file beside the run; the system lets go of it when the process dies."""

    def __init__(self, run: Path) -> None:
        self._path = run.with_name(run.name + ".lock")
        self._handle = self._take(run)

    def _take(self, run: Path) -> int:
        while True:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                raise UserError(
                    "another process is writing this run", where=str(run), do="Wait for it, or stop it."
                ) from None
            if self._is_ours(handle):
                return handle
            os.close(handle)  # the holder before us removed the file between our open and our lock

    def _is_ours(self, handle: int) -> bool:
        try:
            return os.fstat(handle).st_ino == self._path.stat().st_ino
        except FileNotFoundError:
            return False

    def release(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._handle)


_WHERE = "WHERE case_id = ? AND candidate = ? AND trial = ?"


def _cells(key: EpisodeKey) -> tuple[str, str, int]:
    return key.case, key.candidate, key.trial


def _cell(key: EpisodeKey) -> str:
    return f"{key.case} by {key.candidate}, trial {key.trial}"


@contextmanager
def _named(path: Path) -> Generator[None, None, None]:
    """Turn SQLite's complaints about the file into one line; a broken constraint is the caller's to explain."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.OperationalError as error:
        raise UserError(f"cannot be used: {error}", where=str(path), do="Check the file and its folder.") from None
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise _foreign(path) from None
        raise _damaged(path) from None


def _foreign(path: Path) -> UserError:
    return UserError("is not a SimSup run", where=str(path), do="Give a file that `simsup run` wrote.")


def _damaged(path: Path) -> UserError:
    return UserError("is damaged", where=str(path), do="Use a copy of it, or run the plan again.")


def _write_schema(path: Path, header: RunHeader, plan_text: str, cases: Sequence[RunCase]) -> None:
    """A run without an attempt, in a file of its own."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.execute("BEGIN")
        for statement in SCHEMA.split(";\n"):
            database.execute(statement)
        database.execute("INSERT INTO run VALUES (1, ?, ?)", (plan_text, canonical(header)))
        for place, item in enumerate(cases):
            contract = _put_contract(database, item.contract)
            row = (place, item.case.id, item.case_digest, _text(item.case), contract)
            database.execute("INSERT INTO cases VALUES (?, ?, ?, ?, ?)", row)
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        database.execute("COMMIT")
    finally:
        database.close()


def _put_contract(database: sqlite3.Connection, contract: GradingContract) -> str:
    name = contract.digest()
    database.execute("INSERT OR IGNORE INTO contracts VALUES (?, ?)", (name, _text(contract)))
    return name


def _text(contract: Contract) -> str:
    """A contract as it was given, for those that ask which of their fields were; the outermost ones are all there,
    so that a default which changes later changes no run."""
    return canonical(contract.model_dump(mode="json") | contract.model_dump(mode="json", exclude_unset=True))
