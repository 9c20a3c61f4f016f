"""Files of a Kafka tree, of source jars and of class jars, one after the other.

Jars come from others: zipfile reads them, in memory, up to limits, and nothing in them is executed or written. A jar
that cannot be read is reported and skipped completely.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

MOST_ENTRIES = 200_000
"""The most entries of a jar."""
LARGEST = 16 << 20
"""The most bytes of one file, unpacked."""
LARGEST_JAR = 1 << 30
"""The most bytes of all files that are read from a jar, unpacked."""

WANTED = re.compile(
    r"\.(?:java|scala|class)$|(?:^|/)common/(?:metadata|message)/[A-Za-z]+\.json$"
    r"|(?:^|/)(?:gradle\.properties|kafka/kafka-version\.properties)$"
)
"""Files about records, levels, loggers and the release."""
UNWANTED = re.compile(
    r"(?:^|/)(?:\.git|build|test|testFixtures|integrationTest|generated)/"
    r"|^(?:connect|streams|examples|trogdor|jmh-benchmarks|tests|test-common|generator|docs|docker|shell|tools|vagrant)/"
    r"|(?:^|/)org/apache/kafka/(?:connect|streams|trogdor|jmh|tools|shell|message/checker)/"
    r"|(?:^|/)(?:module|package)-info\.(?:java|class)$"
)
"""Files that no broker and no controller runs."""
_DAMAGE = (OSError, EOFError, ValueError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error)
_UNSEEN = re.compile(r"[^\x20-\x7e]")


@dataclass(frozen=True)
class Source:
    """A file with information about Kafka."""

    name: str
    """Its path in its tree or jar, made safe to print."""
    data: bytes
    jar: str
    """The name of its jar, "" in a tree."""


@dataclass(frozen=True)
class Damaged:
    """A file that cannot be read."""

    name: str
    why: str


def read(paths: Sequence[Path]) -> Iterator[Source | Damaged]:
    """Yield all files of trees, jars and folders of jars that have information, sorted by their names in each."""
    for path in paths:
        if path.is_dir():
            yield from _folder(path)
        else:
            yield from _jar(path)


def _folder(folder: Path) -> Iterator[Source | Damaged]:
    """Yield the files of a tree of Kafka, a folder of jars, or both. Links are not followed: they may lead anywhere."""
    for path in sorted(_files(folder)):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".jar" and not UNWANTED.search(name):
            yield from _jar(path)
        elif WANTED.search(name) and not UNWANTED.search(name):
            try:
                large = path.stat().st_size > LARGEST
                yield Damaged(shown(name), _too_large(LARGEST)) if large else Source(shown(name), path.read_bytes(), "")
            except OSError as error:
                yield Damaged(shown(name), error.strerror or str(error))


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_symlink():
            continue
        if path.is_dir():
            if path.name != ".git":
                yield from _files(path)
        elif path.is_file():
            yield path


def _jar(path: Path) -> Iterator[Source | Damaged]:
    """Yield the files of a jar, or one line on why it cannot be read."""
    name = shown(path.name)
    try:
        with zipfile.ZipFile(path) as archive:
            yield from _entries(archive, name)
    except _DAMAGE as error:
        yield Damaged(name, shown(str(error)) or type(error).__name__)


def _entries(archive: zipfile.ZipFile, jar: str) -> list[Source]:
    """Return all wanted files of a jar: a damaged jar yields none."""
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        raise ValueError(f"expected at most {MOST_ENTRIES:,} files in a jar, got {len(entries):,}")
    found: dict[str, Source] = {}
    total = 0
    for entry in sorted(entries, key=lambda entry: entry.filename):
        name = entry.filename
        if entry.is_dir() or name in found or not WANTED.search(name) or UNWANTED.search(name):
            continue
        with archive.open(entry) as opened:
            data = opened.read(LARGEST + 1)  # the size in the entry need not be true
        total += len(data)
        if len(data) > LARGEST:
            raise ValueError(f"{shown(name)}: {_too_large(LARGEST)}")
        if total > LARGEST_JAR:
            raise ValueError(_too_large(LARGEST_JAR))
        found[name] = Source(shown(name), data, jar)
    return list(found.values())


def _too_large(limit: int) -> str:
    return f"expected at most {limit:,} bytes unpacked, got more"


def shown(text: str) -> str:
    """Return a name from outside, in characters that a terminal prints and does not interpret."""
    return _UNSEEN.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", text)
