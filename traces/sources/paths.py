"""The files that a user's PATHs stand for, and the streams that these belong to.

A *stream* is one log of one broker: `state-change.log` and its rotated hours in one directory.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from ...specs.errors import IsrproofError
from . import archives
from .folders import walked
from .opened import SPECIAL, opened

_ROTATED = re.compile(
    r"(?P<base>.*?)(?:[.-](?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2}(?:-[0-9]{2})?)|\.(?P<number>[0-9]{1,5})"
    r"|\.[0-9]{8}-[0-9]{6})"
)
"""Names of rotated files, of log4j and of kubelet (the last form)."""
_DAY = "YYYY-MM-DD"
_POD, _START = re.compile(r"[^_]+_[^_]+_[0-9a-f-]{32,36}"), re.compile("[0-9]{1,4}")
"""The folder of a pod in /var/log/pods, in which each container has a folder, and the log there for each of its
starts."""
_MSK = re.compile(r"(?P<broker>Broker-[0-9]+)_[0-9]{2}-[0-9]{2}_[0-9a-f]+")
COMPRESSED = (".gz", ".zst", ".xz", ".bz2")
_ARCHIVED = (".zip", ".tar", ".tgz", ".txz", ".tbz", ".tbz2", *(f".tar{ending}" for ending in COMPRESSED))
_ENDINGS = (*COMPRESSED, ".log", ".out", ".txt", ".json", ".jsonl", ".ndjson", ".csv")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_DOWNLOADED = re.compile(r"(https?|ftps?|sftp)://", re.IGNORECASE)
"""Addresses that Hadoop's file systems cannot list."""
_LOG = re.compile(r"\.(log|out|txt)(\.|$)")
_DUMP = re.compile(r"\.dump(\.|$)")
"""The recorder's name for the output of kafka-dump-log: a copy of records, not a log."""
_DUMPING = b"Dumping "
_TABLE = re.compile(r"(^|/)[^.]+$|\.(json|jsonl|ndjson|csv|tsv)$")
IN = "!/"
"""Separator of the path of an archive and the name of a file in it."""


@dataclass(frozen=True)
class Source:
    """A file to read."""

    path: str
    """The path as given, or as found in a given directory."""
    directory: str
    stream: str
    """The log that it is a part of, the same for all its rotated files."""
    hour: int | None = None
    """First hour of a file that is rotated by hour or day, in hours since 1970; None for other names."""
    number: int | None = None
    """Number of a file that is rotated by size; None for other names."""
    at: str | None = None
    """Path of its bytes, if not `path`: it came out of an archive, say."""
    problem: str | None = None
    """A known problem with it."""
    hours: int = 1
    """Number of hours in such a file."""

    @property
    def there(self) -> str:
        """Path of its bytes."""
        return self.at or self.path

    @property
    def compressed(self) -> bool:
        return self.there.endswith(".gz")


def is_elsewhere(path: str) -> bool:
    """Return True if a path is on another file system (hdfs://..., s3a://...), which only Spark can reach."""
    return _ELSEWHERE.match(path) is not None


def is_log(path: str) -> bool:
    """Return True if the name of a file in a directory is that of a log."""
    name = path.rpartition("/")[2]
    named_so = _LOG.search(name) is not None or name.endswith((*COMPRESSED, *_ARCHIVED))
    return named_so and _DUMP.search(name) is None


def is_named_archive(path: str) -> bool:
    """Return True if the name of a file in a directory is that of an archive."""
    return path.endswith(_ARCHIVED)


def _never(path: str) -> bool:
    return False


def expand(
    paths: Sequence[str],
    elsewhere: Callable[[str], Sequence[str]] = lambda path: [path],
    other: Collection[str] = (),
    holds_lines: Callable[[str], bool] = _never,
) -> list[tuple[str, list[Source]]]:
    """Return each PATH (a file, a directory, a glob, an archive, - for standard input) with its files, sorted by name.

    A file that is named twice counts once. The files of an archive count as files.

    Args:
        elsewhere: returns the files of a path that only Spark can reach.
        other: files that are not text, by their real paths, or by their displayed paths in archives. They are left out,
            and a path may have nothing else.
        holds_lines: returns True if a file in a folder, named like a table or JSON, is nevertheless a log.

    Raises:
        IsrproofError: a path does not exist or is an address, nothing in it looks like a log, or an archive contains
            too much.
    """
    seen: set[str] = set()
    found = []
    for path in paths:
        files: list[Source] = []
        if _DOWNLOADED.match(path):
            raise IsrproofError(
                f"{path}: expected a file or folder, or an address of a file system that Spark lists (s3a://, hdfs://, "
                "abfs://, gs://); download it and audit the file."
            )
        there = is_elsewhere(path)
        for file in elsewhere(path) if there else _files(path, other, holds_lines):
            if (real := file if there else os.path.realpath(file)) not in seen:
                seen.add(real)
                files += [source(file)] if there else _unpacked(file, other, holds_lines)
        found.append((path, files))
    return found


def _unpacked(path: str, other: Collection[str], holds_lines: Callable[[str], bool]) -> list[Source]:
    """Return a file, or the files of an archive."""
    at = archives.standard_input() if path == archives.STANDARD_INPUT else path
    try:
        return _members(path, at, other, holds_lines, 0)
    except archives.BombError as error:
        raise IsrproofError(str(error)) from error
    except OSError as error:
        raise IsrproofError(f"{path}: cannot be unpacked: {error.strerror or error}.") from error


def _members(
    path: str, at: str, other: Collection[str], holds_lines: Callable[[str], bool], depth: int
) -> list[Source]:
    if depth == archives.DEEPEST or not archives.is_archive(at):
        if at == path:
            return [source(path)]
        archives.unpacked_at(path, at)
        return [replace(source(path), at=at)]
    found = []
    for name, there, problem in archives.members(at):
        shown = f"{path}{IN}{name}" if name else path
        if str(Path(shown)) in other:
            continue
        if problem is not None:
            found.append(replace(source(shown), at=there, problem=problem))
        elif is_log(name) or archives.is_archive(there) or holds_lines(there):
            found += _members(shown, there, other, holds_lines, depth + 1)
    if not found and not any(each.startswith(f"{Path(path)}{IN}") for each in other):
        raise IsrproofError(
            f"{path}: expected an archive with logs (names with .log, .out, .txt, .gz), found none there."
        )
    return sorted(found, key=lambda each: each.path)


def _files(path: str, other: Collection[str], holds_lines: Callable[[str], bool]) -> list[str]:
    here = Path(path)
    if here.is_file() or path == archives.STANDARD_INPUT:
        return [] if _is_other(path, other) else [path]
    if here.is_dir():
        found = sorted(_inside(path, holds_lines))
        files = [file for file in found if os.path.realpath(file) not in other and not _is_dump(file)]
        below = os.path.join(os.path.realpath(path), "")
        is_other = len(files) < len(found) or any(each.startswith(below) for each in other)
        return files if is_other else some(path, files)
    if glob.has_magic(path):
        matches = sorted(match for match in glob.glob(path, recursive=True))
        files = [
            file
            for match in matches
            for file in (_files(match, other, holds_lines) if Path(match).is_dir() else [match])
        ]
        files = [file for file in files if not _is_other(file, other)]
        if matches and other:
            return files
        if files:
            return files
        raise IsrproofError(f"{path}: expected files that match this pattern, found none.")
    if here.exists():
        raise IsrproofError(
            f"{path}: expected a file or a folder, got {SPECIAL}; give its content as - (standard input)."
        )
    raise IsrproofError(f"{path}: no such file or directory.")


def _is_other(path: str, other: Collection[str]) -> bool:
    """Return True if a file is not text, or shows what other files hold, as the output of kafka-dump-log does."""
    if os.path.realpath(path) in other:
        return True
    return any(each.startswith(f"{path}{IN}") for each in other) and not archives.is_archive(path)


def _is_dump(path: str) -> bool:
    """Return True if a file begins like output of kafka-dump-log: a copy of records, not a log."""
    try:
        with opened(path) as file:
            return file.read(len(_DUMPING)) == _DUMPING
    except OSError:
        return False


def some(path: str, files: list[str]) -> list[str]:
    """Return the files to read in a directory.

    Raises:
        IsrproofError: there are none.
    """
    if not files:
        raise IsrproofError(f"{path}: expected log files (names with .log, .out, .txt or .gz), found none there.")
    return files


def _inside(folder: str, holds_lines: Callable[[str], bool]) -> Iterator[str]:
    """Yield the logs of a directory and those below it.

    A directory that cannot be listed is reported like a file that cannot be read.
    """
    closed: list[str] = []
    for at, names in walked(folder, lambda error: closed.append(error.filename)):
        for file in (os.path.join(at, name) for name in names):
            if os.path.isfile(file) and (is_log(file) or (_TABLE.search(file) and holds_lines(file))):
                yield file
    yield from closed


def source(path: str) -> Source:
    """Return the source of a file, with its stream by its name."""
    here = Path(path)
    name = here.name
    ended = True
    while ended:
        ended = False
        for ending in _ENDINGS:
            if name.endswith(ending) and len(name) > len(ending):
                name, ended = name[: -len(ending)], True
    folder, name = _of_msk(here, name)
    rotated = _ROTATED.fullmatch(name)
    base, hour, number = name, None, None
    if rotated is not None:
        base, hour = rotated["base"], _hour(rotated["time"])
        number = None if rotated["number"] is None else int(rotated["number"])
        for ending in _ENDINGS:
            base = base.removesuffix(ending)
    if _POD.fullmatch(here.parent.parent.name) and _START.fullmatch(base):
        base, number = "", int(base)
    of_a_day = rotated is not None and rotated["time"] is not None and len(rotated["time"]) == len(_DAY)
    return Source(path, str(here.parent), str(Path(folder) / base), hour, number, hours=24 if of_a_day else 1)


def _of_msk(here: Path, name: str) -> tuple[str, str]:
    """Return the folder and the name of a log of Amazon MSK: each hour has a folder, in which a broker has many
    files."""
    found = _MSK.fullmatch(name)
    if found is None or _hour(here.parent.name) is None or len(here.parent.name) == len(_DAY):
        return str(here.parent), name
    return str(here.parent.parent), f"{found['broker']}.{here.parent.name}"


def _hour(text: str | None) -> int | None:
    """Return the first hour of a time that names a file."""
    if text is None:
        return None
    try:
        moment = datetime.strptime(text if len(text) > len(_DAY) else f"{text}-00", "%Y-%m-%d-%H")
    except ValueError:
        return None
    return int(moment.replace(tzinfo=timezone.utc).timestamp()) // 3600
