"""Data as gzip: the same bytes from any Python, so that what is generated or recorded does not change with it."""

from __future__ import annotations

import gzip

_OS = 9
"""The place of the byte that names the system; Python 3.11 and 3.12 write what zlib does, the others 255."""
_UNKNOWN = 255


def gzipped(data: bytes, level: int = 9) -> bytes:
    """Return one gzip member without a name, a time and a system."""
    found = bytearray(gzip.compress(data, level, mtime=0))
    found[_OS] = _UNKNOWN
    return bytes(found)
