"""The opening of files that users name or that folders contain: only regular files are opened.

A FIFO without a writer would wait for ever, a device may have no end, and opening one may do something.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

SPECIAL = "a FIFO, a socket or a device"
SMALL = 1 << 16
"""The largest number of bytes that are read of a file that has few lines, such as meta.properties."""
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
"""Flag for a file that became a FIFO after it was looked at: it is then closed without waiting for its writer."""


class SpecialFileError(OSError):
    """A FIFO, a socket or a device; the message says so."""


def opened(path: str) -> BinaryIO:
    """Return the file, open for reading bytes.

    Raises:
        SpecialFileError: it is a FIFO, a socket or a device.
        OSError: it cannot be read.
    """
    _refuse_special(os.stat(path).st_mode)
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | _AT_ONCE))  # noqa: SIM115
    try:
        _refuse_special(os.fstat(file.fileno()).st_mode)
    except OSError:
        file.close()
        raise
    return file


def _refuse_special(mode: int) -> None:
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # opening a folder fails by itself
        raise SpecialFileError(errno.EINVAL, f"expected a regular file, got {SPECIAL}")


def small_text(path: str) -> str:
    """Return the text of a file that has few lines, as far as SMALL; empty if it cannot be read."""
    try:
        with opened(path) as file:
            return file.read(SMALL).decode("utf-8", "replace")
    except OSError:
        return ""
