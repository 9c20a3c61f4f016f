"""The opening of files that users name or that folders contain: only regular files are opened.

A FIFO without a writer would wait for ever, a device may have no end, and opening one may do something.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from ..limits import SMALL_FILE

SPECIAL = "a FIFO, a socket or a device"
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


def is_named_fifo(path: str) -> bool:
    """Return True if a path is a FIFO, of which the other end may never come.

    False for a pipe of this process, such as /dev/stdout or bash's <(...): it has no name of its own.
    """
    return Path(path).is_fifo() and os.path.exists(os.path.realpath(path))


def once(path: str) -> bytes:
    """Return the content of a file that is read only once, so it may be a pipe of this process.

    Raises:
        SpecialFileError: it is another pipe, a socket or a device.
        OSError: it cannot be read.
    """
    if Path(path).is_fifo() and not is_named_fifo(path):
        return Path(path).read_bytes()
    with opened(path) as file:
        return file.read()


def small_text(path: str) -> str:
    """Return the text of a file that has few lines, as far as SMALL_FILE; empty if it cannot be read."""
    try:
        with opened(path) as file:
            return file.read(SMALL_FILE.most).decode("utf-8", "replace")
    except OSError:
        return ""
