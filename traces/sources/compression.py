"""The decompressed bytes of a file. Its first bytes show its compression: a new kind is a row of `_MARKS`."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, BinaryIO

from ..limits import RATIO, ROOM, WINDOW, XZ_MEMORY
from .opened import opened

BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError)
"""Exceptions from reading compressed data that is not complete."""
_MARKS = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\0": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
_BLOCK = 1 << 20
_COMPRESSED_BLOCK = 1 << 13
_WRONG = ("CRC check failed", "Incorrect length of data")
"""The words of gzip about a member that is not what was written; of other errors nothing came out yet."""
_ZSTD_BLOCK = 1 << 10
"""Size of a block: a thousand bytes that are all alike may stand for 30 MB."""
LEAST_ALLOWED = ROOM.most
MOST_TIMES = RATIO.most
"""Largest ratio of data to its compressed size, if that is more than LEAST_ALLOWED; gzip never exceeds it."""
_NEW: Mapping[str, Callable[[], Any]] = {
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY.most),
    "bzip2": bz2.BZ2Decompressor,
}


class TooMuchError(EOFError):
    """Compressed data that stands for more text than a log has; the message says how much."""


class AlteredError(EOFError):
    """Compressed data that its own checks contradict: any byte of it may be another, those before the break too."""


class NoReaderError(OSError):
    """No installed library reads the data; the message says what to install."""


def compression(path: str) -> str | None:
    """Return the compression of a file: gzip, xz, bzip2, zstd, or None. A name with .gz means gzip.

    Raises:
        OSError: the file cannot be read.
    """
    with opened(path) as file:
        start = file.read(8)
    found = next((kind for mark, kind in _MARKS.items() if start.startswith(mark)), None)
    return found or ("gzip" if path.endswith(".gz") else None)


ALTERED = "its checksum is wrong, so any byte of it may have changed: it was left out; fetch it again"
"""The problem of a file whose data is altered. It shows when all is read; the file is then left out."""


def cut(path: str) -> str:
    """Return the problem of a file whose data is BROKEN."""
    return f"the {compression(path)} data is cut or broken: only the part before that was read; fetch it again"


def _bounded(read: Iterator[bytes], path: str) -> Iterator[bytes]:
    """Yield the blocks of compressed data, as far as a log may be larger than that.

    Raises:
        TooMuchError: it is larger.
    """
    most = left = max(LEAST_ALLOWED, MOST_TIMES * os.path.getsize(path))
    for block in read:
        left -= len(block)
        if left < 0:
            raise TooMuchError(
                f"expected a log, got data that stands for more than {most >> 20} MB: only these were read"
            )
        yield block


def stream(path: str) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file, in blocks of at most a megabyte.

    Compressed data is read in small parts, so that the data before a break comes out before the error does.

    Raises:
        OSError, or one of BROKEN: the file, or the rest of it, cannot be read.
    """
    kind = compression(path)
    with opened(path) as file:
        if kind is None:
            yield from iter(lambda: file.read(_BLOCK), b"")
        else:
            yield from _bounded(_unpacked(kind, file), path)


def _unpacked(kind: str, file: BinaryIO) -> Iterator[bytes]:
    if kind == "zstd":
        yield from unpacked_zstd(file)
    elif kind == "gzip":
        yield from _unpacked_gzip(file)
    else:
        yield from _joined(_NEW[kind], file)


def _unpacked_gzip(file: BinaryIO) -> Iterator[bytes]:
    """Yield the decompressed bytes of gzip members.

    Raises:
        AlteredError: a checksum or a code is wrong.
        EOFError, gzip.BadGzipFile: the data is cut, or something else follows it.
    """
    try:
        with gzip.open(file) as read:
            yield from iter(lambda: read.read1(_COMPRESSED_BLOCK), b"")
    except zlib.error as error:
        raise AlteredError(str(error)) from error
    except gzip.BadGzipFile as error:
        if str(error).startswith(_WRONG):
            raise AlteredError(str(error)) from error
        raise


def _joined(new: Callable[[], Any], file: IO[bytes]) -> Iterator[bytes]:
    """Yield the decompressed bytes of streams that follow each other, maybe with zeros between and after them.

    The standard library's readers take whatever follows the first stream, but is not another one, for padding.

    Raises:
        AlteredError: the checks of xz contradict the data.
        EOFError: the data is cut or broken, or something else follows it.
    """
    data = _content(b"", file)
    while data:
        one, begun = new(), False
        while not one.eof:
            if not (data or not one.needs_input):
                raise EOFError("the data has no end")
            try:
                block = one.decompress(data, _BLOCK)
            except lzma.LZMAError as error:
                raise (AlteredError if begun else EOFError)(str(error)) from error
            except OSError as error:  # bz2 says so of broken data, before any byte of the block comes out
                raise EOFError(str(error)) from error
            if block:
                begun = True
                yield block
            data = file.read(_COMPRESSED_BLOCK) if one.needs_input and not one.eof else b""
        data = _content(one.unused_data, file)


def _content(data: bytes, file: IO[bytes]) -> bytes:
    """Return the rest of a file from its first byte that is not zero: `data`, or else a part that is read."""
    while not (data := data.lstrip(b"\0")):
        if not (data := file.read(_COMPRESSED_BLOCK)):
            return b""
    return data


def unpacked_zstd(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the decompressed bytes of zstd frames, in small parts.

    Raises:
        NoReaderError: the library that reads them is not installed.
        EOFError: the data is cut or broken.
    """
    try:
        import zstandard
    except ImportError:
        raise NoReaderError(
            "zstd-compressed data needs zstandard: pip install 'isrproof[formats]'; or unpack it first"
        ) from None
    decompressor = zstandard.ZstdDecompressor(max_window_size=WINDOW.most)
    data = file.read(_ZSTD_BLOCK)
    try:
        while data:
            frame = decompressor.decompressobj(write_size=_BLOCK)
            while data and not frame.eof:
                if block := frame.decompress(data):
                    yield block
                data = frame.unused_data if frame.eof else file.read(_ZSTD_BLOCK)
            if not frame.eof:
                raise EOFError("the frame has no end")
            data = data or file.read(_ZSTD_BLOCK)
    except zstandard.ZstdError as error:
        raise AlteredError(str(error)) from error
