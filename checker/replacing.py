"""Writing of files under a name of their own first, so that nobody ever sees half of one."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a new name beside `path` to write to; that file takes the place of `path`, or nothing is left.

    The writer opens the file, so that it has the rights that the user's umask leaves. A device or a pipe is written to
    as it is: root could put a file in the place of /dev/null.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        yield path
        return
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        yield fresh
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def must_be_writable(folder: Path) -> None:
    """Check at once that a folder can be written to, by a temporary file in it, or in its parent if it does not exist.

    No more than the folder itself is made later: a path to nowhere is a mistake.

    Raises:
        OSError: nothing can be written there.
    """
    there = folder if folder.exists() else folder.absolute().parent
    probe = there / f".{secrets.token_hex(4)}"
    try:
        probe.write_bytes(b"\n")
        probe.unlink()
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(folder)) from error
