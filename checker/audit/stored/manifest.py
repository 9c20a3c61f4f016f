"""The manifest of an event table: the files that it holds, and where. It is replaced as a whole, so a batch that is
interrupted leaves the table as it was.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ....specs.errors import IsrproofError
from ....traces.formats.reading import Numbering
from ....traces.sources.paths import Source
from ...replacing import replacing
from ..files.coverage import Coverage, Stream
from .here import NAME
from .schema import VERSION

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

EVENTS, TEXTS, METADATA = "events", "texts", "metadata"
"""The folders of a table: events by cluster and day, lines that reports quote beside them, files of metadata logs."""
LABELS = 1 << 16
"""The most writers of one file; a file's id is a multiple of this, and each of its writers has one of the next ids."""


@dataclass(frozen=True)
class Identity:
    """The properties of a text by which a file is known again."""

    size: int
    """Its bytes, decompressed."""
    head: str
    """A hash of its first bytes."""
    tail: str
    """A hash of its last bytes."""


@dataclass(frozen=True)
class StoredStream:
    """The lines of one writer of a file."""

    id: int
    """`file_id` of its events."""
    coverage: Any
    """The counts of its lines (`Coverage.as_json`)."""
    facts: Mapping[str, Any]
    """The fields of `Stream`."""
    parts: tuple[str, ...] = ()
    """The Parquet files, relative to the table, that have its events."""

    @staticmethod
    def from_json(shown: Mapping[str, Any]) -> StoredStream:
        """Return the stream from its `asdict`, which JSON can hold."""
        return StoredStream(**{**shown, "parts": tuple(shown["parts"])})

    def stream(self) -> Stream:
        numbering = self.facts["numbering"]
        known = {**self.facts, "notes": tuple(self.facts["notes"])}
        return Stream(**{**known, "numbering": None if numbering is None else Numbering.from_list(numbering)})

    def seen(self) -> Coverage:
        return Coverage.from_json(self.coverage)


@dataclass(frozen=True)
class StoredFile:
    """A file whose lines the table has."""

    id: int
    cluster: str
    given: int
    """The PATH through which it was found: its position among all that were given."""
    source: Source
    mtime: int
    """The time of its last change, in nanoseconds; 0 if it is in an archive."""
    on_disk: int
    """Its bytes on the disk."""
    identity: Identity
    problem: str | None
    """The reason why not all of it could be read."""
    streams: tuple[StoredStream, ...]
    texts: str | None = None
    """The Parquet file, relative to the table, with lines that reports quote beside its events."""

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part for stream in self.streams for part in stream.parts))


@dataclass(frozen=True)
class StoredMetadata:
    """A file of a metadata folder: the table has a copy of it."""

    cluster: str
    given: int
    """As for StoredFile."""
    path: str
    kind: str
    end: tuple[int, int] | None
    copy: str
    at: str
    """The copy, relative to the table."""
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """Everything that a table holds."""

    layout: str | None = None
    """The pattern of the lines that was given; all files of a table are parsed alike."""
    envelope: str | None = None
    """The envelope that was given."""
    parsed_by: str = ""
    """The versions of this program that parsed the lines."""
    wordings: str = ""
    """A hash of the wordings that these knew."""
    given: tuple[str, ...] = ()
    """The PATHs from which the table was made."""
    files: tuple[StoredFile, ...] = ()
    metadata: tuple[StoredMetadata, ...] = ()
    next_id: int = 0
    batches: int = 0
    """The number of batches that were written."""
    schema: int = field(default=VERSION)

    @property
    def clusters(self) -> list[str]:
        """The clusters in the order in which they were first given."""
        first: dict[str, int] = {}
        both = [(each.cluster, each.given) for each in self.files] + [(e.cluster, e.given) for e in self.metadata]
        for cluster, given in both:
            first[cluster] = min(given, first.get(cluster, given))
        return sorted(first, key=lambda name: (first[name], name))


def in_order(files: Sequence[StoredFile]) -> list[StoredFile]:
    """Return files in the order in which an audit of the PATHs reads them."""
    return sorted(files, key=lambda each: (each.given, each.source.path))


def read(folder: Path) -> Manifest:
    """Return the manifest of a table.

    Raises:
        IsrproofError: it is damaged, or of a version that this program does not read.
    """
    try:
        shown = json.loads((folder / NAME).read_text(encoding="utf-8"))
        version = shown["schema"]
    except (ValueError, KeyError, TypeError) as error:
        raise IsrproofError(f"{folder / NAME}: expected the manifest of an event table, got other text.") from error
    if version != VERSION:
        raise IsrproofError(
            f"{folder}: expected an event table of version {VERSION}, got version {version}; "
            "write it again with `isrproof events`, or read it with the version of isrproof that wrote it "
            f"({shown.get('parsed_by')})."
        )
    try:
        files = tuple(
            StoredFile(
                **{
                    **each,
                    "source": Source(**each["source"]),
                    "identity": Identity(**each["identity"]),
                    "streams": tuple(map(StoredStream.from_json, each["streams"])),
                }
            )
            for each in shown["files"]
        )
        metadata = tuple(
            StoredMetadata(**{**each, "end": None if each["end"] is None else tuple(each["end"])})
            for each in shown["metadata"]
        )
        return replace(
            Manifest(**{**shown, "files": (), "metadata": (), "given": tuple(shown["given"])}),
            files=files,
            metadata=metadata,
        )
    except (KeyError, TypeError) as error:
        raise IsrproofError(f"{folder / NAME}: the manifest of this event table is damaged: {error}.") from error


def write(folder: Path, manifest: Manifest) -> None:
    """Put a manifest in the place of the one that is there."""
    with replacing(folder / NAME) as place:
        place.write_text(json.dumps(asdict(manifest), separators=(",", ":")) + "\n", encoding="utf-8")


def parts_of(files: Sequence[StoredFile]) -> Iterator[str]:
    """Yield the Parquet files that some files need, each once."""
    yield from dict.fromkeys(part for file in files for part in (*file.parts, *((file.texts,) if file.texts else ())))


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other writers out of a table.

    Raises:
        IsrproofError: another one is at work.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise IsrproofError(
            f"{folder}: another process writes this event table; try again once it has ended."
        ) from error
    else:
        yield
    finally:
        os.close(handle)
