"""The decompressed bytes of a file. Its first bytes show its compression: a new kind is a row of `_MARKS`."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError)
"""Exceptions from reading compressed data that is not complete."""
_MARKS = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\0": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
_BLOCK = 1 << 20
_COMPRESSED_BLOCK = 1 << 13
_ZSTD_BLOCK = 1 << 10
"""Size of a block: a thousand bytes that are all alike may stand for 30 MB."""
_WINDOW = 1 << 27
"""Zstandard data that needs more memory than this is refused, as the command `zstd` does without --long=31."""


_OPEN: Mapping[str, Callable[[Any], Any]] = {"gzip": gzip.open, "xz": lzma.open, "bzip2": bz2.open}


class NoReaderError(OSError):
    """No installed library reads the data; the message says what to install."""


def compression(path: str) -> str | None:
    """Return the compression of a file: gzip, xz, bzip2, zstd, or None. A name with .gz means gzip.

    Raises:
        OSError: the file cannot be read.
    """
    with open(path, "rb") as file:
        start = file.read(8)
    found = next((kind for mark, kind in _MARKS.items() if start.startswith(mark)), None)
    return found or ("gzip" if path.endswith(".gz") else None)


def cut(path: str) -> str:
    """Return the problem of a file whose data is BROKEN."""
    return f"the {compression(path)} data is cut or broken: only the part before that was read; fetch it again"


def stream(path: str) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file, in blocks of at most a megabyte.

    Compressed data is read in small parts, so that the data before a break comes out before the error does.

    Raises:
        OSError, or one of BROKEN: the file, or the rest of it, cannot be read.
    """
    kind = compression(path)
    with open(path, "rb") as file:
        if kind is None:
            yield from iter(lambda: file.read(_BLOCK), b"")
        elif kind == "zstd":
            yield from unpacked_zstd(file)
        else:
            yield from _decompressed(_OPEN[kind](file))


def _decompressed(file: Any) -> Iterator[bytes]:
    while True:
        try:
            block = file.read1(_COMPRESSED_BLOCK)
        except OSError as error:
            if error.errno is None:  # bz2 says so of broken data
                raise EOFError(str(error)) from error
            raise
        if not block:
            return
        yield block


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
    decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
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
        raise EOFError(str(error)) from error
