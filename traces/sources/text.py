"""The lines of a text file, plain or compressed.

Files are read as bytes that should be UTF-8; what is not is replaced, never dropped.
"""

from __future__ import annotations

import gzip
import itertools
import os
import zlib
from collections.abc import Collection, Iterator

BROKEN = (EOFError, zlib.error, gzip.BadGzipFile)
"""What reading a gzip file that is not whole raises."""
CUT = "the gzip data is cut or broken: only what is before was read; fetch it again"
_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"PK": "a zip archive", b"(\xb5": "zstd compressed"}


class Lines:
    """The lines of a file, without line ends. When they are read, `problem` says what kept the rest from being read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problem: str | None = None

    def __iter__(self) -> Iterator[str]:
        return map(_text, self._bytes())

    def chosen(self, numbers: Collection[int]) -> dict[int, str]:
        """The lines of some numbers (from 1), those that there are; no other is decoded."""
        lines = self._bytes()
        found = {}
        before = 0
        for number in sorted(set(numbers)):
            for line in itertools.islice(lines, number - before - 1, number - before):
                found[number] = _text(line)
            before = number
        return found

    def _bytes(self) -> Iterator[bytes]:
        try:
            wrong = unreadable(self.path)
            if wrong is not None:
                self.problem = wrong
                return
            with gzip.open(self.path) if self.path.endswith(".gz") else open(self.path, "rb") as file:
                yield from file
        except BROKEN:
            self.problem = CUT
        except OSError as error:
            self.problem = f"cannot be read: {error.strerror or error}"


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip("\n").rstrip("\r")


def unreadable(path: str) -> str | None:
    """Why a file is no text that can be audited, told from its first bytes; None if it may be."""
    if os.path.isdir(path):
        return "expected a directory that can be listed, may not list it"
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
        start = file.read(4096)
    for mark, kind in _BOMS.items():
        if start.startswith(mark):
            return f"expected UTF-8 text, got {kind}; convert it first"
    if b"\0" in start:
        return "expected a text log, got a binary file"
    return None
