"""The one reader of YAML files: what it takes, and one line for everything that it does not."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from documents import reader
from documents.files import DocumentError
from documents.reader import load, parse

ROOT = Path(__file__).parents[2]
ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Leak(Closed):
    kind: Literal["leak"]
    hole_mm: float


class Fire(Closed):
    kind: Literal["fire"]
    zone: str


class Log(Closed):
    title: str = ""
    hours: float = Field(1.0, gt=0)
    crew: list[str] = Field(["CM1"], min_length=1, max_length=2)
    events: list[Leak | Fire] = []
    tagged: list[Any] = []
    first: Leak | Fire | None = Field(None, discriminator="kind")


def refusal(text: str, contract: Any = Log) -> str:
    with pytest.raises(DocumentError) as error:
        parse(text, contract, "x.yaml")
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("Yes", "Yes"),
        ("true", True),
        ("12:30", "12:30"),
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("010", 10),
        ("0x1f", "0x1f"),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("1_000", "1_000"),
        (".nan", ".nan"),
        (".inf", ".inf"),
        ("'7'", "7"),
        ("~", None),
        ("'~'", "~"),
        ("{1: a, true: b, ~: c}", {"1": "a", "true": "b", "~": "c"}),
        ("[&a {x: 1}, *a]", [{"x": 1}, {"x": 1}]),
        ('{"<<": 1}', {"<<": 1}),
        ("", None),
        ("# nothing", None),
        ("\ufeffa", "a"),
    ],
)
def test_yaml_means_what_it_shows(text: str, value: object) -> None:
    assert parse(text, ANYTHING, "x.yaml") == value


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (BOMB, "x.yaml:1: there are more than 10000 values, aliases written out"),
        ("a: &a [*a]", "x.yaml:1: is nested more than 32 deep, or an alias of what it stands in"),
        ("a: &a {b: *a}", "x.yaml:1: is nested more than 32 deep, or an alias of what it stands in"),
        ("[" * 40, "x.yaml:1: is not YAML: it is nested more than 32 deep"),
        ("x: 1\na: !!python/object/apply:os.system [ls]", "x.yaml:2: the tag !!python/object/apply:os.system has no"),
        ("a: !!binary aGVsbG8=", "x.yaml:1: the tag !!binary has no meaning here; leave it out"),
        ("a: !!str 7", "x.yaml:1: the tag !!str has no meaning here; leave it out"),
        ("a: ! 7", "x.yaml:1: the tag ! has no meaning here; leave it out"),
        ("!!int a: 7", "x.yaml:1: the tag !!int has no meaning here; leave it out"),
        ("!!set {a, b}", "x.yaml:1: the tag !!set has no meaning here; leave it out"),
        ("%TAG ! tag:a,1:\n--- !b {}", "x.yaml:2: the tag tag:a,1:b has no meaning here; leave it out"),
        ("a: {b: [0, 1e999]}", "x.yaml:1: a.b.1: Input should be a finite number, not 1e999, which is too large"),
        (f"a: {'9' * 5000}", "x.yaml:1: a: is a number of 5000 characters; write at most 300, or quote it if it is"),
        ("a: 1\nb: {c: 1,\n  c: 2}", "x.yaml:3: the key 'c' is already on line 2; remove one"),
        ("? [a]\n: 1", "x.yaml:1: a key must be a word, not a list or a mapping"),
        ("a: &a {x: 1}\nb:\n  <<: *a", "x.yaml:3: the merge key << has no meaning here; write its fields out"),
        ("a: 1\n---\nb: 2", "x.yaml:2: is not YAML: a second document begins here; a file holds one"),
        ("a:\n\tb: 1", "x.yaml:2: is not YAML: a tab indents it; indent with spaces"),
        ("a\n\x00b", "x.yaml:2: is not YAML: the control character U+0000 is not allowed; take it out"),
        ("a: *b", "x.yaml:1: is not YAML: found undefined alias"),
        ("a: [1", "x.yaml:1: is not YAML: did not find expected ',' or ']'"),
        ("a:\n  - b\n c: 1", "x.yaml:3: is not YAML: did not find expected key, while parsing a block mapping"),
        ("a: @b", "x.yaml:1: is not YAML: found character that cannot start any token"),
        ('a: "\\ud800"', "x.yaml:1: is not YAML: found invalid Unicode character escape code"),
    ],
)  # fmt: skip
def test_what_no_contract_could_hold_is_told_with_its_line(text: str, line: str) -> None:
    assert refusal(text, ANYTHING).startswith(line)


def test_the_other_parser_of_pyyaml_is_bounded_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    import yaml

    class Pure(yaml.SafeLoader):
        yaml_implicit_resolvers: dict[str, Any] = {}

    monkeypatch.setattr(reader, "_Loader", Pure)
    assert parse("{a: 7, b: '7', c: on, d: 2026-01-01}", ANYTHING, "") == {
        "a": 7,
        "b": "7",
        "c": "on",
        "d": "2026-01-01",
    }
    for text, line in {
        BOMB: "x.yaml:1: there are more than 10000 values",
        "a: &a [*a]": "x.yaml:1: is nested more than 32 deep, or an alias",
        "[" * 100_000: "x.yaml:1: is not YAML: it is nested more than 32 deep",
        "a: !!python/none ~": "x.yaml:1: the tag !!python/none has no meaning here",
        "a:\n\tb: 1": "x.yaml:2: is not YAML: a tab indents it",
        'a: "\\ud800"': "x.yaml:1: a: has half a surrogate pair, which is no character",
    }.items():
        assert refusal(text, ANYTHING).startswith(line)


def test_our_own_files_read_alike_by_both_parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    import yaml

    class Pure(yaml.SafeLoader):
        yaml_implicit_resolvers: dict[str, Any] = {}

    files = [*ROOT.glob("cases/**/*workflow*.yaml"), *ROOT.glob("decisions/*/*.yaml"), *ROOT.glob("*.yaml")]
    assert len(files) > 8
    before = [load(path, ANYTHING) for path in files]
    monkeypatch.setattr(reader, "_Loader", Pure)
    assert [load(path, ANYTHING) for path in files] == before


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "x.yaml: should be a mapping of fields to values, not nothing"),
        ("- 1", "x.yaml:1: should be a mapping of fields to values, not a list"),
        ("title: a\nhuors: 3", "x.yaml:2: huors: is not a field here; near: hours"),
        ("7: a", "x.yaml:1: 7: is not a field here; there are title, hours, crew, events, tagged, first"),
        ("'': a", "x.yaml:1: '': is not a field here; there are title, hours"),
        ("title: 7", "x.yaml:1: title: Input should be a valid string, not 7; quote it if it is text"),
        ("title: true", "x.yaml:1: title: Input should be a valid string, not true; quote it if it is text"),
        ("title:", "x.yaml:1: title: Input should be a valid string, not nothing"),
        ("hours: .nan", "x.yaml:1: hours: Input should be a valid number, not '.nan'"),
        ("hours: nan", "x.yaml:1: hours: Input should be a valid number, not 'nan'"),
        ("hours: Infinity", "x.yaml:1: hours: Input should be a valid number, not 'Infinity'"),
        ("hours: 2026-01-01", "x.yaml:1: hours: Input should be a valid number, not '2026-01-01'"),
        ("hours: true", "x.yaml:1: hours: Input should be a valid number, not true"),
        ("hours: '8'", "x.yaml:1: hours: Input should be a valid number, not '8'"),
        ("crew: []", "x.yaml:1: crew: should have at least 1 entry, not 0"),
        ("crew: [a, b, c]", "x.yaml:1: crew: should have at most 2 entries, not 3"),
        ("crew: CM1", "x.yaml:1: crew: should be a list, not 'CM1'"),
        ("first: {hole_mm: 3}", "x.yaml:1: first.kind: is missing"),
        ("first:\n  kind: flood", "x.yaml:1: first.kind: should be one of 'leak', 'fire', not 'flood'"),
        ("first:\n  kind: leak\n  hole: 3", "x.yaml:3: first.hole: is not a field here; near: hole_mm; and 1 more"),
        ("first: {kind: leak}", "x.yaml:1: first.hole_mm: is missing"),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_contract_is_told_with_its_field(text: str, line: str) -> None:
    assert refusal(text).startswith(line)


def test_a_day_is_text_where_text_is_wanted() -> None:
    assert parse("{title: 2026-01-01, hours: 3}", Log, "").title == "2026-01-01"


def test_nobodys_words_are_said_back_at_length() -> None:
    long = "x" * 100_000
    for text in (
        f"{long}: 1",
        f"'{long.replace('x', ' ')}': 1",
        f"title: [{long}]",
        f"hours: {long}",
        f"first: {{kind: {long}}}",
        f"a: !!{long} b",
    ):
        assert len(refusal(text)) < 300


def test_bombs_cost_little() -> None:
    began = time.process_time()
    for text in (BOMB, "[" * 100_000, "- " * 50_000, "{a: " * 50_000, "a: &a [*a]", "'" * 100_000, "9" * 200_000):
        refusal(text)
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", "x.yaml: is empty"),
        (b" \n\n", "x.yaml: is empty"),
        (b"\xef\xbb\xbf", "x.yaml: is empty"),
        (b"title: \xe9", "x.yaml: is not UTF-8 text: unexpected end of data at byte 7; save it as UTF-8"),
        ("title: a".encode("utf-16"), "x.yaml: is not UTF-8 text: invalid start byte at byte 0; save it as UTF-8"),
        (b"title: " + b"x" * 10_000_000, "x.yaml: is larger than 256 kB; split it, or leave out what is not read"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_text_is_told(tmp_path: Path, content: bytes, line: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    with pytest.raises(DocumentError) as error:
        load(path, Log, "x.yaml")
    assert str(error.value) == line


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"x: cannot be read \(Is a directory\)$"):
        load(tmp_path, Log, "x")
    with pytest.raises(DocumentError, match=r"none\.yaml: cannot be read \(No such file or directory\)$"):
        load(tmp_path / "none.yaml", Log)
    with pytest.raises(DocumentError, match=r"/dev/zero: is larger than 256 kB"):
        load(Path("/dev/zero"), Log)


def test_a_byte_order_mark_and_the_line_ends_of_others_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xef\xbb\xbftitle: |\r\n  a\r\n  b\r\nhours: 3\r\n")
    assert load(path, Log) == Log(title="a\nb\n", hours=3)
