"""Writing of files that nobody ever sees half of: they take their places once all their bytes are on the disk."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_MOST_UNNAMED = 16
"""Files that are kept open together: a process may have few, and 64 is a usual limit of old systems."""
_TURNS, _TURN = 40, 0.05
"""Number of attempts at a folder that another run is changing, and the seconds between: a caller of isrproof may hold
the lock of the folder all the time, as `flock FOLDER isrproof audit --out FOLDER` does."""

Publish = Callable[[], None]
"""Gives a file its name."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a place to write to; that file takes the place of `path`, or nothing is left.

    The writer opens the file. It has the rights that the user's umask leaves.
    """
    with replacing_together([path]) as (fresh,):
        yield fresh


@contextmanager
def replacing_together(paths: Sequence[Path]) -> Iterator[tuple[Path, ...]]:
    """Yield a place to write to for each path; at the end all of these files take their places, or none does.

    The last one is the last to be replaced. Files of two runs into one folder are not mixed.
    """
    with ExitStack() as stack:
        unnamed = len(paths) <= _MOST_UNNAMED
        made = [stack.enter_context(_fresh(_target(path), unnamed)) for path in paths]
        yield tuple(place for place, _ in made)
        for place, _ in made:
            _must_be_on_disk(place)
        if len(paths) > 1:
            stack.enter_context(_alone_in({path.absolute().parent for path in paths}))
        for _, publish in made:
            publish()


def must_be_writable(folder: Path) -> None:
    """Check at once that a folder can be written to, by a temporary file in it, or in its parent if it does not exist.

    No more than the folder itself is made later: a path to nowhere is a mistake.

    Raises:
        OSError: nothing can be written there.
    """
    there = folder if folder.exists() else folder.absolute().parent
    with _errors_of(folder), _fresh(there / "probe", unnamed=True) as (probe, _):
        probe.write_bytes(b"\n")


def _target(path: Path) -> Path:
    """Return the file that a link leads to, so that the link stays one."""
    return Path(os.path.realpath(path)) if path.is_symlink() and not _is_device(path) else path


def _is_device(path: Path) -> bool:
    """Check for what is written to as it is: a device or a pipe, and what /dev/stdout leads to.

    Root could put a file in the place of /dev/null.
    """
    if path.is_symlink() and {*path.absolute().parents} & {Path("/dev"), Path("/proc")}:
        return True
    return path.exists() and not (path.is_file() or path.is_dir())


@contextmanager
def _fresh(path: Path, unnamed: bool) -> Iterator[tuple[Path, Publish]]:
    """Yield a place to write to, and a function that puts the file there in the place of `path`; else nothing stays."""
    if _is_device(path):
        yield path, lambda: None
        return
    hidden = path.with_name(f".isrproof-{secrets.token_hex(4)}")
    handle = _without_name(path.parent) if unnamed else None
    if handle is None:
        try:
            with _errors_of(path):
                yield hidden, lambda: _put(hidden, path)
        finally:
            hidden.unlink(missing_ok=True)
        return
    place = Path(f"/proc/self/fd/{handle}")

    def publish() -> None:
        # A file gets a name only where there is none: so it gets a hidden one, for the moment until it has its own.
        os.link(place, hidden, src_dir_fd=handle, follow_symlinks=True)
        try:
            _put(hidden, path)
        finally:
            hidden.unlink(missing_ok=True)

    try:
        yield place, publish
    finally:
        os.close(handle)


def _without_name(folder: Path) -> int | None:
    """Return a new file without a name, which vanishes with this process whatever ends it; None where there are none.

    Linux has such files, on most file systems.
    """
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except OSError:  # the same file with a name shows why, or can be written
        return None


def _must_be_on_disk(place: Path) -> None:
    """Wait until a file is on the disk.

    Raises:
        OSError: it is not: the disk is full, or a quota is reached, which some systems report no earlier.
    """
    if not place.is_file():
        return
    handle = os.open(place, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _put(fresh: Path, path: Path) -> None:
    with _errors_of(path):
        fresh.replace(path)


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Name the user's file in errors, not the hidden one beside it."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from error


@contextmanager
def _alone_in(folders: set[Path]) -> Iterator[None]:
    """Wait for other runs that replace several files in these folders, which takes them no time to speak of."""
    with ExitStack() as stack:
        for folder in sorted(folders) if fcntl is not None else ():
            with suppress(OSError):  # a file system without locks
                handle = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, handle)
                _lock(handle)
        yield


def _lock(handle: int) -> None:
    for _ in range(_TURNS):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_TURN)
        else:
            return
