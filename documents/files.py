"""The text of files that people write, within bounds."""

from __future__ import annotations

from pathlib import Path

MAX_BYTES = 256 * 1024
"""Of a file; the largest of ours has 15 kB."""


class DocumentError(ValueError):
    """What is wrong with a file, in one line."""


def read(path: Path, shown: str) -> str:
    """The text of a file that people write, without a byte order mark. Raises DocumentError."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise DocumentError(f"{shown}: cannot be read ({error.strerror})") from None
    if len(data) > MAX_BYTES:
        much = f"is larger than {MAX_BYTES // 1024} kB"
        raise DocumentError(f"{shown}: {much}; split it, or leave out what is not read")
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 text: {error.reason} at byte {error.start}"
        raise DocumentError(f"{shown}: {problem}; save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
