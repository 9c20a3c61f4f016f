"""The logs in tar and zip archives, written to a private folder under names of this program's own."""

from __future__ import annotations

import os
import shutil
import struct
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from functools import cache
from typing import IO, NamedTuple

from ..limits import ARCHIVE_RATIO, DEPTH, MEMBERS, NAMES, ROOM
from .compression import BROKEN, AlteredError, compression, stream
from .opened import opened
from .private import private_folder

DEEPEST = DEPTH.most
LEAST_ALLOWED = ROOM.most
MOST_TIMES = ARCHIVE_RATIO.most
"""Largest ratio of an archive's content to its size, if that is more than LEAST_ALLOWED: logs are compressed 20 to 100
times."""
_MOST_ENDS = 8
"""Largest number of times that the end of a tar archive is read."""
_SPARE = 1 << 28
"""Bytes of the disk that are left free."""
_BLOCK = 1 << 20
_TAR, _TAR_AT = b"ustar", 257
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_END_OF_ZIP, _END_SIZE, _LONGEST_COMMENT = b"PK\x05\x06", 22, 1 << 16
"""The record at the end of a zip archive: its mark, its size without the comment that follows it."""
_LOCAL_SIZE, _LENGTHS_AT = 30, 26
"""The size of the header of a member of a zip archive without its name and extra field; the place of their lengths."""
_DESCRIPTOR = 24
"""Largest number of bytes of a zip archive between the data of a member and the next header."""
MALFORMED = (
    *(tarfile.TarError, zipfile.BadZipFile, *BROKEN, ValueError, OverflowError, LookupError, struct.error),
    *(RuntimeError, NotImplementedError, AssertionError, OSError),
)
"""Exceptions that the standard library raises of archives that are not what they should be; OSError of a place that no
file has."""
STANDARD_INPUT = "-"


_MORE = "the archive has bytes that belong to none of its members, such as another archive: these were not read"


class Member(NamedTuple):
    """A file of an archive: its name, the current path of its bytes, and its problem."""

    name: str
    at: str
    problem: str | None = None


class BombError(Exception):
    """An archive contains more than may be unpacked; the message says how much."""


@cache
def folder() -> str:
    """Return a folder of this process that no other user can read; it is removed when the process ends."""
    return private_folder()


def _new() -> tuple[IO[bytes], str]:
    handle, path = tempfile.mkstemp(dir=folder())
    return os.fdopen(handle, "wb"), path


_THERE: dict[str, str] = {}


def unpacked_at(path: str, there: str) -> None:
    """Remember the path of the bytes of a displayed path, for as long as the private folder exists."""
    _THERE[path] = there


def unpacked_no_more(path: str) -> None:
    """Forget the path of the bytes of a displayed path."""
    _THERE.pop(path, None)


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
        with opened(path) as file:
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
        return _room(path).copy(_Blocks(stream(path)))
    except BROKEN:
        return None


def _unpacked(path: str) -> Iterator[Member]:
    room = _room(path)
    with opened(path) as file:
        is_zip = file.read(4) in _ZIP
    found: list[Member] = []
    try:
        for member in _of_zip(path, room) if is_zip else _of_tar(path, room):
            found.append(member)
    except AlteredError as error:
        why = f"the archive is broken ({error}), so any byte of it may have changed: no member was read; fetch it again"
        found = [_unread("", why)]
    except MALFORMED as error:
        part = "only the members before that were read" if found else "no member was read"
        found.append(_unread("", f"the archive is cut or broken ({_in_words(error)}): {part}; fetch it again"))
    yield from found


def _in_words(error: Exception) -> str:
    return str(error) or type(error).__name__


def nothing() -> str:
    """Return the path of a file without any byte."""
    file, path = _new()
    file.close()
    return path


def _unread(name: str, problem: str) -> Member:
    """Return a member of which nothing was unpacked."""
    return Member(name, nothing(), problem)


class _Room:
    """The number of bytes and files that may still be unpacked of an archive, and of all archives within it."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._most = max(LEAST_ALLOWED, MOST_TIMES * os.path.getsize(path))
        self.left = min(self._most, shutil.disk_usage(folder()).free - _SPARE)
        self._unread = self._most
        self._members = 0

    def member(self) -> None:
        self._members += 1
        if self._members > MEMBERS.most:
            raise BombError(f"{self._path}: expected an archive of at most {MEMBERS.most} files, got more; unpack it.")

    def copy(self, read: IO[bytes] | _Blocks) -> str:
        file, path = _new()
        _ROOMS[path] = self
        with file:
            while block := read.read(_BLOCK):
                self.left -= len(block)
                if self.left < 0:
                    raise self._too_much()
                file.write(block)
        return path

    def read(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the blocks, whose bytes need not all be a member's, as far as there is room."""
        for block in blocks:
            self._unread -= len(block)
            if self._unread < 0:
                raise self._too_much()
            yield block

    def _too_much(self) -> BombError:
        return BombError(
            f"{self._path}: expected an archive of logs, got one that contains more than {self._most >> 20} MB, "
            "or more than the disk has room for; unpack it yourself and audit the folder."
        )


_ROOMS: dict[str, _Room] = {}
"""The room of what was unpacked, by its path: archives within an archive share that of the outermost."""


def _room(path: str) -> _Room:
    return _ROOMS.get(path) or _Room(path)


class _Blocks:
    """Blocks as a file that can be read once."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._rest = blocks, b""
        self._ends = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer at the end.

        Raises:
            EOFError: the end was read often: tarfile skips a member part by part, of whatever size its header says.
        """
        parts, missing = [self._rest], size - len(self._rest)
        while missing > 0 and (block := next(self._blocks, b"")):
            parts.append(block)
            missing -= len(block)
        whole = b"".join(parts)
        self._ends += not whole
        if self._ends > _MOST_ENDS:
            raise EOFError("unexpected end of data")
        self._rest = whole[size:]
        return whole[:size]


class _Header(tarfile.TarInfo):
    """A header of a tar archive; a damaged one is an error, where tarfile takes all but the first for the end."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> _Header:
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(_in_words(error)) from error

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Header:
        if not buf:
            raise tarfile.ReadError("it has no end")
        found = super().frombuf(buf, encoding, errors)
        names = found.type in (*tarfile.GNU_TYPES[:2], tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
        if found.size < 0 or (names and found.size > NAMES.most):
            raise tarfile.ReadError(f"a header of {found.size} bytes")
        return found


def _of_tar(path: str, room: _Room) -> Iterator[Member]:
    blocks = _Blocks(room.read(stream(path)))
    with tarfile.open(fileobj=blocks, mode="r|", errorlevel=1, tarinfo=_Header) as archive:  # type: ignore[call-overload]
        for member in archive:
            room.member()
            if member.issparse() and not 0 <= member.size <= room.left:
                yield _unread(member.name, f"cannot be unpacked: a file with holes, of {member.size} bytes")
                continue
            read = archive.extractfile(member) if member.isreg() else None
            if read is not None:
                yield Member(member.name, room.copy(read))
        yield from _after_tar(archive.fileobj)


def _after_tar(rest: IO[bytes]) -> Iterator[Member]:
    """Yield a problem if anything but zeros follows the end of an archive."""
    while block := rest.read(_BLOCK):
        if block.strip(b"\0"):
            yield _unread("", _MORE)
            return


def _of_zip(path: str, room: _Room) -> Iterator[Member]:
    with opened(path) as file, zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            room.member()
            if member.is_dir() or (member.external_attr >> 16) & 0o170000 == 0o120000:
                continue
            try:
                with archive.open(member) as read:
                    yield Member(member.filename, room.copy(read))
            except MALFORMED as error:
                yield _unread(member.filename, f"cannot be unpacked: {_in_words(error)}")
        if _has_more(file, archive):
            yield _unread("", _MORE)


def _has_more(file: IO[bytes], archive: zipfile.ZipFile) -> bool:
    """Return True if a zip archive has bytes that belong neither to its members nor to its directory."""
    end = 0
    for member in sorted(archive.infolist(), key=lambda each: each.header_offset):
        if member.header_offset > end + (_DESCRIPTOR if end else 0):
            return True
        file.seek(member.header_offset + _LENGTHS_AT)
        end = member.header_offset + _LOCAL_SIZE + sum(struct.unpack("<HH", file.read(4))) + member.compress_size
    if archive.start_dir > end + (_DESCRIPTOR if end else 0):
        return True
    start = max(0, file.seek(0, os.SEEK_END) - _END_SIZE - _LONGEST_COMMENT)
    file.seek(start)
    tail = file.read()
    return bool(tail[tail.rfind(_END_OF_ZIP) + _END_SIZE + len(archive.comment) :].strip(b"\0"))
