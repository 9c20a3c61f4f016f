"""The bytes of a file as UTF-8, whatever their encoding: the one place that opens a log.

The first bytes of a file show its encoding: a new encoding is a row of `_MARKS`.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator

from .compression import BROKEN, stream

_UTF8 = "utf-8"
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Beginnings of text, with their encodings. UTF-8's own mark is a character of the first line (text.py)."""
_REFUSED = {b"PK\x03\x04": "a zip archive"}
_LENGTH_AT, _MAGIC_AT, _MAGIC = 8, 16, 2
"""Positions in a batch of records (org.apache.kafka.common.record.DefaultRecordBatch); offsets and lengths begin with a
zero."""
_SAMPLE = 4096
_CONTROL = bytes(code for code in range(1, 32) if code not in b"\t\n\r\f\x1b")
_MOST_CONTROL = 0.05
"""Largest share of control characters among the other bytes of a text that contains NUL."""
_MOST_STRAY = 0.05
"""Largest share of exceptions in UTF-16 without a mark, in which one of two bytes is NUL."""


class NoTextError(ValueError):
    """The file is not text that can be audited; the message says what was expected and what was found."""


def blocks(path: str) -> Iterator[bytes]:
    """Yield the text of a file in UTF-8, in blocks of at most one or two megabytes; bytes that are not text stay as
    they are.

    Raises:
        NoTextError: the file is not text.
        OSError, EOFError, zlib.error: the file, or the rest of it, cannot be read.
    """
    if os.path.isdir(path):
        raise NoTextError("expected a directory that can be listed, but listing it is not permitted")
    encoding = _encoding(_as_far_as_whole(stream(path)))
    if encoding == _UTF8:
        yield from stream(path)
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for block in stream(path):
        yield decoder.decode(block).encode(_UTF8)
    yield decoder.decode(b"", final=True).encode(_UTF8)


def _as_far_as_whole(read: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the blocks before the data is cut or broken; who reads them all learns of that."""
    try:
        yield from read
    except BROKEN:
        return


def is_plain(path: str) -> bool:
    """Return True if the uncompressed bytes of a file are those that `blocks` yields; False if they cannot be read."""
    try:
        return _encoding(stream(path)) == _UTF8
    except (NoTextError, OSError, *BROKEN):
        return False


def _encoding(read: Iterator[bytes]) -> str:
    """Return the encoding that the beginning of a file shows.

    A log that was truncated in place while its writer went on begins with NULs, as many as were cut.
    """
    start = b""
    while len(start) < _SAMPLE and (block := next(read, b"")):
        start += block
    sample = start
    while sample and not sample.strip(b"\0"):
        sample = next(read, b"")
    if start and not sample:
        raise NoTextError("expected a text log, got nothing but NUL, a binary file")
    for mark, kind in _REFUSED.items():
        if start.startswith(mark):
            raise NoTextError(f"expected a text log, got {kind}; unpack it first")
    for mark, encoding in _MARKS:
        if start.startswith(mark):
            return encoding
    if _is_batch(start):
        raise NoTextError(
            "expected a text log, got record batches of a Kafka log. A metadata log is read from its folder, or "
            "from an archive of it, with Kafka's names of its files (optionally followed by .gz, .xz, .bz2 or "
            ".zst)"
        )
    return _unmarked(sample[:_SAMPLE] if sample is start else sample.lstrip(b"\0")[:_SAMPLE])


def _is_batch(start: bytes) -> bool:
    """Return True if a file begins as a segment or a snapshot does: with a base offset, a length and magic 2."""
    return len(start) > _MAGIC_AT and start[0] == start[_LENGTH_AT] == 0 and start[_MAGIC_AT] == _MAGIC


def _unmarked(sample: bytes) -> str:
    """Return the encoding of bytes without a mark."""
    if b"\0" not in sample:
        return _UTF8
    most = len(sample) // 2 * _MOST_STRAY
    for encoding, halves in (("utf-16-le", (sample[1::2], sample[::2])), ("utf-16-be", (sample[::2], sample[1::2]))):
        high, low = halves
        if len(high) - high.count(0) <= most and low.count(0) <= most:
            return encoding
    others = sample.replace(b"\0", b"")
    if len(others) - len(others.translate(None, _CONTROL)) > len(others) * _MOST_CONTROL:
        raise NoTextError("expected a text log, got a binary file")
    return _UTF8
