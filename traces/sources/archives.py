"""The logs in tar and zip archives, written to a private folder under names of this program's own."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from functools import cache
from typing import IO, NamedTuple

from .compression import BROKEN, compression, stream

MOST_MEMBERS = 100_000
DEEPEST = 3
"""Largest depth of archives within archives."""
LEAST_ALLOWED = 1 << 30
MOST_TIMES = 300
"""Largest ratio of an archive's content to its size, if that is more than LEAST_ALLOWED: logs are compressed 20 to 100
times."""
_SPARE = 1 << 28
"""Bytes of the disk that are left free."""
_BLOCK = 1 << 20
_TAR, _TAR_AT = b"ustar", 257
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
STANDARD_INPUT = "-"


class Member(NamedTuple):
    """A file of an archive: its name, the current path of its bytes, and its problem."""

    name: str
    at: str
    problem: str | None = None


class BombError(ValueError):
    """An archive contains more than may be unpacked; the message says how much."""


@cache
def folder() -> str:
    """Return a folder of this process that no other user can read; it is removed when the process ends."""
    made = tempfile.mkdtemp(prefix="isrproof-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def _new() -> tuple[IO[bytes], str]:
    handle, path = tempfile.mkstemp(dir=folder())
    return os.fdopen(handle, "wb"), path


_THERE: dict[str, str] = {}


def unpacked_at(path: str, there: str) -> None:
    """Remember the path of the bytes of a displayed path, for as long as the private folder exists."""
    _THERE[path] = there


def there_of(path: str) -> str:
    """Return the path of the bytes of a displayed path."""
    return _THERE.get(path, path)


_READ: list[tuple[object, str]] = []
"""The standard input that was read last, and the path of its bytes."""


def standard_input() -> str:
    """Return the path of the bytes of standard input, once they are read."""
    if not _READ or _READ[-1][0] is not sys.stdin:
        file, path = _new()
        with file:
            shutil.copyfileobj(sys.stdin.buffer, file, _BLOCK)
        _READ[:] = [(sys.stdin, path)]
    return _READ[-1][1]


def is_archive(path: str) -> bool:
    """Return True if the bytes of a file are a zip archive, or a tar archive, compressed or not."""
    try:
        with open(path, "rb") as file:
            if file.read(4) in _ZIP:
                return True
        start = b""
        for block in stream(path):
            start += block
            if len(start) >= _TAR_AT + len(_TAR):
                break
    except (OSError, *BROKEN):
        return False
    return start[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR


def members(path: str) -> tuple[Member, ...]:
    """Return the files of an archive, without links, devices and folders. A second call returns the same copies.

    Raises:
        BombError: the archive contains too much.
    """
    facts = os.stat(path)
    return _members(path, facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)


@cache
def _members(path: str, *state: int) -> tuple[Member, ...]:
    return tuple(_unpacked(path))


def decompressed(path: str) -> str | None:
    """Return the path of the decompressed bytes of a file that is compressed by itself; None if it is not, or if they
    are cut or broken. A second call returns the same copy.

    Raises:
        OSError: the file cannot be read, or no reader for it is installed.
        BombError: it contains too much.
    """
    facts = os.stat(path)
    return _decompressed(path, facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)


@cache
def _decompressed(path: str, *state: int) -> str | None:
    if compression(path) is None:
        return None
    try:
        return _Room(path).copy(_Blocks(stream(path)))
    except BROKEN:
        return None


def _unpacked(path: str) -> Iterator[Member]:
    room = _Room(path)
    with open(path, "rb") as file:
        is_zip = file.read(4) in _ZIP
    try:
        yield from _of_zip(path, room) if is_zip else _of_tar(path, room)
    except (tarfile.TarError, zipfile.BadZipFile, *BROKEN) as error:
        yield Member("", os.devnull, f"the archive is cut or broken ({error}): only the part before that was read")


class _Room:
    """The number of bytes of an archive that may still be unpacked."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._most = max(LEAST_ALLOWED, MOST_TIMES * os.path.getsize(path))
        self._left = min(self._most, shutil.disk_usage(folder()).free - _SPARE)
        self._members = 0

    def member(self) -> None:
        self._members += 1
        if self._members > MOST_MEMBERS:
            raise BombError(f"{self._path}: expected an archive of at most {MOST_MEMBERS} files, got more; unpack it.")

    def take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise BombError(
                f"{self._path}: expected an archive of logs, got one that contains more than {self._most >> 20} MB, "
                "or more than the disk has room for; unpack it yourself and audit the folder."
            )

    def copy(self, read: IO[bytes] | _Blocks) -> str:
        file, path = _new()
        with file:
            while block := read.read(_BLOCK):
                self.take(len(block))
                file.write(block)
        return path


class _Blocks:
    """Blocks as a file that can be read once."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._rest = blocks, b""

    def read(self, size: int) -> bytes:
        while len(self._rest) < size:
            block = next(self._blocks, b"")
            if not block:
                break
            self._rest += block
        found, self._rest = self._rest[:size], self._rest[size:]
        return found


def _of_tar(path: str, room: _Room) -> Iterator[Member]:
    with tarfile.open(fileobj=_Blocks(stream(path)), mode="r|", errorlevel=1) as archive:  # type: ignore[call-overload]
        for member in archive:
            room.member()
            read = archive.extractfile(member) if member.isreg() else None
            if read is not None:
                yield Member(member.name, room.copy(read))


def _of_zip(path: str, room: _Room) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            room.member()
            if member.is_dir() or (member.external_attr >> 16) & 0o170000 == 0o120000:
                continue
            try:
                with archive.open(member) as read:
                    yield Member(member.filename, room.copy(read))
            except (RuntimeError, NotImplementedError) as error:
                yield Member(member.filename, os.devnull, f"cannot be unpacked: {error}")
