"""The bytes of a file as UTF-8, whatever they are encoded in: the one place that opens a log.

What a file is encoded in is told by its first bytes: a new encoding is a row of `_MARKS`.
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
"""What text begins with, and its encoding. UTF-8's own mark is a character of the first line (text.py)."""
_REFUSED = {b"PK\x03\x04": "a zip archive"}
_LENGTH_AT, _MAGIC_AT, _MAGIC = 8, 16, 2
"""Of a batch of records (org.apache.kafka.common.record.DefaultRecordBatch); offsets and lengths begin with a zero."""
_SAMPLE = 4096
_CONTROL = bytes(code for code in range(1, 32) if code not in b"\t\n\r\f\x1b")
_MOST_CONTROL = 0.05
"""What holds NUL is no text if more of its other bytes than this are control characters."""
_MOST_STRAY = 0.05
"""Text without a mark is UTF-16 if one byte of two is NUL, up to this share of exceptions."""


class NoTextError(ValueError):
    """The file is no text that can be audited; the message says what was expected and what was got."""


def blocks(path: str) -> Iterator[bytes]:
    """The text of a file in UTF-8, in blocks of a megabyte at most, or two; bytes that are no text stay as they are.

    Raises:
        NoTextError: it is no text.
        OSError, EOFError, zlib.error: it, or the rest of it, cannot be read.
    """
    if os.path.isdir(path):
        raise NoTextError("expected a directory that can be listed, may not list it")
    encoding = _encoding(stream(path))
    if encoding == _UTF8:
        yield from stream(path)
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for block in stream(path):
        yield decoder.decode(block).encode(_UTF8)
    yield decoder.decode(b"", final=True).encode(_UTF8)


def is_plain(path: str) -> bool:
    """Whether the bytes of a file, uncompressed, are what `blocks` gives; not if they cannot be read."""
    try:
        return _encoding(stream(path)) == _UTF8
    except (NoTextError, OSError, *BROKEN):
        return False


def _encoding(read: Iterator[bytes]) -> str:
    """What a file is encoded in, told by its beginning.

    A log that was cut off in place while its writer went on begins with NULs, as many as were cut.
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
            "expected a text log, got record batches of a Kafka log. A metadata log is read from its folder, or from an"
            " archive of it, under the names that Kafka gives its files (and .gz, .xz, .bz2 or .zst behind them)"
        )
    return _unmarked(sample[:_SAMPLE] if sample is start else sample.lstrip(b"\0")[:_SAMPLE])


def _is_batch(start: bytes) -> bool:
    """Whether a file begins as a segment or a snapshot does: with a base offset, a length and magic 2."""
    return len(start) > _MAGIC_AT and start[0] == start[_LENGTH_AT] == 0 and start[_MAGIC_AT] == _MAGIC


def _unmarked(sample: bytes) -> str:
    """The encoding of bytes that no mark precedes."""
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
