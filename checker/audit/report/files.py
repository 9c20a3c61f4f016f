"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def put(path: Path, write: Callable[[str], None]) -> None:
    """A file, written under a temporary name beside it and then renamed: nobody sees half of it."""
    handle, name = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    os.close(handle)
    try:
        write(name)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def put_text(path: Path, text: str) -> None:
    """A file of UTF-8."""
    put(path, lambda name: _write(name, text))


def _write(name: str, text: str) -> None:
    with open(name, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(text)


def _umask() -> int:
    """What a new file's rights lack; a temporary file has its owner's only."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
