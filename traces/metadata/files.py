"""The files of a node's metadata folder, recognised by their names and contents.

Source: kafka.raft.KafkaMetadataLog, org.apache.kafka.snapshot.Snapshots, LogFileUtils.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Literal

from ...specs.errors import IsrproofError
from ..formats.dumps import dump
from ..limits import NODE
from ..sources import archives
from ..sources.archives import there_of
from ..sources.folders import walked
from ..sources.opened import opened, small_text
from ..sources.paths import IN, is_elsewhere, is_named_archive
from ..sources.text import Lines
from .batches import Batches, Frame
from .dumped import Dumped, dumped, is_dump

Kind = Literal[
    "segment",
    "snapshot",
    "bootstrap",
    "quorum-state",
    "epochs",
    "properties",
    "nameless",
    "topic",
    "empty",
    "index",
    "leftover",
]
"""Kinds of files of a metadata folder. A *nameless* snapshot lacks the name that shows where it ends."""
RECORDS: tuple[Kind, ...] = ("segment", "snapshot", "bootstrap", "nameless")
"""Kinds of files that contain records of the metadata log."""
_SEGMENT = re.compile(r"(?P<copy>(?:.*[^0-9])?)[0-9]{20}\.log")
_SNAPSHOT = re.compile(r"(?P<copy>(?:.*[^0-9])?)(?P<offset>[0-9]{20})-(?P<epoch>[0-9]{10})\.checkpoint")
_LEFTOVER = re.compile(
    r"[0-9]{20}(?:\.log|-[0-9]{10}\.checkpoint|\.[a-z]*index|\.snapshot)\.(?:deleted|part|swap|cleaned)"
)
_INDEX = re.compile(r"[0-9]{20}\.(?:index|timeindex|txnindex|snapshot)")
_COMPRESSED = re.compile(r"\.(?:gz|xz|bz2|zst)$")
"""Suffix of the name of a file that is compressed by itself."""
_NAMED: dict[str, Kind] = {
    "bootstrap.checkpoint": "bootstrap",
    "quorum-state": "quorum-state",
    "leader-epoch-checkpoint": "epochs",
    "meta.properties": "properties",
}
BESIDE: Mapping[Kind, str] = {
    "nameless": "a snapshot without the name that shows where it ends (`isrproof records` prints it)",
    "bootstrap": "the records that the format tool wrote (`isrproof records` prints them)",
    "quorum-state": "the last vote of a node",
    "epochs": "the starts of the quorum's epochs",
    "properties": "the ids of the node and the cluster",
    "topic": "records of a topic",
    "empty": "no record",
    "index": "the positions of records in a segment",
    "leftover": "files that Kafka had not finished or was about to delete",
}
"""Contents of the files that are not copies of the log."""
_BY_NAME: tuple[Kind, ...] = ("quorum-state", "properties")
"""Kinds of files that are looked for by name beside the records."""
_TOPIC = "__cluster_metadata-0"
_LOOKED_AT = 16
"""Number of batches that distinguish the metadata log from a topic's."""
_BEGINNING = 4096
_LINES_LOOKED_AT = 200


@dataclass(frozen=True)
class MetadataFile:
    """A file of a metadata folder."""

    path: str
    kind: Kind
    end: tuple[int, int] | None = None
    """Offset and epoch in a snapshot's name; None for other files."""
    copy: str = ""
    """Distinguishes the files of one node from those of others in a shared folder: the prefix before Kafka's own name,
    or the whole name of a file with another name. Usually empty."""

    @property
    def folder(self) -> str:
        return os.path.dirname(self.path)

    @property
    def archived(self) -> bool:
        """True if it is in an archive, or compressed by itself: its bytes are elsewhere."""
        return there_of(self.path) != self.path

    @property
    def real(self) -> str:
        """The identity of the file: its real path, or its displayed path in an archive."""
        return os.path.realpath(self.path) if os.path.exists(self.path) else self.path


def named(path: str) -> MetadataFile | None:
    """Return the file if its name is that of a file in a metadata folder, compressed by itself or not. A segment's name
    shows only that it may be one."""
    name = _COMPRESSED.sub("", os.path.basename(path))
    if (snapshot := _SNAPSHOT.fullmatch(name)) is not None:
        return MetadataFile(path, "snapshot", (int(snapshot["offset"]), int(snapshot["epoch"])), snapshot["copy"])
    if (segment := _SEGMENT.fullmatch(name)) is not None:
        return MetadataFile(path, "segment", copy=segment["copy"])
    if _LEFTOVER.fullmatch(name):
        return MetadataFile(path, "leftover")
    if _INDEX.fullmatch(name):
        return MetadataFile(path, "index")
    return MetadataFile(path, _NAMED[name]) if name in _NAMED else None


def snapshot_end(path: str) -> tuple[int, int] | None:
    """Return the end of a snapshot, offset and epoch, from its name; None for other files."""
    file = named(path)
    return None if file is None else file.end


def found_in(paths: Sequence[str]) -> list[MetadataFile]:
    """Return the files of metadata logs among PATHs (files, directories, archives, globs, - for standard input), sorted
    by path, each once.

    A file that is named itself is a segment if its content is one, whatever its name. A missing path raises nothing,
    because text logs are looked for in the same PATHs.
    """
    found: dict[str, MetadataFile] = {}
    for path in paths:
        if is_elsewhere(path):
            continue
        if path == archives.STANDARD_INPUT:
            at = archives.standard_input()
            files = [_of_dump(path, file) for file in dumped(at)] if is_dump(at) else _archived(path, at)
            found |= {file.path: file for file in files}
            continue
        for match in [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True)):
            for file in _inside(match) if os.path.isdir(match) else _single(match):
                found.setdefault(file.real, file)
    return sorted(found.values(), key=lambda file: file.path)


def must_be_found(paths: Sequence[str]) -> list[MetadataFile]:
    """Return the files with records among PATHs; each PATH must have some.

    Raises:
        IsrproofError: a PATH does not exist, or has none.
    """
    for path in paths:
        if path != archives.STANDARD_INPUT and not os.path.exists(path) and not glob.glob(path, recursive=True):
            raise IsrproofError(f"{path}: no such file or directory.")
        if not any(file.kind in RECORDS for file in found_in([path])):
            if (printed := _dump(path)) is not None:
                raise IsrproofError(f"{path}: {printed}.")
            raise IsrproofError(
                f"{path}: expected the metadata log of KRaft (segments NNNNNNNNNNNNNNNNNNNN.log, snapshots OFFSET-EPOCH"
                ".checkpoint, bootstrap.checkpoint; usually in __cluster_metadata-0), found none."
            )
    return [file for file in found_in(paths) if file.kind in RECORDS]


def _dump(path: str) -> str | None:
    """Return the problem of a file that kafka-dump-log printed; None for any other file."""
    if not os.path.isfile(path):
        return None
    lines = islice(Lines(path), _LINES_LOOKED_AT)
    return dump([line for line in lines if line.strip()])


def _single(path: str) -> Iterator[MetadataFile]:
    if os.path.isfile(path) and archives.is_archive(path):
        yield from _archived(path, path)
        return
    if os.path.isfile(path) and is_dump(path) and (files := dumped(path)):
        yield from (_of_dump(path, file) for file in files)
        return
    file = _opened(path, path)
    if file is None or file.kind == "leftover" or (file.copy and not is_metadata(path)):
        file = _by_content(path) or (None if file is None or file.copy else file)
    elif file.kind == "segment" and (content := Content.of(path)) in (Content.TOPIC, Content.TEXT):
        file = replace(file, kind="topic") if content is Content.TOPIC else None
    if file is not None:
        yield file


def _of_dump(path: str, file: Dumped) -> MetadataFile:
    """Return a file that a dump shows, as one of an archive."""
    shown = f"{path}{IN}{file.name}"
    archives.unpacked_at(shown, file.at)
    known = named(shown)
    return MetadataFile(shown, "segment", copy=os.path.basename(file.name)) if known is None else known


def _by_content(path: str) -> MetadataFile | None:
    """Return a file in PATHs whose content is a segment, though its name does not show it."""
    if not is_metadata(path):
        return None
    first = next(iter(Batches(path)))
    kind: Kind = "nameless" if first.records[:1] and first.records[0].type == "SNAPSHOT_HEADER" else "segment"
    return MetadataFile(path, kind, copy=os.path.basename(path))


def _inside(folder: str) -> Iterator[MetadataFile]:
    for at, names in walked(folder):
        paths = [path for name in names if os.path.isfile(path := os.path.join(at, name))]
        beside = os.path.isdir(os.path.join(os.path.dirname(at), _TOPIC))
        yield from _of_folder([file for path in paths if (file := _opened(path, path, paths)) is not None], beside)
        for path in filter(is_named_archive, paths):
            if archives.is_archive(path):
                yield from _archived(path, path)


def _archived(path: str, at: str) -> Iterator[MetadataFile]:
    """Return the files of metadata logs in an archive and in the archives within it. Names in it are labels; no file is
    created under them. Like `found_in`, it raises nothing."""
    try:
        shown = {str(Path(name)): there for name, there in _members(path, at, 0)}
    except (archives.BombError, OSError):
        return
    folders: dict[str, list[MetadataFile]] = {}
    for name, there in sorted(shown.items()):
        file = _opened(name, there, shown)
        if file is not None:
            archives.unpacked_at(name, there_of(name) if _COMPRESSED.search(name) else there)
            folders.setdefault(file.folder, []).append(file)
    for folder, files in folders.items():
        yield from _of_folder(files, os.path.join(os.path.dirname(folder), _TOPIC) in folders)


def _opened(path: str, at: str, among: Collection[str] = ()) -> MetadataFile | None:
    """Return the file if its name shows its kind. A file that is compressed by itself is read where it is decompressed;
    None if that fails, or if it is `among` others of which one is the same without compression."""
    file = named(path)
    plain = _COMPRESSED.sub("", path)
    if file is None or plain == path:
        return file
    try:
        there = None if plain in among else archives.decompressed(at)
    except (archives.BombError, OSError):
        return None
    if there is None:
        return None
    for shown in (path, *([plain] if file.kind in _BY_NAME and not os.path.exists(plain) else [])):
        archives.unpacked_at(shown, there)
    return file


def _members(path: str, at: str, depth: int) -> Iterator[tuple[str, str]]:
    """Return the content of an archive: displayed paths, and the paths of their bytes. Of two members with one name the
    later one counts."""
    if depth == archives.DEEPEST or not archives.is_archive(at):
        yield path, at
        return
    for name, there, problem in archives.members(at):
        if problem is None:
            yield from _members(f"{path}{IN}{name}", there, depth + 1)


def _of_folder(files: Sequence[MetadataFile], beside_it: bool) -> Iterator[MetadataFile]:
    """Return the files of one folder. Its segments are of the metadata log by the folder's name, by files that only
    such a folder has, or otherwise by their content; a damaged file is of the same kind as the others.

    Args:
        beside_it: a metadata log's folder is beside this one, so the other folders there are topics'.
    """
    yield from (file for file in files if not file.copy and file.kind != "segment")
    yield from (file for file in files if file.copy and is_metadata(file.path))
    segments = [file for file in files if file.kind == "segment" and not file.copy]
    if not segments:
        return
    if os.path.basename(segments[0].folder) == _TOPIC or any(
        file.kind in ("snapshot", "quorum-state") for file in files if not file.copy
    ):
        yield from segments
        return
    held = {file.path: Content.of(file.path) for file in segments}
    kind: Kind = "segment"
    if Content.METADATA not in held.values():
        broken = Content.BROKEN in held.values() and not beside_it
        kind = "topic" if Content.TOPIC in held.values() else kind if broken else "empty"
    yield from (replace(file, kind=kind) for file in segments if held[file.path] is not Content.TEXT)


class Content(Enum):
    """Kinds of content with which a file that may be a segment begins."""

    METADATA = "records of the metadata log"
    TOPIC = "records of a topic"
    NOTHING = "no record: it is empty, or has only zeros"
    BROKEN = "bytes that are neither records nor text"
    TEXT = "text"

    @classmethod
    def of(cls, path: str) -> Content:
        batches = Batches(path)
        frames = list(islice(batches.frames(), _LOOKED_AT))
        if frames:
            return cls.METADATA if any(map(partial(_is_known, batches), frames)) else cls.TOPIC
        if batches.problem is None:
            return cls.NOTHING
        try:
            with opened(there_of(path)) as file:
                return cls.BROKEN if b"\0" in file.read(_BEGINNING) else cls.TEXT
        except OSError:
            return cls.BROKEN


def _is_known(batches: Batches, frame: Frame) -> bool:
    """Return True if a batch has records of the metadata log, and none of an unknown type."""
    records = batches.records(frame)
    return bool(records) and not any(record.type.startswith("UNKNOWN") for record in records or ())


def is_metadata(path: str) -> bool:
    """Return True if a file begins as a segment or a snapshot of the metadata log does: with batches of its records."""
    return os.path.isfile(there_of(path)) and Content.of(path) is Content.METADATA


def node_of(folder: str) -> str:
    """Return the name of the node with this metadata folder: `node.id` in its meta.properties, or else the folder."""
    for place in (Path(folder), Path(folder).parent):
        text = small_text(there_of(str(place / "meta.properties")))
        match = re.search(r"^(?:node|broker)\.id=([0-9]+)\s*$", text, re.MULTILINE)
        if match is not None and len(match[1]) <= len(str(NODE.most)) and int(match[1]) < NODE.most:
            return match[1]
    return folder
